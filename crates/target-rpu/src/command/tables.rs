//! `spec/rpu/commands.toml` as data.

use serde::Deserialize;
use std::sync::LazyLock;

/// All of it.
#[derive(Debug, Deserialize)]
pub struct Tables {
    /// Bytes of a command.
    pub bytes: usize,
    /// What the address of a list is a multiple of.
    pub list_alignment: u64,
    /// Stretches of bits.
    #[serde(rename = "field")]
    pub fields: Vec<Field>,
    /// Kinds of commands.
    #[serde(rename = "kind")]
    pub kinds: Vec<KindRow>,
    /// What the error register says.
    #[serde(rename = "error")]
    pub errors: Vec<ErrorRow>,
}

/// A stretch of bits.
#[derive(Debug, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The highest and the lowest.
    pub bits: [u32; 2],
    /// What it holds.
    pub summary: String,
}

/// A kind of commands.
#[derive(Debug, Deserialize)]
pub struct KindRow {
    /// Its name.
    pub name: String,
    /// What stands in the field `kind`.
    pub code: u64,
    /// The other fields that it has.
    pub fields: Vec<String>,
    /// What it does.
    pub summary: String,
}

/// What the error register may say.
#[derive(Debug, Deserialize)]
pub struct ErrorRow {
    /// Its name.
    pub name: String,
    /// What stands in the register.
    pub code: u64,
    /// What has happened.
    pub summary: String,
}

/// The tables of the list of commands.
pub fn tables() -> &'static Tables {
    &TABLES
}

// Part of the program, not input: the tests below read it.
static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let text = include_str!("../../../../spec/rpu/commands.toml");
    toml::from_str(text).unwrap_or_else(|e| panic!("spec/rpu/commands.toml: {e}"))
});

impl Tables {
    /// A field that there is.
    pub fn field(&self, name: &str) -> &Field {
        let field = self.fields.iter().find(|field| field.name == name);
        field.unwrap_or_else(|| unreachable!("{name} stands in spec/rpu/commands.toml"))
    }
}

impl Field {
    /// The largest number that it holds.
    pub fn most(&self) -> u64 {
        u64::MAX >> (63 - (self.bits[0] - self.bits[1]))
    }

    /// Its number in a command.
    pub fn get(&self, bytes: &[u8]) -> u64 {
        let [high, low] = self.bits;
        (low..=high).rev().fold(0, |number, bit| {
            number << 1 | u64::from(bytes[bit as usize / 8] >> (bit % 8) & 1)
        })
    }

    /// Puts a number in its place, which was 0.
    pub fn put(&self, bytes: &mut [u8], number: u64) {
        let [high, low] = self.bits;
        for bit in low..=high {
            let one = (number >> (bit - low) & 1) as u8;
            bytes[bit as usize / 8] |= one << (bit % 8);
        }
    }
}

impl KindRow {
    /// Whether a command of this kind has a bit.
    pub fn has(&self, bit: u32) -> bool {
        let fields = self.fields.iter().map(|name| tables().field(name));
        let mut fields = fields.chain([tables().field("kind")]);
        fields.any(|field| (field.bits[1]..=field.bits[0]).contains(&bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Kind, BYTES};

    #[test]
    fn fields_lie_apart_in_the_bytes() {
        assert_eq!(tables().bytes, BYTES);
        let mut rest: Vec<[u32; 2]> = tables().fields.iter().map(|field| field.bits).collect();
        rest.sort_unstable();
        assert!(rest
            .iter()
            .all(|[high, low]| low <= high && high - low < 64));
        assert!(rest.windows(2).all(|pair| pair[0][0] < pair[1][1]));
        assert!(rest.iter().all(|&[high, _]| (high as usize) < 8 * BYTES));
    }

    #[test]
    fn kinds_and_errors_count_and_an_empty_memory_is_no_command() {
        let kinds = tables().kinds.iter().map(|row| row.code);
        assert!(kinds.eq(1..=Kind::ALL.len() as u64));
        let names: Vec<&str> = tables().kinds.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, Kind::ALL.map(Kind::name));
        let errors = tables().errors.iter().map(|row| row.code);
        assert!(errors.eq(0..tables().errors.len() as u64));
        assert!(tables().errors.len() <= 16);
    }
}
