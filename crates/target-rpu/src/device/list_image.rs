//! The host's exact view of a program that is a list of commands.
//!
//! All of it lies in off-chip memory: the list, programs, and words of scalars, tables and towers, whole
//! and at half their width apart from each other. The controlling core writes where the list lies and how
//! many commands it has, and takes one interrupt. Towers of keys lie joined where a part wants them so.

use super::Lowered;
use crate::command::{tables, Command, Kind};
use crate::isa::{encode_all, INSTRUCTION_BITS};
use crate::lower::commands::{Item, Moved, ProgramPlace, What};
use crate::lower::holds;
use crate::lower::part::{Part, Piece};
use crate::lower::start::Span;
use crate::registers::REGISTERS;
use crate::rtl::port_bytes;
use ringwright_ir::{RunError, Value};
use ringwright_target::image::{HostAction, Memory, Place, Region, RegisterWrite};
use ringwright_target::Image;
use ringwright_towers::residency::Content;
use ringwright_towers::{Call, Memory as _, Shelf, TowerId, Val};
use std::collections::HashMap;

/// Bytes of a word of the list and of programs.
const WORD: u64 = (INSTRUCTION_BITS / 8) as u64;

/// The memories of the image, each behind the last: the list, programs, whole words and half ones.
const LIST: usize = 0;
const PROGRAMS: usize = 1;
const WHOLE: usize = 2;
const HALF: usize = 3;

/// The image of a program with its inputs.
pub fn image(lowered: &Lowered, inputs: &[Value], base: u64) -> Result<Image, RunError> {
    // How long memories are does not depend on where they lie.
    let lengths = Writer::new(lowered, inputs, [0; 4]).written()?.0.next;
    let mut bases = [base; 4];
    for memory in 1..bases.len() {
        bases[memory] = bases[memory - 1].saturating_add(lengths[memory - 1]);
    }
    let end = bases[HALF].saturating_add(lengths[HALF]);
    let (alignment, last) = (tables().list_alignment, tables().field("address").most());
    if !base.is_multiple_of(alignment) || end > last {
        let reason = format!(
            "an image of {} bytes at {base:#x}; it begins at a multiple of {alignment} and ends \
             below {last:#x}",
            end.saturating_sub(base)
        );
        return Err(lowered.config.unsupported(reason));
    }
    let (writer, inputs_at) = Writer::new(lowered, inputs, bases).written()?;
    let results = lowered.program.towers.outputs.iter().map(|value| {
        let places = value.towers().map(|place| writer.places[&place].0);
        places.collect()
    });
    let results = results.collect();
    let write = |(name, value)| RegisterWrite {
        offset: REGISTERS.register(name).offset,
        value,
    };
    let list = (base / alignment) as u32;
    let commands = writer.commands.len() as u32;
    let writes = [("list", list), ("doorbell", commands)].map(write);
    Ok(Image {
        memories: writer.memories(),
        set_up: Vec::new(),
        script: vec![HostAction::Write(writes.into()), HostAction::TakeInterrupt],
        inputs: inputs_at,
        results,
    })
}

struct Writer<'a> {
    lowered: &'a Lowered,
    /// Where the memories begin.
    bases: [u64; 4],
    /// The program's inputs.
    shelf: Shelf<u64>,
    regions: [Vec<Region>; 4],
    /// Bytes of each memory so far.
    next: [u64; 4],
    /// Where the program's towers lie.
    places: HashMap<u32, (Place, u64)>,
    /// Where joined ones do, by those that they join.
    joined: HashMap<Vec<u32>, u64>,
    commands: Vec<Command>,
}

impl<'a> Writer<'a> {
    fn new(lowered: &'a Lowered, inputs: &[Value], bases: [u64; 4]) -> Self {
        let towers = &lowered.program.towers;
        let mut shelf = Shelf::new(towers.towers);
        shelf.load(&towers.inputs, inputs);
        Writer {
            lowered,
            bases,
            shelf,
            regions: Default::default(),
            next: [0; 4],
            places: HashMap::new(),
            joined: HashMap::new(),
            commands: Vec::new(),
        }
    }

    /// All of the program; where its inputs lie.
    fn written(mut self) -> Result<(Self, Vec<Vec<Place>>), RunError> {
        let towers = &self.lowered.program.towers;
        let mut inputs_at = Vec::new();
        for (value, param) in towers.inputs.iter().zip(&self.lowered.signature.params) {
            let places = value.towers().map(|place| self.input(&param.name, place));
            inputs_at.push(places.collect());
        }
        for call in &towers.calls {
            self.call(call)?;
        }
        let encoded = self.commands.iter().map(Command::encode);
        let encoded = encoded.collect::<Result<Vec<_>, _>>();
        let encoded = encoded.map_err(|error| RunError::Invalid(error.to_string()))?;
        let bytes = encoded.concat();
        let (words, _) = bytes.as_chunks();
        let words = words.iter().map(|&word| u64::from_le_bytes(word));
        self.region(LIST, Region::filled("list".to_owned(), 0, words));
        Ok((self, inputs_at))
    }

