//! Writes `docs/rpu-sensitivity.md`: `cargo run --release -p ringwright-target-rpu --example
//! sensitivity > docs/rpu-sensitivity.md`.

use ringwright_target_rpu::study::sensitivity::{page, StudyError};

fn main() -> Result<(), StudyError> {
    print!("{}", page()?);
    Ok(())
}
