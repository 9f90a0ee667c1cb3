//! The memory of a device, in which values may stay between runs.
//!
//! A machine has one here if its description says how large it is; what works in its host's memory
//! has none. A [`Buffer`] is the handle of a value that lies there.

use crate::{BufferError, Form, WordBytes};
use ringwright_ir::Value;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The memory of one device; a clone is the same memory. Any thread may use it.
#[derive(Clone, Debug)]
pub struct DeviceMemory(Arc<Bytes>);

#[derive(Debug)]
struct Bytes {
    machine: String,
    capacity: u64,
    words: WordBytes,
    used: AtomicU64,
    /// What was put there, so that it is found again.
    put: Mutex<Vec<Weak<Buffer>>>,
}

impl DeviceMemory {
    /// An empty one of so many bytes, in which words of towers take these.
    pub fn new(machine: &str, capacity: u64, words: WordBytes) -> Self {
        DeviceMemory(Arc::new(Bytes {
            machine: machine.to_owned(),
            capacity,
            words,
            used: AtomicU64::new(0),
            put: Mutex::default(),
        }))
    }

    /// Name of the machine description.
    pub fn machine(&self) -> &str {
        &self.0.machine
    }

    /// Bytes in all.
    pub fn capacity(&self) -> u64 {
        self.0.capacity
    }

    /// Bytes that are held.
    pub fn used(&self) -> u64 {
        self.0.used.load(Ordering::Acquire)
    }

    /// Bytes that nobody holds.
    pub fn free(&self) -> u64 {
        self.capacity() - self.used()
    }

    /// Holds this many bytes until the space is dropped.
    ///
    /// # Errors
    /// [`BufferError::Full`].
    pub fn reserve(&self, bytes: u64) -> Result<Space, BufferError> {
        let add = |used: u64| {
            used.checked_add(bytes)
                .filter(|sum| *sum <= self.capacity())
        };
        let used = &self.0.used;
        match used.fetch_update(Ordering::AcqRel, Ordering::Acquire, add) {
            Ok(_) => Ok(Space {
                memory: self.clone(),
                bytes,
            }),
            Err(used) => Err(BufferError::Full {
                machine: self.machine().to_owned(),
                asked: bytes,
                free: self.capacity() - used,
                capacity: self.capacity(),
            }),
        }
    }

    /// Puts a value there. The very same value, not an equal one, lies there once, however often it
    /// is put there under one form.
    ///
    /// # Errors
    /// [`BufferError::Full`]; [`BufferError::Run`] for a value that is not of the form.
    pub fn put(&self, form: &Form, value: Value) -> Result<Arc<Buffer>, BufferError> {
        // Entries are whole at any time, whoever panics elsewhere.
        let mut put = self.0.put.lock().unwrap_or_else(PoisonError::into_inner);
        put.retain(|buffer| buffer.strong_count() > 0);
        let mut there = put.iter().filter_map(Weak::upgrade);
        if let Some(buffer) = there.find(|buffer| buffer.form() == form && buffer.holds(&value)) {
            return Ok(buffer);
        }
        form.check(&value)?;
        let space = self.reserve(self.size(form))?;
        let buffer = Arc::new(Buffer::new(space, form.clone(), value));
        put.push(Arc::downgrade(&buffer));
        Ok(buffer)
    }

    /// Bytes that a value of this form takes.
    pub fn size(&self, form: &Form) -> u64 {
        form.bytes(self.0.words)
    }

    /// Whether both are the memory of one device, whatever it is called.
    pub fn is(&self, other: &DeviceMemory) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Bytes that are held until this is dropped.
#[derive(Debug)]
pub struct Space {
    memory: DeviceMemory,
    bytes: u64,
}

impl Space {
    /// The memory that they are of.
    pub fn memory(&self) -> &DeviceMemory {
        &self.memory
    }

    /// How many.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        self.memory.0.used.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

/// A value that lies in the memory of a device, until the last handle is dropped. Its words are
/// overwritten then, unless somebody else holds them too.
pub struct Buffer {
    space: Space,
    form: Form,
    value: Value,
}

impl Buffer {
    /// In space that was reserved for a value of this form.
    pub(crate) fn new(space: Space, form: Form, value: Value) -> Self {
        Buffer { space, form, value }
    }

