//! The banks of the vector data memory (RPU, sections IV-B3 and IV-B4): where an address lies, and
//! how many cycles a group of addresses takes.
//!
//! Each bank reads one address and writes one address in a cycle. A group is the addresses of one
//! register row, one for each HPLE; the crossbar serves, in every cycle and of every bank, the
//! address of the bank's lowest-numbered element that still waits, and all elements with that
//! address. So a group takes as many cycles as the fullest bank has different addresses.
//!
//! Skewing adds the digits of the address in base `banks`. The words of any aligned power-of-two
//! stride then differ in one digit at least, until all digits are used up, and lie in different
//! banks; of an unaligned group the last words may meet the first ones, which costs a cycle.

use crate::config::{Config, VdmMap};
use crate::isa::Mode;
use std::collections::HashMap;
use std::ops::Range;

/// The geometry of the banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Banks {
    log_banks: u32,
    map: VdmMap,
}

impl Banks {
    /// The banks of a machine.
    pub fn new(config: &Config) -> Self {
        Banks {
            log_banks: config.banks.trailing_zeros(),
            map: config.vdm_map,
        }
    }

    /// The bank of an address.
    pub fn bank(&self, address: u64) -> usize {
        let digit = (1 << self.log_banks) - 1;
        let sum = match self.map {
            VdmMap::Modulo => address,
            VdmMap::Skewed => {
                let (mut rest, mut sum) = (address, 0);
                while rest > 0 {
                    sum += rest & digit;
                    rest >>= self.log_banks;
                }
                sum
            }
        };
        (sum & digit) as usize
    }

    /// Cycle in which each element of a group is served, counted from the group's first.
    pub fn serve(&self, pattern: Pattern, elements: Range<usize>) -> Vec<u64> {
        let mut waiting = vec![0_u64; 1 << self.log_banks];
        let mut cycles: Vec<u64> = Vec::with_capacity(elements.len());
        let period = pattern.period();
        for (lane, element) in elements.enumerate() {
            if lane >= period {
                cycles.push(cycles[lane - period]);
                continue;
            }
            let served = &mut waiting[self.bank(pattern.address(element))];
            cycles.push(*served);
            *served += 1;
        }
        cycles
    }
}

/// Words that one vector instruction moves: base address and mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// Address of element 0.
    pub base: u64,
    /// Where the others are.
    pub mode: Mode,
}

impl Pattern {
    /// The address of an element.
    pub fn address(&self, element: usize) -> u64 {
        self.base + self.mode.offset(element as u64)
    }

    /// Elements after which addresses repeat.
    fn period(&self) -> usize {
        match self.mode {
            Mode::Repeated(v) => 1 << v,
            _ => usize::MAX,
        }
    }

    /// The highest address of a vector.
    pub fn last(&self, length: usize) -> u64 {
        let last = length as u64 - 1;
        match self.mode {
            Mode::Repeated(v) => self.base + last.min((1 << v) - 1),
            _ => self.address(last as usize),
        }
    }

    /// The first element at an address.
    pub fn element(&self, address: u64, length: usize) -> Option<usize> {
        let offset = address.checked_sub(self.base)?;
        let element = match self.mode {
            Mode::Linear => offset,
            Mode::Strided(v) => offset >> v,
            Mode::StridedSkip(v) => ((offset >> (v + 1)) << v) + (offset & ((1 << v) - 1)),
            Mode::Repeated(_) => offset,
        };
        let there = element < length as u64 && self.mode.offset(element) == offset;
        there.then_some(element as usize)
    }

    /// Whether two vectors surely have no address in common: they end before each other begins,
    /// or all addresses of the one differ from all of the other in their low bits.
    pub fn is_apart_from(&self, other: &Pattern, length: usize) -> bool {
        let fixed = |pattern: &Pattern| match pattern.mode {
            Mode::Strided(v) => v,
            _ => 0,
        };
        let low = (1 << fixed(self).min(fixed(other))) - 1;
        self.last(length) < other.base
            || other.last(length) < self.base
            || (self.base ^ other.base) & low != 0
    }
}

