//! In which order the operations of a kernel are begun.
//!
//! What the longest chain of others waits for comes first. Transforms are the longest, so what one
//! waits for comes as soon as it can, and what nobody waits for so comes behind the next transform
//! of its RPAU, whose time hides it: the products of a digit while the next digit is transformed,
//! parts of a result that are needed at the end while the first one is. Towers go onto the ring one
//! by one, each when what came before it is on its way, so that few wait in the RPAUs; those first
//! that could go first, which have come the shortest way.

use super::draft::{Draft, Drafts, Local, What};
use crate::microcode::Function;
use ringwright_ir::{interrupt, RunError};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The longest chain first, then the program's order.
type Rank = (u64, Reverse<u32>);

/// Positions of the operations, first to last.
pub fn order(drafts: &Drafts, rpaus: usize) -> Result<Vec<u32>, RunError> {
    let mut orderer = Orderer::new(drafts, rpaus);
    while let Some(first) = orderer.next() {
        interrupt::check()?;
        orderer.soon.push(first);
        while let Some(index) = orderer.soon.pop() {
            orderer.begin(index);
        }
    }
    match orderer.order.len() == drafts.all.len() {
        true => Ok(orderer.order),
        false => Err(RunError::Invalid("operations that wait in a circle".into())),
    }
}

struct Orderer<'a> {
    drafts: &'a Drafts,
    /// By operation, how many that it waits for have not begun.
    waits: Vec<u32>,
    begun: Vec<bool>,
    /// By tower, its makers that have not begun.
    makers: Vec<u32>,
    /// Ready, to be begun in their turn.
    ready: BinaryHeap<Rank>,
    /// Ready to go onto the ring: what could go first.
    sends: BinaryHeap<Reverse<(u64, Reverse<u64>, u32)>>,
    /// Ready, by RPAU, to be hidden behind a transform.
    hidden: Vec<BinaryHeap<Rank>>,
    /// To be begun now, the last first.
    soon: Vec<u32>,
    order: Vec<u32>,
}

impl<'a> Orderer<'a> {
    fn new(drafts: &'a Drafts, rpaus: usize) -> Self {
        let makers = drafts.makers.iter().map(|makers| makers.len() as u32);
        let waits = |draft: &Draft| {
            let makers = draft.reads().map(|tower| &drafts.makers[tower as usize]);
            makers.map(|makers| makers.len() as u32).sum()
        };
        let mut orderer = Orderer {
            drafts,
            waits: drafts.all.iter().map(waits).collect(),
            begun: vec![false; drafts.all.len()],
            makers: makers.collect(),
            ready: BinaryHeap::new(),
            sends: BinaryHeap::new(),
            hidden: vec![BinaryHeap::new(); rpaus],
            soon: Vec::new(),
            order: Vec::with_capacity(drafts.all.len()),
        };
        for index in 0..drafts.all.len() as u32 {
            if orderer.waits[index as usize] == 0 {
                match orderer.draft(index).what {
                    What::Send(_) => orderer.send(index),
                    _ if orderer.is_hidden(index) => orderer.hide(index),
                    _ => orderer.ready.push(orderer.rank(index)),
                }
            }
        }
        orderer
    }

    fn draft(&self, index: u32) -> &'a Draft {
        &self.drafts.all[index as usize]
    }

    fn rank(&self, index: u32) -> Rank {
        (self.draft(index).height, Reverse(index))
    }

    fn hide(&mut self, index: u32) {
        let (rank, rpau) = (self.rank(index), self.draft(index).rpau);
        self.hidden[usize::from(rpau)].push(rank);
    }

    fn send(&mut self, index: u32) {
        let draft = self.draft(index);
        let rank = (draft.begin, Reverse(draft.height), index);
        self.sends.push(Reverse(rank));
    }

    /// What comes when nothing is to come at once.
    fn next(&mut self) -> Option<u32> {
        while let Some((_, Reverse(index))) = self.ready.pop() {
            if !self.begun[index as usize] {
                return Some(index);
            }
        }
        if let Some(Reverse((.., index))) = self.sends.pop() {
            return Some(index);
        }
        let longest = (0..self.hidden.len()).filter_map(|rpau| {
            self.drop_begun(rpau);
            self.hidden[rpau].peek().map(|&rank| (rank, rpau))
        });
        let (_, rpau) = longest.max()?;
        self.hidden[rpau].pop().map(|(_, Reverse(index))| index)
    }

    fn drop_begun(&mut self, rpau: usize) {
        let hidden = &mut self.hidden[rpau];
        while let Some(&(_, Reverse(index))) = hidden.peek() {
            if !self.begun[index as usize] {
                break;
            }
            hidden.pop();
        }
    }

    /// Whether the next transform of its RPAU may hide it: it is word by word, nothing that arrived
    /// waits behind the ring for it, and it completes nothing that is transformed or sent.
    fn is_hidden(&self, index: u32) -> bool {
        let draft = self.draft(index);
        let What::Dyadic(function) = &draft.what else {
            return false;
        };
        if matches!(function, Function::Reduce | Function::Centre(_)) {
            return false;
        }
        !draft.result.is_some_and(|tower| self.completes(tower))
    }

    /// Whether one maker is left of a tower that is transformed or sent.
    fn completes(&self, tower: Local) -> bool {
        let whole = |&reader: &u32| !matches!(self.draft(reader).what, What::Dyadic(_));
        let mut readers = self.drafts.readers[tower as usize].iter();
        self.makers[tower as usize] == 1 && readers.any(whole)
    }

    fn begin(&mut self, index: u32) {
        if std::mem::replace(&mut self.begun[index as usize], true) {
            return;
        }
        self.order.push(index);
        let draft = self.draft(index);
        let first = self.soon.len();
        if let What::Transform { .. } = draft.what {
            self.behind(draft);
        }
        for tower in draft.result.into_iter().chain(draft.arrivals()) {
            self.makers[tower as usize] -= 1;
            if self.completes(tower) {
                let makers = self.drafts.makers[tower as usize].iter();
                let left =
                    makers.filter(|&&m| !self.begun[m as usize] && self.waits[m as usize] == 0);
                self.soon.extend(left);
            }
            for &reader in &self.drafts.readers[tower as usize] {
                self.waits[reader as usize] -= 1;
                if self.waits[reader as usize] > 0 {
                    continue;
                }
                match self.draft(reader).what {
                    What::Send(_) => self.send(reader),
                    _ if self.is_hidden(reader) => self.hide(reader),
                    _ => self.soon.push(reader),
                }
            }
        }
        let drafts = self.drafts;
        let rank = |&index: &u32| (drafts.all[index as usize].height, Reverse(index));
        self.soon[first..].sort_by_key(rank);
    }

    /// What a transform hides comes behind it: what is ready before anything of it is.
    fn behind(&mut self, transform: &Draft) {
        let rpau = usize::from(transform.rpau);
        // Operands in one memory take longer; what arrives meanwhile must not wait.
        let mut left = transform.cycles / 2;
        loop {
            self.drop_begun(rpau);
            let Some(&(_, Reverse(index))) = self.hidden[rpau].peek() else {
                break;
            };
            let cycles = self.draft(index).cycles;
            if cycles > left {
                break;
            }
            left -= cycles;
            self.hidden[rpau].pop();
            self.begin(index);
        }
    }
}
