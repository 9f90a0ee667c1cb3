//! The CPU at hand as a target.
