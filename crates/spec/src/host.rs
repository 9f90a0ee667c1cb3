//! A host: how many cycles a processor spends on each operation that an accelerator leaves to it.
//!
//! ```toml
//! [parameters]
//! clock_fs = { value = 1_000_000, source = "1 GHz, data sheet page 3" }
//!
//! [cycles.butterfly]
//! value = 38.9
//! provenance = "rtl"
//! source = "counted over a 1024-point transform"
//! ```
//!
//! The operations are declared in `spec/host/operations.toml`. Unlike a parameter, an operation may
//! be absent: its cost on this host is then not known, and [`Host::missing`] names it. `low` and
//! `high`, given together, say between which values the truth lies where a fit cannot tell.

use crate::declaration::{self, ParamDecl, Schema};
use crate::description::{self, Description};
use crate::document::Document;
use crate::error::SpecError;
use crate::provenance::Provenance;
use crate::setting::Setting;
use crate::shipped::{self, Shipped};
use std::collections::BTreeMap;
use std::ops::Deref;
use toml::de::{DeTable, DeValue};

/// What one operation costs on one host.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationCost {
    /// Cycles of the host's clock.
    pub cycles: f64,
    /// The least and the most it may be, where `cycles` is one choice among equals.
    pub range: Option<(f64, f64)>,
    /// How they were obtained.
    pub provenance: Provenance,
    /// Never empty.
    pub source: String,
}

/// A checked host description.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    description: Description,
    clock_fs: u64,
    core: Option<String>,
    operations: BTreeMap<String, OperationCost>,
}

impl Host {
    /// The hosts that ship with the program.
    pub fn shipped() -> &'static [Shipped] {
        shipped::HOSTS
    }

    /// Reads a host by name or path, as [`crate::Machine::load`] does.
    pub fn load(name_or_path: &str) -> Result<Self, SpecError> {
        let (file, text) = shipped::find_or_read("host", shipped::HOSTS, name_or_path)?;
        Self::parse(&file, &text)
    }

    /// Checks the text of a host file; `file` is what errors call it.
    pub fn parse(file: &str, text: &str) -> Result<Self, SpecError> {
        let doc = Document::parse(file, text)?;
        doc.only_keys(&doc.root, &["name", "title", "parameters", "cycles"])?;
        let description = Description::read(&doc, declaration::host_schema())?;
        // The declared range is positive, so the cast keeps the value.
        let clock_fs = description.int("clock_fs")? as u64;
        let core = description.text("core")?;
        Ok(Self {
            core: (core != "none").then(|| core.to_owned()),
            description,
            clock_fs,
            operations: operations(&doc)?,
        })
    }

    /// Every operation that a host may be asked for.
    pub fn declared() -> &'static Schema {
        declaration::host_operations()
    }

    /// Period of the clock, at least 1 fs.
    pub fn clock_fs(&self) -> u64 {
        self.clock_fs
    }

    /// The mapped core whose area and energy it has, if that is known.
    pub fn core(&self) -> Option<&str> {
        self.core.as_deref()
    }

    /// The cost of one operation; `None` where it is not known, or no operation.
    pub fn operation(&self, name: &str) -> Option<&OperationCost> {
        self.operations.get(name)
    }

    /// The known operations with their costs, in the order of declaration.
    pub fn operations(&self) -> impl Iterator<Item = (&'static ParamDecl, &OperationCost)> {
        Self::declared()
            .params()
            .iter()
            .filter_map(|declared| Some((declared, self.operations.get(&declared.name)?)))
    }

    /// The declared operations whose cost is not known, in the order of declaration.
    pub fn missing(&self) -> impl Iterator<Item = &'static ParamDecl> + '_ {
        let declared = Self::declared().params().iter();
        declared.filter(|declared| !self.operations.contains_key(&declared.name))
    }

    pub(crate) fn into_description(self) -> Description {
        self.description
    }
}

impl Deref for Host {
    type Target = Description;

    fn deref(&self) -> &Description {
        &self.description
    }
}

fn operations(doc: &Document<'_>) -> Result<BTreeMap<String, OperationCost>, SpecError> {
    let wanted = "a table with a table for each operation";
    let given = match doc.require(&doc.root, "cycles", wanted)?.get_ref() {
        DeValue::Table(table) => table,
        _ => return Err(doc.not_allowed("cycles", &doc.root["cycles"], wanted)),
    };
    let declared = Host::declared().params();
    let known: Vec<&str> = declared.iter().map(|d| d.name.as_str()).collect();
    doc.only_keys(given, &known)?;
    declared
        .iter()
        .filter(|declared| given.contains_key(declared.name.as_str()))
        .map(|declared| Ok((declared.name.clone(), operation(doc, given, declared)?)))
        .collect()
}

