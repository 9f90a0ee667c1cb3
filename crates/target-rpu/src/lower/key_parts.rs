//! Parts of keys that lie joined in off-chip memory.
//!
//! A key is an array among a kernel's parameters and stays the same from call to call. Where sums of
//! products are made modulo several primes at once (`Kind::Join`), its parts are wanted joined too:
//! whoever writes the key into memory writes them so, once, and no program does it. For
//! `mul_relin@7` of `16384-7x54` 56 towers are brought in place of 112, and there are half the products.
//!
//! **Space.** Groups of primes begin at the first, so what kernels of all levels want of an item,
//! groups and the shorter ones with which a level ends, are no more towers than the item has primes. Only
//! where some kernels are quicker without joined primes do parts lie there twice, which is a run's own
//! space.

use ringwright_arith::{Modulus, Word};
use ringwright_ir::RunError;
use ringwright_towers::{Graph, Kind, Node, TowerId, Val, Words};
use std::collections::HashSet;
use std::sync::Arc;

/// Towers of a key joined to one, which memory holds before the part runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPart {
    /// The tower.
    pub tower: TowerId,
    /// The parameters' towers that it joins.
    pub of: Arc<[TowerId]>,
    /// For each of them, the number that is 1 modulo its prime and 0 modulo the others.
    pub factors: Arc<[u128]>,
    /// The product of the primes.
    pub modulus: u128,
}

impl KeyPart {
    /// Its words, from those of the towers that it joins.
    pub fn words<W: Word>(&self, of: &[Words<W>]) -> Result<Vec<u128>, RunError> {
        let q = Modulus::new(self.modulus).map_err(|e| RunError::Invalid(e.to_string()))?;
        let n = of.first().map_or(0, |words| words.len());
        let word = |at: usize| {
            let terms = of.iter().zip(&*self.factors);
            let terms = terms.map(|(words, &factor)| q.mul(words[at].to_u128(), factor));
            terms.fold(0, |sum, term| q.add(sum, term))
        };
        Ok((0..n).map(word).collect())
    }
}

/// The graph without the joining of arrays' towers, and what memory holds in its place.
pub fn without_key_parts(graph: &Graph, prime: impl Fn(TowerId) -> u128) -> (Graph, Vec<KeyPart>) {
    let arrays = graph
        .params
        .iter()
        .filter(|value| matches!(value, Val::Array(_)));
    let of_arrays: HashSet<TowerId> = arrays.flat_map(Val::towers).collect();
    let mut rest = Graph {
        nodes: Vec::new(),
        ..graph.clone()
    };
    let mut parts = Vec::new();
    for node in &graph.nodes {
        match node {
            Node {
                kind: Kind::Join { constants, .. },
                args,
                result,
                ..
            } if args.iter().all(|arg| of_arrays.contains(arg)) => {
                let factors = &graph.constants[constants.0 as usize..][..args.len()];
                parts.push(KeyPart {
                    tower: *result,
                    of: args.as_slice().into(),
                    factors: factors.into(),
                    modulus: args.iter().map(|&arg| prime(arg)).product(),
                });
            }
            _ => rest.nodes.push(node.clone()),
        }
    }
    (rest, parts)
}