/// Cycles of the groups of vector accesses, remembered.
///
/// Where no carry leaves the offsets' bits, the bank of base + offset is the bank of the base plus
/// that of the offset, so all aligned bases of a mode cost the same: the usual case is a look-up.
#[derive(Debug)]
pub struct Costs {
    banks: Banks,
    lanes: usize,
    length: usize,
    aligned: HashMap<Mode, Groups>,
    pool: Vec<u32>,
}

/// Cycles of each group of one access, in the pool of [`Costs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    first: usize,
    count: usize,
    /// Sum over the groups.
    pub total: u64,
}

impl Costs {
    /// For the accesses of a machine.
    pub fn new(config: &Config) -> Self {
        Costs {
            banks: Banks::new(config),
            lanes: config.hples,
            length: config.vector_length,
            aligned: HashMap::new(),
            pool: Vec::new(),
        }
    }

    /// The cycles of each group.
    pub fn groups(&self, groups: Groups) -> &[u32] {
        &self.pool[groups.first..groups.first + groups.count]
    }

    /// What an access costs.
    pub fn of(&mut self, pattern: Pattern) -> Groups {
        // The offset of the last element has every bit that any offset has.
        let offset_bits = pattern.last(self.length) - pattern.base;
        if pattern.base & offset_bits != 0 {
            return self.count(pattern);
        }
        if let Some(&known) = self.aligned.get(&pattern.mode) {
            return known;
        }
        let groups = self.count(pattern);
        self.aligned.insert(pattern.mode, groups);
        groups
    }

    fn count(&mut self, pattern: Pattern) -> Groups {
        let first = self.pool.len();
        let mut counter = Counter::new(&self.banks);
        for group in 0..self.length / self.lanes {
            let elements = group * self.lanes..(group + 1) * self.lanes;
            self.pool
                .push(counter.group(&self.banks, pattern, elements));
        }
        let costs = &self.pool[first..];
        Groups {
            first,
            count: costs.len(),
            total: costs.iter().map(|&cost| u64::from(cost)).sum(),
        }
    }
}

/// Different addresses in each bank.
struct Counter {
    counts: Vec<u32>,
}

impl Counter {
    fn new(banks: &Banks) -> Self {
        Counter {
            counts: vec![0; 1 << banks.log_banks],
        }
    }

