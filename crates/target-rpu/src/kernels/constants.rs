//! What the symbols of a table are modulo one prime, or a product of primes.
//!
//! Modulo a product, psi is the number that is each prime's own psi modulo that prime: a transform
//! with it is the transform under every prime.

use super::table::Symbol;
use ringwright_arith::bits::bit_reverse;
use ringwright_arith::roots::minimal_primitive_root_2n;
use ringwright_arith::Modulus;

/// The constants of one modulus.
pub struct Constants {
    modulus: Modulus<u128>,
    /// psi^i for i below 2N.
    powers: Vec<u128>,
    inverse_n: u128,
    log_n: u32,
}

impl Constants {
    /// For degree 2^`log_n` modulo the product of `primes`; an error where one has no 2N-th root of
    /// unity.
    pub fn new(log_n: u32, primes: &[u128]) -> Result<Self, String> {
        let (q, psi) = root(log_n, primes)?;
        let modulus = Modulus::new(q).map_err(|error| format!("modulus {q}: {error}"))?;
        let mut powers = Vec::with_capacity(2 << log_n);
        powers.push(1);
        for i in 1..2usize << log_n {
            powers.push(modulus.mul(powers[i - 1], psi));
        }
        let inverse_n = modulus
            .inv(modulus.reduce(1 << log_n))
            .ok_or_else(|| format!("modulus {q} has a factor of N"))?;
        Ok(Constants {
            modulus,
            powers,
            inverse_n,
            log_n,
        })
    }

    /// The modulus.
    pub fn modulus(&self) -> u128 {
        self.modulus.value()
    }

    /// 1/N.
    pub fn inverse_n(&self) -> u128 {
        self.inverse_n
    }

    /// The value of a symbol.
    pub fn value(&self, symbol: Symbol) -> u128 {
        match symbol {
            Symbol::Power(i) => self.power(i),
            Symbol::InversePower(i) => self.inverse_power(i),
            Symbol::ScaledInversePower(i) => {
                self.modulus.mul(self.inverse_power(i), self.inverse_n)
            }
            Symbol::Factor(factor) => {
                let power = self.powers[factor.exponent as usize % self.powers.len()];
                match factor.scaled {
                    true => self.modulus.mul(power, self.inverse_n),
                    false => power,
                }
            }
            Symbol::Zero => 0,
            Symbol::One => 1,
            Symbol::MinusOne => self.modulus.value() - 1,
        }
    }

    fn power(&self, i: u32) -> u128 {
        self.powers[bit_reverse(i as usize, self.log_n)]
    }

    fn inverse_power(&self, i: u32) -> u128 {
        let exponent = bit_reverse(i as usize, self.log_n);
        self.powers[(self.powers.len() - exponent) % self.powers.len()]
    }
}

/// The product of the primes, and psi modulo it, prime by prime.
fn root(log_n: u32, primes: &[u128]) -> Result<(u128, u128), String> {
    let (mut product, mut psi) = (1u128, 0u128);
    for &q in primes {
        let modulus = Modulus::new(q).map_err(|error| format!("prime {q}: {error}"))?;
        let own = minimal_primitive_root_2n(&modulus, log_n)
            .map_err(|error| format!("prime {q}, N = 2^{log_n}: {error}"))?;
        let missing = modulus.sub(own, modulus.reduce(psi));
        let inverse = modulus.inv(modulus.reduce(product));
        let inverse = inverse.ok_or_else(|| format!("prime {q} stands twice in a product"))?;
        psi += product * modulus.mul(missing, inverse);
        let wider = product.checked_mul(q);
        product = wider.ok_or_else(|| format!("{product} times {q} exceeds 128 bits"))?;
    }
    Ok((product, psi))
}
