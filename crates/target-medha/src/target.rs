//! The accelerator as a target.

use crate::config::NAME;
use crate::cost::cost;
use crate::device::device;
use crate::image::image;
use crate::rtl::RTL;
use crate::transform_study::study;
use ringwright_spec::{schema, ParamDecl};
use ringwright_target::Target;

/// Medha.
pub const MEDHA: Target = Target {
    name: NAME,
    title: "The microcoded RNS-CKKS accelerator Medha, cycle by cycle",
    paper: Some("Mert et al., Medha, CHES 2023"),
    default_machine: "medha-u250",
    parameters,
    lower: device,
    cost: Some(cost),
    transform: Some(study),
    schedules: None,
    rtl: Some(RTL),
    image: Some(image),
};

fn parameters() -> &'static [ParamDecl] {
    schema(NAME).map_or(&[], |schema| schema.params())
}
