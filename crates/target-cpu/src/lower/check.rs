//! Follows a plan symbolically and compares it with the graph; shares no code with the planner.
//!
//! Every place holds the tower that was last written there. An operation must find its operands
//! where it looks for them, and no slot may be touched by two strands of a stage if one writes it.

use super::graph::{Graph, Node, TowerId};
use super::stages::Scheduled;
use crate::plan::{FunctionPlan, Place, Return, Step, Strand};
use std::collections::{BTreeMap, BTreeSet};

/// Panics at the first operation that would read a wrong tower.
pub fn check(graph: &Graph, schedule: &[Scheduled], plan: &FunctionPlan) {
    let mut frame: BTreeMap<usize, TowerId> = BTreeMap::new();
    assert_eq!(schedule.len(), plan.steps.len());
    for (scheduled, step) in schedule.iter().zip(&plan.steps) {
        match (scheduled, step) {
            (Scheduled::Call(node), Step::Call { args, results, .. }) => {
                let node = &graph.nodes[*node];
                for (&arg, &place) in node.args().iter().zip(args) {
                    assert_eq!(held(place, &frame), Some(arg), "argument of a call");
                }
                assert_eq!(results.iter().collect::<BTreeSet<_>>().len(), results.len());
                frame.extend(results.iter().copied().zip(node.results().iter().copied()));
            }
            (Scheduled::Stage(nodes), Step::Stage(strands)) => {
                check_stage(graph, nodes, strands, &mut frame);
            }
            _ => panic!("a call in the place of a stage"),
        }
        assert!(frame
            .keys()
            .all(|&slot| slot < plan.results + plan.temporaries));
    }
    for (&tower, &place) in graph.returns.iter().zip(&plan.returns) {
        let found = match place {
            Return::Param(param) => Some(TowerId(param as u32)),
            Return::Slot(slot) => {
                assert!(slot < plan.results);
                frame.get(&slot).copied()
            }
        };
        assert_eq!(found, Some(tower), "returned tower");
    }
}

fn held(place: Place, frame: &BTreeMap<usize, TowerId>) -> Option<TowerId> {
    match place {
        Place::Param(param) => Some(TowerId(param as u32)),
        Place::Shared(slot) => frame.get(&slot).copied(),
        Place::Own(_) | Place::Local(_) => None,
    }
}

fn check_stage(
    graph: &Graph,
    nodes: &[Vec<usize>],
    strands: &[Strand],
    frame: &mut BTreeMap<usize, TowerId>,
) {
    let before = frame.clone();
    let mut written = BTreeSet::new();
    for (nodes, strand) in nodes.iter().zip(strands) {
        assert!(
            strand.writes.iter().all(|&slot| written.insert(slot)),
            "two strands, one slot"
        );
        check_strand(graph, nodes, strand, &before, frame);
    }
    let shared = strands.iter().flat_map(|s| &s.ops).flat_map(|op| &op.args);
    for place in shared {
        assert!(
            !matches!(place, Place::Shared(slot) if written.contains(slot)),
            "a held slot"
        );
    }
}

fn check_strand(
    graph: &Graph,
    nodes: &[usize],
    strand: &Strand,
    before: &BTreeMap<usize, TowerId>,
    frame: &mut BTreeMap<usize, TowerId>,
) {
    let mut buffers: BTreeMap<Place, TowerId> = BTreeMap::new();
    for (own, slot) in strand.writes.iter().enumerate() {
        buffers.extend(before.get(slot).map(|&tower| (Place::Own(own), tower)));
    }
    for (&node, op) in nodes.iter().zip(&strand.ops) {
        let Node::Op(wanted) = &graph.nodes[node] else {
            panic!("a call inside a strand")
        };
        let found: Vec<Option<TowerId>> = op
            .args
            .iter()
            .map(|place| buffers.get(place).copied().or_else(|| held(*place, before)))
            .collect();
        let mut swapped = wanted.args.clone();
        if op.kind.in_place_operands(wanted.args.len()).len() == 2 {
            swapped.swap(0, 1);
        }
        let matches = |args: &[TowerId]| args.iter().map(|&a| Some(a)).eq(found.iter().copied());
        assert!(
            matches(&wanted.args) || matches(&swapped),
            "{op:?} for {wanted:?}"
        );
        let shared = op.args.iter().filter(|&&arg| arg == op.dst).count();
        assert!(
            shared <= 1,
            "{op:?} overwrites an operand that it still needs"
        );
        if let Place::Local(local) = op.dst {
            assert!(local < strand.locals);
        }
        buffers.insert(op.dst, wanted.dst);
    }
    for (own, &slot) in strand.writes.iter().enumerate() {
        match buffers.get(&Place::Own(own)) {
            Some(&tower) => frame.insert(slot, tower),
            None => frame.remove(&slot),
        };
    }
}
