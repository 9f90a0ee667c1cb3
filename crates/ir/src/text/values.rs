//! The values of the function that is being read: their numbers and names.

use super::cursor::Cursor;
use super::lexer::Token;
use super::ParseError;
use crate::ring::ValueId;
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct Values {
    names: Vec<Option<String>>,
    by_name: HashMap<String, ValueId>,
}

impl Values {
    /// Number of values defined so far.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn define(&mut self, name: Option<String>) -> ValueId {
        let id = ValueId(self.names.len() as u32);
        if let Some(name) = &name {
            // A second value of this name is kept for the verifier to refuse.
            self.by_name.entry(name.clone()).or_insert(id);
        }
        self.names.push(name);
        id
    }

    pub(super) fn into_names(self) -> Vec<Option<String>> {
        self.names
    }

    /// An operand: a name, or `%` and a number.
    pub(super) fn operand(&self, cursor: &mut Cursor) -> Result<ValueId, ParseError> {
        let at = cursor.error("");
        let (id, shown) = match *cursor.peek() {
            Token::Numbered(number) => {
                cursor.advance();
                let defined = (number as usize) < self.len();
                (defined.then_some(ValueId(number)), format!("%{number}"))
            }
            _ => {
                let name = cursor.name("a value")?;
                (self.by_name.get(&name).copied(), name)
            }
        };
        let message = format!("`{shown}` is used before it is defined");
        id.ok_or(ParseError { message, ..at })
    }
}

/// The name of the value that is to have this number; `%` and the number for none.
pub(super) fn new_name(cursor: &mut Cursor, number: usize) -> Result<Option<String>, ParseError> {
    match *cursor.peek() {
        Token::Numbered(written) if written as usize == number => {
            cursor.advance();
            Ok(None)
        }
        Token::Numbered(_) => {
            Err(cursor.expected(format!("`%{number}`, the number of this value")))
        }
        _ => cursor.name("the name of a value, or `return`").map(Some),
    }
}
