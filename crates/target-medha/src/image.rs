//! A program as the hardware holds it: microcode, tables for each call, memory.
//!
//! Every tower of the program has a place in memory, and one in its RPAU where it lies there between
//! calls. A kernel of loads brings operands into their RPAUs before the first call, a kernel of stores
//! takes results from there behind the last. A list of commands says all of this, and the host hands it
//! over with one doorbell.

use crate::config::Config;
use crate::encode::{encode, Code, Entry, Lengths, RpauCode, Words, FIRST_LANE};
use crate::lower::homes::{Home, Lies};
use crate::lower::lower;
use crate::lower::Lowered;
use crate::microcode::{Address, Instruction, Microprogram, Placed, Slot, ISA};
use crate::ntt_core::NttCore;
use ringwright_ir::ring::Module;
use ringwright_ir::{RunError, Value};
use ringwright_spec::{Machine, Registers, WordError};
use ringwright_target::image::{HostAction, Memory, Place as At, Region, RegisterWrite};
use ringwright_target::{Image, ImageError};
use ringwright_towers::{Call, Memory as _, OriginId, Place, Shelf, Val};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

/// The control and status registers.
pub static REGISTERS: LazyLock<Registers> =
    LazyLock::new(|| Registers::built_in("medha", include_str!("../../../spec/medha/regs.toml")));

/// The list begins at a multiple of so many bytes, towers at one of these.
const LIST_ALIGNMENT: u64 = 256;
const PAGE: u64 = 4096;
/// Bytes of a beat of the list.
pub const BEAT: u64 = 16;
/// Constants of a prime.
const MODULI: usize = 4;
/// Bytes that addresses of the ports reach, `AddressWidth` of `hw/medha/rtl/medha.sv`.
const REACH: u64 = 1 << 40;

/// What is to be run, in order.
pub struct Plan {
    /// Each with its words.
    pub kernels: Vec<(Microprogram, Code)>,
    /// In order.
    pub runs: Vec<Run>,
    /// Address of the first tower.
    pub base: u64,
    /// Bytes of all.
    pub memory_bytes: u64,
}

/// A kernel with the tables that it runs with.
pub struct Run {
    /// Which kernel.
    pub kernel: usize,
    /// The call that it is; `None` of loads and stores.
    pub call: Option<usize>,
    /// By RPAU, the slot that each argument stands for.
    pub slots: Vec<Vec<u8>>,
    /// By RPAU, constants with their halves.
    pub constants: Vec<Vec<[u64; 2]>>,
    /// Byte addresses of operands and results, and of the kernel's own towers.
    pub addresses: [Vec<u64>; 2],
}

/// Of a lowered program; addresses count from `base`.
pub fn plan(config: &Config, program: &Lowered, base: u64) -> Result<Plan, RunError> {
    let bytes = program.shape.bytes();
    let places = program.program.towers as u64;
    let own = |number: u32| base + (places + u64::from(number)) * bytes;
    let spilled = program.parts.iter().map(|part| part.microprogram.spilled);
    let spilled = spilled.max().unwrap_or(0);
    let mut plan = Plan {
        kernels: Vec::with_capacity(program.parts.len() + 2),
        runs: Vec::with_capacity(program.program.calls.len() + 2),
        base,
        memory_bytes: own(spilled) - base,
    };
    for part in &program.parts {
        plan.add(config, program, part.microprogram.clone())?;
    }
    let towers = |values: &[Val<Place>]| -> BTreeSet<Place> {
        values.iter().flat_map(Val::towers).collect()
    };
    let own: Vec<u64> = (0..spilled).map(own).collect();
    let moved = |plan: &mut Plan, places: BTreeSet<Place>, stores: bool| {
        for (operands, moves) in moves(config, program, &places, stores) {
            plan.add(config, program, moves)?;
            let kernel = plan.kernels.len() - 1;
            plan.run(program, kernel, None, &operands, &own);
        }
        Ok::<_, RunError>(())
    };
    moved(&mut plan, towers(&program.program.inputs), false)?;
    for (index, call) in program.program.calls.iter().enumerate() {
        let args = call.args.iter().flat_map(Val::towers);
        let operands: Vec<Place> = args.chain(call.results.iter().copied()).collect();
        plan.run(program, call.kernel, Some((index, call)), &operands, &own);
    }
    moved(&mut plan, towers(&program.program.outputs), true)?;
    Ok(plan)
}

