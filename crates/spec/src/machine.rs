//! A machine: a target with values for its parameters.

use crate::declaration;
use crate::description::{Description, Value};
use crate::document::Document;
use crate::error::SpecError;
use crate::one_line::one_line;
use crate::provenance::Provenance;
use crate::shipped::{self, Shipped};
use std::ops::Deref;

/// What every machine file has beside parameters.
const KEYS: [&str; 4] = ["name", "target", "title", "parameters"];
/// Beside `clock_fs`: where that comes from.
pub(crate) const CLOCK_PROVENANCE: &str = "clock_provenance";

/// A checked machine description; its values are read through [`Description`].
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    description: Description,
    schedules: Vec<Schedules>,
    clock_provenance: Option<Provenance>,
}

/// What a search found for machines with certain parameters, as their target wrote it down. Where it
/// stands is no part of it.
#[derive(Clone, Debug)]
pub struct Schedules {
    /// Where it stands, for messages.
    pub file: String,
    /// The text, which the target reads.
    pub text: String,
}

impl PartialEq for Schedules {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Machine {
    /// The machines that ship with the program.
    pub fn shipped() -> &'static [Shipped] {
        shipped::MACHINES
    }

    /// Reads a machine by the name of a shipped one, or by the path of a `.toml` file (anything
    /// that ends in `.toml` or contains a path separator is a path).
    pub fn load(name_or_path: &str) -> Result<Self, SpecError> {
        let (file, text) = shipped::find_or_read("machine", shipped::MACHINES, name_or_path)?;
        Self::parse(&file, &text)
    }

    /// Checks the text of a machine file; `file` is what errors call it.
    pub fn parse(file: &str, text: &str) -> Result<Self, SpecError> {
        let doc = Document::parse(file, text)?;
        doc.only_keys(&doc.root, &[&KEYS[..], &[CLOCK_PROVENANCE]].concat())?;
        let known = declaration::targets();
        let allowed = format!("the name of a target: {}", known.join(", "));
        let target = doc.text(&doc.root, "target", &allowed, |_| true)?;
        let schema = declaration::schema(&target).ok_or_else(|| SpecError::UnknownTarget {
            place: doc.place(&doc.root["target"]),
            nearest: crate::nearest::nearest(&target, known.iter().copied()).map(str::to_string),
            given: one_line(&target),
            known: known.iter().map(|name| name.to_string()).collect(),
        })?;
        let clock_provenance = match schema.params().iter().any(|p| p.name == "clock_fs") {
            true => doc.optional_provenance(&doc.root, CLOCK_PROVENANCE)?,
            false => doc.only_keys(&doc.root, &KEYS).map(|()| None)?,
        };
        Ok(Self {
            description: Description::read(&doc, schema)?,
            schedules: Vec::new(),
            clock_provenance,
        })
    }

    /// Whose its clock is, as the file says. `None` where it does not say, or where the target has no
    /// clock of its own.
    pub fn clock_provenance(&self) -> Option<Provenance> {
        self.clock_provenance
    }

    /// The same machine with schedules that were found for it, or for it read strictly; they are no
    /// part of what it is.
    pub fn with_schedules(mut self, schedules: Schedules) -> Self {
        self.schedules.push(schedules);
        self
    }

    /// What it was given.
    pub fn schedules(&self) -> &[Schedules] {
        &self.schedules
    }

    pub(crate) fn set(&mut self, key: &str, value: Value) {
        self.description.set(key, value);
    }

    pub(crate) fn rename(&mut self, name: &str) {
        self.description.rename(name);
    }

    /// The target that it is a machine of.
    pub fn target(&self) -> &'static str {
        self.description.schema().name()
    }

    pub(crate) fn into_description(self) -> Description {
        self.description
    }
}

impl Deref for Machine {
    type Target = Description;

    fn deref(&self) -> &Description {
        &self.description
    }
}
