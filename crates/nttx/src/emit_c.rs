//! A plan as portable C: a second back half, for the processor at hand.
//!
//! [`source`] writes one self-contained file of C11 with `unsigned __int128` (GCC, Clang): the
//! plan's blocks one after the other, each a function in which every node of the dataflow graph is
//! a call on vectors. The modulus is a run-time argument, any prime below 2^127 with the roots; words
//! stay in 0..q. The head of the file says how it is called.
//!
//! Factors are kept in Montgomery form (times 2^128), so that one reduction gives the product of a
//! plain word with a factor. A table of factors is made from a few exponents: along one bit of the
//! element number exponents grow by a constant, so a vector is its first exponent and a step for each
//! bit ([`Run`]).
//!
//! Not done: the file is as fast as the compiler makes plain loops on 128-bit words, for any modulus;
//! narrow moduli and vector instructions are the business of `ringwright-kernels`.

use crate::dataflow::Node;
use crate::{Access, Dataflow, Direction, Factor, Form, Layout, Operation, Plan, PlanError};
use crate::{Shuffle, Value};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

/// The C file of a plan; `name`, an identifier, is the function and the prefix of everything else.
pub fn source(plan: &Plan, name: &str) -> Result<String, PlanError> {
    if !is_identifier(name) {
        let given = name.to_owned();
        return Err(PlanError::Name { given });
    }
    let graph = Dataflow::new(plan)?;
    let table = Table::new(&graph, plan.problem.log_n);
    let blocks: Vec<Block> = blocks(&graph)
        .into_iter()
        .map(|nodes| Block::new(nodes, &table))
        .collect();
    let slots = blocks.iter().map(|block| block.slots).max().unwrap_or(0);
    let file = File {
        plan,
        name,
        table: &table,
        scratch: (1 << graph.log_words) + (slots << graph.log_vector),
        used: graph.nodes.iter().map(|node| kind(node)).collect(),
    };
    let mut text = file.head();
    text.push_str(&file.arithmetic());
    text.push_str(&file.tables());
    text.push_str(&file.vectors());
    for block in &blocks {
        text.push_str(&block.text(name));
    }
    text.push_str(&file.entry(&blocks));
    Ok(text)
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Factors along a part of a vector: `exponent` plus `steps[b]` for each set bit b of the place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    exponent: u32,
    scaled: bool,
    steps: Vec<u32>,
}

/// All vectors of factors, one behind the other.
struct Table {
    runs: Vec<Run>,
    /// First word of each pattern.
    places: Vec<usize>,
    /// Words of each pattern, a power of two.
    periods: Vec<usize>,
}

/// Words before the factors: the modulus, its inverse modulo 2^128, 1/N times 2^128.
const HEAD_WORDS: usize = 3;

impl Table {
    fn new(graph: &Dataflow, log_n: u8) -> Self {
        let mut table = Table {
            runs: Vec::new(),
            places: Vec::new(),
            periods: Vec::new(),
        };
        let mut words = HEAD_WORDS;
        for pattern in graph.patterns.all() {
            table.places.push(words);
            table.periods.push(pattern.len());
            words += pattern.len();
            append_runs(&mut table.runs, pattern, 2 << log_n);
        }
        table
    }

    fn words(&self) -> usize {
        HEAD_WORDS + self.periods.iter().sum::<usize>()
    }
}

/// The longest runs that make up the factors, whose number is a power of two.
fn append_runs(runs: &mut Vec<Run>, factors: &[Factor], period: u32) {
    let bits = factors.len().ilog2();
    let from = |a: Factor, b: Factor| (b.exponent + period - a.exponent) % period;
    let steps: Vec<u32> = (0..bits)
        .map(|bit| from(factors[0], factors[1 << bit]))
        .collect();
    let fits = |(place, factor): (usize, &Factor)| {
        let set = (0..bits as usize).filter(|bit| place >> bit & 1 == 1);
        let sum: u64 = set.map(|bit| u64::from(steps[bit])).sum();
        let exponent = (u64::from(factors[0].exponent) + sum) % u64::from(period);
        u64::from(factor.exponent) == exponent && factor.scaled == factors[0].scaled
    };
    if factors.iter().enumerate().all(fits) {
        runs.push(Run {
            exponent: factors[0].exponent,
            scaled: factors[0].scaled,
            steps,
        });
    } else {
        let (low, high) = factors.split_at(factors.len() / 2);
        append_runs(runs, low, period);
        append_runs(runs, high, period);
    }
}

