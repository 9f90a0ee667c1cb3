//! A polynomial under several primes: words only, tower after tower.
//!
//! Which primes, and whether the words are coefficients or evaluations, is written in the type of
//! the program that uses it; the container stays plain. It may hold a secret, so its `Debug` form
//! shows the shape and never a word, and it can be zeroised. It does not zeroise itself on drop:
//! most polynomials are ciphertexts. Owners of secrets do.
//!
//! Where all words are below 2^32 they may be held in words of 32 bits as well, or in those alone:
//! the *short* form, half the memory to read. Whoever writes a polynomial chooses; the form that is
//! not there is made for the first who asks for it, and kept.

use crate::recycled;
use crate::Mapped;
use ringwright_arith::Word;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use zeroize::Zeroize;

/// Smallest and largest log2 of the ring degree.
pub const LOG_N_RANGE: std::ops::RangeInclusive<u32> = 4..=17;

/// Words that are no polynomial, or polynomials that do not fit each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// The ring degree is not one that we support.
    #[error("ring degree {0}: must be a power of two, 16 to 131072")]
    Degree(usize),
    /// The words are not whole towers.
    #[error("{words} words are not whole towers of {n} words")]
    PartialTower {
        /// Words given.
        words: usize,
        /// Ring degree.
        n: usize,
    },
    /// A different number of words than needed.
    #[error("{what}: {given} given, {expected} needed")]
    Length {
        /// What was counted.
        what: &'static str,
        /// The count given.
        given: usize,
        /// The count needed.
        expected: usize,
    },
}

/// A polynomial of degree below `n` under `towers` primes.
pub struct RnsPoly<W: Word = u64> {
    n: usize,
    towers: usize,
    /// Of `words` and `short` at least one is there; if both, they are the same.
    words: OnceLock<Words<W>>,
    short: OnceLock<Words<u32>>,
}

/// Where words lie.
enum Words<W: Word> {
    Memory(Vec<W>),
    /// A file, from this word on, so many.
    File(Arc<Mapped>, usize, usize),
}

impl<W: Word> Words<W> {
    fn as_slice(&self) -> &[W] {
        match self {
            Words::Memory(words) => words,
            Words::File(file, from, len) => &file.words()[*from..from + len],
        }
    }

    /// The same in memory.
    fn into_vec(self) -> Vec<W> {
        match self {
            Words::Memory(words) => words,
            Words::File(..) => converted(self.as_slice(), |&word| word),
        }
    }

    /// To be written: in memory from then on.
    fn as_mut_slice(&mut self) -> &mut [W] {
        if let Words::File(..) = self {
            *self = Words::Memory(converted(self.as_slice(), |&word| word));
        }
        match self {
            Words::Memory(words) => words,
            Words::File(..) => &mut [],
        }
    }

    fn home(&self) -> Option<&Arc<Mapped>> {
        match self {
            Words::Memory(_) => None,
            Words::File(file, ..) => Some(file),
        }
    }
}

impl<W: Word> RnsPoly<W> {
    /// All words zero. `n` is a ring degree; a wrong one gives a polynomial that nothing accepts.
    pub fn zero(n: usize, towers: usize) -> Self {
        debug_assert!(is_degree(n), "{}", ShapeError::Degree(n));
        let mut words = memory(n * towers);
        words.fill(W::ZERO);
        Self::of_words(n, words)
    }

    /// The same with any words, those of a dropped polynomial or zeros: for whoever writes all of them.
    pub fn unwritten(n: usize, towers: usize) -> Self {
        debug_assert!(is_degree(n), "{}", ShapeError::Degree(n));
        Self::of_words(n, memory(n * towers))
    }

    /// The same in the short form, for whoever writes all of [`RnsPoly::short_mut`].
    pub fn unwritten_short(n: usize, towers: usize) -> Self {
        debug_assert!(is_degree(n), "{}", ShapeError::Degree(n));
        Self::of_short(n, memory(n * towers))
    }

