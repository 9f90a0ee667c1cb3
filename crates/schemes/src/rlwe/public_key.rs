//! Public keys: they encrypt.

use super::residues::check_poly;
use super::towers::ciphertext_towers;
use super::{programs, Error, Identity, PublicSeed, Ring};
use ringwright_ring::RnsPoly;
use std::sync::Arc;

/// (b, a) = (-a·s + e, a), evaluation form under all ciphertext primes.
#[derive(Clone, Debug)]
pub struct PublicKey {
    ring: Ring,
    identity: Identity,
    b: Arc<RnsPoly>,
    a: Arc<RnsPoly>,
    mask: Option<PublicSeed>,
}

impl PublicKey {
    /// From words.
    ///
    /// # Errors
    /// Polynomials that do not belong to the ring.
    pub fn new(ring: &Ring, b: Arc<RnsPoly>, a: Arc<RnsPoly>) -> Result<Self, Error> {
        for poly in [&b, &a] {
            check_poly("public key", poly, ring, ring.q(), ring.levels())?;
        }
        Ok(Self {
            ring: ring.clone(),
            identity: Identity::UNKNOWN,
            b,
            a,
            mask: None,
        })
    }

    /// From its half that is not uniform, and the seed of the other.
    ///
    /// # Errors
    /// As [`PublicKey::new`].
    pub fn from_mask(ring: &Ring, b: Arc<RnsPoly>, mask: PublicSeed) -> Result<Self, Error> {
        let basis = ciphertext_towers(ring.levels());
        let a = mask.uniform(ring, &basis, &programs::public_mask(ring))?;
        Ok(Self::new(ring, b, Arc::new(a))?.with_mask(mask))
    }

    /// The same; `a` was drawn from this seed.
    pub(super) fn with_mask(self, mask: PublicSeed) -> Self {
        let mask = Some(mask);
        Self { mask, ..self }
    }

    /// The seed of its uniform half, where that is known.
    pub fn mask(&self) -> Option<PublicSeed> {
        self.mask
    }

    /// The same, of a secret key that is known.
    pub fn with_identity(self, identity: Identity) -> Self {
        Self { identity, ..self }
    }

    /// The secret key that it belongs to.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// The ring it was made for.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// -a·s + e.
    pub fn b(&self) -> &Arc<RnsPoly> {
        &self.b
    }

    /// The uniform part.
    pub fn a(&self) -> &Arc<RnsPoly> {
        &self.a
    }
}

/// (b, a) = (-a·s + e, a), evaluation form under all primes, special ones included.
#[derive(Clone, Debug)]
pub struct ExtendedPublicKey {
    ring: Ring,
    b: Arc<RnsPoly>,
    a: Arc<RnsPoly>,
}

impl ExtendedPublicKey {
    /// From words.
    ///
    /// # Errors
    /// Polynomials that do not belong to the ring.
    pub fn new(ring: &Ring, b: Arc<RnsPoly>, a: Arc<RnsPoly>) -> Result<Self, Error> {
        let primes = ring.primes();
        for poly in [&b, &a] {
            check_poly("public key", poly, ring, &primes, primes.len())?;
        }
        Ok(Self {
            ring: ring.clone(),
            b,
            a,
        })
    }

    /// The ring it was made for.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// -a·s + e.
    pub fn b(&self) -> &Arc<RnsPoly> {
        &self.b
    }

    /// The uniform part.
    pub fn a(&self) -> &Arc<RnsPoly> {
        &self.a
    }

    /// The same key under the ciphertext primes alone, with which we encrypt.
    ///
    /// # Errors
    /// None for a checked key.
    pub fn restricted(&self) -> Result<PublicKey, Error> {
        let cut = |poly: &RnsPoly| Arc::new(poly.first(self.ring.levels()));
        PublicKey::new(&self.ring, cut(&self.b), cut(&self.a))
    }
}
