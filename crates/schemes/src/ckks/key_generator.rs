//! Generates keys by running the key programs on a device.

use super::keys::zeroize_poly;
use super::lowered::{run, run_for, Lowered};
use super::programs::{self, SwitchKind};
use super::residues::check_parameters;
use super::seeds::SeedSource;
use super::{
    Birth, Error, EvaluationKeys, ExtendedPublicKey, Identity, Parameters, PublicKey, SecretKey,
    SwitchingKey,
};
use crate::security::Insecure;
use ringwright_arith::Modulus;
use ringwright_ir::he::KeyId;
use ringwright_ir::{interrupt, Value};
use ringwright_ring::RnsPoly;
use ringwright_target::Device;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Makes keys for one parameter set. A secret takes a fresh seed, and with it an identity and a root,
/// from which the randomness of its other keys is derived: asked again for a key, a generator makes the
/// same one, which is what lets a client repeat a server's computation word by word. A secret of
/// another library has no root; its keys take fresh seeds.
pub struct KeyGenerator {
    parameters: Parameters,
    lowered: Lowered<Shape>,
    seeds: SeedSource,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Secret,
    SecretToEvaluations,
    Public,
    ExtendedPublic,
    Switch(KeyId),
}

impl KeyGenerator {
    /// Seeds come from the operating system.
    pub fn new(parameters: &Parameters, device: Arc<dyn Device>) -> Self {
        Self::with_seeds(parameters, device, SeedSource::System)
    }

    /// Seeds follow from the caller's: the same keys every time. For tests and vectors.
    pub fn with_insecure_seed(
        parameters: &Parameters,
        device: Arc<dyn Device>,
        seed: [u8; 32],
        insecure: Insecure,
    ) -> Self {
        Self::with_seeds(parameters, device, SeedSource::fixed(seed, insecure))
    }

    fn with_seeds(parameters: &Parameters, device: Arc<dyn Device>, seeds: SeedSource) -> Self {
        Self {
            parameters: parameters.clone(),
            lowered: Lowered::new(device),
            seeds,
        }
    }

    /// A fresh ternary secret.
    ///
    /// # Errors
    /// No randomness, or a device that cannot run the program.
    pub fn secret_key(&self) -> Result<SecretKey, Error> {
        let kernel = self
            .lowered
            .get(Shape::Secret, || programs::keygen_secret(&self.parameters))?;
        let seed = Value::Seed(self.seeds.next()?);
        let [mut coefficients, towers] = run_for(&*kernel, &[seed])?;
        let q = self.modulus(0)?;
        let ternary = coefficients
            .words()
            .iter()
            .map(|&word| q.centred(word) as i8)
            .collect();
        zeroize_poly(&mut coefficients);
        let root = self.seeds.draw()?;
        let identity = Identity::drawn(&self.seeds.draw()?);
        Ok(SecretKey::from_run(
            &self.parameters,
            Zeroizing::new(ternary),
            towers,
            Some(Birth { identity, root }),
        ))
    }

    /// A secret of another library, from its N coefficients.
    ///
    /// # Errors
    /// A length other than N, or a coefficient other than -1, 0, 1; its value is not named.
    pub fn secret_from_ternary(&self, ternary: &[i8]) -> Result<SecretKey, Error> {
        self.secret_restored(ternary, None)
    }

    /// A secret read back, with what was saved beside it.
    ///
    /// # Errors
    /// As [`KeyGenerator::secret_from_ternary`].
    pub fn secret_restored(
        &self,
        ternary: &[i8],
        birth: Option<Birth>,
    ) -> Result<SecretKey, Error> {
        let shape = |given: String, expected: String| {
            Err(Error::Shape {
                what: "secret key".into(),
                given,
                expected,
            })
        };
        if ternary.len() != self.parameters.n() {
            return shape(
                format!("{} coefficients", ternary.len()),
                self.parameters.n().to_string(),
            );
        }
        if ternary
            .iter()
            .any(|coefficient| !(-1..=1).contains(coefficient))
        {
            return shape("a coefficient out of range".into(), "-1, 0 or 1".into());
        }
        let kernel = self.lowered.get(Shape::SecretToEvaluations, || {
            programs::secret_to_evaluations(&self.parameters)
        })?;
        let mut coefficients = Arc::new(self.lift(ternary)?);
        let result = run_for(&*kernel, &[Value::Poly(coefficients.clone())]);
        zeroize_poly(&mut coefficients);
        let [towers] = result?;
        let ternary = Zeroizing::new(ternary.to_vec());
        Ok(SecretKey::from_run(
            &self.parameters,
            ternary,
            towers,
            birth,
        ))
    }

