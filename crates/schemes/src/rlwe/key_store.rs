//! Where evaluation keys lie: in memory, or the first in memory and the others in files.
//!
//! A bootstrapping at N = 2^16 has 11 GB of keys, most of which are read once a run. A computer with less
//! memory than that holds what is read most, the key for products first, and streams the rest.

use super::{free_memory, Error, KeyShape, Ring, SwitchingKey};
use ringwright_ir::{interrupt, RunError};
use ringwright_ring::RnsPoly;
use std::path::PathBuf;

/// Takes keys as they are made or read.
#[derive(Clone, Debug)]
pub struct KeyStore {
    files: Option<Files>,
}

#[derive(Clone, Debug)]
struct Files {
    folder: PathBuf,
    /// Bytes of keys that memory still takes.
    left: u64,
}

impl KeyStore {
    /// All keys stay in memory.
    pub fn memory() -> Self {
        Self { files: None }
    }

    /// As many keys as fill so many bytes stay in memory; each of the others lies in a file without a
    /// name in this folder, which is gone with the key.
    pub fn streamed(in_memory: u64, folder: PathBuf) -> Self {
        Self {
            files: Some(Files {
                folder,
                left: in_memory,
            }),
        }
    }

    /// Refuses keys that would take more memory than is free.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn check<'s>(
        &self,
        ring: &Ring,
        shapes: impl Iterator<Item = &'s KeyShape>,
    ) -> Result<(), Error> {
        let sizes: Vec<u64> = shapes.map(|shape| shape.bytes(ring)).collect();
        let all = sizes.iter().sum();
        // A key is made in memory before it is written.
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let needed = match &self.files {
            Some(files) => files.left.saturating_add(largest).min(all),
            None => all,
        };
        let kept = if needed < all { " in memory" } else { "" };
        free_memory::check(&format!("{} evaluation keys{kept}", sizes.len()), needed)
    }

    /// The key, where it is to lie.
    ///
    /// # Errors
    /// [`Error::Storage`]: no such folder, or no room in it; a run that is stopped.
    pub fn keep(&mut self, key: SwitchingKey) -> Result<SwitchingKey, Error> {
        let Some(files) = &mut self.files else {
            return Ok(key);
        };
        let bytes = key.shape().bytes(key.ring());
        if bytes <= files.left {
            files.left -= bytes;
            return Ok(key);
        }
        let goes_on = || interrupt::check().is_ok();
        let kept = RnsPoly::keep(key.polys(), &files.folder, goes_on);
        let kept = kept.map_err(|error| Error::Storage {
            what: "an evaluation key".into(),
            folder: files.folder.display().to_string(),
            reason: error.to_string(),
        })?;
        Ok(key.with_polys(kept.ok_or(RunError::Interrupted)?))
    }
}
