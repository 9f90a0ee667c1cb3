//! Which part of a run.

use std::fmt;

/// The setup or one of the jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum JobId {
    /// What is done once, before the first job.
    Setup,
    /// A job, from 0.
    Job(usize),
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JobId::Setup => f.write_str("setup"),
            JobId::Job(number) => write!(f, "{number}"),
        }
    }
}
