//! Words of a microcode, as `spec/<target>/isa.toml` lays them out.
//!
//! A word is an opcode and operands, each in a field; a second word says what is waited for. Encoder and
//! decoder know fields and rows of the file and nothing else.

use serde::Deserialize;

/// A microcode.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Microcode {
    /// Bits of a word.
    pub bits: u32,
    /// DMA lanes that it can name.
    pub lanes: usize,
    /// Slots of a memory that it can name.
    pub slots: usize,
    /// Kernels whose entries a stream knows.
    pub kernels: usize,
    #[serde(rename = "field")]
    fields: Vec<Place>,
    #[serde(rename = "operand")]
    operands: Vec<Named>,
    #[serde(rename = "wait")]
    waits: Vec<WaitPlace>,
    #[serde(rename = "microinstruction")]
    rows: Vec<Row>,
    memory: Vec<Code>,
    command_field: Vec<Place>,
    command: Vec<Code>,
    table: Vec<Code>,
}

/// A field with a name of one letter is a slot: a flag, a memory, a number.
const FLAG: u64 = 1 << 11;
const NUMBER: u64 = (1 << 8) - 1;

/// A name with its number.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Code {
    name: String,
    code: u64,
    #[allow(dead_code)] // for the book
    summary: String,
}

/// A field of the first word.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    name: String,
    bits: [u32; 2],
    #[allow(dead_code)] // for the book
    summary: String,
}

/// An operand that bears another name than its field.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
    field: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WaitPlace {
    #[allow(dead_code)] // for the book
    name: String,
    unit: [u32; 2],
    count: [u32; 2],
}

/// A kind of microinstruction.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// As text names it.
    pub mnemonic: String,
    /// Its number.
    pub opcode: u64,
    /// Whose stream it stands in.
    pub unit: String,
    /// What it has, in the order of the text.
    pub operands: Vec<String>,
    /// What it does.
    pub summary: String,
}

/// What is no word of the microcode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordError {
    /// No such mnemonic, command, field or table.
    #[error("`{0}` is nothing that the microcode has")]
    Unknown(String),
    /// Too many operands, or too few.
    #[error("`{mnemonic}` has {given} operands; it takes {allowed}")]
    Operands {
        /// Of what.
        mnemonic: String,
        /// How many it was given.
        given: usize,
        /// How many it takes.
        allowed: usize,
    },
    /// A number that its field does not hold.
    #[error("{name} = {given}: its field holds up to {most}")]
    TooLarge {
        /// The operand.
        name: String,
        /// Its number.
        given: u64,
        /// The largest.
        most: u64,
    },
    /// More to wait for than a word holds.
    #[error("{given} counts to wait for; a microinstruction has {most}")]
    Waits {
        /// How many.
        given: usize,
        /// How many a word holds.
        most: usize,
    },
    /// No opcode, or bits that the microinstruction does not use.
    #[error("{0:#018x} is no microinstruction")]
    Word(u64),
}

impl Microcode {
    /// Reads the file; its text is part of the program, and a test reads it.
    ///
    /// # Panics
    /// Where the text is no such file.
    pub fn of(text: &str) -> Self {
        toml::from_str(text).unwrap_or_else(|error| panic!("a microcode: {error}"))
    }

    /// Counts that a microinstruction waits for at most.
    pub fn most_waits(&self) -> usize {
        self.waits.len()
    }

    /// The first word; operands in the order of the text.
    pub fn encode(&self, mnemonic: &str, operands: &[u64]) -> Result<u64, WordError> {
        let row = self.rows.iter().find(|row| row.mnemonic == mnemonic);
        let row = row.ok_or_else(|| WordError::Unknown(mnemonic.to_owned()))?;
        if operands.len() != row.operands.len() {
            return Err(WordError::Operands {
                mnemonic: mnemonic.to_owned(),
                given: operands.len(),
                allowed: row.operands.len(),
            });
        }
        let mut word = put("opcode", self.bits_of("opcode"), row.opcode)?;
        for (name, &operand) in row.operands.iter().zip(operands) {
            word |= put(name, self.bits_of(name), operand)?;
        }
        Ok(word)
    }

    /// Its row, and its operands in the order of the text.
    pub fn decode(&self, word: u64) -> Result<(&Row, Vec<u64>), WordError> {
        let opcode = taken(self.bits_of("opcode"), word);
        let row = self.rows.iter().find(|row| row.opcode == opcode);
        let row = row.ok_or(WordError::Word(word))?;
        let operands = row.operands.iter();
        let operands: Vec<u64> = operands
            .map(|name| taken(self.bits_of(name), word))
            .collect();
        match self.encode(&row.mnemonic, &operands)? == word {
            true => Ok((row, operands)),
            false => Err(WordError::Word(word)),
        }
    }

