//! Parameters picked for a depth.

use ringwright_schemes::ckks::{DepthRequest, Fineness, ParameterError, Parameters};
use ringwright_schemes::security::LIMITS;

fn request(depth: usize) -> DepthRequest {
    DepthRequest {
        depth,
        security: 128,
        fineness: Fineness::LogScale(40),
        integer_bits: 8,
        slots: 1,
    }
}

#[test]
fn every_depth_gets_the_smallest_ring_that_is_secure() {
    for depth in [0, 1, 2, 4, 8, 16, 30] {
        let parameters = Parameters::for_depth(request(depth)).unwrap();
        assert_eq!(
            (parameters.depth(), parameters.security().bits()),
            (depth, 128)
        );
        let bits: u32 = [
            &parameters.literal().q_bits[..],
            &parameters.literal().p_bits,
        ]
        .concat()
        .iter()
        .sum();
        let smaller = LIMITS
            .iter()
            .filter(|limit| limit.log_n < parameters.log_n());
        assert!(
            smaller.clone().all(|limit| limit.max_log_qp < bits),
            "depth {depth}"
        );
    }
}

#[test]
fn slots_and_precision_are_kept() {
    let slots = 1 << 14;
    let many = Parameters::for_depth(DepthRequest {
        slots,
        ..request(1)
    })
    .unwrap();
    assert!(many.slots() >= slots);
    let precision = 20;
    let fineness = Fineness::Precision(precision);
    let fine = Parameters::for_depth(DepthRequest {
        fineness,
        ..request(3)
    })
    .unwrap();
    let fresh = fine.fresh(1.0, 1.0);
    let error = fresh.noise * (fine.n() as f64 / 2.0).sqrt() / fresh.scale;
    let bits = -error.log2();
    assert!(
        (f64::from(precision)..f64::from(precision) + 2.0).contains(&bits),
        "{bits}"
    );
}

/// Where a ring has too few of the shortest primes, levels get longer ones.
#[test]
fn levels_are_as_long_as_there_are_primes_for() {
    let fineness = Fineness::LogScale(16);
    let coarse = |depth| DepthRequest {
        fineness,
        slots: 1 << 15,
        ..request(depth)
    };
    for depth in [1, 10, 40] {
        let parameters = Parameters::for_depth(coarse(depth)).unwrap();
        assert_eq!(parameters.depth(), depth);
        assert!(parameters.security().is_secure());
    }
    let deepest = (1..)
        .take_while(|&depth| Parameters::for_depth(coarse(depth)).is_ok())
        .last();
    let text = Parameters::for_depth(coarse(80)).unwrap_err().to_string();
    let words = format!("depth up to {},", deepest.unwrap());
    assert!(text.contains(&words), "{text}");
}

/// A coarse scale is never coarser than the shortest prime allows.
#[test]
fn low_precision_takes_the_shortest_scale() {
    let fineness = Fineness::Precision(1);
    let parameters = Parameters::for_depth(DepthRequest {
        fineness,
        ..request(1)
    })
    .unwrap();
    assert_eq!(parameters.literal().log_scale, 16);
}

#[test]
fn refusals_name_what_is_allowed() {
    let says = |request, words: &[&str]| {
        let error: ParameterError = Parameters::for_depth(request).unwrap_err();
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    };
    let most = (1..)
        .take_while(|&depth| Parameters::for_depth(request(depth)).is_ok())
        .last();
    let most = most.unwrap();
    let words = format!("depth up to {most},");
    says(request(most + 1), &["1747", "N = 65536", &words]);
    says(request(usize::MAX), &["1747", &words]);
    says(
        DepthRequest {
            security: 192,
            ..request(1)
        },
        &["security = 192", "128"],
    );
    let fineness = Fineness::Precision(50);
    says(
        DepthRequest {
            fineness,
            ..request(1)
        },
        &["precision = 50", "0 to 38", "8 integer bits at N = 2048"],
    );
    says(
        DepthRequest {
            slots: 1 << 20,
            ..request(1)
        },
        &["slots", "1 to 32768"],
    );
    let fineness = Fineness::LogScale(60);
    says(
        DepthRequest {
            fineness,
            ..request(1)
        },
        &["log_scale = 60", "8 integer bits"],
    );
}
