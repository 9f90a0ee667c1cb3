//! Whether a bench checks its answers and no more.

/// Is the variable set that says so? Then what is timed runs once, on less.
pub fn only() -> bool {
    std::env::var_os("RINGWRIGHT_BENCH_ANSWERS_ONLY").is_some()
}
