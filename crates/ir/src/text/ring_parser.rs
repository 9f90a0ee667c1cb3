//! Reads ring modules.
//!
//! The parser settles names and infers types; it does not judge. What it returns goes to the
//! verifier before it is used.

use super::attributes::{composite, distribution, residues, ty};
use super::cursor::Cursor;
use super::lexer::Token;
use super::values::{new_name, Values};
use super::ParseError;
use crate::ring::{
    infer, FuncId, Function, Module, Op, OpKind, Param, RingKind, Scope, Type, ValueId,
};
use std::collections::HashMap;

/// Reads the text form of a module.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let mut cursor = Cursor::new(text)?;
    let kind = kind(&mut cursor)?;
    cursor.keyword("log_n")?;
    let log_n = cursor.integer("log2 of the ring degree")?;
    let primes = primes(&mut cursor)?;
    cursor.keyword("entry")?;
    let entry_error = cursor.error("");
    let entry = match *cursor.peek() {
        Token::Numbered(number) => {
            cursor.advance();
            Err(FuncId(number))
        }
        _ => Ok(cursor.name("the entry's name")?),
    };
    let mut parser = Parser {
        cursor,
        kind,
        log_n,
        primes,
        funcs: Vec::new(),
        by_name: HashMap::new(),
    };
    while !parser.cursor.at_end() {
        parser.function()?;
    }
    let entry = match entry {
        Err(id) => id,
        Ok(name) => *parser.by_name.get(&name).ok_or_else(|| ParseError {
            message: format!("no function is called `{name}`"),
            ..entry_error
        })?,
    };
    Ok(Module {
        kind,
        log_n,
        primes: parser.primes,
        funcs: parser.funcs,
        entry,
    })
}

/// `kind conjugate-invariant`; a module that says nothing is over the standard ring.
fn kind(cursor: &mut Cursor) -> Result<RingKind, ParseError> {
    if !cursor.take_word("kind") {
        return Ok(RingKind::Standard);
    }
    let at = cursor.error("");
    let name = cursor.name("the kind of the ring")?;
    RingKind::named(&name).ok_or_else(|| ParseError {
        message: format!(
            "no ring is of kind `{name}`; allowed are {}",
            RingKind::ALL.map(RingKind::name).join(" and ")
        ),
        ..at
    })
}

/// `prime q0 = 97`, numbered in order.
fn primes(cursor: &mut Cursor) -> Result<Vec<u128>, ParseError> {
    let mut primes = Vec::new();
    while cursor.take_word("prime") {
        cursor.keyword(&format!("q{}", primes.len()))?;
        cursor.mark("=")?;
        primes.push(cursor.integer("a prime below 2^128")?);
    }
    Ok(primes)
}

struct Parser {
    cursor: Cursor,
    kind: RingKind,
    log_n: u32,
    primes: Vec<u128>,
    funcs: Vec<Function>,
    by_name: HashMap<String, FuncId>,
}

impl Parser {
    fn function(&mut self) -> Result<(), ParseError> {
        self.cursor.keyword("ring")?;
        let name = self.cursor.name("a function name")?;
        let header = self.cursor.error("");
        let mut body = Body::default();
        let params = self.params(&mut body)?;
        self.cursor.mark("->")?;
        let results = self.types()?;
        let composite = self
            .cursor
            .take_word("is")
            .then(|| composite(&mut self.cursor));
        let composite = composite.transpose()?;
        let steps = self.cursor.take_word("in");
        if steps {
            self.cursor.keyword("steps")?;
        }
        self.cursor.mark("{")?;
        let mut ops = Vec::new();
        while !self.cursor.at_word("return") {
            ops.push(self.op(&mut body)?);
        }
        self.cursor.advance();
        let returns = self.cursor.list(|cursor| body.value(cursor))?;
        self.cursor.mark("}")?;
        let Body { types, values } = body;
        let names = values.into_names();
        let func = Function {
            name,
            params,
            ops,
            returns,
            types,
            names,
            composite,
            steps,
        };
        if func.result_types() != results {
            let message = "the types of the returned values are not those of the header";
            return Err(ParseError {
                message: message.into(),
                ..header
            });
        }
        let id = FuncId(self.funcs.len() as u32);
        self.by_name.entry(func.name.clone()).or_insert(id);
        self.funcs.push(func);
        Ok(())
    }

    fn params(&mut self, body: &mut Body) -> Result<Vec<Param>, ParseError> {
        self.cursor.mark("(")?;
        if self.cursor.take_mark(")") {
            return Ok(Vec::new());
        }
        let primes = self.primes.len();
        let params = self.cursor.list(|cursor| {
            let name = cursor.name("a parameter name")?;
            cursor.mark(":")?;
            let secret = cursor.take_word("secret");
            let ty = ty(cursor, primes)?;
            body.define(Some(name.clone()), ty.clone());
            Ok(Param { name, ty, secret })
        })?;
        self.cursor.mark(")")?;
        Ok(params)
    }

