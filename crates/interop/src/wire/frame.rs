//! Header, payload, checksum: what all kinds share.

use super::crc64;
use super::error::{field, WireError};
use super::kind::{Crc, Kind};
use super::packing;
use ringwright_arith::Word;
use ringwright_ring::RnsPoly;
use ringwright_schemes::rlwe::{Identity, Ring, RingKind};
use std::io::Write;

const MAGIC: [u8; 4] = *b"RWHE";
/// What is written.
const VERSION: u16 = 3;
/// The same of parameters of a ring that is not standard: they name its kind.
const VERSION_OF_KINDS: u16 = 4;
/// The first version that is read: it says of nothing which secret key it belongs to. 2 holds every word of
/// uniform halves.
const FIRST: u16 = 1;
const HEADER: usize = 48;
const CHECKSUM: usize = 8;
/// Bytes of a public seed.
pub(super) const MASK: u64 = 32;

/// What undamaged bytes hold.
///
/// # Errors
/// Bytes that are not a whole, undamaged file of this version; a kind it does not know.
pub fn kind_of(bytes: &[u8]) -> Result<Kind, WireError> {
    let kind = Frame::open_any(bytes)?.kind;
    match Kind::of_number(kind) {
        Some(kind) => Ok(kind),
        None => field("kind", kind, "1 to 6"),
    }
}

/// The fingerprint of the parameters that a file of any kind was made under: which set to read it
/// with.
///
/// # Errors
/// Bytes that are not a whole, undamaged file of this version.
pub fn parameters_id_of(bytes: &[u8]) -> Result<[u8; 32], WireError> {
    Ok(Frame::open_any(bytes)?.id)
}

/// Bytes of a file with this payload.
pub(super) fn file_len(payload: u64) -> u64 {
    HEADER as u64 + payload + CHECKSUM as u64
}

/// Writes one file, summing on the way.
pub(super) struct Writer<'o, W: Write> {
    out: &'o mut W,
    crc: Crc,
    state: u64,
    left: u64,
}

impl<'o, W: Write> Writer<'o, W> {
    /// Writes the header; exactly `payload` bytes must follow.
    pub(super) fn begin(
        out: &'o mut W,
        kind: Kind,
        id: &[u8; 32],
        payload: u64,
    ) -> Result<Self, WireError> {
        Self::begin_version(out, VERSION, kind, id, payload)
    }

    /// The header of parameters, which name the ring's kind where it is not standard.
    pub(super) fn begin_parameters(
        out: &'o mut W,
        ring: &Ring,
        payload: u64,
    ) -> Result<Self, WireError> {
        let version = match ring.kind() {
            RingKind::Standard => VERSION,
            RingKind::ConjugateInvariant => VERSION_OF_KINDS,
        };
        Self::begin_version(out, version, Kind::Parameters, &ring.id(), payload)
    }

    fn begin_version(
        out: &'o mut W,
        version: u16,
        kind: Kind,
        id: &[u8; 32],
        payload: u64,
    ) -> Result<Self, WireError> {
        let left = HEADER as u64 + payload;
        let mut writer = Self {
            out,
            crc: kind.crc(),
            state: crc64::INITIAL,
            left,
        };
        writer.bytes(&MAGIC)?;
        writer.bytes(&version.to_le_bytes())?;
        writer.bytes(&(kind as u16).to_le_bytes())?;
        writer.bytes(id)?;
        writer.bytes(&payload.to_le_bytes())?;
        Ok(writer)
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        debug_assert!(
            self.left >= bytes.len() as u64,
            "more payload than announced"
        );
        self.left -= bytes.len() as u64;
        self.state = (self.crc)(self.state, bytes);
        Ok(self.out.write_all(bytes)?)
    }

    /// Every tower of a public polynomial, packed, from the form in which it is here.
    pub(super) fn poly(&mut self, poly: &RnsPoly, primes: &[u64]) -> Result<(), WireError> {
        match poly.held_short() {
            Some(words) => self.towers(words.chunks_exact(poly.n()), primes),
            None => self.towers(poly.iter(), primes),
        }
    }

    fn towers<'t, T: Word>(
        &mut self,
        towers: impl Iterator<Item = &'t [T]>,
        primes: &[u64],
    ) -> Result<(), WireError> {
        let mut packed = Vec::new();
        for (tower, prime) in towers.zip(primes) {
            packed.clear();
            packing::pack(tower, packing::bits(*prime), &mut packed);
            self.bytes(&packed)?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), WireError> {
        debug_assert_eq!(self.left, 0, "less payload than announced");
        Ok(self
            .out
            .write_all(&crc64::finish(self.state).to_le_bytes())?)
    }
}

/// The bytes of one file, whole and undamaged.
pub(super) struct Frame<'b> {
    version: u16,
    kind: u16,
    pub(super) id: [u8; 32],
    pub(super) payload: &'b [u8],
}

impl<'b> Frame<'b> {
    /// Opens a file that says itself what it holds.
    fn open_any(bytes: &'b [u8]) -> Result<Self, WireError> {
        let number = bytes
            .get(6..8)
            .map_or(0, |field| u16::from_le_bytes([field[0], field[1]]));
        Self::open(
            bytes,
            Kind::of_number(number).map_or(crc64::update, Kind::crc),
        )
    }

