//! Whatever goes wrong, a file is the old one or the new one, and nothing else stays.

use ringwright_interop::storage::{load, save, update, Access, StorageError, UpdateError};
use std::convert::Infallible;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// An empty folder, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ringwright-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = entries
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn save_bytes(path: &Path, access: Access, bytes: &[u8]) -> Result<(), StorageError> {
    save(path, access, |file: &mut File| file.write_all(bytes))
}

#[test]
fn a_saved_file_loads_and_replaces_the_old_one() {
    let folder = Folder::new("replace");
    let path = folder.0.join("key");
    for contents in [&b"first"[..], b"", b"the second, longer one"] {
        save_bytes(&path, Access::Everyone, contents).unwrap();
        assert_eq!(load(&path).unwrap().as_slice(), contents);
        assert_eq!(folder.files(), ["key"]);
    }
}

#[test]
fn a_failure_in_the_middle_keeps_the_old_file() {
    let folder = Folder::new("middle");
    let path = folder.0.join("key");
    save_bytes(&path, Access::Everyone, b"old").unwrap();
    let failed = save(&path, Access::Everyone, |file| {
        file.write_all(b"half of the n")?;
        Err(io::Error::other("no space left on device"))
    });
    let message = failed.unwrap_err().to_string();
    assert_eq!(
        message,
        format!("{}: not written: no space left on device", path.display())
    );
    assert_eq!(load(&path).unwrap().as_slice(), b"old");
    assert_eq!(folder.files(), ["key"]);
}

#[test]
fn places_that_take_no_file_are_named_and_left_clean() {
    let folder = Folder::new("places");
    let nothing = |path: &Path| save(path, Access::Everyone, |_| Ok::<(), Infallible>(()));
    assert!(
        nothing(&folder.0)
            .unwrap_err()
            .to_string()
            .contains("not written"),
        "a folder"
    );
    assert!(nothing(&folder.0.join("missing/key")).is_err());
    assert!(nothing(Path::new("/"))
        .unwrap_err()
        .to_string()
        .contains("names no file"));
    assert_eq!(folder.files(), [""; 0]);
}

#[test]
fn only_regular_files_are_read() {
    let folder = Folder::new("regular");
    let message = load(&folder.0).unwrap_err().to_string();
    assert!(
        message.ends_with("cannot be read: not a regular file"),
        "{message}"
    );
    assert!(load(&folder.0.join("missing")).is_err());
    #[cfg(unix)]
    assert!(load(Path::new("/dev/zero")).is_err());
}

#[cfg(unix)]
#[test]
fn a_secret_s_file_is_its_owner_s_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("owner");
    let path = folder.0.join("secret");
    save_bytes(&path, Access::Everyone, b"was readable").unwrap();
    save_bytes(&path, Access::Owner, b"is not").unwrap();
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

/// A real full disk, as the operating system reports it: this test runs itself again under a limit
/// on the size of files (ulimit -f, its signal ignored), where writing fails half-way.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_behind() {
    const CHILD: &str = "RINGWRIGHT_TEST_FULL_DISK";
    if let Some(folder) = std::env::var_os(CHILD) {
        return fill(Path::new(&folder));
    }
    let folder = Folder::new("full");
    let command = format!(
        "trap '' XFSZ; ulimit -f 8; exec \"{}\" --exact a_full_disk_leaves_nothing_behind",
        std::env::current_exe().unwrap().display()
    );
    let run = std::process::Command::new("sh")
        .arg("-c")
        .arg(command)
        .env(CHILD, &folder.0)
        .output();
    let run = run.unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stdout)
    );
    assert_eq!(
        folder.files(),
        ["small"],
        "the child did not run, or left something"
    );
}

/// What the child does: a file below the limit succeeds, one beyond it fails and disappears.
#[cfg(unix)]
fn fill(folder: &Path) {
    save_bytes(&folder.join("small"), Access::Everyone, b"fits").unwrap();
    let block = [0; 4096];
    let beyond = save(&folder.join("large"), Access::Everyone, |file| {
        (0..64).try_for_each(|_| file.write_all(&block))
    });
    let message = beyond.unwrap_err().to_string();
    assert!(
        message.contains("large: not written: File too large"),
        "{message}"
    );
}

/// Every process's change is made to what the one before left.
#[test]
fn updates_do_not_lose_each_other() {
    let folder = Folder::new("updates");
    let path = folder.0.join("count");
    save_bytes(&path, Access::Owner, b"0").unwrap();
    let count = |bytes: &[u8]| std::str::from_utf8(bytes).unwrap().parse::<u32>().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    let next = |bytes: &[u8]| {
                        let text = (count(bytes) + 1).to_string();
                        Ok::<_, String>(text.into_bytes().into())
                    };
                    update(&path, Access::Owner, next).unwrap();
                }
            });
        }
    });
    assert_eq!(count(&load(&path).unwrap()), 100);
    let refused = update(&path, Access::Owner, |_| Err("no"));
    assert!(matches!(refused, Err(UpdateError::Change("no"))));
    assert_eq!(count(&load(&path).unwrap()), 100);
}