    fn op(&mut self, body: &mut Body) -> Result<Op, ParseError> {
        let start = self.cursor.error("");
        let mut numbers = body.values.len()..;
        let names = self
            .cursor
            .list(|cursor| new_name(cursor, numbers.next().unwrap_or_default()))?;
        self.cursor.mark("=")?;
        let (kind, args) = self.action(body)?;
        let types = self.result_types(body, &kind, &args)?;
        if types.len() != names.len() {
            let message = format!(
                "the number of names is {}, of results {}",
                names.len(),
                types.len()
            );
            return Err(ParseError { message, ..start });
        }
        let loc = self.cursor.loc()?;
        let results = names
            .into_iter()
            .zip(types)
            .map(|(name, ty)| body.define(name, ty));
        Ok(Op {
            kind,
            args,
            results: results.collect(),
            loc,
        })
    }

    fn types(&mut self) -> Result<Vec<Type>, ParseError> {
        let primes = self.primes.len();
        self.cursor.list(|cursor| ty(cursor, primes))
    }

    /// Written behind `->`, else inferred.
    fn result_types(
        &mut self,
        body: &Body,
        kind: &OpKind,
        args: &[ValueId],
    ) -> Result<Vec<Type>, ParseError> {
        if self.cursor.take_mark("->") {
            return self.types();
        }
        let scope = Scope {
            kind: self.kind,
            log_n: self.log_n,
            primes: &self.primes,
            funcs: &self.funcs,
        };
        let args: Vec<&Type> = args.iter().map(|v| &body.types[v.index()]).collect();
        infer(&scope, kind, &args)
            .ok_or_else(|| self.cursor.expected("`->` and the type of the result"))
    }

    /// From the operation's word to its last operand or attribute.
    fn action(&mut self, body: &Body) -> Result<(OpKind, Vec<ValueId>), ParseError> {
        let at = self.cursor.error("");
        let word = self.cursor.word("an operation")?;
        let plain = match word.as_str() {
            "call" => return self.call(body),
            "sample" => return self.sample(body),
            "zero" => return Ok((OpKind::Zero, Vec::new())),
            "mul_scalar" | "add_scalar" | "automorphism" | "element" => {
                return self.with_attribute(&word, body)
            }
            "ntt" => OpKind::Ntt,
            "intt" => OpKind::Intt,
            "add" => OpKind::Add,
            "sub" => OpKind::Sub,
            "neg" => OpKind::Neg,
            "mul" => OpKind::Mul,
            "towers" => OpKind::Towers,
            "concat" => OpKind::Concat,
            "switch_modulus" => OpKind::SwitchModulus,
            _ => {
                return Err(ParseError {
                    message: format!("no operation `{word}`"),
                    ..at
                })
            }
        };
        Ok((plain, self.cursor.list(|cursor| body.value(cursor))?))
    }

    /// `name(operand, ..)`
    fn call(&mut self, body: &Body) -> Result<(OpKind, Vec<ValueId>), ParseError> {
        let at = self.cursor.error("");
        let name = self.cursor.name("a function name")?;
        let Some(&func) = self.by_name.get(&name) else {
            let message = format!("no function `{name}` stands before this one");
            return Err(ParseError { message, ..at });
        };
        self.cursor.mark("(")?;
        let mut args = Vec::new();
        if !self.cursor.at_mark(")") {
            args = self.cursor.list(|cursor| body.value(cursor))?;
        }
        self.cursor.mark(")")?;
        Ok((OpKind::Call { func }, args))
    }

    /// `distribution "stream" seed`
    fn sample(&mut self, body: &Body) -> Result<(OpKind, Vec<ValueId>), ParseError> {
        let dist = distribution(&mut self.cursor)?;
        let stream = self.cursor.quoted("a stream name in quotes")?;
        let args = self.cursor.list(|cursor| body.value(cursor))?;
        Ok((OpKind::Sample { dist, stream }, args))
    }

    /// `operand, attribute`
    fn with_attribute(
        &mut self,
        word: &str,
        body: &Body,
    ) -> Result<(OpKind, Vec<ValueId>), ParseError> {
        let mut args = Vec::new();
        while matches!(
            self.cursor.peek(),
            Token::Word(_) | Token::Quoted(_) | Token::Numbered(_)
        ) {
            args.push(body.value(&mut self.cursor)?);
            self.cursor.mark(",")?;
        }
        let kind = match word {
            "mul_scalar" => OpKind::MulScalar {
                residues: residues(&mut self.cursor)?,
            },
            "add_scalar" => OpKind::AddScalar {
                residues: residues(&mut self.cursor)?,
            },
            "automorphism" => OpKind::Automorphism {
                galois: self.cursor.integer("a Galois element")?,
            },
            _ => OpKind::Element {
                index: self.cursor.integer("the number of an item")?,
            },
        };
        Ok((kind, args))
    }
}

/// The values of the function at hand.
#[derive(Default)]
struct Body {
    types: Vec<Type>,
    values: Values,
}

impl Body {
    fn define(&mut self, name: Option<String>, ty: Type) -> ValueId {
        self.types.push(ty);
        self.values.define(name)
    }

    fn value(&self, cursor: &mut Cursor) -> Result<ValueId, ParseError> {
        self.values.operand(cursor)
    }
}
