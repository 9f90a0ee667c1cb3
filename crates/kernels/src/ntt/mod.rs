//! Number-theoretic transforms.
//!
//! A polynomial a of Z_q\[X\]/(X^N + 1) is given by its values a(psi^(2 brv(i) + 1)), i in
//! 0..N: psi is the smallest primitive 2N-th root of unity modulo q (SEAL's choice) and brv
//! reverses log2 N bits. Multiplication modulo X^N + 1 is multiplication of these words. The
//! conjugate-invariant ring has its values a(psi^(4 brv(i) + 1)), psi of order 4N ([`RingKind`]): the
//! same passes after one more (`fold`).
//!
//! Sources: Longa and Naehrig, "Speeding up the number theoretic transform", 2016 (the twist by
//! psi merged into the twiddles); Harvey, "Faster arithmetic for number-theoretic transforms",
//! 2014 (lazy butterflies with precomputed quotients).

mod fold;
mod forward;
mod inverse;
mod table;

use crate::arch::KernelWord;
use crate::error::{check_isa, check_log_n, PlanError};
use crate::isa::Isa;
use fold::Fold;
use forward::Forward;
use inverse::Inverse;
use ringwright_arith::{Modulus, RingKind, Shoup};
use table::Twiddles;

/// Coefficients of a group that is finished before the next is begun: they share the first-level
/// data cache (32 KiB on the smallest machines we care for, 48 KiB here) with the twiddles.
const CACHE_BYTES: usize = 32 << 10;

/// Registers of coefficients that a pass holds at once: four butterflies at a time, written
/// interleaved, hide the latency of the multiplier.
const HELD: usize = 8;

/// Blocks of a row that bodies with few registers take through the levels of a pass together: more
/// than a processor has in flight, so that no butterfly waits for one of the level before.
const STRIP: usize = 32;

/// Groups of `HELD` blocks whose last levels such bodies do together.
const TAILS: usize = 8;

/// Tables and the chosen body for transforms of one size modulo one prime.
#[derive(Clone, Debug)]
pub struct NttPlan<W: KernelWord> {
    modulus: Modulus<W>,
    kind: RingKind,
    log_n: u32,
    psi: W,
    body: W::Body,
    forward: Twiddles<W>,
    inverse: Twiddles<W>,
    /// 1/N and r^-1/N, r being the root's factor; half of each before a fold is undone.
    scale: [Shoup<W>; 2],
    /// Of the conjugate-invariant ring.
    fold: Option<Fold<W>>,
}

impl<W: KernelWord> NttPlan<W> {
    /// A plan for N = 2^log_n modulo the prime q ≡ 1 mod 2N, on the best instruction set.
    ///
    /// q is below 2^30 (`u32`), 2^62 (`u64`) or 2^127 (`u128`); log_n is 4 to 17.
    pub fn new(log_n: u32, q: W) -> Result<Self, PlanError> {
        Self::with_isa(log_n, q, Isa::detect())
    }

    /// A plan on the given instruction set, or on the best one below it that has a body for this
    /// modulus and size: [`NttPlan::isa`] tells. An instruction set that the machine lacks is
    /// an error.
    pub fn with_isa(log_n: u32, q: W, isa: Isa) -> Result<Self, PlanError> {
        Self::of_ring(RingKind::Standard, log_n, q, isa)
    }

    /// The same for a ring of either kind; q ≡ 1 modulo its [`RingKind::order`].
    pub fn of_ring(kind: RingKind, log_n: u32, q: W, isa: Isa) -> Result<Self, PlanError> {
        check_log_n(log_n)?;
        let modulus = Modulus::new(q)?;
        let psi = kind.psi(&modulus, log_n)?;
        let body = W::choose(check_isa(isa)?, q, 1 << log_n);
        let traits = W::traits(body);
        // The values of a standard polynomial of degree `degree`, or half of them, with psi^degree = -1.
        let log_degree = kind.log_order(log_n) - 1;
        let top = 1 << (log_degree - log_n);
        let psi_inverse = modulus.neg(modulus.pow(psi, (1 << log_degree) - 1));
        // The degree divides q - 1, so its inverse is -(q - 1)/degree.
        let scale = modulus.neg((q.wrapping_sub(W::ONE)) >> log_degree);
        let root = modulus.pow(psi_inverse, 1 << (log_n - 1));
        Ok(Self {
            forward: Twiddles::new(&modulus, psi, top, log_n, traits),
            inverse: Twiddles::new(&modulus, psi_inverse, top, log_n, traits),
            scale: [
                (traits.prepared)(&modulus, scale),
                (traits.prepared)(&modulus, modulus.mul(root, scale)),
            ],
            fold: (kind == RingKind::ConjugateInvariant)
                .then(|| Fold::new(&modulus, modulus.pow(psi, 1 << log_n))),
            modulus,
            kind,
            log_n,
            psi,
            body,
        })
    }

