//! Where a program lies under its machine's two roofs.
//!
//! A machine makes at most so many modular products a second, one in each multiplier and cycle, and
//! moves at most so many bytes a second between itself and the memory behind it. A program that makes
//! few products for each byte cannot be faster than its bytes arrive, whatever the multipliers do
//! (Williams, Waterman and Patterson, "Roofline: an insightful visual performance model", CACM 52(4),
//! 2009). The operation is the modular product, because a butterfly has one and everything else that
//! takes a multiplier is one; products are counted in the machine's own words, and a word may hold the
//! residues of several towers (joined primes).

use crate::{Counter, Timing};
use ringwright_sim::Femtoseconds;

/// What a machine could do at most, from its parameters alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Roofs {
    /// Modular products a second when every multiplier is used in every cycle; above 0.
    pub products_per_second: f64,
    /// Bytes a second between device and the memory behind it; above 0.
    pub bytes_per_second: f64,
    /// The counters whose sum is the program's products. What multipliers do besides, such as making
    /// factors, is none of them.
    pub products: &'static [Counter],
}

/// A program on a machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Roofline {
    /// The machine's.
    pub roofs: Roofs,
    /// Modular products that it makes.
    pub products: u64,
    /// Bytes that it moves.
    pub bytes: u64,
    /// How long the device takes, its host taking no time.
    pub time: Femtoseconds,
}

/// Which roof a program is under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Bytes arrive too slowly to use all multipliers.
    Memory,
    /// They would arrive fast enough.
    Compute,
}

impl Limit {
    /// The word used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Limit::Memory => "memory",
            Limit::Compute => "compute",
        }
    }
}

impl Roofs {
    /// Where a program lies; `None` where it makes no product, moves no byte or takes no time: it has
    /// no place on axes that are logarithms.
    pub fn of(self, timing: &Timing) -> Option<Roofline> {
        let counters = timing.counters();
        let counts = self.products.iter();
        let products = counts.map(|each| counters.get(each.group, each.name)).sum();
        let parts = timing.parts.iter().zip(timing.runs());
        let bytes = parts.map(|(part, runs)| part.bytes_moved() * runs).sum();
        let time = timing.clock.time_of(timing.cycles).ok()?;
        let placed = products > 0 && bytes > 0 && time.0 > 0;
        placed.then_some(Roofline {
            roofs: self,
            products,
            bytes,
            time,
        })
    }
}

impl Roofline {
    /// Products a byte.
    pub fn intensity(&self) -> f64 {
        self.products as f64 / self.bytes as f64
    }

    /// Products a second.
    pub fn attained(&self) -> f64 {
        self.products as f64 * Femtoseconds::PER_SECOND as f64 / self.time.0 as f64
    }

    /// Products a second that both roofs together allow at this intensity.
    pub fn allowed(&self) -> f64 {
        let memory = self.intensity() * self.roofs.bytes_per_second;
        memory.min(self.roofs.products_per_second)
    }

    /// Whether it lies on or below the roofs, as whatever a machine does must; beyond the rounding of
    /// doubles.
    pub fn is_possible(&self) -> bool {
        self.attained() <= self.allowed() * (1.0 + 1e-9)
    }

    /// Which of them is the lower.
    pub fn limit(&self) -> Limit {
        match self.allowed() < self.roofs.products_per_second {
            true => Limit::Memory,
            false => Limit::Compute,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Called, Counters, Hardware, Part, StepKind, Steps, Task, Work};
    use ringwright_sim::{Clock, Provenance};
    use std::sync::Arc;

    const COUNTED: &[Counter] = &[Counter {
        group: "unit",
        name: "product",
    }];
    const BYTES: u64 = 8;
    const PRODUCTS: u64 = 3;

    /// A move and a product, one after the other, so many times over.
    fn timing(cycles: u64, calls: usize) -> Timing {
        let kind = |name, task, work, units| StepKind {
            name,
            task,
            work,
            hardware: Hardware::Rtl,
            units,
        };
        let bytes = BYTES;
        let load = Work::Transfer { cycles, bytes };
        let mut steps = Steps::new();
        let load = steps.push(kind("load", Task::Move, load, &["dma"]), &[], None);
        let work = Work::Kernel { cycles };
        steps.push(kind("mul", Task::Compute, work, &["core"]), &[load], None);
        let mut counters = Counters::new();
        counters.add("unit", "product", PRODUCTS);
        counters.add("unit", "twiddle product", 100);
        let called = |_| Called {
            part: 0,
            sources: [crate::Source {
                name: "f".into(),
                call: None,
                loc: None,
            }]
            .into(),
        };
        let clock = Clock::new("core", Femtoseconds(1_000_000), Provenance::Modelled);
        let parts = vec![Arc::new(Part::new(steps, counters))];
        let called = (0..calls).map(called).collect();
        Timing::new(clock.unwrap(), &["dma", "core"], parts, called).unwrap()
    }

    fn roofs(products_per_second: f64, bytes_per_second: f64) -> Roofs {
        Roofs {
            products_per_second,
            bytes_per_second,
            products: COUNTED,
        }
    }

    #[test]
    fn products_and_bytes_are_those_of_all_calls() {
        let (cycles, calls) = (5, 4);
        let placed = roofs(1e12, 1e12).of(&timing(cycles, calls)).unwrap();
        let calls = calls as u64;
        assert_eq!(placed.products, PRODUCTS * calls);
        assert_eq!(placed.bytes, BYTES * calls);
        assert_eq!(placed.time.0, 2 * cycles * calls * 1_000_000);
        let seconds = 2.0 * cycles as f64 * 1e-9;
        assert!((placed.attained() * seconds / PRODUCTS as f64 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_lower_roof_is_named() {
        let timing = timing(1, 1);
        let intensity = PRODUCTS as f64 / BYTES as f64;
        let memory = roofs(1e9, 1e9).of(&timing).unwrap();
        assert_eq!(memory.limit(), Limit::Memory);
        assert_eq!(memory.allowed(), intensity * 1e9);
        let compute = roofs(1e9, 1e10).of(&timing).unwrap();
        assert_eq!(compute.limit(), Limit::Compute);
        assert_eq!(compute.allowed(), 1e9);
        // Three products and eight bytes in two nanoseconds.
        assert!(roofs(1.5e9, 4e9).of(&timing).unwrap().is_possible());
        assert!(!roofs(1.4e9, 4e9).of(&timing).unwrap().is_possible());
        assert!(!roofs(1.5e9, 3.9e9).of(&timing).unwrap().is_possible());
    }

    #[test]
    fn what_counts_nothing_has_no_place() {
        let none = Roofs {
            products: &[],
            ..roofs(1e9, 1e9)
        };
        assert_eq!(none.of(&timing(1, 1)), None);
        assert_eq!(roofs(1e9, 1e9).of(&timing(1, 0)), None);
    }
}
