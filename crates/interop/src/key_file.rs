//! A secret key's file, in which the results that it shares are counted.

use crate::storage::{update, Access, StorageError, UpdateError};
use crate::wire::{self, WireError};
use ringwright_schemes::ckks::{self, Shared};
use ringwright_schemes::rlwe::SecretKey;
use std::path::Path;
use zeroize::Zeroizing;

/// Why a result was not counted; it must not be decrypted.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    /// The file cannot be read or written.
    #[error("{0}; results that this key shares are counted there")]
    Storage(#[from] StorageError),
    /// The file holds something else.
    #[error("{0}")]
    File(#[from] WireError),
    /// A budget is spent.
    #[error(transparent)]
    Scheme(#[from] ckks::Error),
}

/// Counts a result in the key's file and in memory, beside what other processes counted there.
///
/// # Errors
/// A file that cannot be read or written or holds another key, and as [`Shared::count`]; then nothing
/// was counted in the file.
pub fn count(path: &Path, key: &SecretKey, shared: &Shared) -> Result<(), CountError> {
    let counted = update(path, Access::Owner, |bytes| counted(bytes, key, shared));
    counted.map_err(|error| match error {
        UpdateError::Storage(error) => error.into(),
        UpdateError::Change(error) => error,
    })
}

/// The file with one more result.
fn counted(
    bytes: &[u8],
    key: &SecretKey,
    shared: &Shared,
) -> Result<Zeroizing<Vec<u8>>, CountError> {
    let (identity, known) = wire::shared_in_file(bytes, key.ring())?;
    if identity != key.identity() {
        return Err(CountError::File(WireError::Field {
            what: "identity of the key in this file",
            given: identity.to_string(),
            allowed: key.identity().to_string(),
        }));
    }
    key.count_shared(&known);
    shared.count(key)?;
    Ok(wire::expose_secret_key(key))
}
