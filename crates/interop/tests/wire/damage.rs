//! Damaged files are refused, every one; hostile ones neither panic a reader nor make it allocate.

use crate::holdings::Holdings;
use proptest::prelude::*;
use ringwright_interop::wire::{self, WireError};
use ringwright_schemes::security::Insecure;

type Reader<'h> = Box<dyn Fn(&[u8]) -> Result<(), WireError> + 'h>;

/// The reader of each file of [`Holdings::files`], in the same order.
fn readers(held: &Holdings) -> [Reader<'_>; 6] {
    let parameters = &held.parameters;
    [
        Box::new(|bytes| wire::read_parameters(bytes, Some(Insecure)).map(drop)),
        Box::new(move |bytes| wire::read_ciphertext(bytes, parameters).map(drop)),
        Box::new(move |bytes| wire::read_public_key(bytes, parameters).map(drop)),
        Box::new(move |bytes| wire::read_evaluation_keys(bytes, parameters).map(drop)),
        Box::new(move |bytes| wire::read_secret_key(bytes, parameters, &held.generator).map(drop)),
        Box::new(move |bytes| wire::read_expected(bytes, parameters).map(drop)),
    ]
}

#[test]
fn every_single_byte_damage_is_refused() {
    let held = Holdings::tiny();
    for ((name, file), read) in held.files().iter().zip(readers(&held)) {
        read(file).unwrap();
        let mut damaged = file.to_vec();
        for at in 0..file.len() {
            for flip in 1..=u8::MAX {
                damaged[at] = file[at] ^ flip;
                assert!(
                    read(&damaged).is_err(),
                    "{name}: byte {at} ^ {flip:#04x} was accepted"
                );
            }
            damaged[at] = file[at];
        }
    }
}

#[test]
fn every_truncation_and_every_appendix_is_refused() {
    let held = Holdings::tiny();
    for ((name, file), read) in held.files().iter().zip(readers(&held)) {
        for len in 0..file.len() {
            assert!(
                read(&file[..len]).is_err(),
                "{name}: {len} bytes of it were accepted"
            );
        }
        let longer = [file.as_slice(), &[0]].concat();
        let message = read(&longer).unwrap_err().to_string();
        let (given, announced) = (longer.len(), file.len());
        assert!(message.starts_with(&format!(
            "{given} bytes where the header announces {announced}"
        )));
    }
}

#[test]
fn the_kind_of_damage_is_named() {
    let held = Holdings::tiny();
    let file = held.files()[1].1.to_vec();
    let refuse = |change: fn(&mut Vec<u8>)| {
        let mut file = file.clone();
        change(&mut file);
        wire::read_ciphertext(&file, &held.parameters).unwrap_err()
    };
    assert!(matches!(
        refuse(|file| file[0] = b'X'),
        WireError::Magic { .. }
    ));
    assert!(matches!(
        refuse(|file| file.clear()),
        WireError::Magic { .. }
    ));
    assert!(matches!(
        refuse(|file| file[4] = 9),
        WireError::Version { given: 9, .. }
    ));
    assert!(matches!(
        refuse(|file| file[40] ^= 1),
        WireError::Length { .. }
    ));
    assert!(matches!(
        refuse(|file| file[60] ^= 1),
        WireError::Damaged { .. }
    ));
    assert!(matches!(
        refuse(|file| file[8] ^= 1),
        WireError::Damaged { .. }
    ));
}

/// Numbers that announce far more than there is: refused before memory is asked for.
#[test]
fn headers_that_lie_about_sizes_are_refused() {
    let held = Holdings::tiny();
    for (_, file) in held.files() {
        let mut lying = file.to_vec();
        lying[40..48].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(matches!(
            wire::kind_of(&lying),
            Err(WireError::Length { .. })
        ));
    }
    for count in [1, 16, 17, u32::MAX] {
        let mut keys = vec![0; 16];
        keys.push(1);
        keys.extend_from_slice(&count.to_le_bytes());
        wire::check(&keys);
        keys.extend((0..16_u64).flat_map(u64::to_le_bytes));
        wire::check(&keys);
    }
}

/// The bounded smoke test of the fuzz target `wire`: the same `check`, on damaged payloads behind
/// a checksum that fits.
#[test]
fn readers_accept_only_what_they_write() {
    for (_, file) in Holdings::tiny().files() {
        wire::check(&file);
        let payload = &file[48..file.len() - 8];
        wire::check(payload);
        for at in 0..payload.len().min(400) {
            for flip in [1, 0x80, 0xff] {
                let mut damaged = payload.to_vec();
                damaged[at] ^= flip;
                wire::check(&damaged);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn readers_survive_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        wire::check(&bytes);
    }
}
