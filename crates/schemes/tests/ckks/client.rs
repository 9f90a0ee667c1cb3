//! A key holder and evaluator over the interpreter, with fixed seeds.

use ringwright_arith::Choices;
use ringwright_ir::interpret::Interpreter;
use ringwright_schemes::ckks::Analysed;
use ringwright_schemes::ckks::Estimate;
use ringwright_schemes::ckks::{
    Ciphertext, Decryptor, Embedding, Encryptor, Evaluator, Parameters, ParametersLiteral,
    Plaintext,
};
use ringwright_schemes::rlwe::{required_keys, EvaluationKeys, KeyGenerator, RingKind, SecretKey};
use ringwright_schemes::Insecure;
use ringwright_target::Device;
use std::sync::Arc;

/// Every test draws from this seed; none of them may depend on which it is.
pub const SEED: [u8; 32] = [7; 32];

pub fn device() -> Arc<dyn Device> {
    Arc::new(Interpreter)
}

/// A literal that only a test would use: a small ring with as many towers as it takes.
pub fn literal(log_n: u32, q_bits: &[u32], p_bits: &[u32], log_scale: u32) -> ParametersLiteral {
    ParametersLiteral {
        name: format!("test-{}", 1u32 << log_n),
        kind: RingKind::Standard,
        log_n,
        q_bits: q_bits.to_vec(),
        p_bits: p_bits.to_vec(),
        digit: 1,
        log_scale,
        insecure: true,
    }
}

/// Five 30-bit primes and a special one at N = 2^9.
pub fn small() -> Parameters {
    Parameters::new(literal(9, &[30; 5], &[30], 26)).unwrap()
}

/// The key holder, and the evaluator that asks it for keys.
pub struct Client {
    pub parameters: Parameters,
    pub embedding: Embedding,
    pub generator: KeyGenerator,
    pub secret: Arc<SecretKey>,
    pub encryptor: Encryptor,
    pub decryptor: Decryptor,
}

impl Client {
    pub fn new(parameters: &Parameters) -> Self {
        Self::of_seed(parameters, SEED)
    }

    pub fn of_seed(parameters: &Parameters, seed: [u8; 32]) -> Self {
        let generator = KeyGenerator::with_insecure_seed(parameters, device(), seed, Insecure);
        let secret = Arc::new(generator.secret_key().unwrap());
        let public = generator.public_key(&secret).unwrap();
        Self {
            parameters: parameters.clone(),
            embedding: Embedding::new(parameters).unwrap(),
            encryptor: Encryptor::new(parameters, public, device()).unwrap(),
            decryptor: Decryptor::new(parameters, secret.clone(), device()).unwrap(),
            generator,
            secret,
        }
    }

    pub fn encode(&self, values: &[f64]) -> Plaintext {
        let (scale, level) = (self.parameters.scale(), self.parameters.levels());
        self.embedding.encode_real(values, scale, level).unwrap()
    }

    /// Encrypts at the top level and default scale; `stream` makes the seed.
    pub fn encrypt(&self, values: &[f64], stream: u8) -> Ciphertext {
        let seed = [stream; 32];
        self.encryptor
            .encrypt_with_seed(&self.encode(values), seed, Insecure)
            .unwrap()
    }

    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Vec<f64> {
        self.embedding
            .decode_real(&self.decryptor.decrypt(ciphertext).unwrap())
            .unwrap()
    }

    pub fn keys_for(&self, program: &Analysed) -> EvaluationKeys {
        let wanted = required_keys(program.program(), program.parameters());
        self.generator
            .evaluation_keys(&self.secret, &wanted)
            .unwrap()
    }

    /// Runs a program with the keys it asks for.
    pub fn run(&self, program: &Analysed, inputs: &[Ciphertext]) -> Vec<Ciphertext> {
        let evaluator = Evaluator::new(&self.parameters, device());
        let prepared = evaluator.prepare(program).unwrap();
        prepared.run(inputs, &self.keys_for(program)).unwrap()
    }

    /// The type of a fresh ciphertext of [`uniform`] values.
    pub fn fresh(&self) -> Estimate {
        self.parameters.fresh(1.0, UNIFORM_RMS)
    }
}

/// Root mean square of a uniform value in [-1, 1].
pub const UNIFORM_RMS: f64 = 0.577_350_269_189_625_7;

/// Repeatable values, uniform in [-1, 1).
pub fn uniform(count: usize, stream: u64) -> Vec<f64> {
    // Every stream begins at another place of the generator's one sequence.
    let mut choices = Choices::new(stream.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    (0..count)
        .map(|_| (choices.word() >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
        .collect()
}

/// Root mean square of the differences.
pub fn rms_error(got: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let squares: f64 = got.iter().zip(expected).map(|(g, e)| (g - e).powi(2)).sum();
    (squares / got.len() as f64).sqrt()
}

/// Largest absolute difference; of a slot that is expected as NaN nothing is expected.
pub fn max_error(got: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(got.len(), expected.len());
    assert!(got.iter().all(|g| g.is_finite()), "{got:?}");
    got.iter()
        .zip(expected)
        .map(|(g, e)| (g - e).abs())
        .fold(0.0, f64::max)
}
