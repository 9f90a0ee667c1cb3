//! How an object begins and ends. Nothing in it says how long it is and there is no checksum; but every
//! object has its crypto context before its first tower, and its basis behind the last.
//!
//! ```text
//! 1 endianness · what is before the context · up to 4 versions of classes · the context's mark · its class
//! ```
//! Before the context stand, in a ciphertext and a public key, the object's own mark; in a key, the name of
//! its class; in a map of keys also their number and the first index; and in what `SerializeEval…String`
//! gives the tag before that.

use super::archive::{half, word, DECLARED, LITTLE_ENDIAN, NEW};
use super::LIBRARY;
use crate::foreign::ForeignError;

/// The class of the parameters in a context, spelt out once in every object.
const CONTEXT: &[u8] = b"lbcrypto::CryptoParametersCKKSRNS";
/// The class of evaluation keys.
const KEY: &[u8] = b"lbcrypto::EvalKeyRelinImpl<lbcrypto::DCRTPoly>";
/// Versions of a class and its bases.
const MOST_VERSIONS: usize = 4;
/// Largest version, and longest tag.
const MOST: u64 = 1 << 12;
/// After a tower: its form, its prime's mark and number, its polynomial's form.
const BEFORE_BASIS: usize = 4 + 8 + 4;
/// Numbers of a basis: its modulus and three that are not used.
const INTEGERS: usize = 4;

/// Refuses bytes that do not begin as an object does, context included.
pub(super) fn check(bytes: &[u8]) -> Result<(), ForeignError> {
    let begins = bytes.first() == Some(&LITTLE_ENDIAN)
        && openings(bytes)
            .into_iter()
            .flatten()
            .any(|at| context_at(bytes, at));
    match begins {
        true => Ok(()),
        false => Err(ForeignError::Magic {
            library: LIBRARY,
            given: bytes.iter().take(9).copied().collect(),
            expected:
                "an object serialised with BINARY, from its first byte on, that carries a CKKS \
                       context",
        }),
    }
}

/// Where a polynomial ends whose last tower does at `at`: with its basis, by number or spelt out.
pub(super) fn end_of_poly(bytes: &[u8], at: usize) -> Option<usize> {
    let basis = at + BEFORE_BASIS;
    if half(bytes, basis)? != DECLARED {
        return None;
    }
    let number = half(bytes, basis + 4)?;
    let mut at = basis + 8;
    if number & NEW != 0 {
        at += 8; // cyclotomic order and ring degree
        for _ in 0..INTEGERS {
            let limbs = word(bytes, at).filter(|limbs| *limbs < MOST)? as usize;
            at += 8 + 8 * limbs + 4;
        }
        let primes = word(bytes, at).filter(|primes| *primes < MOST)? as usize;
        at += 8 + 8 * primes; // each by its number
    }
    (at <= bytes.len()).then_some(at)
}

/// Where versions and context may follow.
fn openings(bytes: &[u8]) -> [Option<usize>; 4] {
    let tagged = tag(bytes);
    [
        mark(bytes, 1),
        key(bytes, 1),
        map(bytes, 1),
        tagged.and_then(|at| map(bytes, at).or_else(|| key(bytes, at + 8))),
    ]
}

/// A number that announces an object which has not occurred before.
fn is_new(number: Option<u32>) -> bool {
    number.is_some_and(|number| number & NEW != 0 && u64::from(number & !NEW) < MOST)
}

/// `00 00 00 40` and the object's number.
fn mark(bytes: &[u8], at: usize) -> Option<usize> {
    let declared = half(bytes, at) == Some(DECLARED);
    (declared && is_new(half(bytes, at + 4))).then_some(at + 8)
}

/// The name of the class of keys under a number, and the key's.
fn key(bytes: &[u8], at: usize) -> Option<usize> {
    let name = text(bytes, at + 4)?;
    let named = is_new(half(bytes, at)) && bytes.get(name.clone()) == Some(KEY);
    (named && is_new(half(bytes, name.end))).then_some(name.end + 4)
}

/// A map's number, how many keys it has, the first index, and a key.
fn map(bytes: &[u8], at: usize) -> Option<usize> {
    let keys = word(bytes, at + 4)?;
    (is_new(half(bytes, at)) && keys > 0).then_some(())?;
    key(bytes, at + 4 + 8 + 4)
}

/// One map of maps, and the tag of its only entry.
fn tag(bytes: &[u8]) -> Option<usize> {
    let maps = word(bytes, 1)?;
    let tag = text(bytes, 9)?;
    (maps == 1).then_some(tag.end)
}

/// Where a text stands whose length is here.
fn text(bytes: &[u8], at: usize) -> Option<std::ops::Range<usize>> {
    let length = word(bytes, at).filter(|length| *length < MOST)? as usize;
    let begin = at + 8;
    (begin + length <= bytes.len()).then_some(begin..begin + length)
}

/// Whether the context follows, some versions later.
fn context_at(bytes: &[u8], at: usize) -> bool {
    (0..=MOST_VERSIONS).any(|versions| {
        let small = |index| half(bytes, at + 4 * index).is_some_and(|v| u64::from(v) < MOST);
        let context = at + 4 * versions;
        (0..versions).all(small) && is_context(bytes, context)
    })
}

/// The context's mark, its version, the number of its parameters' class, and that class.
fn is_context(bytes: &[u8], at: usize) -> bool {
    let Some(version) = mark(bytes, at) else {
        return false;
    };
    let small = half(bytes, version).is_some_and(|v| u64::from(v) < MOST);
    let name = text(bytes, version + 8);
    let named = name.and_then(|name| bytes.get(name)) == Some(CONTEXT);
    small && is_new(half(bytes, version + 4)) && named
}
