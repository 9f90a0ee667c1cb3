//! Systems: who does what, on which devices, over which links.

use crate::error::spec_error;
use crate::host::Host;
use crate::machine::{Link, Machine};
use pyo3::prelude::*;
use ringwright_spec as spec;

/// A system description: a client, a network, a server with one or more devices.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct System(spec::System);

#[pymethods]
impl System {
    /// By name, or from a file whose path ends in `.toml`. Raises `MachineError`.
    #[staticmethod]
    fn load(name_or_path: &str) -> PyResult<Self> {
        let system = spec::System::load(name_or_path);
        system.map(Self).map_err(spec_error)
    }

    /// Those that ship with the package.
    #[staticmethod]
    fn all() -> PyResult<Vec<Self>> {
        let shipped = spec::System::shipped().iter();
        shipped.map(|shipped| Self::load(shipped.name)).collect()
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

    /// Encrypts and decrypts.
    #[getter]
    fn client(&self) -> Device {
        Device(self.0.client().clone())
    }

    /// Between client and server.
    #[getter]
    fn network(&self) -> Link {
        Link(self.0.network().clone())
    }

    /// What runs programs, at least one; ciphertexts are dealt to them in turn.
    #[getter]
    fn server(&self) -> Vec<Device> {
        self.0.server().iter().cloned().map(Device).collect()
    }

    fn __repr__(&self) -> String {
        format!("System({:?})", self.name())
    }
}

/// A machine in a system, with what serves it.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Device(spec::Device);

#[pymethods]
impl Device {
    /// Its name in the system.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// What it is.
    #[getter]
    fn machine(&self) -> Machine {
        Machine(self.0.machine.clone())
    }

    /// What does what the machine leaves to it; `None` where nothing is said.
    #[getter]
    fn host(&self) -> Option<Host> {
        self.0.host.as_ref().map(Host::of)
    }

    /// What operands and results cross; `None` where they need not travel.
    #[getter]
    fn link(&self) -> Option<Link> {
        self.0.link.clone().map(Link)
    }

    fn __repr__(&self) -> String {
        let (name, machine) = (self.name(), self.0.machine.name());
        format!("Device({name:?}, machine={machine:?})")
    }
}