/// Of these towers, those that lie in RPAUs are brought there, or taken: those of an RPAU through one lane, as
/// many at a time as tables and microcode hold. Each with the kernel's operands.
pub fn moves(
    config: &Config,
    program: &Lowered,
    places: &BTreeSet<Place>,
    stores: bool,
) -> Vec<(Vec<Place>, Microprogram)> {
    let on_chip = places.iter().filter_map(|&place| {
        let Lies { rpau, home, slot } = program.homes[place as usize];
        match home {
            Home::Chip(bank) => Some((place, rpau, Slot::At(bank, slot))),
            _ => None,
        }
    });
    let on_chip: Vec<(Place, u8, Slot)> = on_chip.collect();
    let kernel = |towers: &[(Place, u8, Slot)]| {
        let moves = (0..).zip(towers).map(|(number, &(_, rpau, slot))| {
            let lane = rpau % config.dma_lanes as u8;
            let address = Address::Argument(number);
            let instruction = match stores {
                true => Instruction::Store {
                    lane,
                    from: slot,
                    to: address,
                },
                false => Instruction::Load {
                    lane,
                    from: address,
                    to: slot,
                },
            };
            Placed {
                rpau,
                instruction,
                after: Vec::new(),
                cycles: config.issue_cycles + program.shape.transfer(config),
                origin: OriginId(0),
            }
        });
        let all = moves.collect();
        let operands = towers.iter().map(|&(place, ..)| place).collect();
        (operands, Microprogram { all, spilled: 0 })
    };
    // A stream ends with its stop.
    let most = config.arguments.min(config.code_words - 1).max(1);
    on_chip.chunks(most).map(kernel).collect()
}

impl Plan {
    fn add(
        &mut self,
        config: &Config,
        program: &Lowered,
        kernel: Microprogram,
    ) -> Result<(), RunError> {
        let code = encode(config, &program.shape, &kernel).map_err(|e| config.unsupported(e))?;
        self.kernels.push((kernel, code));
        Ok(())
    }

    fn run(
        &mut self,
        program: &Lowered,
        kernel: usize,
        call: Option<(usize, &Call)>,
        operands: &[Place],
        own: &[u64],
    ) {
        let bytes = program.shape.bytes();
        let code = &self.kernels[kernel].1;
        let slot = |&number: &u32| program.homes[operands[number as usize] as usize].slot;
        let slots = code.rpaus.iter();
        let slots = slots.map(|rpau| rpau.arguments.iter().map(slot).collect());
        let constants = call.map_or(&[][..], |(_, call)| program.program.constants(call));
        let prime = |rpau: usize| program.primes[rpau].unwrap_or(1) as u64;
        let value = |own: usize, entry: &Entry| match *entry {
            Entry::Constant(number) => [constants[number as usize] as u64, 0],
            Entry::Centre(from) => {
                let from = prime(from.into());
                [from % prime(own), from / 2]
            }
            Entry::Power(power) => [power, 0],
        };
        let table = |(rpau, code): (usize, &RpauCode)| {
            code.constants
                .iter()
                .map(|entry| value(rpau, entry))
                .collect()
        };
        let run = Run {
            kernel,
            call: call.map(|(index, _)| index),
            slots: slots.collect(),
            constants: code.rpaus.iter().enumerate().map(table).collect(),
            addresses: [
                operands
                    .iter()
                    .map(|&place| self.base + u64::from(place) * bytes)
                    .collect(),
                own.to_vec(),
            ],
        };
        self.runs.push(run);
    }
}

