//! What a machine could do at most: a product in every butterfly unit and cycle, and the width of the
//! DMA port. Products that make twiddle factors are the machine's own and not counted.

use crate::config::Config;
use ringwright_sim::Femtoseconds;
use ringwright_target::{Counter, Roofs};

const PRODUCTS: &[Counter] = &[
    Counter {
        group: "bfu",
        name: "butterfly",
    },
    Counter {
        group: "bfu",
        name: "product",
    },
];

/// Of a machine.
pub fn roofs(config: &Config) -> Roofs {
    let cycles_per_second = Femtoseconds::PER_SECOND as f64 / config.clock.period().0 as f64;
    Roofs {
        products_per_second: config.bfus() as f64 * cycles_per_second,
        bytes_per_second: config.dma_bytes_per_cycle as f64 * cycles_per_second,
        products: PRODUCTS,
    }
}
