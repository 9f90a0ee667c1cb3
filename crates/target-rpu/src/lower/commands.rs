//! The command list of a part: moves and runs, each in a queue of its own, with what they wait for.
//!
//! The device works through two queues beside each other: lists of moves at the DMA port, runs of
//! programs at the core. Each queue is in order, and a command starts once so many commands of the
//! other queue have ended. So a load may come long before the run that needs it, as soon as the run
//! that used its slot before has ended; and whoever knows the two counts knows what may happen at
//! once ([`Commands::beside`]). That is a rule that hardware can hold: a move holds its
//! address range from the moment it may begin until the count says that it has ended.
//!
//! [`waits`](super::waits) says what each move and each run waits for, [`queues`](super::queues) in
//! which order they follow each other.

/// Bytes of a command in off-chip memory: what it is and waits for, and where from, where to, how much.
pub const COMMAND_BYTES: u64 = 32;

/// Commands in the order in which they begin.
#[derive(Debug, Default)]
pub struct Commands {
    /// All of them.
    pub list: Vec<Command>,
}

/// A command of one of the two queues.
#[derive(Debug)]
pub struct Command {
    /// What is done.
    pub what: What,
    /// How many commands of the other queue must have ended.
    pub after: usize,
    /// Of moves, how many lists up to the last whose stores must have ended. One queue of moves sees to
    /// that by itself; where what is sent has a queue of its own, it is waited for.
    pub stores: usize,
}

/// What a command does.
#[derive(Debug)]
pub enum What {
    /// Moves, one behind the other.
    Moves(Vec<Item>),
    /// A run of the core.
    Run(Run),
}

/// A run of the core.
#[derive(Clone, Debug)]
pub struct Run {
    /// Which piece of the part.
    pub piece: usize,
    /// Which of its blocks, where it is a sweep.
    pub block: usize,
    /// Where its program and its arguments lie.
    pub at: ProgramPlace,
}

/// Where a program and its arguments lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramPlace {
    /// The first instruction in the instruction memory.
    pub instructions: u32,
    /// The first word of the arguments in scalar data memory.
    pub arguments: u32,
}

/// A move for one of the part's pieces ([`Part::spans`](super::part::Part::spans)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// The piece.
    pub piece: u32,
    /// What is moved.
    pub what: Moved,
}

/// What a move moves: of a start the span of this number, of a sweep all that a block has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// The piece's program and its arguments.
    Program {
        /// For which of a sweep's copies.
        copy: u32,
        /// Where they lie.
        at: ProgramPlace,
    },
    /// Into the vector data memory.
    Load(u32),
    /// Out of it, what is needed again.
    Spill(u32),
    /// Out of it, what leaves the part or is read by others.
    Store(u32),
}

impl Commands {
    /// The positions in the list of lists of moves, and of runs.
    pub fn queues(&self) -> [Vec<usize>; 2] {
        let is_run = |&at: &usize| matches!(self.list[at].what, What::Run(_));
        let (runs, moves) = (0..self.list.len()).partition(is_run);
        [moves, runs]
    }

    /// For each run, in order, the positions in the list of the moves that may be under way beside it.
    pub fn beside(&self) -> Vec<Vec<usize>> {
        let (mut moves, mut after) = (Vec::new(), 0);
        for (index, command) in self.list.iter().enumerate() {
            if let What::Moves(_) = command.what {
                // A queue is in order: what is behind a move waits for what that waits for.
                after = command.after.max(after);
                moves.push((index, after));
            }
        }
        let runs = self
            .list
            .iter()
            .filter(|each| matches!(each.what, What::Run(_)));
        let mut ended = 0;
        let beside = runs.enumerate().map(|(number, run)| {
            ended = run.after.max(ended);
            let later = moves.partition_point(|&(_, after)| after <= number);
            let beside = moves[ended.min(later)..later].iter();
            beside.map(|&(index, _)| index).collect()
        });
        beside.collect()
    }
}
