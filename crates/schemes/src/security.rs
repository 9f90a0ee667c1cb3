//! Which parameters are secure: tables of modulus sizes, by ring degree and by how secrets are drawn.
//!
//! Security of ring-LWE with error deviation near 3.2 is set by the ring degree N, the secret's
//! distribution and the largest modulus any published value is held under: ciphertext primes *and*
//! special primes, because evaluation keys live under both.
//!
//! **Two tables for ternary secrets.** The homomorphic encryption security standard of 2018 is the
//! gate: parameters beyond its 128-bit column exist only with an explicit word, [`Insecure`] in code,
//! the `insecure` field of a literal in data. The guidelines of 2024 are stricter by a few bits; every
//! result carries both verdicts. Where the standard has no row (N beyond 2^15) the guidelines gate.
//!
//! **Sparse secrets** have rows as the lattice estimator rates them: of published sets, and of one more for
//! the ring half as large. Rotations of the ring help a hybrid attack on them (ePrint 2026/279), which that
//! estimator does not know; so no row is stretched to a modulus that was not rated, and weight 32 has rows
//! for encapsulated keys alone: keys under the two smallest primes, between which and the dense secret one switches (Bossuat,
//! Troncoso-Pastoriza, Hubaux, "Bootstrapping for Approximate Homomorphic Encryption with Negligible
//! Failure-Probability by Using Sparse-Secret Encapsulation", ACNS 2022).

use std::fmt;

/// Named in a call, consents to something that no secret may depend on: parameters beyond the
/// table, or a caller's own seed. For tests, vectors and experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Insecure;

/// How the coefficients of a secret are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secret {
    /// Each is -1, 0 or 1 with equal probability.
    Ternary,
    /// So many are -1 or 1, the others 0.
    Sparse {
        /// Coefficients that are not 0.
        weight: u32,
    },
    /// The same, for a key that lives under the two smallest primes only.
    Encapsulated {
        /// Coefficients that are not 0.
        weight: u32,
    },
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Secret::Ternary => f.write_str("uniform ternary secret"),
            Secret::Sparse { weight } => write!(f, "secret of Hamming weight {weight}"),
            Secret::Encapsulated { weight } => {
                write!(f, "encapsulated secret of Hamming weight {weight}")
            }
        }
    }
}

/// Who says how large a modulus may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Albrecht et al., "Homomorphic Encryption Standard", version 1.1, 2018.
    Standard2018,
    /// Bossuat et al., "Security Guidelines for Implementing Homomorphic Encryption", 2024.
    Guidelines2024,
    /// Sets with sparse secrets, rated by the lattice estimator.
    Estimates,
}

impl Table {
    /// Every table, the gate first.
    pub const ALL: [Table; 3] = [Table::Standard2018, Table::Guidelines2024, Table::Estimates];

    /// For reports: `2018`, `2024`, `estimate`.
    pub fn name(self) -> &'static str {
        match self {
            Table::Standard2018 => "2018",
            Table::Guidelines2024 => "2024",
            Table::Estimates => "estimate",
        }
    }

    /// Where its numbers were read.
    pub fn source(self) -> &'static str {
        match self {
            Table::Standard2018 => {
                "Homomorphic Encryption Security Standard 1.1 (2018), classical, ternary secret; read as \
                 SEAL's native/src/seal/util/hestdparms.h has it"
            }
            Table::Guidelines2024 => {
                "Security Guidelines for Implementing Homomorphic Encryption (ePrint 2024/463), \
                 classical, ternary secret; read as the repository HomomorphicEncryption/SparseLWEkit has \
                 it, made by the guidelines' own script"
            }
            Table::Estimates => {
                "sets rated by the lattice estimator (commit 6019056), the smallest of its attacks; the ring's rotations (ePrint 2026/279) are not in it"
            }
        }
    }
}

/// Largest moduli at one security level: pairs of log2 N and log2(Q·P).
struct Column {
    table: Table,
    secret: Secret,
    bits: u32,
    limits: &'static [(u32, u32)],
}

const fn ternary(table: Table, bits: u32, limits: &'static [(u32, u32)]) -> Column {
    Column {
        table,
        secret: Secret::Ternary,
        bits,
        limits,
    }
}

