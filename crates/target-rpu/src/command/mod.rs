//! A command as it lies in off-chip memory: 32 bytes, as `spec/rpu/commands.toml` says.
//!
//! [`crate::lower::commands`] says what the device does in its own words; here is what its hardware
//! reads. A list of moves there is as many of these as it has stretches of words, all but the last
//! with `more`.

mod generate;
mod tables;

pub use generate::generated;
pub use tables::{tables, ErrorRow, Field, KindRow, Tables};

use crate::lower::commands::COMMAND_BYTES;
use thiserror::Error;

/// Bytes of a command, as an array's length.
pub const BYTES: usize = COMMAND_BYTES as usize;

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // spec/rpu/commands.toml says what each is
pub enum Kind {
    Run,
    LoadInstructions,
    LoadScalars,
    LoadVectors,
    StoreVectors,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Kind::Run,
        Kind::LoadInstructions,
        Kind::LoadScalars,
        Kind::LoadVectors,
        Kind::StoreVectors,
    ];

    /// Its name in `spec/rpu/commands.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Run => "run",
            Kind::LoadInstructions => "load_instructions",
            Kind::LoadScalars => "load_scalars",
            Kind::LoadVectors => "load_vectors",
            Kind::StoreVectors => "store_vectors",
        }
    }

    fn row(self) -> &'static KindRow {
        let row = tables().kinds.iter().find(|row| row.name == self.name());
        row.unwrap_or_else(|| unreachable!("{} stands in spec/rpu/commands.toml", self.name()))
    }
}

/// A command; a field that its kind does not have is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // spec/rpu/commands.toml says what each is
pub struct Command {
    pub kind: Kind,
    pub barrier: bool,
    pub more: bool,
    pub narrow: bool,
    pub after: u32,
    pub address: u64,
    pub place: u32,
    pub count: u32,
}

/// Why something is no command.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CommandError {
    /// The code stands for nothing.
    #[error("kind {given}: commands have kinds 1 to {last}")]
    Kind {
        /// The code.
        given: u64,
        /// The last that there is.
        last: u64,
    },
    /// Bits that the kind leaves 0.
    #[error("bit {bit} is set in a {kind}, which does not have it")]
    Reserved {
        /// The kind.
        kind: &'static str,
        /// The lowest such bit.
        bit: u32,
    },
    /// A number that its field does not hold, or that the kind has no field for.
    #[error("{field} = {given} in a {kind}: allowed is up to {most}")]
    Field {
        /// The kind.
        kind: &'static str,
        /// The field.
        field: &'static str,
        /// The number.
        given: u64,
        /// The largest that fits.
        most: u64,
    },
}

impl Command {
    /// A command of this kind with zeros.
    pub fn new(kind: Kind) -> Self {
        Command {
            kind,
            barrier: false,
            more: false,
            narrow: false,
            after: 0,
            address: 0,
            place: 0,
            count: 0,
        }
    }

    fn fields(&self) -> [(&'static str, u64); 7] {
        [
            ("barrier", self.barrier.into()),
            ("more", self.more.into()),
            ("narrow", self.narrow.into()),
            ("after", self.after.into()),
            ("address", self.address),
            ("place", self.place.into()),
            ("count", self.count.into()),
        ]
    }

    /// Its bytes; an error where a number does not fit.
    pub fn encode(&self) -> Result<[u8; BYTES], CommandError> {
        let row = self.kind.row();
        let mut bytes = [0; BYTES];
        tables().field("kind").put(&mut bytes, row.code);
        for (name, given) in self.fields() {
            let field = tables().field(name);
            let has = row.fields.iter().any(|each| each == name);
            let most = if has { field.most() } else { 0 };
            if given > most {
                return Err(CommandError::Field {
                    kind: self.kind.name(),
                    field: name,
                    given,
                    most,
                });
            }
            field.put(&mut bytes, given);
        }
        Ok(bytes)
    }

    /// The command of these bytes.
    pub fn decode(bytes: &[u8; BYTES]) -> Result<Self, CommandError> {
        let get = |name| tables().field(name).get(bytes);
        let code = get("kind");
        let kind = Kind::ALL.into_iter().find(|kind| kind.row().code == code);
        let last = Kind::ALL.map(|kind| kind.row().code).into_iter().max();
        let kind = kind.ok_or(CommandError::Kind {
            given: code,
            last: last.unwrap_or(0),
        })?;
        let set = |bit: &u32| bytes[*bit as usize / 8] >> (bit % 8) & 1 == 1;
        let mut bits = (0..8 * BYTES as u32).filter(set);
        if let Some(bit) = bits.find(|&bit| !kind.row().has(bit)) {
            let kind = kind.name();
            return Err(CommandError::Reserved { kind, bit });
        }
        // The widths of the fields are those of the types.
        Ok(Command {
            kind,
            barrier: get("barrier") == 1,
            more: get("more") == 1,
            narrow: get("narrow") == 1,
            after: get("after") as u32,
            address: get("address"),
            place: get("place") as u32,
            count: get("count") as u32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn command() -> impl Strategy<Value = Command> {
        let flags = any::<(bool, bool, bool)>();
        let numbers = (any::<u32>(), any::<u64>(), any::<u32>(), any::<u32>());
        (0..Kind::ALL.len(), flags, numbers).prop_map(|(kind, flags, numbers)| {
            let kind = Kind::ALL[kind];
            let has = |name: &str| kind.row().fields.iter().any(|field| field == name);
            Command {
                kind,
                barrier: flags.0,
                more: flags.1 && has("more"),
                narrow: flags.2 && has("narrow"),
                after: numbers.0,
                address: if has("address") { numbers.1 >> 24 } else { 0 },
                place: numbers.2,
                count: numbers.3,
            }
        })
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(command in command()) {
            let bytes = command.encode().unwrap();
            prop_assert_eq!(Command::decode(&bytes).unwrap(), command);
        }

        /// A flipped bit is another command or none.
        #[test]
        fn every_bit_counts(command in command(), bit in 0..8 * BYTES) {
            let mut bytes = command.encode().unwrap();
            bytes[bit / 8] ^= 1 << (bit % 8);
            if let Ok(other) = Command::decode(&bytes) {
                prop_assert_ne!(other, command);
                prop_assert_eq!(other.encode().unwrap(), bytes);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let load = Command {
            address: 1 << 40,
            ..Command::new(Kind::LoadVectors)
        };
        let error = load.encode().unwrap_err().to_string();
        assert_eq!(
            error,
            "address = 1099511627776 in a load_vectors: allowed is up to 1099511627775"
        );
        let run = Command {
            narrow: true,
            ..Command::new(Kind::Run)
        };
        let error = run.encode().unwrap_err().to_string();
        assert_eq!(error, "narrow = 1 in a run: allowed is up to 0");
        let error = Command::decode(&[0; BYTES]).unwrap_err().to_string();
        assert_eq!(error, "kind 0: commands have kinds 1 to 5");
    }
}
