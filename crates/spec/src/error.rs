//! What can be wrong with a description; every message is one line.

/// Why a description could not be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpecError {
    /// Neither the name of a shipped description nor a path.
    #[error("no {what} is called {given:?}{}; known: {}; or give the path of a .toml file", did_you_mean(.nearest), .known.join(", "))]
    UnknownName {
        /// "machine", "link", "host" or "system".
        what: &'static str,
        /// The name as given.
        given: String,
        /// Names that exist.
        known: Vec<String>,
        /// The closest of them.
        nearest: Option<String>,
    },
    /// The file cannot be read.
    #[error("{file}: cannot be read: {reason}")]
    Unreadable {
        /// The path as given.
        file: String,
        /// The operating system's reason.
        reason: String,
    },
    /// The file is far larger than any description.
    #[error("{file}: larger than {limit} bytes, the most a description may have")]
    TooLarge {
        /// The path as given.
        file: String,
        /// Bytes allowed.
        limit: u64,
    },
    /// Not TOML.
    #[error("{place}: not valid TOML: {reason}")]
    Syntax {
        /// File and line.
        place: String,
        /// What the TOML reader says.
        reason: String,
    },
    /// A key that nothing declares.
    #[error("{place}: unknown key `{key}`{}; known: {}", did_you_mean(.nearest), .known.join(", "))]
    UnknownKey {
        /// File and line.
        place: String,
        /// The key as given.
        key: String,
        /// Keys that may stand there.
        known: Vec<String>,
        /// The closest of them.
        nearest: Option<String>,
    },
    /// A key that must be given and is not.
    #[error("{file}: missing key `{key}`: {allowed}")]
    Missing {
        /// The file.
        file: String,
        /// The key.
        key: String,
        /// What may be given.
        allowed: String,
    },
    /// A value that the declaration does not allow.
    #[error("{place}: `{key}` = {given}: allowed is {allowed}")]
    NotAllowed {
        /// File and line.
        place: String,
        /// The key.
        key: String,
        /// The value as written.
        given: String,
        /// Type, range and unit.
        allowed: String,
    },
    /// A value written with a unit that cannot be read.
    #[error("{place}: `{key}` = {given}: {reason}; allowed is {allowed}")]
    Quantity {
        /// File and line.
        place: String,
        /// The key.
        key: String,
        /// The value as written.
        given: String,
        /// What is wrong with it.
        reason: Box<crate::QuantityError>,
        /// Type, range and unit.
        allowed: String,
    },
    /// A description that another one names cannot be read.
    #[error("{place}: `{key}`: {error}")]
    Within {
        /// File and line of the name.
        place: String,
        /// The key that holds the name.
        key: String,
        /// What is wrong with the one that is named.
        error: Box<SpecError>,
    },
    /// A machine for a target that does not exist.
    #[error("{place}: `target` = {given:?}{}; known targets: {}", did_you_mean(.nearest), .known.join(", "))]
    UnknownTarget {
        /// File and line.
        place: String,
        /// The target as given.
        given: String,
        /// Targets that are declared.
        known: Vec<String>,
        /// The closest of them.
        nearest: Option<String>,
    },
    /// A variant that is declared and that the target does not know.
    #[error("{name}: `{key}` = {given:?} is declared but unknown to its target, which knows {}", .known.join(", "))]
    NoVariant {
        /// The machine.
        name: String,
        /// The key.
        key: String,
        /// The value as written.
        given: String,
        /// Variants that the target knows.
        known: Vec<String>,
    },
    /// A parameter was asked for that the description's schema does not declare with this type.
    #[error("{name}: no {kind} parameter `{key}` is declared for {schema}")]
    NotDeclared {
        /// The machine, link or host.
        name: String,
        /// The schema.
        schema: String,
        /// The type that was asked for.
        kind: &'static str,
        /// The key that was asked for.
        key: String,
    },
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}
