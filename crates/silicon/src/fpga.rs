//! What yosys maps blocks of our RTL to on an FPGA, as `spec/silicon/fpga.toml` records it.

use crate::block::Settings;
use crate::Block;
use serde::Deserialize;
use std::sync::LazyLock;

/// Cells of an AMD UltraScale+, before placement, memories left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct FpgaCells {
    /// Multiplier blocks.
    pub dsp: u32,
    /// Look-up tables.
    pub lut: u32,
    /// Flip-flops.
    pub flipflops: u32,
}

#[derive(Deserialize)]
struct Point {
    block: String,
    parameters: Settings,
    #[serde(flatten)]
    cells: FpgaCells,
}

#[derive(Deserialize)]
struct Points {
    point: Vec<Point>,
}

// Part of the program, not input: a test reads it.
static POINTS: LazyLock<Vec<Point>> = LazyLock::new(|| {
    let text = include_str!("../../../spec/silicon/fpga.toml");
    let points: Points =
        toml::from_str(text).unwrap_or_else(|e| panic!("spec/silicon/fpga.toml: {e}"));
    points.point
});

/// What a block takes there; `None` where it was not mapped with these parameters.
pub fn fpga_cells(block: &Block) -> Option<FpgaCells> {
    let is_it = |point: &&Point| point.block == block.name && point.parameters == block.settings;
    POINTS.iter().find(is_it).map(|point| point.cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapped_block_is_found_and_another_is_not() {
        let multiplier = Block::new("barrett_mul").with_variant("Products", "Sliced");
        let wide = multiplier.clone().with("Width", 54).with("Stages", 14);
        assert!(fpga_cells(&wide).is_some_and(|cells| cells.dsp > 0));
        assert_eq!(fpga_cells(&multiplier.with("Width", 53)), None);
    }
}
