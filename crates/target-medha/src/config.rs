//! A machine description as the numbers that the units are built with.
//!
//! What each parameter may be says `spec/medha/params.toml`. What cannot be built of values that are
//! allowed alone is refused here, by the name of the parameter. What a program asks for beyond the
//! machine is refused by [`Shape::of`](crate::shape::Shape::of) and [`Config::assign`].

use ringwright_ir::RunError;
use ringwright_sim::Clock;
use ringwright_spec::{Choice, Machine};
use ringwright_target::{check_target, core_clock, TargetError};

/// What descriptions of these machines name as their target.
pub const NAME: &str = "medha";
/// RPAUs of the largest machine.
pub const MOST_RPAUS: usize = 16;
/// Bytes of a word in the memory behind the DMA lanes.
pub const BYTES_PER_WORD: u64 = 8;

/// Who holds evaluation keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// The memory behind the DMA lanes.
    Streamed,
    /// The RPAUs, while they fit.
    Kept,
}

impl Choice for Keys {
    const NAMED: &'static [(&'static str, Self)] =
        &[("streamed", Keys::Streamed), ("kept", Keys::Kept)];
}

/// What becomes of the bits that residues leave over in a memory's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Nothing.
    None,
    /// Those of three memories are a fourth.
    ThreeInFour,
}

impl Choice for Packing {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("none", Packing::None),
        ("three_in_four", Packing::ThreeInFour),
    ];
}

/// Where the RPAUs of the ring lie on the dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RingOrder {
    /// Up the dies and down again.
    Folded,
    /// Up the dies; the last link comes back.
    Straight,
}

impl Choice for RingOrder {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("folded", RingOrder::Folded),
        ("straight", RingOrder::Straight),
    ];
}

/// The parameters of one machine; `spec/medha/params.toml` says what each is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Name of the machine description.
    pub machine: String,
    /// RPAUs of the ring.
    pub rpaus: usize,
    /// The first of them, with wide words.
    pub wide_rpaus: usize,
    /// Bits of a residue elsewhere.
    pub word_bits: u32,
    /// Bits of a residue there.
    pub wide_bits: u32,
    /// log2 of the butterfly units of an NTT core.
    pub log_butterflies: u32,
    /// Words of a dyadic core in a cycle.
    pub dyadic_lanes: usize,
    /// Words of a link in a cycle.
    pub ring_words: usize,
    /// log2 of the largest degree.
    pub max_log_n: u32,
    /// Depth of a bank.
    pub bank_words: usize,
    /// What left-over bits are for.
    pub packing: Packing,
    /// Towers of the largest degree behind the ring.
    pub landing_towers: usize,
    /// Cycles from a butterfly's operands to its results.
    pub ntt_latency: u64,
    /// The same of the dyadic core.
    pub dyadic_latency: u64,
    /// Cycles of a microinstruction before its first word.
    pub issue_cycles: u64,
    /// Dies.
    pub slrs: usize,
    /// Where the RPAUs lie.
    pub ring_order: RingOrder,
    /// Cycles of a link.
    pub hop_cycles: u64,
    /// More of them for a border between dies.
    pub slr_cycles: u64,
    /// Towers that move at once.
    pub dma_lanes: usize,
    /// Bytes of a lane in a cycle.
    pub dma_bytes_per_cycle: u64,
    /// Cycles from a transfer's command to its first word.
    pub dma_latency: u64,
    /// Who holds keys.
    pub keys: Keys,
    /// Bytes of the memory behind the lanes.
    pub memory_bytes: u64,
    /// Cycles of a start.
    pub start_cycles: u64,
    /// Microinstructions of a stream.
    pub code_words: usize,
    /// Entries of an RPAU's table of constants.
    pub constants: usize,
    /// Entries of a lane's table of addresses.
    pub arguments: usize,
    /// The clock.
    pub clock: Clock,
}