    /// The public key of a secret.
    ///
    /// # Errors
    /// A secret of other parameters, no randomness, or a device that cannot run the program.
    pub fn public_key(&self, secret: &SecretKey) -> Result<PublicKey, Error> {
        check_parameters("secret key", secret.parameters(), &self.parameters)?;
        let kernel = self
            .lowered
            .get(Shape::Public, || programs::keygen_public(&self.parameters))?;
        let [b, a] = run_for(&*kernel, &self.inputs(secret, "public key")?)?;
        Ok(PublicKey::new(&self.parameters, b, a)?.with_identity(secret.identity()))
    }

    /// A public key for libraries that encrypt under all primes: SEAL divides by the special prime
    /// afterwards, which rounds most of the noise away.
    ///
    /// # Errors
    /// As [`KeyGenerator::public_key`].
    pub fn extended_public_key(&self, secret: &SecretKey) -> Result<ExtendedPublicKey, Error> {
        check_parameters("secret key", secret.parameters(), &self.parameters)?;
        let kernel = self.lowered.get(Shape::ExtendedPublic, || {
            programs::keygen_extended_public(&self.parameters)
        })?;
        let [b, a] = run_for(&*kernel, &self.inputs(secret, "extended public key")?)?;
        ExtendedPublicKey::new(&self.parameters, b, a)
    }

    /// The evaluation keys that programs ask for (see [`super::required_keys`]).
    ///
    /// # Errors
    /// As [`KeyGenerator::public_key`], and [`Error::ClientOnly`] without special primes.
    pub fn evaluation_keys(
        &self,
        secret: &SecretKey,
        wanted: &BTreeSet<KeyId>,
    ) -> Result<EvaluationKeys, Error> {
        check_parameters("secret key", secret.parameters(), &self.parameters)?;
        let mut mult = None;
        let mut galois = BTreeMap::new();
        for &id in wanted {
            interrupt::check()?;
            let key = self.switching_key(secret, id)?;
            match id {
                KeyId::Mult => mult = Some(key),
                KeyId::Galois(element) => {
                    galois.insert(element, key);
                }
            }
        }
        let keys = EvaluationKeys::new(&self.parameters, mult, galois)?;
        Ok(keys.with_identity(secret.identity()))
    }

    fn switching_key(&self, secret: &SecretKey, id: KeyId) -> Result<SwitchingKey, Error> {
        let kind = match id {
            KeyId::Mult => SwitchKind::Square,
            KeyId::Galois(element) => SwitchKind::Automorphism(element),
        };
        let kernel = self.lowered.get(Shape::Switch(id), || {
            programs::keygen_switch(&self.parameters, kind)
        })?;
        let inputs = self.inputs(secret, &format!("switching key {id}"))?;
        let polys = run(&*kernel, &inputs)?;
        let polys = polys.into_iter().map(Arc::unwrap_or_clone).collect();
        SwitchingKey::new(&self.parameters, polys)
    }

    /// The secret, and the randomness of one of its keys.
    fn inputs(&self, secret: &SecretKey, key: &str) -> Result<[Value; 2], Error> {
        let seed = match secret.birth() {
            Some(birth) => Arc::new(birth.root.derive(key, &self.parameters.id())),
            None => self.seeds.next()?,
        };
        Ok([Value::Poly(secret.towers().clone()), Value::Seed(seed)])
    }

    /// Small integers under all primes, in constant time.
    fn lift(&self, values: &[i8]) -> Result<RnsPoly, Error> {
        let mut words = Vec::with_capacity(values.len() * self.parameters.primes().len());
        for index in 0..self.parameters.primes().len() {
            let modulus = self.modulus(index)?;
            words.extend(values.iter().map(|&value| modulus.from_i128(value.into())));
        }
        RnsPoly::from_words(values.len(), words).map_err(|error| Error::Internal(error.to_string()))
    }

    fn modulus(&self, index: usize) -> Result<Modulus<u64>, Error> {
        Modulus::new(self.parameters.primes()[index])
            .map_err(|error| Error::Internal(error.to_string()))
    }
}