    /// Tower-major words, a whole number of towers of `n` words each.
    pub fn from_words(n: usize, words: Vec<W>) -> Result<Self, ShapeError> {
        if !is_degree(n) {
            return Err(ShapeError::Degree(n));
        }
        if !words.len().is_multiple_of(n) {
            return Err(ShapeError::PartialTower {
                words: words.len(),
                n,
            });
        }
        Ok(Self::of_words(n, words))
    }

    fn of_words(n: usize, words: Vec<W>) -> Self {
        Self {
            n,
            towers: words.len() / n.max(1),
            words: Words::Memory(words).into(),
            short: OnceLock::new(),
        }
    }

    fn of_short(n: usize, short: Vec<u32>) -> Self {
        Self {
            n,
            towers: short.len() / n.max(1),
            words: OnceLock::new(),
            short: Words::Memory(short).into(),
        }
    }

    /// The same polynomials, in one file in `folder`, each in the form in which it is here: in 32 bits where
    /// all are. The file has no name and is gone with the last of them. Not for secrets. `None` where it
    /// does not `go_on`, which is asked between polynomials.
    ///
    /// # Errors
    /// Those of the file system; a full one among them.
    pub fn keep(
        polys: &[Self],
        folder: &Path,
        mut goes_on: impl FnMut() -> bool,
    ) -> io::Result<Option<Vec<Self>>> {
        let short: Option<Vec<&[u32]>> = polys.iter().map(Self::held_short).collect();
        let mut written = 0;
        let mut go_on = || {
            let goes = goes_on();
            written += usize::from(goes);
            goes
        };
        let file = match &short {
            Some(short) => Mapped::write(short.iter().copied().take_while(|_| go_on()), folder)?,
            None => Mapped::write(
                polys.iter().map(Self::words).take_while(|_| go_on()),
                folder,
            )?,
        };
        if written < polys.len() {
            return Ok(None);
        }
        let file = Arc::new(file);
        let mut from = 0;
        let kept = |poly: &Self| {
            let (at, len) = (from, poly.n * poly.towers);
            from += len;
            let mut kept = Self {
                n: poly.n,
                towers: poly.towers,
                words: OnceLock::new(),
                short: OnceLock::new(),
            };
            match short {
                Some(_) => kept.short = Words::File(file.clone(), at, len).into(),
                None => kept.words = Words::File(file.clone(), at, len).into(),
            }
            kept
        };
        Ok(Some(polys.iter().map(kept).collect()))
    }

    /// The file in which its words lie, if they do.
    pub fn home(&self) -> Option<&Arc<Mapped>> {
        let words = self.words.get().and_then(Words::home);
        words.or_else(|| self.short.get().and_then(Words::home))
    }

    /// The ring degree N.
    pub fn n(&self) -> usize {
        self.n
    }

    /// log2 of the ring degree.
    pub fn log_n(&self) -> u32 {
        self.n.trailing_zeros()
    }

    /// Number of towers.
    pub fn towers(&self) -> usize {
        self.towers
    }

    /// The words of one tower.
    ///
    /// # Panics
    /// As a slice does, when `index` is not below [`RnsPoly::towers`].
    pub fn tower(&self, index: usize) -> &[W] {
        &self.words()[index * self.n..(index + 1) * self.n]
    }

    /// The words of one tower.
    ///
    /// # Panics
    /// As a slice does, when `index` is not below [`RnsPoly::towers`].
    pub fn tower_mut(&mut self, index: usize) -> &mut [W] {
        let n = self.n;
        &mut self.words_mut()[index * n..(index + 1) * n]
    }

