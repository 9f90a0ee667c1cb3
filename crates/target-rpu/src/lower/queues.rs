//! The order in which a part's moves and runs follow each other.
//!
//! Runs keep the program's order, and so do the moves of each [`Row`] among each other. Of the rows'
//! next moves the one comes first that can begin first, by the times that the port and the core take;
//! of those that can begin at once the one whose run comes first.

use super::commands::{Command, Commands, What};
use super::waits::{Job, Row, Waiting, Waits};
use crate::Config;
use ringwright_ir::RunError;

/// Lists of moves under way at once: the memory looks for one while another passes the port.
pub const LISTS_IN_FLIGHT: usize = 2;

/// Times while the queues are put in order, from the first command on.
pub struct Queues {
    latency: u64,
    waits: Waits,
    /// How many moves of each row are in the list, and of each of them how many lists of moves there
    /// are up to it and when it ends.
    done: [usize; 3],
    ends: [Vec<(usize, u64)>; 3],
    lists: usize,
    /// When each run ends.
    run_ends: Vec<u64>,
    /// When the memory has found the last list, and when that and the one before it have moved.
    memory: u64,
    port: [u64; LISTS_IN_FLIGHT],
    commands: Commands,
}

impl Queues {
    /// Of these moves and runs.
    pub fn new(config: &Config, waits: Waits) -> Self {
        Queues {
            latency: config.dma_latency,
            waits,
            done: [0; 3],
            ends: Default::default(),
            lists: 0,
            run_ends: Vec::new(),
            memory: 0,
            port: [0; LISTS_IN_FLIGHT],
            commands: Commands::default(),
        }
    }

    /// All of them in order; an error where some wait for each other.
    pub fn commands(mut self) -> Result<Commands, RunError> {
        loop {
            if self.run() {
                continue;
            }
            let next = Row::ALL.into_iter().filter_map(|row| {
                let begins = self.begins(row)?;
                Some((begins, self.next(row)?.job, row as usize, row))
            });
            match next.min_by_key(|&(begins, job, number, _)| (begins, job, number)) {
                Some((.., row)) => self.list(row),
                None => break,
            }
        }
        let moves = self.waits.moves.iter().zip(self.done);
        let all = moves.map(|(row, done)| row.len() - done).sum::<usize>()
            + (self.waits.jobs.len() - self.run_ends.len());
        match all {
            0 => Ok(self.commands),
            left => Err(RunError::Invalid(format!(
                "{left} moves and runs wait for each other"
            ))),
        }
    }

    /// Lets the next run follow if what it waits for is in the list.
    fn run(&mut self) -> bool {
        let Some(Job { run, cycles, moves }) = self.waits.jobs.get(self.run_ends.len()) else {
            return false;
        };
        if moves
            .iter()
            .zip(self.done)
            .any(|(&needed, done)| needed > done)
        {
            return false;
        }
        let mut begins = self.run_ends.last().copied().unwrap_or(0);
        let mut after = 0;
        for (ends, needed) in self.ends.iter().zip(moves) {
            if let Some(&(lists, end)) = needed.checked_sub(1).map(|last| &ends[last]) {
                begins = begins.max(end);
                after = after.max(lists);
            }
        }
        self.run_ends.push(begins + cycles);
        self.commands.list.push(Command {
            what: What::Run(run.clone()),
            after,
            stores: 0,
        });
        true
    }

    fn next(&self, row: Row) -> Option<&Waiting> {
        self.waits.moves[row as usize].get(self.done[row as usize])
    }

    /// When the memory could take a row's next move; `None` where that waits for what is not in the
    /// list yet.
    fn begins(&self, row: Row) -> Option<u64> {
        let free = self.memory.max(self.port[0]);
        self.ready(self.next(row)?).map(|ready| ready.max(free))
    }

    /// When what a move waits for has ended.
    fn ready(&self, waiting: &Waiting) -> Option<u64> {
        let (runs, stores) = (waiting.runs as usize, waiting.stores as usize);
        if runs > self.run_ends.len() || stores > self.done[Row::Stores as usize] {
            return None;
        }
        let ended = runs.checked_sub(1).map(|run| self.run_ends[run]);
        Some(ended.unwrap_or(0))
    }

    /// Puts a row's next moves in the list: as many as keep the port busy while the memory looks for
    /// what follows, and can begin with the first.
    fn list(&mut self, row: Row) {
        let begins = self.begins(row).unwrap_or(0);
        let row = row as usize;
        let (mut items, mut cycles, mut after, mut stores) = (Vec::new(), 0, 0, 0);
        for next in &self.waits.moves[row][self.done[row]..] {
            let joins = self.ready(next).is_some_and(|ready| ready <= begins);
            if cycles >= self.latency || !joins {
                break;
            }
            items.push(next.item);
            cycles += next.cycles;
            after = after.max(next.runs as usize);
            let before = (next.stores as usize).checked_sub(1);
            let before = before.map(|last| self.ends[Row::Stores as usize][last].0);
            stores = stores.max(before.unwrap_or(0));
        }
        self.memory = begins + self.latency;
        let end = self.memory.max(self.port[LISTS_IN_FLIGHT - 1]) + cycles;
        self.port.rotate_left(1);
        self.port[LISTS_IN_FLIGHT - 1] = end;
        self.lists += 1;
        self.done[row] += items.len();
        self.ends[row].resize(self.done[row], (self.lists, end));
        self.commands.list.push(Command {
            what: What::Moves(items),
            after,
            stores,
        });
    }
}
