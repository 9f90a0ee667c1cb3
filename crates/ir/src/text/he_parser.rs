//! Reads he programs. It settles names and does not judge; the verifier does.

use super::cursor::Cursor;
use super::lexer::Token;
use super::values::{new_name, Values};
use super::ParseError;
use crate::he::{
    self, Claim, Constant, CtType, Fact, Function, HeOp, HeOpKind, Message, Program, SecretId, Term,
};
use crate::ring::ValueId;
use std::collections::HashMap;

/// Reads the text form of a program.
pub fn parse_he(text: &str) -> Result<Program, ParseError> {
    let mut parser = Parser::new(text)?;
    loop {
        if parser.cursor.take_word("constant") {
            parser.constant(he::Values::Real, |cursor| cursor.float("a slot value"))?;
        } else if parser.cursor.take_word("complex") {
            parser.constant(he::Values::Complex, complex)?;
        } else if parser.cursor.take_word("integer") {
            parser.constant(he::Values::Integer, |cursor| cursor.integer("a slot value"))?;
        } else if parser.cursor.take_word("plain") {
            parser.plain()?;
        } else {
            break;
        }
    }
    while !parser.cursor.at_end() || parser.functions.is_empty() {
        parser.cursor.keyword("he")?;
        let function = parser.function()?;
        parser.functions.push(function);
    }
    let Parser {
        functions,
        constants,
        ..
    } = parser;
    Ok(Program {
        functions,
        constants,
    })
}

struct Parser {
    cursor: Cursor,
    functions: Vec<Function>,
    /// Of the function that is being read.
    types: Vec<CtType>,
    values: Values,
    constants: Vec<Constant>,
    by_name: HashMap<String, usize>,
}

impl Parser {
    fn new(text: &str) -> Result<Self, ParseError> {
        Ok(Parser {
            cursor: Cursor::new(text)?,
            functions: Vec::new(),
            types: Vec::new(),
            values: Values::default(),
            constants: Vec::new(),
            by_name: HashMap::new(),
        })
    }

    /// `square(x: ct@2) -> ct@1 { … }`, behind the word `he`.
    fn function(&mut self) -> Result<Function, ParseError> {
        let name = self.cursor.name("the function's name")?;
        (self.types, self.values) = (Vec::new(), Values::default());
        self.inputs()?;
        let inputs = self.types.len();
        self.cursor.mark("->")?;
        let header = self.cursor.error("");
        let levels = self.cursor.list(level)?;
        let loc = self.cursor.loc()?;
        self.cursor.mark("{")?;
        let (mut ops, mut claims) = (Vec::new(), Vec::new());
        while !self.cursor.at_word("return") {
            if self.cursor.take_word("claim") {
                let (after, fact) = (ops.len(), self.fact()?);
                claims.push(Claim { after, fact });
            } else {
                ops.push(self.op()?);
            }
        }
        self.cursor.advance();
        let mut returns = vec![self.value()?];
        while self.cursor.take_mark(",") {
            returns.push(self.value()?);
        }
        self.cursor.mark("}")?;
        let types = std::mem::take(&mut self.types);
        if !returns.iter().map(|v| types[v.index()].level).eq(levels) {
            let message = "the levels of the returned values are not those of the header";
            return Err(ParseError {
                message: message.into(),
                ..header
            });
        }
        Ok(Function {
            name,
            types,
            names: std::mem::take(&mut self.values).into_names(),
            inputs,
            ops,
            returns,
            claims,
            loc,
        })
    }

    /// `c0 = [0.5, 1.0]`, behind the word that says of what.
    fn constant<T>(
        &mut self,
        of: impl Fn(Vec<T>) -> he::Values,
        item: impl Fn(&mut Cursor) -> Result<T, ParseError>,
    ) -> Result<(), ParseError> {
        let name = self.cursor.name("the constant's name")?;
        self.cursor.mark("=")?;
        self.cursor.mark("[")?;
        let mut values = Vec::new();
        if !self.cursor.at_mark("]") {
            values = self.cursor.list(item)?;
        }
        self.cursor.mark("]")?;
        self.define_constant(name, of(values));
        Ok(())
    }

    /// `bounded y, 1.0`
    fn fact(&mut self) -> Result<Fact, ParseError> {
        let at = self.cursor.error("");
        let word = self.cursor.word("what is claimed")?;
        let value = self.value()?;
        if word == "even" {
            return Ok(Fact::Even { value });
        }
        self.cursor.mark(",")?;
        Ok(match word.as_str() {
            "bounded" => Fact::Bounded {
                value,
                max: self.cursor.float("the largest value")?,
            },
            "settled" => Fact::Settled {
                value,
                off: self.cursor.float("the error")?,
            },
            "slope" => {
                let gain = self.cursor.float("the slope")?;
                self.cursor.mark(",")?;
                let of = self.value()?;
                Fact::Slope { value, of, gain }
            }
            "rows" => {
                let norm = self.cursor.float("the norm")?;
                self.cursor.mark(",")?;
                let of = self.value()?;
                Fact::Rows { value, of, norm }
            }
            "near" | "corrected" => {
                let off = self.cursor.float("the error")?;
                self.cursor.mark(",")?;
                let of = self.value()?;
                match word.as_str() {
                    "near" => Fact::Near { value, of, off },
                    _ => Fact::Corrected { value, of, off },
                }
            }
            "placed" => {
                let mut of = vec![self.value()?];
                while self.cursor.take_mark(",") {
                    of.push(self.value()?);
                }
                Fact::Placed { value, of }
            }
            _ => {
                return Err(ParseError {
                    message: format!("nothing is claimed by `{word}`"),
                    ..at
                })
            }
        })
    }

