//! Resources, and stages that occupy them.

use crate::error::ScheduleError;
use crate::integer::{scheduled, Integer};
use pyo3::prelude::*;
use ringwright_sim::{self as sim, Femtoseconds, Provenance};
use ringwright_system::{self as system, ResourceId, ResourceKind, StageKind};
use std::collections::BTreeMap;

/// A named part of a stage, for the timeline; times in femtoseconds from the stage's beginning.
#[pyclass(frozen, from_py_object, module = "ringwright._ringwright")]
#[derive(Clone)]
pub struct Detail(system::Detail);

#[pymethods]
impl Detail {
    #[new]
    #[pyo3(signature = (name, offset_fs, duration_fs, args = BTreeMap::new()))]
    fn new(name: String, offset_fs: u64, duration_fs: u64, args: BTreeMap<String, String>) -> Self {
        Self(system::Detail {
            name,
            offset: Femtoseconds(offset_fs),
            duration: Femtoseconds(duration_fs),
            args: args.into_iter().collect(),
        })
    }

    /// What it is called in the timeline.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// From the beginning of the stage, femtoseconds.
    #[getter]
    fn offset_fs(&self) -> u64 {
        self.0.offset.0
    }

    /// How long, femtoseconds.
    #[getter]
    fn duration_fs(&self) -> u64 {
        self.0.duration.0
    }
}

/// A host, a device or a link: something that does one stage at a time.
#[pyclass(frozen, from_py_object, eq, module = "ringwright._ringwright")]
#[derive(Clone, PartialEq)]
pub struct Resource(pub system::Resource);

#[pymethods]
impl Resource {
    /// `kind`: "host", "device" or "link", where it is known; `part_of`: the resource that it is a
    /// unit of, or stands beside.
    #[new]
    #[pyo3(signature = (name, kind = None, *, part_of = None))]
    fn new(name: String, kind: Option<&str>, part_of: Option<String>) -> PyResult<Self> {
        let kind = kind
            .map(|kind| {
                named(
                    "resource kind",
                    kind,
                    ResourceKind::ALL,
                    ResourceKind::as_str,
                )
            })
            .transpose()?;
        Ok(Self(system::Resource {
            name,
            kind,
            part_of,
        }))
    }

    /// Its track in the timeline.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// "host", "device" or "link"; `None` where nobody said.
    #[getter]
    fn kind(&self) -> Option<&'static str> {
        self.0.kind.map(ResourceKind::as_str)
    }

    /// Name of the resource that it is a unit of, or stands beside.
    #[getter]
    fn part_of(&self) -> Option<&str> {
        self.0.part_of.as_deref()
    }

    fn __repr__(&self) -> String {
        match self.kind() {
            Some(kind) => format!("Resource({:?}, {kind:?})", self.name()),
            None => format!("Resource({:?})", self.name()),
        }
    }
}

/// A resource, or its name alone.
#[derive(FromPyObject)]
pub enum Named {
    Resource(Resource),
    Name(String),
}

impl From<Named> for system::Resource {
    fn from(given: Named) -> Self {
        match given {
            Named::Resource(resource) => resource.0,
            Named::Name(name) => system::Resource {
                name,
                kind: None,
                part_of: None,
            },
        }
    }
}

/// One step of a job: a kernel, a host function or a transfer that occupies a resource.
#[pyclass(frozen, from_py_object, module = "ringwright._ringwright")]
#[derive(Clone)]
pub struct Stage {
    /// On resources by their place in `held`.
    stage: system::Stage,
    /// Every resource that it occupies, its own first.
    held: Vec<system::Resource>,
}

