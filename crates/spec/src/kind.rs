//! Kinds: the type of a parameter, its range, and which numbers of that range there are.

use crate::setting::Setting;
use serde::Deserialize;
use std::fmt;

/// Type and range of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Whole number, both ends included.
    Int {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
        /// Which of them; `None` for all.
        domain: Option<Domain>,
    },
    /// Real number, both ends included; never NaN or infinite. A whole number is accepted.
    Float {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// One name of a list.
    Choice(Vec<String>),
    /// Free text.
    Text {
        /// Most bytes of UTF-8.
        max_len: usize,
    },
    /// `true` or `false`.
    Bool,
}

impl Kind {
    /// Whether `setting` has this type, lies in this range and belongs to this domain.
    pub fn allows(&self, setting: &Setting) -> bool {
        match (self, setting) {
            (Kind::Int { min, max, domain }, Setting::Int(x)) => {
                (min..=max).contains(&x) && domain.is_none_or(|domain| domain.contains(*x))
            }
            (Kind::Float { min, max }, Setting::Float(x)) => (min..=max).contains(&x),
            (Kind::Choice(names), Setting::Text(x)) => names.contains(x),
            (Kind::Text { max_len }, Setting::Text(x)) => x.len() <= *max_len,
            (Kind::Bool, Setting::Bool(_)) => true,
            _ => false,
        }
    }

    /// What is allowed of a value in `unit`, for messages: `a whole number 1..=8 words, a power of two`.
    pub(crate) fn in_unit(&self, unit: &str) -> String {
        let unit = match unit {
            "none" => String::new(),
            unit => format!(" {unit}"),
        };
        match self {
            Kind::Int { min, max, domain } => {
                let domain = domain.map_or_else(String::new, |domain| format!(", {domain}"));
                format!("a whole number {min}..={max}{unit}{domain}")
            }
            Kind::Float { min, max } => format!("a number {min:?}..={max:?}{unit}"),
            Kind::Choice(names) => format!("one of {}", quoted(names)),
            Kind::Text { max_len } => format!("text of at most {max_len} bytes"),
            Kind::Bool => "true or false".to_owned(),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_unit("none"))
    }
}

fn quoted(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("{name:?}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Which whole numbers of a range there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// 1, 2, 4, 8, …
    PowerOfTwo,
    /// Those that this number, above 0, divides.
    MultipleOf(i64),
    /// Those above 0 that divide this number.
    DivisorOf(i64),
}

impl Domain {
    /// Whether `value` is one of them.
    pub fn contains(self, value: i64) -> bool {
        match self {
            Domain::PowerOfTwo => value > 0 && value & (value - 1) == 0,
            Domain::MultipleOf(of) => of > 0 && value % of == 0,
            Domain::DivisorOf(whole) => value > 0 && whole % value == 0,
        }
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::PowerOfTwo => write!(f, "a power of two"),
            Domain::MultipleOf(of) => write!(f, "a multiple of {of}"),
            Domain::DivisorOf(whole) => write!(f, "a divisor of {whole}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_their_ends_and_refuse_nan() {
        let float = Kind::Float { min: 0.0, max: 1.0 };
        assert!(float.allows(&Setting::Float(0.0)) && float.allows(&Setting::Float(1.0)));
        assert!(!float.allows(&Setting::Float(f64::NAN)));
        assert!(!float.allows(&Setting::Float(1.5)));
        let int = Kind::Int {
            min: -1,
            max: 1,
            domain: None,
        };
        assert!(int.allows(&Setting::Int(-1)) && int.allows(&Setting::Int(1)));
        assert!(!int.allows(&Setting::Int(2)) && !int.allows(&Setting::Bool(true)));
    }

    #[test]
    fn a_domain_leaves_out_the_other_numbers_of_its_range() {
        let allowed = |domain| {
            let kind = Kind::Int {
                min: -4,
                max: 9,
                domain: Some(domain),
            };
            let all = i64::MIN..=i64::MIN + 1;
            let numbers = all.chain(-10..=20).chain([i64::MAX]);
            numbers
                .filter(|&x| kind.allows(&Setting::Int(x)))
                .collect::<Vec<_>>()
        };
        assert_eq!(allowed(Domain::PowerOfTwo), [1, 2, 4, 8]);
        assert_eq!(allowed(Domain::MultipleOf(3)), [-3, 0, 3, 6, 9]);
        assert_eq!(allowed(Domain::DivisorOf(24)), [1, 2, 3, 4, 6, 8]);
    }

    #[test]
    fn a_message_has_range_unit_and_domain() {
        let kind = Kind::Int {
            min: 1,
            max: 8,
            domain: Some(Domain::PowerOfTwo),
        };
        let said = kind.in_unit("words");
        assert_eq!(said, "a whole number 1..=8 words, a power of two");
        assert_eq!(kind.to_string(), "a whole number 1..=8, a power of two");
    }
}
