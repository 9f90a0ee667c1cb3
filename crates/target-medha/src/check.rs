//! Whether a microprogram does what the hardware can: checked of every list before its first run.
//!
//! A microinstruction reads slots that somebody has written and nobody is writing, writes one that
//! nobody reads meanwhile, and has its ports to itself. What the streams wait for must be enough for
//! that, whenever each begins: the times are those of the list itself.

use crate::microcode::{Address, Instruction, Microprogram, Placed, Slot};
use ringwright_target::Interval;
use std::collections::HashMap;

/// How a microprogram asks for what the hardware lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("microinstruction {at}, RPAU {rpau}, cycle {cycle}: `{text}` {wrong}")]
pub struct MicrocodeError {
    /// Position in the list.
    pub at: usize,
    /// The RPAU whose memory it is about.
    pub rpau: u8,
    /// When it begins.
    pub cycle: u64,
    /// The microinstruction.
    pub text: String,
    /// What is wrong with it.
    pub wrong: Wrong,
}

/// What a microinstruction does that it may not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// It reads what nobody has written.
    #[error("reads {0}, which nobody has written by then")]
    NotWritten(String),
    /// It writes what others read or write.
    #[error("writes {0}, which microinstruction {1} uses")]
    InUse(String, usize),
    /// It has a port that another has.
    #[error("has the port to {0} memory m{1}, as microinstruction {2} does")]
    TwoOnAPort(&'static str, u8, usize),
}

/// Of a list and when each of it runs, which need not be in the order of the list. `operands`: how many
/// arguments lie somewhere before it begins.
pub fn check(
    program: &Microprogram,
    intervals: &[Interval],
    operands: u32,
) -> Result<(), MicrocodeError> {
    let mut checker = Checker {
        operands,
        ..Checker::default()
    };
    let mut begun: Vec<usize> = (0..program.all.len()).collect();
    begun.sort_by_key(|&at| intervals[at].start);
    for at in begun {
        checker.step(at, &program.all[at], intervals[at])?;
    }
    Ok(())
}

/// Until when something is used, and by whom.
type Last = Option<(u64, usize)>;

#[derive(Default)]
struct Checker {
    operands: u32,
    /// By slot, its last writer and readers.
    slots: HashMap<(u8, Slot), [Last; 2]>,
    memory: HashMap<Address, u64>,
    /// By RPAU, memory, and whether it writes.
    ports: HashMap<(u8, u8, bool), (u64, usize)>,
}

impl Checker {
    fn step(
        &mut self,
        at: usize,
        placed: &Placed,
        interval: Interval,
    ) -> Result<(), MicrocodeError> {
        let own = placed.rpau;
        for slot in placed.instruction.reads() {
            self.read(at, placed, slot, interval)?;
        }
        if let Instruction::Load { from, .. } = &placed.instruction {
            let is_operand = matches!(from, Address::Argument(number) if *number < self.operands);
            let stored = self
                .memory
                .get(from)
                .is_some_and(|&end| end <= interval.start);
            if !is_operand && !stored {
                let wrong = Wrong::NotWritten(from.to_string());
                return Err(error(at, own, placed, interval, wrong));
            }
        }
        for at_slot in placed.instruction.writes(own) {
            self.write(at, placed, at_slot, interval)?;
        }
        if let Instruction::Store { to, .. } = &placed.instruction {
            self.memory.insert(*to, interval.end);
        }
        for port in placed.instruction.ports(own) {
            self.port(at, placed, port, interval)?;
        }
        Ok(())
    }

    fn read(
        &mut self,
        at: usize,
        placed: &Placed,
        slot: Slot,
        interval: Interval,
    ) -> Result<(), MicrocodeError> {
        let is_operand = matches!(slot, Slot::Argument(_, number) if number < self.operands);
        let [writer, readers] = self.slots.entry((placed.rpau, slot)).or_default();
        let written = writer.map_or(is_operand, |(end, _)| end <= interval.start);
        if !written {
            let wrong = Wrong::NotWritten(slot.to_string());
            return Err(error(at, placed.rpau, placed, interval, wrong));
        }
        let until = readers.map_or(0, |(end, _)| end);
        if interval.end >= until {
            *readers = Some((interval.end, at));
        }
        Ok(())
    }

