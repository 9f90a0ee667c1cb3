//! The list of targets, nothing else.
//!
//! Whatever lists targets (command line, exploration, reports, documentation, conformance)
//! iterates [`all`]. A new target is one entry here.

use ringwright_target::{InstructionSet, Target};

/// Every target.
pub fn all() -> &'static [&'static Target] {
    &[
        &ringwright_target_cpu::CPU,
        &ringwright_target_medha::MEDHA,
        &ringwright_target_rise::RISE,
        &ringwright_target_rpu::RPU,
    ]
}

/// The target of this name.
pub fn find(name: &str) -> Option<&'static Target> {
    all().iter().copied().find(|target| target.name == name)
}

/// The instruction set of the target of this name; `None` where its machines run no instructions.
pub fn instruction_set(target: &str) -> Option<&'static InstructionSet> {
    [
        &ringwright_target_medha::MICROCODE,
        &ringwright_target_rpu::B512,
    ]
    .into_iter()
    .find(|set| set.target == target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_spec::Machine;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_found() {
        let names: BTreeSet<&str> = all().iter().map(|target| target.name).collect();
        assert_eq!(names.len(), all().len());
        for target in all() {
            assert_eq!(find(target.name).map(|found| found.name), Some(target.name));
        }
        assert!(find("abacus").is_none());
    }

    #[test]
    fn a_unit_that_is_said_to_be_in_rtl_is_a_module_there() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        for rtl in all().iter().filter_map(|target| target.rtl) {
            assert!(!rtl.units.is_empty());
            for (unit, module) in rtl.units {
                let path = format!("{root}/{}/rtl/{module}.sv", rtl.folder);
                let text = std::fs::read_to_string(&path).expect(unit);
                let declared = text.split_whitespace().collect::<Vec<_>>();
                assert!(
                    declared.windows(2).any(|pair| pair == ["module", module]),
                    "{path}"
                );
            }
        }
    }

    #[test]
    fn every_default_machine_is_one_of_its_target() {
        for target in all() {
            let machine = Machine::load(target.default_machine).expect(target.default_machine);
            target.check(&machine).expect("its own machine");
            assert!(!(target.parameters)().is_empty());
        }
    }
}