impl Config {
    /// Reads a checked description; refuses another target's, and what cannot be built.
    pub fn new(machine: &Machine) -> Result<Self, TargetError> {
        check_target(machine, NAME)?;
        // The declared ranges are not negative, so the casts keep the value.
        let int = |key| machine.int(key).map(|value| value as u64);
        let config = Config {
            machine: machine.name().to_owned(),
            rpaus: int("rpaus")? as usize,
            wide_rpaus: int("wide_rpaus")? as usize,
            word_bits: int("word_bits")? as u32,
            wide_bits: int("wide_bits")? as u32,
            log_butterflies: machine.log2("butterflies")?,
            dyadic_lanes: int("dyadic_lanes")? as usize,
            ring_words: int("ring_words")? as usize,
            max_log_n: machine.log2("max_degree")?,
            bank_words: int("bank_words")? as usize,
            packing: machine.choice("packing")?,
            landing_towers: int("landing_towers")? as usize,
            ntt_latency: int("ntt_latency")?,
            dyadic_latency: int("dyadic_latency")?,
            issue_cycles: int("issue_cycles")?,
            slrs: int("slrs")? as usize,
            ring_order: machine.choice("ring_order")?,
            hop_cycles: int("hop_cycles")?,
            slr_cycles: int("slr_cycles")?,
            dma_lanes: int("dma_lanes")? as usize,
            dma_bytes_per_cycle: int("dma_bytes_per_cycle")?,
            dma_latency: int("dma_latency")?,
            keys: machine.choice("keys")?,
            memory_bytes: int("memory_bytes")?,
            start_cycles: int("start_cycles")?,
            code_words: int("code_words")? as usize,
            constants: int("constants")? as usize,
            arguments: int("arguments")? as usize,
            clock: core_clock(machine)?,
        };
        config.check(machine)?;
        Ok(config)
    }

    /// What no single range says: at most a word of every bank in a cycle, wide words that are no
    /// narrower, and room for the largest degree.
    fn check(&self, machine: &Machine) -> Result<(), TargetError> {
        let banks = self.banks();
        let refuse = |key, given: u64, allowed: String| {
            Err(TargetError::Unavailable {
                machine: machine.name().to_owned(),
                key,
                given: given.to_string(),
                allowed,
            })
        };
        for (key, words) in [
            ("dyadic_lanes", self.dyadic_lanes),
            ("ring_words", self.ring_words),
        ] {
            if words > banks {
                let allowed =
                    format!("allowed are up to {banks}, one for each of 2 x butterflies banks");
                return refuse(key, words as u64, allowed);
            }
        }
        if self.wide_rpaus > self.rpaus {
            let allowed = format!("allowed are up to {}, all of rpaus", self.rpaus);
            return refuse("wide_rpaus", self.wide_rpaus as u64, allowed);
        }
        if self.wide_bits < self.word_bits {
            let allowed = format!(
                "allowed are {} or more, as many as word_bits",
                self.word_bits
            );
            return refuse("wide_bits", self.wide_bits.into(), allowed);
        }
        let largest = banks * self.bank_words / LEAST_SLOTS;
        if 1 << self.max_log_n > largest {
            let allowed = format!(
                "allowed are up to {largest}: {banks} banks of bank_words = {} hold {LEAST_SLOTS} towers",
                self.bank_words
            );
            return refuse("max_degree", 1 << self.max_log_n, allowed);
        }
        Ok(())
    }

    /// Whether the RTL can be built so: dyadic cores and links take a word of every bank, and what an issue
    /// takes is hidden behind a stage.
    pub fn in_rtl(&self) -> bool {
        [self.dyadic_lanes, self.ring_words] == [self.banks(); 2]
            && self.issue_cycles <= self.ntt_latency
    }

    /// Banks of a memory.
    pub fn banks(&self) -> usize {
        2 << self.log_butterflies
    }

    /// Bits of a residue in an RPAU.
    pub fn bits(&self, rpau: usize) -> u32 {
        match rpau < self.wide_rpaus {
            true => self.wide_bits,
            false => self.word_bits,
        }
    }

