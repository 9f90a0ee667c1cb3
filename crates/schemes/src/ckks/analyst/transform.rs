//! What is known of a matrix times a vector.
//!
//! A slot of the result is a sum over a row of the matrix. Errors of slots that have nothing in common add
//! up by the squares of the row's entries, others by their sizes. What the matrix adds itself:
//!
//! | by | coefficient noise |
//! |---|---|
//! | every constant | what rounding it adds to a product |
//! | all baby steps | the errors of a key switch before any rounding, times the row, by squares |
//! | every giant step, and the division at the end | those of a key switch |

use super::{check_scale, factor, Analyst, Operands, Outcome};
use crate::ckks::origins::Origins;
use crate::ckks::{Error, Estimate};
use ringwright_ir::he::{largest_rows, Term};
use ringwright_ring::automorphism::galois_of_rotation;
use std::collections::BTreeSet;

impl Analyst {
    /// The product.
    pub(super) fn transformed(
        &self,
        operands: Operands,
        terms: &[Term],
        scale: f64,
    ) -> Result<Outcome, Error> {
        check_scale(scale)?;
        let (a, model) = (operands.args[0], &self.model);
        let known = self.of(a);
        let values = |term: &Term| &operands.constants[term.constant].values;
        let factors = terms.iter().map(|term| factor(values(term), scale));
        let factors: Vec<_> = factors.collect();
        let slots = self.parameters.slots();
        let begin = |term: &Term| term.giant.rem_euclid(slots as i32) as usize;
        let rows = largest_rows(terms.iter().map(|term| (begin(term), values(term))), slots);
        let is_even = self.is_even(a);
        let norm = rows[usize::from(is_even)];
        let sizes = || factors.iter().map(|factor| factor.rms);
        let mean_row = sizes().fold(0.0, f64::hypot);
        let average = match is_even {
            true => mean_row,
            false => sizes().sum(),
        };
        let (mut max, mut rms) = (0.0, 0.0);
        let mut rounding = [0f64; 2];
        for factor in &factors {
            max += known.max * factor.max;
            rms += (known.rms * factor.max).min(known.max * factor.rms);
            rounding[0] = rounding[0].hypot(model.constant_rounding_average(known, factor));
            rounding[1] = rounding[1].hypot(model.constant_rounding(known, factor));
        }
        let max = f64::min(max, known.max * rows[0]);
        let level = known.level.into();
        let babies = scale * model.key_switch_errors(level);
        let moved = terms.iter().map(|term| term.giant);
        let giants: BTreeSet<i32> = moved.filter(|&giant| giant != 0).collect();
        let switches = model.key_switch(level) * (giants.len() as f64 + 1.0).sqrt();
        let [own, own_average] = [rows[1], mean_row].map(|row| (babies * row).hypot(switches));
        let inherited = average * scale * known.noise;
        let noise = inherited.hypot(rounding[0]).hypot(own_average);
        let estimate = Estimate {
            scale: known.scale * scale,
            max,
            rms: f64::min(rms, max),
            noise,
            ..known.clone()
        };
        let double = model.double_precision(&estimate);
        let turned = terms.iter().zip(&factors).map(|(term, factor)| {
            let steps = term.baby + term.giant;
            let origins = self.origins.of(a).clone();
            self.rotated(origins, steps).scaled(factor.max * scale)
        });
        let inherited = turned.reduce(|sum, next| sum.plus(&next));
        let inherited = inherited.ok_or_else(|| Error::Internal("a matrix of no terms".into()))?;
        // One by one they may add up to more than the rows allow.
        let (all, most) = (
            inherited.deviation(self.origins.groups()),
            norm * scale * known.peak,
        );
        let inherited = match all > most {
            true => inherited.scaled(most / all),
            false => inherited,
        };
        let product = Outcome {
            estimate,
            inherited,
            added: 0.0,
        };
        let own = model.alone() * own;
        Ok(product.with(rounding[1]).with(own).with(double))
    }

    /// Errors as a rotation turns them.
    fn rotated(&self, origins: Origins, steps: i32) -> Origins {
        let (kind, log_n) = (self.parameters.kind(), self.parameters.log_n());
        let galois = galois_of_rotation(kind, steps, log_n);
        origins.turned(galois, kind.order(log_n) / 2)
    }
}
