//! The keys a server holds.

use super::residues::{check_poly, check_ring};
use super::{programs, Error, Identity, KeyShape, PublicSeed, Ring};
use ringwright_ir::he::{KeyId, SecretId};
use ringwright_ring::RnsPoly;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// Takes c·s' to a ciphertext under s: b0, a0, b1, a1, … one pair per digit, evaluation form
/// under the primes of its shape; b_j = -a_j·s + e_j + P·s' on the towers of digit j.
#[derive(Clone)]
pub struct SwitchingKey {
    ring: Ring,
    shape: KeyShape,
    polys: Arc<Vec<RnsPoly>>,
    mask: Option<PublicSeed>,
}

impl fmt::Debug for SwitchingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SwitchingKey({}, {})", self.ring.name(), self.shape)
    }
}

impl SwitchingKey {
    /// From words, for every level.
    ///
    /// # Errors
    /// A number of polynomials or words that do not belong to the ring.
    pub fn new(ring: &Ring, polys: Vec<RnsPoly>) -> Result<Self, Error> {
        Self::of_shape(ring, KeyShape::full(ring)?, polys)
    }

    /// From words, in a shape that was checked against the ring.
    ///
    /// # Errors
    /// A number of polynomials or words that do not belong to the shape.
    pub fn of_shape(ring: &Ring, shape: KeyShape, polys: Vec<RnsPoly>) -> Result<Self, Error> {
        let expected = shape.polys();
        if polys.len() != expected {
            return Err(Error::Shape {
                what: "evaluation key".into(),
                given: format!("{} polynomials", polys.len()),
                expected: format!("{expected}, two per digit"),
            });
        }
        let primes = shape.primes(ring);
        for poly in &polys {
            check_poly("evaluation key", poly, ring, &primes, primes.len())?;
        }
        Ok(Self {
            ring: ring.clone(),
            shape,
            polys: Arc::new(polys),
            mask: None,
        })
    }

    /// From the halves that are not uniform, and the seed of the others.
    ///
    /// # Errors
    /// As [`SwitchingKey::of_shape`].
    pub fn from_mask(
        ring: &Ring,
        shape: KeyShape,
        halves: Vec<RnsPoly>,
        mask: PublicSeed,
    ) -> Result<Self, Error> {
        let (towers, mut polys) = (shape.towers(), Vec::with_capacity(shape.polys()));
        for (digit, b) in halves.into_iter().enumerate() {
            let a = mask.uniform(ring, &towers, &programs::switch_mask(ring, digit))?;
            polys.extend([b, a]);
        }
        Ok(Self::of_shape(ring, shape, polys)?.with_mask(mask))
    }

    /// The same words, where they lie now.
    pub(super) fn with_polys(self, polys: Vec<RnsPoly>) -> Self {
        let polys = Arc::new(polys);
        Self { polys, ..self }
    }

    /// The same; the uniform halves were drawn from this seed.
    pub(super) fn with_mask(self, mask: PublicSeed) -> Self {
        let mask = Some(mask);
        Self { mask, ..self }
    }

    /// The seed of its uniform halves, where that is known.
    pub fn mask(&self) -> Option<PublicSeed> {
        self.mask
    }

    /// The ring it was made for.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// What it covers.
    pub fn shape(&self) -> &KeyShape {
        &self.shape
    }

    /// Whether it covers every level, with the ring's digits and special primes: what other libraries
    /// have a place for.
    pub fn is_full(&self) -> bool {
        KeyShape::full(&self.ring).is_ok_and(|full| full == self.shape)
    }

    /// The polynomials.
    pub fn polys(&self) -> &Arc<Vec<RnsPoly>> {
        &self.polys
    }
}

/// The evaluation keys a server holds.
#[derive(Clone, Debug)]
pub struct EvaluationKeys {
    ring: Ring,
    identity: Identity,
    mult: Option<SwitchingKey>,
    galois: BTreeMap<u64, SwitchingKey>,
    switch: BTreeMap<(SecretId, SecretId), SwitchingKey>,
}

