//! Names and strings as both dialects write them.

/// Words that a name can only be in quotes.
pub(crate) const RESERVED: [&str; 2] = ["return", "secret"];

/// A name: bare if it is a plain word, else in quotes.
pub(crate) fn word(name: &str) -> String {
    let plain = name.starts_with(begins_word)
        && name.chars().all(continues_word)
        && !RESERVED.contains(&name);
    match plain {
        true => name.to_owned(),
        false => quoted(name),
    }
}

/// A string in double quotes, with `"`, `\` and control characters escaped.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether a plain word may begin with this.
pub(crate) fn begins_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// Whether a plain word may go on with this.
pub(crate) fn continues_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.@/+".contains(c)
}
