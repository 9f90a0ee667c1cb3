//! Machines as text, and machines that differ from another one in some values.

use crate::declaration::ParamDecl;
use crate::error::SpecError;
use crate::machine::{Machine, CLOCK_PROVENANCE};
use crate::provenance::Provenance;
use crate::setting::Setting;
use std::collections::BTreeMap;
use std::fmt::Write as _;

impl Machine {
    /// The file that describes it: [`Machine::parse`] reads the same machine, schedules aside.
    pub fn to_toml(&self) -> String {
        self.written(self.name(), self.clock_word(), self.given())
    }

    /// The same machine under another name and with other values, each from `source`, checked as
    /// those of a file are. A value may be under its parameter's second key, with a unit.
    /// `clock_provenance`: whose the clock is, where that changes; `None` for nobody's.
    ///
    /// # Errors
    /// A key that is not declared, a value outside its range, a name that no file may have.
    pub fn with(
        &self,
        name: &str,
        values: &BTreeMap<String, Setting>,
        source: &str,
        clock_provenance: Option<&str>,
    ) -> Result<Self, SpecError> {
        let changed = |declared: &ParamDecl| declared.keys().any(|key| values.contains_key(key));
        let kept = self.given().filter(|(key, ..)| {
            let declared = self.schema().param(key);
            !declared.is_some_and(changed)
        });
        let other = values.iter();
        let other = other.map(|(key, setting)| (key.as_str(), setting, source));
        let clock = self.schema().param("clock_fs");
        let clock_provenance = match clock.is_some_and(changed) {
            true => clock_provenance,
            false => self.clock_word(),
        };
        let text = self.written(name, clock_provenance, kept.chain(other));
        Self::parse(&format!("{} with other values", self.name()), &text)
    }

    fn clock_word(&self) -> Option<&'static str> {
        self.clock_provenance().map(Provenance::as_str)
    }

    /// Key, value and source of what was given.
    fn given(&self) -> impl Iterator<Item = Line<'_>> {
        let given = self.values().filter(|(_, value)| value.given);
        given.map(|(declared, value)| (&*declared.name, &value.setting, &*value.source))
    }

    fn written<'a>(
        &self,
        name: &str,
        clock_provenance: Option<&str>,
        parameters: impl Iterator<Item = Line<'a>>,
    ) -> String {
        let mut text = format!(
            "name = {}\ntarget = {}\ntitle = {}\n",
            quoted(name),
            quoted(self.target()),
            quoted(self.title())
        );
        let whose =
            clock_provenance.map(|whose| format!("{CLOCK_PROVENANCE} = {}\n", quoted(whose)));
        text += whose.as_deref().unwrap_or_default();
        text += "\n[parameters]\n";
        for (key, setting, source) in parameters {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let key = match key.chars().all(plain) {
                true => key.to_owned(),
                false => quoted(key),
            };
            let source = quoted(source);
            let value = match setting {
                Setting::Text(text) => quoted(text),
                plain => plain.to_string(),
            };
            // Writing to a string does not fail.
            let _ = writeln!(text, "{key} = {{ value = {value}, source = {source} }}");
        }
        text
    }
}

/// A line under `[parameters]`: key, value, source.
type Line<'a> = (&'a str, &'a Setting, &'a str);

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_machine_is_read_back_from_its_text() {
        for shipped in Machine::shipped() {
            let machine = Machine::load(shipped.name).unwrap();
            assert_eq!(Machine::parse("copy", &machine.to_toml()).unwrap(), machine);
            if let Some(strict) = machine.read_strictly() {
                assert_eq!(Machine::parse("copy", &strict.to_toml()).unwrap(), strict);
            }
        }
    }
}
