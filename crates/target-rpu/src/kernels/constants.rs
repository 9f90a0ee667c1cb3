//! What the symbols of a table are modulo one prime.

use super::table::Symbol;
use ringwright_arith::bits::bit_reverse;
use ringwright_arith::roots::minimal_primitive_root_2n;
use ringwright_arith::Modulus;

/// The constants of one prime.
pub struct Constants {
    modulus: Modulus<u64>,
    /// psi^i for i below 2N.
    powers: Vec<u64>,
    inverse_n: u64,
    log_n: u32,
}

impl Constants {
    /// For degree 2^`log_n`; an error where the prime has no 2N-th root of unity.
    pub fn new(log_n: u32, q: u64) -> Result<Self, String> {
        let modulus = Modulus::<u64>::new(q).map_err(|error| format!("prime {q}: {error}"))?;
        let psi = minimal_primitive_root_2n(&modulus, log_n)
            .map_err(|error| format!("prime {q}, N = 2^{log_n}: {error}"))?;
        let mut powers = Vec::with_capacity(2 << log_n);
        powers.push(1);
        for i in 1..2usize << log_n {
            powers.push(modulus.mul(powers[i - 1], psi));
        }
        let inverse_n = modulus
            .inv(modulus.reduce(1 << log_n))
            .ok_or_else(|| format!("prime {q} divides N"))?;
        Ok(Constants {
            modulus,
            powers,
            inverse_n,
            log_n,
        })
    }

    /// The prime.
    pub fn modulus(&self) -> u64 {
        self.modulus.value()
    }

    /// 1/N.
    pub fn inverse_n(&self) -> u64 {
        self.inverse_n
    }

    /// The value of a symbol.
    pub fn value(&self, symbol: Symbol) -> u64 {
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

    fn power(&self, i: u32) -> u64 {
        self.powers[bit_reverse(i as usize, self.log_n)]
    }

    fn inverse_power(&self, i: u32) -> u64 {
        let exponent = bit_reverse(i as usize, self.log_n);
        self.powers[(self.powers.len() - exponent) % self.powers.len()]
    }
}
