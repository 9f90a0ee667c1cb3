//! Registers for memories with one port: the schedule stays, the registers change.
//!
//! The register file's 16 memories have one port each (RPU, section IV-B1), and a butterfly needs
//! five of them. Which ports an instruction needs in which cycles is known once its start is. So a
//! program is scheduled as if ports were free, and then its registers are chosen again such that what
//! happens in the same cycle happens in different memories. Where that succeeds single ports cost
//! nothing.
//!
//! It is a colouring of *webs* ([`webs`]): what one instruction writes into a register, with all its
//! readers. Webs that live at the same time need different registers; webs that are read or written
//! in the same cycle should lie in different memories. [`colouring`] keeps the first always and
//! looks for the second. It wants registers that are free: with 60 of the 64 alive there is no choice
//! left, with 50 there is. That is the scheduler's `reserve` and `window`.
//!
//! Dropped: choosing memories when an instruction issues, with all that is known of the ports by
//! then. It sees too few instructions ahead and took 4,953 cycles for 64K.

mod colouring;
mod webs;

use super::placed::Placed;
use super::task_graph::TaskGraph;
use crate::config::Config;
use colouring::Colouring;
use webs::Webs;

/// How long to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// Moves tried for every web.
    pub moves: u32,
    /// Webs that change places at once at most: longer chains mend more and take longer to look at.
    pub chain: u8,
    /// Where the random ones start.
    pub seed: u64,
}

/// Chooses the registers of an order again; `starts` are issue and start of every instruction with
/// free ports. The port-cycles in which two accesses still meet, or `None` if an instruction has
/// operands in one memory, which the machine refuses.
pub fn recolour(
    graph: &TaskGraph,
    order: &mut [Placed],
    starts: &[[u64; 2]],
    config: &Config,
    search: Search,
) -> Option<u64> {
    let webs = Webs::new(graph, order, starts, config);
    let (registers, left) = Colouring::new(&webs, config).improve(search);
    webs.write(graph, order, &registers);
    (left < u64::from(webs::REFUSED)).then_some(left)
}
