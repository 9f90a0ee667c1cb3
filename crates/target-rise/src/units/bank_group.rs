//! A bank group: one polynomial in 4P banks of one read-or-write port each, a write buffer before
//! each bank.
//!
//! A read takes the port of its bank for the cycle. A write goes through the port if it is free
//! and nothing waits, else it waits in the buffer and is written in the first cycle without a
//! read (RACE section IV-C2: "opportunistically"). Two reads of one bank in one cycle, a write
//! that finds its buffer full, and a read of a word that still waits to be written are errors:
//! an address map that leads to one of them is wrong, and so is hardware built from it.
//!
//! Order within a cycle: reads, then writes, then [`BankGroup::settle`].
//!
//! Records: `read` (address) and `write` (address, word), in the cycle in which the bank's port is
//! taken.

use ringwright_sim::{Cycle, NoTrace, Trace, TraceRecord};
use std::collections::VecDeque;

/// Unreduced under every prime, so that a result made of it is wrong.
const POISON: u64 = u64::MAX;

/// Bank and row of an address.
pub type BankMap = fn(address: usize, banks: usize, depth: usize) -> (usize, usize);

/// The published map: bank = address mod 4P.
pub fn interleaved(address: usize, banks: usize, _depth: usize) -> (usize, usize) {
    (address % banks, address / banks)
}

/// An access that the single-port banks cannot make.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// Two reads of one bank in one cycle.
    #[error(
        "{group}: bank {bank} is read twice in cycle {cycle}, at addresses {first} and {second}"
    )]
    Conflict {
        /// The bank group.
        group: &'static str,
        /// The bank.
        bank: usize,
        /// The cycle.
        cycle: u64,
        /// Address read first.
        first: usize,
        /// Address read in the same cycle.
        second: usize,
    },
    /// A write buffer that is too shallow.
    #[error("{group}: the write buffer of bank {bank} overflows in cycle {cycle} at address {address}; write_buffer = {depth}")]
    Overflow {
        /// The bank group.
        group: &'static str,
        /// The bank.
        bank: usize,
        /// The cycle.
        cycle: u64,
        /// Address of the write that finds no room.
        address: usize,
        /// Words of the buffer.
        depth: usize,
    },
    /// A read that overtakes a write.
    #[error("{group}: bank {bank} is read in cycle {cycle} at address {address}, which still waits to be written")]
    Stale {
        /// The bank group.
        group: &'static str,
        /// The bank.
        bank: usize,
        /// The cycle.
        cycle: u64,
        /// The address.
        address: usize,
    },
    /// An address beyond the banks.
    #[error("{group}: address {address} is beyond {banks} banks of {depth} words")]
    Beyond {
        /// The bank group.
        group: &'static str,
        /// The address.
        address: usize,
        /// Number of banks.
        banks: usize,
        /// Words of a bank.
        depth: usize,
    },
}

/// One single-port memory and its write buffer.
struct Bank {
    words: Vec<u64>,
    /// Cycle and address of the last use of the port.
    port: Option<(u64, usize)>,
    /// Row, address and word of each waiting write, oldest first.
    waiting: VecDeque<(usize, usize, u64)>,
}

/// The banks of one polynomial.
pub struct BankGroup<T = NoTrace> {
    name: &'static str,
    banks: Vec<Bank>,
    depth: usize,
    map: BankMap,
    buffer: usize,
    waiting: usize,
    deepest: usize,
    trace: T,
}

impl BankGroup {
    /// Banks of `depth` words with write buffers of `buffer` words, all words zero.
    pub fn new(
        name: &'static str,
        banks: usize,
        depth: usize,
        buffer: usize,
        map: BankMap,
    ) -> Self {
        Self::traced(name, banks, depth, buffer, map)
    }
}

impl<T: Trace> BankGroup<T> {
    /// As [`BankGroup::new`], with records.
    pub fn traced(
        name: &'static str,
        banks: usize,
        depth: usize,
        buffer: usize,
        map: BankMap,
    ) -> Self {
        let bank = || Bank {
            words: vec![0; depth],
            port: None,
            waiting: VecDeque::new(),
        };
        BankGroup {
            name,
            banks: (0..banks).map(|_| bank()).collect(),
            depth,
            map,
            buffer,
            waiting: 0,
            deepest: 0,
            trace: T::default(),
        }
    }

    /// Reads one word; its bank's port is taken for this cycle.
    #[inline]
    pub fn read(&mut self, cycle: u64, address: usize) -> Result<u64, PortError> {
        let (index, row) = self.place(address)?;
        let bank = &mut self.banks[index];
        match bank.port {
            Some((used, first)) if used == cycle => Err(PortError::Conflict {
                group: self.name,
                bank: index,
                cycle,
                first,
                second: address,
            }),
            _ if bank.waiting.iter().any(|write| write.0 == row) => Err(PortError::Stale {
                group: self.name,
                bank: index,
                cycle,
                address,
            }),
            _ => {
                bank.port = Some((cycle, address));
                self.trace
                    .record(port_use(cycle, self.name, "read", address, 0));
                Ok(bank.words[row])
            }
        }
    }

