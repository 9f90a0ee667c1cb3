//! The crypto context of parameters of ours, as OpenFHE 1.6 writes one.
//!
//! On loading it OpenFHE computes all tables again, and chooses the special primes itself: the largest
//! of their length that are no ciphertext primes, as many as cover the longest digit. Parameters
//! with others have no context ([`require`]).
//!
//! Sources: OpenFHE's `save` functions in src/pke/include (cryptocontext.h, schemebase/*-cryptoparameters.h,
//! schemerns/rns-cryptoparameters.h, encoding/encodingparams.h), src/core/include/lattice
//! (ildcrtparams.h, ilparams.h), and `CryptoParametersRNS::PrecomputeCRTTables`; the golden files.

use super::archive::Archive;
use super::LIBRARY;
use crate::foreign::ForeignError;
use ringwright_arith::modulus::Modulus;
use ringwright_arith::primes::next_ntt_prime_below;
use ringwright_arith::roots::minimal_primitive_root_2n;
use ringwright_schemes::ckks::Parameters;

/// Standard deviation of the errors that OpenFHE draws, as a context of its own has it.
const ERRORS: f32 = 3.19;
/// How many of them bound an error.
const ASSURANCE: f32 = 36.0;
/// Bits of the flooding that OpenFHE's other modes of decryption would use.
const STATISTICAL_SECURITY: f64 = 30.0;
/// Enumerators, as OpenFHE numbers them.
const UNIFORM_TERNARY: u32 = 1;
const FIXED_NOISE_MULTIPARTY: u32 = 1;
const NOT_FROM_THE_STANDARDS_TABLES: u32 = 6;
const HYBRID: u32 = 2;
const FIXEDMANUAL: u32 = 0;
const STANDARD: u32 = 0;
const HPS: u32 = 1;
const SLACK: u32 = 3;
const CKKS: u32 = 1;
/// Public-key encryption, key switching, levelled operations.
const FEATURES: u32 = 1 | 2 | 8;
const REGISTER_BITS: u32 = 64;

/// Refuses parameters that OpenFHE would give other special primes or digits.
pub(super) fn require(parameters: &Parameters) -> Result<(), ForeignError> {
    LIBRARY.require_standard(parameters)?;
    let unsupported = |given| {
        Err(ForeignError::Unsupported {
            library: LIBRARY,
            given,
            advice:
                "OpenFHE takes the largest primes of one length that are no ciphertext primes, as \
                     many as cover the longest digit, and digits of ⌈levels/digits⌉ towers",
        })
    };
    if parameters.p().is_empty() {
        return unsupported("parameters without special primes".to_string());
    }
    let (levels, digit) = (parameters.levels(), parameters.digit());
    let expected = special_primes(parameters);
    if parameters.p() != expected {
        let given = parameters.p();
        return unsupported(format!("special primes {given:?}, not {expected:?}"));
    }
    match levels.div_ceil(parameters.digits(levels)) == digit {
        true => Ok(()),
        false => unsupported(format!("{levels} levels in digits of {digit} towers")),
    }
}

/// Those that OpenFHE chooses beside the ciphertext primes.
fn special_primes(parameters: &Parameters) -> Vec<u64> {
    let bits = special_bits(parameters);
    let digits = parameters.grouping().cut(parameters.q()).into_iter();
    let longest = digits.map(|primes| Product::of(primes).bits).max();
    let count = longest.unwrap_or(0).div_ceil(bits) as usize;
    let below = |bound: &u128| next_ntt_prime_below(*bound, parameters.log_n());
    std::iter::successors(below(&(1 << bits)), below)
        .map(|prime| prime as u64)
        .filter(|prime| !parameters.q().contains(prime))
        .take(count)
        .collect()
}

fn special_bits(parameters: &Parameters) -> u32 {
    parameters.p()[0].ilog2() + 1
}

/// The context, or its number where it was written before.
pub(super) fn context(archive: &mut Archive, parameters: &Parameters) {
    archive.declared(("context", 0), |archive| {
        archive.class("CryptoContextImpl", &[1]);
        let name = "lbcrypto::CryptoParametersCKKSRNS";
        archive.derived(name, ("parameters", 0), |archive| {
            crypto_parameters(archive, parameters)
        });
        archive.derived("lbcrypto::SchemeCKKSRNS", ("scheme", 0), |archive| {
            archive.class("SchemeCKKSRNS", &[0; 5]);
            archive.u32(FEATURES);
        });
        archive.u32(CKKS);
    });
}

