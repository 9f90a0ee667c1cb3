//! The plans that a kernel may be lowered by, of which the quickest is taken.

use super::kinds::{Fused, Manner, Order};
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

    /// What works word by word together, each kernel started as soon as it can be.
    pub const FUSED: Self = Plan {
        manner: Manner::Fused(Fused {
            streamed: 4,
            products: 2,
            order: Order::Program,
        }),
        starts: Starts::Ahead { kernels: 1 },
    };

    /// The same where registers or slots are few.
    pub const LEAN: Self = Plan {
        manner: Manner::Fused(Fused {
            streamed: 2,
            products: 1,
            order: Order::Program,
        }),
        ..Self::FUSED
    };
}

/// Slots up to which sweeps are tried.
const FEW_SLOTS: usize = 8;

/// Slots for streams, kernels of a start, and products of a sum at once that are tried.
const STREAMED: [usize; 3] = [2, 3, 4];
const KERNELS: [usize; 2] = [1, 4];
const PRODUCTS: [usize; 2] = [1, 2];

/// Operations on towers up to which plans are compared: each takes as long as lowering does.
const FEW_OPERATIONS: usize = 20_000;

/// The plans by which a kernel of so many operations on towers of a degree may be quickest, or of
/// which a [variation](VARIATIONS) may be.
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
    let ahead = [Manner::Resident].into_iter().chain(swept);
    let ahead = ahead.flat_map(|manner| {
        KERNELS.map(|kernels| Plan {
            manner,
            starts: Starts::Ahead { kernels },
        })
    });
    // Where stores have a pipe of their own, one could overtake the load of what lay in its place.
    let in_place = config.load_store_pipes == LoadStorePipes::Shared;
    let fused = [Plan::FUSED, Plan::LEAN].into_iter().filter(|_| in_place);
    [Plan::TOGETHER]
        .into_iter()
        .chain(ahead)
        .chain(fused)
        .collect()
}

/// Plans that differ from a fused one in one way, the ways one after the other; none for others.
/// The quickest that differs in one way is where the next way begins: all of them together would be
/// four times as many.
pub const VARIATIONS: [fn(Plan) -> Vec<Plan>; 4] = [
    |plan| {
        varied(plan, |fused| {
            vec![Fused {
                order: Order::FewWait,
                ..fused
            }]
        })
    },
    |plan| {
        varied(plan, |fused| {
            PRODUCTS.map(|products| Fused { products, ..fused }).into()
        })
    },
    |plan| {
        varied(plan, |fused| {
            STREAMED.map(|streamed| Fused { streamed, ..fused }).into()
        })
    },
    |plan| match plan.manner {
        Manner::Fused(_) => KERNELS
            .map(|kernels| Plan {
                starts: Starts::Ahead { kernels },
                ..plan
            })
            .into(),
        _ => Vec::new(),
    },
];

fn varied(plan: Plan, vary: impl Fn(Fused) -> Vec<Fused>) -> Vec<Plan> {
    let Manner::Fused(fused) = plan.manner else {
        return Vec::new();
    };
    let varied = vary(fused).into_iter().filter(|other| *other != fused);
    varied
        .map(|fused| Plan {
            manner: Manner::Fused(fused),
            ..plan
        })
        .collect()
}