    /// Writes one word, now or, if the port is taken, through the write buffer.
    #[inline]
    pub fn write(&mut self, cycle: u64, address: usize, word: u64) -> Result<(), PortError> {
        let (index, row) = self.place(address)?;
        let bank = &mut self.banks[index];
        if bank.waiting.is_empty() && bank.port.is_none_or(|(used, _)| used != cycle) {
            bank.port = Some((cycle, address));
            bank.words[row] = word;
            self.trace
                .record(port_use(cycle, self.name, "write", address, word));
            return Ok(());
        }
        bank.waiting.push_back((row, address, word));
        self.waiting += 1;
        Ok(())
    }

    /// Ends a cycle: every bank whose port is free writes the oldest word of its buffer.
    #[inline]
    pub fn settle(&mut self, cycle: u64) -> Result<(), PortError> {
        match self.waiting {
            0 => Ok(()),
            _ => self.settle_waiting(cycle),
        }
    }

    fn settle_waiting(&mut self, cycle: u64) -> Result<(), PortError> {
        for (index, bank) in self.banks.iter_mut().enumerate() {
            let free = bank.port.is_none_or(|(used, _)| used != cycle);
            if free {
                if let Some((row, address, word)) = bank.waiting.pop_front() {
                    bank.port = Some((cycle, address));
                    bank.words[row] = word;
                    self.trace
                        .record(port_use(cycle, self.name, "write", address, word));
                    self.waiting -= 1;
                }
            }
            self.deepest = self.deepest.max(bank.waiting.len());
            if bank.waiting.len() > self.buffer {
                return Err(PortError::Overflow {
                    group: self.name,
                    bank: index,
                    cycle,
                    address: bank.waiting.back().map_or(0, |write| write.1),
                    depth: self.buffer,
                });
            }
        }
        Ok(())
    }

    /// Whether every word is in its bank.
    pub fn settled(&self) -> bool {
        self.waiting == 0
    }

    /// The most words that ever waited before one bank.
    pub fn deepest(&self) -> usize {
        self.deepest
    }

    /// What the ports did.
    pub fn take_records(&mut self) -> Vec<TraceRecord> {
        self.trace.take()
    }

    /// Fills every word with what no result may be made of.
    pub fn poison(&mut self) {
        let words = self.banks.iter_mut().flat_map(|bank| &mut bank.words);
        words.for_each(|word| *word = POISON);
    }

    /// Overwrites every word.
    pub fn wipe(&mut self) {
        for bank in &mut self.banks {
            zeroize::Zeroize::zeroize(&mut bank.words[..]);
        }
    }

    #[inline]
    fn place(&self, address: usize) -> Result<(usize, usize), PortError> {
        let (bank, row) = (self.map)(address, self.banks.len(), self.depth);
        match bank < self.banks.len() && row < self.depth {
            true => Ok((bank, row)),
            false => Err(PortError::Beyond {
                group: self.name,
                address,
                banks: self.banks.len(),
                depth: self.depth,
            }),
        }
    }
}

#[inline(always)]
fn port_use(
    cycle: u64,
    unit: &'static str,
    event: &'static str,
    address: usize,
    word: u64,
) -> TraceRecord {
    TraceRecord {
        cycle: Cycle(cycle),
        unit,
        event,
        destination: address as u64,
        value: u128::from(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BANKS: usize = 4;
    const DEPTH: usize = 8;

    fn group(buffer: usize) -> BankGroup {
        BankGroup::new("BG0", BANKS, DEPTH, buffer, interleaved)
    }

    #[test]
    fn a_word_comes_back() {
        let mut group = group(0);
        for address in 0..BANKS * DEPTH {
            group
                .write(address as u64, address, 3 * address as u64)
                .unwrap();
        }
        for address in 0..BANKS * DEPTH {
            let cycle = (BANKS * DEPTH + address) as u64;
            assert_eq!(group.read(cycle, address), Ok(3 * address as u64));
        }
    }

    #[test]
    fn the_second_read_of_a_bank_names_both_addresses() {
        let mut group = group(0);
        group.read(5, 1).unwrap();
        let error = group.read(5, 1 + BANKS).unwrap_err().to_string();
        assert_eq!(
            error,
            "BG0: bank 1 is read twice in cycle 5, at addresses 1 and 5"
        );
        group.read(6, 1 + BANKS).unwrap();
    }

    #[test]
    fn a_write_waits_while_its_bank_is_read() {
        let mut group = group(1);
        group.read(0, 0).unwrap();
        group.write(0, BANKS, 7).unwrap();
        group.settle(0).unwrap();
        assert!(!group.settled());
        let stale = group.read(1, BANKS).unwrap_err();
        assert!(matches!(
            stale,
            PortError::Stale {
                bank: 0,
                address: BANKS,
                ..
            }
        ));
        group.read(1, 2 * BANKS).unwrap();
        group.settle(1).unwrap();
        assert!(!group.settled(), "the bank was read again");
        group.settle(2).unwrap();
        assert!(group.settled());
        assert_eq!((group.read(3, BANKS), group.deepest()), (Ok(7), 1));
    }

    #[test]
    fn a_full_buffer_is_an_error() {
        let mut group = group(1);
        for cycle in 0..2 {
            group.read(cycle, 0).unwrap();
            group.write(cycle, BANKS * (1 + cycle as usize), 7).unwrap();
            let settled = group.settle(cycle);
            assert_eq!(settled.is_err(), cycle == 1, "{settled:?}");
        }
    }

    #[test]
    fn an_address_beyond_the_banks_is_an_error() {
        assert!(matches!(
            group(0).read(0, BANKS * DEPTH),
            Err(PortError::Beyond { address, .. }) if address == BANKS * DEPTH
        ));
    }
}
