//! Values as a person writes them, `"1.68 GHz"` or `"64 KiB"`, read exactly.
//!
//! A declaration says which parameters may be written so, and under which second key (`quantity` in
//! `params.toml`). Numbers are decimal, never binary fractions: `"0.1 GB/s"` is 800,000,000 bit/s.
//! What does not come to a whole number of the parameter's own unit is refused, not rounded, with
//! one exception: the period of a frequency is the nearest femtosecond. A width in bytes a second is
//! therefore whole when it is so for a clock within half a femtosecond of the machine's.

use crate::nearest::nearest;
use crate::one_line::one_line;
use crate::units::{Fraction, Units, DATA, FREQUENCY, TIME};
use std::fmt;

const FS_PER_SECOND: u128 = 1_000_000_000_000_000;

/// How a parameter may be written with a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// A second key, under which the unit must be written: `clock` for `clock_fs`.
    pub key: String,
    /// What is written.
    pub measure: Measure,
}

/// What a quantity measures.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// A clock, by its period or its frequency; the parameter is in femtoseconds.
    Clock,
    /// A time; the parameter is in nanoseconds.
    Time,
    /// Data a second; the parameter is in bit/s.
    Rate,
    /// Data; the parameter counts things of so many bits.
    Capacity(Of),
    /// Data a second; the parameter is in bytes a cycle of a clock in femtoseconds.
    Width(Of),
}

/// What a measure depends on.
#[derive(Clone, Debug, PartialEq)]
pub enum Of {
    /// A constant.
    Number(i64),
    /// The value of another whole-number parameter.
    Parameter(String),
}

impl Measure {
    /// What it depends on, if on anything.
    pub fn of(&self) -> Option<&Of> {
        match self {
            Measure::Capacity(of) | Measure::Width(of) => Some(of),
            Measure::Clock | Measure::Time | Measure::Rate => None,
        }
    }

    /// One that could stand in a file, for messages.
    pub fn example(&self) -> &'static str {
        match self {
            Measure::Clock => "1.25 GHz",
            Measure::Time => "20 ns",
            Measure::Rate => "512 GB/s",
            Measure::Capacity(_) => "64 KiB",
            Measure::Width(_) => "16 GB/s",
        }
    }

    /// The unit of the parameter itself, which a declaration must repeat.
    fn unit(&self) -> Option<&'static str> {
        match self {
            Measure::Clock => Some("fs"),
            Measure::Time => Some("ns"),
            Measure::Rate => Some("bit/s"),
            Measure::Width(_) => Some("byte/cycle"),
            Measure::Capacity(_) => None,
        }
    }

    /// Whether a parameter in `unit` can be written so.
    pub(crate) fn suits(&self, unit: &str) -> bool {
        self.unit().is_none_or(|own| own == unit)
    }

    fn symbols(&self) -> Vec<String> {
        let plain = |units: &Units| units.symbols().map(str::to_string).collect::<Vec<_>>();
        match self {
            Measure::Clock => [plain(&FREQUENCY), plain(&TIME)].concat(),
            Measure::Time => plain(&TIME),
            Measure::Capacity(_) => plain(&DATA),
            Measure::Rate | Measure::Width(_) => {
                DATA.symbols().map(|data| format!("{data}/s")).collect()
            }
        }
    }
}

/// Why a text is not a value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum QuantityError {
    /// Not a decimal number and a unit.
    NoNumber,
    /// The unit is not one of this measure.
    Unit {
        /// As given.
        given: String,
        /// Those that exist.
        known: Vec<String>,
        /// Those of them that may be meant.
        meant: Vec<String>,
    },
    /// It comes to a fraction.
    NotWhole {
        /// What it comes to.
        is: f64,
        /// In what.
        unit: String,
    },
    /// It is 0 where something is divided by it, or beyond 64 bits.
    Extreme,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNumber => write!(f, "this is no decimal number with a unit"),
            Self::Unit {
                given,
                known,
                meant,
            } => {
                write!(f, "unit {given:?} is not known")?;
                if !meant.is_empty() {
                    write!(f, " (did you mean `{}`?)", meant.join("` or `"))?;
                }
                write!(f, "; known: {}", known.join(", "))
            }
            Self::NotWhole { is, unit } => write!(f, "this is {is} {unit}, not a whole number"),
            Self::Extreme => write!(f, "this is 0 or far too large"),
        }
    }
}