    /// `plain weights (max 2.0, rms 0.5)`
    fn plain(&mut self) -> Result<(), ParseError> {
        let name = self.cursor.name("the plain argument's name")?;
        self.cursor.mark("(")?;
        self.cursor.keyword("max")?;
        let max = self.cursor.float("the largest value")?;
        self.cursor.mark(",")?;
        self.cursor.keyword("rms")?;
        let rms = self.cursor.float("the root mean square")?;
        self.cursor.mark(")")?;
        self.define_constant(name, he::Values::Argument { max, rms });
        Ok(())
    }

    fn define_constant(&mut self, name: String, values: he::Values) {
        let index = self.constants.len();
        self.by_name.entry(name.clone()).or_insert(index);
        self.constants.push(Constant { name, values });
    }

    fn inputs(&mut self) -> Result<(), ParseError> {
        self.cursor.mark("(")?;
        if self.cursor.take_mark(")") {
            return Ok(());
        }
        loop {
            let name = self.defined_name(0)?;
            self.cursor.mark(":")?;
            let ty = ty(&mut self.cursor)?;
            self.define(name, ty);
            if !self.cursor.take_mark(",") {
                return self.cursor.mark(")");
            }
        }
    }

    /// `%3 = rotate x, 1 -> ct@2`; `%4, %5 = call split(%3) -> ct@1, ct@1`
    fn op(&mut self) -> Result<HeOp, ParseError> {
        let mut names = vec![self.defined_name(0)?];
        while self.cursor.take_mark(",") {
            names.push(self.defined_name(names.len())?);
        }
        self.cursor.mark("=")?;
        let at = self.cursor.error("");
        let word = self.cursor.word("an operation")?;
        let (kind, args) = match word.as_str() {
            "call" => self.call()?,
            word => self.operation(word, at)?,
        };
        self.cursor.mark("->")?;
        let written = self.cursor.error("");
        let types = self.cursor.list(ty)?;
        let loc = self.cursor.loc()?;
        if types.len() != names.len() {
            let message = format!("{} types for {} results", types.len(), names.len());
            return Err(ParseError { message, ..written });
        }
        let results = names.into_iter().zip(types);
        let results = results.map(|(name, ty)| self.define(name, ty)).collect();
        Ok(HeOp {
            kind,
            args,
            results,
            loc,
        })
    }

    /// `split(%3)`, behind the word `call`.
    fn call(&mut self) -> Result<(HeOpKind, Vec<ValueId>), ParseError> {
        let at = self.cursor.error("");
        let name = self.cursor.name("a function")?;
        let functions = &mut self.functions.iter();
        let Some(function) = functions.position(|function| function.name == name) else {
            let message = format!("no function before this one is called `{name}`");
            return Err(ParseError { message, ..at });
        };
        self.cursor.mark("(")?;
        let mut args = vec![self.value()?];
        while self.cursor.take_mark(",") {
            args.push(self.value()?);
        }
        self.cursor.mark(")")?;
        Ok((HeOpKind::Call { function }, args))
    }

    /// Operands and attributes, behind an operation's word.
    fn operation(
        &mut self,
        word: &str,
        at: ParseError,
    ) -> Result<(HeOpKind, Vec<ValueId>), ParseError> {
        let mut args = vec![self.value()?];
        if ["add", "sub", "mul", "mul_relin"].contains(&word) {
            self.cursor.mark(",")?;
            args.push(self.value()?);
        }
        Ok((self.kind(word, at)?, args))
    }

    /// The operation, with the attributes behind its operands.
    fn kind(&mut self, word: &str, at: ParseError) -> Result<HeOpKind, ParseError> {
        Ok(match word {
            "add" => HeOpKind::Add,
            "sub" => HeOpKind::Sub,
            "neg" => HeOpKind::Neg,
            "mul" => HeOpKind::Mul,
            "mul_relin" => HeOpKind::MulRelin,
            "relinearise" => HeOpKind::Relinearise,
            "rescale" => HeOpKind::Rescale,
            "conjugate" => HeOpKind::Conjugate,
            "add_constant" => HeOpKind::AddConstant {
                constant: self.constant_index()?,
            },
            "mul_constant" => {
                let constant = self.constant_index()?;
                self.cursor.mark(",")?;
                self.cursor.keyword("scale")?;
                HeOpKind::MulConstant {
                    constant,
                    scale: self.cursor.float("a scale")?,
                }
            }
            "drop_level" => {
                self.cursor.mark(",")?;
                HeOpKind::DropLevel {
                    level: self.cursor.integer("a level")?,
                }
            }
            "raise" => {
                self.cursor.mark(",")?;
                HeOpKind::Raise {
                    level: self.cursor.integer("a level")?,
                }
            }
            "switch_key" => {
                self.cursor.mark(",")?;
                let from = secret(&mut self.cursor)?;
                self.cursor.mark(",")?;
                let to = secret(&mut self.cursor)?;
                HeOpKind::SwitchKey { from, to }
            }
            "transform" => self.transform()?,
            "rotate" => HeOpKind::Rotate {
                steps: self.steps()?,
            },
            "rotate_conjugate" => HeOpKind::RotateConjugate {
                steps: self.steps()?,
            },
            _ => {
                return Err(ParseError {
                    message: format!("no operation `{word}`"),
                    ..at
                })
            }
        })
    }

