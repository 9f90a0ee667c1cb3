//! Draws streams together.

use super::tower_op::{invalid, word};
use crate::plan::{Kind, Place, TowerOp, SMALL_BIAS};
use crate::tables::Tower;
use crate::width::Width;
use ringwright_ir::ring::Distribution;
use ringwright_ir::RunError;
use ringwright_kernels::Keccak;
use ringwright_ring::sampler::{self, Draw, Xof};
use ringwright_ring::{Seed, Wiped};
use std::sync::Arc;

/// What streams are drawn with.
pub struct Drawing<'r, W: Width> {
    pub keccak: Keccak,
    /// Tables of all primes of the module.
    pub towers: &'r [Arc<Tower<W>>],
    /// Seed parameters of the function.
    pub seeds: &'r [&'r Seed],
}

impl<W: Width> Drawing<'_, W> {
    /// Draws uniform residues, and biased ternary and binomial integers, each into its tower.
    pub fn run(&self, streams: Vec<(&TowerOp<Place>, &mut [W])>) -> Result<(), RunError> {
        let n = streams.first().map_or(0, |(_, out)| out.len());
        let mut narrow = Wiped::<i8>::zeros(n * streams.len());
        let mut integers = narrow.chunks_exact_mut(n.max(1));
        let (mut draws, mut small) = (Vec::new(), Vec::new());
        for (op, out) in streams {
            draws.push(match (&op.kind, integers.next()) {
                (Kind::SampleUniform { stream, seed }, _) => {
                    let xof = self.stream(*seed, stream, op.prime)?;
                    Draw::uniform(xof, &self.towers[op.prime].modulus, out)
                }
                (Kind::SampleSmall { dist, stream, seed }, Some(integers)) => {
                    small.push((draws.len(), out));
                    let xof = self.stream(*seed, stream, 0)?;
                    match dist {
                        Distribution::Ternary => Draw::ternary(xof, integers),
                        Distribution::Binomial21 => Draw::binomial21(xof, integers),
                        _ => return Err(invalid(format!("{dist:?} is drawn alone"))),
                    }
                }
                (kind, _) => return Err(invalid(format!("{kind:?} is no stream"))),
            });
        }
        sampler::draw(&self.keccak, draws);
        for (index, out) in small {
            let integers = narrow[index * n..][..n].iter();
            let biased = |x: i8| word(SMALL_BIAS.wrapping_add_signed(x.into()));
            out.iter_mut()
                .zip(integers)
                .for_each(|(out, &x)| *out = biased(x));
        }
        Ok(())
    }

    /// The stream of a seed parameter under a prime, or of integers for all primes.
    fn stream(&self, seed: usize, name: &str, part: usize) -> Result<Xof, RunError> {
        Xof::new(self.seeds[seed], name, part as u16).map_err(invalid)
    }
}
