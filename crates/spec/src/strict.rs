//! The harshest reading of what a paper leaves open.
//!
//! A parameter whose value a paper does not print has a default, with the reason for it; where the
//! paper's words can be read more harshly than that, the declaration has this reading beside it,
//! with the words. A machine read strictly shows how much of a number is owed to the defaults.

use crate::declaration::Strict;
use crate::description::Value;
use crate::machine::Machine;
use crate::setting::Setting;

impl Machine {
    /// This machine with every parameter at the harshest reading of its paper; `None` where nothing
    /// would change. Values that are harsher already stay.
    pub fn read_strictly(&self) -> Option<Machine> {
        let mut strict = self.clone();
        let mut changed = false;
        for (declared, value) in self.values() {
            let Some(reading) = declared.strict.as_ref().filter(|s| harsher(s, value)) else {
                continue;
            };
            changed = true;
            let value = Value {
                setting: reading.value.clone(),
                source: reading.source.clone(),
                given: true,
            };
            strict.set(&declared.name, value);
        }
        strict.rename(&format!("{:.57}-strict", self.name()));
        changed.then_some(strict)
    }
}

fn harsher(reading: &Strict, value: &Value) -> bool {
    match (&reading.value, &value.setting) {
        (Setting::Int(reading), Setting::Int(value)) => reading > value,
        (Setting::Float(reading), Setting::Float(value)) => reading > value,
        (reading, value) => reading != value,
    }
}
