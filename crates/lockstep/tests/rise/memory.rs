//! A memory behind AXI4: bursts in order, a fixed latency, and stalls in every handshake.

use crate::stalls::Stalls;
use std::collections::VecDeque;

/// What the memory drives in a cycle.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    pub ar_ready: bool,
    pub aw_ready: bool,
    pub w_ready: bool,
    pub b_valid: bool,
    /// The beat on R.
    pub r: Option<Vec<u8>>,
}

/// What the device drove in that cycle.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Address and beats of a burst.
    pub ar: Option<(u64, u64)>,
    pub aw: Option<(u64, u64)>,
    pub r_ready: bool,
    pub b_ready: bool,
    /// A beat on W, and whether it is its burst's last.
    pub w: Option<(Vec<u8>, bool)>,
}

pub struct Memory {
    pub bytes: Vec<u8>,
    base: u64,
    beat: usize,
    /// Cycles from an address to its first beat, and from a burst's last beat to its response.
    latency: u64,
    stalls: Stalls,
    /// When a beat may be offered, and from where.
    reads: VecDeque<(u64, usize)>,
    /// Where the coming beats of W go, and whether they end a burst.
    writes: VecDeque<(usize, bool)>,
    responses: VecDeque<u64>,
    /// What is offered rests until it is taken.
    offers_read: bool,
    offers_response: bool,
}

const PAGE: u64 = 4096;
const LONGEST_BURST: u64 = 256;

impl Memory {
    pub fn new(bytes: Vec<u8>, base: u64, beat: usize, latency: u64, stalls: Stalls) -> Self {
        Memory {
            bytes,
            base,
            beat,
            latency,
            stalls,
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            responses: VecDeque::new(),
            offers_read: false,
            offers_response: false,
        }
    }

    pub fn offer(&mut self, cycle: u64) -> Offer {
        let due = |queue: Option<&u64>| queue.is_some_and(|&when| when <= cycle);
        if !self.offers_read && due(self.reads.front().map(|(when, _)| when)) {
            self.offers_read = !self.stalls.stall();
        }
        if !self.offers_response && due(self.responses.front()) {
            self.offers_response = !self.stalls.stall();
        }
        let from = self.reads.front().filter(|_| self.offers_read);
        Offer {
            ar_ready: !self.stalls.stall(),
            aw_ready: !self.stalls.stall(),
            w_ready: !self.stalls.stall(),
            b_valid: self.offers_response,
            r: from.map(|&(_, at)| self.bytes[at..at + self.beat].to_vec()),
        }
    }

    pub fn take(&mut self, cycle: u64, offer: &Offer, seen: &Seen) {
        let answered = cycle + self.latency;
        if let Some((address, beats)) = seen.ar.filter(|_| offer.ar_ready) {
            let burst = self.burst(address, beats);
            self.reads.extend(burst.map(|at| (answered, at)));
        }
        if let Some((address, beats)) = seen.aw.filter(|_| offer.aw_ready) {
            let burst = self.burst(address, beats).zip(1..);
            self.writes
                .extend(burst.map(|(at, number)| (at, number == beats)));
        }
        if let Some((data, last)) = seen.w.as_ref().filter(|_| offer.w_ready) {
            let (at, ends) = self.writes.pop_front().expect("a beat behind its address");
            assert_eq!(*last, ends, "the last beat of a burst");
            self.bytes[at..at + self.beat].copy_from_slice(data);
            if ends {
                self.responses.push_back(answered);
            }
        }
        if offer.r.is_some() && seen.r_ready {
            self.reads.pop_front();
            self.offers_read = false;
        }
        if offer.b_valid && seen.b_ready {
            self.responses.pop_front();
            self.offers_response = false;
        }
    }

    /// Where the beats of a burst lie.
    fn burst(&self, address: u64, beats: u64) -> impl Iterator<Item = usize> {
        let beat = self.beat as u64;
        let last = address + beats * beat - 1;
        assert!(address.is_multiple_of(beat) && beats <= LONGEST_BURST);
        assert_eq!(address / PAGE, last / PAGE, "a burst stays in its page");
        let first = address - self.base;
        (0..beats).map(move |i| (first + i * beat) as usize)
    }
}
