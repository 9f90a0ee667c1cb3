//! Batches of equal jobs.

use crate::error::schedule_error;
use crate::integer::{scheduled, Integer};
use crate::schedule::range_end;
use crate::stages::Stages;
use pyo3::prelude::*;
use ringwright_sim::Femtoseconds;
use ringwright_system as system;

/// A set-up and equal jobs, however many; times in femtoseconds.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Repeated(system::Repeated);

#[pymethods]
impl Repeated {
    /// `end`: every stage that has a range takes the least ("low") or the most ("high") of it. Raises
    /// `ScheduleError`.
    #[new]
    #[pyo3(signature = (setup, job, in_flight, *, end = None))]
    fn new(
        py: Python<'_>,
        setup: PyRef<'_, Stages>,
        job: PyRef<'_, Stages>,
        in_flight: Integer,
        end: Option<&str>,
    ) -> PyResult<Self> {
        let in_flight = scheduled("in_flight", in_flight)?;
        let end = end.map(range_end).transpose()?;
        let (setup, job) = (setup.0.clone(), job.0.clone());
        let options = system::Options { in_flight };
        py.detach(|| system::Repeated::new(setup, job, options, end))
            .map(Self)
            .map_err(schedule_error)
    }

    /// How long the set-up takes.
    #[getter]
    fn setup_fs(&self) -> u64 {
        self.0.setup().0
    }

    /// How long so many jobs take, the set-up apart.
    fn jobs_fs(&self, count: Integer) -> PyResult<u128> {
        let count = scheduled("count", count)?;
        self.0.jobs(count).map_err(schedule_error)
    }

    /// The steady state: (jobs, how long so many take).
    #[getter]
    fn steady(&self) -> (usize, u64) {
        let (jobs, time) = self.0.steady();
        (jobs, time.0)
    }

    /// The smallest number of jobs that, set-up included, take no longer than so much for each; `None`
    /// where no number does.
    fn first_within(&self, each_fs: Integer) -> PyResult<Option<u64>> {
        let each = Femtoseconds(scheduled("each_fs", each_fs)?);
        Ok(self.0.first_within(each))
    }
}
