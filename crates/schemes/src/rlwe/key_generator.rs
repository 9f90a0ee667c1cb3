//! Generates keys by running the key programs on a device.

use super::lowered::{run, run_for, Lowered};
use super::programs::{self, SwitchKind};
use super::residues::check_ring;
use super::secret_key::zeroize_poly;
use super::seeds::SeedSource;
use super::{
    free_memory, Birth, Error, EvaluationKeys, ExtendedPublicKey, Identity, KeyShape, KeyStore,
    PublicKey, PublicSeed, Ring, SecretKey, SwitchingKey,
};
use crate::security::Insecure;
use ringwright_arith::Modulus;
use ringwright_ir::he::{KeyId, SecretId};
use ringwright_ir::{interrupt, Value};
use ringwright_ring::sampler::{self, Xof};
use ringwright_ring::{RnsPoly, Seed};
use ringwright_target::Device;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Makes keys for one ring. A secret takes a fresh seed, and with it an identity and a root,
/// from which the randomness of its other keys is derived: asked again for a key, a generator makes the
/// same one, which is what lets a client repeat a server's computation word by word. A secret of
/// another library has no root; its keys take fresh seeds.
pub struct KeyGenerator {
    ring: Ring,
    lowered: Lowered<Program>,
    seeds: SeedSource,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Program {
    Secret,
    SecretToEvaluations,
    Public,
    ExtendedPublic,
    Switch(SwitchKind, KeyShape),
}

impl KeyGenerator {
    /// Seeds come from the operating system.
    pub fn new(ring: &Ring, device: Arc<dyn Device>) -> Self {
        Self::with_seeds(ring, device, SeedSource::System)
    }

    /// Seeds follow from the caller's: the same keys every time. For tests and vectors.
    pub fn with_insecure_seed(
        ring: &Ring,
        device: Arc<dyn Device>,
        seed: [u8; 32],
        insecure: Insecure,
    ) -> Self {
        Self::with_seeds(ring, device, SeedSource::fixed(seed, insecure))
    }

