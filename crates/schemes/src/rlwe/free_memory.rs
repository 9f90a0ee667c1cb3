//! How much memory is free, asked before keys of that size are drawn.
//!
//! Linux says what can be had without swapping (`MemAvailable` of /proc/meminfo); elsewhere, and in a
//! container that hides it, nothing is known and nothing is refused.

use super::Error;

/// Refuses keys of more bytes than are free.
pub(super) fn check(what: &str, needed: u64) -> Result<(), Error> {
    check_against(what, needed, available())
}

fn check_against(what: &str, needed: u64, available: Option<u64>) -> Result<(), Error> {
    match available {
        Some(available) if needed > available => Err(Error::Memory {
            what: what.to_string(),
            needed,
            available,
        }),
        _ => Ok(()),
    }
}

fn available() -> Option<u64> {
    parsed(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

/// `MemAvailable:   12345 kB`.
fn parsed(meminfo: &str) -> Option<u64> {
    let mut lines = meminfo.lines();
    let rest = lines.find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_available_memory_is_read() {
        let meminfo = "MemTotal:  100 kB\nMemFree:  1 kB\nMemAvailable:   50 kB\n";
        assert_eq!(parsed(meminfo), Some(50 * 1024));
        assert_eq!(parsed("MemTotal:  100 kB\n"), None);
        assert_eq!(parsed("MemAvailable:  many kB\n"), None);
    }

    #[test]
    fn both_numbers_are_named_and_the_unknown_refuses_nothing() {
        assert!(check_against("keys", 50, Some(50)).is_ok());
        assert!(check_against("keys", u64::MAX, None).is_ok());
        let refused = check_against("keys", 51, Some(50)).unwrap_err().to_string();
        assert!(
            refused.contains("keys take 51 bytes, and 50 bytes"),
            "{refused}"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_says_how_much() {
        assert!(available().is_some_and(|bytes| bytes > 0));
    }
}