    /// The refusal of what the machine cannot do.
    pub fn unsupported(&self, reason: impl ToString) -> RunError {
        RunError::Unsupported {
            machine: self.machine.clone(),
            reason: reason.to_string(),
        }
    }

    /// The RPAU of each prime: narrow ones where there is room, in the order of the primes.
    pub fn assign(&self, primes: &[u128]) -> Result<Vec<u8>, RunError> {
        let bits = |q: u128| u128::BITS - q.leading_zeros();
        let (mut wide, mut narrow) = (0..self.wide_rpaus, self.wide_rpaus..self.rpaus);
        let mut rpaus = vec![None; primes.len()];
        // Those that only wide words hold come first.
        for is_wide in [true, false] {
            for (rpau, &q) in rpaus.iter_mut().zip(primes) {
                if (bits(q) > self.word_bits) != is_wide {
                    continue;
                }
                let free = match is_wide {
                    true if bits(q) <= self.wide_bits => wide.next(),
                    true => None,
                    false => narrow.next().or_else(|| wide.next()),
                };
                *rpau = Some(free.ok_or_else(|| self.no_room(primes))? as u8);
            }
        }
        Ok(rpaus.into_iter().flatten().collect())
    }

    fn no_room(&self, primes: &[u128]) -> RunError {
        let said = |q: &u128| format!("{q} ({} bits)", u128::BITS - q.leading_zeros());
        let said: Vec<String> = primes.iter().map(said).collect();
        let narrow = self.rpaus - self.wide_rpaus;
        self.unsupported(format!(
            "primes {}: each takes an RPAU of its own; there are {} of {} bits and {narrow} of {}",
            said.join(", "),
            self.wide_rpaus,
            self.wide_bits,
            self.word_bits
        ))
    }
}

/// Towers of the largest degree that a memory must hold.
const LEAST_SLOTS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn config(changes: &str) -> Result<Config, TargetError> {
        let given = changes.lines().map(|line| {
            let (key, value) = line.split_once(" = ").expect("key = value");
            format!(
                "{key} = {{ value = {value}, source = \"test\" }}
"
            )
        });
        let head = "name = \"m\"
target = \"medha\"
title = \"t\"
[parameters]
";
        let text = format!("{head}{}", given.collect::<String>());
        Config::new(&Machine::parse("m.toml", &text).expect("allowed values"))
    }

    #[test]
    fn every_declared_choice_has_its_variant() {
        assert!(Keys::is_declared(NAME, "keys"));
        assert!(Packing::is_declared(NAME, "packing"));
        assert!(RingOrder::is_declared(NAME, "ring_order"));
    }

    #[test]
    fn what_cannot_be_built_is_refused_by_its_name() {
        for (changes, key) in [
            ("dyadic_lanes = 64", "dyadic_lanes"),
            ("ring_words = 64", "ring_words"),
            ("wide_rpaus = 11", "wide_rpaus"),
            ("wide_bits = 50", "wide_bits"),
            ("max_degree = 65536", "max_degree"),
        ] {
            let error = config(changes).expect_err(key).to_string();
            assert!(error.contains(key), "{error}");
        }
    }

    #[test]
    fn a_wide_prime_takes_a_wide_rpau_and_the_others_the_rest() {
        let config = config("").expect("the default");
        let primes = [1u128 << 53, (1 << 60) - 1, 1 << 53];
        assert_eq!(config.assign(&primes).expect("room"), [1, 0, 2]);
        let many = vec![(1u128 << 54) - 1; 10];
        let last = config.assign(&many).expect("room");
        assert_eq!(last.last(), Some(&0), "a narrow prime in a wide one");
        let error = config.assign(&[1 << 59, 1 << 59]).expect_err("one is wide");
        assert!(error.to_string().contains("(60 bits), "), "{error}");
    }
}
