//! Parameters that cannot be: refused by what was given and what is allowed.

use crate::client::literal;
use crate::refusals::{other, says};
use ringwright_schemes::ckks::{GivenPrimes, ParameterError, Parameters};
use ringwright_schemes::rlwe::{RingError, RingKind};
use ringwright_schemes::security::{gates, Secret};

#[test]
fn literals_out_of_range() {
    let base = || literal(10, &[30, 30], &[30], 26);
    says(
        Parameters::new(literal(3, &[30], &[], 20)),
        &["log_n = 3", "4 to 17"],
    );
    says(
        Parameters::new(literal(18, &[30], &[], 20)),
        &["log_n = 18", "4 to 17"],
    );
    says(
        Parameters::new(literal(10, &[], &[], 20)),
        &["number of ciphertext primes = 0", "1 to 128"],
    );
    says(
        Parameters::new(literal(4, &[30; 129], &[], 20)),
        &["number of ciphertext primes = 129", "1 to 128"],
    );
    says(
        Parameters::new(literal(10, &[19], &[], 10)),
        &["bits of a prime = 19", "20 to 61"],
    );
    says(
        Parameters::new(literal(10, &[62], &[], 10)),
        &["bits of a prime = 62", "20 to 61"],
    );
    says(
        Parameters::new(literal(10, &[30], &[], 29)),
        &["log_scale = 29", "1 to 28"],
    );
    let mut digits = base();
    digits.digit = 3;
    says(Parameters::new(digits), &["digit = 3", "0 to 2"]);
    let mut digits = base();
    digits.digit = 2;
    says(
        Parameters::new(digits),
        &["special primes = 30", "at least 60"],
    );
    let mut digits = literal(10, &[30; 2], &[29], 20);
    digits.digit = 0;
    says(
        Parameters::new(digits),
        &["special primes = 29", "at least 30"],
    );
    let mut digits = literal(10, &[30; 65], &[30], 20);
    digits.digit = 0;
    says(Parameters::new(digits), &["digit = 0", "1 to 65"]);
    says(
        Parameters::new(literal(17, &[20; 9], &[], 10)),
        &["20 bits", "only"],
    );
    says(
        Parameters::preset("8192"),
        &["\"8192\"", "8192-6x30", "32768-9x54"],
    );
}

#[test]
fn primes_of_others_are_checked() {
    let ours = other();
    let given = |q: &[u64], p: &[u64]| GivenPrimes {
        name: "given".into(),
        kind: RingKind::Standard,
        log_n: ours.log_n(),
        q: q.to_vec(),
        p: Some(p.to_vec()),
        digit: ours.digit(),
        log_scale: ours.literal().log_scale,
        insecure: true,
    };
    let same = Parameters::from_primes(given(ours.q(), ours.p())).unwrap();
    assert_eq!(
        (same.id(), same.literal().q_bits.clone()),
        (ours.id(), ours.literal().q_bits.clone())
    );
    let swapped = Parameters::from_primes(given(&[ours.q()[1], ours.q()[0]], ours.p())).unwrap();
    assert_eq!(swapped.levels(), 2);
    assert_ne!(swapped.id(), ours.id());

    let (q, two_n) = (ours.q()[0], 2 * ours.n() as u64);
    let allowed = format!("different primes that are 1 mod 2N = {two_n}");
    for wrong in [q - 2, q - two_n / 2, ours.p()[0]] {
        let named = format!("given: prime = {wrong}");
        says(
            Parameters::from_primes(given(&[q, wrong], ours.p())),
            &[&named, &allowed],
        );
    }
    says(
        Parameters::from_primes(given(&[0], &[])),
        &["bits of a prime = 0", "20 to 61"],
    );
    let secure = GivenPrimes {
        insecure: false,
        ..given(ours.q(), ours.p())
    };
    assert!(matches!(
        Parameters::from_primes(secure),
        Err(ParameterError::Ring(RingError::Security { .. }))
    ));
}

#[test]
fn insecure_literals_need_the_word() {
    let gates = gates(Secret::Ternary).into_iter();
    for (log_n, gate) in gates.filter(|(log_n, _)| *log_n <= 13) {
        let towers = gate.limit / 27 + 1;
        let mut beyond = literal(log_n, &vec![27; towers as usize], &[], 20);
        let accepted = Parameters::new(beyond.clone()).unwrap().security();
        assert_eq!(accepted.bits(), Some(0));
        let excess = accepted.log_qp - f64::from(gate.limit);
        assert_eq!(accepted.gate().unwrap().excess, excess);
        beyond.insecure = false;
        let limit = format!("limit of {} bits", gate.limit);
        says(
            Parameters::new(beyond),
            &[&limit, gate.table.source(), "insecure"],
        );
    }
    // Special primes count: 27 + 27 bits at N = 2^10.
    let mut special = literal(10, &[27], &[27], 20);
    special.insecure = false;
    says(
        Parameters::new(special),
        &["log2(QP) = 54.0", "27 bits", "N that carries it is 2048"],
    );
    let mut tiny = literal(9, &[27], &[], 20);
    tiny.insecure = false;
    says(Parameters::new(tiny), &["N = 512", "1024 to 131072"]);
}