/// The image of a program with its inputs.
pub fn image(
    machine: &Machine,
    module: &Module,
    inputs: &[Value],
    base: u64,
) -> Result<Image, ImageError> {
    let config = Config::new(machine)?;
    let program = lower(&config, module)?;
    if !config.in_rtl() {
        let reason = "its dyadic_lanes and ring_words: the RTL has 2 x butterflies of both, and \
                      issue_cycles of at most ntt_latency";
        return Err(config.unsupported(reason).into());
    }
    // How long a list is does not depend on where towers lie.
    let length = List::of(&config, &program, &plan(&config, &program, 0)?)?
        .beats
        .len() as u64;
    let behind = (BEAT * length).next_multiple_of(program.shape.bytes().max(PAGE));
    let towers = base.saturating_add(behind);
    let plan = plan(&config, &program, towers)?;
    let end = towers.saturating_add(plan.memory_bytes);
    if !base.is_multiple_of(PAGE) || end > REACH {
        let reason = format!(
            "an image from {base:#x} to {end:#x}: it begins at a multiple of {PAGE} and ends at {REACH:#x}"
        );
        return Err(config.unsupported(reason).into());
    }
    let list = List::of(&config, &program, &plan)?;
    let mut shelf = Shelf::new(program.program.towers);
    shelf.load(&program.program.inputs, inputs);
    let (n, bytes) = (program.shape.n(), program.shape.bytes());
    let beats = list.beats.iter().flatten().copied();
    let mut regions = vec![Region::filled("list".into(), 0, beats)];
    let mut places = BTreeMap::new();
    let values = |values: &[Val<Place>]| -> Vec<Vec<Place>> {
        values
            .iter()
            .map(|value| value.towers().collect())
            .collect()
    };
    let (given, made) = (
        values(&program.program.inputs),
        values(&program.program.outputs),
    );
    for &place in given.iter().chain(&made).flatten() {
        let address = towers - base + u64::from(place) * bytes;
        let name = format!("tower {place}");
        places.entry(place).or_insert_with(|| {
            regions.push(match shelf.tower(place) {
                Ok(words) => Region::filled(name, address, words.iter().copied()),
                Err(_) => Region::room(name, address, n),
            });
            At {
                memory: 0,
                region: regions.len() - 1,
            }
        });
    }
    let found = |values: Vec<Vec<Place>>| -> Vec<Vec<At>> {
        let value = |towers: Vec<Place>| towers.iter().map(|place| places[place]).collect();
        values.into_iter().map(value).collect()
    };
    let (inputs, results) = (found(given), found(made));
    let write = |(name, value)| RegisterWrite {
        offset: REGISTERS.register(name).offset,
        value,
    };
    let beats = list.beats.len() as u32;
    let writes = [
        ("list", (base / LIST_ALIGNMENT) as u32),
        ("doorbell", beats),
    ]
    .map(write);
    Ok(Image {
        memories: vec![Memory {
            name: "memory",
            base,
            word_bits: 64,
            addresses_per_word: 8,
            words: ((end - base) / 8) as usize,
            regions,
        }],
        set_up: Vec::new(),
        script: vec![HostAction::Write(writes.into()), HostAction::TakeInterrupt],
        inputs,
        results,
    })
}

/// Which kernels the memories of microcode hold.
#[derive(Default)]
struct Loaded {
    /// By kernel, its number.
    there: HashMap<usize, usize>,
    /// By stream, the first free microinstruction.
    free: Vec<usize>,
}

impl Loaded {
    /// Makes room for a kernel with streams of these lengths, behind what is there or in its place: its
    /// number, and where each stream begins. `None` where it is there.
    fn place(
        &mut self,
        config: &Config,
        kernel: usize,
        lengths: &[usize],
    ) -> Option<(usize, Vec<usize>)> {
        if self.there.contains_key(&kernel) {
            return None;
        }
        self.free.resize(lengths.len(), 0);
        let room = config.code_words;
        let is_full = self
            .free
            .iter()
            .zip(lengths)
            .any(|(free, length)| free + length > room);
        if is_full || self.there.len() == ISA.kernels {
            self.there.clear();
            self.free.fill(0);
        }
        let number = self.there.len();
        self.there.insert(kernel, number);
        let firsts = self.free.clone();
        for (free, length) in self.free.iter_mut().zip(lengths) {
            *free += length;
        }
        Some((number, firsts))
    }
}

/// Beats of a table of so many entries.
fn table(entries: usize) -> usize {
    match entries {
        0 => 0,
        more => 1 + more,
    }
}

/// Beats of what programs over the same ring need once: the degree, and of each prime its constants and the
/// factors of both directions.
pub fn beats_once(program: &Lowered) -> u64 {
    let primes = program.primes.iter().flatten().count();
    let of_prime = table(MODULI) + 2 * table(program.shape.n());
    (1 + primes * of_prime) as u64
}

/// Counts the beats of a list, run by run: what the hardware takes from memory before each.
pub struct Beats<'a> {
    config: &'a Config,
    loaded: Loaded,
}

impl<'a> Beats<'a> {
    /// Of a list that begins with no kernel there.
    pub fn new(config: &'a Config) -> Self {
        Self {
            config,
            loaded: Loaded::default(),
        }
    }

    /// Of the next run: a kernel, how many operands and results it has, and own towers.
    pub fn next(&mut self, kernel: usize, lengths: &Lengths, addresses: [usize; 2]) -> u64 {
        let tables = |entries: &[usize]| entries.iter().copied().map(table).sum::<usize>();
        let streams = &lengths.streams;
        let code = match self.loaded.place(self.config, kernel, streams) {
            Some(_) => tables(streams) + streams.len() * table(1),
            None => 0,
        };
        let lanes = self.config.dma_lanes * tables(&addresses);
        (code + tables(&lengths.entries) + lanes + 1) as u64
    }
}

/// The list of commands of a program.
struct List<'a> {
    config: &'a Config,
    beats: Vec<[u64; 2]>,
    loaded: Loaded,
}