    /// The second word: units, and how many of theirs must have ended.
    pub fn encode_waits(&self, waits: &[(u64, u64)]) -> Result<u64, WordError> {
        if waits.len() > self.waits.len() {
            return Err(WordError::Waits {
                given: waits.len(),
                most: self.waits.len(),
            });
        }
        let mut word = 0;
        for (place, &(unit, count)) in self.waits.iter().zip(waits) {
            word |= put("unit", place.unit, unit)? | put("count", place.count, count)?;
        }
        Ok(word)
    }

    /// What it waits for.
    pub fn decode_waits(&self, word: u64) -> Result<Vec<(u64, u64)>, WordError> {
        let places = self.waits.iter();
        let waits = places.map(|place| (taken(place.unit, word), taken(place.count, word)));
        let waits: Vec<(u64, u64)> = waits.take_while(|&(_, count)| count > 0).collect();
        match self.encode_waits(&waits)? == word {
            true => Ok(waits),
            false => Err(WordError::Word(word)),
        }
    }

    /// A line of text: a mnemonic, operands, what it waits for. `intt.first m0[0], m2[arg 1] after 8:1, 5:2`.
    pub fn read(&self, line: &str) -> Result<[u64; 2], WordError> {
        let (told, after) = line.split_once(" after ").unwrap_or((line, ""));
        let (mnemonic, rest) = told.trim().split_once(' ').unwrap_or((told.trim(), ""));
        let listed = |text: &str| -> Vec<String> {
            let parts = text.split(',').map(|part| part.trim().to_owned());
            parts.filter(|part| !part.is_empty()).collect()
        };
        let row = self.rows.iter().find(|row| row.mnemonic == mnemonic);
        let row = row.ok_or_else(|| WordError::Unknown(mnemonic.to_owned()))?;
        let names = row.operands.iter().zip(listed(rest));
        let operands = names.map(|(name, text)| match is_slot(name) {
            true => self.slot(&text),
            false => number(&text),
        });
        let mut operands: Vec<u64> = operands.collect::<Result<_, _>>()?;
        // Too many are refused with their number.
        operands.resize(listed(rest).len(), 0);
        let waits = listed(after).into_iter().map(|text| {
            let (unit, count) = text
                .split_once(':')
                .ok_or_else(|| WordError::Unknown(text.clone()))?;
            Ok((number(unit)?, number(count)?))
        });
        let waits: Vec<(u64, u64)> = waits.collect::<Result<_, WordError>>()?;
        Ok([
            self.encode(mnemonic, &operands)?,
            self.encode_waits(&waits)?,
        ])
    }

    /// Both words as a line of text.
    pub fn write(&self, [word, waits]: [u64; 2]) -> Result<String, WordError> {
        let (row, operands) = self.decode(word)?;
        let shown = row.operands.iter().zip(operands).map(|(name, operand)| {
            if !is_slot(name) {
                return Ok(operand.to_string());
            }
            let code = (operand & !FLAG) >> 8;
            let memory = self.memory.iter().find(|memory| memory.code == code);
            let memory = memory.ok_or(WordError::Word(word))?;
            let argument = if operand & FLAG == 0 { "" } else { "arg " };
            Ok(format!("{}[{argument}{}]", memory.name, operand & NUMBER))
        });
        let shown: Vec<String> = shown.collect::<Result<_, _>>()?;
        let waits = self.decode_waits(waits)?;
        let waits: Vec<String> = waits
            .iter()
            .map(|(unit, count)| format!("{unit}:{count}"))
            .collect();
        let mut line = row.mnemonic.clone();
        for (between, part) in [(" ", shown.join(", ")), (" after ", waits.join(", "))] {
            if !part.is_empty() {
                line = line + between + &part;
            }
        }
        Ok(line)
    }

    fn slot(&self, text: &str) -> Result<u64, WordError> {
        let unknown = || WordError::Unknown(text.to_owned());
        let (memory, inside) = text.split_once('[').ok_or_else(unknown)?;
        let inside = inside.strip_suffix(']').ok_or_else(unknown)?;
        let code = code_of(&self.memory, memory)?;
        let (flag, digits) = match inside.strip_prefix("arg ") {
            Some(rest) => (FLAG, rest),
            None => (0, inside),
        };
        let number = number(digits)?;
        match number <= NUMBER {
            true => Ok(flag | code << 8 | number),
            false => Err(WordError::TooLarge {
                name: text.to_owned(),
                given: number,
                most: NUMBER,
            }),
        }
    }

    /// The first word of a command of the list; fields that are not given are 0.
    pub fn encode_command(&self, name: &str, fields: &[(&str, u64)]) -> Result<u64, WordError> {
        let kind = code_of(&self.command, name)?;
        let mut given = fields.iter().copied().chain([("kind", kind)]);
        given.try_fold(0, |word, (name, value)| {
            let place = self.command_field.iter().find(|place| place.name == name);
            let place = place.ok_or_else(|| WordError::Unknown(name.to_owned()))?;
            Ok(word | put(name, place.bits, value)?)
        })
    }