#[pymethods]
impl Stage {
    /// `kind`: "kernel" (work an accelerator takes), "host" (work around it) or "transfer".
    /// `resource`, `also_holds`: a `Resource`, or the name of one of unknown kind. `range_fs`: between
    /// which durations the truth lies, where `duration_fs` is one choice among several.
    #[new]
    #[pyo3(signature = (name, kind, resource, duration_fs, provenance, *, joules = None,
                        after = Vec::new(), also_holds = Vec::new(), latency_fs = Integer::Held(0),
                        details = Vec::new(), range_fs = None),
           text_signature = "(name, kind, resource, duration_fs, provenance, *, joules=None, after=..., \
                             also_holds=..., latency_fs=0, details=..., range_fs=None)")]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn new(
        name: String,
        kind: &str,
        resource: Named,
        duration_fs: Integer,
        provenance: &str,
        joules: Option<f64>,
        after: Vec<Integer>,
        also_holds: Vec<Named>,
        latency_fs: Integer,
        details: Vec<Detail>,
        range_fs: Option<(Integer, Integer)>,
    ) -> PyResult<Self> {
        let time = |what, given| scheduled(what, given).map(Femtoseconds);
        let (kind, provenance) = (stage_kind(kind)?, parse_provenance(provenance)?);
        let held = std::iter::once(resource).chain(also_holds);
        let held: Vec<system::Resource> = held.map(Into::into).collect();
        let duration = time("duration_fs", duration_fs)?;
        let range = match range_fs {
            Some((low, high)) => Some((time("range_fs", low)?, time("range_fs", high)?)),
            None => None,
        };
        let after = after.into_iter().map(|at| scheduled("after", at));
        let stage = system::Stage {
            also_holds: (1..held.len()).map(ResourceId).collect(),
            range,
            latency: time("latency_fs", latency_fs)?,
            joules,
            after: after.collect::<Result<_, _>>()?,
            details: details.into_iter().map(|detail| detail.0).collect(),
            ..system::Stage::new(name, kind, ResourceId(0), duration, provenance)
        };
        Ok(Self { stage, held })
    }

    /// The name under which the ledger adds it up.
    #[getter]
    fn name(&self) -> &str {
        &self.stage.name
    }

    /// "kernel", "host" or "transfer".
    #[getter]
    fn kind(&self) -> &'static str {
        self.stage.kind.as_str()
    }

    /// The host, device or link that it occupies: its track in the timeline.
    #[getter]
    fn resource(&self) -> &str {
        &self.held[0].name
    }

    /// Other resources that it occupies all the while.
    #[getter]
    fn also_holds(&self) -> Vec<&str> {
        let names = self.held[1..].iter();
        names.map(|resource| resource.name.as_str()).collect()
    }

    /// Every resource that it occupies, its own first.
    #[getter]
    fn holds(&self) -> Vec<Resource> {
        self.held.iter().cloned().map(Resource).collect()
    }

    /// How long it occupies them, femtoseconds.
    #[getter]
    fn duration_fs(&self) -> u64 {
        self.stage.duration.0
    }

    /// The least and the most that it may take, femtoseconds; `None` where the duration is certain.
    #[getter]
    fn range_fs(&self) -> Option<(u64, u64)> {
        self.stage.range.map(|(low, high)| (low.0, high.0))
    }

    /// Time after the end until the next stages may start, femtoseconds: a link's delay.
    #[getter]
    fn latency_fs(&self) -> u64 {
        self.stage.latency.0
    }

    /// Where the duration comes from.
    #[getter]
    fn provenance(&self) -> &'static str {
        self.stage.provenance.as_str()
    }

    /// Energy, where it is known.
    #[getter]
    fn joules(&self) -> Option<f64> {
        self.stage.joules
    }

    /// Indices of the earlier stages of the same job that it waits for.
    #[getter]
    fn after(&self) -> Vec<usize> {
        self.stage.after.clone()
    }

    /// Its inside, for the timeline.
    #[getter]
    fn details(&self) -> Vec<Detail> {
        self.stage.details.iter().cloned().map(Detail).collect()
    }

    fn __repr__(&self) -> String {
        format!(
            "Stage({:?}, {:?}, {:?}, {})",
            self.name(),
            self.kind(),
            self.resource(),
            self.duration_fs()
        )
    }
}

impl Stage {
    /// A stage on one resource, whatever the number that it names.
    pub fn on(stage: system::Stage, resource: Named) -> Self {
        Self {
            stage: system::Stage {
                resource: ResourceId(0),
                ..stage
            },
            held: vec![resource.into()],
        }
    }

    /// A stage of a job with these resources.
    pub fn of(stage: &system::Stage, resources: &[system::Resource]) -> Self {
        let held = std::iter::once(&stage.resource).chain(&stage.also_holds);
        let held: Vec<_> = held.map(|held| resources[held.0].clone()).collect();
        let stage = system::Stage {
            resource: ResourceId(0),
            also_holds: (1..held.len()).map(ResourceId).collect(),
            ..stage.clone()
        };
        Self { stage, held }
    }

    /// Adds it to a job; returns its index.
    pub fn add_to(self, stages: &mut system::Stages) -> Result<usize, system::ScheduleError> {
        let held = self.held.iter().map(|each| stages.resource(each));
        let held: Vec<ResourceId> = held.collect::<Result<_, _>>()?;
        Ok(stages.push(system::Stage {
            resource: held[0],
            also_holds: held[1..].to_vec(),
            ..self.stage
        }))
    }
}

/// A word for the kind of a stage.
pub fn stage_kind(given: &str) -> PyResult<StageKind> {
    named("stage kind", given, StageKind::ALL, StageKind::as_str)
}

/// The one of `all` whose word is given.
pub fn named<T: Copy, const N: usize>(
    what: &str,
    given: &str,
    all: [T; N],
    word: fn(T) -> &'static str,
) -> PyResult<T> {
    let found = all.into_iter().find(|&each| word(each) == given);
    found.ok_or_else(|| {
        let known = all.map(word).join(", ");
        ScheduleError::new_err(format!("no {what} is called {given:?}; known: {known}"))
    })
}

/// A word for a provenance.
pub fn parse_provenance(given: &str) -> PyResult<Provenance> {
    given
        .parse()
        .map_err(|error: sim::UnknownProvenance| ScheduleError::new_err(error.to_string()))
}
