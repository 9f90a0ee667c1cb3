//! What a machine could do at most: a product in every butterfly unit and dyadic lane, and what its DMA
//! lanes move.

use crate::config::Config;
use ringwright_sim::Femtoseconds;
use ringwright_target::{Counter, Roofs};

const PRODUCTS: &[Counter] = &[
    Counter {
        group: "ntt",
        name: "butterflies",
    },
    Counter {
        group: "dyadic",
        name: "products",
    },
];

/// Of a machine.
pub fn roofs(config: &Config) -> Roofs {
    let cycles_per_second = Femtoseconds::PER_SECOND as f64 / config.clock.period().0 as f64;
    let multipliers = config.rpaus * (config.banks() / 2 + config.dyadic_lanes);
    let bytes = config.dma_lanes as u64 * config.dma_bytes_per_cycle;
    Roofs {
        products_per_second: multipliers as f64 * cycles_per_second,
        bytes_per_second: bytes as f64 * cycles_per_second,
        products: PRODUCTS,
    }
}
