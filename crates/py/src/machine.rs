//! Machines, links, targets, and a machine made ready to run.

use crate::error::{
    checks_error, schedule_error, spec_error, target_error, too_many_bytes, MachineError,
};
use crate::integer::{scheduled, Integer};
use crate::transform_schedule::TransformSchedule;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::IntoPyObjectExt;
use ringwright_spec as spec;
use ringwright_spec::Setting;
use ringwright_target::{Checks, Device, Kept, OncePer, SpotChecked, TargetError};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A machine description: a target with a value for each of its parameters.
#[pyclass(frozen, eq, hash, module = "ringwright._ringwright")]
#[derive(PartialEq)]
pub struct Machine(pub spec::Machine);

impl Hash for Machine {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.identity().hash(state);
    }
}

#[pymethods]
impl Machine {
    /// By name, or from a file whose path ends in `.toml`. Raises `MachineError`.
    #[staticmethod]
    fn load(name_or_path: &str) -> PyResult<Self> {
        spec::Machine::load(name_or_path)
            .map(Self)
            .map_err(spec_error)
    }

    /// From the text of a description; `file` is what errors call it. Raises `MachineError`.
    #[staticmethod]
    #[pyo3(signature = (text, file = "a description"), text_signature = "(text, file=...)")]
    fn parse(text: &str, file: &str) -> PyResult<Self> {
        let parsed = spec::Machine::parse(file, text);
        parsed.map(Self).map_err(spec_error)
    }

    /// The text of a file that describes it; `parse` reads the same machine, but for schedules.
    fn to_toml(&self) -> String {
        self.0.to_toml()
    }

    /// The same machine under another name and with other values, checked as those of a file are;
    /// `source` is theirs. A value may be given under its second key, with a unit: `clock="1.25 GHz"`.
    /// `clock_provenance`: whose another clock is; without, nobody's. Schedules do not go with it.
    ///
    /// Raises `MachineError` for a key that the target does not declare, and for a value that it
    /// does not allow.
    #[pyo3(signature = (name, /, *, source = "changed", clock_provenance = None, **values),
           text_signature = "($self, name, /, *, source=..., clock_provenance=None, **values)")]
    fn with_values(
        &self,
        name: &str,
        source: &str,
        clock_provenance: Option<&str>,
        values: Option<BTreeMap<String, Bound<'_, PyAny>>>,
    ) -> PyResult<Self> {
        let values = values.unwrap_or_default().into_iter();
        let values: PyResult<_> = values
            .map(|(key, value)| Ok((key.clone(), setting(&key, &value)?)))
            .collect();
        let made = self.0.with(name, &values?, source, clock_provenance);
        made.map(Self).map_err(spec_error)
    }

    /// Those that ship with the package.
    #[staticmethod]
    fn all() -> PyResult<Vec<Self>> {
        spec::Machine::shipped()
            .iter()
            .map(|shipped| Self::load(shipped.name))
            .collect()
    }

    /// Short name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// The target that it is a machine of.
    #[getter]
    fn target(&self) -> &str {
        self.0.target()
    }

    /// What it is, in a few words.
    #[getter]
    fn title(&self) -> &str {
        self.0.title()
    }

    /// Where its clock comes from, as its file says: "published", "synthesised", …; `None` where it
    /// does not, and without a clock.
    #[getter]
    fn clock_provenance(&self) -> Option<&'static str> {
        self.0.clock_provenance().map(|whose| whose.as_str())
    }

    /// Every declared parameter with its value.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        values(py, &self.0)
    }

    /// Where each value comes from.
    #[getter]
    fn sources<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        sources(py, &self.0)
    }

    /// The parameters whose value no source prints, in the order of their declaration.
    #[getter]
    fn open_questions(&self) -> Vec<&str> {
        let open = self.0.values().filter(|(_, value)| value.is_open());
        open.map(|(declared, _)| declared.name.as_str()).collect()
    }

    /// Other values of a parameter that its declaration allows: of a number about half and twice as
    /// much, of a list every other name, and the harshest reading where the declaration has one. Empty
    /// for text and for a parameter that there is not.
    fn near<'py>(&self, py: Python<'py>, parameter: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let near = self.0.near(parameter);
        near.iter().map(|setting| value(py, setting)).collect()
    }

    /// The same for machines that differ in name, title and sources alone; 32 hexadecimal digits.
    #[getter]
    fn identity(&self) -> String {
        self.0.identity().to_string()
    }

    /// The same for machines that share schedules; `None` where the target orders nothing.
    #[getter]
    fn schedule_identity(&self) -> PyResult<Option<String>> {
        let search = target_of(&self.0)?.schedules;
        let identity = search.map(|search| (search.identity)(&self.0)).transpose();
        let identity = identity.map_err(target_error)?;
        Ok(identity.map(|identity| identity.to_string()))
    }

    /// The texts of the schedules that it was given.
    #[getter]
    fn schedules(&self) -> Vec<&str> {
        let schedules = self.0.schedules().iter();
        schedules.map(|schedules| &*schedules.text).collect()
    }

    /// This machine with every parameter at the harshest reading of its paper; `None` where it is.
    fn read_strictly(&self) -> Option<Self> {
        self.0.read_strictly().map(Self)
    }

    /// This machine with the schedules of a text that `search_schedules` returned; `file` is what
    /// errors call it. Raises `MachineError` where the text is damaged or neither for this machine
    /// nor for it read strictly.
    fn with_schedules(&self, text: &str, file: &str) -> PyResult<Self> {
        let schedules = spec::Schedules {
            file: file.to_owned(),
            text: text.to_owned(),
        };
        let refused = |reason: &str| {
            target_error(TargetError::Schedules {
                file: file.to_owned(),
                reason: reason.to_owned(),
            })
        };
        let search = target_of(&self.0)?.schedules;
        let search = search.ok_or_else(|| refused("machines of this target order nothing"))?;
        let given = (search.read)(&schedules).map_err(target_error)?;
        for machine in [Some(self.0.clone()), self.0.read_strictly()] {
            let own = machine
                .map(|machine| (search.identity)(&machine))
                .transpose();
            if own.map_err(target_error)? == Some(given) {
                return Ok(Machine(self.0.clone().with_schedules(schedules)));
            }
        }
        Err(refused("it is for machines with other parameters"))
    }

    fn __repr__(&self) -> String {
        format!("Machine({:?}, target={:?})", self.0.name(), self.0.target())
    }
}