    /// The largest count of one group.
    fn group(&mut self, banks: &Banks, pattern: Pattern, elements: Range<usize>) -> u32 {
        self.counts.fill(0);
        let mut longest = 0;
        // A group is aligned, so its first repetition comes after one period.
        for element in elements.take(pattern.period()) {
            let count = &mut self.counts[banks.bank(pattern.address(element))];
            *count += 1;
            longest = longest.max(*count);
        }
        longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_spec::Machine;

    fn config(map: VdmMap) -> Config {
        let machine: Machine = Machine::load("rpu-128x128").expect("shipped");
        Config {
            vdm_map: map,
            ..Config::new(&machine).expect("buildable")
        }
    }

    fn costs(config: &Config, base: u64, mode: Mode) -> Vec<u32> {
        let mut costs = Costs::new(config);
        let groups = costs.of(Pattern { base, mode });
        costs.groups(groups).to_vec()
    }

    fn uniform(config: &Config, cost: usize) -> Vec<u32> {
        vec![cost as u32; config.beats()]
    }

    #[test]
    fn linear_vectors_take_a_cycle_a_row() {
        for map in [VdmMap::Skewed, VdmMap::Modulo] {
            let config = config(map);
            assert_eq!(costs(&config, 0, Mode::Linear), uniform(&config, 1));
            let narrow = Config {
                banks: config.hples / 4,
                ..config.clone()
            };
            assert_eq!(costs(&narrow, 0, Mode::Linear), uniform(&narrow, 4));
        }
    }

    #[test]
    fn power_of_two_strides_meet_in_banks_unless_these_are_skewed() {
        let (modulo, skewed) = (config(VdmMap::Modulo), config(VdmMap::Skewed));
        for v in 1..=9_u8 {
            let meet = (1 << v).min(modulo.banks);
            assert_eq!(costs(&modulo, 0, Mode::Strided(v)), uniform(&modulo, meet));
            assert_eq!(costs(&skewed, 0, Mode::Strided(v)), uniform(&skewed, 1));
        }
    }

    #[test]
    fn an_unaligned_row_meets_itself_once_where_banks_are_skewed() {
        let (modulo, skewed) = (config(VdmMap::Modulo), config(VdmMap::Skewed));
        for base in [1, 5, 127] {
            assert_eq!(costs(&modulo, base, Mode::Linear), uniform(&modulo, 1));
            assert_eq!(costs(&skewed, base, Mode::Linear), uniform(&skewed, 2));
        }
        // Whole rows off, a row begins at bank 0 or next to it again.
        assert_eq!(costs(&skewed, 128, Mode::Linear), uniform(&skewed, 1));
    }

    #[test]
    fn one_word_for_all_lanes_is_one_access() {
        for map in [VdmMap::Skewed, VdmMap::Modulo] {
            let config = config(map);
            for v in 0..=7 {
                assert_eq!(
                    costs(&config, 3, Mode::Repeated(v))[0],
                    1 + u32::from(v == 7 && map == VdmMap::Skewed)
                );
            }
        }
    }

    #[test]
    fn the_look_up_agrees_with_serving_every_element() {
        for map in [VdmMap::Skewed, VdmMap::Modulo] {
            let config = Config {
                hples: 16,
                banks: 8,
                vector_length: 64,
                ..config(map)
            };
            let banks = Banks::new(&config);
            let modes = (0..10).flat_map(|v| {
                [
                    Mode::Linear,
                    Mode::Strided(v),
                    Mode::StridedSkip(v),
                    Mode::Repeated(v),
                ]
            });
            for (mode, base) in modes.flat_map(|mode| [0, 3, 64, 4096, 4099].map(|b| (mode, b))) {
                let pattern = Pattern { base, mode };
                for (group, cost) in costs(&config, base, mode).into_iter().enumerate() {
                    let served = banks.serve(pattern, 16 * group..16 * (group + 1));
                    assert_eq!(
                        served.iter().max(),
                        Some(&(u64::from(cost) - 1)),
                        "{pattern:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn elements_are_found_at_their_addresses_and_nowhere_else() {
        let length = 64;
        for mode in [
            Mode::Linear,
            Mode::Strided(3),
            Mode::StridedSkip(2),
            Mode::Repeated(4),
        ] {
            let pattern = Pattern { base: 100, mode };
            let all: Vec<u64> = (0..length).map(|i| pattern.address(i)).collect();
            assert_eq!(all.iter().max(), Some(&pattern.last(length)));
            for address in 0..1000 {
                let first = all.iter().position(|&a| a == address);
                assert_eq!(
                    pattern.element(address, length),
                    first,
                    "{mode:?} {address}"
                );
            }
        }
    }

    #[test]
    fn vectors_apart_share_no_address() {
        let length = 64;
        let modes = [
            Mode::Linear,
            Mode::Strided(2),
            Mode::Strided(4),
            Mode::StridedSkip(3),
            Mode::Repeated(2),
        ];
        for (a, b) in modes.iter().flat_map(|&a| modes.map(|b| (a, b))) {
            for base in 0..200 {
                let (a, b) = (Pattern { base: 50, mode: a }, Pattern { base, mode: b });
                if a.is_apart_from(&b, length) {
                    assert!((0..length).all(|i| b.element(a.address(i), length).is_none()));
                }
            }
        }
    }
}