    /// Puts a region behind the others of its memory; its place, and its address.
    fn region(&mut self, memory: usize, mut region: Region) -> (Place, u64) {
        let width = self.width(memory);
        region.address = self.next[memory];
        let alignment = port_bytes(&self.lowered.config).max(tables().list_alignment);
        let end = region.address + region.length as u64 * width;
        self.next[memory] = end.next_multiple_of(alignment);
        let address = self.bases[memory] + region.address;
        self.regions[memory].push(region);
        let region = self.regions[memory].len() - 1;
        (Place { memory, region }, address)
    }

    fn width(&self, memory: usize) -> u64 {
        match memory {
            LIST | PROGRAMS => WORD,
            WHOLE => self.lowered.config.bytes_per_word(),
            _ => self.lowered.config.bytes_per_word() / 2,
        }
    }

    /// The memory of words below 2^`bits`.
    fn memory_of(&self, bits: u32) -> usize {
        let config = &self.lowered.config;
        match config.offchip_bytes(bits) == config.bytes_per_word() {
            true => WHOLE,
            false => HALF,
        }
    }

    /// A tower of the program: in the memory of its prime's words, a slot long.
    fn place(&mut self, place: u32, bits: u32, name: String) -> (Place, u64) {
        if let Some(&known) = self.places.get(&place) {
            return known;
        }
        let slot = self.lowered.program.parts[0].shape.slot();
        let region = match self.shelf.tower(place) {
            Ok(words) => Region::filled(name, 0, words.iter().copied().cycle().take(slot)),
            Err(_) => Region::room(name, 0, slot),
        };
        let at = self.region(self.memory_of(bits), region);
        self.places.insert(place, at);
        at
    }

    /// An input's tower, as wide as the first part wants it that reads it.
    fn input(&mut self, name: &str, place: u32) -> Place {
        let program = &self.lowered.program;
        let mut reads = program.towers.calls.iter().filter_map(|call| {
            let mut args = call.args.iter().flat_map(Val::towers);
            let param = args.position(|arg| arg == place)?;
            Some(program.parts[call.kernel].tower_bits[param])
        });
        let bits = reads.next().unwrap_or(0);
        self.place(place, bits, name.to_owned()).0
    }

    /// The commands of a part for a caller.
    fn call(&mut self, call: &Call) -> Result<(), RunError> {
        let lowered = self.lowered;
        let part = &lowered.program.parts[call.kernel];
        holds::check(part).map_err(RunError::Invalid)?;
        let mut towers: HashMap<TowerId, u64> = HashMap::new();
        let params: Vec<u32> = call.args.iter().flat_map(Val::towers).collect();
        for (tower, &place) in (0..).map(TowerId).zip(&params) {
            let bits = part.tower_bits[tower.index()];
            towers.insert(tower, self.place(place, bits, "tower".to_owned()).1);
        }
        for (&tower, &place) in part.made.iter().zip(&call.results) {
            let bits = part.tower_bits[tower.index()];
            towers.insert(tower, self.place(place, bits, "made".to_owned()).1);
        }
        for key in &part.key_parts {
            let of: Vec<u32> = key.of.iter().map(|of| params[of.index()]).collect();
            let address = match self.joined.get(&of) {
                Some(&address) => address,
                None => {
                    let words = of.iter().map(|&place| self.shelf.tower(place));
                    let words = key.words(&words.collect::<Result<Vec<_>, _>>()?)?;
                    let slot = part.shape.slot();
                    let words = words.into_iter().cycle().take(slot);
                    let region = Region::filled("joined".to_owned(), 0, words);
                    let memory = self.memory_of(part.tower_bits[key.tower.index()]);
                    let (_, address) = self.region(memory, region);
                    self.joined.insert(of, address);
                    address
                }
            };
            towers.insert(key.tower, address);
        }
        let mut tables = HashMap::new();
        for (index, table) in part.tables.iter().enumerate() {
            let region = Region::filled("table".to_owned(), 0, table.iter().copied());
            let memory = self.memory_of(part.table_bits[index]);
            tables.insert(index, self.region(memory, region).1);
        }
        let first = self.commands.len();
        for command in &part.commands.list {
            let begin = self.commands.len();
            match &command.what {
                What::Moves(items) => {
                    for &item in items {
                        self.moves(part, call, item, &mut towers, &tables)?;
                    }
                }
                What::Run(run) => {
                    let (count, _) = part.program(run.piece);
                    self.commands.push(Command {
                        place: run.at.instructions,
                        count: count as u32,
                        ..Command::new(Kind::Run)
                    });
                }
            }
            // The hardware counts lists that there are.
            let nothing = || RunError::Invalid("a list of moves moves nothing".to_owned());
            let commands = &mut self.commands[begin..];
            let (last, list) = commands.split_last_mut().ok_or_else(nothing)?;
            list.iter_mut().for_each(|each| each.more = true);
            let head = list.first_mut().unwrap_or(last);
            head.after = command.after as u32;
        }
        if let Some(head) = self.commands.get_mut(first) {
            head.barrier = true;
        }
        Ok(())
    }