    fn open(bytes: &'b [u8], crc: Crc) -> Result<Self, WireError> {
        if !bytes.starts_with(&MAGIC) {
            let given = bytes.iter().take(MAGIC.len()).copied().collect();
            return Err(WireError::Magic { given });
        }
        let length = |announced| WireError::Length {
            given: bytes.len() as u64,
            announced,
        };
        let shortest = file_len(0);
        let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else {
            return Err(length(shortest));
        };
        let version = u16::from_le_bytes(array(header, 4));
        let kind = u16::from_le_bytes(array(header, 6));
        let known = latest(kind);
        if !(FIRST..=known).contains(&version) {
            return Err(WireError::Version {
                given: version,
                known,
            });
        }
        let announced = u64::from_le_bytes(array(header, 40));
        let Some((payload, sum)) = rest.split_last_chunk::<CHECKSUM>() else {
            return Err(length(shortest));
        };
        if announced != payload.len() as u64 {
            return Err(length(announced.saturating_add(shortest)));
        }
        let computed = crc64::finish(crc(crc64::INITIAL, &bytes[..HEADER + payload.len()]));
        let given = u64::from_le_bytes(*sum);
        if given != computed {
            return Err(WireError::Damaged { given, computed });
        }
        Ok(Self {
            version,
            kind,
            id: array(header, 8),
            payload,
        })
    }

    /// Opens a file of a kind.
    pub(super) fn of_kind(bytes: &'b [u8], expected: Kind) -> Result<Self, WireError> {
        let frame = Self::open(bytes, expected.crc())?;
        if frame.kind == expected as u16 {
            return Ok(frame);
        }
        let given = match Kind::of_number(frame.kind) {
            Some(kind) => kind.to_string(),
            None => format!("kind {} of file", frame.kind),
        };
        Err(WireError::Kind { given, expected })
    }

    /// Opens a file of a kind made under these ring.
    pub(super) fn under(bytes: &'b [u8], expected: Kind, ring: &Ring) -> Result<Self, WireError> {
        Self::of_kind(bytes, expected)?.check_id(ring)
    }

    pub(super) fn check_id(self, ring: &Ring) -> Result<Self, WireError> {
        if self.id == ring.id() {
            return Ok(self);
        }
        let expected = format!("{} ({})", short(&ring.id()), ring.name());
        Err(WireError::ForeignParameters {
            given: short(&self.id),
            expected,
        })
    }

    /// Whether it says which secret key it belongs to.
    pub(super) fn has_identity(&self) -> bool {
        self.version > 1
    }

    /// Whether uniform halves may be seeds, and keys have shapes.
    pub(super) fn has_masks(&self) -> bool {
        self.version > 2
    }

    /// Whether parameters name the ring's kind.
    pub(super) fn has_ring_kind(&self) -> bool {
        self.version >= VERSION_OF_KINDS
    }

    /// Reads the payload from its beginning.
    pub(super) fn reader(&self) -> Reader<'b> {
        Reader::of(self.payload)
    }

    /// The same behind the identity of the secret key, where there is one.
    pub(super) fn owned(&self) -> Result<(Identity, Reader<'b>), WireError> {
        let mut reader = self.reader();
        let identity = match self.has_identity() {
            true => Identity::from_bytes(reader.array()?),
            false => Identity::UNKNOWN,
        };
        Ok((identity, reader))
    }
}

/// The last version of a kind of file.
fn latest(kind: u16) -> u16 {
    match Kind::of_number(kind) {
        Some(Kind::Parameters) => VERSION_OF_KINDS,
        _ => VERSION,
    }
}

/// The first bytes of a fingerprint, as the scheme's own messages show it.
fn short(id: &[u8; 32]) -> String {
    id[..4].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn array<const L: usize>(header: &[u8; HEADER], at: usize) -> [u8; L] {
    let mut out = [0; L];
    out.copy_from_slice(&header[at..at + L]);
    out
}

/// Takes fields off the front of a payload; never beyond its end.
pub(super) struct Reader<'b> {
    left: &'b [u8],
}

impl<'b> Reader<'b> {
    pub(super) fn of(payload: &'b [u8]) -> Self {
        Self { left: payload }
    }

    pub(super) fn bytes(&mut self, count: usize) -> Result<&'b [u8], WireError> {
        let Some((taken, left)) = self.left.split_at_checked(count) else {
            return field(
                "bytes left in the payload",
                self.left.len(),
                format!("{count} and more"),
            );
        };
        self.left = left;
        Ok(taken)
    }

    pub(super) fn array<const L: usize>(&mut self) -> Result<[u8; L], WireError> {
        let mut out = [0; L];
        out.copy_from_slice(self.bytes(L)?);
        Ok(out)
    }

    pub(super) fn u8(&mut self) -> Result<u8, WireError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(super) fn u16(&mut self) -> Result<u16, WireError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32, WireError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, WireError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(super) fn f64(&mut self) -> Result<f64, WireError> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// A byte that is 0 or 1.
    pub(super) fn flag(&mut self, what: &'static str) -> Result<bool, WireError> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => field(what, other, "0 or 1"),
        }
    }

    /// Refuses a payload whose rest is not exactly `expected` bytes: asked before anything of that
    /// size is allocated.
    pub(super) fn expect_left(&self, expected: u64) -> Result<(), WireError> {
        match self.left.len() as u64 == expected {
            true => Ok(()),
            false => field("bytes of words in the payload", self.left.len(), expected),
        }
    }

    /// A packed polynomial; whether its words are reduced is checked by who takes it.
    pub(super) fn poly(&mut self, n: usize, primes: &[u64]) -> Result<RnsPoly, WireError> {
        let mut words = Vec::with_capacity(n * primes.len());
        for prime in primes {
            let packed = self.bytes(packing::tower_len(n, *prime) as usize)?;
            packing::unpack(packed, packing::bits(*prime), &mut words);
        }
        let given = words.len();
        RnsPoly::from_words(n, words)
            .or_else(|_| field("words of a polynomial", given, n * primes.len()))
    }
}