    fn with_seeds(ring: &Ring, device: Arc<dyn Device>, seeds: SeedSource) -> Self {
        Self {
            ring: ring.clone(),
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
            .get(Program::Secret, || programs::keygen_secret(&self.ring))?;
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
            &self.ring,
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
        if ternary.len() != self.ring.n() {
            return shape(
                format!("{} coefficients", ternary.len()),
                self.ring.n().to_string(),
            );
        }
        if ternary
            .iter()
            .any(|coefficient| !(-1..=1).contains(coefficient))
        {
            return shape("a coefficient out of range".into(), "-1, 0 or 1".into());
        }
        let kernel = self.lowered.get(Program::SecretToEvaluations, || {
            programs::secret_to_evaluations(&self.ring)
        })?;
        let mut coefficients = Arc::new(self.lift(ternary)?);
        let result = run_for(&*kernel, &[Value::Poly(coefficients.clone())]);
        zeroize_poly(&mut coefficients);
        let [towers] = result?;
        let ternary = Zeroizing::new(ternary.to_vec());
        Ok(SecretKey::from_run(&self.ring, ternary, towers, birth))
    }

    /// The public key of a secret.
    ///
    /// # Errors
    /// A secret of other ring, no randomness, or a device that cannot run the program.
    pub fn public_key(&self, secret: &SecretKey) -> Result<PublicKey, Error> {
        check_ring("secret key", secret.ring(), &self.ring)?;
        let kernel = self
            .lowered
            .get(Program::Public, || programs::keygen_public(&self.ring))?;
        let (inputs, mask) = self.inputs(secret, "public key")?;
        let [b, a] = run_for(&*kernel, &inputs)?;
        let key = PublicKey::new(&self.ring, b, a)?.with_mask(mask);
        Ok(key.with_identity(secret.identity()))
    }

    /// A public key for libraries that encrypt under all primes: SEAL divides by the special prime
    /// afterwards, which rounds most of the noise away.
    ///
    /// # Errors
    /// As [`KeyGenerator::public_key`].
    pub fn extended_public_key(&self, secret: &SecretKey) -> Result<ExtendedPublicKey, Error> {
        check_ring("secret key", secret.ring(), &self.ring)?;
        let kernel = self.lowered.get(Program::ExtendedPublic, || {
            programs::keygen_extended_public(&self.ring)
        })?;
        let (inputs, _) = self.inputs(secret, "extended public key")?;
        let [b, a] = run_for(&*kernel, &inputs)?;
        ExtendedPublicKey::new(&self.ring, b, a)
    }

    /// The evaluation keys that programs ask for (see [`super::required_keys`]), for every level.
    ///
    /// # Errors
    /// As [`KeyGenerator::evaluation_keys_of`].
    pub fn evaluation_keys(
        &self,
        secret: &SecretKey,
        wanted: &BTreeSet<KeyId>,
    ) -> Result<EvaluationKeys, Error> {
        let shape = |&id| Ok((id, KeyShape::whole(&self.ring, id)?));
        let wanted = wanted.iter().map(shape).collect::<Result<_, Error>>()?;
        self.evaluation_keys_of(secret, &wanted)
    }

    /// Evaluation keys, each of its own shape (see [`super::required_shapes`]).
    ///
    /// # Errors
    /// As [`KeyGenerator::public_key`]; [`Error::NoSpecialPrimes`]; a key between secrets that are not this
    /// one and a sparse one derived from it; a sparse one beyond its row of the security table; keys larger
    /// than the memory that is free ([`Error::Memory`]).
    pub fn evaluation_keys_of(
        &self,
        secret: &SecretKey,
        wanted: &BTreeMap<KeyId, KeyShape>,
    ) -> Result<EvaluationKeys, Error> {
        self.evaluation_keys_in(secret, wanted, KeyStore::memory())
    }

    /// The same keys, where the store has them lie.
    ///
    /// # Errors
    /// As [`KeyGenerator::evaluation_keys_of`], and [`Error::Storage`].
    pub fn evaluation_keys_in(
        &self,
        secret: &SecretKey,
        wanted: &BTreeMap<KeyId, KeyShape>,
        mut store: KeyStore,
    ) -> Result<EvaluationKeys, Error> {
        check_ring("secret key", secret.ring(), &self.ring)?;
        store.check(&self.ring, wanted.values())?;
        let mut mult = None;
        let mut galois = BTreeMap::new();
        let mut between = Vec::new();
        let counted = interrupt::expect(wanted.len() as u64);
        for (&id, shape) in wanted {
            interrupt::check()?;
            match id {
                KeyId::Mult => {
                    let key = self.switching_key(secret, id, SwitchKind::Square, shape)?;
                    mult = Some(store.keep(key)?);
                }
                KeyId::Galois(element) => {
                    let kind = SwitchKind::Automorphism(element);
                    let key = self.switching_key(secret, id, kind, shape)?;
                    galois.insert(element, store.keep(key)?);
                }
                KeyId::Switch { from, to } => {
                    let key = self.encapsulation_key(secret, id, shape)?;
                    between.push((from, to, store.keep(key)?));
                }
            }
            counted.advance(1);
        }
        let mut keys = EvaluationKeys::new(&self.ring, mult, galois)?;
        for (from, to, key) in between {
            keys = keys.with_switch(from, to, key)?;
        }
        Ok(keys.with_identity(secret.identity()))
    }

    /// The key that takes ciphertexts under one secret to the other: whoever has it re-encrypts, and
    /// reads nothing.
    ///
    /// # Errors
    /// As [`KeyGenerator::evaluation_keys_of`].
    pub fn switching_key_between(
        &self,
        from: &SecretKey,
        to: &SecretKey,
        shape: &KeyShape,
    ) -> Result<SwitchingKey, Error> {
        for secret in [from, to] {
            check_ring("secret key", secret.ring(), &self.ring)?;
        }
        free_memory::check("a switching key", shape.bytes(&self.ring))?;
        let purpose = self.purpose("switching key between secrets", shape)?;
        let (seed, mask) = match (from.birth(), to.birth()) {
            // Two secrets under one seed would show their difference: the seed is these two's alone.
            (Some(from), Some(to)) => {
                let from = from.root.derive("switched from", &self.ring.id());
                seeds_of(&to.root, &purpose, from.expose())
            }
            _ => seeds_of(&self.seeds.draw()?, &purpose, b""),
        };
        let inputs = [
            Value::Poly(to.towers().clone()),
            Value::Poly(from.towers().clone()),
            seed,
            mask.value(),
        ];
        self.run_switch(SwitchKind::Other, shape, &inputs, mask)
    }

    /// A key between a secret and a sparse one derived from it, one way or the other. The key to the
    /// sparse one is under two primes only, whatever was asked for.
    fn encapsulation_key(
        &self,
        secret: &SecretKey,
        id: KeyId,
        shape: &KeyShape,
    ) -> Result<SwitchingKey, Error> {
        let two_secrets = || Error::TwoSecrets { key: id };
        let (to_sparse, other) = match id {
            KeyId::Switch { from, to } if from == SecretId::MAIN => (true, to),
            KeyId::Switch { from, to } if to == SecretId::MAIN => (false, from),
            _ => return Err(two_secrets()),
        };
        let sparse = self.sparse_secret(secret, other.weight().ok_or_else(two_secrets)?)?;
        if !to_sparse {
            return self.switching_key_between(&sparse, secret, shape);
        }
        let narrow = KeyShape::encapsulated(&self.ring)?;
        if *shape != narrow {
            return Err(Error::Shape {
                what: format!("shape of the key ({id})"),
                given: shape.to_string(),
                expected: narrow.to_string(),
            });
        }
        self.switching_key_between(secret, &sparse, shape)
    }

    /// The secret of so many coefficients that belongs to this one, from its root: the same every time.
    ///
    /// # Errors
    /// A weight beyond its row of the security table, or more than N; a secret without a root.
    fn sparse_secret(&self, secret: &SecretKey, weight: u16) -> Result<SecretKey, Error> {
        self.ring.check_encapsulated(weight)?;
        let purpose = format!("encapsulated secret of weight {weight}");
        let seed = secret.derive(&purpose, &self.ring.id())?;
        let internal = |error: &dyn std::fmt::Display| Error::Internal(error.to_string());
        let xof = Xof::new(&seed, "coefficients", 0).map_err(|error| internal(&error))?;
        let mut ternary = Zeroizing::new(vec![0; self.ring.n()]);
        sampler::sparse(xof, weight.into(), &mut ternary).map_err(|error| Error::Shape {
            what: "encapsulated secret".into(),
            given: error.to_string(),
            expected: "at most N coefficients that are not 0".into(),
        })?;
        let birth = Birth {
            identity: Identity::UNKNOWN,
            root: secret.derive(&format!("{purpose}, root"), &self.ring.id())?,
        };
        self.secret_restored(&ternary, Some(birth))
    }

    fn switching_key(
        &self,
        secret: &SecretKey,
        id: KeyId,
        kind: SwitchKind,
        shape: &KeyShape,
    ) -> Result<SwitchingKey, Error> {
        let purpose = self.purpose(&format!("switching key {id}"), shape)?;
        let (inputs, mask) = self.inputs(secret, &purpose)?;
        self.run_switch(kind, shape, &inputs, mask)
    }

    fn run_switch(
        &self,
        kind: SwitchKind,
        shape: &KeyShape,
        inputs: &[Value],
        mask: PublicSeed,
    ) -> Result<SwitchingKey, Error> {
        let kernel = self.lowered.get(Program::Switch(kind, shape.clone()), || {
            programs::keygen_switch(&self.ring, kind, shape)
        })?;
        let polys = run(&*kernel, inputs)?;
        let polys = polys.into_iter().map(Arc::unwrap_or_clone).collect();
        Ok(SwitchingKey::of_shape(&self.ring, shape.clone(), polys)?.with_mask(mask))
    }

    /// What a key's seed is derived for. Keys that lift by another factor take another seed: under the
    /// same one their difference would be a multiple of what they switch from.
    fn purpose(&self, key: &str, shape: &KeyShape) -> Result<String, Error> {
        match KeyShape::full(&self.ring)?.lifts_like(shape) {
            true => Ok(key.to_string()),
            false => Ok(format!(
                "{key}, digits of {}, [{}]",
                shape.grouping(),
                shape.special()
            )),
        }
    }

    /// The secret, the randomness of one of its keys, and the public part of that.
    fn inputs(&self, secret: &SecretKey, key: &str) -> Result<([Value; 3], PublicSeed), Error> {
        let (seed, mask) = match secret.birth() {
            Some(birth) => seeds_of(&birth.root, key, &self.ring.id()),
            None => seeds_of(&self.seeds.draw()?, key, &self.ring.id()),
        };
        let secret = Value::Poly(secret.towers().clone());
        Ok(([secret, seed, mask.value()], mask))
    }

    /// Small integers under all primes, in constant time.
    fn lift(&self, values: &[i8]) -> Result<RnsPoly, Error> {
        let mut words = Vec::with_capacity(values.len() * self.ring.primes().len());
        for index in 0..self.ring.primes().len() {
            let modulus = self.modulus(index)?;
            words.extend(values.iter().map(|&value| modulus.from_i128(value.into())));
        }
        RnsPoly::from_words(values.len(), words).map_err(|error| Error::Internal(error.to_string()))
    }

    fn modulus(&self, index: usize) -> Result<Modulus<u64>, Error> {
        Modulus::new(self.ring.primes()[index]).map_err(|error| Error::Internal(error.to_string()))
    }
}

/// The secret seed of a key's errors, and the public one of its uniform half. Before uniform halves had
/// seeds of their own, errors came from `root.derive(key)`: under that label a key made again would have
/// the old one's errors beside another uniform half, and their difference would be the secret.
fn seeds_of(root: &Seed, key: &str, context: &[u8]) -> (Value, PublicSeed) {
    let errors = root.derive(&format!("errors of the {key}"), context);
    (
        Value::Seed(Arc::new(errors)),
        PublicSeed::derived(root, key, context),
    )
}