    /// Natural-order coefficients to bit-reversed evaluations, in place; words in [0, q).
    ///
    /// # Panics
    /// If there are not N words.
    pub fn forward(&self, words: &mut [W]) {
        self.run_reduced(words, None);
    }

    /// The same of coefficients elsewhere: into `out`, whatever was there.
    ///
    /// # Panics
    /// If there are not N words of either.
    pub fn forward_into(&self, out: &mut [W], coefficients: &[W]) {
        self.check(coefficients);
        self.run_reduced(out, Some(coefficients));
    }

    fn run_reduced(&self, words: &mut [W], source: Option<&[W]>) {
        self.check(words);
        debug_assert!(self.reduced(source.unwrap_or(words)));
        self.run_forward(words, source, false);
        debug_assert!(self.reduced(words));
    }

    /// The same with input and output below [`NttPlan::lazy_bound`].
    ///
    /// # Panics
    /// If there are not N words.
    pub fn forward_lazy(&self, words: &mut [W]) {
        self.check(words);
        debug_assert!(words.iter().all(|&word| word < self.lazy_bound()));
        self.run_forward(words, None, true);
        debug_assert!(words.iter().all(|&word| word < self.lazy_bound()));
    }

    /// Bit-reversed evaluations to natural-order coefficients, in place, with the division by N;
    /// words in [0, q).
    ///
    /// # Panics
    /// If there are not N words.
    pub fn inverse(&self, words: &mut [W]) {
        self.run_inverse(words, None);
    }

    /// The same of evaluations elsewhere: into `out`, whatever was there.
    ///
    /// # Panics
    /// If there are not N words of either.
    pub fn inverse_into(&self, out: &mut [W], evaluations: &[W]) {
        self.check(evaluations);
        self.run_inverse(out, Some(evaluations));
    }

    fn run_inverse(&self, words: &mut [W], source: Option<&[W]>) {
        self.check(words);
        debug_assert!(self.reduced(source.unwrap_or(words)));
        let kernel = Inverse {
            words: &mut *words,
            source,
            table: self.inverse.view(),
            modulus: &self.modulus,
            scale: self.scale,
        };
        W::enter(self.body, kernel);
        if let Some(fold) = &self.fold {
            fold.undo(words);
        }
        debug_assert!(self.reduced(words));
    }

    /// Exclusive bound of the words of [`NttPlan::forward_lazy`]: 4q, or 2q for `u128`.
    pub fn lazy_bound(&self) -> W {
        let q = self.modulus.value();
        let q2 = q.wrapping_add(q);
        if W::BITS == u128::BITS {
            q2
        } else {
            q2.wrapping_add(q2)
        }
    }

    /// The instruction set in use.
    pub fn isa(&self) -> Isa {
        W::traits(self.body).isa
    }

    /// The modulus.
    pub fn modulus(&self) -> &Modulus<W> {
        &self.modulus
    }

    /// The ring.
    pub fn kind(&self) -> RingKind {
        self.kind
    }

    /// log2 of the ring dimension.
    pub fn log_n(&self) -> u32 {
        self.log_n
    }

    /// The ring dimension N.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// The primitive root of unity that fixes the evaluation form, of the ring's
    /// [`RingKind::order`].
    pub fn psi(&self) -> W {
        self.psi
    }

    fn run_forward(&self, words: &mut [W], mut source: Option<&[W]>, lazy: bool) {
        if let Some(fold) = &self.fold {
            if let Some(source) = source.take() {
                words.copy_from_slice(source);
            }
            fold.apply(words, lazy);
        }
        let kernel = Forward {
            words,
            source,
            table: self.forward.view(),
            modulus: &self.modulus,
            lazy,
        };
        W::enter(self.body, kernel);
    }

    fn reduced(&self, words: &[W]) -> bool {
        words.iter().all(|&word| word < self.modulus.value())
    }

    fn check(&self, words: &[W]) {
        assert_eq!(words.len(), self.n(), "transform of the wrong length");
    }
}