fn operation(
    doc: &Document<'_>,
    given: &DeTable<'_>,
    declared: &ParamDecl,
) -> Result<OperationCost, SpecError> {
    let entry = &given[declared.name.as_str()];
    let DeValue::Table(table) = entry.get_ref() else {
        let wanted = "a table with value, provenance and source";
        return Err(doc.not_allowed(&declared.name, entry, wanted));
    };
    doc.only_keys(table, &["value", "low", "high", "provenance", "source"])?;
    let path = |key: &str| format!("cycles.{}.{key}", declared.name);
    let cycles = number(doc, table, "value", declared, &declared.allowed())?;
    let range = match (table.contains_key("low"), table.contains_key("high")) {
        (false, false) => None,
        _ => {
            let bound = |key| number(doc, table, key, declared, "given together: low and high");
            Some((bound("low")?, bound("high")?))
        }
    };
    if let Some((low, high)) = range.filter(|(low, high)| !(*low..=*high).contains(&cycles)) {
        let allowed = format!("a number from low = {low:?} to high = {high:?}");
        return Err(doc.not_allowed(&path("value"), &table["value"], &allowed));
    }
    let provenance = doc
        .provenance(table, "provenance")
        .map_err(|error| at(error, &path("provenance")))?;
    let source = doc
        .text(
            table,
            "source",
            description::TEXT_ALLOWED,
            description::is_text,
        )
        .map_err(|error| at(error, &path("source")))?;
    Ok(OperationCost {
        cycles,
        range,
        provenance,
        source,
    })
}

fn number(
    doc: &Document<'_>,
    table: &DeTable<'_>,
    key: &str,
    declared: &ParamDecl,
    missing: &str,
) -> Result<f64, SpecError> {
    let path = format!("cycles.{}.{key}", declared.name);
    let value = doc
        .require(table, key, missing)
        .map_err(|error| at(error, &path))?;
    match description::setting(value.get_ref(), declared) {
        Some(Setting::Float(number)) => Ok(number),
        _ => Err(doc.not_allowed(&path, value, &declared.allowed())),
    }
}

/// Names the full path of a key in an error about its last part.
fn at(error: SpecError, path: &str) -> SpecError {
    let key = path.to_string();
    match error {
        SpecError::Missing { file, allowed, .. } => SpecError::Missing { file, key, allowed },
        SpecError::NotAllowed {
            place,
            given,
            allowed,
            ..
        } => SpecError::NotAllowed {
            place,
            key,
            given,
            allowed,
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(cycles: &str) -> Result<Host, String> {
        let text = format!(
            "name = \"h\"\ntitle = \"t\"\n[parameters]\n\
             clock_fs = {{ value = 500_000, source = \"test\" }}\n[cycles]\n{cycles}"
        );
        Host::parse("h.toml", &text).map_err(|error| error.to_string())
    }

    fn butterfly(fields: &str) -> Result<Host, String> {
        host(&format!("butterfly = {{ {fields} }}\n"))
    }

    #[test]
    fn what_is_given_is_known_and_the_rest_is_missing() {
        let sourced = "provenance = \"rtl\", source = \"test\"";
        let host = butterfly(&format!("value = 38.9, low = 30, high = 40.0, {sourced}")).unwrap();
        assert_eq!(host.clock_fs(), 500_000);
        let cost = host.operation("butterfly").unwrap();
        assert_eq!(cost.range, Some((30.0, 40.0)));
        assert!(host.operation("interrupt").is_none());
        assert!(host.missing().any(|declared| declared.name == "interrupt"));
        assert_eq!(
            host.missing().count() + host.operations().count(),
            Host::declared().params().len()
        );
    }

    #[test]
    fn refusals_name_the_key_and_what_is_allowed() {
        let refused = |fields: &str, parts: &[&str]| {
            let message = butterfly(fields).unwrap_err();
            assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        };
        let sourced = "provenance = \"rtl\", source = \"test\"";
        refused(sourced, &["cycles.butterfly.value"]);
        refused("value = -1.0", &["cycles.butterfly.value", "0.0..="]);
        refused("value = 1.0", &["cycles.butterfly.provenance", "measured"]);
        refused(
            "value = 1.0, provenance = \"rtl\"",
            &["cycles.butterfly.source"],
        );
        refused(
            "value = 1.0, provenance = \"guessed\", source = \"s\"",
            &["guessed", "one of measured, rtl"],
        );
        refused(
            &format!("value = 5.0, low = 6.0, high = 7.0, {sourced}"),
            &["cycles.butterfly.value", "5.0", "low = 6.0"],
        );
        refused(
            &format!("value = 5.0, low = 4.0, {sourced}"),
            &["cycles.butterfly.high", "together"],
        );
        refused("valu = 1.0", &["valu", "did you mean `value`"]);
        let message = host("buterfly = { value = 1.0 }\n").unwrap_err();
        assert!(message.contains("did you mean `butterfly`"), "{message}");
    }
}
