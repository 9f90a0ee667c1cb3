//! The machines that were built, each beside its library.

use ringwright_ir::generate::Product;
use ringwright_ir::ring::Module;
use ringwright_spec::Machine;
use ringwright_target_medha::Config;
use std::path::{Path, PathBuf};

pub fn setting(name: &str) -> Option<String> {
    std::env::var(format!("RINGWRIGHT_LOCKSTEP_{name}")).ok()
}

pub fn number(name: &str, default: u64) -> u64 {
    setting(name).map_or(default, |text| text.parse().expect("a number"))
}

/// A library with its machine.
pub struct Built {
    pub machine: Machine,
    pub config: Config,
    pub library: PathBuf,
}

pub fn machines() -> Vec<Built> {
    let folder = PathBuf::from(setting("MODELS").expect("make test-rtl sets it"));
    let files = std::fs::read_dir(&folder).expect("a folder");
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("read").path()).collect();
    files.sort();
    files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
    files.iter().map(|file| built(file)).collect()
}

fn built(file: &Path) -> Built {
    let text = std::fs::read_to_string(file).expect("read");
    let machine = Machine::parse(&file.display().to_string(), &text).expect("allowed");
    Built {
        config: Config::new(&machine).expect("buildable"),
        library: file.with_extension("so"),
        machine,
    }
}

/// A product with relinearisation under all primes of a machine.
pub fn product(built: &Built, log_n: u32) -> Module {
    let levels = built.config.rpaus as u16 - 1;
    Product::new(log_n, built.config.word_bits, levels, 1).alone()
}

/// What repeats a run.
pub const REPLAY: &str = "pytest hw/test_lockstep_medha.py --rtl-seed SEED";
