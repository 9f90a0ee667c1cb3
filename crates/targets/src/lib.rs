//! The list of targets, nothing else.
