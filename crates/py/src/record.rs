//! Wire records to bytes and files, one way for every kind that is public.

use crate::error::{format_error, storage_error, wire_error};
use pyo3::prelude::*;
use ringwright_interop::storage::{self, Access};
use ringwright_interop::wire::{self, WireError};
use ringwright_schemes::ckks::{Ciphertext, Expected, Parameters};
use ringwright_schemes::rlwe::{EvaluationKeys, PublicKey};
use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What has a public wire record under known parameters.
pub trait Record: Sized + Send + Sync {
    /// Writes the record.
    fn write(&self, out: &mut impl Write) -> Result<(), WireError>;
    /// Reads it back, checking everything.
    fn read(bytes: &[u8], parameters: &Parameters) -> Result<Self, WireError>;
    /// Its bytes, without making them.
    fn length(&self) -> u64;
}

impl Record for Ciphertext {
    fn write(&self, out: &mut impl Write) -> Result<(), WireError> {
        wire::write_ciphertext(self, out)
    }

    fn read(bytes: &[u8], parameters: &Parameters) -> Result<Self, WireError> {
        wire::read_ciphertext(bytes, parameters)
    }

    fn length(&self) -> u64 {
        let masked = self.mask().is_some();
        wire::ciphertext_len(self.parameters(), self.parts().len(), self.level(), masked)
    }
}

impl Record for PublicKey {
    fn write(&self, out: &mut impl Write) -> Result<(), WireError> {
        wire::write_public_key(self, out)
    }

    fn read(bytes: &[u8], parameters: &Parameters) -> Result<Self, WireError> {
        wire::read_public_key(bytes, parameters)
    }

    fn length(&self) -> u64 {
        wire::public_key_len(self.ring(), self.mask().is_some())
    }
}

impl Record for EvaluationKeys {
    fn write(&self, out: &mut impl Write) -> Result<(), WireError> {
        wire::write_evaluation_keys(self, out)
    }

    fn read(bytes: &[u8], parameters: &Parameters) -> Result<Self, WireError> {
        wire::read_evaluation_keys(bytes, parameters)
    }

    fn length(&self) -> u64 {
        wire::evaluation_keys_len(self)
    }
}

impl Record for Expected {
    fn write(&self, out: &mut impl Write) -> Result<(), WireError> {
        wire::write_expected(self, out)
    }

    fn read(bytes: &[u8], parameters: &Parameters) -> Result<Self, WireError> {
        wire::read_expected(bytes, parameters)
    }

    fn length(&self) -> u64 {
        wire::expected_len(self)
    }
}

/// The record as `bytes`.
pub fn to_bytes(py: Python<'_>, record: &impl Record) -> PyResult<Cow<'static, [u8]>> {
    let bytes = py.detach(|| {
        let mut bytes = Vec::with_capacity(usize::try_from(record.length()).unwrap_or(0));
        record.write(&mut bytes).map(|()| bytes)
    });
    bytes.map(Cow::Owned).map_err(wire_error)
}

/// A record from `bytes`.
pub fn from_bytes<R: Record>(py: Python<'_>, parameters: &Parameters, data: &[u8]) -> PyResult<R> {
    py.detach(|| R::read(data, parameters)).map_err(wire_error)
}

/// The record in a file, whole or not there.
pub fn save(py: Python<'_>, record: &impl Record, path: PathBuf) -> PyResult<()> {
    py.detach(|| storage::save(&path, Access::Everyone, |file| record.write(file)))
        .map_err(storage_error)
}

/// A record from a file.
pub fn load<R: Record>(py: Python<'_>, parameters: &Parameters, path: PathBuf) -> PyResult<R> {
    load_with(py, &path, |bytes| R::read(bytes, parameters))
}

/// Anything that is read from a file's bytes.
pub fn load_with<R: Send>(
    py: Python<'_>,
    path: &Path,
    read: impl FnOnce(&[u8]) -> Result<R, WireError> + Send,
) -> PyResult<R> {
    let bytes = py.detach(|| storage::load(path)).map_err(storage_error)?;
    py.detach(|| read(&bytes))
        .map_err(|error| format_error(path, error))
}
