//! Lowers ring programs: which tower operation runs where, in which call.
//!
//! [`roles`] says what the accelerator does and what its host; [`cut`] cuts a kernel's graph into calls
//! that need no more than the two bank groups; [`evaluation`] writes their instructions.

mod cut;
mod evaluation;
mod primes;
mod roles;

use crate::config::Config;
use crate::host::Host;
use crate::lowered::Lowered;
use primes::Primes;
use ringwright_ir::ring::Module;
use ringwright_ir::RunError;
use ringwright_towers as towers;

/// Lowers a verified module.
pub fn lower(config: &Config, module: &Module) -> Result<Lowered, RunError> {
    let shape = config.shape(module.log_n)?;
    let fused = |_: &towers::Kind| false;
    let program = towers::Program::new(module, &fused, towers::Constants::AsArguments)?;
    let mut primes = Primes::new(config, module);
    let kernels = program.kernels.iter();
    let parts = kernels.map(|kernel| cut::part(config, kernel, &mut primes));
    Ok(Lowered {
        shape,
        host: Host::new(module.log_n, &module.primes),
        parts: parts.collect::<Result<_, _>>()?,
        constants: primes.constants,
        program,
    })
}
