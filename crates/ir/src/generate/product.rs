//! A product of ciphertexts of two parts, relinearised, as a ring program.

use crate::ring::composites::key_switch;
use crate::ring::{Basis, Domain, FuncId, Module, ModuleBuilder, Type};
use ringwright_arith::primes::ntt_primes;

/// A module that has the function, and what that takes: four polynomials and a key.
pub struct Product {
    /// Nothing else is in it.
    pub module: ModuleBuilder,
    /// The product.
    pub function: FuncId,
    /// What it takes four of.
    pub polynomial: Type,
    /// What it takes behind them.
    pub key: Type,
}

impl Product {
    /// (a0, a1) times (b0, b1) under `levels` primes, with `digit` primes a digit and as many special ones.
    ///
    /// # Panics
    /// Where there are not so many primes of these bits.
    pub fn new(log_n: u32, bits: u32, levels: u16, digit: u16) -> Self {
        let all = levels + digit;
        let primes = ntt_primes(bits, log_n, all.into()).expect("enough primes");
        let mut module = ModuleBuilder::new(log_n, &primes);
        let (q, p) = (Basis::range(0..levels), Basis::range(levels..all));
        let full = q.join(&p);
        let switch = key_switch(&mut module, &q, &p, &full, digit).expect("valid");
        let polynomial = Type::poly(&q, Domain::Eval);
        let key = Type::array(&full, Domain::Eval, 2 * levels.div_ceil(digit));
        let mut fb = module.function("product");
        let names = ["a0", "a1", "b0", "b1"];
        let [a0, a1, b0, b1] = names.map(|name| fb.param(name, polynomial.clone(), false));
        let k = fb.param("k", key.clone(), false);
        let d0 = fb.mul(a0, b0).expect("same form");
        let left = fb.mul(a0, b1).expect("same form");
        let right = fb.mul(a1, b0).expect("same form");
        let d1 = fb.add(left, right).expect("same form");
        let d2 = fb.mul(a1, b1).expect("same form");
        let switched = fb.call(switch, &[d2, k]).expect("its arguments");
        let c0 = fb.add(d0, switched[0]).expect("same form");
        let c1 = fb.add(d1, switched[1]).expect("same form");
        let function = fb.finish(&[c0, c1]).expect("sound");
        Product {
            module,
            function,
            polynomial,
            key,
        }
    }

    /// One call of it.
    pub fn alone(self) -> Module {
        let Product {
            mut module,
            function,
            polynomial,
            key,
        } = self;
        let mut fb = module.function("main");
        let names = ["a0", "a1", "b0", "b1"];
        let mut given = names
            .map(|name| fb.param(name, polynomial.clone(), false))
            .to_vec();
        given.push(fb.param("k", key, false));
        let results = fb.call(function, &given).expect("its arguments");
        let main = fb.finish(&results).expect("sound");
        module.finish(main).expect("sound")
    }
}
