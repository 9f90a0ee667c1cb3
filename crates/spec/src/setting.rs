//! One value of one parameter.

use serde::Deserialize;
use std::fmt;

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// A whole number.
    Int(i64),
    /// A finite real number.
    Float(f64),
    /// Free text, or the name chosen from a list.
    Text(String),
    /// Yes or no.
    Bool(bool),
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Int(x) => write!(f, "{x}"),
            Setting::Float(x) => write!(f, "{x:?}"),
            Setting::Text(x) => write!(f, "{x:?}"),
            Setting::Bool(x) => write!(f, "{x}"),
        }
    }
}
