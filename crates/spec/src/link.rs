//! A link: how fast bits travel between two machines, or between a host and its device.

use crate::declaration;
use crate::description::Description;
use crate::document::Document;
use crate::error::SpecError;
use crate::shipped::{self, Shipped};
use std::ops::Deref;

/// A checked link description.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    description: Description,
    bits_per_second: u64,
    latency_ns: u64,
    setup_ns: u64,
}

impl Link {
    /// The links that ship with the program.
    pub fn shipped() -> &'static [Shipped] {
        shipped::LINKS
    }

    /// Reads a link by name or path, as [`crate::Machine::load`] does.
    pub fn load(name_or_path: &str) -> Result<Self, SpecError> {
        let (file, text) = shipped::find_or_read("link", shipped::LINKS, name_or_path)?;
        Self::parse(&file, &text)
    }

    /// Checks the text of a link file; `file` is what errors call it.
    pub fn parse(file: &str, text: &str) -> Result<Self, SpecError> {
        let doc = Document::parse(file, text)?;
        doc.only_keys(&doc.root, &["name", "title", "parameters"])?;
        let description = Description::read(&doc, declaration::link_schema())?;
        // The declared ranges are not negative, so the casts keep the value.
        let bits_per_second = description.int("bits_per_second")? as u64;
        let latency_ns = description.int("latency_ns")? as u64;
        let setup_ns = description.int("setup_ns")? as u64;
        Ok(Self {
            description,
            bits_per_second,
            latency_ns,
            setup_ns,
        })
    }

    /// Rate, at least 1 bit/s.
    pub fn bits_per_second(&self) -> u64 {
        self.bits_per_second
    }

    /// Time from the last bit leaving to the receiver having it, in nanoseconds.
    pub fn latency_ns(&self) -> u64 {
        self.latency_ns
    }

    /// Time that every transfer takes before its first bit leaves, in nanoseconds.
    pub fn setup_ns(&self) -> u64 {
        self.setup_ns
    }

    pub(crate) fn into_description(self) -> Description {
        self.description
    }
}

impl Deref for Link {
    type Target = Description;

    fn deref(&self) -> &Description {
        &self.description
    }
}