#[rustfmt::skip]
const COLUMNS: [Column; 8] = [
    ternary(Table::Standard2018, 128, &[(10, 27), (11, 54), (12, 109), (13, 218), (14, 438), (15, 881)]),
    ternary(Table::Standard2018, 192, &[(10, 19), (11, 37), (12, 75), (13, 152), (14, 305), (15, 611)]),
    ternary(Table::Standard2018, 256, &[(10, 14), (11, 29), (12, 58), (13, 118), (14, 237), (15, 476)]),
    ternary(Table::Guidelines2024, 128,
        &[(10, 26), (11, 53), (12, 106), (13, 214), (14, 430), (15, 868), (16, 1747), (17, 3523)]),
    ternary(Table::Guidelines2024, 192,
        &[(11, 36), (12, 73), (13, 147), (14, 297), (15, 597), (16, 1199), (17, 2411)]),
    ternary(Table::Guidelines2024, 256,
        &[(11, 27), (12, 56), (13, 114), (14, 230), (15, 462), (16, 929)]),
    // 132.6 and 133.8 bits. HEaaN uses the second; OpenFHE and Lattigo have 1,553 bits.
    Column { table: Table::Estimates, secret: Secret::Sparse { weight: 192 }, bits: 128,
        limits: &[(15, 777), (16, 1555)] },
    // 153.1 and 171.9 bits, by bdd_mitm_hybrid. The second is Lattigo's first prime and special prime, which
    // others rated. The first was rated for this table, as n = m = 2^15, q = 2^100, 16 coefficients of either
    // sign, an error deviation of 3.2; (2^16, 2^121) gives the second so. 345 is claimed as the limit at
    // N = 2^16 after the ring's rotations, as others cite ePrint 2026/279; it was not read, so it is no row.
    Column { table: Table::Estimates, secret: Secret::Encapsulated { weight: 32 }, bits: 128,
        limits: &[(15, 100), (16, 121)] },
];

/// Levels that a table may rate parameters at, strongest first.
pub const LEVELS: [u32; 3] = [256, 192, 128];

/// The largest log2(Q·P) that a table allows at a level; `None` where it has no row.
pub fn limit(table: Table, secret: Secret, bits: u32, log_n: u32) -> Option<u32> {
    let column = COLUMNS
        .iter()
        .find(|column| (column.table, column.secret, column.bits) == (table, secret, bits))?;
    let row = column.limits.iter().find(|(row, _)| *row == log_n)?;
    Some(row.1)
}

/// What one table says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The table.
    pub table: Table,
    /// The strongest level whose limit holds: 256, 192, 128, or 0.
    pub bits: u32,
    /// Its 128-bit limit.
    pub limit: u32,
    /// Bits of modulus beyond that limit; 0 within.
    pub excess: f64,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (table, limit) = (self.table.name(), self.limit);
        match self.bits {
            0 => write!(f, "{table}: {:.1} bits beyond its {limit}", self.excess),
            bits => write!(f, "{table}: {bits} bits"),
        }
    }
}

/// The security of a parameter set; it stands in every result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Security {
    /// log2 of the ring degree.
    pub log_n: u32,
    /// log2 of the product of all primes that are known, special primes included.
    pub log_qp: f64,
    /// How the secret is drawn.
    pub secret: Secret,
    /// Whether `log_qp` has all of them.
    complete: bool,
}

impl Security {
    /// Of these primes; `complete` says that there are no others.
    pub fn new(log_n: u32, log_qp: f64, secret: Secret, complete: bool) -> Self {
        Self {
            log_n,
            log_qp,
            secret,
            complete,
        }
    }

    /// What every table says that has a row for the degree and the secret; the gate's word first.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let verdict = |table| {
            let at = |bits| limit(table, self.secret, bits, self.log_n);
            let allowed = at(128)?;
            let holds = |bits: &u32| at(*bits).is_some_and(|limit| self.log_qp <= f64::from(limit));
            Some(Verdict {
                table,
                bits: LEVELS.into_iter().find(holds).unwrap_or(0),
                limit: allowed,
                excess: (self.log_qp - f64::from(allowed)).max(0.0),
            })
        };
        Table::ALL.into_iter().filter_map(verdict).collect()
    }

    /// The verdict that decides; `None` where no table has a row.
    pub fn gate(&self) -> Option<Verdict> {
        self.verdicts().first().copied()
    }

    /// What the gate says: 128, 192, 256, or 0 beyond the table or outside of it; `None` where primes
    /// are not known that count.
    pub fn bits(&self) -> Option<u32> {
        match self.gate().map_or(0, |verdict| verdict.bits) {
            0 => Some(0),
            bits => self.complete.then_some(bits),
        }
    }

    /// Whether some primes were not there to be counted.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether what is known is beyond the table, or outside of it.
    pub fn is_beyond(&self) -> bool {
        self.bits() == Some(0)
    }

    /// Where the gate's limit was published.
    pub fn source(&self) -> &'static str {
        self.gate().map_or(
            "no published limit for this ring degree and secret",
            |verdict| verdict.table.source(),
        )
    }
}

