//! Takes ciphertexts from one secret to another.

use super::lineage::Origin;
use super::{Ciphertext, Error, Lineage, NoiseModel, Parameters};
use super::{Estimate, ResultErrors};
use crate::rlwe::{self, check_ring, Identity, SwitchingKey};
use ringwright_ir::he::SecretId;
use ringwright_target::Device;
use std::sync::Arc;

/// Re-encrypts ciphertexts of two parts, of any level that its key reaches.
pub struct Switcher {
    parameters: Parameters,
    polynomials: rlwe::Switcher,
    to: Identity,
}

impl Switcher {
    /// With the key between two secrets; `identity` is that of the secret that ciphertexts come under.
    ///
    /// # Errors
    /// A key of other parameters.
    pub fn new(
        parameters: &Parameters,
        secrets: (SecretId, SecretId),
        key: SwitchingKey,
        identity: Identity,
        device: Arc<dyn Device>,
    ) -> Result<Self, Error> {
        Ok(Self {
            parameters: parameters.clone(),
            polynomials: rlwe::Switcher::new(parameters, secrets, key, device)?,
            to: identity,
        })
    }

    /// The same message under the other secret, with the noise of a key switch more.
    ///
    /// # Errors
    /// A ciphertext of other parameters, of three parts, or above the levels of the key; a device that
    /// cannot run the program.
    pub fn switch(&self, ciphertext: &Ciphertext) -> Result<Ciphertext, Error> {
        check_ring("ciphertext", ciphertext.parameters(), &self.parameters)?;
        let [c0, c1] = ciphertext.parts() else {
            return Err(Error::Parts {
                operation: "switch",
                name: "the ciphertext".to_string(),
                given: ciphertext.parts().len() as u8,
                allowed: "2",
            });
        };
        let parts = self.polynomials.switch([c0, c1])?.to_vec();
        let shape = self.polynomials.key().shape();
        let model = NoiseModel::new(&self.parameters);
        let added = model.switch_with(ciphertext.level(), shape, SecretId::MAIN);
        let own = model.alone() * added;
        let before = ciphertext.ty();
        let ty = Estimate {
            noise: before.noise.hypot(added),
            peak: before.peak.hypot(own),
            ..before
        };
        let errors = ResultErrors {
            inherited: vec![ciphertext.peak()],
            own,
            even: false,
        };
        let inputs = [(ciphertext.lineage(), ciphertext.peak())];
        let lineage = Lineage::of_result(&inputs, &errors, Origin::next());
        let switched = Ciphertext::from_run(&self.parameters, parts, &ty, self.to, lineage);
        switched.with_length(ciphertext.length())
    }
}