    /// The towers in order.
    pub fn iter(&self) -> std::slice::ChunksExact<'_, W> {
        self.words().chunks_exact(self.n)
    }

    /// The towers in order.
    pub fn iter_mut(&mut self) -> std::slice::ChunksExactMut<'_, W> {
        let n = self.n;
        self.words_mut().chunks_exact_mut(n)
    }

    /// All words, tower-major.
    pub fn words(&self) -> &[W] {
        let words = self.words.get_or_init(|| {
            let short = self.short.get().map_or(&[][..], Words::as_slice);
            Words::Memory(converted(short, |&word| W::from_u128(word.into())))
        });
        words.as_slice()
    }

    /// All words, tower-major.
    pub fn words_mut(&mut self) -> &mut [W] {
        self.words();
        discard(self.short.take());
        self.words.get_mut().map_or(&mut [], Words::as_mut_slice)
    }

    /// All words, tower-major, in 32 bits; none where one does not fit.
    pub fn short(&self) -> Option<&[u32]> {
        if self.short.get().is_none() {
            let words = self.words();
            // All are looked at, whatever they are.
            let together = words.iter().fold(W::ZERO, |all, &word| all | word);
            if together.bit_length() > u32::BITS {
                return None;
            }
            let cut = || Words::Memory(converted(words, |&word| word.low_u64() as u32));
            return Some(self.short.get_or_init(cut).as_slice());
        }
        self.held_short()
    }

    /// The same, where this form is there already.
    pub fn held_short(&self) -> Option<&[u32]> {
        self.short.get().map(Words::as_slice)
    }

    /// The same, to be written.
    pub fn short_mut(&mut self) -> Option<&mut [u32]> {
        self.short()?;
        discard(self.words.take());
        self.short.get_mut().map(Words::as_mut_slice)
    }

    /// The first towers, in the form in which they are here.
    ///
    /// # Panics
    /// As a slice does, when there are fewer.
    pub fn first(&self, towers: usize) -> Self {
        fn part<W: Word>(words: &[W]) -> Vec<W> {
            converted(words, |&word| word)
        }
        match (self.short.get(), self.words.get()) {
            (Some(short), None) => {
                Self::of_short(self.n, part(&short.as_slice()[..self.n * towers]))
            }
            _ => Self::of_words(self.n, part(&self.words()[..self.n * towers])),
        }
    }

    /// The largest word of one tower; all are looked at, whatever they are. Makes no form.
    ///
    /// # Panics
    /// As a slice does, when `index` is not below [`RnsPoly::towers`].
    pub fn largest(&self, index: usize) -> W {
        match self.held_short() {
            Some(short) => {
                let tower = &short[index * self.n..(index + 1) * self.n];
                W::from_u128(tower.iter().copied().fold(0, u32::max).into())
            }
            None => self.tower(index).iter().copied().fold(W::ZERO, W::max),
        }
    }

    /// Whether all words are zero. Makes no form.
    pub fn is_zero(&self) -> bool {
        match self.held_short() {
            Some(short) => short.iter().all(|&word| word == 0),
            None => self.words().iter().all(|&word| word == W::ZERO),
        }
    }

    /// All words, tower-major.
    pub fn into_words(mut self) -> Vec<W> {
        self.words();
        self.words.take().map_or_else(Vec::new, Words::into_vec)
    }
}

/// So many words, those of a dropped polynomial or zeros.
fn memory<W: Word>(len: usize) -> Vec<W> {
    recycled::take(len).unwrap_or_else(|| vec![W::ZERO; len])
}

fn converted<A, B: Word>(words: &[A], word: impl Fn(&A) -> B) -> Vec<B> {
    let mut copy = memory(words.len());
    for (copy, from) in copy.iter_mut().zip(words) {
        *copy = word(from);
    }
    copy
}

/// A form that is no longer what the polynomial is: its owner will not overwrite it.
fn discard<W: Word>(words: Option<Words<W>>) {
    if let Some(Words::Memory(mut words)) = words {
        words.as_mut_slice().zeroize();
        recycled::give(words);
    }
}

impl<W: Word> PartialEq for RnsPoly<W> {
    fn eq(&self, other: &Self) -> bool {
        let words = || match (self.held_short(), other.held_short()) {
            (Some(a), Some(b)) => a == b,
            _ => self.words() == other.words(),
        };
        (self.n, self.towers) == (other.n, other.towers) && words()
    }
}

