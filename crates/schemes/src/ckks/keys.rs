//! Keys as data. Whoever holds a [`SecretKey`] reads everything; the rest is public.

use super::residues::{check_parameters, check_poly};
use super::shared_results::{SharedResult, SharedResults};
use super::{Error, Identity, Parameters};
use ringwright_ir::he::KeyId;
use ringwright_ring::{RnsPoly, Seed};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// A ternary secret. Zeroised when dropped, hidden from `Debug`, not serialisable and not
/// clonable: writing it anywhere takes a deliberate call of [`SecretKey::ternary`].
pub struct SecretKey {
    parameters: Parameters,
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
    pub(super) fn from_run(
        parameters: &Parameters,
        ternary: Zeroizing<Vec<i8>>,
        towers: Arc<RnsPoly>,
        birth: Option<Birth>,
    ) -> Self {
        Self {
            parameters: parameters.clone(),
            ternary,
            towers,
            birth,
            shared: SharedResults::default(),
        }
    }

    /// The results that were shared under it.
    pub(super) fn shared_results(&self) -> &SharedResults {
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
    pub(super) fn derive(&self, purpose: &str, context: &[u8]) -> Result<Seed, Error> {
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

    /// The parameters it was drawn for.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// **Secret.** Its N coefficients, each -1, 0 or 1. `KeyGenerator::secret_from_ternary` takes
    /// them back.
    pub fn ternary(&self) -> &[i8] {
        &self.ternary
    }

    /// **Secret.** Evaluation form under all primes, as programs take it.
    pub(super) fn towers(&self) -> &Arc<RnsPoly> {
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
            self.parameters.name(),
            self.identity()
        )
    }
}

/// Overwrites a polynomial. No kernel holds a reference to a secret after its run
/// ([`ringwright_target::Executable::run`]), so this one is the last.
pub(super) fn zeroize_poly(poly: &mut Arc<RnsPoly>) {
    match Arc::get_mut(poly) {
        Some(poly) => poly.zeroize(),
        None => debug_assert!(std::thread::panicking(), "a device kept a secret"),
    }
}

/// (b, a) = (-a·s + e, a), evaluation form under all ciphertext primes.
#[derive(Clone, Debug)]
pub struct PublicKey {
    parameters: Parameters,
    identity: Identity,
    b: Arc<RnsPoly>,
    a: Arc<RnsPoly>,
}

impl PublicKey {
    /// From words.
    ///
    /// # Errors
    /// Polynomials that do not belong to the parameters.
    pub fn new(parameters: &Parameters, b: Arc<RnsPoly>, a: Arc<RnsPoly>) -> Result<Self, Error> {
        for poly in [&b, &a] {
            check_poly(
                "public key",
                poly,
                parameters,
                parameters.q(),
                parameters.levels(),
            )?;
        }
        Ok(Self {
            parameters: parameters.clone(),
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

    /// The parameters it was made for.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
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
    parameters: Parameters,
    b: Arc<RnsPoly>,
    a: Arc<RnsPoly>,
}

impl ExtendedPublicKey {
    /// From words.
    ///
    /// # Errors
    /// Polynomials that do not belong to the parameters.
    pub fn new(parameters: &Parameters, b: Arc<RnsPoly>, a: Arc<RnsPoly>) -> Result<Self, Error> {
        let primes = parameters.primes();
        for poly in [&b, &a] {
            check_poly("public key", poly, parameters, &primes, primes.len())?;
        }
        Ok(Self {
            parameters: parameters.clone(),
            b,
            a,
        })
    }

    /// The parameters it was made for.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
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
        let (n, levels) = (self.parameters.n(), self.parameters.levels());
        let cut = |poly: &RnsPoly| {
            RnsPoly::from_words(n, poly.words()[..n * levels].to_vec())
                .map(Arc::new)
                .map_err(|error| Error::Internal(error.to_string()))
        };
        PublicKey::new(&self.parameters, cut(&self.b)?, cut(&self.a)?)
    }
}

/// Takes c·s' to a ciphertext under s: b0, a0, b1, a1, … one pair per digit, evaluation form
/// under all primes; b_j = -a_j·s + e_j + P·s' on the towers of digit j.
#[derive(Clone)]
pub struct SwitchingKey {
    parameters: Parameters,
    polys: Arc<Vec<RnsPoly>>,
}

impl fmt::Debug for SwitchingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "SwitchingKey({}, {} polynomials)",
            self.parameters.name(),
            self.polys.len()
        )
    }
}