/// The nodes of each block with the number of the first.
fn blocks(graph: &Dataflow) -> Vec<(usize, &[Node])> {
    let mut first = 0;
    let same = |a: &Node, b: &Node| (a.pass, a.block) == (b.pass, b.block);
    let chunks = graph.nodes.chunk_by(same);
    chunks
        .map(|chunk| {
            let start = first;
            first += chunk.len();
            (start, chunk)
        })
        .collect()
}

/// One block's calls, its values in numbered slots of working memory.
struct Block {
    pass: u8,
    block: u32,
    slots: usize,
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

    fn function(&self, name: &str) -> String {
        format!("{name}_pass_{}_block_{}", self.pass, self.block)
    }

    fn text(&self, name: &str) -> String {
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
fn kind(node: &Node) -> &'static str {
    match node.operation {
        Operation::Load { access, .. } => load(access),
        Operation::Store { access, .. } => store(access),
        Operation::Constant { .. } => "",
        Operation::Butterfly { form, .. } => butterfly(form),
        Operation::Multiply { .. } | Operation::Scale { .. } => "multiply",
        Operation::Shuffle { kind, .. } => shuffle(kind).0,
    }
}

struct File<'a> {
    plan: &'a Plan,
    name: &'a str,
    table: &'a Table,
    scratch: usize,
    used: BTreeSet<&'static str>,
}

