//! What a key holder expects of a server: predicted here, before anything comes back.

use crate::ckks::{Analysed, Ciphertext, Error, Estimate, Parameters};
use crate::rlwe::{check_ring, Identity, SecretKey};
use ringwright_ir::text;
use sha3::{Digest, Sha3_256};

/// The results that a program will have on these inputs.
///
/// It carries a code made with the secret key, so that it may be kept anywhere: a changed one is
/// refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    parameters: Parameters,
    parts: ExpectedParts,
    code: [u8; 32],
}

/// What an [`Expected`] says.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedParts {
    /// The secret key's identity.
    pub identity: Identity,
    /// Digest of what the program computes, see [`Expected::digest_of`].
    pub program: [u8; 32],
    /// Digest of every input.
    pub inputs: Vec<[u8; 32]>,
    /// The types of the results, their noise predicted.
    pub results: Vec<Estimate>,
    /// How many ciphertexts may be shared against it.
    pub queries: u32,
}

impl Expected {
    /// Predicts.
    ///
    /// # Errors
    /// A key of other parameters, or that cannot authenticate; no queries; inputs that were not made here, or not under this
    /// key, or for which the program was not built.
    pub fn new(
        parameters: &Parameters,
        key: &SecretKey,
        analysed: &Analysed,
        inputs: &[Ciphertext],
        queries: u32,
    ) -> Result<Self, Error> {
        let program = analysed.program();
        check_ring("secret key", key.ring(), parameters)?;
        let entry = program.entry();
        if inputs.len() != entry.inputs {
            return Err(Error::InputCount {
                program: entry.name.clone(),
                given: inputs.len(),
                expected: entry.inputs,
            });
        }
        for (index, (input, ty)) in inputs.iter().zip(analysed.inputs()).enumerate() {
            let what = format!("{}: input {index}", entry.name);
            input.identity().check(&what, key.identity())?;
            if !input.lineage().is_known() {
                return Err(Error::NotMadeHere { what });
            }
            if !as_expected(&input.ty(), ty) {
                let (given, expected) = (format!("{:?}", input.ty()), format!("{ty:?}"));
                return Err(Error::NotExpected {
                    what,
                    given,
                    expected,
                });
            }
        }
        if queries == 0 {
            return Err(Error::NotExpected {
                what: "the number of results that may be shared".to_string(),
                given: "0".to_string(),
                expected: "1 or more".to_string(),
            });
        }
        let parts = ExpectedParts {
            identity: key.identity(),
            program: Self::digest_of(analysed),
            inputs: inputs.iter().map(digest).collect(),
            results: analysed.results().cloned().collect(),
            queries,
        };
        let code = code(key, &parts)?;
        Ok(Self {
            parameters: parameters.clone(),
            parts,
            code,
        })
    }

    /// Digest of what a program computes: its operations, constants, levels and scales; not names,
    /// lines, or what is predicted of errors.
    pub fn digest_of(analysed: &Analysed) -> [u8; 32] {
        let program = analysed.program();
        let mut bare = program.clone();
        let callees = bare.functions.len() - 1;
        for (index, function) in bare.functions.iter_mut().enumerate() {
            function.name = match index {
                entry if entry == callees => "program".to_string(),
                callee => format!("function{callee}"),
            };
            function.names.fill(None);
            function.loc = None;
            function.ops.iter_mut().for_each(|op| op.loc = None);
            function.claims.clear();
        }
        let mut hash = Sha3_256::new();
        hash.update(text::print_he(&bare));
        // All other scales follow from the inputs'.
        let inputs = analysed.inputs().iter();
        inputs.for_each(|input| hash.update(input.scale.to_le_bytes()));
        hash.finalize().into()
    }

    /// From what was kept; the key holder checks the code when it shares.
    pub fn from_parts(parameters: &Parameters, parts: ExpectedParts, code: [u8; 32]) -> Self {
        Self {
            parameters: parameters.clone(),
            parts,
            code,
        }
    }

    /// The parameters of program and key.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// What it says.
    pub fn parts(&self) -> &ExpectedParts {
        &self.parts
    }

    /// What authenticates it.
    pub fn code(&self) -> &[u8; 32] {
        &self.code
    }

    /// Refuses a record that this key did not make, or that was changed since.
    pub(super) fn check(&self, key: &SecretKey) -> Result<(), Error> {
        self.parts.identity.check("the record", key.identity())?;
        // Not secret: who has no key cannot make one that is right, wherever the comparison ends.
        match code(key, &self.parts)? == self.code {
            true => Ok(()),
            false => Err(Error::NotExpected {
                what: "the record".to_string(),
                given: "one that this secret key did not make, or that was changed".to_string(),
                expected: "what `expect` returned".to_string(),
            }),
        }
    }

    /// Refuses other inputs than these.
    ///
    /// # Errors
    /// An input whose words are not those expected, or another number of them.
    pub fn check_inputs(&self, inputs: &[Ciphertext]) -> Result<(), Error> {
        let given: Vec<[u8; 32]> = inputs.iter().map(digest).collect();
        match given == self.parts.inputs {
            true => Ok(()),
            false => Err(Error::NotExpected {
                what: "the inputs".to_string(),
                given: format!("{} ciphertexts of other words", inputs.len()),
                expected: format!("the {} of the record", self.parts.inputs.len()),
            }),
        }
    }

    /// Digest of all that it says.
    pub(super) fn digest(&self) -> [u8; 32] {
        self.parts.digest()
    }
}

impl ExpectedParts {
    fn digest(&self) -> [u8; 32] {
        let mut hash = Sha3_256::new();
        hash.update(b"ringwright expected 1");
        hash.update(self.identity.bytes());
        hash.update(self.program);
        hash.update((self.inputs.len() as u64).to_le_bytes());
        self.inputs.iter().for_each(|input| hash.update(input));
        hash.update((self.results.len() as u64).to_le_bytes());
        for ty in &self.results {
            hash.update([ty.parts]);
            hash.update(ty.level.to_le_bytes());
            for number in [ty.scale, ty.max, ty.rms, ty.noise, ty.peak] {
                hash.update(number.to_le_bytes());
            }
        }
        hash.update(self.queries.to_le_bytes());
        hash.finalize().into()
    }
}

/// Whether an input is of the type that a program was built for; it may have less noise, as an
/// encryption with the secret key has.
fn as_expected(given: &Estimate, expected: &Estimate) -> bool {
    let bounded = Estimate {
        noise: expected.noise,
        peak: expected.peak,
        ..given.clone()
    };
    bounded == *expected && given.noise <= expected.noise && given.peak <= expected.peak
}

/// Only the key's holder can make it.
fn code(key: &SecretKey, parts: &ExpectedParts) -> Result<[u8; 32], Error> {
    let seed = key.derive("expected", &parts.digest())?;
    Ok(*seed.expose())
}

/// Digest of a ciphertext's words, level and scale.
pub(super) fn digest(ciphertext: &Ciphertext) -> [u8; 32] {
    let mut hash = Sha3_256::new();
    hash.update(ciphertext.parameters().id());
    hash.update((ciphertext.parts().len() as u64).to_le_bytes());
    hash.update((ciphertext.level() as u64).to_le_bytes());
    hash.update(ciphertext.scale().to_le_bytes());
    for part in ciphertext.parts() {
        for words in part.words().chunks(512) {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            hash.update(bytes);
        }
    }
    hash.finalize().into()
}
