//! What is asked for.

/// An index bit: 0 is the lowest, log2 N and above are the batch's.
pub type Bit = u8;

/// Which way a transform goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// Coefficients to evaluations.
    Forward,
    /// Evaluations to coefficients, with the division by N.
    Inverse,
}

/// The butterflies that a machine offers, a and b words, w a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// (a + w b, a - w b).
    CooleyTukey,
    /// (a + b, (a - b) w).
    GentlemanSande,
}

/// 2^`log_batch` transforms of Z_q\[X\]/(X^N + 1), N = 2^`log_n`, one after the other in memory.
///
/// Evaluation i is a(psi^(2 brv(i) + 1)), brv reversing log2 N bits: the order that a forward
/// transform without a final permutation leaves. A [`crate::Plan`] may move index bits about in
/// memory; its first and last [`crate::Layout`] say how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Problem {
    /// log2 of N.
    pub log_n: u8,
    /// log2 of the number of transforms.
    pub log_batch: u8,
    /// Forward or inverse.
    pub direction: Direction,
    /// The butterfly of every stage. A forward transform takes [`Form::CooleyTukey`] alone; an
    /// inverse with it instead of [`Form::GentlemanSande`] needs a product with powers of psi at
    /// the end.
    pub form: Form,
}

impl Problem {
    /// One forward transform.
    pub fn forward(log_n: u8) -> Self {
        Self {
            log_n,
            log_batch: 0,
            direction: Direction::Forward,
            form: Form::CooleyTukey,
        }
    }

    /// One inverse transform with Gentleman-Sande butterflies.
    pub fn inverse(log_n: u8) -> Self {
        Self {
            direction: Direction::Inverse,
            form: Form::GentlemanSande,
            ..Self::forward(log_n)
        }
    }

    /// The same, 2^`log_batch` times.
    pub fn batch(self, log_batch: u8) -> Self {
        Self { log_batch, ..self }
    }

    /// Index bits, those of the batch included.
    pub fn bits(&self) -> u8 {
        self.log_n + self.log_batch
    }

    /// The bits in the order of their stages.
    pub fn stages(&self) -> Vec<u8> {
        match self.direction {
            Direction::Forward => (0..self.log_n).rev().collect(),
            Direction::Inverse => (0..self.log_n).collect(),
        }
    }
}
