//! Simulated annealing with Kempe chains.
//!
//! A move takes a web that meets another at a port to another register; what lives there in the
//! meantime moves the other way, what that meets moves back, and so on. So lives never overlap. Moves
//! for the worse are accepted less and less; long chains mend nothing and are not looked at.

use super::webs::{Web, Webs, NOBODY};
use super::Search;
use crate::config::{Config, SRAMS};
use crate::isa::REGISTERS;
use ringwright_ir::interrupt;

/// How much worse a move may be at first, in cycles, on average.
const HEAT: f64 = 1.5;

/// Moves between two looks for an interrupt: some milliseconds.
const BETWEEN_LOOKS: u64 = 1 << 10;

/// Registers of all webs while they change.
pub struct Colouring<'a> {
    webs: &'a Webs,
    memory_of: [u8; REGISTERS],
    register: Vec<u8>,
    /// Webs of each register by birth.
    lives: Vec<Vec<u32>>,
    /// Weight that each web would have in each memory.
    weight: Vec<[u32; SRAMS]>,
    /// Webs that meet another where they are, and each web's place in this list.
    troubled: Vec<u32>,
    place: Vec<u32>,
    cost: i64,
    /// The chain that is looked at, and for each web the last chain that it was in.
    chain: Vec<u32>,
    seen: Vec<u32>,
    stamp: u32,
}

impl<'a> Colouring<'a> {
    /// The registers that the webs had.
    pub fn new(webs: &'a Webs, config: &Config) -> Self {
        let count = webs.list.len();
        let mut colouring = Colouring {
            webs,
            memory_of: std::array::from_fn(|r| config.vrf_map.sram(r) as u8),
            register: webs.list.iter().map(|web| web.register).collect(),
            lives: vec![Vec::new(); REGISTERS],
            weight: vec![[0; SRAMS]; count],
            troubled: Vec::new(),
            place: vec![NOBODY; count],
            cost: 0,
            chain: Vec::new(),
            seen: vec![0; count],
            stamp: 0,
        };
        for web in 0..count {
            colouring.lives[webs.list[web].register as usize].push(web as u32);
            for &(other, weight) in &webs.neighbours[web] {
                let memory = colouring.memory(other);
                colouring.weight[web][memory] += weight;
            }
        }
        for web in 0..count as u32 {
            colouring.cost += i64::from(colouring.weight[web as usize][colouring.memory(web)]);
            colouring.note(web);
        }
        // Every meeting was counted at both ends.
        colouring.cost /= 2;
        colouring
    }

    /// The best registers found, and what they cost.
    pub fn improve(mut self, search: Search) -> (Vec<u8>, u64) {
        let moves = u64::from(search.moves) * self.webs.list.len() as u64;
        let mut random = search.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = move || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random >> 16
        };
        let mut best = (self.cost, self.register.clone());
        for step in 0..moves {
            let looks = step % BETWEEN_LOOKS == 0;
            if self.troubled.is_empty() || looks && interrupt::check().is_err() {
                break;
            }
            let web = self.troubled[next() as usize % self.troubled.len()];
            let target = (next() % REGISTERS as u64) as u8;
            let heat = HEAT * (moves - step) as f64 / moves as f64;
            let luck = (next() % LUCK + 1) as f64 / LUCK as f64;
            self.attempt(web, target, search.chain, -heat * libm::log(luck));
            if self.cost < best.0 {
                best = (self.cost, self.register.clone());
            }
        }
        (best.1, best.0 as u64)
    }

    fn memory(&self, web: u32) -> usize {
        self.memory_of[self.register[web as usize] as usize] as usize
    }

    /// Moves a web to a register if that costs no more than `worse`.
    fn attempt(&mut self, web: u32, target: u8, longest: u8, worse: f64) {
        let from = self.register[web as usize];
        let [old, new] = [from, target].map(|r| self.memory_of[r as usize]);
        if old == new || !self.follow(web, from, target, longest) {
            return;
        }
        let change = self.change(usize::from(old) + usize::from(new));
        if change as f64 <= worse {
            self.apply(from, target);
            self.cost += change;
        }
    }

    /// What has to change places between two registers if `web` does; whether that is not too much.
    fn follow(&mut self, web: u32, from: u8, target: u8, longest: u8) -> bool {
        self.stamp += 1;
        self.chain.clear();
        self.chain.push(web);
        self.seen[web as usize] = self.stamp;
        let list: &[Web] = &self.webs.list;
        let mut next = 0;
        while let Some(&web) = self.chain.get(next) {
            next += 1;
            let it = &list[web as usize];
            let other = match self.register[web as usize] == from {
                true => target,
                false => from,
            };
            let lives = &self.lives[other as usize];
            let later = lives.partition_point(|&w| list[w as usize].born < it.release);
            let together = lives[..later].iter().rev();
            for &w in together.take_while(|&&w| list[w as usize].release > it.born) {
                if self.seen[w as usize] != self.stamp && list[w as usize].meets(it) {
                    self.seen[w as usize] = self.stamp;
                    self.chain.push(w);
                }
            }
            if self.chain.len() > longest.into() {
                return false;
            }
        }
        true
    }

    /// What it costs if the chain changes places; `memories` is the sum of the two memories' numbers.
    fn change(&self, memories: usize) -> i64 {
        let mut change = 0i64;
        for &web in &self.chain {
            let here = self.memory(web);
            let weight = &self.weight[web as usize];
            change += i64::from(weight[memories - here]) - i64::from(weight[here]);
            // Two of one chain stay together or apart.
            for &(other, weight) in &self.webs.neighbours[web as usize] {
                if self.seen[other as usize] == self.stamp {
                    match self.memory(other) == here {
                        true => change += i64::from(weight),
                        false => change -= i64::from(weight),
                    }
                }
            }
        }
        change
    }

    fn apply(&mut self, from: u8, target: u8) {
        let chain = std::mem::take(&mut self.chain);
        for &web in &chain {
            let lives = &mut self.lives[self.register[web as usize] as usize];
            lives.retain(|&w| w != web);
        }
        for &web in &chain {
            self.move_to(web, from ^ target ^ self.register[web as usize]);
        }
        let webs = self.webs;
        for &web in &chain {
            self.note(web);
            for &(other, _) in &webs.neighbours[web as usize] {
                self.note(other);
            }
        }
        self.chain = chain;
    }

    fn move_to(&mut self, web: u32, new: u8) {
        let old = std::mem::replace(&mut self.register[web as usize], new);
        let list = &self.webs.list;
        let lives = &mut self.lives[new as usize];
        let at = lives.partition_point(|&w| list[w as usize].born < list[web as usize].born);
        lives.insert(at, web);
        let [old, new] = [old, new].map(|r| self.memory_of[r as usize] as usize);
        for &(other, weight) in &self.webs.neighbours[web as usize] {
            self.weight[other as usize][old] -= weight;
            self.weight[other as usize][new] += weight;
        }
    }

    /// Keeps the list of webs in trouble.
    fn note(&mut self, web: u32) {
        let troubled = self.weight[web as usize][self.memory(web)] > 0;
        let place = self.place[web as usize];
        if troubled && place == NOBODY {
            self.place[web as usize] = self.troubled.len() as u32;
            self.troubled.push(web);
        } else if !troubled && place != NOBODY {
            self.troubled.swap_remove(place as usize);
            if let Some(&moved) = self.troubled.get(place as usize) {
                self.place[moved as usize] = place;
            }
            self.place[web as usize] = NOBODY;
        }
    }
}

/// Random numbers between 0 and 1 that are told apart.
const LUCK: u64 = 1 << 24;
