//! Cuts text into words, numbers, strings and marks, each with its line and column.

use super::ParseError;
use crate::words::{begins_word, continues_word};

/// One piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or keyword without quotes.
    Word(String),
    /// Digits and what belongs to numbers; `-1.5e10`, `2^40`.
    Number(String),
    /// `"..."`, without quotes and escapes.
    Quoted(String),
    /// `%7`
    Numbered(u32),
    /// `( ) [ ] { } , ; : = @` or `->`
    Mark(&'static str),
    /// After the last piece.
    End,
}

/// A token and where it begins.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub token: Token,
    pub line: u32,
    pub column: u32,
}

const MARKS: [&str; 11] = ["->", "(", ")", "[", "]", "{", "}", ",", ";", ":", "="];

/// All tokens, [`Token::End`] last.
pub(super) fn tokens(text: &str) -> Result<Vec<Located>, ParseError> {
    let mut lexer = Lexer {
        rest: text,
        line: 1,
        column: 1,
    };
    let mut all = Vec::new();
    loop {
        lexer.skip_blank();
        let (line, column) = (lexer.line, lexer.column);
        let token = lexer.token()?;
        let done = token == Token::End;
        all.push(Located {
            token,
            line,
            column,
        });
        if done {
            return Ok(all);
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
}

impl<'a> Lexer<'a> {
    fn skip_blank(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest.starts_with('#') {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn token(&mut self) -> Result<Token, ParseError> {
        let Some(first) = self.rest.chars().next() else {
            return Ok(Token::End);
        };
        if let Some(mark) = MARKS.into_iter().find(|mark| self.rest.starts_with(mark)) {
            self.advance(mark.len());
            return Ok(Token::Mark(mark));
        }
        match first {
            '"' => self.quoted(),
            '@' => {
                self.advance(1);
                Ok(Token::Mark("@"))
            }
            '%' => self.numbered(),
            c if begins_word(c) => Ok(Token::Word(self.take_while(continues_word).to_owned())),
            c if c.is_ascii_digit() || c == '-' => Ok(Token::Number(self.number().to_owned())),
            c => Err(self.error(format!("unexpected character {c:?}"))),
        }
    }

    fn number(&mut self) -> &'a str {
        let sign = usize::from(self.rest.starts_with('-'));
        let exponent = |i: usize| self.rest[..i].ends_with(['e', 'E']);
        let belongs = |(i, c): (usize, char)| {
            c.is_ascii_alphanumeric() || c == '.' || c == '^' || (c == '-' && exponent(i))
        };
        let end = self
            .rest
            .char_indices()
            .skip(sign)
            .find(|&item| !belongs(item));
        self.take(end.map_or(self.rest.len(), |(i, _)| i))
    }

    fn numbered(&mut self) -> Result<Token, ParseError> {
        let at = self.error(String::new());
        self.advance(1);
        let digits = self.take_while(|c| c.is_ascii_digit());
        digits.parse().map(Token::Numbered).map_err(|_| ParseError {
            message: format!("`%{digits}` is not % and a number below 2^32"),
            ..at
        })
    }

    fn quoted(&mut self) -> Result<Token, ParseError> {
        let open = self.error("this string does not end".into());
        self.advance(1);
        let mut text = String::new();
        loop {
            text.push_str(self.take_while(|c| c != '"' && c != '\\'));
            match self.rest.chars().next() {
                None => return Err(open),
                Some('"') => {
                    self.advance(1);
                    return Ok(Token::Quoted(text));
                }
                Some(_) => text.push(self.escape()?),
            }
        }
    }

    /// `\"`, `\\` or `\u{hexadecimal}`
    fn escape(&mut self) -> Result<char, ParseError> {
        let error = self.error("allowed after \\ are \", \\ and u{hexadecimal}".into());
        self.advance(1);
        if let Some(c @ ('"' | '\\')) = self.rest.chars().next() {
            self.advance(1);
            return Ok(c);
        }
        let body = self
            .rest
            .strip_prefix("u{")
            .and_then(|rest| rest.split_once('}'));
        let Some((digits, _)) = body else {
            return Err(error);
        };
        let code = u32::from_str_radix(digits, 16)
            .ok()
            .and_then(char::from_u32);
        self.advance("u{}".len() + digits.len());
        code.ok_or(error)
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        self.take(end)
    }

    fn advance(&mut self, bytes: usize) {
        self.take(bytes);
    }

    /// Moves past `bytes` bytes, counting lines and columns.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        for c in taken.chars() {
            (self.line, self.column) = match c {
                '\n' => (self.line + 1, 1),
                _ => (self.line, self.column + 1),
            };
        }
        self.rest = rest;
        taken
    }

    fn error(&self, message: String) -> ParseError {
        ParseError {
            line: self.line,
            column: self.column,
            message,
        }
    }
}
