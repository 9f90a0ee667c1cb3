//! The time of a lowered program: what cores, port, mesh and the controlling core do.
//!
//! The controlling core writes where a program's list of commands lies ([`crate::lower::commands`])
//! and takes one interrupt when all of it is done. The device brings the list, a part at a time,
//! and works through it ([`lanes`]; [`shares`] where tiles do one kernel together). The steps are those of
//! [`ringwright_target::Step`], so that a host profile can place them again in its own time.
//!
//! All of a tile is in RTL, but only runs take the same cycles there: `docs/rpu_rtl.md` says which cycles
//! of moves agree and what is left out here. So moves are modelled; beside each transfer stands what
//! it would take through the port that the RTL has, a beat a cycle. No mesh is in RTL.

use super::lanes::{self, Lane, Shared};
use super::shares;
use super::units;
use super::writer::{At, Writer};
use crate::activity::DMA;
use crate::kernels::body::BodyId;
use crate::kernels::Body;
use crate::lower::part::{Part, Piece};
use crate::lower::program::{Program as Lowered, Stage};
use crate::lower::spread::Spread;
use crate::mesh::Link;
use crate::Config;
use ringwright_ir::ring::Source;
use ringwright_ir::RunError;
use ringwright_target::{self as timing, Called, Counters, Steps, Timing, Work};
use ringwright_towers::{Call, Graph, Program as Towers, TowerId, Val};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// What the controlling core does at a stage: it starts the program at the first, and takes the
/// interrupt at the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Control {
    begins: bool,
    ends: bool,
}

/// What takes the same time wherever it stands.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Made {
    SideBySide(usize, usize, Shared),
    Spread(usize),
}

/// The times of a program's stages, each made once for what the controlling core does at it.
pub fn time(config: &Config, program: &Lowered) -> Result<Timing, RunError> {
    let towers = &program.towers;
    let last = program.stages.len().saturating_sub(1);
    let mut made: BTreeMap<(Made, Control), usize> = BTreeMap::new();
    let (mut parts, mut links) = (Vec::new(), BTreeSet::new());
    let mut called = Vec::with_capacity(program.stages.len());
    for (index, stage) in program.stages.iter().enumerate() {
        let control = Control {
            begins: index == 0,
            ends: index == last,
        };
        let key = (of_stage(towers, stage), control);
        let part = match made.get(&key) {
            Some(&part) => part,
            None => {
                let (steps, counters, of_part) = steps(config, program, stage, control)?;
                links.extend(of_part);
                parts.push(Arc::new(timing::Part::new(steps, counters)));
                made.insert(key, parts.len() - 1);
                parts.len() - 1
            }
        };
        let sources = sources(towers, stage);
        called.push(Called { part, sources });
    }
    let units = units::all(config, links);
    let timing = Timing::new(config.clock.clone(), units, parts, called);
    timing.map_err(|error| RunError::Invalid(error.to_string()))
}

/// What a part takes on one tile, host functions taking no time.
pub fn cycles(config: &Config, part: &Part, graph: &Graph) -> u64 {
    let mut writer = Writer::new(config);
    let at = At {
        tile: 0,
        part,
        graph,
        source: 0,
    };
    lanes::side_by_side(&mut writer, &mut [Lane::new(at)], &Shared::default());
    end(&writer.steps)
}

/// What calls of a kernel take side by side.
pub fn cycles_of_calls(config: &Config, towers: &Towers, part: &Part, calls: Range<usize>) -> u64 {
    let writer = side_by_side(config, towers, part, calls, Control::default());
    end(&writer.steps)
}

/// What a kernel takes on all tiles.
pub fn cycles_of_spread(config: &Config, spread: &Spread, graph: &Graph) -> Result<u64, RunError> {
    let writer = spread_out(config, spread, graph, Control::default())?;
    Ok(end(&writer.steps))
}

fn end(steps: &Steps) -> u64 {
    steps.end(|kind| kind.work.device_cycles())
}

fn of_stage(towers: &Towers, stage: &Stage) -> Made {
    match stage {
        Stage::SideBySide(calls) => {
            let kernel = towers.calls[calls.start].kernel;
            let shared = shared(towers, &towers.calls[calls.clone()]);
            Made::SideBySide(kernel, calls.len(), shared)
        }
        Stage::Spread { spread, .. } => Made::Spread(*spread),
    }
}

fn sources(towers: &Towers, stage: &Stage) -> Arc<[Source]> {
    match stage {
        Stage::SideBySide(calls) if calls.len() > 1 => {
            let calls = towers.calls[calls.clone()].iter();
            calls
                .flat_map(|call| call.sources.iter().cloned())
                .collect()
        }
        Stage::SideBySide(Range { start: call, .. }) | Stage::Spread { call, .. } => {
            towers.calls[*call].sources.clone()
        }
    }
}