impl fmt::Display for Security {
    /// `2018: 128 bits, 2024: 8.0 bits beyond its 430`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdicts = self.verdicts();
        if verdicts.is_empty() {
            return f.write_str("no table has a row for this ring degree and secret");
        }
        if self.bits().is_none() {
            return f.write_str(
                "unknown: the special primes were not read, an evaluation key would show them",
            );
        }
        let each: Vec<String> = verdicts.iter().map(Verdict::to_string).collect();
        f.write_str(&each.join(", "))
    }
}

/// Parameters beyond the table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SecurityError {
    /// More modulus than the degree carries.
    #[error(
        "N = {n} with log2(QP) = {log_qp:.1} and a {secret} is beyond the 128-bit limit of {limit} bits \
         ({source_text}); {advice}; or pass insecure to accept no security"
    )]
    TooManyBits {
        /// Ring degree given.
        n: usize,
        /// Modulus given.
        log_qp: f64,
        /// How the secret is drawn.
        secret: Secret,
        /// Modulus allowed.
        limit: u32,
        /// Where the limit was published.
        source_text: &'static str,
        /// The degree that would carry this modulus.
        advice: String,
    },
    /// A degree or a secret outside the tables.
    #[error(
        "N = {n} with a {secret} has no entry in the 128-bit tables ({known}); \
         pass insecure to accept no security"
    )]
    NoLimit {
        /// Ring degree given.
        n: usize,
        /// How the secret is drawn.
        secret: Secret,
        /// The entries there are.
        known: String,
    },
}

/// Ring degrees (log2) with their 128-bit limits for a secret, by whichever table decides there.
pub fn gates(secret: Secret) -> Vec<(u32, Verdict)> {
    let gate = |log_n| Some((log_n, Security::new(log_n, 0.0, secret, true).gate()?));
    (0..u32::from(u8::MAX)).filter_map(gate).collect()
}

/// The largest modulus that every table with a row allows at a level.
pub fn strictest(secret: Secret, bits: u32, log_n: u32) -> Option<u32> {
    let known = Table::ALL
        .into_iter()
        .filter(|&table| limit(table, secret, 128, log_n).is_some());
    let limits: Option<Vec<u32>> = known
        .map(|table| limit(table, secret, bits, log_n))
        .collect();
    limits?.into_iter().min()
}

/// log2 of the smallest degree that carries a modulus of `log_qp` bits at 128 bits by every table.
pub fn smallest_log_n(log_qp: f64) -> Option<u32> {
    gates(Secret::Ternary)
        .into_iter()
        .map(|(log_n, _)| log_n)
        .find(|&log_n| {
            strictest(Secret::Ternary, 128, log_n).is_some_and(|limit| log_qp <= f64::from(limit))
        })
}

/// Holds parameters to the gate.
///
/// # Errors
/// Beyond the table without `insecure`: what was given, what is allowed, what would carry it.
pub fn check(security: Security, insecure: Option<Insecure>) -> Result<Security, SecurityError> {
    if !security.is_beyond() || insecure.is_some() {
        return Ok(security);
    }
    let (n, secret, log_qp) = (1usize << security.log_n, security.secret, security.log_qp);
    Err(match security.gate() {
        Some(verdict) => SecurityError::TooManyBits {
            n,
            log_qp,
            secret,
            limit: verdict.limit,
            source_text: verdict.table.source(),
            advice: advice(secret, log_qp),
        },
        None => SecurityError::NoLimit {
            n,
            secret,
            known: known(secret),
        },
    })
}

fn advice(secret: Secret, log_qp: f64) -> String {
    let carrying = |(_, verdict): &&(u32, Verdict)| log_qp <= f64::from(verdict.limit);
    match gates(secret).iter().find(carrying) {
        Some((log_n, _)) => format!("the smallest N that carries it is {}", 1usize << log_n),
        None => "no N of the tables carries it".to_string(),
    }
}

