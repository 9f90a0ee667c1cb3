//! Public keys: they encrypt.

use super::residues::check_poly;
use super::{Error, Identity, Ring};
use ringwright_ring::RnsPoly;
use std::sync::Arc;

/// (b, a) = (-a·s + e, a), evaluation form under all ciphertext primes.
#[derive(Clone, Debug)]
pub struct PublicKey {
    ring: Ring,
    identity: Identity,
    b: Arc<RnsPoly>,
    a: Arc<RnsPoly>,
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
        })
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
        let (n, levels) = (self.ring.n(), self.ring.levels());
        let cut = |poly: &RnsPoly| {
            RnsPoly::from_words(n, poly.words()[..n * levels].to_vec())
                .map(Arc::new)
                .map_err(|error| Error::Internal(error.to_string()))
        };
        PublicKey::new(&self.ring, cut(&self.b)?, cut(&self.a)?)
    }
}
