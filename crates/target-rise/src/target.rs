//! The accelerator as a target.

use crate::config::NAME;
use crate::cost::cost;
use crate::device::device;
use crate::hosted;
use crate::rtl;
use crate::transform_study;
use ringwright_spec::{schema, ParamDecl};
use ringwright_target::Target;

/// RACE, RISE and NTT_Accel.
pub const RISE: Target = Target {
    name: NAME,
    title: "The edge accelerator of RACE and RISE, cycle by cycle",
    paper: Some(
        "Azad et al., RACE, ISLPED 2022; Azad, dissertation, Boston University 2023, chapter 3",
    ),
    default_machine: "rise-1bfu",
    parameters,
    lower: device,
    cost: Some(cost),
    transform: Some(transform_study::study),
    schedules: None,
    rtl: Some(rtl::RTL),
    image: Some(hosted::image),
};

fn parameters() -> &'static [ParamDecl] {
    schema(NAME).map_or(&[], |schema| schema.params())
}
