//! Files that are whole or not there.
//!
//! [`save`] writes to a temporary name in the same folder, forces the bytes to the disk, and renames:
//! whatever fails, the file of that name is the old one or the new one, and no rest stays behind.
//! Only a process that is killed in the middle leaves one, `.ringwright-*.partial`.

use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use zeroize::Zeroizing;

/// The largest file that is read: 16 GiB, some hundred rotation keys of the largest preset.
const MAX_BYTES: u64 = 1 << 34;

/// Who may read the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Whoever the user's settings let in.
    Everyone,
    /// The owner alone: for secret keys. Where the system has no such permissions (not Unix) it is
    /// the folder that protects the file.
    Owner,
}

/// A file could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// Writing failed; the file of this name is what it was before.
    #[error("{path}: not written: {reason}", path = .path.display())]
    Save {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Reading failed.
    #[error("{path}: cannot be read: {reason}", path = .path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// Saves what `write` writes under `path`; a file of that name is replaced at the very end. The
/// file is not buffered, so no copy of a secret stays in a buffer.
///
/// # Errors
/// The path has no file name, its folder takes no files, the disk is full, or `write` fails.
pub fn save<E: Display>(
    path: &Path,
    access: Access,
    write: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), StorageError> {
    save_by_rename(path, access, write).map_err(|reason| StorageError::Save {
        path: path.to_path_buf(),
        reason,
    })
}

/// Why a file was not replaced by what was made of it.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError<E> {
    /// The file cannot be read, locked or written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// Whoever was to change it refused.
    #[error("{0}")]
    Change(E),
}

/// Replaces a file by what `change` makes of its bytes; of several processes that do this at once each
/// sees what the one before wrote.
///
/// # Errors
/// As [`load`] and [`save`], and what `change` refuses: the file is then what it was before.
pub fn update<E>(
    path: &Path,
    access: Access,
    change: impl FnOnce(&[u8]) -> Result<Zeroizing<Vec<u8>>, E>,
) -> Result<(), UpdateError<E>> {
    // Held until the new file stands under the name.
    let _lock = locked(path).map_err(|error| StorageError::Load {
        path: path.to_path_buf(),
        reason: error.to_string(),
    })?;
    let bytes = change(&load(path)?).map_err(UpdateError::Change)?;
    Ok(save(path, access, |file| file.write_all(&bytes))?)
}

/// The file of this name, locked; who waited for one that was replaced meanwhile waits for the next.
fn locked(path: &Path) -> io::Result<File> {
    loop {
        let file = File::open(path)?;
        file.lock()?;
        if same_file(&file.metadata()?, &fs::metadata(path)?) {
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn same_file(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Elsewhere a file that is open is not replaced.
#[cfg(not(unix))]
fn same_file(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true
}

/// Reads a regular file; its bytes are overwritten when dropped.
///
/// # Errors
/// No such file, not a regular one, or larger than 16 GiB.
pub fn load(path: &Path) -> Result<Zeroizing<Vec<u8>>, StorageError> {
    read_regular(path).map_err(|error| StorageError::Load {
        path: path.to_path_buf(),
        reason: error.to_string(),
    })
}

fn save_by_rename<E: Display>(
    path: &Path,
    access: Access,
    write: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), String> {
    if path.file_name().is_none() {
        return Err("the path names no file".to_string());
    }
    let folder = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let (partial, mut file) = Partial::create(folder, access).map_err(|e| e.to_string())?;
    write(&mut file).map_err(|error| error.to_string())?;
    file.sync_all().map_err(|error| error.to_string())?;
    drop(file);
    partial.rename_to(path).map_err(|error| error.to_string())?;
    // The name itself reaches the disk with the folder; where folders cannot be synchronised the
    // file is complete all the same.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

fn read_regular(path: &Path) -> io::Result<Zeroizing<Vec<u8>>> {
    // Asked before opening: opening a pipe would wait for its other end.
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    if metadata.len() > MAX_BYTES {
        let (given, allowed) = (metadata.len(), MAX_BYTES);
        return Err(io::Error::other(format!(
            "{given} bytes; at most {allowed} are read"
        )));
    }
    // Reserved at once: a vector that grows leaves copies behind.
    let mut bytes = Zeroizing::new(Vec::new());
    bytes
        .try_reserve_exact(metadata.len() as usize + 1)
        .map_err(io::Error::other)?;
    File::open(path)?
        .take(metadata.len())
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file under a temporary name; removed unless it was renamed.
struct Partial {
    path: PathBuf,
    renamed: bool,
}

impl Partial {
    /// A new file in `folder` under a name that nobody has.
    fn create(folder: &Path, access: Access) -> io::Result<(Self, File)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".ringwright-{}-{number}.partial", std::process::id());
            let path = folder.join(OsStr::new(&name));
            match options(access).open(&path) {
                Ok(file) => {
                    return Ok((
                        Self {
                            path,
                            renamed: false,
                        },
                        file,
                    ))
                }
                // Left by a killed process that had our number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
        }
    }

    fn rename_to(mut self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, path)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn options(access: Access) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if access == Access::Owner {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = access;
    options
}
