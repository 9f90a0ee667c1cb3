//! Which parameters are secure: the table of modulus sizes for ternary secrets.
//!
//! Security of ring-LWE with a ternary secret and error deviation near 3.2 is set by the ring
//! degree N and the largest modulus any published value is held under: ciphertext primes *and*
//! special primes, because evaluation keys live under both. The limits are the classical 128-bit
//! column of the homomorphic encryption security standard (Albrecht et al., 2018, table 1,
//! ternary secrets) for N = 2^10 .. 2^15; the standard stops there, and the entry for 2^16 is the
//! one OpenFHE uses (`stdlatticeparms`, HEStd_128_classic, ternary).
//!
//! Parameters beyond the table exist only with an explicit word: [`Insecure`] in code, the
//! `insecure` field of a literal in data.

/// Named in a call, consents to something that no secret may depend on: parameters beyond the
/// table, or a caller's own seed. For tests, vectors and experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Insecure;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// log2 of the ring degree.
    pub log_n: u32,
    /// Largest log2 of the product of all primes at 128 bits of security.
    pub max_log_qp: u32,
    /// Where the limit was published.
    pub source: &'static str,
}

/// Where the limits for N = 2^10 .. 2^15 come from.
pub const STANDARD: &str = "HE security standard 2018, table 1: 128 bits classical, ternary secret";
/// Where the limit for N = 2^16 comes from.
pub const OPENFHE: &str = "OpenFHE stdlatticeparms: HEStd_128_classic, ternary secret";

const fn standard(log_n: u32, max_log_qp: u32) -> Limit {
    Limit {
        log_n,
        max_log_qp,
        source: STANDARD,
    }
}

/// Largest log2(Q·P) for 128 bits of security, by ring degree.
pub const LIMITS: [Limit; 7] = [
    standard(10, 27),
    standard(11, 54),
    standard(12, 109),
    standard(13, 218),
    standard(14, 438),
    standard(15, 881),
    Limit {
        log_n: 16,
        max_log_qp: 1747,
        source: OPENFHE,
    },
];

/// The security of a parameter set; it stands in every result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Security {
    /// log2 of the product of all primes, special primes included.
    pub log_qp: f64,
    /// The row it was held to; `None` where the table has none for this degree.
    pub limit: Option<Limit>,
    secure: bool,
}

impl Security {
    /// 128, or 0 for parameters beyond the table.
    pub fn bits(&self) -> u32 {
        if self.secure {
            128
        } else {
            0
        }
    }

    /// Whether the parameters are within the table.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// Where the limit was published.
    pub fn source(&self) -> &'static str {
        self.limit
            .map_or("no published limit for this ring degree", |limit| {
                limit.source
            })
    }
}

/// Parameters beyond the table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SecurityError {
    /// More modulus than the degree carries.
    #[error(
        "N = {n} with log2(QP) = {log_qp:.1} is beyond the 128-bit limit of {limit} bits \
         ({source_text}); {advice}; or pass insecure to accept no security"
    )]
    TooManyBits {
        /// Ring degree given.
        n: usize,
        /// Modulus given.
        log_qp: f64,
        /// Modulus allowed.
        limit: u32,
        /// Where the limit was published.
        source_text: &'static str,
        /// The degree that would carry this modulus.
        advice: String,
    },
    /// A degree outside the table.
    #[error(
        "N = {n} has no entry in the 128-bit table (N = {smallest} to {largest}); \
         pass insecure to accept no security"
    )]
    NoLimit {
        /// Ring degree given.
        n: usize,
        /// Smallest degree of the table.
        smallest: usize,
        /// Largest degree of the table.
        largest: usize,
    },
}

/// The table's row for a degree.
pub fn limit(log_n: u32) -> Option<Limit> {
    LIMITS.into_iter().find(|limit| limit.log_n == log_n)
}

/// log2 of the smallest degree that carries a modulus of `log_qp` bits at 128 bits of security.
pub fn smallest_log_n(log_qp: f64) -> Option<u32> {
    LIMITS
        .into_iter()
        .find(|limit| log_qp <= f64::from(limit.max_log_qp))
        .map(|limit| limit.log_n)
}

/// Holds a degree and a modulus to the table.
///
/// # Errors
/// Beyond the table without `insecure`: what was given, what is allowed, what would carry it.
pub fn check(
    log_n: u32,
    log_qp: f64,
    insecure: Option<Insecure>,
) -> Result<Security, SecurityError> {
    let limit = limit(log_n);
    let secure = limit.is_some_and(|limit| log_qp <= f64::from(limit.max_log_qp));
    if secure || insecure.is_some() {
        return Ok(Security {
            log_qp,
            limit,
            secure,
        });
    }
    let n = 1usize << log_n;
    Err(match limit {
        Some(limit) => SecurityError::TooManyBits {
            n,
            log_qp,
            limit: limit.max_log_qp,
            source_text: limit.source,
            advice: advice(log_qp),
        },
        None => SecurityError::NoLimit {
            n,
            smallest: 1 << LIMITS[0].log_n,
            largest: 1 << LIMITS[LIMITS.len() - 1].log_n,
        },
    })
}

fn advice(log_qp: f64) -> String {
    match smallest_log_n(log_qp) {
        Some(log_n) => format!("the smallest N that carries it is {}", 1usize << log_n),
        None => "no N of the table carries it".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_allowed_and_one_bit_more_is_not() {
        for row in LIMITS {
            let limit = f64::from(row.max_log_qp);
            assert_eq!(check(row.log_n, limit, None).unwrap().bits(), 128);
            let refused = check(row.log_n, limit + 1.0, None).unwrap_err().to_string();
            assert!(refused.contains(&row.max_log_qp.to_string()), "{refused}");
            assert!(refused.contains(row.source), "{refused}");
            let accepted = check(row.log_n, limit + 1.0, Some(Insecure)).unwrap();
            assert_eq!(accepted.bits(), 0);
        }
    }

    #[test]
    fn limits_grow_with_the_degree() {
        for pair in LIMITS.windows(2) {
            assert_eq!(pair[1].log_n, pair[0].log_n + 1);
            assert!(pair[1].max_log_qp > pair[0].max_log_qp);
        }
    }

    #[test]
    fn the_error_names_the_degree_that_carries_the_modulus() {
        let refused = check(10, 100.0, None).unwrap_err().to_string();
        assert!(
            refused.contains("smallest N that carries it is 4096"),
            "{refused}"
        );
        let refused = check(9, 20.0, None).unwrap_err().to_string();
        assert!(refused.contains("N = 512 has no entry"), "{refused}");
    }
}
