//! A block of the plan as a function of calls on vectors.

use super::push;
use super::table::Table;
use crate::dataflow::Node;
use crate::{Access, Dataflow, Form, Operation, Shuffle, Value};
use std::collections::{BTreeSet, HashMap};

/// The blocks of a graph, in order.
pub fn blocks(graph: &Dataflow, table: &Table) -> Vec<Block> {
    let mut first = 0;
    let same = |a: &Node, b: &Node| (a.pass, a.block) == (b.pass, b.block);
    let chunks = graph.nodes.chunk_by(same);
    chunks
        .map(|chunk| {
            let start = first;
            first += chunk.len();
            Block::new((start, chunk), table)
        })
        .collect()
}

/// One block's calls, its values in numbered slots of working memory.
pub struct Block {
    pub pass: u8,
    block: u32,
    /// Vectors of working memory.
    pub slots: usize,
    calls: Vec<String>,
}

/// Where values are while a block is written.
#[derive(Default)]
struct Slots {
    of: HashMap<Value, usize>,
    free: BTreeSet<usize>,
    count: usize,
}

impl Slots {
    fn take(&mut self, value: Value) -> String {
        let slot = self.free.pop_first().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        self.of.insert(value, slot);
        at(slot)
    }

    fn release(&mut self, values: &[Value]) {
        let slots = values.iter().filter_map(|value| self.of.remove(value));
        self.free.extend(slots);
    }
}

fn at(slot: usize) -> String {
    format!("r + {slot} * V")
}

impl Block {
    /// Of nodes with the number of the first.
    fn new((first, nodes): (usize, &[Node]), table: &Table) -> Self {
        let mut last: HashMap<Value, usize> = HashMap::new();
        for (index, node) in nodes.iter().enumerate() {
            last.extend(node.operation.operands().into_iter().map(|v| (v, index)));
        }
        let constants: HashMap<u32, usize> = nodes
            .iter()
            .enumerate()
            .filter_map(|(index, node)| match node.operation {
                Operation::Constant { pattern } => {
                    Some(((first + index) as u32, pattern.0 as usize))
                }
                _ => None,
            })
            .collect();
        let mut slots = Slots::default();
        let mut calls = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let number = (first + index) as u32;
            let dead: Vec<Value> = node.operation.operands();
            let dead: Vec<Value> = dead.into_iter().filter(|v| last[v] == index).collect();
            let held: HashMap<Value, usize> = slots.of.clone();
            let slot = |value: Value| at(held[&value]);
            let factors = |value: Value| {
                let pattern = constants[&value.node];
                let (place, mask) = (table.places[pattern], table.periods[pattern] - 1);
                format!("t + {place}, {mask}")
            };
            // Element by element a result may take an operand's place; a shuffle's may not.
            let shuffles = matches!(node.operation, Operation::Shuffle { .. });
            if !shuffles {
                slots.release(&dead);
            }
            let mut result = |port| slots.take(Value { node: number, port });
            let call = match node.operation {
                Operation::Constant { .. } => None,
                Operation::Load {
                    address, access, ..
                } => Some(format!(
                    "{}({}, from + {address}{})",
                    load(access),
                    result(0),
                    stride(access)
                )),
                Operation::Store {
                    value,
                    address,
                    access,
                    ..
                } => Some(format!(
                    "{}(to + {address}, {}{})",
                    store(access),
                    slot(value),
                    stride(access)
                )),
                Operation::Butterfly { form, a, b, w } => {
                    let (d, d1) = (result(0), result(1));
                    let (a, b, w) = (slot(a), slot(b), factors(w));
                    Some(format!("{}({d}, {d1}, {a}, {b}, {w}, t)", butterfly(form)))
                }
                Operation::Multiply { a, w } => Some(format!(
                    "multiply({}, {}, {}, t)",
                    result(0),
                    slot(a),
                    factors(w)
                )),
                Operation::Scale { a } => {
                    Some(format!("multiply({}, {}, t + 2, 0, t)", result(0), slot(a)))
                }
                Operation::Shuffle { kind, a, b } => {
                    let (name, half) = shuffle(kind);
                    Some(format!(
                        "{name}({}, {}, {}, {half})",
                        result(0),
                        slot(a),
                        slot(b)
                    ))
                }
            };
            if shuffles {
                slots.release(&dead);
            }
            // A second result that nothing reads would keep its slot.
            let unread = (0..node.operation.results()).map(|port| Value { node: number, port });
            let unread: Vec<Value> = unread.filter(|value| !last.contains_key(value)).collect();
            slots.release(&unread);
            calls.extend(call);
        }
        Block {
            pass: nodes[0].pass,
            block: nodes[0].block,
            slots: slots.count,
            calls,
        }
    }

    /// Its function's name in a file of this name.
    pub fn function(&self, name: &str) -> String {
        format!("{name}_pass_{}_block_{}", self.pass, self.block)
    }

    /// The function.
    pub fn text(&self, name: &str) -> String {
        let mut text = format!(
            "static void {}(word *to, const word *from, word *r, const word *t)\n{{\n",
            self.function(name)
        );
        for call in &self.calls {
            push(&mut text, format_args!("    {call};\n"));
        }
        text.push_str("}\n\n");
        text
    }
}

fn load(access: Access) -> &'static str {
    match access {
        Access::Linear => "load",
        Access::Strided(_) => "load_strided",
        Access::StridedSkip(_) => "load_skipping",
    }
}

fn store(access: Access) -> &'static str {
    match access {
        Access::Linear => "store",
        Access::Strided(_) => "store_strided",
        Access::StridedSkip(_) => "store_skipping",
    }
}

fn stride(access: Access) -> String {
    match access {
        Access::Linear => String::new(),
        Access::Strided(s) | Access::StridedSkip(s) => format!(", {s}"),
    }
}

fn butterfly(form: Form) -> &'static str {
    match form {
        Form::CooleyTukey => "cooley_tukey",
        Form::GentlemanSande => "gentleman_sande",
    }
}

/// The function, and which half it takes.
fn shuffle(kind: Shuffle) -> (&'static str, u8) {
    match kind {
        Shuffle::UnpackLow => ("unpack", 0),
        Shuffle::UnpackHigh => ("unpack", 1),
        Shuffle::PackLow => ("pack", 0),
        Shuffle::PackHigh => ("pack", 1),
    }
}

/// The vector function that a node calls; empty for a constant.
pub fn function(node: &Node) -> &'static str {
    match node.operation {
        Operation::Load { access, .. } => load(access),
        Operation::Store { access, .. } => store(access),
        Operation::Constant { .. } => "",
        Operation::Butterfly { form, .. } => butterfly(form),
        Operation::Multiply { .. } | Operation::Scale { .. } => "multiply",
        Operation::Shuffle { kind, .. } => shuffle(kind).0,
    }
}
