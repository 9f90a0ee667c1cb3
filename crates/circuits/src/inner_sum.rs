//! Sums of slots by rotations.

use crate::Error;
use ringwright_ir::ring::ValueId;
use ringwright_schemes::ckks::ProgramBuilder;

/// Slot i becomes the sum of the slots i, i + stride, …, i + (count - 1)·stride, cyclically.
///
/// Sums of 1, 2, 4, … terms are doubled by one rotation each; those that the binary digits of
/// `count` name are added up, each rotated past the ones before it. No level is used.
///
/// # Errors
/// A count or stride outside 1 to the number of slots, and what a rotation refuses.
pub fn inner_sum(
    builder: &mut ProgramBuilder,
    a: ValueId,
    count: usize,
    stride: usize,
) -> Result<ValueId, Error> {
    let slots = builder.parameters().slots();
    for (what, given) in [("count", count), ("stride", stride)] {
        if !(1..=slots).contains(&given) {
            return Err(Error::range("sum", what, given, format!("1 to {slots}")));
        }
    }
    let steps = |terms: usize| (terms * stride % slots) as i32;
    let (mut total, mut done) = (None, 0);
    let (mut doubled, mut terms) = (a, 1);
    loop {
        if count & terms != 0 {
            let part = builder.rotate(doubled, steps(done))?;
            total = Some(match total {
                Some(total) => builder.add(total, part)?,
                None => part,
            });
            done += terms;
        }
        match total {
            Some(total) if done == count => return Ok(total),
            _ => {
                let moved = builder.rotate(doubled, steps(terms))?;
                doubled = builder.add(doubled, moved)?;
                terms *= 2;
            }
        }
    }
}
