//! Graphs of the composites with fewer operations than their expansions, and the same bits.
//!
//! * **Basis extension** to a prime of the argument's own basis is the argument's tower. From one
//!   prime it is one centred reduction; from several, one extension per target prime.
//! * **ModDown** runs per target tower: extend, transform, subtract, multiply by 1/P. Only the special
//!   towers are transformed back.
//! * **KeySwitch** (hybrid, Han and Ki 2020) runs per target tower: every digit is extended and
//!   transformed and multiplied into both sums, at most [`PAIRS`] digits at a time, whose products
//!   are one operation. A digit's own towers are used as they come, without a transform.
//!
//! Of 7 digits on a processor with 512 KiB of second-level cache, all at a time take 3 % less than
//! four and 8 % less than two. Dropped: 13 digits at a time, which push everything else out of 2 MiB.

use crate::graph::{Graph, Kind, OriginId, TowerId};
use crate::invalid;
use ringwright_arith::Modulus;
use ringwright_ir::ring::{Basis, Composite, Domain, Function, Module, TowerIdx, Type};
use ringwright_ir::RunError;

/// Digits that are at hand at once, and products in one sum, at most.
const PAIRS: usize = 8;

/// Appends the graph of a call of `callee`, a composite, and gives the towers of its results.
pub fn expand(
    graph: &mut Graph,
    module: &Module,
    callee: &Function,
    composite: Composite,
    args: &[Vec<TowerId>],
    origin: OriginId,
) -> Result<Vec<Vec<TowerId>>, RunError> {
    let mut fused = Fused {
        graph,
        module,
        origin,
    };
    let types: Vec<&Type> = callee.params.iter().map(|p| &p.ty).collect();
    let target = callee.returns.first().and_then(|&v| callee.ty(v).basis());
    match (composite, types.as_slice(), target, args) {
        (Composite::BasisExtension, [x], Some(to), [towers]) => {
            Ok(vec![fused.extend(towers, basis(x)?, to)])
        }
        (Composite::ModDown, [x], Some(to), [towers]) => {
            let domain = x.domain().unwrap_or(Domain::Coeff);
            Ok(vec![fused.mod_down(towers, basis(x)?, to, domain)?])
        }
        (Composite::KeySwitch { digit, special }, [_, key], Some(q), [x, items]) => {
            let full = basis(key)?;
            let p = full.slice(full.len().saturating_sub(usize::from(special))..full.len());
            let switch = KeySwitch {
                q,
                p: &p,
                full,
                digit: usize::from(digit.max(1)),
            };
            switch.expand(&mut fused, x, items)
        }
        _ => Err(invalid(
            "a composite whose signature is not that of its tag",
        )),
    }
}

fn basis(ty: &Type) -> Result<&Basis, RunError> {
    ty.basis()
        .ok_or_else(|| invalid("a seed as operand of a composite"))
}

/// Appends operations of one composite to a graph.
struct Fused<'a> {
    graph: &'a mut Graph,
    module: &'a Module,
    origin: OriginId,
}

impl Fused<'_> {
    fn push(&mut self, prime: TowerIdx, kind: Kind, args: Vec<TowerId>) -> TowerId {
        self.graph.push(prime, kind, args, self.origin)
    }

    fn extend(&mut self, x: &[TowerId], from: &Basis, to: &Basis) -> Vec<TowerId> {
        let each = to.iter().map(|target| self.extend_to(x, from, target));
        each.collect()
    }

    /// The centred value of `x` under one prime.
    fn extend_to(&mut self, x: &[TowerId], from: &Basis, target: TowerIdx) -> TowerId {
        if let Some(own) = from.position(target) {
            return x[own];
        }
        let kind = match from.0.as_slice() {
            [only] => Kind::SwitchCentred { from: *only },
            several => Kind::Extend {
                from: several.into(),
            },
        };
        self.push(target, kind, x.to_vec())
    }

    fn mod_down(
        &mut self,
        x: &[TowerId],
        from: &Basis,
        to: &Basis,
        domain: Domain,
    ) -> Result<Vec<TowerId>, RunError> {
        let p = from.slice(to.len()..from.len());
        let special = p.iter().zip(&x[to.len()..]);
        let special: Vec<TowerId> = match domain {
            Domain::Coeff => special.map(|(_, &x)| x).collect(),
            Domain::Eval => special
                .map(|(t, &x)| self.push(t, Kind::Intt, vec![x]))
                .collect(),
        };
        let towers = to.iter().zip(x);
        towers
            .map(|(target, &x)| self.divide(x, &special, &p, target, domain))
            .collect()
    }

    /// (x - the centred value of `special`) / P under one prime.
    fn divide(
        &mut self,
        x: TowerId,
        special: &[TowerId],
        p: &Basis,
        target: TowerIdx,
        domain: Domain,
    ) -> Result<TowerId, RunError> {
        let mut remainder = self.extend_to(special, p, target);
        if domain == Domain::Eval {
            remainder = self.push(target, Kind::Ntt, vec![remainder]);
        }
        let inverse = self.inverse_of_product(p, target)?;
        let difference = self.push(target, Kind::Sub, vec![x, remainder]);
        let inverse = self.graph.add_constant(inverse);
        Ok(self.push(target, Kind::MulScalar(inverse), vec![difference]))
    }

    fn inverse_of_product(&self, p: &Basis, target: TowerIdx) -> Result<u128, RunError> {
        let prime = |tower| self.module.prime(tower);
        let q = Modulus::<u128>::new(prime(target)).map_err(|error| invalid(&error.to_string()))?;
        let product = p
            .iter()
            .fold(1, |product, t| q.mul(product, q.reduce(prime(t))));
        q.inv(product)
            .ok_or_else(|| invalid("a special prime is also a target of mod_down"))
    }
}

