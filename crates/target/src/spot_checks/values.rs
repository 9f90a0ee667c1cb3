//! Towers by their places in a simulated machine's memory, held in the values that they are part of.
//!
//! Operands that are one value, whole and in order, are handed on without a copy; others are put
//! together.

use ringwright_ir::{RunError, Value};
use ringwright_ring::RnsPoly;
use ringwright_towers::{Place, Towers, Val};
use std::sync::Arc;

/// One tower of a value.
#[derive(Clone)]
struct Tower {
    value: Value,
    item: usize,
    tower: usize,
}

impl Tower {
    fn poly(&self) -> Option<&RnsPoly> {
        items(&self.value).get(self.item)
    }

    /// Whether it stands there in this very value.
    fn is(&self, value: &Value, item: usize, tower: usize) -> bool {
        let same = match (&self.value, value) {
            (Value::Poly(own), Value::Poly(other)) => Arc::ptr_eq(own, other),
            (Value::Array(own), Value::Array(other)) => Arc::ptr_eq(own, other),
            _ => false,
        };
        same && (self.item, self.tower) == (item, tower)
    }
}

/// The towers that are there.
pub struct Values(Vec<Option<Tower>>);

impl Values {
    /// So many places, nothing made.
    pub fn new(places: usize) -> Self {
        Values(vec![None; places])
    }

    /// Puts the towers of values there, one place for each; what has no place is left out.
    pub fn put(&mut self, values: &[Value], places: impl Iterator<Item = Option<Place>>) {
        let towers = values.iter().flat_map(towers);
        for (place, (value, item, tower)) in places.zip(towers) {
            if let Some(place) = place {
                let value = value.clone();
                self.0[place as usize] = Some(Tower { value, item, tower });
            }
        }
    }

    /// Forgets a tower.
    pub fn forget(&mut self, place: Place) {
        self.0[place as usize] = None;
    }

    /// The value whose towers lie there.
    pub fn value(&self, places: &Val<Place>) -> Result<Value, RunError> {
        if let Some(value) = self.whole(places)? {
            return Ok(value);
        }
        Ok(match places {
            Val::Poly(places) => Value::Poly(Arc::new(self.gathered(places)?)),
            Val::Array(items) => {
                let items = items.iter().map(|places| self.gathered(places));
                Value::Array(Arc::new(items.collect::<Result<_, _>>()?))
            }
            Val::Seed(_) => return Err(missing("a seed")),
        })
    }

    /// The one value that lies there, whole and in order.
    fn whole(&self, places: &Val<Place>) -> Result<Option<Value>, RunError> {
        let Some(first) = places.towers().next() else {
            return Ok(None);
        };
        let value = &self.tower(first)?.value;
        let shape = |lengths: Vec<usize>| items(value).iter().map(RnsPoly::towers).eq(lengths);
        let fits = match (places, value) {
            (Val::Poly(towers), Value::Poly(_)) => shape(vec![towers.len()]),
            (Val::Array(items), Value::Array(_)) => {
                shape(items.iter().map(|it| it.len()).collect())
            }
            _ => false,
        };
        for (place, (value, item, tower)) in places.towers().zip(towers(value)) {
            if !self.tower(place)?.is(value, item, tower) {
                return Ok(None);
            }
        }
        Ok(fits.then(|| value.clone()))
    }

    fn gathered(&self, places: &Towers<Place>) -> Result<RnsPoly, RunError> {
        let towers = places.iter().map(|&place| self.words(place));
        let towers: Vec<&[u64]> = towers.collect::<Result<_, _>>()?;
        let n = towers.first().map_or(0, |tower| tower.len());
        RnsPoly::from_words(n, towers.concat())
            .map_err(|error| RunError::Invalid(error.to_string()))
    }

    /// The words of a tower.
    pub fn words(&self, place: Place) -> Result<&[u64], RunError> {
        let tower = self.tower(place)?;
        let poly = tower.poly().ok_or_else(|| missing("an item"))?;
        Ok(poly.tower(tower.tower))
    }

    fn tower(&self, place: Place) -> Result<&Tower, RunError> {
        let tower = self.0[place as usize].as_ref();
        tower.ok_or_else(|| RunError::Invalid(format!("tower {place} is read before it is made")))
    }
}

fn missing(what: &str) -> RunError {
    RunError::Invalid(format!("{what} where a tower is expected"))
}

fn items(value: &Value) -> &[RnsPoly] {
    match value {
        Value::Poly(poly) => std::slice::from_ref(&**poly),
        Value::Array(items) => items,
        Value::Seed(_) => &[],
    }
}

/// Every tower of a value, in memory order, as item and position.
fn towers(value: &Value) -> impl Iterator<Item = (&Value, usize, usize)> {
    let items = items(value).iter().enumerate();
    items.flat_map(move |(item, poly)| (0..poly.towers()).map(move |tower| (value, item, tower)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 16;

    fn poly(towers: &[u64]) -> RnsPoly {
        let words = towers.iter().flat_map(|&word| [word; N]).collect();
        RnsPoly::from_words(N, words).expect("a shape")
    }

    fn heads(value: &Value) -> Vec<u64> {
        value.towers().map(|words| words[0]).collect()
    }

    #[test]
    fn a_whole_value_is_handed_on_and_a_part_of_one_put_together() {
        let first = Value::Poly(Arc::new(poly(&[1, 2])));
        let second = Value::Array(Arc::new(vec![poly(&[3]), poly(&[4])]));
        let mut values = Values::new(6);
        values.put(&[first, second], [4, 0, 1, 3].map(Some).into_iter());
        let whole = values.value(&Val::Poly([4, 0].into())).expect("there");
        let again = values.value(&Val::Poly([4, 0].into())).expect("there");
        let (Value::Poly(whole), Value::Poly(again)) = (whole, again) else {
            panic!("polynomials")
        };
        assert!(Arc::ptr_eq(&whole, &again));
        for (places, expected) in [
            (Val::Poly([0, 4].into()), vec![2, 1]),
            (Val::Poly([4].into()), vec![1]),
            (Val::Poly([1, 3].into()), vec![3, 4]),
            (Val::Array([[3].into(), [0].into()].into()), vec![4, 2]),
            (Val::Array([[1].into(), [3].into()].into()), vec![3, 4]),
        ] {
            assert_eq!(heads(&values.value(&places).expect("there")), expected);
        }
        values.forget(4);
        let gone = values.value(&Val::Poly([4, 0].into())).err();
        let text = gone.expect("forgotten").to_string();
        assert!(text.contains("tower 4 is read before it is made"), "{text}");
    }
}
