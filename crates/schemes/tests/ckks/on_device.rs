//! Keys and constants lie in the memory of a device that has one, once, while they are in use.

use crate::client::{device, small, uniform, Client};
use ringwright_ir::ring::Module;
use ringwright_ir::RunError;
use ringwright_schemes::ckks::Analysed;
use ringwright_schemes::ckks::{Error, Evaluator, Prepared, ProgramBuilder};
use ringwright_schemes::rlwe;
use ringwright_target::{BufferError, Device, DeviceMemory, Executable, WordBytes};
use std::sync::Arc;

const BYTES_PER_WORD: u64 = 8;

/// The interpreter with a memory.
struct Remembers(DeviceMemory);

impl Device for Remembers {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
        device().lower(module)
    }

    fn machine(&self) -> &str {
        self.0.machine()
    }

    fn word_bytes(&self) -> Option<WordBytes> {
        Some(WordBytes::all(BYTES_PER_WORD))
    }

    fn memory(&self) -> Option<&DeviceMemory> {
        Some(&self.0)
    }
}

fn memory(capacity: u64) -> DeviceMemory {
    DeviceMemory::new("remembers", capacity, WordBytes::all(BYTES_PER_WORD))
}

fn evaluator(client: &Client, memory: &DeviceMemory) -> Evaluator {
    Evaluator::new(&client.parameters, Arc::new(Remembers(memory.clone())))
}

/// A square that needs a key, and with `constant` a sum that needs one.
fn program(client: &Client, constant: bool) -> Analysed {
    let mut builder = ProgramBuilder::new(&client.parameters, "square");
    let a = builder.input("a", client.fresh()).unwrap();
    let sum = match constant {
        true => builder.add_constant(a, &[0.5, 0.25]).unwrap(),
        false => a,
    };
    let square = builder.mul_rescale(sum, sum).unwrap();
    builder.finish(&[square]).unwrap()
}

/// Bytes of a program's constants and of its keys.
fn bytes(prepared: &Prepared) -> [u64; 2] {
    let (traffic, tower) = (prepared.traffic(), prepared.tower_bytes().unwrap());
    [traffic.constants, traffic.keys].map(|towers| towers as u64 * tower)
}

#[test]
fn they_are_sent_once_and_go_with_the_program() {
    let client = Client::new(&small());
    let memory = memory(1 << 30);
    let evaluator = evaluator(&client, &memory);
    let program = program(&client, true);
    let keys = client.keys_for(&program);
    let prepared = evaluator.prepare(&program).unwrap();
    let [constants, key] = bytes(&prepared);
    assert!(constants > 0 && key > 0);
    assert_eq!(memory.used(), constants, "before the first run");
    let input = client.encrypt(&uniform(client.parameters.slots(), 1), 1);
    let expected = client.run(&program, std::slice::from_ref(&input));
    for _ in 0..2 {
        let results = prepared.run(std::slice::from_ref(&input), &keys).unwrap();
        assert_eq!(results[0].parts(), expected[0].parts());
        assert_eq!(memory.used(), constants + key);
    }
    drop(prepared);
    assert_eq!(memory.used(), 0);
}

#[test]
fn programs_share_a_key_and_another_one_takes_its_place() {
    let client = Client::new(&small());
    let memory = memory(1 << 30);
    let evaluator = evaluator(&client, &memory);
    let program = program(&client, false);
    let (keys, others) = (client.keys_for(&program), client.keys_for(&program));
    let input = client.encrypt(&uniform(client.parameters.slots(), 1), 1);
    let both = [0, 1].map(|_| evaluator.prepare(&program).unwrap());
    let key = bytes(&both[0])[1];
    for prepared in &both {
        prepared.run(std::slice::from_ref(&input), &keys).unwrap();
        assert_eq!(memory.used(), key);
    }
    for (prepared, held) in both.iter().zip([2 * key, key]) {
        prepared.run(std::slice::from_ref(&input), &others).unwrap();
        assert_eq!(memory.used(), held);
    }
}

#[test]
fn what_does_not_fit_is_refused_by_its_bytes() {
    let client = Client::new(&small());
    let program = program(&client, true);
    let input = client.encrypt(&uniform(client.parameters.slots(), 1), 1);
    let keys = client.keys_for(&program);
    let room = evaluator(&client, &memory(1 << 30));
    let [constants, key] = bytes(&room.prepare(&program).unwrap());
    let prepare = |capacity| evaluator(&client, &memory(capacity)).prepare(&program);
    assert!(matches!(
        prepare(constants - 1),
        Err(Error::Rlwe(rlwe::Error::Buffer(BufferError::Full { asked, .. }))) if asked == constants
    ));
    let prepared = prepare(constants + key - 1).unwrap();
    let refused = prepared.run(std::slice::from_ref(&input), &keys);
    assert!(matches!(
        refused,
        Err(Error::Rlwe(rlwe::Error::Buffer(BufferError::Full { asked, free, .. }))) if asked == key && free == key - 1
    ));
    let prepared = prepare(constants + key).unwrap();
    assert!(prepared.run(&[input], &keys).is_ok());
}