/// What is the same for these calls, by the tower's number in their kernel; nothing for one alone.
fn shared(towers: &Towers, calls: &[Call]) -> Shared {
    let (first, others) = match calls {
        [first, others @ ..] if !others.is_empty() => (first, others),
        _ => return Shared::default(),
    };
    let mut alike: Vec<_> = first.args.iter().flat_map(Val::towers).map(Some).collect();
    for call in others {
        let args = call.args.iter().flat_map(Val::towers);
        for (same, place) in alike.iter_mut().zip(args) {
            *same = same.filter(|&same| same == place);
        }
    }
    let alike = (0..)
        .zip(alike)
        .filter_map(|(tower, same)| same.map(|_| TowerId(tower)));
    let constants = towers.constants(first);
    Shared {
        towers: alike.collect(),
        constants: others
            .iter()
            .all(|call| towers.constants(call) == constants),
    }
}

type Timed = (Steps, Counters, BTreeSet<Link>);

fn steps(
    config: &Config,
    program: &Lowered,
    stage: &Stage,
    control: Control,
) -> Result<Timed, RunError> {
    let towers = &program.towers;
    let graph = |call: usize| &*towers.kernels[towers.calls[call].kernel].graph;
    let mut counters = Counters::new();
    let writer = match stage {
        Stage::SideBySide(calls) => {
            let part = &program.parts[towers.calls[calls.start].kernel];
            counters += &work(part).times(calls.len() as u64);
            side_by_side(config, towers, part, calls.clone(), control)
        }
        &Stage::Spread { call, spread } => {
            let spread = &program.spreads[spread];
            spread
                .tiles
                .iter()
                .for_each(|tile| counters += &work(&tile.part));
            spread_out(config, spread, graph(call), control)?
        }
    };
    if writer.sent_bytes > 0 {
        counters.add("mesh", "send towers", writer.sent_bytes);
    }
    for (kind, count) in writer.steps.count() {
        if let Work::Transfer { bytes, .. } = kind.work {
            counters.add(DMA, kind.name, bytes * count);
        }
    }
    Ok((writer.steps, counters, writer.links))
}

fn side_by_side<'a>(
    config: &'a Config,
    towers: &Towers,
    part: &Part,
    calls: Range<usize>,
    control: Control,
) -> Writer<'a> {
    let calls = &towers.calls[calls];
    let mut shared = shared(towers, calls);
    let joined = part.key_parts.iter();
    let joined = joined.filter(|key| key.of.iter().all(|tower| shared.towers.contains(tower)));
    let joined: Vec<TowerId> = joined.map(|key| key.tower).collect();
    shared.towers.extend(joined);
    let mut source = 0;
    let lanes = calls.iter().enumerate().map(|(tile, call)| {
        let graph = &*towers.kernels[call.kernel].graph;
        source += call.sources.len() as u32;
        Lane::new(At {
            tile,
            part,
            graph,
            source: source - call.sources.len() as u32,
        })
    });
    let mut lanes: Vec<Lane> = lanes.collect();
    let mut writer = Writer::new(config);
    if control.begins {
        writer.begin(lanes.len(), lanes[0].at.piece(0));
    }
    lanes::side_by_side(&mut writer, &mut lanes, &shared);
    if control.ends {
        lanes::end(&mut writer, &lanes);
    }
    writer
}

fn spread_out<'a>(
    config: &'a Config,
    spread: &Spread,
    graph: &Graph,
    control: Control,
) -> Result<Writer<'a>, RunError> {
    let mut writer = Writer::new(config);
    let first = shares::first(spread, graph).piece(0);
    if control.begins {
        writer.begin(spread.tiles.len(), first);
    }
    let ends = shares::write(&mut writer, spread, graph).map_err(RunError::Invalid)?;
    if control.ends {
        writer.end(ends, first);
    }
    Ok(writer)
}

/// What happens in the units of a tile: of every kernel, as often as it is called.
fn work(part: &Part) -> Counters {
    let mut called: BTreeMap<BodyId, (&Body, u64)> = BTreeMap::new();
    for call in part.starts().flat_map(|start| &start.calls) {
        called.entry(call.body.id()).or_insert((&call.body, 0)).1 += 1;
    }
    let mut counters = Counters::new();
    for (body, times) in called.into_values() {
        counters += &body.counters().times(times);
    }
    for piece in &part.pieces {
        if let Piece::Sweep(sweep) = piece {
            counters += &sweep.kernel.counters.times(sweep.count as u64);
        }
    }
    counters
}