impl File<'_> {
    fn head(&self) -> String {
        let problem = self.plan.problem;
        let (n, batch) = (1u64 << problem.log_n, 1u64 << problem.log_batch);
        let (name, passes) = (self.name, self.plan.passes.len());
        let (what, before, after) = match problem.direction {
            Direction::Forward => ("forward", "coefficients", "evaluations"),
            Direction::Inverse => ("inverse", "evaluations", "coefficients"),
        };
        let many = match batch {
            1 => String::new(),
            batch => format!(", {batch} of them, one after the other"),
        };
        format!(
            "\
/* {name}: the {what} negacyclic number-theoretic transform of {n} words modulo a prime{many}.
 *
 * Written by ringwright from a plan of {passes} passes in vectors of {vector} words. C11 with
 * unsigned __int128 (GCC, Clang); needs no other file, allocates nothing, has no state.
 *
 *   int {name}_table(q, table)
 *       Fills {name}_TABLE words for the prime q, 2^127 > q, q = 1 modulo {double}. Returns 0, or -1
 *       where q has no primitive {double}-th root of unity.
 *   void {name}(words, scratch, table)
 *       Turns {name}_WORDS {before}, each in 0..q-1, into {after}, in place and each in 0..q-1.
 *       scratch: {name}_SCRATCH words that hold nothing before and after.
 *
 * Evaluation i is the polynomial at psi^(2 brv(i) + 1): psi the smallest primitive {double}-th root of
 * unity modulo q, brv reversing {log_n} bits. Time depends on no word but q.
 */

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 {name}_word;

#define {name}_WORDS {words}
#define {name}_SCRATCH {scratch}
#define {name}_TABLE {table}

int {name}_table({name}_word q, {name}_word *table);
void {name}({name}_word *words, {name}_word *scratch, const {name}_word *table);

typedef {name}_word word;
enum {{ LOG_N = {log_n}, V = {vector} }};

",
            vector = 1 << self.plan.log_vector,
            double = 2 * n,
            log_n = problem.log_n,
            words = n * batch,
            scratch = self.scratch,
            table = self.table.words(),
        )
    }

    fn arithmetic(&self) -> String {
        "\
static inline void product(word a, word b, word *high, word *low)
{
    uint64_t a0 = (uint64_t)a, a1 = (uint64_t)(a >> 64), b0 = (uint64_t)b, b1 = (uint64_t)(b >> 64);
    word low0 = (word)a0 * b0, cross0 = (word)a0 * b1, cross1 = (word)a1 * b0;
    word middle = (low0 >> 64) + (uint64_t)cross0 + (uint64_t)cross1;
    *low = middle << 64 | (uint64_t)low0;
    *high = (word)a1 * b1 + (cross0 >> 64) + (cross1 >> 64) + (middle >> 64);
}

/* a b / 2^128 modulo q, for a b < 2^128 q; inverse is that of q modulo 2^128. */
static inline word times(word a, word b, word q, word inverse)
{
    word high, low, taken, none;
    product(a, b, &high, &low);
    product(low * inverse, q, &taken, &none);
    word difference = high - taken;
    return high < taken ? difference + q : difference;
}

static inline word plus(word a, word b, word q)
{
    word sum = a + b;
    return sum >= q ? sum - q : sum;
}

static inline word minus(word a, word b, word q)
{
    return a >= b ? a - b : a + q - b;
}

"
        .to_owned()
    }

    fn tables(&self) -> String {
        let name = self.name;
        let mut text = format!(
            "/* First exponent of psi, whether divided by N, number of bits, step for each bit. */\n\
             static const uint32_t runs[{}][3 + {}] = {{\n",
            self.table.runs.len(),
            self.plan.log_vector.max(1)
        );
        for run in &self.table.runs {
            let steps: Vec<String> = run.steps.iter().map(|step| format!(", {step}")).collect();
            let (scaled, bits) = (u8::from(run.scaled), run.steps.len());
            let steps = steps.concat();
            push(
                &mut text,
                format_args!("    {{{}, {scaled}, {bits}{steps}}},\n", run.exponent),
            );
        }
        push(
            &mut text,
            format_args!(
                "\
}};

/* base^exponent; base and result times 2^128, so is one. */
static word power(word base, word exponent, word one, word q, word inverse)
{{
    word result = one;
    for (; exponent; exponent >>= 1) {{
        if (exponent & 1)
            result = times(result, base, q, inverse);
        base = times(base, base, q, inverse);
    }}
    return result;
}}

/* The smallest primitive 2N-th root of unity, times 2^128; 0 where there is none. */
static word smallest_root(word one, word q, word inverse)
{{
    word n = (word)1 << LOG_N, found = 0, some = 0;
    for (word g = one, tries = 0; !some && tries < 1000; g = plus(g, one, q), tries++) {{
        word w = power(g, (q - 1) / (2 * n), one, q, inverse);
        if (power(w, n, one, q, inverse) == q - one)
            some = w;
    }}
    if (!some)
        return 0;
    word square = times(some, some, q, inverse), least = q, w = some;
    for (word k = 0; k < n; k++, w = times(w, square, q, inverse)) {{
        word plain = times(w, 1, q, inverse);
        if (plain < least) {{
            least = plain;
            found = w;
        }}
    }}
    return found;
}}

int {name}_table(word q, word *table)
{{
    word n = (word)1 << LOG_N;
    if (q < 3 || q >> 127 || (q - 1) % (2 * n))
        return -1;
    word inverse = 1;
    for (int step = 0; step < 7; step++)
        inverse *= 2 - q * inverse;
    word one = (0 - q) % q, psi = smallest_root(one, q, inverse);
    if (!psi)
        return -1;
    word square = one;
    for (int bit = 0; bit < 128; bit++)
        square = plus(square, square, q);
    table[0] = q;
    table[1] = inverse;
    word n_inverse = times(q - (q - 1) / n, square, q, inverse);
    table[2] = n_inverse;
    table += {HEAD_WORDS};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {{
        word first = power(psi, runs[i][0], one, q, inverse);
        table[0] = runs[i][1] ? times(first, n_inverse, q, inverse) : first;
        for (uint32_t bit = 0; bit < runs[i][2]; bit++) {{
            word step = power(psi, runs[i][3 + bit], one, q, inverse);
            for (size_t k = 0; k < (size_t)1 << bit; k++)
                table[k + ((size_t)1 << bit)] = times(table[k], step, q, inverse);
        }}
        table += (size_t)1 << runs[i][2];
    }}
    return 0;
}}

"
            ),
        );
        text
    }

    fn vectors(&self) -> String {
        let all = [
            ("load", MOVES[0]),
            ("store", MOVES[1]),
            ("load_strided", MOVES[2]),
            ("store_strided", MOVES[3]),
            ("load_skipping", MOVES[4]),
            ("store_skipping", MOVES[5]),
            ("cooley_tukey", COOLEY_TUKEY),
            ("gentleman_sande", GENTLEMAN_SANDE),
            ("multiply", MULTIPLY),
            ("unpack", UNPACK),
            ("pack", PACK),
        ];
        let used = all.iter().filter(|(name, _)| self.used.contains(name));
        used.map(|(_, text)| *text).collect()
    }

    fn entry(&self, blocks: &[Block]) -> String {
        let layouts = &self.plan.layouts;
        let (first, last) = (&layouts[0], &layouts[layouts.len() - 1]);
        let mut text = String::new();
        if !first.is_natural() || !last.is_natural() {
            text.push_str(PLACE);
        }
        let name = self.name;
        push(
            &mut text,
            format_args!(
                "void {name}(word *words, word *scratch, const word *table)\n{{\n    word *r = scratch + {name}_WORDS;\n"
            ),
        );
        // The transform begins in `words`, unless they must be put in another order first.
        let mut names = ["words", "scratch"];
        if !first.is_natural() {
            text.push_str(&permutation("before", first));
            push(&mut text, format_args!("    for (size_t i = 0; i < {name}_WORDS; i++)\n        scratch[place(i, before, {})] = words[i];\n", first.bits().len()));
            names.reverse();
        }
        for block in blocks {
            let (from, to) = (
                names[block.pass as usize % 2],
                names[1 - block.pass as usize % 2],
            );
            push(
                &mut text,
                format_args!("    {}({to}, {from}, r, table);\n", block.function(name)),
            );
        }
        if names[self.plan.passes.len() % 2] == "words" && !last.is_natural() {
            push(&mut text, format_args!("    for (size_t i = 0; i < {name}_WORDS; i++)\n        scratch[i] = words[i];\n"));
        }
        if !last.is_natural() {
            text.push_str(&permutation("after", last));
            push(&mut text, format_args!("    for (size_t i = 0; i < {name}_WORDS; i++)\n        words[i] = scratch[place(i, after, {})];\n", last.bits().len()));
        } else if names[self.plan.passes.len() % 2] == "scratch" {
            push(&mut text, format_args!("    for (size_t i = 0; i < {name}_WORDS; i++)\n        words[i] = scratch[i];\n"));
        }
        text.push_str("}\n");
        text
    }
}