    fn write(
        &mut self,
        at: usize,
        placed: &Placed,
        (rpau, slot): (u8, Slot),
        interval: Interval,
    ) -> Result<(), MicrocodeError> {
        let users = self.slots.entry((rpau, slot)).or_default();
        let busy = users.iter().flatten();
        let mut busy = busy.filter(|(end, other)| *end > interval.start && *other != at);
        if let Some(&(_, other)) = busy.next() {
            let wrong = Wrong::InUse(slot.to_string(), other);
            return Err(error(at, rpau, placed, interval, wrong));
        }
        *users = [Some((interval.end, at)), None];
        Ok(())
    }

    fn port(
        &mut self,
        at: usize,
        placed: &Placed,
        port: (u8, u8, bool),
        interval: Interval,
    ) -> Result<(), MicrocodeError> {
        let last = self.ports.insert(port, (interval.end, at));
        match last.filter(|&(end, other)| other != at && end > interval.start) {
            None => Ok(()),
            Some((_, other)) => {
                let (rpau, memory, writes) = port;
                let named = if writes { "write" } else { "read" };
                let wrong = Wrong::TwoOnAPort(named, memory, other);
                Err(error(at, rpau, placed, interval, wrong))
            }
        }
    }
}

fn error(at: usize, rpau: u8, placed: &Placed, interval: Interval, wrong: Wrong) -> MicrocodeError {
    MicrocodeError {
        at,
        rpau,
        cycle: interval.start,
        text: placed.instruction.to_string(),
        wrong,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::microcode::{Bank, Function};
    use ringwright_towers::OriginId;

    fn at(bank: u8, slot: u8) -> Slot {
        Slot::At(Bank(bank), slot)
    }

    fn dyadic(function: Function, to: Slot, of: Vec<Slot>) -> Placed {
        Placed {
            rpau: 0,
            instruction: Instruction::Dyadic { function, to, of },
            after: Vec::new(),
            cycles: 10,
            origin: OriginId(0),
        }
    }

    fn checked(listed: &[(Placed, u64)]) -> Result<(), MicrocodeError> {
        let program = Microprogram {
            all: listed.iter().map(|(placed, _)| placed.clone()).collect(),
            spilled: 0,
        };
        let interval = |&(_, start): &(Placed, u64)| Interval {
            start,
            end: start + 10,
        };
        check(
            &program,
            &listed.iter().map(interval).collect::<Vec<_>>(),
            1,
        )
    }

    #[test]
    fn what_waits_long_enough_passes_and_what_does_not_is_named() {
        let operand = Slot::Argument(Bank(2), 0);
        let first = dyadic(Function::Neg, at(3, 0), vec![operand]);
        let second = dyadic(Function::Neg, at(2, 1), vec![at(3, 0)]);
        assert_eq!(checked(&[(first.clone(), 0), (second.clone(), 10)]), Ok(()));
        let early = checked(&[(first.clone(), 0), (second.clone(), 9)]).expect_err("too early");
        assert_eq!(
            (early.at, early.wrong),
            (1, Wrong::NotWritten("m3[0]".into()))
        );

        // Streams run apart: what stands first may begin last.
        let elsewhere = dyadic(Function::Zero, at(1, 0), vec![]);
        let apart = [(elsewhere, 20), (first.clone(), 0)];
        assert_eq!(checked(&apart), Ok(()));
        let apart = [(second.clone(), 10), (first.clone(), 0)];
        assert_eq!(checked(&apart), Ok(()));

        let over = dyadic(Function::Zero, at(3, 0), vec![]);
        let reads = dyadic(Function::Neg, at(2, 1), vec![at(3, 0)]);
        let listed = [(first.clone(), 0), (reads, 10), (over, 15)];
        let used = checked(&listed).expect_err("in use");
        assert_eq!(used.wrong, Wrong::InUse("m3[0]".into(), 1));

        let other = dyadic(Function::Zero, at(3, 1), vec![]);
        let both = checked(&[(first, 0), (other, 5)]).expect_err("one port");
        let said = "RPAU 0, cycle 5: `zero m3[1]` has the port to write memory m3";
        assert!(both.to_string().contains(said), "{both}");
    }
}
