//! Named variants: a parameter of kind `choice` as an enum of the target that reads it.

use crate::declaration::schema;
use crate::description::Description;
use crate::error::SpecError;
use crate::kind::Kind;

/// What the names of a `choice` stand for. A name that is declared but has no variant is an error,
/// never the first or the last of them.
pub trait Choice: Copy + Sized + 'static {
    /// Every variant by its name in the declaration.
    const NAMED: &'static [(&'static str, Self)];

    /// Whether its names are exactly those that the target declares for the parameter: a declared name
    /// that nothing reads would be an error for the user alone.
    fn is_declared(target: &str, key: &str) -> bool {
        let known = Self::NAMED.iter().map(|(name, _)| (*name).to_owned());
        let known = Kind::Choice(known.collect());
        let declared = schema(target).and_then(|schema| schema.param(key));
        declared.is_some_and(|param| param.kind == known)
    }
}

impl Description {
    /// The variant that a declared choice names.
    pub fn choice<T: Choice>(&self, key: &str) -> Result<T, SpecError> {
        let given = self.text(key)?;
        let named = T::NAMED.iter().find(|(name, _)| *name == given);
        named
            .map(|&(_, variant)| variant)
            .ok_or_else(|| SpecError::NoVariant {
                name: self.name().to_owned(),
                key: key.to_owned(),
                given: given.to_owned(),
                known: T::NAMED
                    .iter()
                    .map(|(name, _)| (*name).to_owned())
                    .collect(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    /// Leaves one of the declared variants out.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Stalling;

    impl Choice for Stalling {
        const NAMED: &'static [(&'static str, Self)] = &[("stall", Stalling)];
    }

    #[test]
    fn a_name_without_variant_is_an_error_that_names_it() {
        let machine = |clash: &str| {
            let text = format!(
                "name = \"m\"\ntarget = \"rpu\"\ntitle = \"t\"\n[parameters]\n\
                 vrf_clash = {{ value = \"{clash}\", source = \"test\" }}\n"
            );
            Machine::parse("m.toml", &text).unwrap()
        };
        assert_eq!(machine("stall").choice("vrf_clash"), Ok(Stalling));
        let error = machine("error").choice::<Stalling>("vrf_clash");
        let said = error.unwrap_err().to_string();
        assert_eq!(
            said,
            "m: `vrf_clash` = \"error\" is declared but unknown to its target, which knows stall"
        );
    }
}
