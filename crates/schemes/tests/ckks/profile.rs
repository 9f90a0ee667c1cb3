//! Times of calls come back under the names of the operations.

use crate::client::{device, small, uniform, Client};
use ringwright_ir::ring::Module;
use ringwright_ir::{RunError, Value};
use ringwright_schemes::ckks::Analysed;
use ringwright_schemes::ckks::{explain, Error, Evaluator, Profiled, ProgramBuilder};
use ringwright_target::{CallTime, Device, Executable, Profile};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Runs on the interpreter and reports these times.
#[derive(Clone)]
struct Reports(Vec<CallTime>);

struct Reporting(Arc<dyn Executable>, Reports);

impl Device for Reports {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
        let kernel = device().lower(module)?;
        Ok(Arc::new(Reporting(kernel, self.clone())))
    }

    fn machine(&self) -> &str {
        "reports"
    }
}

impl Executable for Reporting {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        self.0.run(inputs)
    }

    fn run_profiled(&self, inputs: &[Value]) -> Result<(Vec<Value>, Profile), RunError> {
        let profile = Profile {
            times: self.1 .0.clone(),
            checked: None,
        };
        Ok((self.run(inputs)?, profile))
    }
}

/// Three operations on one input.
fn program(client: &Client) -> Analysed {
    let mut builder = ProgramBuilder::new(&client.parameters, "three");
    let a = builder.input("a", client.fresh()).unwrap();
    let doubled = builder.add(a, a).unwrap();
    builder.name(doubled, "doubled");
    let square = builder.mul_rescale(doubled, a).unwrap();
    builder.finish(&[square]).unwrap()
}

fn profiled(client: &Client, device: Arc<dyn Device>) -> Result<Profiled, Error> {
    let program = program(client);
    let input = client.encrypt(&uniform(client.parameters.slots(), 1), 1);
    let evaluator = Evaluator::new(&client.parameters, device);
    let prepared = evaluator.prepare(&program).unwrap();
    prepared.run_profiled(&[input], &client.keys_for(&program))
}

fn times(calls: impl Iterator<Item = usize>) -> Arc<dyn Device> {
    let time = |call| CallTime {
        call,
        start: Instant::now(),
        duration: Duration::from_nanos(call as u64 + 1),
    };
    Arc::new(Reports(calls.map(time).collect()))
}

#[test]
fn operations_carry_the_names_and_lines_that_explain_shows() {
    let client = Client::new(&small());
    let program = program(&client);
    let found = profiled(&client, times(0..program.program().entry().ops.len())).unwrap();
    let found = found.times;
    let rows = explain(&program).rows;
    assert_eq!(found.len(), program.program().entry().ops.len());
    for (call, (time, row)) in found
        .iter()
        .zip(&rows[program.program().entry().inputs..])
        .enumerate()
    {
        let site = &time.site;
        assert_eq!(
            (&site.op, &site.result, &site.loc),
            (&row.op, &row.value, &row.loc)
        );
        assert_eq!(time.duration, Duration::from_nanos(call as u64 + 1));
    }
    let last = [program.program().entry().ops.len() - 1];
    let found = profiled(&client, times(last.into_iter())).unwrap().times;
    assert_eq!(found[0].site.op, rows[rows.len() - 1].op);
}

#[test]
fn a_device_that_does_not_measure_reports_no_times() {
    let client = Client::new(&small());
    let found = profiled(&client, device()).unwrap();
    assert_eq!((found.results.len(), found.times.len()), (1, 0));
    assert!(found.checked.is_none());
}

#[test]
fn a_time_of_no_operation_is_refused() {
    let client = Client::new(&small());
    let beyond = program(&client).program().entry().ops.len();
    let error = profiled(&client, times([beyond].into_iter())).unwrap_err();
    assert!(
        error
            .to_string()
            .contains(&format!("call {beyond} of {beyond}")),
        "{error}"
    );
}