impl<'a> List<'a> {
    fn of(config: &'a Config, program: &Lowered, plan: &Plan) -> Result<Self, RunError> {
        let mut list = List {
            config,
            beats: Vec::new(),
            loaded: Loaded::default(),
        };
        let wrong = |error: WordError| config.unsupported(error.to_string());
        list.prepare(program)?;
        for run in &plan.runs {
            list.load(run.kernel, &plan.kernels[run.kernel].1)?;
            list.run(run).map_err(wrong)?;
        }
        Ok(list)
    }

    fn command(&mut self, name: &str, fields: &[(&str, u64)]) -> Result<(), WordError> {
        self.beats.push([ISA.encode_command(name, fields)?, 0]);
        Ok(())
    }

    fn table(
        &mut self,
        unit: usize,
        name: &str,
        address: u64,
        entries: impl IntoIterator<Item = [u64; 2]>,
    ) -> Result<(), WordError> {
        let at = self.beats.len();
        self.beats.push([0; 2]);
        self.beats.extend(entries);
        let count = (self.beats.len() - at - 1) as u64;
        if count == 0 {
            self.beats.pop();
            return Ok(());
        }
        let fields = [
            ("unit", unit as u64),
            ("which", ISA.table(name)?),
            ("address", address),
            ("count", count),
        ];
        self.beats[at] = [ISA.encode_command("table", &fields)?, 0];
        Ok(())
    }

    /// Degree, primes and factors.
    fn prepare(&mut self, program: &Lowered) -> Result<(), RunError> {
        let config = self.config;
        let wrong = |error: WordError| config.unsupported(error.to_string());
        let degree = [("address", program.shape.log_n.into())];
        self.command("degree", &degree).map_err(wrong)?;
        for (rpau, prime) in program.primes.iter().enumerate() {
            let Some(q) = *prime else { continue };
            let moduli = moduli(config, rpau, q).map(|word| [word, 0]);
            self.table(rpau, "modulus", 0, moduli).map_err(wrong)?;
            let refuse = |error| config.unsupported(format!("prime {q}: {error}"));
            let core = NttCore::new(&program.shape, q as u64).map_err(refuse)?;
            for (direction, factors) in (0..).zip(core.tables()) {
                let first = direction << config.max_log_n;
                let entries = factors.iter().map(|&word| [word, 0]);
                self.table(rpau, "factors", first, entries).map_err(wrong)?;
            }
        }
        Ok(())
    }

    /// The microcode of a kernel, where it is not there.
    fn load(&mut self, kernel: usize, code: &Code) -> Result<(), RunError> {
        let Some((number, places)) =
            self.loaded
                .place(self.config, kernel, &Lengths::of(code).streams)
        else {
            return Ok(());
        };
        let wrong = |error: WordError| self.config.unsupported(error.to_string());
        for (((unit, stream), words), first) in code.streams().zip(places) {
            let at = |address: usize| stream << 20 | address as u64;
            let entries = words.iter().map(|&[micro, waits]: &Words| [waits, micro]);
            self.table(unit, "code", at(first), entries)
                .map_err(wrong)?;
            let entry = [[first as u64, 0]];
            self.table(unit, "entries", at(number), entry)
                .map_err(wrong)?;
        }
        Ok(())
    }

    fn run(&mut self, run: &Run) -> Result<(), WordError> {
        let tables = run.slots.iter().zip(&run.constants);
        for (rpau, (slots, constants)) in tables.enumerate() {
            let slots = slots.iter().map(|&slot| [slot.into(), 0]);
            self.table(rpau, "arguments", 0, slots)?;
            self.table(rpau, "constants", 0, constants.iter().copied())?;
        }
        let [operands, own] = &run.addresses;
        for lane in 0..self.config.dma_lanes {
            for (first, table) in [(self.config.arguments as u64, operands), (0, own)] {
                let entries = table.iter().map(|&address| [address, 0]);
                self.table(FIRST_LANE + lane, "arguments", first, entries)?;
            }
        }
        let number = self.loaded.there[&run.kernel] as u64;
        self.command("run", &[("address", number)])
    }
}

/// A prime with its reciprocals for residues of its RPAU and for words of the ring, and its shift: the
/// constants of `hw/common/rtl/barrett_mul.sv`.
pub fn moduli(config: &Config, rpau: usize, q: u128) -> [u64; MODULI] {
    let shift = u128::BITS - q.leading_zeros() - 3;
    let reciprocal = |width: u32| ((1u128 << (shift + width + 5)) / q) as u64;
    let widths = [config.bits(rpau), config.wide_bits].map(reciprocal);
    [q as u64, widths[0], widths[1], shift.into()]
}
