//! A device that knows what it lowered last.
//!
//! Lowering and timing a program of a million operations takes seconds; asking for it again takes
//! the time to read it once. A program is found by what it is: who runs it and who asks for its time
//! need not know of each other.

use crate::{Device, DeviceMemory, Executable, Roofs, TransformSchedule, WordBytes};
use ringwright_ir::ring::{Function, Module};
use ringwright_ir::RunError;
use ringwright_towers::in_parallel;
use std::collections::hash_map::{DefaultHasher, RandomState};
use std::collections::VecDeque;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Values that all kept programs hold together at most; the latest is kept whatever it holds.
const MOST_VALUES: usize = 1 << 20;

/// Functions whose hashes are one.
const CHUNK: usize = 1 << 14;

/// Any device, with the programs that it lowered last, the latest first.
pub struct Kept {
    device: Arc<dyn Device>,
    programs: Mutex<VecDeque<Known>>,
    /// Two, drawn when the device was made: 128 bits that nobody can aim at.
    hashers: [RandomState; 2],
    lowered: AtomicU64,
}

struct Known {
    key: [u64; 2],
    values: usize,
    executable: Arc<dyn Executable>,
}

impl Kept {
    /// The same device.
    pub fn new(device: Arc<dyn Device>) -> Self {
        Kept {
            device,
            programs: Mutex::default(),
            hashers: [RandomState::new(), RandomState::new()],
            lowered: AtomicU64::new(0),
        }
    }

    /// How many programs were lowered so far; what was found again is not counted.
    pub fn lowered(&self) -> u64 {
        self.lowered.load(Ordering::Relaxed)
    }

    /// Functions are hashed in chunks of one size, side by side; the hash of a chunk says how many it has.
    fn key(&self, module: &Module) -> Result<[u64; 2], RunError> {
        let Module {
            kind,
            log_n,
            primes,
            funcs,
            entry,
        } = module;
        let chunks: Vec<&[Function]> = funcs.chunks(CHUNK).collect();
        let keys = in_parallel(chunks.len(), |chunk| {
            Ok::<_, RunError>(self.hashed(chunks[chunk]))
        })?;
        Ok(self.hashed((kind, log_n, primes, keys, entry)))
    }

    fn hashed(&self, what: impl Hash) -> [u64; 2] {
        let [first, second] = &self.hashers;
        let mut both = Both::new([first.build_hasher(), second.build_hasher()]);
        what.hash(&mut both);
        both.finish_each()
    }

    fn find(&self, key: [u64; 2]) -> Option<Arc<dyn Executable>> {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        let place = programs.iter().position(|each| each.key == key)?;
        let found = programs.remove(place)?;
        let executable = found.executable.clone();
        programs.push_front(found);
        Some(executable)
    }

    fn keep(&self, new: Known) {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        programs.push_front(new);
        let mut values = 0;
        let fit = programs.iter().take_while(|each| {
            values += each.values;
            values <= MOST_VALUES
        });
        let fit = fit.count().max(1);
        programs.truncate(fit);
    }
}

/// Two hashers in one walk through what is hashed. A program is hashed by words and less, and bytes are
/// handed on many at a time: 500,000 functions take 0.34 s on a core of a Zen 4 where they took 0.40.
struct Both {
    hashers: [DefaultHasher; 2],
    bytes: [u8; Both::ROOM],
    filled: usize,
}

impl Both {
    const ROOM: usize = 4096;

    fn new(hashers: [DefaultHasher; 2]) -> Self {
        Self {
            hashers,
            bytes: [0; Self::ROOM],
            filled: 0,
        }
    }

    fn hand_on(&mut self) {
        let bytes = &self.bytes[..self.filled];
        self.hashers.iter_mut().for_each(|each| each.write(bytes));
        self.filled = 0;
    }

    fn finish_each(mut self) -> [u64; 2] {
        self.hand_on();
        self.hashers.map(|hasher| hasher.finish())
    }
}

impl Hasher for Both {
    #[inline]
    fn write(&mut self, mut bytes: &[u8]) {
        while bytes.len() > Self::ROOM - self.filled {
            let (now, later) = bytes.split_at(Self::ROOM - self.filled);
            self.bytes[self.filled..].copy_from_slice(now);
            self.filled = Self::ROOM;
            self.hand_on();
            bytes = later;
        }
        self.bytes[self.filled..][..bytes.len()].copy_from_slice(bytes);
        self.filled += bytes.len();
    }

    fn finish(&self) -> u64 {
        unreachable!("the hashers of both are asked, once all is handed on")
    }
}

impl Device for Kept {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
        let key = self.key(module)?;
        if let Some(executable) = self.find(key) {
            return Ok(executable);
        }
        let executable = self.device.lower(module)?;
        self.lowered.fetch_add(1, Ordering::Relaxed);
        let values = module.funcs.iter().map(|func| func.types.len()).sum();
        self.keep(Known {
            key,
            values,
            executable: executable.clone(),
        });
        Ok(executable)
    }

    fn machine(&self) -> &str {
        self.device.machine()
    }

    fn word_bytes(&self) -> Option<WordBytes> {
        self.device.word_bytes()
    }

    fn memory(&self) -> Option<&DeviceMemory> {
        self.device.memory()
    }

    fn roofs(&self) -> Option<Roofs> {
        self.device.roofs()
    }

    fn schedules(&self) -> Vec<TransformSchedule> {
        self.device.schedules()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_arith::primes::ntt_primes;
    use ringwright_ir::generate::{long, Long};
    use ringwright_ir::interpret::Interpreter;

    fn module(ops: usize) -> Module {
        let prime = ntt_primes(30, 4, 1).expect("a prime")[0];
        long(Long::Products, ops, 4, prime).expect("valid")
    }

    fn kept() -> Kept {
        Kept::new(Arc::new(Interpreter))
    }

    #[test]
    fn an_equal_program_is_lowered_once_and_a_changed_one_again() {
        let kept = kept();
        let lower = |module: &Module| kept.lower(module).expect("lowers");
        assert!(Arc::ptr_eq(&lower(&module(3)), &lower(&module(3))));
        lower(&module(4));
        lower(&module(3));
        assert_eq!(kept.lowered(), 2);
        let mut renamed = module(3);
        renamed.funcs[0].name.push('x');
        lower(&renamed);
        assert_eq!(kept.lowered(), 3);
    }

    #[test]
    fn what_fails_is_not_kept() {
        let kept = kept();
        let mut wrong = module(1);
        wrong.funcs[0].returns.clear();
        assert!(kept.lower(&wrong).is_err() && kept.lower(&wrong).is_err());
        assert_eq!(kept.lowered(), 0);
    }

    #[test]
    fn old_programs_make_room_and_the_latest_stays() {
        let kept = kept();
        let executable = kept.lower(&module(1)).expect("lowers");
        let keep = |key: u64, values: usize| {
            kept.keep(Known {
                key: [key; 2],
                values,
                executable: executable.clone(),
            });
        };
        (0..3).for_each(|key| keep(key, MOST_VALUES / 2 + 1));
        assert!(kept.find([2; 2]).is_some() && kept.find([1; 2]).is_none());
        keep(9, 4 * MOST_VALUES);
        assert!(kept.find([9; 2]).is_some() && kept.find([2; 2]).is_none());
    }
}
