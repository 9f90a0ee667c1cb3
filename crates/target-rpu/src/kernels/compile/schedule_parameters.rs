//! The parameters of a machine that decide how long a program takes, and so which schedule is good.

use crate::config::{
    BusyRule, Config, LoadStorePipes, SourceRelease, VdmMap, VrfClash, VrfMap, VrfPorts,
};
use ringwright_spec::Identity;
use serde::{Deserialize, Serialize};

macro_rules! schedule_parameters {
    ($($name:ident: $kind:ty,)*) => {
        /// All that the compiler reads of a machine but the sizes of its memories: two machines that
        /// agree in these take a program in the same cycles, whatever they are called and however fast
        /// their clocks are. Each is the parameter of `spec/rpu/params.toml` with its name.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[allow(missing_docs)]
        pub struct ScheduleParameters {
            $(pub $name: $kind,)*
        }

        impl ScheduleParameters {
            /// Their names.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// Those of a machine.
            pub fn new(config: &Config) -> Self {
                ScheduleParameters { $($name: config.$name,)* }
            }

            /// How many are the same in both.
            pub fn in_common(&self, other: &Self) -> usize {
                [$(self.$name == other.$name),*].into_iter().filter(|&same| same).count()
            }

            /// A machine with these and otherwise `base`.
            pub fn on(&self, base: &Config) -> Config {
                Config { $($name: self.$name,)* ..base.clone() }
            }
        }
    };
}

schedule_parameters! {
    hples: usize,
    banks: usize,
    vector_length: usize,
    compute_latency: u64,
    ii: u64,
    load_store_latency: u64,
    shuffle_latency: u64,
    gap: u64,
    queue_depth: usize,
    vrf_ports: VrfPorts,
    vrf_map: VrfMap,
    vrf_clash: VrfClash,
    vdm_map: VdmMap,
    load_store_pipes: LoadStorePipes,
    busy_rule: BusyRule,
    source_release: SourceRelease,
}

impl ScheduleParameters {
    /// A name for files: the same for the same values.
    pub fn identity(&self) -> Identity {
        Identity::of(&format!("{self:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_spec::Machine;

    /// What no schedule depends on: sizes of memories, the width of a word, everything outside a tile.
    const OTHERS: [&str; 16] = [
        "word_bits",
        "vdm_words",
        "sdm_words",
        "im_words",
        "dma_bits_per_second",
        "dma_latency",
        "vdm_port",
        "offchip_words",
        "tiles",
        "mesh_columns",
        "mesh_bits_per_second",
        "mesh_words",
        "mesh_hop_latency",
        "memory_bytes",
        "start_cycles",
        "clock_fs",
    ];

    /// A parameter that is new is thought of.
    #[test]
    fn every_parameter_decides_a_schedule_or_does_not() {
        let declared = crate::RPU.parameters;
        let mut declared: Vec<&str> = declared().iter().map(|p| p.name.as_str()).collect();
        let mut sorted = [ScheduleParameters::NAMES, &OTHERS].concat();
        declared.sort_unstable();
        sorted.sort_unstable();
        assert_eq!(declared, sorted);
    }

    #[test]
    fn they_say_all_that_the_machine_says() {
        let [published, strict] = ["rpu-128x128", "rpu-128x128-strict"]
            .map(|name| Config::new(&Machine::load(name).expect("shipped")).expect("buildable"));
        let parameters = ScheduleParameters::new(&strict);
        assert_ne!(parameters, ScheduleParameters::new(&published));
        let back = parameters.on(&published);
        assert_eq!(ScheduleParameters::new(&back), parameters);
        assert_eq!(
            Config {
                machine: strict.machine.clone(),
                ..back
            },
            strict
        );
    }
}