    /// `, scale 2^40, (0, 0, c0), (1, 8, c1)`: baby steps, giant steps, constant.
    fn transform(&mut self) -> Result<HeOpKind, ParseError> {
        self.cursor.mark(",")?;
        self.cursor.keyword("scale")?;
        let scale = self.cursor.float("a scale")?;
        let mut terms = Vec::new();
        while self.cursor.take_mark(",") {
            self.cursor.mark("(")?;
            let baby = self.cursor.integer("a number of steps")?;
            let giant = self.steps()?;
            let constant = self.constant_index()?;
            self.cursor.mark(")")?;
            terms.push(Term {
                baby,
                giant,
                constant,
            });
        }
        Ok(HeOpKind::Transform { terms, scale })
    }

    fn steps(&mut self) -> Result<i32, ParseError> {
        self.cursor.mark(",")?;
        self.cursor.integer("a number of steps")
    }

    fn constant_index(&mut self) -> Result<usize, ParseError> {
        self.cursor.mark(",")?;
        if let Token::Numbered(number) = *self.cursor.peek() {
            self.cursor.advance();
            return Ok(number as usize);
        }
        let at = self.cursor.error("");
        let name = self.cursor.name("a constant")?;
        let index = self.by_name.get(&name).copied();
        index.ok_or_else(|| ParseError {
            message: format!("no constant is called `{name}`"),
            ..at
        })
    }

    /// The name of a value to be defined, `after` others.
    fn defined_name(&mut self, after: usize) -> Result<Option<String>, ParseError> {
        new_name(&mut self.cursor, self.values.len() + after)
    }

    fn define(&mut self, name: Option<String>, ty: CtType) -> ValueId {
        self.types.push(ty);
        self.values.define(name)
    }

    fn value(&mut self) -> Result<ValueId, ParseError> {
        self.values.operand(&mut self.cursor)
    }
}

/// `ct@6`
fn level(cursor: &mut Cursor) -> Result<u16, ParseError> {
    let error = cursor.expected("a ciphertext type, `ct@` and the level");
    let word = cursor.word("a ciphertext type")?;
    word.strip_prefix("ct@")
        .and_then(|level| level.parse().ok())
        .ok_or(error)
}

/// `s1`, `h32`: a numbered secret, one of so many coefficients.
fn secret(cursor: &mut Cursor) -> Result<SecretId, ParseError> {
    let error = cursor.expected("a secret, `s` and its number or `h` and its weight");
    let word = cursor.word("a secret")?;
    let sparse = word.strip_prefix('h').map(|weight| weight.parse());
    let numbered = word.strip_prefix('s').map(|number| number.parse());
    let secret = match (sparse, numbered) {
        (Some(Ok(weight)), _) => SecretId::sparse(weight),
        (_, Some(Ok(number))) => Some(SecretId(number)).filter(|secret| secret.weight().is_none()),
        _ => None,
    };
    secret.ok_or(error)
}

/// `ct@6`, `ct@6 x 3`, `ct@6 (t 65537, factor 1)`, `ct@6 under h32`
fn ty(cursor: &mut Cursor) -> Result<CtType, ParseError> {
    let level = level(cursor)?;
    let parts = if cursor.take_word("x") {
        cursor.integer("a number of parts")?
    } else {
        2
    };
    let message = if cursor.take_mark("(") {
        cursor.keyword("t")?;
        let modulus = cursor.integer("the modulus of the slots")?;
        cursor.mark(",")?;
        cursor.keyword("factor")?;
        let factor = cursor.integer("a factor")?;
        cursor.mark(")")?;
        Message::Exact { modulus, factor }
    } else {
        Message::Approximate
    };
    let secret = match cursor.take_word("under") {
        true => secret(cursor)?,
        false => SecretId::MAIN,
    };
    Ok(CtType {
        parts,
        level,
        message,
        secret,
    })
}

/// `(0.5, -1.0)`
fn complex(cursor: &mut Cursor) -> Result<[f64; 2], ParseError> {
    cursor.mark("(")?;
    let re = cursor.float("a real part")?;
    cursor.mark(",")?;
    let im = cursor.float("an imaginary part")?;
    cursor.mark(")")?;
    Ok([re, im])
}