impl<W: Word> Eq for RnsPoly<W> {}

impl<W: Word> Clone for RnsPoly<W> {
    fn clone(&self) -> Self {
        self.first(self.towers)
    }
}

impl<W: Word> Drop for RnsPoly<W> {
    /// Leaves its memory for the next.
    fn drop(&mut self) {
        if let Some(Words::Memory(words)) = self.words.take() {
            recycled::give(words);
        }
        if let Some(Words::Memory(short)) = self.short.take() {
            recycled::give(short);
        }
    }
}

impl<W: Word> Zeroize for RnsPoly<W> {
    /// Sets every word to zero; the shape stays.
    fn zeroize(&mut self) {
        if let Some(words) = self.words.get_mut() {
            words.as_mut_slice().zeroize();
        }
        if let Some(short) = self.short.get_mut() {
            short.as_mut_slice().zeroize();
        }
    }
}

impl<W: Word> fmt::Debug for RnsPoly<W> {
    /// The shape only: the words may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RnsPoly({} towers of {} words)", self.towers, self.n)
    }
}

/// Whether `n` is a ring degree: a power of two with its log2 in [`LOG_N_RANGE`].
pub fn is_degree(n: usize) -> bool {
    n.is_power_of_two() && LOG_N_RANGE.contains(&n.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn towers_are_contiguous() {
        let words: Vec<u64> = (0..48).collect();
        let mut poly = RnsPoly::from_words(16, words.clone()).unwrap();
        assert_eq!((poly.n(), poly.log_n(), poly.towers()), (16, 4, 3));
        assert_eq!(poly.tower(1), &words[16..32]);
        assert_eq!(
            poly.iter().collect::<Vec<_>>(),
            words.chunks(16).collect::<Vec<_>>()
        );
        poly.tower_mut(2)[15] = 99;
        assert_eq!(poly.words()[47], 99);
        assert_eq!(poly.into_words().len(), words.len());
    }

    #[test]
    fn refuses_what_is_no_polynomial() {
        assert_eq!(
            RnsPoly::<u64>::from_words(24, vec![]),
            Err(ShapeError::Degree(24))
        );
        assert_eq!(
            RnsPoly::<u64>::from_words(0, vec![]),
            Err(ShapeError::Degree(0))
        );
        assert_eq!(
            RnsPoly::<u64>::from_words(1 << 18, vec![]),
            Err(ShapeError::Degree(1 << 18))
        );
        let partial = RnsPoly::from_words(16, vec![0u32; 17]).unwrap_err();
        assert_eq!(partial, ShapeError::PartialTower { words: 17, n: 16 });
        assert_eq!(
            partial.to_string(),
            "17 words are not whole towers of 16 words"
        );
    }

    #[test]
    fn debug_shows_no_word_and_zeroize_clears_all() {
        let mut poly = RnsPoly::from_words(16, vec![123_456_789u64; 32]).unwrap();
        assert_eq!(format!("{poly:?}"), "RnsPoly(2 towers of 16 words)");
        assert!(poly.short().is_some(), "the other form is there too");
        poly.zeroize();
        assert!(poly.words().iter().all(|&word| word == 0));
        assert!(poly.short().is_some_and(|short| short == [0; 32]));
    }

    #[test]
    fn both_forms_are_of_the_same_words() {
        let words: Vec<u64> = (0..32).map(|i| i * 0x0765_4321).collect();
        let wide = RnsPoly::from_words(16, words.clone()).unwrap();
        let mut short = RnsPoly::<u64>::unwritten_short(16, 2);
        let cut = wide.short().expect("words below 2^32");
        short.short_mut().expect("short").copy_from_slice(cut);
        let copy = short.clone();
        assert!(copy.words.get().is_none() && short.words.get().is_none());
        assert_eq!([&copy, &short], [&wide; 2]);
        let largest = |poly: &RnsPoly| [0, 1].map(|tower| poly.largest(tower));
        assert_eq!(largest(&short), [words[15], words[31]]);
        assert_eq!(largest(&wide), largest(&short));
        assert!(
            short.words.get().is_none(),
            "nobody asked for the other form"
        );
        assert_eq!(short.first(1).words(), &words[..16]);
        assert_eq!(short.words(), words);
        assert_eq!(short.into_words(), words);
    }

    #[test]
    fn what_is_written_in_one_form_is_read_in_the_other() {
        let mut poly = RnsPoly::<u64>::zero(16, 2);
        assert!(poly.is_zero() && poly.short().is_some());
        poly.tower_mut(1)[3] = 7;
        assert_eq!(poly.short().map(|short| short[19]), Some(7));
        poly.short_mut().expect("short")[0] = 9;
        assert_eq!((poly.words()[0], poly.words()[19]), (9, 7));
        poly.words_mut()[5] = u64::from(u32::MAX) + 1;
        assert!(poly.short().is_none() && poly.short_mut().is_none());
        assert!(!poly.is_zero() && poly.words()[19] == 7);
    }

    #[test]
    fn polynomials_are_the_same_in_a_file() {
        let folder = std::env::temp_dir();
        let wide = [3, 1].map(|towers| {
            let words = (0..16 * towers as u64).map(|word| word << 40).collect();
            RnsPoly::from_words(16, words).expect("a polynomial")
        });
        let mut short = RnsPoly::<u64>::unwritten_short(16, 2);
        short.short_mut().expect("short").fill(77);
        let kept = kept_in(&wide, &folder).expect("kept");
        assert_eq!(kept, wide);
        let file = kept[1].home().expect("in a file");
        assert!(Arc::ptr_eq(file, kept[0].home().expect("in the same")));
        file.fetch(|| true);
        file.release();
        assert_eq!(kept, wide, "read again");
        assert!(kept[0].clone().home().is_none(), "a copy lies in memory");
        let kept = kept_in(&[short.clone()], &folder).expect("kept");
        assert!(kept[0].held_short().is_some());
        assert_eq!(kept[0], short);
        assert_eq!(kept_in::<u64>(&[], &folder).expect("none"), []);
    }

    #[test]
    fn writing_one_moves_it_to_memory() {
        let poly = RnsPoly::from_words(16, vec![1u64 << 40; 32]).expect("a polynomial");
        let mut kept = kept_in(std::slice::from_ref(&poly), &std::env::temp_dir()).expect("kept");
        kept[0].tower_mut(1)[5] = 9;
        assert!(kept[0].home().is_none());
        assert_eq!((kept[0].words()[21], kept[0].words()[20]), (9, 1 << 40));
        let kept = kept_in(std::slice::from_ref(&poly), &std::env::temp_dir()).expect("kept");
        let words: Vec<Vec<u64>> = kept.into_iter().map(RnsPoly::into_words).collect();
        assert_eq!(words, [poly.words()]);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let poly = RnsPoly::from_words(16, vec![1u64; 16]).expect("a polynomial");
        let refused = kept_in(&[poly], std::path::Path::new("/nowhere/at/all"));
        assert_eq!(
            refused.map_err(|error| error.kind()),
            Err(std::io::ErrorKind::NotFound)
        );
    }

    fn kept_in<W: Word>(polys: &[RnsPoly<W>], folder: &Path) -> io::Result<Vec<RnsPoly<W>>> {
        let kept = RnsPoly::keep(polys, folder, || true)?;
        Ok(kept.expect("it goes on"))
    }

    #[test]
    fn what_is_stopped_keeps_none() {
        let polys = [1u64 << 40; 3].map(|word| RnsPoly::from_words(16, vec![word; 16]).unwrap());
        let mut left = 3;
        let mut goes_on = || {
            left -= 1;
            left > 0
        };
        let kept = RnsPoly::keep(&polys, &std::env::temp_dir(), &mut goes_on).unwrap();
        assert!(kept.is_none() && left == 0);
    }
}
