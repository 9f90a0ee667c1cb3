//! The head of a file, and the function that it is for.

use super::block::Block;
use super::library::PLACE;
use super::push;
use crate::{Direction, Layout, Plan};

pub struct File<'a> {
    pub plan: &'a Plan,
    pub name: &'a str,
    /// Words of the table.
    pub table: usize,
    /// Words of working memory.
    pub scratch: usize,
}

impl File<'_> {
    /// How it is called, and what everything after it needs.
    pub fn head(&self) -> String {
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
 * unity modulo q, brv reversing {log_n} bits.
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
            table = self.table,
        )
    }

    /// The function, which calls the blocks.
    pub fn entry(&self, blocks: &[Block]) -> String {
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
