//! A term of a sum: a product of parameters and their powers.

use std::collections::BTreeMap;

/// Values of a block's parameters that are numbers.
pub(crate) type Numbers = BTreeMap<String, f64>;

/// As `Hples * Width^2 * log2(Banks)`, or `1`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    text: String,
    factors: Vec<Factor>,
}

#[derive(Clone, Debug, PartialEq)]
struct Factor {
    parameter: String,
    logarithm: bool,
    power: i32,
}

impl Term {
    /// Reads a term; what is wrong with it as a sentence.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let factors = text.split('*').map(str::trim).filter(|part| *part != "1");
        let factors = factors.map(|part| {
            Factor::parse(part).ok_or_else(|| {
                format!(
                    "term {text:?}: {part:?} is none of P, P^2, log2(P) for a parameter P, or 1"
                )
            })
        });
        Ok(Self {
            text: text.into(),
            factors: factors.collect::<Result<_, _>>()?,
        })
    }

    /// What stands in the file.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The term of these values; the parameter that is missing.
    pub(crate) fn of(&self, values: &Numbers) -> Result<f64, String> {
        self.factors.iter().try_fold(1.0, |product, factor| {
            let value = values.get(&factor.parameter);
            let value = *value.ok_or_else(|| factor.parameter.clone())?;
            let value = if factor.logarithm {
                value.log2()
            } else {
                value
            };
            Ok(product * value.powi(factor.power))
        })
    }
}

impl Factor {
    fn parse(text: &str) -> Option<Self> {
        let (base, power) = match text.split_once('^') {
            Some((base, power)) => (base, power.parse().ok()?),
            None => (text, 1),
        };
        let inner = base
            .strip_prefix("log2(")
            .and_then(|rest| rest.strip_suffix(')'));
        let parameter = inner.unwrap_or(base);
        let is_name = |c: char| c.is_ascii_alphanumeric();
        let starts = parameter.starts_with(|c: char| c.is_ascii_uppercase());
        (starts && parameter.chars().all(is_name)).then(|| Self {
            parameter: parameter.into(),
            logarithm: inner.is_some(),
            power,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_products_of_powers() {
        let values = Numbers::from([("Width".into(), 8.0), ("Hples".into(), 4.0)]);
        for (text, expected) in [
            ("1", 1.0),
            ("Width^2", 64.0),
            ("Hples * Width", 32.0),
            ("Width * Hples^-1", 2.0),
            ("log2(Width)^2", 9.0),
        ] {
            assert_eq!(
                Term::parse(text).unwrap().of(&values),
                Ok(expected),
                "{text}"
            );
        }
        let missing = Term::parse("Width * Banks").unwrap().of(&values);
        assert_eq!(missing, Err("Banks".into()));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "width",
            "Width +",
            "Width^x",
            "log2(Width",
            "2",
            "Width Hples",
        ] {
            assert!(Term::parse(text).is_err(), "{text:?}");
        }
    }
}
