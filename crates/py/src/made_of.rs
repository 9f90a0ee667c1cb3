//! What a bootstrapping is made of.

use crate::integer::{count, Integer};
use pyo3::prelude::*;
use ringwright_circuits::BootstrapShape;

/// The attributes of `ringwright.ckks.Bootstrapping`.
#[derive(FromPyObject)]
pub struct MadeOf {
    weight: Integer,
    log_ratio: f64,
    to_coefficients: Integer,
    degree: Integer,
    doublings: Integer,
    arcsine: Integer,
    to_slots: Integer,
    iterations: Integer,
    period: Option<Integer>,
}

impl MadeOf {
    /// As Rust has it.
    pub fn read(self) -> PyResult<BootstrapShape> {
        let period = self.period.map(|period| count("period", period));
        Ok(BootstrapShape {
            weight: count("weight", self.weight)?,
            log_ratio: self.log_ratio,
            to_coefficients: count("to_coefficients", self.to_coefficients)?,
            degree: count("degree", self.degree)?,
            doublings: count("doublings", self.doublings)?,
            arcsine: count("arcsine", self.arcsine)?,
            to_slots: count("to_slots", self.to_slots)?,
            iterations: count("iterations", self.iterations)?,
            period: period.transpose()?,
        })
    }
}
