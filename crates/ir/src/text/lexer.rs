//! Cuts text into words, numbers, strings and marks, each with its line and column.

/// Words that a name can only be in quotes.
pub(super) const RESERVED: [&str; 2] = ["return", "secret"];

/// Whether a plain word may begin with this.
pub(super) fn begins_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// Whether a plain word may go on with this.
pub(super) fn continues_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.@/+".contains(c)
}
