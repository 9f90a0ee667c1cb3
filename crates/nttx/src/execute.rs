//! A dataflow graph on words, one node after the other: what its schedules are compared with.

use crate::{Dataflow, Form, Operation, Plan, PlanError, Roots, Shuffle, Value};

/// Runs a plan on `words`, which lie as its first layout says, modulo the prime `q`; the result
/// lies as its last layout says.
pub fn run(plan: &Plan, q: u128, words: &[u128]) -> Result<Vec<u128>, PlanError> {
    let graph = Dataflow::new(plan)?;
    let roots = Roots::new(plan.problem.log_n, q)?;
    let size = 1usize << graph.log_words;
    if words.len() != size {
        return Err(PlanError::Layouts {
            passes: plan.passes.len(),
            bits: graph.log_words,
        });
    }
    let mut state = State {
        graph: &graph,
        roots: &roots,
        buffers: [words.to_vec(), vec![0; size]],
        values: vec![[Vec::new(), Vec::new()]; graph.nodes.len()],
    };
    for node in 0..graph.nodes.len() {
        state.step(node);
    }
    let [even, odd] = state.buffers;
    Ok(match plan.passes.len() % 2 {
        0 => even,
        _ => odd,
    })
}

struct State<'a> {
    graph: &'a Dataflow,
    roots: &'a Roots,
    buffers: [Vec<u128>; 2],
    values: Vec<[Vec<u128>; 2]>,
}

impl State<'_> {
    fn step(&mut self, node: usize) {
        let length = 1usize << self.graph.log_vector;
        let q = self.roots.modulus();
        let results: [Vec<u128>; 2] = match self.graph.nodes[node].operation {
            Operation::Load {
                buffer,
                address,
                access,
            } => {
                let at = |i| self.buffers[buffer as usize][address as usize + access.offset(i)];
                [(0..length).map(at).collect(), vec![]]
            }
            Operation::Store {
                value,
                buffer,
                address,
                access,
            } => {
                for i in 0..length {
                    let word = self.get(value)[i];
                    self.buffers[buffer as usize][address as usize + access.offset(i)] = word;
                }
                return;
            }
            Operation::Constant { pattern } => {
                let period = self.graph.patterns.get(pattern);
                let word = |i| self.roots.word(period[i % period.len()]);
                [(0..length).map(word).collect(), vec![]]
            }
            Operation::Butterfly { form, a, b, w } => {
                let words = self.get(a).iter().zip(self.get(b)).zip(self.get(w));
                words
                    .map(|((&a, &b), &w)| butterfly(q, form, a, b, w))
                    .unzip()
                    .into()
            }
            Operation::Multiply { a, w } => {
                let words = self.get(a).iter().zip(self.get(w));
                [words.map(|(&a, &w)| q.mul(a, w)).collect(), vec![]]
            }
            Operation::Scale { a } => {
                let n_inverse = self.roots.n_inverse();
                [
                    self.get(a).iter().map(|&a| q.mul(a, n_inverse)).collect(),
                    vec![],
                ]
            }
            Operation::Shuffle { kind, a, b } => {
                let pair = [self.get(a), self.get(b)];
                let word = |i| {
                    let (second, source) = kind.source(i, length);
                    pair[usize::from(second)][source]
                };
                [(0..length).map(word).collect(), vec![]]
            }
        };
        self.values[node] = results;
    }

    fn get(&self, value: Value) -> &[u128] {
        &self.values[value.node as usize][value.port as usize]
    }
}

fn butterfly(
    q: &ringwright_arith::Modulus<u128>,
    form: Form,
    a: u128,
    b: u128,
    w: u128,
) -> (u128, u128) {
    match form {
        Form::CooleyTukey => {
            let product = q.mul(b, w);
            (q.add(a, product), q.sub(a, product))
        }
        Form::GentlemanSande => (q.add(a, b), q.mul(q.sub(a, b), w)),
    }
}

impl Shuffle {
    /// Where element `i` of the result comes from in vectors of `length` elements: the element of
    /// the first vector, or of the second if the flag is set.
    pub fn source(self, i: usize, length: usize) -> (bool, usize) {
        let half = length / 2;
        match self {
            Shuffle::UnpackLow => (i % 2 == 1, i / 2),
            Shuffle::UnpackHigh => (i % 2 == 1, half + i / 2),
            Shuffle::PackLow => (i >= half, 2 * (i % half)),
            Shuffle::PackHigh => (i >= half, 2 * (i % half) + 1),
        }
    }
}
