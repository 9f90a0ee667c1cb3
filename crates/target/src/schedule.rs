//! Where the order of a compiled transform's instructions comes from.
//!
//! A machine is *tuned* for a transform where a search has found how to order it: for machines with
//! these parameters in a file that ships, or at the user's in a cache. Else the compiler takes what
//! it finds quickly, and every report says so.

use crate::{TargetError, TransformError};
use ringwright_spec::{Identity, Machine, Schedules};

/// Who found the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A search whose result ships.
    Shipped,
    /// A search of the user's, kept in this file.
    Cache(String),
    /// Nobody: no search was made for these parameters.
    Untuned,
}

impl Origin {
    /// `tuned` or `untuned`.
    pub fn name(&self) -> &'static str {
        match self {
            Origin::Shipped | Origin::Cache(_) => "tuned",
            Origin::Untuned => "untuned",
        }
    }

    /// `shipped`, `cache`, or nothing.
    pub fn source(&self) -> Option<&'static str> {
        match self {
            Origin::Shipped => Some("shipped"),
            Origin::Cache(_) => Some("cache"),
            Origin::Untuned => None,
        }
    }
}

/// The schedule of one transform on one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransformSchedule {
    /// Ring degree.
    pub n: usize,
    /// Whether it goes from evaluations to coefficients.
    pub inverse: bool,
    /// Who found it.
    pub origin: Origin,
    /// What a cache says of it and does not hold: the file, the entry and why it is not used.
    pub refused: Option<String>,
}

/// A search of this target for better orders.
#[derive(Clone, Copy, Debug)]
pub struct ScheduleSearch {
    /// Names the parameters that a schedule depends on: machines with one name share schedules.
    pub identity: fn(&Machine) -> Result<Identity, TargetError>,
    /// The same of the machines that a text is for, if it can be read.
    pub read: fn(&Schedules) -> Result<Identity, TargetError>,
    /// Tries this many orders for each of the sought transforms of degree 2^`log_n`, the same ones
    /// every time. Starts from what is known.
    pub search: fn(
        &Machine,
        log_n: u32,
        tries: u32,
        sought: &[Sought],
    ) -> Result<FoundSchedules, TransformError>,
}

/// A transform that is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sought {
    /// From evaluations to coefficients.
    pub inverse: bool,
    /// Its words keep their order, so that other operations on towers can follow.
    pub in_order: bool,
}

impl Sought {
    /// Forward and inverse, in the order of words that suits each best, and in order.
    pub const ALL: [Sought; 4] = [
        Sought::new(false, false),
        Sought::new(false, true),
        Sought::new(true, false),
        Sought::new(true, true),
    ];

    /// One of them.
    pub const fn new(inverse: bool, in_order: bool) -> Self {
        Sought { inverse, in_order }
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSchedules {
    /// Everything known of machines with these parameters beyond what ships, for
    /// [`Machine::with_schedules`].
    pub text: String,
    /// Each transform that was searched for.
    pub found: Vec<FoundSchedule>,
}

/// What a search found for one transform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSchedule {
    /// Whether it goes from evaluations to coefficients.
    pub inverse: bool,
    /// Whether words keep their order, so that other operations on towers can follow.
    pub in_order: bool,
    /// Cycles of what was known; `None` where nothing was.
    pub before: Option<u64>,
    /// Cycles of what is known now.
    pub cycles: u64,
}
