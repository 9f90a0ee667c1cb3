//! When every instruction of a program does what, and where the other cycles went.

use crate::isa::Class;

/// The times of a program on a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// From the first instruction in decode to the end of the last.
    pub cycles: u64,
    /// Each instruction, in the order of the program.
    pub instructions: Vec<Times>,
    /// When the front end waited.
    pub waits: Vec<Waited>,
    /// Where the cycles of each unit went.
    pub stalls: Stalls,
    /// How much was moved and computed.
    pub counters: Counters,
}

/// The times of one instruction, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// It leaves the front end.
    pub issue: u64,
    /// It leaves its queue.
    pub start: u64,
    /// Its pipeline has taken all of it and can take the next, but for the gap.
    pub taken: u64,
    /// Its sources are free again.
    pub read_out: u64,
    /// Its results are there: the cycle after its last write.
    pub end: u64,
}

/// Why the instruction in decode waits: for a class of pipeline, 0 load/store, 1 compute, 2 shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// One of its registers is busy in that pipeline.
    Busy(usize),
    /// That queue is full.
    QueueFull(usize),
}

/// Cycles in which nothing issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waited {
    /// The first.
    pub since: u64,
    /// The cycle after the last.
    pub until: u64,
    /// Why.
    pub reason: Wait,
}

/// Cycles of every unit by what it did; each unit's add up to the cycles of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stalls {
    /// The front end.
    pub front_end: FrontEndStalls,
    /// The lanes.
    pub compute: PipeStalls,
    /// The shuffle crossbar.
    pub shuffle: PipeStalls,
    /// Loads and stores, or loads where stores have their own pipeline.
    pub load_store: PipeStalls,
    /// Stores, where they have their own pipeline.
    pub store: Option<PipeStalls>,
}

/// Cycles of the front end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrontEndStalls {
    /// An instruction issues.
    pub issue: u64,
    /// A register is busy in the load/store, compute or shuffle pipeline.
    pub busy: [u64; 3],
    /// The load/store, compute or shuffle queue is full.
    pub queue_full: [u64; 3],
    /// Everything has been issued.
    pub drained: u64,
}

/// Cycles of a pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PipeStalls {
    /// It works: one row, or one scalar, in a cycle.
    pub work: u64,
    /// The lanes wait between beats (initiation interval above 1).
    pub interval: u64,
    /// A group of addresses waits for its banks.
    pub bank_conflict: u64,
    /// Between two instructions.
    pub gap: u64,
    /// A port of the register file is taken: the oldest instruction cannot start, or the
    /// pipeline holds.
    pub vrf_port: u64,
    /// A store waits for the row that a load writes.
    pub bubble: u64,
    /// Nothing to do: no instruction waits that could start.
    pub empty: u64,
}

impl FrontEndStalls {
    /// All cycles.
    pub fn total(&self) -> u64 {
        let stalls = self.busy.iter().chain(&self.queue_full).sum::<u64>();
        self.issue + stalls + self.drained
    }
}

impl PipeStalls {
    /// All cycles.
    pub fn total(&self) -> u64 {
        self.work
            + self.interval
            + self.bank_conflict
            + self.gap
            + self.vrf_port
            + self.bubble
            + self.empty
    }
}

impl Stalls {
    /// Unit, reason and cycles, in a fixed order; units that the machine has not are left out.
    pub fn rows(&self) -> Vec<(&'static str, &'static str, u64)> {
        let f = &self.front_end;
        let mut rows = vec![("front_end", "issue", f.issue)];
        let waits = [
            "busy: load/store",
            "busy: compute",
            "busy: shuffle",
            "queue full: load/store",
            "queue full: compute",
            "queue full: shuffle",
        ];
        let cycles = f.busy.iter().chain(&f.queue_full);
        rows.extend(waits.iter().zip(cycles).map(|(&r, &c)| ("front_end", r, c)));
        rows.push(("front_end", "drained", f.drained));
        let pipes = [
            ("load_store", Some(self.load_store)),
            ("store", self.store),
            ("compute", Some(self.compute)),
            ("shuffle", Some(self.shuffle)),
        ];
        for (unit, pipe) in pipes {
            rows.extend(pipe.iter().flat_map(|pipe| {
                [
                    (unit, "work", pipe.work),
                    (unit, "initiation interval", pipe.interval),
                    (unit, "bank conflict", pipe.bank_conflict),
                    (unit, "gap", pipe.gap),
                    (unit, "register port", pipe.vrf_port),
                    (unit, "row clash", pipe.bubble),
                    (unit, "empty", pipe.empty),
                ]
            }));
        }
        rows
    }
}

/// What a program did, whatever it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Instructions of the load/store, compute and shuffle class.
    pub instructions: [u64; 3],
    /// Of those, vector loads.
    pub vector_loads: u64,
    /// Vector stores.
    pub vector_stores: u64,
    /// Scalar loads.
    pub scalar_loads: u64,
    /// Butterflies of single words.
    pub butterflies: u64,
    /// Cycles in which loads and stores were held for a register port.
    pub holds: u64,
}

impl Counters {
    /// Name and number, in a fixed order.
    pub fn rows(&self) -> Vec<(&'static str, u64)> {
        let [load_store, compute, shuffle] = self.instructions;
        vec![
            ("load/store instructions", load_store),
            ("vector loads", self.vector_loads),
            ("vector stores", self.vector_stores),
            ("scalar loads", self.scalar_loads),
            ("compute instructions", compute),
            ("butterflies", self.butterflies),
            ("shuffle instructions", shuffle),
            ("held load/store cycles", self.holds),
        ]
    }
}

/// The place of a class in the arrays above.
pub(crate) fn index(class: Class) -> usize {
    match class {
        Class::LoadStore => 0,
        Class::Compute => 1,
        Class::Shuffle => 2,
    }
}
