//! Keccak on every body against the crate `keccak`.

use crate::support::{on_every_isa, stream};
use ringwright_kernels::{Keccak, States, STATES, STATE_WORDS};

const ROUNDS_OF_TEST: u64 = 20;

fn states(seed: u64) -> States {
    let mut next = stream(seed);
    std::array::from_fn(|_| std::array::from_fn(|_| next() as u64))
}

fn of(states: &States, state: usize) -> [u64; STATE_WORDS] {
    std::array::from_fn(|word| states[word][state])
}

#[test]
fn every_state_is_permuted_on_its_own() {
    on_every_isa(|isa| {
        let keccak = Keccak::with_isa(isa).unwrap();
        assert!(keccak.isa() <= isa);
        assert!((1..=STATES).contains(&keccak.together()));
        for seed in 0..ROUNDS_OF_TEST {
            for used in 0..=STATES {
                let mut found = states(seed);
                keccak.permute(&mut found, used);
                for state in 0..used {
                    let mut expected = of(&states(seed), state);
                    keccak::f1600(&mut expected);
                    assert_eq!(of(&found, state), expected, "{isa}, {state} of {used}");
                }
            }
        }
    });
}

/// Words of all zeros and all ones, alone among others.
#[test]
fn states_do_not_reach_each_other() {
    on_every_isa(|isa| {
        let keccak = Keccak::with_isa(isa).unwrap();
        for extreme in [0, u64::MAX] {
            for alone in 0..STATES {
                let mut all = states(7);
                all.iter_mut().for_each(|words| words[alone] = extreme);
                let mut expected = of(&all, alone);
                keccak::f1600(&mut expected);
                keccak.permute(&mut all, STATES);
                assert_eq!(of(&all, alone), expected, "{isa}");
            }
        }
    });
}

#[test]
#[should_panic(expected = "5 states: at most 4")]
fn more_states_than_lie_there_are_refused() {
    Keccak::default().permute(&mut states(0), STATES + 1);
}
