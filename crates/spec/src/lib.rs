//! Declared parameters: name, unit, range, domain, default, source; reads and checks machine descriptions.
//!
//! A parameter has one owner. `spec/<target>/params.toml` **declares** it ([`Schema`],
//! [`ParamDecl`]); `machines/*.toml` and a user's own file **give values** ([`Machine`]), each with
//! its source beside it; this crate **checks** one against the other. Links between machines are
//! described the same way ([`Link`], `spec/link/params.toml`, `machines/links/*.toml`), and so are
//! the processors beside accelerators, operation by operation ([`Host`], `spec/host/`,
//! `machines/hosts/*.toml`). A [`System`] names machines, links and hosts and says who does what
//! (`systems/*.toml`).
//!
//! A value may be written with a unit, `"1.68 GHz"` for a period in femtoseconds, where its
//! declaration says so ([`Quantity`], `spec/units.toml`); it is read exactly.
//!
//! What it refuses: a key that is not declared (it names the nearest one that is), a value without
//! a source, a value outside its range or its domain (powers of two, multiples, divisors) or of the
//! wrong type, a target that is not declared. Nothing is ever replaced by 0: a parameter without
//! default must be given. Every error is one line that says file, line, key, what was given and what
//! is allowed.
//!
//! The declarations and descriptions of the project are embedded, so a wheel carries them.
//!
//! Registers of devices are of this kind too, [`Registers`], and words of a microcode, [`Microcode`]: each
//! target has its own file of them.

mod choice;
mod declaration;
mod description;
mod document;
mod error;
mod host;
mod identity;
mod kind;
mod link;
mod machine;
mod microcode;
mod near;
mod nearest;
mod one_line;
mod provenance;
mod published;
mod quantity;
mod registers;
mod setting;
mod shipped;
mod strict;
mod system;
mod units;
mod variant;

pub use choice::Choice;
pub use declaration::{schema, targets, ParamDecl, Schema, Strict};
pub use description::{Description, Value};
pub use error::SpecError;
pub use host::{Host, OperationCost};
pub use identity::Identity;
pub use kind::{Domain, Kind};
pub use link::Link;
pub use machine::{Machine, Schedules};
pub use microcode::{Microcode, Row, WordError};
pub use provenance::{Provenance, UnknownProvenance};
pub use published::PublishedCost;
pub use quantity::{Measure, Of, Quantity, QuantityError};
pub use registers::{Access, Field, NamedValue, Register, Registers, Window};
pub use setting::Setting;
pub use shipped::Shipped;
pub use system::{Device, System};

/// Reads `bytes` as a machine, a link and a host; the body shared by the fuzz target and the smoke test.
///
/// Panics when a description was accepted that breaks what [`Description`] promises, or when an
/// error is not one readable line. That is the only way this function ends badly.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    assert_sound(Machine::parse("fuzz.toml", text).map(Machine::into_description));
    assert_sound(Link::parse("fuzz.toml", text).map(Link::into_description));
    assert_sound(Host::parse("fuzz.toml", text).map(Host::into_description));
}

fn assert_sound(read: Result<Description, SpecError>) {
    match read {
        Ok(description) => {
            for declared in description.schema().params() {
                let value = description
                    .value(&declared.name)
                    .expect("every declared key has a value");
                assert!(
                    declared.kind.allows(&value.setting),
                    "{} out of range",
                    declared.name
                );
                assert!(!value.source.is_empty(), "{} without source", declared.name);
            }
        }
        Err(error) => {
            let message = error.to_string();
            assert!(
                !message.is_empty() && !message.contains(char::is_control),
                "{message:?}"
            );
        }
    }
}