fn permutation(name: &str, layout: &Layout) -> String {
    let bits: Vec<String> = layout.bits().iter().map(u8::to_string).collect();
    format!(
        "    static const unsigned char {name}[] = {{{}}};\n",
        bits.join(", ")
    )
}

fn push(text: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(what);
}

const PLACE: &str = "\
/* Address bit a is index bit bits[a]. */
static size_t place(size_t i, const unsigned char *bits, size_t count)
{
    size_t address = 0;
    for (size_t a = 0; a < count; a++)
        address |= (i >> bits[a] & 1) << a;
    return address;
}

";

const MOVES: [&str; 6] = [
    "\
static void load(word *d, const word *m)
{
    for (size_t i = 0; i < V; i++)
        d[i] = m[i];
}

",
    "\
static void store(word *m, const word *a)
{
    for (size_t i = 0; i < V; i++)
        m[i] = a[i];
}

",
    "\
static void load_strided(word *d, const word *m, int s)
{
    for (size_t i = 0; i < V; i++)
        d[i] = m[i << s];
}

",
    "\
static void store_strided(word *m, const word *a, int s)
{
    for (size_t i = 0; i < V; i++)
        m[i << s] = a[i];
}

",
    "\
static void load_skipping(word *d, const word *m, int s)
{
    for (size_t i = 0; i < V; i++)
        d[i] = m[i >> s << (s + 1) | (i & (((size_t)1 << s) - 1))];
}

",
    "\
static void store_skipping(word *m, const word *a, int s)
{
    for (size_t i = 0; i < V; i++)
        m[i >> s << (s + 1) | (i & (((size_t)1 << s) - 1))] = a[i];
}

",
];

const COOLEY_TUKEY: &str = "\
/* a + w b and a - w b; factors repeat after mask + 1 words. */
static void cooley_tukey(word *d, word *d1, const word *a, const word *b, const word *w, size_t mask,
                         const word *t)
{
    word q = t[0], inverse = t[1];
    for (size_t i = 0; i < V; i++) {
        word x = a[i], y = times(b[i], w[i & mask], q, inverse);
        d[i] = plus(x, y, q);
        d1[i] = minus(x, y, q);
    }
}

";

const GENTLEMAN_SANDE: &str = "\
/* a + b and (a - b) w; factors repeat after mask + 1 words. */
static void gentleman_sande(word *d, word *d1, const word *a, const word *b, const word *w,
                            size_t mask, const word *t)
{
    word q = t[0], inverse = t[1];
    for (size_t i = 0; i < V; i++) {
        word x = a[i], y = b[i];
        d[i] = plus(x, y, q);
        d1[i] = times(minus(x, y, q), w[i & mask], q, inverse);
    }
}

";

const MULTIPLY: &str = "\
static void multiply(word *d, const word *a, const word *w, size_t mask, const word *t)
{
    for (size_t i = 0; i < V; i++)
        d[i] = times(a[i], w[i & mask], t[0], t[1]);
}

";

const UNPACK: &str = "\
/* Elements of a and b in turn, of the lower or the upper halves. */
static void unpack(word *d, const word *a, const word *b, size_t half)
{
    for (size_t i = 0; i < V / 2; i++) {
        d[2 * i] = a[half * (V / 2) + i];
        d[2 * i + 1] = b[half * (V / 2) + i];
    }
}

";

const PACK: &str = "\
/* Even or odd elements of a, then of b. */
static void pack(word *d, const word *a, const word *b, size_t odd)
{
    for (size_t i = 0; i < V / 2; i++) {
        d[i] = a[2 * i + odd];
        d[V / 2 + i] = b[2 * i + odd];
    }
}

";
