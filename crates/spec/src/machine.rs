//! A machine: a target with values for its parameters.

use crate::declaration;
use crate::description::Description;
use crate::document::Document;
use crate::error::SpecError;
use crate::shipped::{self, Shipped};
use std::ops::Deref;

/// A checked machine description; its values are read through [`Description`].
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    description: Description,
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
        doc.only_keys(&doc.root, &["name", "target", "title", "parameters"])?;
        let known = declaration::targets();
        let allowed = format!("the name of a target: {}", known.join(", "));
        let target = doc.text(&doc.root, "target", &allowed, |_| true)?;
        let schema = declaration::schema(&target).ok_or_else(|| SpecError::UnknownTarget {
            place: doc.place(&doc.root["target"]),
            nearest: crate::nearest::nearest(&target, known.iter().copied()).map(str::to_string),
            given: crate::document::one_line(&target),
            known: known.iter().map(|name| name.to_string()).collect(),
        })?;
        Ok(Self {
            description: Description::read(&doc, schema)?,
        })
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
