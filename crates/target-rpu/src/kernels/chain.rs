//! Tower kernels one behind the other as one program.
//!
//! A start costs the controlling core registers and an interrupt, so what needs no move in between
//! runs as one program. Every kernel has arguments of its own in scalar data memory, one block behind
//! the other, and its loads of them are relocated there. The next kernel's loads of its arguments and
//! operands follow at once, beside the last one's computing.
//!
//! **Memory order.** The next kernel may load what the last one has just stored, and the busyboard
//! watches registers, not memory. But it loads its addresses first, in the same pipe behind the store,
//! and an address takes as long to reach its register as a row to reach its bank; so the first load
//! that waits for one reads behind the store's write. Where stores have a pipe of their own, kernels
//! are not chained.

use super::body::Body;
use crate::config::LoadStorePipes;
use crate::isa::{Instruction, Program};
use crate::Config;

/// Kernels as one program.
#[derive(Debug)]
pub struct Chain {
    /// The program.
    pub program: Program,
    /// The kernels.
    pub links: Vec<Link>,
    /// Words of scalar data memory that it reads.
    pub words: usize,
}

/// A kernel's place in a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Its first instruction.
    pub first: usize,
    /// The first word of its arguments.
    pub arguments: usize,
    /// Cycles until the next kernel's first instruction issues, or until all has ended.
    pub cycles: u64,
}

impl Chain {
    /// The program of these kernels. How long it takes is not known yet.
    pub fn new(kernels: &[Body]) -> Self {
        let mut chain = Chain {
            program: Program::default(),
            links: Vec::new(),
            words: 0,
        };
        let mut instructions: Vec<Instruction> = Vec::new();
        for body in kernels {
            let base = chain.words as u32;
            chain.links.push(Link {
                first: instructions.len(),
                arguments: chain.words,
                cycles: 0,
            });
            let kernel = body.program().instructions.iter();
            instructions.extend(kernel.map(|each| each.relocated(base)));
            chain.words += body.argument_words();
        }
        let names: Vec<&str> = kernels.iter().map(Body::name).collect();
        chain.program = Program::new(names.join(", "), instructions);
        chain
    }

    /// Cycles from its first instruction in decode until its last has ended.
    pub fn cycles(&self) -> u64 {
        self.links.iter().map(|link| link.cycles).sum()
    }
}

/// What a start has room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    instructions: usize,
    words: usize,
    kernels: usize,
}

impl Room {
    /// Of a machine, for so many kernels at most.
    pub fn new(config: &Config, kernels: usize) -> Self {
        Room {
            instructions: config.im_words,
            words: config.sdm_words,
            kernels: match config.load_store_pipes {
                LoadStorePipes::Shared => kernels,
                LoadStorePipes::Separate => 1,
            },
        }
    }

    /// One of two halves: while one start runs, the next one's program and arguments come.
    pub fn half(self) -> Self {
        Room {
            instructions: self.instructions / 2,
            words: self.words / 2,
            ..self
        }
    }

    /// What is left behind a kernel; `None` where that does not fit.
    pub fn after(self, body: &Body) -> Option<Self> {
        let length = body.program().instructions.len();
        Some(Room {
            instructions: self.instructions.checked_sub(length)?,
            words: self.words.checked_sub(body.argument_words())?,
            kernels: self.kernels.checked_sub(1)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Library;
    use crate::kernels::Operation;
    use crate::{run, Memories};
    use ringwright_arith::primes::ntt_primes;
    use ringwright_spec::Machine;

    /// log2 of the degree: two vectors of the machine.
    const LOG_N: u32 = 7;

    fn machine(load_store_latency: u64) -> Config {
        let machine = Machine::load("rpu-8x8").expect("it ships");
        Config {
            load_store_latency,
            ..Config::new(&machine).expect("sound")
        }
    }

    /// Kernels with their slots, each of which reads what the one before it has stored.
    fn kernels(config: &Config, library: &Library) -> Vec<(Body, Vec<usize>)> {
        let kernel = |operation| Body::Tower(library.kernel(config, LOG_N, operation).unwrap());
        vec![
            (kernel(Operation::Add), vec![0, 1, 2]),
            (kernel(Operation::Add), vec![2, 2, 2]),
            (kernel(Operation::Mul), vec![2, 2, 3]),
            (kernel(Operation::Neg), vec![3, 0]),
        ]
    }

    fn memories(config: &Config, q: u64) -> Memories {
        let mut memories = Memories::new(config);
        for (place, word) in memories.vdm.iter_mut().enumerate() {
            *word = (place as u128 * 0x9e37_79b9).pow(2) % u128::from(q);
        }
        memories
    }

    fn write(words: &mut [u128], config: &Config, q: u64, (kernel, slots): &(Body, Vec<usize>)) {
        let places: Vec<usize> = slots.iter().map(|slot| slot * kernel.words()).collect();
        kernel
            .write_arguments(words, config, &places, &[q.into()], &[0])
            .unwrap();
    }

    #[test]
    fn a_chain_computes_what_its_kernels_do_one_by_one() {
        for latency in [1, 6, 40] {
            let (config, library) = (machine(latency), Library::default());
            let q = ntt_primes(30, LOG_N, 1).unwrap()[0] as u64;
            let kernels = kernels(&config, &library);
            let mut expected = memories(&config, q);
            let mut together = expected.clone();
            let mut apart = 0;
            for each in &kernels {
                write(&mut expected.sdm, &config, q, each);
                apart += run(each.0.program(), &config, &mut expected)
                    .unwrap()
                    .cycles;
            }
            let of_chain: Vec<Body> = kernels.iter().map(|each| each.0.clone()).collect();
            let chain = &library.chains(&config, LOG_N, &[of_chain]).unwrap()[0];
            for (each, link) in kernels.iter().zip(&chain.links) {
                write(&mut together.sdm[link.arguments..], &config, q, each);
            }
            let schedule = run(&chain.program, &config, &mut together).unwrap();
            assert!(together.vdm == expected.vdm, "latency {latency}");
            assert_eq!(schedule.cycles, chain.cycles());
            assert!(chain.cycles() < apart, "{} {apart}", chain.cycles());
        }
    }
}