fn known(secret: Secret) -> String {
    let all = gates(secret);
    match (all.first(), all.last()) {
        (Some((first, _)), Some((last, _))) => {
            format!("N = {} to {}", 1usize << first, 1usize << last)
        }
        _ => "none for such a secret".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn security(log_n: u32, log_qp: f64) -> Security {
        Security::new(log_n, log_qp, Secret::Ternary, true)
    }

    #[test]
    fn every_limit_is_allowed_and_one_bit_more_is_not() {
        for secret in COLUMNS.map(|column| column.secret) {
            for (log_n, gate) in gates(secret) {
                let at = |log_qp| Security::new(log_n, log_qp, secret, true);
                let limit = f64::from(gate.limit);
                assert_eq!(check(at(limit), None).unwrap().bits(), Some(128));
                let refused = check(at(limit + 1.0), None).unwrap_err().to_string();
                assert!(refused.contains(&gate.limit.to_string()), "{refused}");
                assert!(refused.contains(gate.table.source()), "{refused}");
                let accepted = check(at(limit + 1.0), Some(Insecure)).unwrap();
                assert_eq!(accepted.bits(), Some(0));
                assert_eq!(accepted.gate().unwrap().excess, 1.0);
            }
        }
    }

    #[test]
    fn limits_grow_with_the_degree_and_shrink_with_the_level() {
        for column in &COLUMNS {
            for pair in column.limits.windows(2) {
                assert!(pair[1].0 == pair[0].0 + 1 && pair[1].1 > pair[0].1);
            }
            for (log_n, allowed) in column.limits {
                let weaker = limit(column.table, column.secret, 128, *log_n).unwrap();
                assert!(*allowed <= weaker);
            }
        }
    }

    #[test]
    fn the_guidelines_are_stricter_and_both_verdicts_are_said() {
        for (log_n, _) in gates(Secret::Ternary)
            .iter()
            .filter(|(log_n, _)| *log_n < 16)
        {
            let at = |table| limit(table, Secret::Ternary, 128, *log_n).unwrap();
            assert!(at(Table::Guidelines2024) < at(Table::Standard2018));
            assert_eq!(
                strictest(Secret::Ternary, 128, *log_n),
                Some(at(Table::Guidelines2024))
            );
        }
        let between = security(14, 438.0);
        assert_eq!(between.bits(), Some(128));
        assert_eq!(
            between.to_string(),
            "2018: 128 bits, 2024: 8.0 bits beyond its 430"
        );
        let strong = security(12, 57.0);
        assert_eq!(strong.to_string(), "2018: 256 bits, 2024: 192 bits");
    }

    #[test]
    fn what_is_not_known_is_not_called_secure() {
        let partial = Security::new(12, 90.0, Secret::Ternary, false);
        assert_eq!(partial.bits(), None);
        assert!(partial.to_string().contains("unknown"));
        assert!(check(partial, None).is_ok());
        // What is known may be too much already.
        let beyond = Security::new(12, 110.0, Secret::Ternary, false);
        assert_eq!(beyond.bits(), Some(0));
        assert!(check(beyond, None).is_err());
    }

    #[test]
    fn sparse_secrets_have_rows_of_their_own() {
        let weight = |weight, log_qp| {
            let secret = Secret::Sparse { weight };
            check(Security::new(16, log_qp, secret, true), None)
        };
        assert!(weight(192, 1555.0).is_ok());
        assert!(weight(192, 1600.0).is_err());
        // Weight 32 exists encapsulated only.
        let refused = weight(32, 100.0).unwrap_err().to_string();
        assert!(
            refused.contains("weight 32") && refused.contains("none"),
            "{refused}"
        );
        let secret = Secret::Encapsulated { weight: 32 };
        assert!(check(Security::new(16, 121.0, secret, true), None).is_ok());
        assert!(check(Security::new(16, 345.0, secret, true), None).is_err());
    }

    #[test]
    fn the_error_names_the_degree_that_carries_the_modulus() {
        let refused = check(security(10, 100.0), None).unwrap_err().to_string();
        assert!(
            refused.contains("smallest N that carries it is 4096"),
            "{refused}"
        );
        let refused = check(security(9, 20.0), None).unwrap_err().to_string();
        assert!(
            refused.contains("N = 512") && refused.contains("no entry"),
            "{refused}"
        );
    }
}
