//! The secret key: whoever holds it reads everything.

use super::shared_results::{SharedResult, SharedResults};
use super::{Error, Identity, Ring};
use ringwright_ring::{RnsPoly, Seed};
use std::fmt;
use std::sync::Arc;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// A ternary secret. Zeroised when dropped, hidden from `Debug`, not serialisable and not
/// clonable: writing it anywhere takes a deliberate call of [`SecretKey::ternary`].
pub struct SecretKey {
    ring: Ring,
    ternary: Zeroizing<Vec<i8>>,
    towers: Arc<RnsPoly>,
    birth: Option<Birth>,
    shared: SharedResults,
}

/// What is drawn together with a secret and saved with it; a secret of another library has none.
pub struct Birth {
    /// Which key it is.
    pub identity: Identity,
    /// Where the randomness of its public and evaluation keys and of what it shares comes from.
    pub root: Seed,
}

impl SecretKey {
    pub(crate) fn from_run(
        ring: &Ring,
        ternary: Zeroizing<Vec<i8>>,
        towers: Arc<RnsPoly>,
        birth: Option<Birth>,
    ) -> Self {
        Self {
            ring: ring.clone(),
            ternary,
            towers,
            birth,
            shared: SharedResults::default(),
        }
    }

    /// The results that were shared under it.
    pub(crate) fn shared_results(&self) -> &SharedResults {
        &self.shared
    }

    /// The same, to be saved with it.
    pub fn shared(&self) -> Vec<SharedResult> {
        self.shared.all()
    }

    /// Counts results that were shared before, or by another copy of this key.
    pub fn count_shared(&self, others: &[SharedResult]) {
        self.shared.learn(others);
    }

    /// A secret seed of this key for one purpose.
    pub(crate) fn derive(&self, purpose: &str, context: &[u8]) -> Result<Seed, Error> {
        let birth = self.birth.as_ref().ok_or(Error::NoRoot)?;
        Ok(birth.root.derive(purpose, context))
    }

    /// What was drawn together with it.
    pub fn birth(&self) -> Option<&Birth> {
        self.birth.as_ref()
    }

    /// Which key it is; unknown for one of another library.
    pub fn identity(&self) -> Identity {
        let birth = self.birth.as_ref();
        birth.map_or(Identity::UNKNOWN, |birth| birth.identity)
    }

    /// The ring it was drawn for.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// **Secret.** Its N coefficients, each -1, 0 or 1. `KeyGenerator::secret_from_ternary` takes
    /// them back.
    pub fn ternary(&self) -> &[i8] {
        &self.ternary
    }

    /// **Secret.** Evaluation form under all primes, as programs take it.
    pub(crate) fn towers(&self) -> &Arc<RnsPoly> {
        &self.towers
    }
}

impl Zeroize for SecretKey {
    fn zeroize(&mut self) {
        self.ternary.zeroize();
        zeroize_poly(&mut self.towers);
        if let Some(birth) = &mut self.birth {
            birth.root.zeroize();
        }
    }
}

impl Drop for SecretKey {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl ZeroizeOnDrop for SecretKey {}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "SecretKey({}, {}, ..)",
            self.ring.name(),
            self.identity()
        )
    }
}

/// Overwrites a polynomial. No kernel holds a reference to a secret after its run
/// ([`ringwright_target::Executable::run`]), so this one is the last.
pub(crate) fn zeroize_poly(poly: &mut Arc<RnsPoly>) {
    match Arc::get_mut(poly) {
        Some(poly) => poly.zeroize(),
        None => debug_assert!(std::thread::panicking(), "a device kept a secret"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rlwe::{Moduli, RingKind, RingLiteral};
    use crate::security::Secret;

    fn tiny() -> Ring {
        let literal = RingLiteral {
            scheme: "test",
            name: "tiny".to_string(),
            kind: RingKind::Standard,
            log_n: 4,
            moduli: Moduli::Bits {
                q: vec![20],
                p: Vec::new(),
            },
            digit: 1,
            secret: Secret::Ternary,
            insecure: true,
        };
        Ring::new(literal).unwrap()
    }

    /// What `drop` does, seen before the memory is given back.
    #[test]
    fn a_dropped_secret_is_overwritten() {
        fn drops_by_zeroizing<T: ZeroizeOnDrop>(_: &T) {}
        let ring = tiny();
        let n = ring.n();
        let towers = Arc::new(RnsPoly::from_words(n, vec![5; n]).unwrap());
        let ternary = Zeroizing::new(vec![1; n]);
        let birth = Birth {
            identity: Identity::UNKNOWN,
            root: Seed::from_bytes([5; 32]),
        };
        let mut key = SecretKey::from_run(&ring, ternary, towers, Some(birth));
        drops_by_zeroizing(&key);
        key.zeroize();
        // A vector is overwritten and then emptied.
        assert!(key.ternary().is_empty());
        assert!(key.towers().words().iter().all(|&word| word == 0));
        assert_eq!(key.birth().unwrap().root.expose(), &[0; 32]);
    }
}
