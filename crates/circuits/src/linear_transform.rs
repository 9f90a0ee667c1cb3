//! A matrix times an encrypted vector, by its diagonals.
//!
//! y_i = Σ_k M\[i, i+k\]·x_(i+k): slot i of x rotated by k, times diagonal k, summed over the
//! diagonals that are not zero (Halevi, Shoup, "Algorithms in HElib", CRYPTO 2014, section 4.3).
//! Diagonals count from -(rows - 1) to columns - 1 and do not wrap, so that a matrix of any shape
//! reads no slot beyond its columns and leaves zeros beyond its rows; only where a matrix is as
//! wide as all slots do rotations by k and k - slots fall together.
//!
//! **Baby steps, giant steps** (same paper): with k = g·b + j,
//! y = Σ_g rotate(Σ_j rotate(diagonal_(g·b+j), -g·b) ⊙ rotate(x, j), g·b). The rotations by j are
//! of one value and share its digits; those by g·b are not. The b of least cost is
//! taken, composed rotations counted as what they take.
//!
//! One level: the diagonals are encoded at the scale that makes the result's the one asked for, and one
//! rescaling follows all rotations.

mod diagonals;
pub(crate) mod rotations;

use crate::polynomial::check_scale;
use crate::Error;
use diagonals::{first_row, Diagonals};
use ringwright_ir::he::Values;
use ringwright_ir::ring::ValueId;
use ringwright_schemes::ckks::ProgramBuilder;
use rotations::Rotations;
use std::collections::BTreeMap;

/// A real matrix, ready to be applied.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearTransform {
    rows: usize,
    columns: usize,
    diagonals: Diagonals,
}

impl LinearTransform {
    /// From its entries, row by row.
    ///
    /// # Errors
    /// No rows or columns, entries that are not finite, or only zeros.
    pub fn new(rows: usize, columns: usize, entries: &[f64]) -> Result<Self, Error> {
        let refuse = |what, given: String, allowed| {
            Err(Error::range("linear transform", what, given, allowed))
        };
        if rows == 0 || columns == 0 || rows.checked_mul(columns) != Some(entries.len()) {
            let given = format!("{} for {rows} rows and {columns} columns", entries.len());
            return refuse("entries", given, "rows times columns, at least 1");
        }
        if let Some(entry) = entries.iter().find(|entry| !entry.is_finite()) {
            return refuse("entry", entry.to_string(), "finite numbers");
        }
        let diagonals = diagonals::of_entries(rows, columns, entries);
        Self::of(rows, columns, diagonals)
    }

    /// From its diagonals, by column minus row: the number of the main one is 0, of those above it 1
    /// and up, of those below it -1 and down. Each has the entries that lie in the matrix, from its
    /// top or left edge on; those that are not given are zero. The matrix is never formed.
    ///
    /// # Errors
    /// No rows or columns, or more than any parameters have slots; a number outside 1 - rows to
    /// columns - 1; another length than the diagonal's, entries that are not finite, or only zeros.
    pub fn from_diagonals(
        rows: usize,
        columns: usize,
        diagonals: BTreeMap<isize, Vec<f64>>,
    ) -> Result<Self, Error> {
        let diagonals = diagonals::checked(rows, columns, diagonals)?;
        Self::of(rows, columns, diagonals)
    }

    fn of(rows: usize, columns: usize, diagonals: Diagonals) -> Result<Self, Error> {
        if diagonals.is_empty() {
            let (what, allowed) = ("entries other than 0", "at least one");
            return Err(Error::range("linear transform", what, "none", allowed));
        }
        Ok(Self {
            rows,
            columns,
            diagonals,
        })
    }

    /// Numbers of the result.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Numbers that it takes.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Diagonals that are not zero.
    pub fn diagonals(&self) -> usize {
        self.diagonals.len()
    }

    /// Adds the product with the vector in the first slots of `x`; one level, the default scale.
    ///
    /// # Errors
    /// As [`LinearTransform::apply_to`].
    pub fn apply(&self, builder: &mut ProgramBuilder, x: ValueId) -> Result<ValueId, Error> {
        let scale = builder.parameters().scale();
        self.apply_to(builder, x, scale)
    }

    /// Adds the product with the vector in the first slots of `x`; one level, at this scale.
    ///
    /// # Errors
    /// A scale that is not a finite number of 1 or more; more rows or columns than slots, too few
    /// levels, values that do not fit at that scale or are lost in noise.
    pub fn apply_to(
        &self,
        builder: &mut ProgramBuilder,
        x: ValueId,
        scale: f64,
    ) -> Result<ValueId, Error> {
        check_scale("linear transform", scale)?;
        let slots = builder.parameters().slots();
        for (what, given) in [("rows", self.rows), ("columns", self.columns)] {
            if given > slots {
                let allowed = format!("up to the {slots} slots");
                return Err(Error::range("linear transform", what, given, allowed));
            }
        }
        let factors = self.by_rotation(slots).into_iter();
        let factors = factors.map(|(steps, all)| (steps, Values::Real(all)));
        let rotations = Rotations::new(factors.collect(), slots);
        rotations.apply_to(builder, x, scale)
    }

    /// What every rotation of x is multiplied with, over all slots.
    fn by_rotation(&self, slots: usize) -> BTreeMap<usize, Vec<f64>> {
        let mut found = BTreeMap::<usize, Vec<f64>>::new();
        for (&diagonal, entries) in &self.diagonals {
            let steps = diagonal.rem_euclid(slots as isize) as usize;
            let factors = found.entry(steps).or_insert_with(|| vec![0.0; slots]);
            let in_rows = factors[first_row(diagonal)..].iter_mut();
            for (factor, entry) in in_rows.zip(entries) {
                *factor += entry;
            }
        }
        found
    }
}