impl EvaluationKeys {
    /// A set of keys.
    ///
    /// # Errors
    /// A key of other ring, or a number that is none of the ring's Galois elements.
    pub fn new(
        ring: &Ring,
        mult: Option<SwitchingKey>,
        galois: BTreeMap<u64, SwitchingKey>,
    ) -> Result<Self, Error> {
        for key in mult.iter().chain(galois.values()) {
            check_ring("evaluation key", key.ring(), ring)?;
        }
        let (kind, log_n) = (ring.kind(), ring.log_n());
        if let Some(element) = galois.keys().find(|&&g| !kind.is_galois(log_n, g)) {
            return Err(Error::Shape {
                what: "evaluation key".into(),
                given: format!("Galois element {element}"),
                expected: kind.galois_elements(log_n),
            });
        }
        Ok(Self {
            ring: ring.clone(),
            identity: Identity::UNKNOWN,
            mult,
            galois,
            switch: BTreeMap::new(),
        })
    }

    /// No keys: enough for programs of additions and plaintext products.
    pub fn none(ring: &Ring) -> Self {
        Self {
            ring: ring.clone(),
            identity: Identity::UNKNOWN,
            mult: None,
            galois: BTreeMap::new(),
            switch: BTreeMap::new(),
        }
    }

    /// The same, of a secret key that is known.
    pub fn with_identity(self, identity: Identity) -> Self {
        Self { identity, ..self }
    }

    /// The secret key that they belong to.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// The ring they were made for.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// The relinearisation key.
    pub fn mult(&self) -> Option<&SwitchingKey> {
        self.mult.as_ref()
    }

    /// Keys of automorphisms, by Galois element.
    pub fn galois(&self) -> &BTreeMap<u64, SwitchingKey> {
        &self.galois
    }

    /// Keys that take one secret to another.
    pub fn switch(&self) -> &BTreeMap<(SecretId, SecretId), SwitchingKey> {
        &self.switch
    }

    /// The same with a key that takes one secret to another, in place of one for the same two.
    ///
    /// # Errors
    /// A key of other parameters.
    pub fn with_switch(
        mut self,
        from: SecretId,
        to: SecretId,
        key: SwitchingKey,
    ) -> Result<Self, Error> {
        check_ring("evaluation key", key.ring(), &self.ring)?;
        self.switch.insert((from, to), key);
        Ok(self)
    }

    /// One key.
    ///
    /// # Errors
    /// [`Error::MissingKey`] names it and those there are.
    pub fn get(&self, key: KeyId) -> Result<&SwitchingKey, Error> {
        let found = match key {
            KeyId::Mult => self.mult.as_ref(),
            KeyId::Galois(element) => self.galois.get(&element),
            KeyId::Switch { from, to } => self.switch.get(&(from, to)),
        };
        found.ok_or_else(|| Error::MissingKey {
            key,
            needed_by: String::new(),
            given: self.list(),
        })
    }

    /// Every key, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (KeyId, &SwitchingKey)> {
        let mult = self.mult.iter().map(|key| (KeyId::Mult, key));
        let galois = self.galois.iter();
        let galois = galois.map(|(&element, key)| (KeyId::Galois(element), key));
        let switch = self.switch.iter();
        let switch = switch.map(|(&(from, to), key)| (KeyId::Switch { from, to }, key));
        mult.chain(galois).chain(switch)
    }

    /// The keys there are.
    pub fn ids(&self) -> BTreeSet<KeyId> {
        self.iter().map(|(id, _)| id).collect()
    }

    /// What each of them covers.
    pub fn shapes(&self) -> BTreeMap<KeyId, KeyShape> {
        let shapes = self.iter().map(|(id, key)| (id, key.shape().clone()));
        shapes.collect()
    }

    /// The keys there are, for messages.
    pub(crate) fn list(&self) -> String {
        match self.ids() {
            ids if ids.is_empty() => "none".to_string(),
            ids => ids
                .iter()
                .map(KeyId::to_string)
                .collect::<Vec<_>>()
                .join(", "),
        }
    }
}