    fn moves(
        &mut self,
        part: &Part,
        call: &Call,
        item: Item,
        towers: &mut HashMap<TowerId, u64>,
        tables: &HashMap<usize, u64>,
    ) -> Result<(), RunError> {
        let kind = match item.what {
            Moved::Program { copy, at } => {
                return self.program(part, call, item.piece as usize, copy as usize, at);
            }
            Moved::Load(_) => Kind::LoadVectors,
            Moved::Spill(_) | Moved::Store(_) => Kind::StoreVectors,
        };
        for span in part.spans(item) {
            let Span {
                first,
                words,
                place,
                content,
            } = span;
            let (bits, address) = match content {
                Content::Table { table, .. } => (part.table_bits[table], tables[&table]),
                Content::Tower(tower) => {
                    let bits = part.tower_bits[tower.index()];
                    let room = || Region::room("spilled".to_owned(), 0, part.shape.slot());
                    let memory = self.memory_of(bits);
                    let address = match towers.get(&tower) {
                        Some(&address) => address,
                        None if kind == Kind::StoreVectors => self.region(memory, room()).1,
                        None => {
                            let what = format!("tower {} is moved before it is made", tower.0);
                            return Err(RunError::Invalid(what));
                        }
                    };
                    towers.insert(tower, address);
                    (bits, address)
                }
            };
            let memory = self.memory_of(bits);
            self.commands.push(Command {
                narrow: memory == HALF,
                address: address + first as u64 * self.width(memory),
                place: place as u32,
                count: words as u32,
                ..Command::new(kind)
            });
        }
        Ok(())
    }

    fn program(
        &mut self,
        part: &Part,
        call: &Call,
        piece: usize,
        copy: usize,
        at: ProgramPlace,
    ) -> Result<(), RunError> {
        let config = &self.lowered.config;
        let constants = self.lowered.program.towers.constants(call);
        let (program, scalars) = match &part.pieces[piece] {
            Piece::Start(start) => {
                let mut words = vec![0; start.chain.words];
                start.write_arguments(&mut words, config, constants)?;
                (&start.chain.program, words)
            }
            Piece::Sweep(sweep) => (
                &sweep.kernel.program,
                sweep.arguments(config, constants, copy)?,
            ),
        };
        let words = encode_all(&program.relocated(at.arguments));
        let words = words.map_err(|error| RunError::Invalid(error.to_string()))?;
        let program = Region::filled("program".to_owned(), 0, words);
        self.bring(Kind::LoadInstructions, PROGRAMS, program, at.instructions);
        if !scalars.is_empty() {
            let arguments = Region::filled("arguments".to_owned(), 0, scalars);
            self.bring(Kind::LoadScalars, WHOLE, arguments, at.arguments);
        }
        Ok(())
    }

    /// A move of a region of its own.
    fn bring(&mut self, kind: Kind, memory: usize, region: Region, place: u32) {
        let count = region.length as u32;
        let (_, address) = self.region(memory, region);
        self.commands.push(Command {
            address,
            place,
            count,
            ..Command::new(kind)
        });
    }

    fn memories(self) -> Vec<Memory> {
        let names = ["list", "programs", "words", "half words"];
        let word_bits = self.lowered.config.word_bits;
        let bits = [INSTRUCTION_BITS, INSTRUCTION_BITS, word_bits, word_bits / 2];
        let widths = [LIST, PROGRAMS, WHOLE, HALF].map(|memory| self.width(memory));
        let all = names
            .into_iter()
            .zip(bits)
            .zip(widths)
            .zip(self.next)
            .zip(self.regions);
        let memory = |(base, ((((name, word_bits), width), bytes), regions))| Memory {
            name,
            base,
            word_bits,
            addresses_per_word: width,
            words: (bytes / width) as usize,
            regions,
        };
        self.bases.into_iter().zip(all).map(memory).collect()
    }
}
