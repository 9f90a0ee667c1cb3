//! Parameters picked for a depth.

use ringwright_schemes::ckks::{
    DepthRequest, Fineness, Flooding, ParameterError, Parameters, ProgramBuilder, Sharing,
};
use ringwright_schemes::security::{strictest, Secret};

fn request(depth: usize) -> DepthRequest {
    DepthRequest {
        depth,
        security: 128,
        fineness: Fineness::LogScale(40),
        integer_bits: 8,
        slots: 1,
        share: None,
    }
}

#[test]
fn every_depth_gets_the_smallest_ring_that_is_secure() {
    for depth in [0, 1, 2, 4, 8, 16, 30] {
        let parameters = Parameters::for_depth(request(depth)).unwrap();
        assert_eq!(parameters.depth(), depth);
        let verdicts = parameters.security().verdicts();
        assert!(verdicts.iter().all(|verdict| verdict.bits >= 128));
        let bits: u32 = [
            &parameters.literal().q_bits[..],
            &parameters.literal().p_bits,
        ]
        .concat()
        .iter()
        .sum();
        let carried =
            |log_n| strictest(Secret::Ternary, 128, log_n).is_some_and(|most| bits <= most);
        assert!(!(0..parameters.log_n()).any(carried), "depth {depth}");
    }
}

#[test]
fn more_security_takes_larger_rings() {
    let of = |security| {
        let request = DepthRequest {
            security,
            ..request(4)
        };
        Parameters::for_depth(request).unwrap()
    };
    for (security, log_n) in [(128, 14), (192, 14), (256, 15)] {
        let parameters = of(security);
        assert_eq!(parameters.log_n(), log_n, "{security}");
        let verdicts = parameters.security().verdicts();
        assert!(verdicts.iter().all(|verdict| verdict.bits >= security));
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

/// The scale is what flood and precision take together, and no longer.
#[test]
fn shared_results_have_room() {
    for depth in 0..=4 {
        for queries in [1, 16] {
            let sharing = Sharing {
                queries,
                ..Sharing::default()
            };
            let share = Some(sharing);
            let of = |fineness| {
                let request = DepthRequest {
                    share,
                    fineness,
                    ..request(depth)
                };
                Parameters::for_depth(request)
            };
            let Ok(parameters) = of(Fineness::LogScale(20)) else {
                assert!(
                    depth > 2 && queries == 16,
                    "depth {depth}, {queries} queries"
                );
                continue;
            };
            let room = |parameters: &Parameters| {
                let mut builder = ProgramBuilder::new(parameters, "squares");
                let x = builder.input("x", parameters.fresh(1.0, 1.0)).unwrap();
                let result = (0..depth).try_fold(x, |x, _| builder.mul_rescale(x, x));
                let ty = builder.ty(result.unwrap()).unwrap().clone();
                Flooding::size(parameters, &ty, sharing)
            };
            room(&parameters).unwrap();
            assert!(parameters.depth() >= depth);
            let mut shorter = parameters.literal().clone();
            shorter.log_scale -= 1;
            assert!(room(&Parameters::new(shorter).unwrap()).is_err());
        }
    }
    // Where none do, the longest scale is named.
    let request = DepthRequest {
        share: Some(Sharing {
            precision_bits: 30,
            ..Sharing::default()
        }),
        ..request(3)
    };
    let refused = Parameters::for_depth(request).unwrap_err().to_string();
    assert!(
        refused.contains("log_scale") && refused.contains("59"),
        "{refused}"
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
        assert!(!parameters.security().is_beyond());
    }
    let deepest = (1..)
        .take_while(|&depth| Parameters::for_depth(coarse(depth)).is_ok())
        .last()
        .unwrap();
    let refused = Parameters::for_depth(coarse(deepest + 10)).unwrap_err();
    let (text, words) = (refused.to_string(), format!("depth up to {deepest},"));
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
    says(request(most + 1), &["3523", "N = 131072", &words]);
    says(request(usize::MAX), &["3523", &words]);
    says(
        DepthRequest {
            security: 100,
            ..request(1)
        },
        &["security = 100", "128, 192 or 256"],
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
        &["slots", "1 to 65536"],
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
