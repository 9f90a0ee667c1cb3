//! The body of an object, field by field, whatever its compression.
//!
//! zlib comes from `flate2` over `miniz_oxide`, zstd from `ruzstd`: both decode in Rust, so that
//! hostile bytes meet no C and the build needs no C library. A body unpacks to a bounded multiple of its
//! bytes, so that what a reader allocates is in proportion to what it was given.

use super::header::{Compression, Header, HEADER};
use super::LIBRARY;
use crate::foreign::ForeignError;
use flate2::read::ZlibDecoder;
use ringwright_ring::RnsPoly;
use ruzstd::decoding::StreamingDecoder;
use std::io::Read;

/// The most that words shrink to: they are random modulo primes above 2N, which is 32 at least, and
/// stand in 64 bits.
const RATIO: u64 = 16;
/// What unpacks to more: the zero bytes in place of absent Galois keys, 8 each, and small objects.
const SLACK: u64 = 1 << 20;
/// The largest distance of a zstd match, which a decoder holds in memory: what RFC 8878 recommends that
/// decoders take. SEAL's level of compression has 2 MiB.
const ZSTD_WINDOW: u64 = 8 << 20;

/// Takes fields off an object's body.
pub(super) struct Stream<'b> {
    source: Box<dyn Read + 'b>,
    what: &'static str,
    /// Bytes that the body may still unpack to.
    left: u64,
}

impl<'b> Stream<'b> {
    /// Opens the object that `bytes` are, no more and no less.
    pub(super) fn open(bytes: &'b [u8], what: &'static str) -> Result<Self, ForeignError> {
        let (header, body) = Header::first(bytes, what)?;
        if header.size != bytes.len() as u64 {
            let (given, size) = (bytes.len(), header.size);
            let reason = format!("{given} bytes where the header announces {size}");
            return Err(LIBRARY.damaged(what, reason));
        }
        let source: Box<dyn Read + 'b> = match header.compression {
            Compression::None => Box::new(body),
            Compression::Zlib => Box::new(ZlibDecoder::new(body)),
            Compression::Zstd => Box::new(
                StreamingDecoder::new_with_max_window_size(body, ZSTD_WINDOW)
                    .map_err(|error| LIBRARY.damaged(what, error.to_string()))?,
            ),
        };
        let left = RATIO * body.len() as u64 + SLACK;
        Ok(Self { source, what, left })
    }

    /// Refuses a body that goes on.
    pub(super) fn finish(mut self) -> Result<(), ForeignError> {
        match self.source.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(LIBRARY.damaged(self.what, "bytes after its end".to_string())),
            Err(error) => Err(LIBRARY.damaged(self.what, error.to_string())),
        }
    }

    pub(super) fn array<const L: usize>(&mut self) -> Result<[u8; L], ForeignError> {
        let mut out = [0; L];
        self.fill(&mut out)?;
        Ok(out)
    }

    pub(super) fn u8(&mut self) -> Result<u8, ForeignError> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u64(&mut self) -> Result<u64, ForeignError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(super) fn f64(&mut self) -> Result<f64, ForeignError> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// A field that has one value.
    pub(super) fn expect(&mut self, what: &'static str, expected: u64) -> Result<(), ForeignError> {
        match self.u64()? {
            given if given == expected => Ok(()),
            given => LIBRARY.field(what, given, expected),
        }
    }

    /// The header of an object inside this one, whose body has `body` bytes.
    pub(super) fn nested(&mut self, body: u64) -> Result<(), ForeignError> {
        let (given, expected) = (self.nested_size()?, HEADER as u64 + body);
        match given == expected {
            true => Ok(()),
            false => LIBRARY.field("size of a nested object", given, expected),
        }
    }

    /// The header of an object inside this one: its bytes, header included.
    pub(super) fn nested_size(&mut self) -> Result<u64, ForeignError> {
        let header = Header::read(&self.array()?)?;
        match header.compression {
            Compression::None => Ok(header.size),
            other => LIBRARY.field("compression of a nested object", other as u8, "0 (none)"),
        }
    }

    /// A polynomial; whether its words are reduced is checked by who takes it.
    pub(super) fn poly(&mut self, n: usize, towers: usize) -> Result<RnsPoly, ForeignError> {
        // A tower at a time: what is allocated beyond one was there.
        let mut words = Vec::new();
        let mut bytes = vec![0; 8 * n];
        for _ in 0..towers {
            self.fill(&mut bytes)?;
            let (tower, _) = bytes.as_chunks::<8>();
            words.extend(tower.iter().map(|word| u64::from_le_bytes(*word)));
        }
        RnsPoly::from_words(n, words).or_else(|error| LIBRARY.field("N", n, error))
    }

    fn fill(&mut self, out: &mut [u8]) -> Result<(), ForeignError> {
        let what = self.what;
        let Some(left) = self.left.checked_sub(out.len() as u64) else {
            let reason = format!("unpacks to more than {RATIO} times its bytes");
            return Err(LIBRARY.damaged(what, reason));
        };
        self.left = left;
        self.source
            .read_exact(out)
            .map_err(|error| LIBRARY.damaged(what, error.to_string()))
    }
}
