//! The canonical embedding of CKKS: a fast Fourier transform in `f64`.
//!
//! Let zeta = exp(i pi/N) and n = N/2. A real polynomial m of degree below N is given by its
//! values z_j = m(zeta^(5^j)), j in 0..n; the other primitive 2N-th roots give their conjugates
//! (Cheon, Kim, Kim, Song, "Homomorphic encryption for arithmetic of approximate numbers", 2017).
//! At these points X^n = i, so m is read as the complex polynomial of degree below n with
//! coefficients m_k + i m_(k+n), modulo X^n - i.
//!
//! X^n - i is split down a binary tree as in `ntt`. A node at depth d stands for a residue r
//! modulo 2^d and the polynomial X^t - zeta^(t 5^r), t = n/2^d; its children are r and r + 2^d.
//! So leaves are slots in bit-reversed order, and the order of the powers of 5 needs no table.
//!
//! **Same bits everywhere.** Each butterfly is the same few additions and multiplications, each
//! rounded once, on every instruction set; twiddles come from `libm`, not from the system.
//!
//! **Error.** A level multiplies by twiddles that are correct to 3u, u = 2^-53, multiplies complex
//! numbers with error 2 sqrt(2) u and adds with error u, all relative to the 2-norm (Higham,
//! "Accuracy and Stability of Numerical Algorithms", section 24.1). A transform is therefore
//! within 7 u log2 n of the exact one, relative to the 2-norm of the result, to first order in u.
//! The scaling by 1/n is exact.

mod passes;

use crate::arch::RealBody;
use crate::error::{check_isa, check_log_n, PlanError};
use crate::isa::Isa;
use passes::{Forward, Inverse, Twiddles};
use ringwright_arith::bits::bit_reverse;
use std::f64::consts::PI;

/// Tables and the chosen body for the embedding of one ring dimension.
#[derive(Clone, Debug)]
pub struct EmbeddingPlan {
    log_n: u32,
    body: RealBody,
    twiddles: Twiddles,
}

impl EmbeddingPlan {
    /// A plan for ring dimension N = 2^log_n, log_n in 4..=17, on the best instruction set.
    pub fn new(log_n: u32) -> Result<Self, PlanError> {
        Self::with_isa(log_n, Isa::detect())
    }

    /// A plan on the given instruction set; one that the machine lacks is an error.
    pub fn with_isa(log_n: u32, isa: Isa) -> Result<Self, PlanError> {
        check_log_n(log_n)?;
        let isa = check_isa(isa)?;
        Ok(Self {
            log_n,
            body: RealBody::choose(isa, 1 << (log_n - 1)),
            twiddles: twiddles(log_n),
        })
    }

    /// The instruction set in use.
    pub fn isa(&self) -> Isa {
        self.body.isa()
    }

    /// Number of slots, N/2.
    pub fn slots(&self) -> usize {
        1 << (self.log_n - 1)
    }

    /// log2 of the ring dimension.
    pub fn log_n(&self) -> u32 {
        self.log_n
    }

    /// Coefficients (`re`: 0..N/2, `im`: N/2..N) to slot values (real and imaginary parts).
    ///
    /// # Panics
    /// If `re` or `im` does not have N/2 elements.
    pub fn forward(&self, re: &mut [f64], im: &mut [f64]) {
        self.check(re, im);
        self.body.enter(Forward {
            twiddles: &self.twiddles,
            re: &mut *re,
            im: &mut *im,
        });
        self.reverse_bits(re);
        self.reverse_bits(im);
    }

    /// Slot values (real and imaginary parts) to the coefficients of the real polynomial
    /// (`re`: 0..N/2, `im`: N/2..N).
    ///
    /// # Panics
    /// If `re` or `im` does not have N/2 elements.
    pub fn inverse(&self, re: &mut [f64], im: &mut [f64]) {
        self.check(re, im);
        self.reverse_bits(re);
        self.reverse_bits(im);
        self.body.enter(Inverse {
            twiddles: &self.twiddles,
            re,
            im,
        });
    }

    fn check(&self, re: &[f64], im: &[f64]) {
        assert_eq!(re.len(), self.slots(), "real parts of the wrong length");
        assert_eq!(
            im.len(),
            self.slots(),
            "imaginary parts of the wrong length"
        );
    }

    fn reverse_bits(&self, values: &mut [f64]) {
        for i in 0..values.len() {
            let j = bit_reverse(i, self.log_n - 1);
            if i < j {
                values.swap(i, j);
            }
        }
    }
}

/// Node k = 2^d + brv_d(r) has zeta^((t/2) 5^r), t = n/2^d; entry 0 is unused.
fn twiddles(log_n: u32) -> Twiddles {
    let slots = 1_usize << (log_n - 1);
    let order = 2_usize << log_n;
    let powers: Vec<usize> = std::iter::successors(Some(1), |power| Some(power * 5 % order))
        .take(slots)
        .collect();
    let mut twiddles = Twiddles {
        cos: vec![1.0; slots],
        sin: vec![0.0; slots],
    };
    for node in 1..slots {
        let depth = node.ilog2();
        let residue = bit_reverse(node - (1 << depth), depth);
        let exponent = (powers[residue] << (log_n - 2 - depth)) % order;
        (twiddles.cos[node], twiddles.sin[node]) = root_of_unity(exponent, log_n);
    }
    twiddles
}

/// Real and imaginary part of exp(i pi e/N), e in 0..2N, each within 3u: the sine and cosine are
/// taken of an angle in the first octant, where it is known to 2u pi/4.
fn root_of_unity(e: usize, log_n: u32) -> (f64, f64) {
    let quarter = 1 << (log_n - 1);
    let (quadrant, rest) = (e / quarter, e % quarter);
    let angle = |e: usize| e as f64 * (PI / (2 * quarter) as f64);
    let (sin, cos) = if rest <= quarter / 2 {
        libm::sincos(angle(rest))
    } else {
        let (sin, cos) = libm::sincos(angle(quarter - rest));
        (cos, sin)
    };
    match quadrant {
        0 => (cos, sin),
        1 => (-sin, cos),
        2 => (-cos, -sin),
        _ => (sin, -cos),
    }
}
