//! Towers in the memory of a machine that runs a program: how inputs come in and results go out.

use crate::graph::{Towers, Val};
use crate::program::Place;
use ringwright_arith::Word;
use ringwright_ir::{RunError, Value};
use ringwright_ring::RnsPoly;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The words of one tower; wiped when nobody holds them any more, for they may be a secret's.
pub type Words<W = u64> = Arc<Zeroizing<Vec<W>>>;

/// Memory that holds one tower in each place, whatever it is made of.
pub trait Memory<W: Word = u64> {
    /// The words of a tower; an error where none was made.
    fn tower(&self, place: Place) -> Result<Words<W>, RunError>;

    /// Puts a tower there.
    fn set(&mut self, place: Place, words: &[W]);

    /// Puts values there: a program's inputs, or what a function returned.
    fn load(&mut self, places: &[Val<Place>], values: &[Value<W>]) {
        for (places, value) in places.iter().zip(values) {
            for (place, words) in places.towers().zip(value.towers()) {
                self.set(place, words);
            }
        }
    }

    /// The value whose towers lie there; a seed is one of the program's inputs.
    fn value(&self, places: &Val<Place>, inputs: &[Value<W>]) -> Result<Value<W>, RunError> {
        let poly = |places: &Towers<Place>| {
            let towers = places.iter().map(|&place| self.tower(place));
            let towers: Vec<_> = towers.collect::<Result<_, _>>()?;
            let n = towers.first().map_or(0, |tower| tower.len());
            // All at once: a vector that grows leaves what it held behind.
            let mut words = Vec::with_capacity(n * towers.len());
            towers
                .iter()
                .for_each(|tower| words.extend_from_slice(tower));
            RnsPoly::from_words(n, words).map_err(|error| RunError::Invalid(error.to_string()))
        };
        Ok(match places {
            Val::Poly(towers) => Value::Poly(Arc::new(poly(towers)?)),
            Val::Array(items) => {
                let items = items.iter().map(poly).collect::<Result<_, RunError>>()?;
                Value::Array(Arc::new(items))
            }
            Val::Seed(input) => inputs[*input].clone(),
        })
    }

    /// Several values, in order.
    fn values(
        &self,
        places: &[Val<Place>],
        inputs: &[Value<W>],
    ) -> Result<Vec<Value<W>>, RunError> {
        places
            .iter()
            .map(|value| self.value(value, inputs))
            .collect()
    }
}

/// Memory of towers by reference: moving one copies no word.
#[derive(Clone, Debug)]
pub struct Shelf<W: Word = u64>(Vec<Option<Words<W>>>);

impl<W: Word> Shelf<W> {
    /// So many places, nothing made.
    pub fn new(places: usize) -> Self {
        Self(vec![None; places])
    }

    /// Puts a tower there that somebody else may hold too.
    pub fn share(&mut self, place: Place, words: Words<W>) {
        self.0[place as usize] = Some(words);
    }
}

impl<W: Word> Memory<W> for Shelf<W> {
    fn tower(&self, place: Place) -> Result<Words<W>, RunError> {
        let missing = || RunError::Invalid(format!("tower {place} is read before it is made"));
        self.0[place as usize].clone().ok_or_else(missing)
    }

    fn set(&mut self, place: Place, words: &[W]) {
        self.share(place, Arc::new(Zeroizing::new(words.to_vec())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 32;

    /// A polynomial whose towers hold these words everywhere.
    fn poly(towers: &[u64]) -> RnsPoly {
        let words = towers.iter().flat_map(|&word| [word; N]).collect();
        RnsPoly::from_words(N, words).unwrap()
    }

    #[test]
    fn what_is_loaded_is_read_back_and_what_nobody_made_is_no_tower() {
        let inputs = [
            Value::Poly(Arc::new(poly(&[1, 2]))),
            Value::Array(Arc::new(vec![poly(&[3]), poly(&[4])])),
        ];
        let places = [
            Val::Poly([4, 0].into()),
            Val::Array([[1].into(), [3].into()].into()),
        ];
        let mut memory = Shelf::new(5);
        memory.load(&places, &inputs);
        assert_eq!(**memory.tower(0).unwrap(), [2; N]);
        let read = memory.values(&places, &inputs).unwrap();
        for (read, input) in read.iter().zip(&inputs) {
            assert!(read.towers().eq(input.towers()));
        }
        let error = memory.tower(2).unwrap_err().to_string();
        assert!(
            error.contains("tower 2 is read before it is made"),
            "{error}"
        );
    }
}
