//! The Target record, the independent checker, the conformance suite.
