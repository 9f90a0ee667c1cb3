//! Steps through tokens; what both dialects' parsers share.

use super::lexer::{tokens, Located, Token};
use super::ParseError;
use crate::ring::Loc;
use crate::words::{quoted, RESERVED};
use std::fmt::Display;
use std::str::FromStr;

/// A position in the tokens.
pub(super) struct Cursor {
    tokens: Vec<Located>,
    next: usize,
}

impl Cursor {
    pub(super) fn new(text: &str) -> Result<Self, ParseError> {
        Ok(Cursor {
            tokens: tokens(text)?,
            next: 0,
        })
    }

    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.next].token
    }

    /// The token at hand; the cursor stays at the end.
    pub(super) fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    /// An error at the token at hand.
    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        let Located { line, column, .. } = self.tokens[self.next];
        ParseError {
            line,
            column,
            message: message.into(),
        }
    }

    /// An error that says what should stand here.
    pub(super) fn expected(&self, what: impl Display) -> ParseError {
        self.error(format!("expected {what}, found {}", self.found()))
    }

    pub(super) fn at_mark(&self, mark: &str) -> bool {
        matches!(self.peek(), Token::Mark(m) if *m == mark)
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(w) if w == word)
    }

    pub(super) fn at_end(&self) -> bool {
        *self.peek() == Token::End
    }

    /// Steps over the mark if it is here.
    pub(super) fn take_mark(&mut self, mark: &str) -> bool {
        let here = self.at_mark(mark);
        if here {
            self.advance();
        }
        here
    }

    /// Steps over the word if it is here.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let here = self.at_word(word);
        if here {
            self.advance();
        }
        here
    }

    pub(super) fn mark(&mut self, mark: &str) -> Result<(), ParseError> {
        match self.take_mark(mark) {
            true => Ok(()),
            false => Err(self.expected(format!("`{mark}`"))),
        }
    }

    pub(super) fn keyword(&mut self, word: &str) -> Result<(), ParseError> {
        match self.take_word(word) {
            true => Ok(()),
            false => Err(self.expected(format!("`{word}`"))),
        }
    }

    /// A plain word.
    pub(super) fn word(&mut self, what: &str) -> Result<String, ParseError> {
        match self.peek() {
            Token::Word(word) => {
                let word = word.clone();
                self.advance();
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A plain word that is not reserved, or a quoted name.
    pub(super) fn name(&mut self, what: &str) -> Result<String, ParseError> {
        match self.peek() {
            Token::Word(word) if RESERVED.contains(&word.as_str()) => Err(self.error(format!(
                "`{word}` is a keyword; as a name it stands in quotes"
            ))),
            Token::Quoted(name) => {
                let name = name.clone();
                self.advance();
                Ok(name)
            }
            _ => self.word(what),
        }
    }

    pub(super) fn quoted(&mut self, what: &str) -> Result<String, ParseError> {
        match self.peek() {
            Token::Quoted(_) => self.name(what),
            _ => Err(self.expected(what)),
        }
    }

    /// An integer of the result's type.
    pub(super) fn integer<T: FromStr>(&mut self, what: &str) -> Result<T, ParseError> {
        let Token::Number(digits) = self.peek() else {
            return Err(self.expected(what));
        };
        let value = digits.parse().map_err(|_| self.expected(what))?;
        self.advance();
        Ok(value)
    }

    /// A decimal number, `inf`, `-inf`, `NaN`, or a power of two as `2^40`.
    pub(super) fn float(&mut self, what: &str) -> Result<f64, ParseError> {
        let (Token::Number(text) | Token::Word(text)) = self.peek() else {
            return Err(self.expected(what));
        };
        let value = match text.strip_prefix("2^") {
            Some(exponent) => exponent.parse().ok().map(|e: u16| 2f64.powi(e.into())),
            None => text.parse().ok(),
        };
        let value = value.ok_or_else(|| self.expected(what))?;
        self.advance();
        Ok(value)
    }

    /// Items between commas, at least one.
    pub(super) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut items = vec![item(self)?];
        while self.take_mark(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// `@ file:line`, if it is here.
    pub(super) fn loc(&mut self) -> Result<Option<Loc>, ParseError> {
        if !self.take_mark("@") {
            return Ok(None);
        }
        let file = self.name("a file name")?;
        self.mark(":")?;
        Ok(Some(Loc {
            file,
            line: self.integer("a line number")?,
        }))
    }

    fn found(&self) -> String {
        match self.peek() {
            Token::Word(text) | Token::Number(text) => format!("`{text}`"),
            Token::Quoted(text) => quoted(text),
            Token::Numbered(number) => format!("`%{number}`"),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::End => "the end".into(),
        }
    }
}