/// The value of `text` in the parameter's own `unit`; `of` is what the measure depends on.
pub(crate) fn read(
    text: &str,
    measure: &Measure,
    unit: &str,
    of: Option<i64>,
) -> Result<i64, QuantityError> {
    let (number, symbol) = split(text)?;
    let of = match measure.of() {
        Some(_) => of.and_then(|of| u128::try_from(of).ok()),
        None => Some(1),
    };
    let of = of.ok_or(QuantityError::Extreme)?;
    let unknown = || unknown_unit(symbol, measure);
    if let (Measure::Clock, Some(hertz)) = (measure, FREQUENCY.scale(symbol)) {
        return period(number, hertz).ok_or(QuantityError::Extreme);
    }
    let per_second = || symbol.strip_suffix("/s").and_then(|data| DATA.scale(data));
    let (scale, divisor) = match measure {
        Measure::Clock => (TIME.scale(symbol), 1),
        Measure::Time => (TIME.scale(symbol), TIME.scale("ns").map_or(1, u128::from)),
        Measure::Rate => (per_second(), 1),
        Measure::Capacity(_) => (DATA.scale(symbol), of),
        Measure::Width(_) => return width(number, per_second().ok_or_else(unknown)?, of, unit),
    };
    let scale = u128::from(scale.ok_or_else(unknown)?);
    let exact = number.times(scale).and_then(|n| n.over(divisor));
    let exact = exact.ok_or(QuantityError::Extreme)?;
    exact.whole().ok_or_else(|| not_whole(exact, unit))
}

fn split(text: &str) -> Result<(Fraction, &str), QuantityError> {
    let of_number = |c: char| c.is_ascii_digit() || c == '.' || c == '_';
    let end = text.find(|c| !of_number(c)).unwrap_or(text.len());
    let number = Fraction::parse(&text[..end]).ok_or(QuantityError::NoNumber)?;
    match text[end..].trim() {
        "" => Err(QuantityError::NoNumber),
        symbol => Ok((number, symbol)),
    }
}

/// The period of a frequency, to the nearest femtosecond.
fn period(number: Fraction, hertz: u64) -> Option<i64> {
    let frequency = number.times(u128::from(hertz))?;
    frequency.inverted()?.times(FS_PER_SECOND)?.nearest()
}

/// Bytes in one cycle of `clock_fs`, whole for some clock within half a femtosecond of it.
fn width(
    number: Fraction,
    bits_per_second: u64,
    clock_fs: u128,
    unit: &str,
) -> Result<i64, QuantityError> {
    let over_half_cycles = |halves: u128| {
        let bits = number.times(u128::from(bits_per_second))?.times(halves)?;
        bits.over(2 * FS_PER_SECOND)?.over(8)
    };
    let all = || {
        let middle = over_half_cycles(2 * clock_fs)?;
        let whole = middle.nearest()?;
        let (low, high) = (
            over_half_cycles(2 * clock_fs - 1)?,
            over_half_cycles(2 * clock_fs + 1)?,
        );
        let near = low.against(whole)?.is_le() && high.against(whole)?.is_ge();
        Some((middle, near.then_some(whole)))
    };
    let (middle, whole) = all().ok_or(QuantityError::Extreme)?;
    whole.ok_or_else(|| not_whole(middle, &format!("{unit} at {clock_fs} fs a cycle")))
}

fn not_whole(exact: Fraction, unit: &str) -> QuantityError {
    QuantityError::NotWhole {
        is: exact.approximately(),
        unit: unit.to_string(),
    }
}

