//! Who computes a tower: the accelerator in a call, or its host in a function of its own.
//!
//! | kind | where |
//! |---|---|
//! | `Ntt`, `Intt` | device |
//! | `Mul` | device that does more than transforms |
//! | `Add`, `Sub` | the same, but for a sum of what lies in memory, one of it just made by the host |
//! | `Sample` of a distribution that the machine's sampler draws | the same |
//! | everything else | host |
//!
//! RACE takes m + e0 as one input (section IV-A): hence the exception.

use crate::config::{Config, Offload};
use crate::core::Pointwise;
use crate::lowered::Drawn;
use crate::twiddles::Direction;
use crate::units::sampler::Draw;
use ringwright_ir::ring::Distribution;
use ringwright_towers::{Graph, Kind, Node, TowerId};
use std::ops::Range;
use std::sync::Arc;

/// How a tower comes about on this machine.
#[derive(Clone, Debug)]
pub enum Role {
    /// An operand.
    Input,
    /// A result of the host.
    Host,
    /// Drawn by the sampler.
    Sample(Arc<Drawn>),
    /// A transform of another tower.
    Transform(Direction, TowerId),
    /// Product, sum or difference (`SubFrom0`: first minus second) of two towers.
    Pointwise(Pointwise, TowerId, TowerId),
}

/// The role of every tower of a graph, and the nodes of each host function, in order.
pub fn roles(config: &Config, graph: &Graph) -> (Vec<Role>, Vec<Range<usize>>) {
    let mut roles = vec![Role::Input; graph.towers()];
    let mut functions = Vec::new();
    let mut first = 0;
    for nodes in graph.nodes.chunk_by(|a, b| a.origin == b.origin) {
        let on_device = device_roles(config, nodes, &roles);
        if on_device.is_none() {
            functions.push(first..first + nodes.len());
        }
        let mut on_device = on_device.into_iter().flatten();
        for node in nodes {
            roles[node.result.index()] = on_device.next().unwrap_or(Role::Host);
        }
        first += nodes.len();
    }
    (roles, functions)
}

/// How the device computes the towers of one operation; `None` where the host does.
fn device_roles(config: &Config, nodes: &[Node], before: &[Role]) -> Option<Vec<Role>> {
    let pointwise = |operation| {
        let pair = |node: &Node| Role::Pointwise(operation, node.args[0], node.args[1]);
        nodes.iter().map(pair).collect()
    };
    let transform = |direction| {
        let one = |node: &Node| Role::Transform(direction, node.args[0]);
        nodes.iter().map(one).collect()
    };
    let kind = &nodes.first()?.kind;
    Some(match kind {
        Kind::Ntt => transform(Direction::Forward),
        Kind::Intt => transform(Direction::Inverse),
        _ if config.offload == Offload::Transforms => return None,
        Kind::Mul => pointwise(Pointwise::Mul),
        Kind::Add | Kind::Sub if is_one_input(nodes, before) => return None,
        Kind::Add => pointwise(Pointwise::Add),
        Kind::Sub => pointwise(Pointwise::SubFrom0),
        Kind::Sample(sample) => {
            let drawn = Arc::new(Drawn {
                draw: draw(config, sample.dist)?,
                stream: sample.stream.clone(),
                seed: sample.seed,
            });
            vec![Role::Sample(drawn); nodes.len()]
        }
        _ => return None,
    })
}

/// Whether both operands lie in memory and the host has just made one of them.
fn is_one_input(nodes: &[Node], roles: &[Role]) -> bool {
    let all = |operand: usize, is: fn(&Role) -> bool| {
        let mut nodes = nodes.iter();
        nodes.all(|node| is(&roles[node.args[operand].index()]))
    };
    let host = |operand| all(operand, |role| matches!(role, Role::Host));
    let input = |operand| all(operand, |role| matches!(role, Role::Input));
    let in_memory = |operand| host(operand) || input(operand);
    in_memory(0) && in_memory(1) && (host(0) || host(1))
}

fn draw(config: &Config, dist: Distribution) -> Option<Draw> {
    config.permutation_cycles?;
    match dist {
        Distribution::Ternary => Some(Draw::Ternary),
        Distribution::Binomial21 => Some(Draw::Binomial),
        Distribution::Uniform | Distribution::Flood { .. } => None,
    }
}
