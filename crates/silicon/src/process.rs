//! A process: what its file says, and the estimates that follow.

use crate::block::{shown, Block, BlockCost, Settings};
use crate::core::{Activity, Core, CoreCost};
use crate::designs;
use crate::memory::{check_points, Memories, MemoryCost, MemoryPoint, Ports};
use crate::point::{find, Declared, Energy, Found, Point, Shape};
use crate::{Estimate, ProcessError};
use ringwright_spec::Provenance;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const SHIPPED: &str = include_str!("../../../spec/silicon/process.toml");
const BLOCKS: &str = include_str!("../../../spec/silicon/blocks.toml");
const POINTS: &str = include_str!("../../../spec/silicon/synthesised.toml");

/// What our points are off by, by the tools alone.
const POINT_ERROR: f64 = 0.05;

/// An estimate and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Sourced {
    /// The range.
    pub value: Estimate,
    /// How it was obtained.
    pub provenance: Provenance,
    /// Paper and place, or the rule.
    pub source: String,
}

/// A process in which machines are built.
#[derive(Clone, Debug)]
pub struct Process {
    file: File,
    /// Area and period here over those in the library of our points.
    area: Estimate,
    period: Estimate,
    /// Energy of an operation over the area, both in that library, of all points that have one: what
    /// other logic is taken to have.
    pj_per_um2: f64,
    shapes: BTreeMap<String, Shape>,
    /// Ours, of blocks that the file has no point of.
    ours: Vec<Point>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    cells: Cells,
    logic: Logic,
    multiplier: Multiplier,
    core: Activity,
    memories: Memories,
    wires: Wires,
    offchip: Offchip,
    memory: Vec<MemoryPoint>,
    #[serde(default)]
    point: Vec<Point>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cells {
    /// The library of our points, and the process, in the lists of designs built in both.
    designs: Option<[String; 2]>,
    /// Area over that in the library of our points, where no designs say so.
    area: Option<Estimate>,
    /// Period, likewise.
    period: Option<Estimate>,
    area_error: f64,
    utilisation: Estimate,
    source: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Logic {
    /// Energy over that in the library of our points.
    energy: Estimate,
    source: String,
    leakage_nw_per_um2: Estimate,
    leakage_source: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Multiplier {
    block: String,
    parameters: Settings,
    published_pj: f64,
    error: f64,
    source: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wires {
    fj_per_bit_mm: Estimate,
    source: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Offchip {
    pj_per_byte: Estimate,
    source: String,
}

impl Cells {
    /// Area and period over those in the library of our points.
    fn scale(&self) -> Option<(Estimate, Estimate)> {
        let of = |ratio: fn(&str, &str) -> Option<Estimate>| {
            let [from, to] = self.designs.as_ref()?;
            ratio(from, to)
        };
        // Of areas the mean: how far one design is from it is in `area_error`.
        let mean = of(designs::area_ratio).map(|ratio| Estimate::exactly(ratio.expected));
        let period = self.period.or_else(|| of(designs::period_ratio));
        Some((self.area.or(mean)?, period?))
    }
}

static GF12: LazyLock<Process> = LazyLock::new(|| {
    // Ours is read by the tests.
    Process::of(toml::from_str(SHIPPED).expect("the shipped process reads"))
        .expect("and makes sense")
});

impl Process {
    /// Ours: GF 12 nm, in which RACE, RISE and the RPU were built.
    pub fn shipped() -> &'static Self {
        &GF12
    }

    /// Reads a file of the form of `spec/silicon/process.toml`; sections that it lacks are ours, and
    /// its points replace ours of the same blocks. `file` is what errors call it.
    ///
    /// # Errors
    /// What is no such file, with its line.
    pub fn parse(file: &str, text: &str) -> Result<Self, ProcessError> {
        let malformed = |problem: String| ProcessError::Malformed {
            file: file.into(),
            problem,
        };
        let one_line =
            |error: toml::de::Error| malformed(error.to_string().trim().replace('\n', " "));
        let mut whole: toml::Table = toml::from_str(SHIPPED).map_err(one_line)?;
        let given: toml::Table = toml::from_str(text).map_err(one_line)?;
        if !given.contains_key("name") {
            return Err(malformed(
                "no name: give the process one, name = \"...\"".into(),
            ));
        }
        whole.extend(given);
        let merged: File = whole.try_into().map_err(one_line)?;
        Self::of(merged).map_err(malformed)
    }

    fn of(file: File) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Blocks {
            block: Vec<Declared>,
        }
        #[derive(Deserialize)]
        struct Recorded {
            point: Vec<Point>,
        }
        let text = |error: toml::de::Error| error.to_string();
        let blocks: Blocks = toml::from_str(BLOCKS).map_err(text)?;
        let recorded: Recorded = toml::from_str(POINTS).map_err(text)?;
        file.memories.check()?;
        check_points(&file.memory).map_err(|error| error.to_string())?;
        let replaced = |point: &Point| file.point.iter().any(|own| own.block == point.block);
        let shapes = blocks.block.into_iter().map(Shape::read);
        let (area, period) = file
            .cells
            .scale()
            .ok_or("cells: give area and period, or designs that are built in both processes")?;
        let measured = |of: fn(&Point) -> f64| -> f64 {
            let points = recorded.point.iter();
            points
                .filter(|point| point.energy_pj.is_some())
                .map(of)
                .sum()
        };
        let pj_per_um2 =
            measured(|point| point.energy_pj.unwrap_or(0.0)) / measured(|point| point.area_um2);
        let ours = recorded.point.into_iter();
        Ok(Self {
            pj_per_um2,
            shapes: shapes.collect::<Result<_, _>>()?,
            ours: ours.filter(|point| !replaced(point)).collect(),
            area,
            period,
            file,
        })
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// Square micrometres of this process, placed, for a block of so many of our library.
    pub fn placed_um2(&self, library_um2: f64) -> Estimate {
        let placed = self.area * self.file.cells.utilisation.inverse();
        placed * Estimate::around(library_um2, self.file.cells.area_error)
    }

    /// What a block of our hardware takes.
    ///
    /// # Errors
    /// A block without points, or too few to say anything of these parameters.
    pub fn block(&self, block: &Block) -> Result<BlockCost, ProcessError> {
        let (found, own) = self.found(block)?;
        let cells = &self.file.cells;
        let error = found.fitted.unwrap_or(0.0).max(POINT_ERROR);
        let [low, expected, high] = found.path_ps;
        let path = Estimate {
            low,
            expected,
            high,
        };
        let area_um2 = match own {
            true => cells.utilisation.inverse() * Estimate::around(found.area_um2, error),
            false => self.placed_um2(found.area_um2) * Estimate::around(1.0, error),
        };
        let between = match found.fitted {
            None => String::new(),
            Some(error) => format!(
                ", between points, which it misses by up to {:.0} %",
                error * 100.0
            ),
        };
        let whose = match own {
            true => "points of the process file",
            false => &cells.source,
        };
        let energy_source = &self.file.logic.source;
        let (operation_pj, operation_source) = match found.energy {
            Some(Energy { pj, error }) => {
                let measured = Estimate::around(pj, error.max(POINT_ERROR));
                match own {
                    true => (measured, whose.to_owned()),
                    false => (
                        measured * self.file.logic.energy,
                        format!("edges of the netlist counted; {energy_source}"),
                    ),
                }
            }
            None => (
                self.unmeasured_pj(found.area_um2),
                format!("by its area, as measured blocks take; {energy_source}"),
            ),
        };
        Ok(BlockCost {
            area_um2,
            path_ps: if own { path } else { path * self.period },
            operation_pj,
            operation_source,
            leakage_mw: self.file.logic.leakage_nw_per_um2 * area_um2 * 1e-6,
            leakage_source: self.file.logic.leakage_source.clone(),
            flipflops: found.flipflops,
            provenance: match found.fitted {
                None => Provenance::Synthesised,
                Some(_) => Provenance::Modelled,
            },
            source: format!(
                "{} ({}){between}: {whose}",
                block.name,
                shown(&block.settings)
            ),
        })
    }

    /// An operation of logic whose energy nobody measured, by its area in the library of our points.
    fn unmeasured_pj(&self, library_um2: f64) -> Estimate {
        self.file.logic.energy * (self.pj_per_um2 * library_um2)
    }

    fn found(&self, block: &Block) -> Result<(Found, bool), ProcessError> {
        let named = |point: &&Point| point.block == block.name;
        let own: Vec<&Point> = self.file.point.iter().filter(named).collect();
        let points = match own.is_empty() {
            true => self.ours.iter().filter(named).collect(),
            false => own.clone(),
        };
        if points.is_empty() {
            return Err(ProcessError::NoPoints {
                block: block.name.clone(),
                known: self.shapes.keys().cloned().collect::<Vec<_>>().join(", "),
            });
        }
        let none = Shape::default();
        let shape = self.shapes.get(&block.name).unwrap_or(&none);
        Ok((find(&points, shape, block)?, !own.is_empty()))
    }

    /// A product modulo of words of `width` bits: what ours of that width takes, over what ours of
    /// the published one's takes, in energy where the points say it and else in area.
    ///
    /// # Errors
    /// As [`Process::block`].
    pub fn multiplication(&self, width: u64) -> Result<Sourced, ProcessError> {
        let published = &self.file.multiplier;
        let anchor = Block {
            name: published.block.clone(),
            settings: published.parameters.clone(),
        };
        let (there, _) = self.found(&anchor)?;
        let (here, _) = self.found(&anchor.with("Width", width))?;
        let ratio = match (here.energy, there.energy) {
            (Some(here), Some(there)) => here.pj / there.pj,
            _ => here.area_um2 / there.area_um2,
        };
        let expected = published.published_pj * ratio;
        let is_published = there.area_um2 == here.area_um2;
        Ok(Sourced {
            value: Estimate::around(expected, published.error),
            provenance: match is_published {
                true => Provenance::Published,
                false => Provenance::Modelled,
            },
            source: published.source.clone(),
        })
    }

    /// What a memory takes.
    pub fn memory(&self, words: u64, bits: u64, ports: Ports) -> MemoryCost {
        self.file
            .memories
            .cost(&self.file.memory, words, bits, ports)
    }

    /// What a host core takes, by the name that `hw/soc` gives it.
    ///
    /// # Errors
    /// A core that was not mapped.
    pub fn core(&self, name: &str) -> Result<CoreCost, ProcessError> {
        let core = Core::recorded(name)?;
        let logic_pj = self.unmeasured_pj(core.area_um2);
        let logic = [self.placed_um2(core.area_um2), logic_pj];
        let memory = |words, bits| self.memory(words, bits, Ports::ONE);
        Ok(core.cost(logic, memory, &self.file.core))
    }

    /// A bit over a millimetre, in picojoules.
    pub fn wire_pj(&self) -> Sourced {
        Sourced {
            value: self.file.wires.fj_per_bit_mm * 1e-3,
            provenance: Provenance::Modelled,
            source: self.file.wires.source.clone(),
        }
    }

    /// A byte to or from off-chip memory, in picojoules.
    pub fn offchip_pj(&self) -> Sourced {
        Sourced {
            value: self.file.offchip.pj_per_byte,
            provenance: Provenance::Published,
            source: self.file.offchip.source.clone(),
        }
    }
}
