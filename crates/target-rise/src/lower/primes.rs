//! The device's constants, made for each prime that it works with.

use crate::config::Config;
use crate::twiddles::Constants;
use ringwright_ir::ring::{Module, TowerIdx};
use ringwright_ir::RunError;

/// Constants in the order in which primes are asked for.
pub struct Primes<'a> {
    config: &'a Config,
    module: &'a Module,
    /// Position in `constants` of each of the module's primes.
    known: Vec<Option<u32>>,
    /// So far.
    pub constants: Vec<Constants>,
}

impl<'a> Primes<'a> {
    /// None yet.
    pub fn new(config: &'a Config, module: &'a Module) -> Self {
        Primes {
            config,
            module,
            known: vec![None; module.primes.len()],
            constants: Vec::new(),
        }
    }

    /// The position of a prime's constants; refuses one that the machine's words do not hold.
    pub fn position(&mut self, tower: TowerIdx) -> Result<u32, RunError> {
        if let Some(position) = self.known[tower.index()] {
            return Ok(position);
        }
        let q = self.module.prime(tower);
        self.config.check_modulus(q)?;
        let constants = Constants::new(self.module.log_n, q as u64).map_err(RunError::Invalid)?;
        let position = self.constants.len() as u32;
        self.constants.push(constants);
        self.known[tower.index()] = Some(position);
        Ok(position)
    }
}
