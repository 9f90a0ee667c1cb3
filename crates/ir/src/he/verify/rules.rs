//! The rules one by one: of types that meet, of claims and constants, of names.

use super::super::printer::type_text;
use super::super::{Constant, CtType, Fact, HeOpKind, Message, SecretId, Values};
use std::collections::BTreeSet;

pub(super) fn same_level(a: &CtType, b: &CtType) -> Result<(), String> {
    match a.level == b.level {
        true => Ok(()),
        false => Err(format!(
            "operand 1 is at level {}, operand 2 at level {}; drop_level brings them together",
            a.level, b.level
        )),
    }
}

/// Refuses operands that there are no keys for.
pub(super) fn under_main(kind: &HeOpKind, operand: &CtType) -> Result<(), String> {
    match operand.secret {
        SecretId::MAIN => Ok(()),
        other => Err(format!(
            "the operand is under {other}; {} takes what is under {}",
            kind.name(),
            SecretId::MAIN
        )),
    }
}

pub(super) fn two_parts(kind: &HeOpKind, operand: &CtType) -> Result<(), String> {
    match operand.parts {
        2 => Ok(()),
        parts => Err(format!(
            "the operand has {parts} parts; {} takes 2",
            kind.name()
        )),
    }
}

/// Refuses scales that no constant has beside such an operand.
pub(super) fn encoded_at(scale: f64, operand: &CtType) -> Result<(), String> {
    let exact = operand.message != Message::Approximate;
    match scale.is_finite() && scale > 0.0 && !(exact && scale != 1.0) {
        true => Ok(()),
        false => Err(format!(
            "scale {scale}; it is positive and finite, and 1 for exact messages"
        )),
    }
}

pub(super) fn same_secret(a: &CtType, b: &CtType) -> Result<(), String> {
    match a.secret == b.secret {
        true => Ok(()),
        false => Err(format!(
            "operand 1 is under {}, operand 2 under {}",
            a.secret, b.secret
        )),
    }
}

pub(super) fn sum(a: &CtType, b: &CtType) -> Result<CtType, String> {
    same_level(a, b)?;
    same_secret(a, b)?;
    if a.parts != b.parts {
        return Err(format!(
            "operand 1 has {} parts, operand 2 has {}; a sum needs equal parts: relinearise first",
            a.parts, b.parts
        ));
    }
    same_messages(a, b, |left, right| left == right)?;
    Ok(*a)
}

pub(super) fn product(a: &CtType, b: &CtType) -> Result<CtType, String> {
    same_level(a, b)?;
    same_secret(a, b)?;
    if (a.parts, b.parts) != (2, 2) {
        return Err(format!(
            "operand 1 has {} parts, operand 2 has {}; a product takes 2 and 2: relinearise first",
            a.parts, b.parts
        ));
    }
    same_messages(a, b, |_, _| true)?;
    let message = match (a.message, b.message) {
        (Message::Exact { modulus, factor }, Message::Exact { factor: other, .. }) => {
            let product = u128::from(factor) * u128::from(other) % u128::from(modulus.max(1));
            let factor = product as u64; // below the modulus
            Message::Exact { modulus, factor }
        }
        (message, _) => message,
    };
    Ok(CtType { message, ..*a })
}

/// Refuses messages of two kinds or moduli, or whose factors are not as they have to be.
pub(super) fn same_messages(
    a: &CtType,
    b: &CtType,
    factors: impl Fn(u64, u64) -> bool,
) -> Result<(), String> {
    let same = match (a.message, b.message) {
        (Message::Approximate, Message::Approximate) => true,
        (
            Message::Exact { modulus, factor },
            Message::Exact {
                modulus: m,
                factor: f,
            },
        ) => modulus == m && factors(factor, f),
        _ => false,
    };
    match same {
        true => Ok(()),
        false => Err(format!(
            "{} and {} have messages of different kinds or factors",
            type_text(a),
            type_text(b)
        )),
    }
}

pub(super) fn same_types<'a>(
    what: &str,
    given: impl ExactSizeIterator<Item = &'a CtType>,
    expected: impl Iterator<Item = &'a CtType>,
) -> Result<(), String> {
    let expected: Vec<&CtType> = expected.collect();
    if given.len() != expected.len() {
        return Err(format!(
            "the number of {what} is {}; the function has {}",
            given.len(),
            expected.len()
        ));
    }
    match given
        .zip(expected)
        .find(|(given, expected)| given != expected)
    {
        Some((given, expected)) => Err(format!(
            "one of the {what} is {}, the function has {}",
            type_text(given),
            type_text(expected)
        )),
        None => Ok(()),
    }
}

pub(super) fn claim(fact: &Fact) -> Result<(), String> {
    let refuse = |what, given: f64, allowed| Err(format!("{what} {given}; allowed: {allowed}"));
    match *fact {
        Fact::Bounded { max, .. } if !(max.is_finite() && max > 0.0) => {
            refuse("bounded by", max, "a finite number above 0")
        }
        Fact::Slope { gain, .. } if !(gain.is_finite() && gain >= 0.0) => {
            refuse("a gain of", gain, "a finite number, 0 or more")
        }
        Fact::Rows { norm, .. } if !(norm.is_finite() && norm >= 0.0) => {
            refuse("rows of norm", norm, "a finite number, 0 or more")
        }
        Fact::Near { off, .. } | Fact::Settled { off, .. } | Fact::Corrected { off, .. }
            if !(off.is_finite() && off >= 0.0) =>
        {
            refuse("off by", off, "a finite number, 0 or more")
        }
        Fact::Placed { ref of, .. } if of.is_empty() => {
            Err("placed from no value; allowed: one or more".into())
        }
        _ => Ok(()),
    }
}

pub(super) fn values(constant: &Constant) -> Result<(), String> {
    let name = &constant.name;
    let known = |len: usize, wrong: Option<String>| match (len.is_power_of_two(), wrong) {
        (false, _) => Err(format!(
            "constant `{name}` has {len} values; allowed are powers of two"
        )),
        (true, Some(value)) => Err(format!("constant `{name}` holds {value}")),
        (true, None) => Ok(()),
    };
    match &constant.values {
        Values::Real(values) => {
            let wrong = values.iter().find(|value| !value.is_finite());
            known(values.len(), wrong.map(f64::to_string))
        }
        Values::Complex(values) => {
            let wrong = values.iter().flatten().find(|value| !value.is_finite());
            known(values.len(), wrong.map(f64::to_string))
        }
        Values::Integer(values) => known(values.len(), None),
        &Values::Argument { max, rms } => match max.is_finite() && (0.0..=max).contains(&rms) {
            true => Ok(()),
            false => Err(format!(
                "plain argument `{name}` of max {max} and rms {rms}; finite, 0 <= rms <= max allowed"
            )),
        },
    }
}

pub(super) fn unique<'a>(
    names: impl Iterator<Item = &'a String>,
    what: &str,
) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for name in names {
        if name.is_empty() {
            return Err(format!("a {what} has an empty name"));
        }
        if !seen.insert(name) {
            return Err(format!("two {what}s are called `{name}`"));
        }
    }
    Ok(())
}
