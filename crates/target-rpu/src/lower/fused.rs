//! Operations word by word, gathered into formulas on whole towers.
//!
//! What stands between two transforms and works word by word is done together where it shares towers:
//! a factor that several products have is loaded once, and what nothing else reads stays in a
//! register. What comes from the caller, a key's parts first of all, and what only goes to the caller
//! needs no slot: it is **streamed** through the memory, block by block, while other blocks are worked
//! on. Fewer towers lie on the device where what is cheap to make from one of them is made again
//! ([`recomputed`]) and where long sums are made in parts ([`partial_sums`]).

use super::kinds::is_whole;
use super::sweep::SweepBuilder;
use crate::kernels::{Layout, Shape};
use crate::Config;
use ringwright_towers::{Graph, Kind, Node, TowerId};
use std::collections::{HashMap, HashSet};

/// What is done at once.
pub enum Group {
    /// This node, on a whole tower.
    Whole(usize),
    /// Several word by word.
    Words(Box<Words>),
}

/// Operations word by word.
pub struct Words {
    /// What is done.
    pub builder: SweepBuilder,
    /// The towers read and made that take slots; the others are streamed.
    pub resident: HashSet<TowerId>,
}

/// Groups that may grow at once.
const OPEN: usize = 8;

/// How much one group may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Slots.
    pub slots: usize,
    /// Towers that are streamed.
    pub streams: usize,
}

/// The same graph in which what is made word by word of one tower alone, beside others of the same
/// tower, is made anew for each of its readers: the one tower stays, not those made of it.
pub fn recomputed(graph: &Graph) -> Graph {
    let is_made = graph.made();
    let unary = |node: &Node| {
        let cheap = matches!(
            node.kind,
            Kind::WeightedSum { .. }
                | Kind::SwitchModulus { .. }
                | Kind::AddScalar(_)
                | Kind::MulScalar(_)
        );
        cheap && node.args.len() == 1 && is_made[node.args[0].index()]
    };
    let mut of_tower: HashMap<TowerId, usize> = HashMap::new();
    for node in graph.nodes.iter().filter(|node| unary(node)) {
        *of_tower.entry(node.args[0]).or_default() += 1;
    }
    let mut kept: Vec<bool> = vec![false; graph.towers()];
    graph
        .returned()
        .for_each(|tower| kept[tower.index()] = true);
    for node in graph.nodes.iter().filter(|node| is_whole(&node.kind)) {
        node.args.iter().for_each(|arg| kept[arg.index()] = true);
    }
    let mut made: HashMap<TowerId, &Node> = HashMap::new();
    let mut again = Graph {
        nodes: Vec::new(),
        ..graph.clone()
    };
    for node in &graph.nodes {
        // One operation deep: what is made of what is left out stays.
        let left_out = unary(node)
            && of_tower[&node.args[0]] > 1
            && !kept[node.result.index()]
            && !made.contains_key(&node.args[0]);
        if left_out {
            made.insert(node.result, node);
            continue;
        }
        let mut node = node.clone();
        for arg in &mut node.args {
            if let Some(&maker) = made.get(arg) {
                let (prime, kind) = (graph.prime(*arg), maker.kind.clone());
                *arg = again.push(prime, kind, maker.args.clone(), maker.origin);
            }
        }
        again.nodes.push(node);
    }
    again
}

/// The same graph with sums of so many products one after the other, each as early as its factors are
/// there: a key's part is read once, beside the digit that has just been made.
pub fn partial_sums(graph: &Graph, products: usize) -> Graph {
    let mut split = Graph {
        nodes: Vec::new(),
        ..graph.clone()
    };
    // By tower, behind which of the old nodes it is there; 0 for parameters.
    let mut there = vec![0; graph.towers()];
    let mut behind: Vec<Vec<Node>> = vec![Vec::new(); graph.nodes.len() + 1];
    for (index, node) in graph.nodes.iter().enumerate() {
        let Kind::InnerProduct { pairs, plus } = node.kind else {
            there[node.result.index()] = index + 1;
            behind[index + 1].push(node.clone());
            continue;
        };
        let (factors, rest) = node.args.split_at(2 * usize::from(pairs));
        let mut sum: Option<TowerId> = rest.first().copied().filter(|_| plus);
        let mut after = sum.map_or(0, |sum| there[sum.index()]);
        let mut factors = factors.chunks(2 * products).peekable();
        while let Some(some) = factors.next() {
            let result = match factors.peek() {
                None => node.result,
                Some(_) => {
                    there.push(0);
                    split.define(graph.prime(node.result))
                }
            };
            let made = some.iter().map(|factor| there[factor.index()]).max();
            after = after.max(made.unwrap_or(0));
            there[result.index()] = after;
            behind[after].push(Node {
                kind: Kind::InnerProduct {
                    pairs: (some.len() / 2) as u8,
                    plus: sum.is_some(),
                },
                args: some.iter().copied().chain(sum).collect(),
                result,
                ..node.clone()
            });
            sum = Some(result);
        }
    }
    split.nodes = behind.into_iter().flatten().collect();
    split
}

