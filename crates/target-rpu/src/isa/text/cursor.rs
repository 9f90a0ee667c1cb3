//! One line of text, taken apart from the left.

use super::AssembleError;

/// What is left of a line.
pub(super) struct Cursor<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
}

/// A place in the text.
#[derive(Clone, Copy)]
pub(super) struct Place {
    line: u32,
    column: u32,
}

impl Place {
    pub(super) fn error(self, message: String) -> AssembleError {
        AssembleError {
            line: self.line,
            column: self.column,
            message,
        }
    }
}

impl<'a> Cursor<'a> {
    /// A line without its comment; lines count from 1.
    pub(super) fn new(line: u32, text: &'a str) -> Self {
        let rest = text.split('#').next().unwrap_or("");
        let mut cursor = Cursor {
            rest,
            line,
            column: 1,
        };
        cursor.skip_blank();
        cursor
    }

    /// Where the next piece begins.
    pub(super) fn place(&self) -> Place {
        Place {
            line: self.line,
            column: self.column,
        }
    }

    /// Whether nothing is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Letters, digits, `_` and `.`; empty if something else stands next.
    pub(super) fn word(&mut self) -> &'a str {
        let belongs = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        self.take(end)
    }

    /// Takes `mark` if it stands next.
    pub(super) fn takes(&mut self, mark: char) -> bool {
        let found = self.rest.starts_with(mark);
        if found {
            self.take(mark.len_utf8());
        }
        found
    }

    /// What stands next, for an error: a word, one character, or the end of the line.
    pub(super) fn found(&self) -> String {
        let mut ahead = Cursor {
            rest: self.rest,
            line: 0,
            column: 0,
        };
        match (ahead.word(), self.rest.chars().next()) {
            (_, None) => "the end of the line".into(),
            ("", Some(c)) => format!("{c:?}"),
            (word, _) => shown(word),
        }
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.column += taken.chars().count() as u32;
        self.skip_blank();
        taken
    }

    fn skip_blank(&mut self) {
        let rest = self.rest.trim_start();
        let blank = &self.rest[..self.rest.len() - rest.len()];
        self.column += blank.chars().count() as u32;
        self.rest = rest;
    }
}

/// A word for an error, in quotes and not longer than a line.
pub(super) fn shown(word: &str) -> String {
    const LONGEST: usize = 40;
    match word.char_indices().nth(LONGEST) {
        None => format!("`{word}`"),
        Some((end, _)) => format!("`{}...`", &word[..end]),
    }
}
