//! What a machine is, apart from what it is called.

use crate::machine::Machine;
use std::fmt;

/// A number made of a target and the values of its parameters: the same for machines that differ in
/// name, title and sources alone, another for any other two. 128-bit FNV-1a, the same on every
/// computer; it tells machines apart and is no protection against who looks for collisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity(u128);

impl Identity {
    /// Of a text that says what it is about.
    pub fn of(text: &str) -> Self {
        const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let step = |hash: u128, &byte: &u8| (hash ^ u128::from(byte)).wrapping_mul(PRIME);
        Identity(text.as_bytes().iter().fold(BASIS, step))
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl Machine {
    /// Its identity, over the target and every parameter's value.
    pub fn identity(&self) -> Identity {
        let line = |(declared, value): (&crate::ParamDecl, &crate::Value)| {
            format!("{} = {}\n", declared.name, value.setting)
        };
        let values: String = self.values().map(line).collect();
        Identity::of(&format!("target {}\n{values}", self.target()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_function() {
        // The empty text and "foobar", from the function's reference vectors.
        assert_eq!(
            Identity::of("").to_string(),
            "6c62272e07bb014262b821756295c58d"
        );
        assert_eq!(
            Identity::of("foobar").to_string(),
            "343e1662793c64bf6f0d3597ba446f18"
        );
    }

    /// Every shipped machine under another name, with other sources, and with one value changed.
    #[test]
    fn names_and_sources_are_no_part_of_it_and_values_are() {
        for file in Machine::shipped() {
            let shipped = Machine::load(file.name).unwrap();
            let named = format!("name = \"{}\"", file.name);
            let text = file.text.replace(&named, "name = \"a-copy\"");
            let text = text.replace("source = \"", "source = \"a copy: ");
            let copy = Machine::parse("copy.toml", &text).unwrap();
            assert_ne!(copy.name(), shipped.name());
            assert_eq!(copy.identity(), shipped.identity());
            let names = shipped.values().map(|(declared, _)| &declared.name);
            let mut near =
                names.flat_map(|name| shipped.near(name).into_iter().map(move |v| (name, v)));
            let (name, value) = near.next().unwrap();
            let changed = [(name.clone(), value)].into();
            let changed = shipped.with("changed", &changed, "test", None).unwrap();
            assert_ne!(changed.identity(), shipped.identity());
        }
    }

    #[test]
    fn every_shipped_machine_has_its_own() {
        let all = Machine::shipped().iter().map(|shipped| {
            let machine = Machine::load(shipped.name).unwrap();
            machine.identity()
        });
        let mut all: Vec<Identity> = all.collect();
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