/// The groups of a graph, in order, each within limits and of one level (one for each node, none where all are
/// of the same); what is not computed word by word and wants no tower whole either, in words. Towers that have
/// `landed` lie in slots.
///
/// Groups end before what wants a tower whole; but one that makes only what leaves may still be joined
/// by what comes behind that, for what one result reads another one often does as well.
pub fn groups(
    config: &Config,
    shape: Shape,
    graph: &Graph,
    limits: Limits,
    levels: &[u32],
    landed: HashSet<TowerId>,
) -> Result<Vec<Group>, String> {
    let mut returned = vec![0; graph.towers()];
    graph
        .returned()
        .for_each(|tower| returned[tower.index()] += 1);
    let mut gathering = Gathering {
        config,
        shape,
        graph,
        limits,
        made: graph.made(),
        landed,
        left: graph.reads(),
        reads: graph.reads(),
        returned,
        open: Vec::new(),
        opened: 0,
        done: Vec::new(),
    };
    let mut level = 0;
    for (index, node) in graph.nodes.iter().enumerate() {
        if levels.get(index).is_some_and(|&next| next > level) {
            level = levels[index];
            gathering.close_all();
        }
        node.args
            .iter()
            .for_each(|arg| gathering.left[arg.index()] -= 1);
        if is_whole(&node.kind) {
            gathering.close_at(&node.args);
            gathering.done.push(Group::Whole(index));
        } else {
            gathering.add(node)?;
        }
    }
    gathering.close_all();
    Ok(gathering.done)
}

/// A group that may still grow.
#[derive(Clone, Default)]
struct Open<'g> {
    number: usize,
    nodes: Vec<&'g Node>,
    /// Since the last operation that wanted a tower whole.
    grown: bool,
    builder: SweepBuilder,
    /// How often it reads each tower.
    reads: HashMap<TowerId, u32>,
}

impl Open<'_> {
    fn made(&self) -> impl Iterator<Item = TowerId> + '_ {
        self.nodes.iter().map(|node| node.result)
    }
}

struct Gathering<'a> {
    config: &'a Config,
    shape: Shape,
    graph: &'a Graph,
    limits: Limits,
    /// By tower, whether the graph makes it.
    made: Vec<bool>,
    landed: HashSet<TowerId>,
    /// How often each tower is read, and how often from here on.
    reads: Vec<u32>,
    left: Vec<u32>,
    /// How often it is returned.
    returned: Vec<u32>,
    /// None reads what a later one makes.
    open: Vec<Open<'a>>,
    opened: usize,
    done: Vec<Group>,
}

impl<'a> Gathering<'a> {
    fn add(&mut self, node: &'a Node) -> Result<(), String> {
        // None before the last that makes an operand may take the node.
        let made = |group: &Open| node.args.iter().any(|&arg| group.builder.makes(arg));
        let first = self.open.iter().rposition(made).unwrap_or(0);
        let mut full = Vec::new();
        for position in (first..self.open.len()).rev() {
            let group = &self.open[position];
            if group.builder.shares(&node.args) {
                let longer = self.with(group, [node])?;
                if self.fits(&longer) {
                    self.open[position] = longer;
                    return self.unite(position, node);
                }
                full.push(group.number);
            }
        }
        full.into_iter().rev().for_each(|number| self.close(number));
        if self.open.len() == OPEN {
            self.close(self.open[0].number);
        }
        let number = self.opened;
        self.opened += 1;
        let group = Open {
            number,
            ..Open::default()
        };
        self.open.push(self.with(&group, [node])?);
        Ok(())
    }