    /// The number of a table.
    pub fn table(&self, name: &str) -> Result<u64, WordError> {
        code_of(&self.table, name)
    }

    fn bits_of(&self, operand: &str) -> [u32; 2] {
        let named = self.operands.iter().find(|named| named.name == operand);
        let field = named.map_or(operand, |named| &named.field);
        let place = self.fields.iter().find(|place| place.name == field);
        place.map_or([0, 0], |place| place.bits)
    }
}

/// Fields of slots have names of one letter.
fn is_slot(operand: &str) -> bool {
    operand.len() == 1
}

fn number(text: &str) -> Result<u64, WordError> {
    text.parse()
        .map_err(|_| WordError::Unknown(text.to_owned()))
}

fn code_of(codes: &[Code], name: &str) -> Result<u64, WordError> {
    let found = codes.iter().find(|code| code.name == name);
    let found = found.map(|code| code.code);
    found.ok_or_else(|| WordError::Unknown(name.to_owned()))
}

/// `bits` from high to low.
fn most([high, low]: [u32; 2]) -> u64 {
    u64::MAX >> (u64::BITS - 1 - (high - low))
}

fn put(name: &str, bits: [u32; 2], given: u64) -> Result<u64, WordError> {
    match given <= most(bits) {
        true => Ok(given << bits[1]),
        false => Err(WordError::TooLarge {
            name: name.to_owned(),
            given,
            most: most(bits),
        }),
    }
}

fn taken(bits: [u32; 2], word: u64) -> u64 {
    word >> bits[1] & most(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn medha() -> Microcode {
        Microcode::of(include_str!("../../../spec/medha/isa.toml"))
    }

    #[test]
    fn every_microinstruction_comes_back() {
        let microcode = medha();
        for (number, row) in microcode.rows.iter().enumerate() {
            let ends = [0, 1].map(|end| {
                let names = row.operands.iter();
                let end = |name: &String| end * most(microcode.bits_of(name));
                names.map(end).collect::<Vec<_>>()
            });
            for operands in ends {
                let word = microcode.encode(&row.mnemonic, &operands).expect("fits");
                assert_eq!(microcode.decode(word), Ok((row, operands)));
            }
            let others = &microcode.rows[..number];
            assert!(others
                .iter()
                .all(|other| other.opcode != row.opcode && other.mnemonic != row.mnemonic));
        }
        let waits = [(63, 1), (0, 32_767)];
        let word = microcode.encode_waits(&waits).expect("fits");
        assert_eq!(microcode.decode_waits(word), Ok(waits.to_vec()));
    }

    #[test]
    fn text_comes_back() {
        let microcode = medha();
        for line in [
            "stop",
            "wait after 63:32767, 4:1",
            "intt.first m0[0], m2[arg 1] after 8:1",
            "submulsadd l[31], v[arg 255], m1[2], m3[3], 2047 after 0:1, 1:2, 2:3",
            "load m2[1], 3, 2049",
        ] {
            let words = microcode.read(line).expect(line);
            assert_eq!(microcode.write(words).expect(line), line);
        }
        for (line, wrong) in [
            ("mul m0[0], m1[1]", "`mul` has 2 operands; it takes 3"),
            ("neg m0[0], m7[1]", "`m7` is nothing that the microcode has"),
            (
                "neg m0[0], m1[256]",
                "m1[256] = 256: its field holds up to 255",
            ),
            ("neg m0[0], m1", "`m1` is nothing that the microcode has"),
            ("stop after 1", "`1` is nothing that the microcode has"),
            (
                "stop after 1:1, 2:1, 3:1, 4:1",
                "4 counts to wait for; a microinstruction has 3",
            ),
        ] {
            assert_eq!(microcode.read(line).expect_err(line).to_string(), wrong);
        }
    }

    #[test]
    fn what_is_no_word_is_refused_by_name() {
        let microcode = medha();
        let said = |error: WordError| error.to_string();
        let error = microcode.encode("nop", &[]).expect_err("unknown");
        assert_eq!(said(error), "`nop` is nothing that the microcode has");
        let error = microcode.encode("neg", &[1]).expect_err("one operand");
        assert_eq!(said(error), "`neg` has 1 operands; it takes 2");
        let error = microcode.encode("muls", &[0, 0, 2048]).expect_err("large");
        assert_eq!(said(error), "constant = 2048: its field holds up to 2047");
        assert!(microcode.decode(31 << 59).is_err(), "no opcode");
        assert!(microcode.decode(1).is_err(), "`stop` has no operand");
        assert!(microcode.encode_waits(&[(0, 1); 4]).is_err());
        assert!(microcode.encode_command("halt", &[]).is_err());
        assert_eq!(
            microcode.encode_command("run", &[("address", 5)]),
            Ok(5 << 16 | 3)
        );
    }
}
