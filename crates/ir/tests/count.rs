//! Counts of a product of ciphertexts: its own products, one key switch, two mod-downs.

use ringwright_ir::ring::count_entry;
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