/// The bases of one key switch.
struct KeySwitch<'a> {
    q: &'a Basis,
    p: &'a Basis,
    full: &'a Basis,
    digit: usize,
}

impl KeySwitch<'_> {
    fn expand(
        &self,
        fused: &mut Fused<'_>,
        x: &[TowerId],
        key: &[TowerId],
    ) -> Result<Vec<Vec<TowerId>>, RunError> {
        let towers = self.q.iter().zip(x);
        let coefficients: Vec<TowerId> = towers
            .map(|(t, &x)| fused.push(t, Kind::Intt, vec![x]))
            .collect();
        let extended = self.q.join(self.p);
        let mut sums = [Vec::new(), Vec::new()];
        for target in extended.iter() {
            let sum = self.inner_product(fused, x, &coefficients, key, target)?;
            sums[0].push(sum[0]);
            sums[1].push(sum[1]);
        }
        let down = |sum: &Vec<TowerId>| fused.mod_down(sum, &extended, self.q, Domain::Eval);
        sums.iter().map(down).collect()
    }

    /// Both sums of digits times key under one prime.
    fn inner_product(
        &self,
        fused: &mut Fused<'_>,
        x: &[TowerId],
        coefficients: &[TowerId],
        key: &[TowerId],
        target: TowerIdx,
    ) -> Result<[TowerId; 2], RunError> {
        let place = self.full.position(target);
        let place = place.ok_or_else(|| invalid("a tower that the key does not have"))?;
        let items = key.chunks_exact(self.full.len()).map(|item| item[place]);
        let key: Vec<TowerId> = items.collect();
        let digits: Vec<&[TowerIdx]> = self.q.0.chunks(self.digit).collect();
        if key.len() < 2 * digits.len() {
            return Err(invalid("a key with fewer items than the digits need"));
        }
        let mut sums: [Option<TowerId>; 2] = [None, None];
        let groups = digits.len().div_ceil(PAIRS).max(1);
        let size = digits.len().div_ceil(groups).max(1);
        for (group, members) in digits.chunks(size).enumerate() {
            let first = group * size;
            let indices = first..first + members.len();
            let raised: Vec<TowerId> = indices
                .clone()
                .map(|digit| self.raise(fused, x, coefficients, digit, target))
                .collect();
            for (half, sum) in sums.iter_mut().enumerate() {
                let keys = indices.clone().map(|digit| key[2 * digit + half]);
                let pairs = raised.iter().zip(keys).flat_map(|(&e, k)| [e, k]);
                let kind = Kind::InnerProduct {
                    pairs: members.len() as u8,
                    plus: sum.is_some(),
                };
                let args = pairs.chain(*sum).collect();
                *sum = Some(fused.push(target, kind, args));
            }
        }
        match sums {
            [Some(b), Some(a)] => Ok([b, a]),
            _ => Err(invalid("a key switch of no tower")),
        }
    }

    /// Digit `index` under `target`, in evaluation form.
    fn raise(
        &self,
        fused: &mut Fused<'_>,
        x: &[TowerId],
        coefficients: &[TowerId],
        index: usize,
        target: TowerIdx,
    ) -> TowerId {
        let positions = index * self.digit..((index + 1) * self.digit).min(self.q.len());
        let group = self.q.slice(positions.clone());
        if let Some(own) = group.position(target) {
            return x[positions.start + own];
        }
        let lifted = fused.extend_to(&coefficients[positions], &group, target);
        fused.push(target, Kind::Ntt, vec![lifted])
    }
}
