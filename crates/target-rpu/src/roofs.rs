//! What a machine could do at most: a product in every lane of every tile and cycle in which the pipeline
//! takes one (`tiles` * `hples` / `ii`), and the rate of off-chip memory. Butterflies are among the products counted.

use crate::config::Config;
use ringwright_sim::Femtoseconds;
use ringwright_target::{Counter, Roofs};

const PRODUCTS: &[Counter] = &[Counter {
    group: "law",
    name: "multiplications",
}];

/// Of a machine.
pub fn roofs(config: &Config) -> Roofs {
    let cycles_per_second = Femtoseconds::PER_SECOND as f64 / config.clock.period().0 as f64;
    Roofs {
        products_per_second: (config.tiles * config.hples) as f64 / config.ii as f64
            * cycles_per_second,
        bytes_per_second: config.dma_bits_per_second as f64 / 8.0,
        products: PRODUCTS,
    }
}
