//! Counts of a product of ciphertexts: its own products, one key switch, two mod-downs; and of calls
//! that multiply.

use ringwright_ir::ring::{count_entry, towers_expanded};
use ringwright_ir::text;
use std::path::Path;

const TOWERS: usize = 2;
const SPECIAL: usize = 1;
/// Digits are single towers.
const DIGITS: usize = TOWERS;

#[test]
fn a_product_with_its_key_switch() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/mul_relin.ring");
    let module = text::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    let [count] = count_entry(&module)[..] else {
        panic!("the entry function is one call");
    };
    let all = TOWERS + SPECIAL;
    let switched_in = TOWERS + DIGITS * (all - 1);
    let down = 2 * (SPECIAL + TOWERS);
    assert_eq!(count.transforms, switched_in + down);
    assert_eq!(count.key_towers, 2 * DIGITS * all);
    assert_eq!(count.products, 4 * TOWERS + 2 * DIGITS * all + 2 * TOWERS);
}

/// Functions that each call the one before twice.
fn doubled(levels: usize) -> String {
    let ty = "poly[q0; eval]";
    let header = format!("log_n 4\nprime q0 = 97\nentry f{levels}\n");
    let first = format!("ring f0(x: {ty}) -> {ty} {{ y = add x, x return y }}\n");
    let next = |level: usize| {
        let below = level - 1;
        format!(
            "ring f{level}(x: {ty}) -> {ty} {{ y = call f{below}(x) z = call f{below}(y) return z }}\n"
        )
    };
    header + &first + &(1..=levels).map(next).collect::<String>()
}

#[test]
fn calls_of_calls_multiply_and_saturate() {
    for levels in [0, 1, 10, 63] {
        let module = text::parse(&doubled(levels)).unwrap();
        let input = 1;
        assert_eq!(towers_expanded(&module), input + (1 << levels), "{levels}");
    }
    let module = text::parse(&doubled(64)).unwrap();
    assert_eq!(towers_expanded(&module), u64::MAX);
}