    /// Joins a group that a node has joined with one before it that reads the same, unless one
    /// between them needs that.
    fn unite(&mut self, position: usize, node: &Node) -> Result<(), String> {
        let shares = |group: &Open| group.builder.shares(&node.args);
        let Some(before) = self.open[..position].iter().rposition(shares) else {
            return Ok(());
        };
        let (first, last) = (&self.open[before], &self.open[position]);
        let mut between = self.open[before + 1..position].iter();
        let needs = |group: &Open| {
            let mut loaded = group.builder.loaded.iter();
            loaded.any(|&tower| first.builder.makes(tower))
        };
        if between.any(needs) {
            return Ok(());
        }
        let group = Open {
            number: last.number,
            ..Open::default()
        };
        let nodes = first.nodes.iter().chain(&last.nodes).copied();
        let both = self.with(&group, nodes)?;
        if self.fits(&both) {
            self.open[position] = both;
            self.open.remove(before);
        }
        Ok(())
    }

    fn with(
        &self,
        group: &Open<'a>,
        nodes: impl IntoIterator<Item = &'a Node>,
    ) -> Result<Open<'a>, String> {
        let mut group = group.clone();
        group.grown = true;
        for node in nodes {
            group.builder.push(self.graph, node)?;
            group.nodes.push(node);
            for &arg in &node.args {
                *group.reads.entry(arg).or_default() += 1;
            }
        }
        Ok(group)
    }

    /// Whether its operands and those results that find no slot of an operand are few enough.
    fn fits(&self, group: &Open) -> bool {
        let kept = group.made().filter(|made| self.left[made.index()] > 0);
        let (slots, out): (Vec<TowerId>, Vec<_>) =
            kept.partition(|made| self.left[made.index()] > self.returned[made.index()]);
        let loaded = group.builder.loaded.iter();
        let (given, loaded): (Vec<&TowerId>, Vec<_>) =
            loaded.partition(|tower| self.is_given(**tower));
        let dying = loaded.iter().filter(|tower| self.left[tower.index()] == 0);
        let more = slots.len().saturating_sub(dying.count());
        let layout = Layout::Places(self.shape.slot());
        loaded.len() + more <= self.limits.slots
            && given.len() + out.len() <= self.limits.streams
            && group
                .builder
                .formula()
                .fits(self.config, self.shape, layout)
    }

    /// Whether it is streamed in.
    fn is_given(&self, tower: TowerId) -> bool {
        !self.made[tower.index()] && !self.landed.contains(&tower)
    }

    fn close_all(&mut self) {
        while let Some(first) = self.open.first() {
            self.close(first.number);
        }
    }

    /// Closes all groups, in order, but those that make no more than what leaves, have grown of late and
    /// read what will be read again.
    fn close_at(&mut self, needed: &[TowerId]) {
        let again = |tower: &TowerId| self.is_given(*tower) && self.left[tower.index()] > 0;
        let leaves = |made: TowerId| self.left[made.index()] <= self.returned[made.index()];
        let waits = |group: &&Open| {
            let needed = needed.iter().any(|&tower| group.builder.makes(tower));
            !needed
                && group.grown
                && group.made().all(leaves)
                && group.builder.loaded.iter().any(again)
        };
        let ended = self.open.iter().filter(|group| !waits(group));
        let ended: Vec<usize> = ended.map(|group| group.number).collect();
        ended.into_iter().for_each(|number| self.close(number));
        self.open.iter_mut().for_each(|group| group.grown = false);
    }

    /// Closes the groups that make these towers.
    fn close_makers(&mut self, towers: &[TowerId]) {
        for &tower in towers {
            let maker = self.open.iter().find(|group| group.builder.makes(tower));
            if let Some(number) = maker.map(|group| group.number) {
                self.close(number);
            }
        }
    }

    /// Closes a group, and before it those that make what it reads.
    fn close(&mut self, number: usize) {
        let position = |open: &[Open]| open.iter().position(|group| group.number == number);
        let Some(at) = position(&self.open) else {
            return;
        };
        self.close_makers(&self.open[at].builder.loaded.clone());
        let Some(at) = position(&self.open) else {
            return;
        };
        let mut group = self.open.remove(at);
        let loaded = group.builder.loaded.iter().copied();
        let mut resident: HashSet<TowerId> =
            loaded.filter(|&tower| !self.is_given(tower)).collect();
        for made in group.nodes.iter().map(|node| node.result) {
            let inside = group.reads.get(&made).copied().unwrap_or(0);
            let outside = self.reads[made.index()] - inside;
            if outside > 0 {
                group.builder.keep(made);
            }
            if outside > self.returned[made.index()] {
                resident.insert(made);
            }
        }
        self.done.push(Group::Words(Box::new(Words {
            builder: group.builder,
            resident,
        })));
    }
}