fn crypto_parameters(archive: &mut Archive, parameters: &Parameters) {
    let levels = parameters.levels();
    archive.class("CryptoParametersCKKSRNS", &[0; 4]);
    basis(archive, parameters, Basis::Level(levels));
    archive.declared(("encoding", 0), |archive| {
        archive.class("EncodingParamsImpl", &[0]);
        // The scale's bits stand in the plaintext modulus; then a root, a larger modulus and its root.
        archive.u64(parameters.scale().log2().round() as u64);
        archive.u64s(&[0; 3]);
        archive.u32s(&[0, parameters.slots() as u32]);
    });
    archive.f32(ERRORS);
    archive.f32(ASSURANCE);
    archive.u64(1); // the errors' factor
    archive.u32(0); // digits of words, for BV key switching
    archive.f64(0.0); // an estimate of noise, for other schemes
    let depth = levels as u32 - 1;
    archive.u32s(&[depth, 0, 0, 0]); // additions, key switches, re-encryptions
    archive.u32s(&[2, UNIFORM_TERNARY]); // the highest power of the secret
    archive.u32s(&[
        0,
        FIXED_NOISE_MULTIPARTY,
        0,
        0,
        NOT_FROM_THE_STANDARDS_TABLES,
    ]);
    archive.f64(0.0); // flooding
    archive.f64(STATISTICAL_SECURITY);
    archive.f64(1.0); // queries
    archive.u32(1); // parties
    archive.u32s(&[HYBRID, FIXEDMANUAL, STANDARD, HPS]);
    archive.u32s(&[
        parameters.digits(levels) as u32,
        special_bits(parameters),
        0,
    ]);
    archive.u32s(&[SLACK, 1, REGISTER_BITS, 0]); // composite degree; real data
}

/// The primes of a polynomial.
#[derive(Clone, Copy)]
pub(super) enum Basis {
    /// Of ciphertexts with this many towers.
    Level(usize),
    /// Of evaluation keys.
    Extended,
}

impl Basis {
    pub(super) fn primes(self, parameters: &Parameters) -> Vec<u64> {
        match self {
            Basis::Level(level) => parameters.q()[..level].to_vec(),
            Basis::Extended => parameters.primes(),
        }
    }

    /// An extended basis has objects of its own for the ciphertext primes.
    fn kinds(self) -> [&'static str; 2] {
        match self {
            Basis::Level(_) => ["basis", "prime"],
            Basis::Extended => ["extended basis", "extended prime"],
        }
    }
}

/// A basis, or its number where it was written before.
pub(super) fn basis(archive: &mut Archive, parameters: &Parameters, which: Basis) {
    let primes = which.primes(parameters);
    let object = (which.kinds()[0], primes.len() as u64);
    archive.declared(object, |archive| {
        archive.class("ILDCRTParams", &[0; 2]);
        order(archive, parameters);
        archive.class("BigInteger", &[0]);
        let modulus = Product::of(&primes);
        for number in [modulus, Product::zero(), Product::zero(), Product::zero()] {
            archive.len(number.limbs.len());
            archive.u64s(&number.limbs);
            archive.u32(number.bits);
        }
        archive.len(primes.len());
        primes
            .iter()
            .for_each(|prime_| prime(archive, parameters, which, *prime_));
    });
}

/// A prime with its root, or its number where it was written before.
pub(super) fn prime(archive: &mut Archive, parameters: &Parameters, basis: Basis, prime: u64) {
    archive.declared((basis.kinds()[1], prime), |archive| {
        archive.class("ILParamsImpl", &[0; 2]);
        order(archive, parameters);
        archive.class("NativeInteger", &[0]);
        let root = root(prime, parameters.log_n());
        archive.u64s(&[prime, root, 0, 0]);
    });
}

fn root(prime: u64, log_n: u32) -> u64 {
    let modulus = Modulus::new(prime).expect("a prime of checked parameters");
    minimal_primitive_root_2n(&modulus, log_n).expect("which is 1 modulo 2N")
}

/// Cyclotomic order and ring degree.
fn order(archive: &mut Archive, parameters: &Parameters) {
    let n = parameters.n() as u32;
    archive.u32s(&[2 * n, n]);
}

/// An integer of several words, the least significant first.
struct Product {
    limbs: Vec<u64>,
    bits: u32,
}

impl Product {
    fn zero() -> Self {
        Self {
            limbs: vec![0],
            bits: 0,
        }
    }

    fn of(factors: &[u64]) -> Self {
        let mut limbs = vec![1_u64];
        for factor in factors {
            let mut carry = 0;
            for limb in &mut limbs {
                let wide = u128::from(*limb) * u128::from(*factor) + u128::from(carry);
                (*limb, carry) = (wide as u64, (wide >> u64::BITS) as u64);
            }
            if carry > 0 {
                limbs.push(carry);
            }
        }
        let top = limbs.last().map_or(0, |limb| limb.leading_zeros());
        let bits = u64::BITS * limbs.len() as u32 - top;
        Self { limbs, bits }
    }
}
