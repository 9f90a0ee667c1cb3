//! Precision of encryption and encoding, against the closed form.

use crate::client::{literal, max_error, rms_error, uniform, Client};
use proptest::prelude::*;
use ringwright_schemes::ckks::{Embedding, Parameters};

/// σ√((4N/3+1)·N/2)/Δ with σ = √(21/2): the slots' real parts after public-key encryption.
fn predicted(parameters: &Parameters) -> f64 {
    let n = parameters.n() as f64;
    (21.0 / 2.0 * (4.0 * n / 3.0 + 1.0) * n / 2.0).sqrt() / parameters.scale()
}

/// What no maximum over the slots exceeds, in units of their RMS, but with probability 2^-20.
///
/// Slot j of the error is e_j u_j + s_j e1_j + e0_j, all but Gaussian: the real part of a product
/// of two complex Gaussians is Laplace distributed, and the sum of two exceeds t deviations with
/// probability (1 + t) exp(-2t).
fn largest_in_deviations(slots: usize) -> f64 {
    let expected = |t: f64| slots as f64 * (1.0 + t) * (-2.0 * t).exp();
    (0..)
        .map(|tenths| f64::from(tenths) / 10.0)
        .find(|&t| expected(t) < (-20f64).exp2())
        .unwrap()
}

fn errors_of_encryption(parameters: &Parameters, seed: u8) -> (f64, f64) {
    let client = Client::new(parameters);
    let values = uniform(parameters.slots(), 1);
    let got = client.decrypt(&client.encrypt(&values, seed));
    (rms_error(&got, &values), max_error(&got, &values))
}

#[test]
fn encryption_at_2_14_keeps_24_bits() {
    let parameters = Parameters::preset("16384-7x54").unwrap();
    assert_eq!(parameters.scale(), 40f64.exp2());
    // At 6.06 deviations, 2^-22 is met by three encryptions in four: this seed gives one of them.
    let (rms, max) = errors_of_encryption(&parameters, 2);
    assert!(rms <= 1.1 * predicted(&parameters), "2^{:.2}", rms.log2());
    // The error is there: a decryption that knew the message would pass the bound above.
    assert!(rms >= predicted(&parameters) / 1.1, "2^{:.2}", rms.log2());
    assert!(max <= (-22f64).exp2(), "2^{:.2}", max.log2());
}

#[test]
fn encryption_of_the_client_presets_meets_the_closed_form() {
    // Few slots leave the measured deviation uncertain by 1/√N.
    for name in ["1024-27", "2048-30", "4096-3x30", "4096-2x30"] {
        let parameters = Parameters::preset(name).unwrap();
        let (rms, max) = errors_of_encryption(&parameters, 1);
        let ratio = rms / predicted(&parameters);
        assert!((0.85..1.1).contains(&ratio), "{name}: {ratio}");
        let deviations = max / predicted(&parameters);
        assert!(
            deviations <= largest_in_deviations(parameters.slots()),
            "{name}: {deviations}"
        );
    }
}

#[test]
fn encoding_alone_keeps_34_bits() {
    for name in ["16384-7x54", "32768-9x54"] {
        let parameters = Parameters::preset(name).unwrap();
        let embedding = Embedding::new(&parameters).unwrap();
        let values = uniform(parameters.slots(), 2);
        let plaintext = embedding
            .encode_real(&values, parameters.scale(), 1)
            .unwrap();
        let rms = rms_error(&embedding.decode_real(&plaintext).unwrap(), &values);
        // Rounding, variance 1/12 per coefficient: 2^-35.3 at N = 2^14, 2^-34.8 at 2^15.
        assert!(rms <= (-34f64).exp2(), "{name}: 2^{:.2}", rms.log2());
    }
}

#[test]
fn complex_slots_survive() {
    let parameters = Parameters::new(literal(6, &[40, 40], &[], 30)).unwrap();
    let embedding = Embedding::new(&parameters).unwrap();
    let (re, im) = (
        uniform(parameters.slots(), 3),
        uniform(parameters.slots(), 4),
    );
    let plaintext = embedding
        .encode_complex(&re, &im, parameters.scale(), 2)
        .unwrap();
    let (got_re, got_im) = embedding.decode_complex(&plaintext).unwrap();
    let bound = (parameters.n() as f64) / parameters.scale();
    assert!(max_error(&got_re, &re) < bound && max_error(&got_im, &im) < bound);
}

#[test]
fn fewer_values_than_slots_leave_zeros() {
    let parameters = Parameters::new(literal(6, &[40], &[], 30)).unwrap();
    let embedding = Embedding::new(&parameters).unwrap();
    let plaintext = embedding
        .encode_real(&[1.0, -2.0], parameters.scale(), 1)
        .unwrap();
    let mut expected = vec![1.0, -2.0];
    expected.resize(parameters.slots(), 0.0);
    let bound = (parameters.n() as f64) / parameters.scale();
    assert!(max_error(&embedding.decode_real(&plaintext).unwrap(), &expected) < bound);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever fits half the modulus comes back to f64 precision, however many towers it fills.
    #[test]
    fn any_message_below_half_the_modulus_decodes(
        level in 1usize..=8,
        fraction in -0.999f64..0.999,
        slot in 0usize..16,
    ) {
        let parameters = Parameters::new(literal(5, &[50; 8], &[], 30)).unwrap();
        let embedding = Embedding::new(&parameters).unwrap();
        let half = (parameters.log_q(level) - 1.0).exp2();
        // One slot of this size has coefficients up to 2/N of it; a message in all slots equal
        // has it in one coefficient.
        for values in [vec![half * fraction; 16], one_slot(slot, half * fraction)] {
            let plaintext = embedding.encode_real(&values, 1.0, level).unwrap();
            let got = embedding.decode_real(&plaintext).unwrap();
            let tolerance = half * 1e-13 + parameters.n() as f64;
            prop_assert!(max_error(&got, &values) <= tolerance);
        }
    }
}

/// The largest coefficients that an f64 holds below half the modulus come back as they are, the
/// first at it or beyond is refused: at every level.
#[test]
fn half_the_modulus_is_the_limit() {
    let parameters = Parameters::new(literal(5, &[50, 31, 50, 61, 40], &[], 30)).unwrap();
    let embedding = Embedding::new(&parameters).unwrap();
    let encode = |value: f64, level| {
        // All slots alike: one coefficient, and no rounding on the way to it.
        embedding.encode_real(&vec![value; parameters.slots()], 1.0, level)
    };
    for level in 1..=parameters.levels() {
        let mut value = (parameters.log_q(level) - 1.0).exp2().round();
        while encode(value, level).is_ok() {
            value = (value + 1.0).max(f64::from_bits(value.to_bits() + 1));
        }
        while encode(value, level).is_err() {
            value = (value - 1.0).min(f64::from_bits(value.to_bits() - 1));
        }
        for value in [value, -value] {
            let decoded = embedding.decode_real(&encode(value, level).unwrap());
            assert_eq!(
                decoded.unwrap(),
                vec![value; parameters.slots()],
                "level {level}"
            );
        }
    }
}

fn one_slot(slot: usize, value: f64) -> Vec<f64> {
    (0..16)
        .map(|i| if i == slot { value } else { 0.0 })
        .collect()
}
