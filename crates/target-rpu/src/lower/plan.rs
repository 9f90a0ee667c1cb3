//! The plans that a kernel may be lowered by, of which the quickest is taken.

use super::kinds::Manner;
use super::start::Starts;
use crate::config::{LoadStorePipes, VdmPort};
use crate::kernels::Shape;
use crate::Config;

/// In which manner a kernel is lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What is done together.
    pub manner: Manner,
    /// What is started together.
    pub starts: Starts,
}

impl Plan {
    /// One operation after the other, in as few starts as can be.
    pub const TOGETHER: Self = Plan {
        manner: Manner::Resident,
        starts: Starts::Together,
    };
}

/// Slots up to which sweeps are tried.
const FEW_SLOTS: usize = 8;

/// Slots for streams that are tried, and kernels of a start.
const STREAMED: [usize; 3] = [2, 3, 4];
const KERNELS: [usize; 2] = [1, 4];

/// Operations on towers up to which plans are compared: each takes as long as lowering does.
const FEW_OPERATIONS: usize = 20_000;

/// The plans by which a kernel of so many operations on towers of a degree may be quickest.
pub fn plans(config: &Config, log_n: u32, operations: usize) -> Vec<Plan> {
    if operations > FEW_OPERATIONS {
        return vec![Plan::TOGETHER];
    }
    let shape = Shape::new(config, log_n);
    // One operation moves each of its towers once, however it is done.
    let few = config.vdm_words / shape.slot() <= FEW_SLOTS && operations > 1;
    let swept = (few && shape.vectors() >= 2).then_some(Manner::Swept);
    if config.vdm_port == VdmPort::Exclusive {
        // Nothing comes while a program runs, so there is nothing to be ahead of.
        let manners = [Manner::Resident].into_iter().chain(swept);
        let starts = Starts::Together;
        return manners.map(|manner| Plan { manner, starts }).collect();
    }
    // Where stores have a pipe of their own, one could overtake the load of what lay in its place.
    let in_place = config.load_store_pipes == LoadStorePipes::Shared;
    let fused = STREAMED.map(|streamed| Manner::Fused { streamed });
    let fused = fused.into_iter().filter(|_| in_place);
    let manners = [Manner::Resident].into_iter().chain(fused).chain(swept);
    let ahead = manners.flat_map(|manner| {
        KERNELS.map(|kernels| Plan {
            manner,
            starts: Starts::Ahead { kernels },
        })
    });
    [Plan::TOGETHER].into_iter().chain(ahead).collect()
}
