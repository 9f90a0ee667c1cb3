//! What cereal's portable binary archive writes, as much of it as OpenFHE's objects need.
//!
//! Numbers are little-endian, a vector is its length and its elements. A class has its version before
//! its first object. A shared object stands where it occurs first, under the next number with the top
//! bit set; afterwards the number alone does. A pointer to a base class has the derived class's name
//! before it, numbered likewise, or a mark that the class is the declared one.

/// Set in a number where what it stands for follows.
pub(super) const NEW: u32 = 1 << 31;
/// The class is the declared one.
pub(super) const DECLARED: u32 = 1 << 30;
/// Of the archive: numbers are little-endian.
pub(super) const LITTLE_ENDIAN: u8 = 1;

/// Bytes of a number that is not a half.
pub(super) const WORD: usize = 8;

/// The number at a place, or nothing beyond the end.
pub(super) fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(WORD)?)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

/// The same of four bytes.
pub(super) fn half(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// What tells shared objects apart: a kind, and a number among those of the kind.
pub(super) type Object = (&'static str, u64);

/// Writes one archive.
pub(super) struct Archive {
    out: Vec<u8>,
    objects: Vec<Object>,
    names: Vec<&'static str>,
    classes: Vec<&'static str>,
}

impl Archive {
    pub(super) fn begin() -> Self {
        Self {
            out: vec![LITTLE_ENDIAN],
            objects: Vec::new(),
            names: Vec::new(),
            classes: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.out
    }

    /// The versions of a class and its bases where none of its objects was written yet.
    pub(super) fn class(&mut self, name: &'static str, versions: &[u32]) {
        if !self.classes.contains(&name) {
            self.classes.push(name);
            versions.iter().for_each(|version| self.u32(*version));
        }
    }

    /// A pointer whose class has no derived ones.
    pub(super) fn shared(&mut self, object: Object, content: impl FnOnce(&mut Self)) {
        match self.objects.iter().position(|known| *known == object) {
            Some(place) => self.u32(place as u32 + 1),
            None => {
                self.objects.push(object);
                self.u32(self.objects.len() as u32 | NEW);
                content(self);
            }
        }
    }

    /// A pointer to the declared class, which could have derived ones.
    pub(super) fn declared(&mut self, object: Object, content: impl FnOnce(&mut Self)) {
        self.u32(DECLARED);
        self.shared(object, content);
    }

    /// The only owner of an object of the declared class.
    pub(super) fn owned(&mut self) {
        self.u32(DECLARED);
        self.out.push(1);
    }

    /// A pointer to a derived class.
    pub(super) fn derived(
        &mut self,
        name: &'static str,
        object: Object,
        content: impl FnOnce(&mut Self),
    ) {
        match self.names.iter().position(|known| *known == name) {
            Some(place) => self.u32(place as u32 + 1),
            None => {
                self.names.push(name);
                self.u32(self.names.len() as u32 | NEW);
                self.text(name);
            }
        }
        self.shared(object, content);
    }

    pub(super) fn u32(&mut self, number: u32) {
        self.out.extend(number.to_le_bytes());
    }

    pub(super) fn u32s(&mut self, numbers: &[u32]) {
        numbers.iter().for_each(|number| self.u32(*number));
    }

    pub(super) fn u64(&mut self, number: u64) {
        self.out.extend(number.to_le_bytes());
    }

    pub(super) fn u64s(&mut self, numbers: &[u64]) {
        self.out
            .extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }

    pub(super) fn f32(&mut self, number: f32) {
        self.u32(number.to_bits());
    }

    pub(super) fn f64(&mut self, number: f64) {
        self.u64(number.to_bits());
    }

    /// The length of a vector, a map or a text.
    pub(super) fn len(&mut self, len: usize) {
        self.u64(len as u64);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.len(text.len());
        self.out.extend(text.as_bytes());
    }
}