    /// The memory that it lies in.
    pub fn owner(&self) -> &DeviceMemory {
        self.space.memory()
    }

    /// Bytes that it takes there.
    pub fn bytes(&self) -> u64 {
        self.space.bytes()
    }

    /// What it is.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// Whether it is this very value, not an equal one.
    pub fn holds(&self, value: &Value) -> bool {
        match (&self.value, value) {
            (Value::Poly(own), Value::Poly(other)) => Arc::ptr_eq(own, other),
            (Value::Array(own), Value::Array(other)) => Arc::ptr_eq(own, other),
            _ => false,
        }
    }

    /// The value, brought back.
    pub fn value(&self) -> &Value {
        &self.value
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        std::mem::replace(&mut self.value, Value::Array(Arc::default())).wipe();
    }
}

impl fmt::Debug for Buffer {
    /// Without words, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bytes, machine) = (self.bytes(), self.owner().machine());
        write!(f, "Buffer({}, {bytes} bytes on {machine})", self.form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_ir::ring::{Domain, RingKind};
    use ringwright_ring::RnsPoly;

    const PER_WORD: u64 = 8;

    fn form() -> Form {
        Form {
            kind: RingKind::Standard,
            log_n: 4,
            primes: vec![97, 193],
            domain: Domain::Eval,
            items: Some(3),
        }
    }

    fn array(items: usize) -> Value {
        Value::Array(Arc::new(vec![RnsPoly::zero(16, 2); items]))
    }

    /// Room for two such arrays.
    fn memory() -> DeviceMemory {
        let bytes = 16 * 2 * 3 * PER_WORD;
        DeviceMemory::new("small", 2 * bytes + bytes / 2, WordBytes::all(PER_WORD))
    }

    #[test]
    fn a_value_takes_its_words_and_gives_them_back() {
        let memory = memory();
        let first = memory.put(&form(), array(3)).expect("room for it");
        assert_eq!(first.bytes(), memory.size(&form()));
        let other = first.clone();
        drop(first);
        assert_eq!(memory.used(), memory.size(&form()), "a handle is left");
        drop(other);
        assert_eq!(memory.free(), memory.capacity());
    }

    #[test]
    fn the_same_value_lies_there_once_and_an_equal_one_beside_it() {
        let memory = memory();
        let size = memory.size(&form());
        let value = array(3);
        let put = |value: &Value| memory.put(&form(), value.clone()).expect("room for it");
        let (first, again) = (put(&value), put(&value));
        assert!(Arc::ptr_eq(&first, &again) && memory.used() == size);
        let equal = put(&array(3));
        assert_eq!(memory.used(), 2 * size);
        drop((first, again));
        assert_eq!((memory.used(), equal.bytes()), (size, size));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_numbers() {
        let memory = memory();
        let size = memory.size(&form());
        let held = [0, 1].map(|_| memory.put(&form(), array(3)).expect("room for it"));
        let refused = memory.put(&form(), array(3)).expect_err("a third");
        let text = refused.to_string();
        let (free, capacity) = (size / 2, memory.capacity());
        let numbers = format!("small: no room for {size} bytes; {free} of {capacity} bytes");
        assert!(text.starts_with(&numbers), "{text}");
        drop(held);
        assert!(memory.put(&form(), array(3)).is_ok());
        assert!(memory.reserve(u64::MAX).is_err());
    }

    #[test]
    fn a_value_of_another_form_takes_no_room() {
        let memory = memory();
        let refused = memory.put(&form(), array(2));
        assert!(matches!(refused, Err(BufferError::Run(_))));
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn threads_never_hold_more_than_there_is() {
        let memory = DeviceMemory::new("small", 100, WordBytes::all(PER_WORD));
        let hold = || {
            for _ in 0..1000 {
                if let Ok(_space) = memory.reserve(40) {
                    assert!(memory.used() <= memory.capacity());
                }
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(hold))));
        assert_eq!(memory.used(), 0);
    }
}
