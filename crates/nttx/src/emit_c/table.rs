//! The table of factors: vectors of them as runs, and the C that makes them.

use super::{library, push};
use crate::{Dataflow, Factor};

/// Factors along a part of a vector: `exponent` plus `steps[b]` for each set bit b of the place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    exponent: u32,
    scaled: bool,
    steps: Vec<u32>,
}

/// All vectors of factors, one behind the other.
pub struct Table {
    runs: Vec<Run>,
    /// First word of each pattern.
    pub places: Vec<usize>,
    /// Words of each pattern, a power of two.
    pub periods: Vec<usize>,
}

/// Words before the factors: the modulus, its inverse modulo 2^128, 1/N times 2^128.
const HEAD_WORDS: usize = 3;

impl Table {
    pub fn new(graph: &Dataflow, log_n: u8) -> Self {
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

    pub fn words(&self) -> usize {
        HEAD_WORDS + self.periods.iter().sum::<usize>()
    }

    /// The runs, and the function that makes the table of them; runs have up to `log_vector` steps.
    pub fn text(&self, name: &str, log_vector: u8) -> String {
        let mut text = format!(
            "/* First exponent of psi, whether divided by N, number of bits, step for each bit. */\n\
             static const uint32_t runs[{}][3 + {}] = {{\n",
            self.runs.len(),
            log_vector.max(1)
        );
        for run in &self.runs {
            let steps: Vec<String> = run.steps.iter().map(|step| format!(", {step}")).collect();
            let (scaled, bits) = (u8::from(run.scaled), run.steps.len());
            let steps = steps.concat();
            push(
                &mut text,
                format_args!("    {{{}, {scaled}, {bits}{steps}}},\n", run.exponent),
            );
        }
        text.push_str("};\n\n");
        text.push_str(library::ROOTS);
        text.push_str(&fill(name));
        text
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

/// The function that fills the table.
fn fill(name: &str) -> String {
    format!(
        "\
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
    )
}
