//! Reads the pieces of ring programs: types, bases, distributions, composites, residues.

use super::cursor::Cursor;
use super::ParseError;
use crate::ring::{Basis, Composite, Digits, Distribution, Domain, TowerIdx, Type};

/// `poly[q0..q5; eval]`, with ` x 3` for an array, or `seed`.
pub(super) fn ty(cursor: &mut Cursor, primes: usize) -> Result<Type, ParseError> {
    if cursor.take_word("seed") {
        return Ok(Type::Seed);
    }
    if !cursor.take_word("poly") {
        return Err(cursor.expected("a type: `poly` or `seed`"));
    }
    cursor.mark("[")?;
    let basis = basis(cursor, primes)?;
    cursor.mark(";")?;
    let domain = match cursor.take_word("coeff") {
        true => Domain::Coeff,
        false => match cursor.take_word("eval") {
            true => Domain::Eval,
            false => return Err(cursor.expected("`coeff` or `eval`")),
        },
    };
    cursor.mark("]")?;
    match cursor.take_word("x") {
        true => Ok(Type::Array {
            basis,
            domain,
            len: cursor.integer("a number of items")?,
        }),
        false => Ok(Type::Poly { basis, domain }),
    }
}

/// `q0..q5, q7`, or nothing; all among the module's primes.
fn basis(cursor: &mut Cursor, primes: usize) -> Result<Basis, ParseError> {
    if cursor.at_mark(";") {
        return Ok(Basis(Vec::new()));
    }
    let runs = cursor.list(|cursor| {
        let error = cursor.expected(format!(
            "one of the module's {primes} primes or a run of them, `q0` or `q0..q5`"
        ));
        let word = cursor.word("a prime")?;
        let (first, last) = word.split_once("..").unwrap_or((&word, &word));
        let index = |prime: &str| prime.strip_prefix('q').and_then(|i| i.parse::<u16>().ok());
        match (index(first), index(last)) {
            (Some(first), Some(last)) if first <= last && usize::from(last) < primes => {
                Ok(first..=last)
            }
            _ => Err(error),
        }
    })?;
    Ok(Basis(runs.into_iter().flatten().map(TowerIdx).collect()))
}

pub(super) fn distribution(cursor: &mut Cursor) -> Result<Distribution, ParseError> {
    let error = cursor.expected("`uniform`, `ternary`, `binomial21` or `flood(bits)`");
    match cursor.word("a distribution")?.as_str() {
        "uniform" => Ok(Distribution::Uniform),
        "ternary" => Ok(Distribution::Ternary),
        "binomial21" => Ok(Distribution::Binomial21),
        "flood" => {
            cursor.mark("(")?;
            let bits = cursor.integer("a number of bits")?;
            cursor.mark(")")?;
            Ok(Distribution::Flood { bits })
        }
        _ => Err(error),
    }
}

pub(super) fn composite(cursor: &mut Cursor) -> Result<Composite, ParseError> {
    let error = cursor.expected(
        "`basis_extension`, `fast_extension`, `mod_down`, `fast_mod_down`, `key_switch(digits, special)` or \
         `key_product(digits, special)`",
    );
    match cursor.word("a composite")?.as_str() {
        "basis_extension" => Ok(Composite::BasisExtension),
        "fast_extension" => Ok(Composite::FastExtension),
        "mod_down" => Ok(Composite::ModDown),
        "fast_mod_down" => Ok(Composite::FastModDown),
        word @ ("key_switch" | "key_product") => {
            let is_divided = word == "key_switch";
            cursor.mark("(")?;
            let digits = digits(cursor)?;
            cursor.mark(",")?;
            let special = cursor.integer("a number of special primes")?;
            cursor.mark(")")?;
            Ok(match is_divided {
                true => Composite::KeySwitch { digits, special },
                false => Composite::KeyProduct { digits, special },
            })
        }
        _ => Err(error),
    }
}

/// `5`, or `at 5 10 14`.
fn digits(cursor: &mut Cursor) -> Result<Digits, ParseError> {
    if !cursor.take_word("at") {
        return Ok(Digits::Of(cursor.integer("towers per digit")?));
    }
    let (mut starts, mut last) = (0, 0);
    while !cursor.at_mark(",") {
        let tower: usize = cursor.integer("the first tower of a digit")?;
        if tower <= last || tower >= Digits::MOST_TOWERS {
            let allowed = format!("{} to {}", last + 1, Digits::MOST_TOWERS - 1);
            return Err(cursor.error(format!("digit at tower {tower}; allowed: {allowed}")));
        }
        starts |= 1 << tower;
        last = tower;
    }
    Ok(Digits::At(starts))
}

pub(super) fn residues(cursor: &mut Cursor) -> Result<Vec<u128>, ParseError> {
    cursor.mark("[")?;
    let mut residues = Vec::new();
    if !cursor.at_mark("]") {
        residues = cursor.list(|cursor| cursor.integer("a residue"))?;
    }
    cursor.mark("]")?;
    Ok(residues)
}