/// Units that differ in case, in the `i` of a binary prefix or in how a bit is written may be meant:
/// `KB` is no unit, since some read it as 1,000 bytes and some as 1,024.
fn unknown_unit(given: &str, measure: &Measure) -> QuantityError {
    let known = measure.symbols();
    let folded = given.to_ascii_lowercase();
    let in_bits = given.replacen('b', "bit", 1);
    let alike = |symbol: &&String| {
        let other = symbol.to_ascii_lowercase();
        other == folded || other.replacen('i', "", 1) == folded || **symbol == in_bits
    };
    let mut meant: Vec<String> = known.iter().filter(alike).cloned().collect();
    if meant.is_empty() {
        let near = nearest(given, known.iter().map(String::as_str));
        meant.extend(near.map(str::to_string));
    }
    QuantityError::Unit {
        given: one_line(given),
        known,
        meant,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK_FS: i64 = 595_238;

    fn clock(text: &str) -> Result<i64, QuantityError> {
        read(text, &Measure::Clock, "fs", None)
    }

    fn of(
        text: &str,
        measure: fn(Of) -> Measure,
        unit: &str,
        of: i64,
    ) -> Result<i64, QuantityError> {
        read(text, &measure(Of::Number(of)), unit, Some(of))
    }

    #[test]
    fn a_clock_is_a_period_or_a_frequency_to_the_nearest_femtosecond() {
        assert_eq!(clock("1.68 GHz"), Ok(CLOCK_FS));
        assert_eq!(clock("1_680MHz"), Ok(CLOCK_FS));
        assert_eq!(clock("595.238 ps"), Ok(CLOCK_FS));
        assert_eq!(clock("2 GHz"), clock("0.5 ns"));
        assert_eq!(clock("0 GHz"), Err(QuantityError::Extreme));
        assert!(matches!(
            clock("0.5 fs"),
            Err(QuantityError::NotWhole { .. })
        ));
    }

    #[test]
    fn rates_and_times_are_exact() {
        let rate = |text| read(text, &Measure::Rate, "bit/s", None);
        assert_eq!(rate("512 GB/s"), Ok(8 * 512_000_000_000));
        assert_eq!(rate("0.1 GB/s"), Ok(800_000_000));
        assert_eq!(rate("1 MiB/s"), Ok(8 << 20));
        assert!(matches!(
            rate("0.3 bit/s"),
            Err(QuantityError::NotWhole { .. })
        ));
        let time = |text| read(text, &Measure::Time, "ns", None);
        assert_eq!(time("1.5 us"), Ok(1500));
        assert!(matches!(time("1 ps"), Err(QuantityError::NotWhole { .. })));
    }

    #[test]
    fn a_capacity_is_a_whole_number_of_words() {
        let words = |text, bits| of(text, Measure::Capacity, "words", bits);
        assert_eq!(words("4 MiB", 128), Ok((4 << 20) * 8 / 128));
        assert_eq!(words("15 KiB", 30), Ok(15 * 1024 * 8 / 30));
        let error = words("64 KiB", 30).unwrap_err().to_string();
        assert!(error.contains("words, not a whole number"), "{error}");
    }

    #[test]
    fn a_width_is_whole_within_the_rounding_of_the_clock() {
        let bytes = |text, clock| of(text, Measure::Width, "byte/cycle", clock);
        assert_eq!(bytes("256 GB/s", 1_000_000), Ok(256));
        // 256 bytes at exactly 1.68 GHz; the period of CLOCK_FS is that rounded.
        assert_eq!(bytes("430.08 GB/s", CLOCK_FS), Ok(256));
        let error = bytes("512 GB/s", CLOCK_FS).unwrap_err().to_string();
        assert!(
            error.contains("304.76") && error.contains("595238 fs"),
            "{error}"
        );
    }

    #[test]
    fn units_that_are_not_known_are_named_with_what_may_be_meant() {
        let said = |text| {
            of(text, Measure::Capacity, "words", 8)
                .unwrap_err()
                .to_string()
        };
        assert!(said("4 KB").contains("did you mean `kB` or `KiB`?"));
        assert!(said("4 Mb").contains("did you mean `Mbit` or `MB` or `MiB`?"));
        assert!(
            said("4 parsecs").ends_with("GiB, Tbit, TB"),
            "{}",
            said("4 parsecs")
        );
        assert!(clock("2 ghz").unwrap_err().to_string().contains("`GHz`"));
        for text in ["GHz", "", "-1 GHz", "1e9 Hz", "1 680 MHz", "1.68"] {
            assert!(clock(text).is_err(), "{text:?}");
        }
        let far = clock(&format!("0.{}1 Hz", "0".repeat(13)));
        assert_eq!(far, Err(QuantityError::Extreme));
    }
}