impl SwitchingKey {
    /// From words.
    ///
    /// # Errors
    /// A number of polynomials or words that do not belong to the parameters.
    pub fn new(parameters: &Parameters, polys: Vec<RnsPoly>) -> Result<Self, Error> {
        let expected = 2 * parameters.digits(parameters.levels());
        if polys.len() != expected {
            return Err(Error::Shape {
                what: "evaluation key".into(),
                given: format!("{} polynomials", polys.len()),
                expected: format!("{expected}, two per digit"),
            });
        }
        let primes = parameters.primes();
        for poly in &polys {
            check_poly("evaluation key", poly, parameters, &primes, primes.len())?;
        }
        Ok(Self {
            parameters: parameters.clone(),
            polys: Arc::new(polys),
        })
    }

    /// The parameters it was made for.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The polynomials.
    pub fn polys(&self) -> &Arc<Vec<RnsPoly>> {
        &self.polys
    }
}

/// The evaluation keys a server holds.
#[derive(Clone, Debug)]
pub struct EvaluationKeys {
    parameters: Parameters,
    identity: Identity,
    mult: Option<SwitchingKey>,
    galois: BTreeMap<u64, SwitchingKey>,
}

impl EvaluationKeys {
    /// A set of keys.
    ///
    /// # Errors
    /// A key of other parameters, or a Galois element that is not odd and below 2N.
    pub fn new(
        parameters: &Parameters,
        mult: Option<SwitchingKey>,
        galois: BTreeMap<u64, SwitchingKey>,
    ) -> Result<Self, Error> {
        for key in mult.iter().chain(galois.values()) {
            check_parameters("evaluation key", key.parameters(), parameters)?;
        }
        let order = 2 * parameters.n() as u64;
        if let Some(element) = galois.keys().find(|&&g| g % 2 == 0 || g >= order) {
            return Err(Error::Shape {
                what: "evaluation key".into(),
                given: format!("Galois element {element}"),
                expected: format!("odd, below {order}"),
            });
        }
        Ok(Self {
            parameters: parameters.clone(),
            identity: Identity::UNKNOWN,
            mult,
            galois,
        })
    }

    /// No keys: enough for programs of additions and plaintext products.
    pub fn none(parameters: &Parameters) -> Self {
        Self {
            parameters: parameters.clone(),
            identity: Identity::UNKNOWN,
            mult: None,
            galois: BTreeMap::new(),
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

    /// The parameters they were made for.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The relinearisation key.
    pub fn mult(&self) -> Option<&SwitchingKey> {
        self.mult.as_ref()
    }

    /// Keys of automorphisms, by Galois element.
    pub fn galois(&self) -> &BTreeMap<u64, SwitchingKey> {
        &self.galois
    }

    /// One key.
    ///
    /// # Errors
    /// [`Error::MissingKey`] names it and those there are.
    pub fn get(&self, key: KeyId) -> Result<&SwitchingKey, Error> {
        let found = match key {
            KeyId::Mult => self.mult.as_ref(),
            KeyId::Galois(element) => self.galois.get(&element),
        };
        found.ok_or_else(|| Error::MissingKey {
            key,
            needed_by: String::new(),
            given: self.list(),
        })
    }

    /// The keys there are.
    pub fn ids(&self) -> BTreeSet<KeyId> {
        let mult = self.mult.iter().map(|_| KeyId::Mult);
        mult.chain(self.galois.keys().map(|&element| KeyId::Galois(element)))
            .collect()
    }

    /// The keys there are, for messages.
    pub(super) fn list(&self) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What `drop` does, seen before the memory is given back.
    #[test]
    fn a_dropped_secret_is_overwritten() {
        fn drops_by_zeroizing<T: ZeroizeOnDrop>(_: &T) {}
        let parameters = Parameters::preset("1024-27").unwrap();
        let n = parameters.n();
        let towers = Arc::new(RnsPoly::from_words(n, vec![5; n]).unwrap());
        let ternary = Zeroizing::new(vec![1; n]);
        let birth = Birth {
            identity: Identity::UNKNOWN,
            root: Seed::from_bytes([5; 32]),
        };
        let mut key = SecretKey::from_run(&parameters, ternary, towers, Some(birth));
        drops_by_zeroizing(&key);
        key.zeroize();
        // A vector is overwritten and then emptied.
        assert!(key.ternary().is_empty());
        assert!(key.towers().words().iter().all(|&word| word == 0));
        assert_eq!(key.birth().unwrap().root.expose(), &[0; 32]);
    }
}