/// A value as the reader of files takes it; of what type a parameter is, that reader says.
fn setting(key: &str, value: &Bound<'_, PyAny>) -> PyResult<Setting> {
    let plain = [
        value.extract().map(Setting::Bool),
        value.extract().map(Setting::Int),
        value.extract().map(Setting::Float),
        value.extract().map(Setting::Text),
    ];
    plain.into_iter().find_map(Result::ok).ok_or_else(|| {
        let given = value
            .repr()
            .map_or_else(|_| "something".into(), |text| text.to_string());
        MachineError::new_err(format!(
            "{key} = {given}, allowed: a number, a text or a truth value"
        ))
    })
}

pub fn target_of(machine: &spec::Machine) -> PyResult<&'static ringwright_target::Target> {
    let target = ringwright_targets::find(machine.target());
    target.ok_or_else(|| crate::error::unknown_target(machine.target()))
}

/// A link description.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Link(pub spec::Link);

#[pymethods]
impl Link {
    /// By name, or from a file whose path ends in `.toml`. Raises `MachineError`.
    #[staticmethod]
    fn load(name_or_path: &str) -> PyResult<Self> {
        spec::Link::load(name_or_path).map(Self).map_err(spec_error)
    }

    /// Those that ship with the package.
    #[staticmethod]
    fn all() -> PyResult<Vec<Self>> {
        spec::Link::shipped()
            .iter()
            .map(|shipped| Self::load(shipped.name))
            .collect()
    }

    /// Short name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// What it is, in a few words.
    #[getter]
    fn title(&self) -> &str {
        self.0.title()
    }

    /// Rate, bits per second.
    #[getter]
    fn bits_per_second(&self) -> u64 {
        self.0.bits_per_second()
    }

    /// Time from the last bit leaving to the receiver having it, nanoseconds.
    #[getter]
    fn latency_ns(&self) -> u64 {
        self.0.latency_ns()
    }

    /// Time that every transfer takes before its first bit leaves, nanoseconds.
    #[getter]
    fn setup_ns(&self) -> u64 {
        self.0.setup_ns()
    }

    /// How long this many bytes occupy the link, femtoseconds: the set-up and their time, without the
    /// latency.
    fn occupied_fs(&self, byte_count: Integer) -> PyResult<u64> {
        let bytes: u64 = scheduled("byte_count", byte_count)?;
        let bits = bytes.checked_mul(8).ok_or_else(|| too_many_bytes(bytes))?;
        ringwright_system::Link::new(&self.0)
            .occupied(bits)
            .map(|time| time.0)
            .map_err(schedule_error)
    }

    /// Where each value comes from.
    #[getter]
    fn sources<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        sources(py, &self.0)
    }

    fn __repr__(&self) -> String {
        format!(
            "Link({:?}, bits_per_second={})",
            self.0.name(),
            self.0.bits_per_second()
        )
    }
}

