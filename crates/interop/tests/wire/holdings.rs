//! One of everything that has a wire form, under small parameters.

use ringwright_interop::wire;
use ringwright_ir::he::KeyId;
use ringwright_ir::interpret::Interpreter;
use ringwright_schemes::ckks::{
    Ciphertext, Embedding, Encryptor, Expected, Parameters, ProgramBuilder,
};
use ringwright_schemes::rlwe::{EvaluationKeys, KeyGenerator, PublicKey, SecretKey, SharedResult};
use std::collections::BTreeSet;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Keys and a ciphertext that belong together.
pub struct Holdings {
    pub parameters: Parameters,
    pub generator: KeyGenerator,
    pub secret: SecretKey,
    pub public: PublicKey,
    pub evaluation: EvaluationKeys,
    pub ciphertext: Ciphertext,
    pub expected: Expected,
    pub values: Vec<f64>,
}

impl Holdings {
    pub fn new(parameters: Parameters) -> Self {
        let device = Arc::new(Interpreter);
        let generator = KeyGenerator::new(&parameters, device.clone());
        let secret = generator.secret_key().unwrap();
        let public = generator.public_key(&secret).unwrap();
        // Galois elements of either kind of ring.
        let elements = [1, 4].map(|k| KeyId::Galois(k * parameters.kind().spacing() + 1));
        let wanted = BTreeSet::from_iter([KeyId::Mult].into_iter().chain(elements));
        let evaluation = generator.evaluation_keys(&secret, &wanted).unwrap();
        let values: Vec<f64> = (0..parameters.slots())
            .map(|slot| (slot as f64 * 0.7).sin())
            .collect();
        let plaintext = Embedding::new(&parameters)
            .unwrap()
            .encode_real(&values, parameters.scale(), parameters.levels())
            .unwrap();
        let encryptor = Encryptor::new(&parameters, public.clone(), device).unwrap();
        let ciphertext = encryptor.encrypt(&plaintext).unwrap();
        let mut builder = ProgramBuilder::new(&parameters, "negation");
        let x = builder.input("x", ciphertext.ty()).unwrap();
        let negated = builder.neg(x).unwrap();
        let program = builder.finish(&[negated]).unwrap();
        let inputs = [ciphertext.clone()];
        let expected = Expected::new(&parameters, &secret, &program, &inputs, 1).unwrap();
        secret.count_shared(&[SharedResult {
            result: [1; 32],
            record: [2; 32],
            statistical_bits: 30,
            queries: 4,
        }]);
        Self {
            parameters,
            generator,
            secret,
            public,
            evaluation,
            ciphertext,
            expected,
            values,
        }
    }

    /// Under the parameters of [`wire::check`].
    pub fn tiny() -> Self {
        Self::new(wire::check_parameters())
    }

    /// Every file, by the name of its kind.
    pub fn files(&self) -> Vec<(&'static str, Zeroizing<Vec<u8>>)> {
        let mut files = [(); 4].map(|_| Zeroizing::new(Vec::new()));
        wire::write_parameters(&self.parameters, &mut *files[0]).unwrap();
        wire::write_ciphertext(&self.ciphertext, &mut *files[1]).unwrap();
        wire::write_public_key(&self.public, &mut *files[2]).unwrap();
        wire::write_evaluation_keys(&self.evaluation, &mut *files[3]).unwrap();
        let names = ["parameters", "ciphertext", "public key", "evaluation keys"];
        let public = names.into_iter().zip(files);
        let mut expected = Zeroizing::new(Vec::new());
        wire::write_expected(&self.expected, &mut *expected).unwrap();
        public
            .chain([("secret key", wire::expose_secret_key(&self.secret))])
            .chain([("expected", expected)])
            .collect()
    }
}
