//! The sixteen bytes before every object.

use super::LIBRARY;
use crate::foreign::ForeignError;

/// Bytes of a header.
pub(super) const HEADER: usize = 16;
const MAGIC: [u8; 2] = 0xA15E_u16.to_le_bytes();
const MAJOR: u8 = 4;

/// The version of SEAL that an object is for. Each minor version reads its own objects only, though
/// their layout is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    minor: u8,
}

impl Version {
    /// A version 4.x.
    ///
    /// # Errors
    /// Another major version.
    pub fn new(major: u8, minor: u8) -> Result<Self, ForeignError> {
        match major {
            MAJOR => Ok(Self { minor }),
            _ => LIBRARY.field("version", format!("{major}.{minor}"), "4.x"),
        }
    }

    /// The version that wrote an object.
    ///
    /// # Errors
    /// Bytes that do not begin as an object does.
    pub fn of(bytes: &[u8]) -> Result<Self, ForeignError> {
        Ok(Header::first(bytes, "object")?.0.version)
    }

    /// Major and minor number.
    pub fn numbers(self) -> (u8, u8) {
        (MAJOR, self.minor)
    }
}

/// SEAL 4.1, which TenSEAL carried until 0.3.16.
impl Default for Version {
    fn default() -> Self {
        Self { minor: 1 }
    }
}

/// How a body is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    None = 0,
    Zlib = 1,
    Zstd = 2,
}

/// A checked header.
pub(super) struct Header {
    pub(super) compression: Compression,
    pub(super) version: Version,
    /// Bytes of the object, header included.
    pub(super) size: u64,
}

impl Header {
    pub(super) fn read(bytes: &[u8; HEADER]) -> Result<Self, ForeignError> {
        let [m0, m1, size_of_header, major, minor, compression, _, _, size @ ..] = *bytes;
        if [m0, m1] != MAGIC {
            return Err(ForeignError::Magic {
                library: LIBRARY,
                given: bytes[..2].to_vec(),
                expected: "[5e, a1]",
            });
        }
        if usize::from(size_of_header) != HEADER {
            return LIBRARY.field("size of the header", size_of_header, HEADER);
        }
        let version = Version::new(major, minor)?;
        let compression = match compression {
            0 => Compression::None,
            1 => Compression::Zlib,
            2 => Compression::Zstd,
            other => return LIBRARY.field("compression", other, "0 (none), 1 (zlib), 2 (zstd)"),
        };
        let size = u64::from_le_bytes(size);
        Ok(Self {
            compression,
            version,
            size,
        })
    }

    /// The header that `bytes` begin with, and what follows it.
    pub(super) fn first<'b>(
        bytes: &'b [u8],
        what: &'static str,
    ) -> Result<(Self, &'b [u8]), ForeignError> {
        match bytes.split_first_chunk::<HEADER>() {
            Some((header, body)) => Ok((Self::read(header)?, body)),
            None => {
                let reason = format!("{} bytes, a header takes {HEADER}", bytes.len());
                Err(LIBRARY.damaged(what, reason))
            }
        }
    }

    /// The header of an uncompressed object with this body.
    pub(super) fn write(body: usize, version: Version) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..2].copy_from_slice(&MAGIC);
        header[2..6].copy_from_slice(&[
            HEADER as u8,
            MAJOR,
            version.minor,
            Compression::None as u8,
        ]);
        header[8..].copy_from_slice(&((HEADER + body) as u64).to_le_bytes());
        header
    }
}
