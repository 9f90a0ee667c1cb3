//! Which products a polynomial is made of.
//!
//! A node is q_1·B_(2^m1) + q_2·B_(2^m2) + … + Σ c_i B_i, the quotients nodes themselves and the
//! i below 2^l. A node that may use b levels takes quotients and products of b - 1 levels, and
//! terms up to i = 2^(b-1), whose coefficients take the last level. The one choice is l: small, and
//! there are many quotients; large, and there are many B_i. Every l is counted and the cheapest
//! kept; for degree 31 that is l = 2 with 10 key switches, where sharing nothing takes 13.

use super::{trimmed, Basis};
use std::collections::BTreeSet;

/// What an operation costs beside others: a key switch, a rescaling, a product of polynomials, in
/// the proportions of the CPU at N = 2^14.
const KEY_SWITCH: usize = 8;
const RESCALE: usize = 2;
const TENSOR: usize = 1;

/// A polynomial taken apart.
#[derive(Debug)]
pub(super) struct Plan {
    pub basis: Basis,
    pub root: Node,
}

/// Σ quotient·B_power + Σ terms_i B_i.
#[derive(Debug)]
pub(super) struct Node {
    /// The whole of it, for its bound.
    pub coefficients: Vec<f64>,
    pub products: Vec<(usize, Node)>,
    pub terms: Vec<f64>,
}

/// ceil(log2(n)): levels that a product of n factors takes.
pub(super) fn depth_of(n: usize) -> usize {
    n.next_power_of_two().ilog2() as usize
}

/// How B_i is formed of two others, i at least 2: their indices differ by 1 at most.
pub(super) fn halves(i: usize) -> (usize, usize) {
    (i.div_ceil(2), i / 2)
}

impl Plan {
    /// The cheapest for these coefficients, of least depth.
    pub fn cheapest(basis: Basis, coefficients: &[f64]) -> Self {
        let levels = depth_of(coefficients.len());
        let plans = (1..=levels as u32).map(|short| Self {
            basis,
            root: node(basis, coefficients, levels, short),
        });
        plans
            .min_by_key(Self::cost)
            .unwrap_or_else(|| unreachable!("a polynomial of degree 1 takes one level"))
    }

    fn cost(&self) -> usize {
        let mut powers = BTreeSet::new();
        let nodes = self.root.cost(&mut powers);
        let formed = powers.iter().filter(|&&i| i > 1).count();
        nodes + formed * (KEY_SWITCH + RESCALE + TENSOR)
    }
}

impl Node {
    /// Cost without the B_i, which are collected.
    fn cost(&self, powers: &mut BTreeSet<usize>) -> usize {
        for (i, _) in self.terms() {
            require(i, powers);
        }
        let mut cost = RESCALE;
        for (power, quotient) in &self.products {
            require(*power, powers);
            cost += TENSOR + quotient.cost(powers);
        }
        cost + KEY_SWITCH * usize::from(!self.products.is_empty())
    }

    /// Terms but the constant, with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let all = self.terms.iter().copied().enumerate();
        all.skip(1).filter(|&(_, c)| c != 0.0)
    }
}

/// Adds B_i and all that it is formed of.
fn require(i: usize, powers: &mut BTreeSet<usize>) {
    if i > 0 && powers.insert(i) && i > 1 {
        let (a, b) = halves(i);
        require(a, powers);
        require(b, powers);
    }
}

fn node(basis: Basis, coefficients: &[f64], levels: usize, short: u32) -> Node {
    let mut rest = trimmed(coefficients).to_vec();
    let mut scalars = Vec::new();
    let mut products = Vec::new();
    while !is_short(&rest, levels, short) {
        let power = 1 << (rest.len() - 1).ilog2();
        let (quotient, remainder) = divided(basis, &rest, power);
        match quotient[..] {
            [scalar] => scalars.push((power, scalar)),
            _ => products.push((power, node(basis, &quotient, levels - 1, short))),
        }
        rest = remainder;
    }
    for (power, scalar) in scalars {
        rest.resize(rest.len().max(power + 1), 0.0);
        rest[power] = scalar;
    }
    Node {
        coefficients: trimmed(coefficients).to_vec(),
        products,
        terms: rest,
    }
}

/// Whether every term can be formed with these levels, and none is beyond 2^short.
fn is_short(rest: &[f64], levels: usize, short: u32) -> bool {
    rest.len() <= 2 || (rest.len() <= 1 << short && depth_of(rest.len() - 1) < levels)
}

/// (q, r) with p = q·B_k + r; the degree of p is below 2k.
fn divided(basis: Basis, p: &[f64], k: usize) -> (Vec<f64>, Vec<f64>) {
    let (low, high) = p.split_at(k);
    let (mut quotient, mut remainder) = (high.to_vec(), low.to_vec());
    if basis == Basis::Chebyshev {
        for j in 1..high.len() {
            quotient[j] *= 2.0;
            remainder[k - j] -= high[j];
        }
    }
    (quotient, trimmed(&remainder).to_vec())
}

#[cfg(test)]
mod tests {
    use super::super::value;
    use super::*;

    /// Value of a node with every product formed.
    fn composed(basis: Basis, node: &Node, x: f64) -> f64 {
        let power = |k: usize| {
            let mut unit = vec![0.0; k + 1];
            unit[k] = 1.0;
            value(basis, &unit, x)
        };
        let products = node.products.iter();
        let products = products.map(|(k, q)| power(*k) * composed(basis, q, x));
        products.sum::<f64>() + value(basis, &node.terms, x)
    }

    /// Levels that a node takes, or `None` where a B_i comes too late for its place.
    fn levels(node: &Node) -> usize {
        let terms = node.terms().map(|(i, _)| depth_of(i));
        let products = node.products.iter();
        let products = products.map(|(k, q)| depth_of(*k).max(levels(q)));
        1 + terms.chain(products).max().unwrap_or(0)
    }

    fn coefficients(degree: usize) -> Vec<f64> {
        (0..=degree)
            .map(|i| 1.0 / (1.0 + (i * i % 7) as f64))
            .collect()
    }

    #[test]
    fn a_plan_is_its_polynomial_at_least_depth() {
        for basis in [Basis::Power, Basis::Chebyshev] {
            for degree in 1..70 {
                let p = coefficients(degree);
                let plan = Plan::cheapest(basis, &p);
                assert_eq!(levels(&plan.root), depth_of(degree + 1), "degree {degree}");
                for x in [-1.0, -0.3, 0.0, 0.77, 1.0] {
                    let (got, want) = (composed(basis, &plan.root, x), value(basis, &p, x));
                    assert!(
                        (got - want).abs() < 1e-9,
                        "degree {degree} at {x}: {got}, {want}"
                    );
                }
            }
        }
    }

    #[test]
    fn odd_polynomials_form_no_even_terms() {
        let mut p = coefficients(31);
        p.iter_mut().step_by(2).for_each(|c| *c = 0.0);
        fn even_terms(node: &Node) -> usize {
            let own = node.terms().filter(|(i, _)| i % 2 == 0).count();
            own + node
                .products
                .iter()
                .map(|(_, q)| even_terms(q))
                .sum::<usize>()
        }
        let root = Plan::cheapest(Basis::Chebyshev, &p).root;
        assert_eq!(even_terms(&root), 0);
    }
}