fn values<'py>(py: Python<'py>, of: &spec::Description) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (declared, given) in of.values() {
        dict.set_item(&declared.name, value(py, &given.setting)?)?;
    }
    Ok(dict)
}

fn value<'py>(py: Python<'py>, setting: &Setting) -> PyResult<Bound<'py, PyAny>> {
    match setting {
        Setting::Int(x) => x.into_bound_py_any(py),
        Setting::Float(x) => x.into_bound_py_any(py),
        Setting::Text(x) => x.into_bound_py_any(py),
        Setting::Bool(x) => x.into_bound_py_any(py),
    }
}

fn sources<'py>(py: Python<'py>, of: &spec::Description) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (declared, value) in of.values() {
        dict.set_item(&declared.name, &value.source)?;
    }
    Ok(dict)
}

/// What can run ring programs.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Target(&'static ringwright_target::Target);

#[pymethods]
impl Target {
    /// Those that ship with the package.
    #[staticmethod]
    fn all() -> Vec<Self> {
        ringwright_targets::all()
            .iter()
            .copied()
            .map(Self)
            .collect()
    }

    /// Short name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name
    }

    /// What it is, in a few words.
    #[getter]
    fn title(&self) -> &str {
        self.0.title
    }

    /// The publication that it follows.
    #[getter]
    fn paper(&self) -> Option<&str> {
        self.0.paper
    }

    /// The machine that is used when none is named.
    #[getter]
    fn default_machine(&self) -> &str {
        self.0.default_machine
    }

    /// Whether area and power are modelled.
    #[getter]
    fn has_cost(&self) -> bool {
        self.0.cost.is_some()
    }

    /// Whether it has a transform unit that can run alone.
    #[getter]
    fn has_transform(&self) -> bool {
        self.0.transform.is_some()
    }

    /// Folder of its RTL; `None` without.
    #[getter]
    fn rtl(&self) -> Option<&str> {
        self.0.rtl.map(|rtl| rtl.folder)
    }

    fn __repr__(&self) -> String {
        format!("Target({:?})", self.0.name)
    }
}

/// A machine made ready to run ring programs.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Backend(Arc<Kept>);

#[pymethods]
impl Backend {
    #[new]
    fn new(machine: &Machine) -> PyResult<Self> {
        let target = target_of(&machine.0)?;
        let device = (target.lower)(&machine.0).map_err(target_error)?;
        Ok(Self(Arc::new(Kept::new(device))))
    }

    /// How many programs were lowered so far; those that were lowered last are kept, and not lowered
    /// again.
    #[getter]
    fn lowered(&self) -> u64 {
        self.0.lowered()
    }

    /// Bytes in which a whole word of a tower travels to and from the machine; `None` where the machine is
    /// not simulated and its words stay in this computer's memory.
    #[getter]
    fn bytes_per_word(&self) -> Option<u64> {
        self.0.word_bytes().map(|bytes| bytes.whole)
    }

    /// This machine with the values of another one, calls of kernels checked: the first call of each
    /// kernel, once in every run or once in all runs, and of the rest this share, 0 to 1, drawn by the
    /// seed. Raises `ParameterError` for another share.
    #[pyo3(signature = (values, *, share, once_per_run, seed))]
    fn with_values(
        &self,
        values: &Backend,
        share: f64,
        once_per_run: bool,
        seed: u64,
    ) -> PyResult<Self> {
        let once_per = match once_per_run {
            true => OncePer::Run,
            false => OncePer::Device,
        };
        let checks = Checks::new(share, once_per, seed).map_err(checks_error)?;
        let both = SpotChecked::new(self.0.clone(), values.0.clone(), checks);
        Ok(Self(Arc::new(Kept::new(Arc::new(both)))))
    }

    /// Bytes of the machine's own memory, in which keys, constants and values stay between runs; `None`
    /// where it works in its host's.
    #[getter]
    fn memory_bytes(&self) -> Option<u64> {
        self.0.memory().map(|memory| memory.capacity())
    }

    /// The transforms that have been lowered so far, smallest degree first: who found their orders.
    fn schedules(&self) -> Vec<TransformSchedule> {
        let schedules = self.0.schedules().into_iter();
        schedules.map(TransformSchedule).collect()
    }

    fn __repr__(&self) -> String {
        format!("Backend({:?})", self.0.machine())
    }
}

impl Backend {
    /// What runs programs.
    pub fn device(&self) -> Arc<dyn Device> {
        self.0.clone()
    }
}
