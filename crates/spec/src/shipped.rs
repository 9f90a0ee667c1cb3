//! The declarations and descriptions that ship with the program: explicit lists, one line a file.

use crate::document::MAX_BYTES;
use crate::error::SpecError;
use crate::nearest::nearest;
use crate::one_line::one_line;
use std::borrow::Cow;
use std::io::Read;

/// A description that ships with the program.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Its name; the file says the same.
    pub name: &'static str,
    /// Its path in the repository.
    pub file: &'static str,
    /// The file, with comments and sources.
    pub text: &'static str,
}

/// `spec/<target>/params.toml` of every target.
pub(crate) const TARGET_PARAMS: &[(&str, &str)] = &[
    ("cpu", include_str!("../../../spec/cpu/params.toml")),
    ("medha", include_str!("../../../spec/medha/params.toml")),
    ("rise", include_str!("../../../spec/rise/params.toml")),
    ("rpu", include_str!("../../../spec/rpu/params.toml")),
];

/// `spec/link/params.toml`.
pub(crate) const LINK_PARAMS: &str = include_str!("../../../spec/link/params.toml");

/// `spec/host/params.toml`.
pub(crate) const HOST_PARAMS: &str = include_str!("../../../spec/host/params.toml");

/// `spec/host/operations.toml`.
pub(crate) const HOST_OPERATIONS: &str = include_str!("../../../spec/host/operations.toml");

macro_rules! shipped {
    ($folder:literal, $name:literal) => {
        Shipped {
            name: $name,
            file: concat!($folder, $name, ".toml"),
            text: include_str!(concat!("../../../", $folder, $name, ".toml")),
        }
    };
}

pub(crate) const MACHINES: &[Shipped] = &[
    shipped!("machines/", "cpu"),
    shipped!("machines/", "cpu-1"),
    shipped!("machines/", "medha-8x2"),
    shipped!("machines/", "medha-u250"),
    shipped!("machines/", "medha-u250-published"),
    shipped!("machines/", "ntt-accel-8"),
    shipped!("machines/", "ntt-accel-8-60bit"),
    shipped!("machines/", "race"),
    shipped!("machines/", "race-60bit"),
    shipped!("machines/", "rise-1bfu"),
    shipped!("machines/", "rise-4bfu"),
    shipped!("machines/", "rise-32bfu"),
    shipped!("machines/", "rise-32bfu-60bit"),
    shipped!("machines/", "rise-32bfu-interleaved"),
    shipped!("machines/", "rise-32bfu-synthesised"),
    shipped!("machines/", "rpu-128x128"),
    shipped!("machines/", "rpu-128x128-freeports"),
    shipped!("machines/", "rpu-128x128-modulo"),
    shipped!("machines/", "rpu-128x128-packed"),
    shipped!("machines/", "rpu-128x128-strict"),
    shipped!("machines/", "rpu-128x128-synthesised"),
    shipped!("machines/", "rpu-2"),
    shipped!("machines/", "rpu-8x8"),
    shipped!("machines/", "trebuchet-chip-14"),
    shipped!("machines/", "trebuchet-v1"),
    shipped!("machines/", "trebuchet-v2"),
];

pub(crate) const LINKS: &[Shipped] = &[
    shipped!("machines/links/", "5g-max"),
    shipped!("machines/links/", "5g-min"),
    shipped!("machines/links/", "axi"),
    shipped!("machines/links/", "cxl"),
    shipped!("machines/links/", "ethernet-1g"),
    shipped!("machines/links/", "pcie3-x16"),
    shipped!("machines/links/", "pcie5-x16"),
];

pub(crate) const HOSTS: &[Shipped] = &[
    shipped!("machines/hosts/", "blackparrot-instructions-measured"),
    shipped!("machines/hosts/", "blackparrot-measured"),
    shipped!("machines/hosts/", "blackparrot-published"),
    shipped!("machines/hosts/", "rocket-measured"),
];

pub(crate) const SYSTEMS: &[Shipped] = &[
    shipped!("systems/", "camera-5g-2rpu"),
    shipped!("systems/", "camera-rise-cpu"),
];

/// File name and text of a shipped description, or of the user's file.
pub(crate) fn find_or_read(
    what: &'static str,
    list: &'static [Shipped],
    name_or_path: &str,
) -> Result<(String, Cow<'static, str>), SpecError> {
    if let Some(found) = list.iter().find(|shipped| shipped.name == name_or_path) {
        return Ok((found.file.to_string(), Cow::Borrowed(found.text)));
    }
    if name_or_path.ends_with(".toml") || name_or_path.contains(std::path::is_separator) {
        return Ok((name_or_path.to_string(), Cow::Owned(read(name_or_path)?)));
    }
    Err(SpecError::UnknownName {
        what,
        given: one_line(name_or_path),
        known: list
            .iter()
            .map(|shipped| shipped.name.to_string())
            .collect(),
        nearest: nearest(name_or_path, list.iter().map(|s| s.name)).map(str::to_string),
    })
}

/// Reads a small text file; never more than one byte beyond the limit, so a device node is safe.
fn read(path: &str) -> Result<String, SpecError> {
    let file = one_line(path);
    let unreadable = |error: std::io::Error| SpecError::Unreadable {
        file: file.clone(),
        reason: error.to_string(),
    };
    let mut text = String::new();
    let opened = std::fs::File::open(path).map_err(unreadable)?;
    opened
        .take(MAX_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(SpecError::TooLarge {
            file,
            limit: MAX_BYTES,
        });
    }
    Ok(text)
}
