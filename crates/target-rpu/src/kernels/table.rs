//! Tables of constants that a program loads: twiddle factors, masks, signs.
//!
//! A program depends on the operation and the degree, not on the prime, so a table holds
//! [`Symbol`]s, and a prime gives them values. Equal vectors of symbols stand in the table once; a
//! vector that is one symbol throughout needs a single word, which is loaded as `repeated 0`.

use crate::isa::Mode;
use ringwright_arith::bits::bit_reverse;
use ringwright_nttx::{Factor, Roots};
use std::collections::BTreeMap;

/// What a word of a table stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symbol {
    /// psi^brv(i), psi the smallest primitive 2N-th root of unity.
    Power(u32),
    /// psi^-brv(i).
    InversePower(u32),
    /// psi^-brv(i) / N.
    ScaledInversePower(u32),
    /// A factor of a compiled transform.
    Factor(Factor),
    /// 0: masks.
    Zero,
    /// 1: masks and signs.
    One,
    /// -1: signs.
    MinusOne,
}

impl Symbol {
    /// Its word for transforms of 2^`log_n` words under a prime as wide as the machine takes.
    pub fn word(self, roots: &Roots, log_n: u32) -> u128 {
        let turn = 2usize << log_n;
        let reversed = |i: u32| bit_reverse(i as usize, log_n);
        let power = |exponent: usize, scaled| {
            roots.word(Factor {
                exponent: (exponent % turn) as u32,
                scaled,
            })
        };
        match self {
            Symbol::Power(i) => power(reversed(i), false),
            Symbol::InversePower(i) => power(turn - reversed(i), false),
            Symbol::ScaledInversePower(i) => power(turn - reversed(i), true),
            Symbol::Factor(factor) => roots.word(factor),
            Symbol::Zero => 0,
            Symbol::One => 1,
            Symbol::MinusOne => roots.modulus().value() - 1,
        }
    }
}

/// Where in the table the words of a load are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Word from the table's beginning.
    pub word: usize,
    /// How to load it.
    pub mode: Mode,
}

/// A table that grows as a program asks for vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    vector: usize,
    symbols: Vec<Symbol>,
    vectors: BTreeMap<Vec<Symbol>, usize>,
    words: BTreeMap<Symbol, usize>,
    /// Next free word of the vector that single words share.
    next_word: usize,
}

impl Table {
    /// An empty table for vectors of this length.
    pub fn new(vector: usize) -> Self {
        Table {
            vector,
            symbols: Vec::new(),
            vectors: BTreeMap::new(),
            words: BTreeMap::new(),
            next_word: 0,
        }
    }

    /// The words, whole vectors.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Where the vector is; it is added if it is new.
    pub fn place(&mut self, vector: Vec<Symbol>) -> Place {
        debug_assert_eq!(vector.len(), self.vector);
        if vector.iter().all(|symbol| *symbol == vector[0]) {
            return self.place_word(vector[0]);
        }
        let end = self.symbols.len();
        let word = *self.vectors.entry(vector.clone()).or_insert(end);
        if word == end {
            self.symbols.extend(vector);
        }
        let mode = Mode::Linear;
        Place { word, mode }
    }

    fn place_word(&mut self, symbol: Symbol) -> Place {
        let mode = Mode::Repeated(0);
        if let Some(&word) = self.words.get(&symbol) {
            return Place { word, mode };
        }
        if self.next_word.is_multiple_of(self.vector) {
            self.next_word = self.symbols.len();
            self.symbols
                .resize(self.next_word + self.vector, Symbol::Zero);
        }
        let word = self.next_word;
        self.symbols[word] = symbol;
        self.words.insert(symbol, word);
        self.next_word += 1;
        Place { word, mode }
    }
}
