//! What a ledger calls the steps of a machine.

use crate::workload::StageKind;
use ringwright_target::{StepKind, Task, Work};

/// How stages are named after steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// Each by its own name.
    #[default]
    Own,
    /// Each by its own name after what it is a part of: "encrypt: ntt".
    PartOf {
        /// What the device computes.
        kernel: String,
        /// What its host does.
        host: String,
        /// What it moves.
        transfer: String,
    },
    /// Steps of one kind under one name; the first that fits counts, and a step that none fits has
    /// its own name.
    Groups(Vec<Group>),
}

/// Steps that a ledger adds up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What they are.
    pub kind: StageKind,
    /// What they are for; `None` for anything.
    pub task: Option<Task>,
    /// Their name.
    pub name: String,
}

impl Naming {
    /// The name of a stage that does this.
    pub fn name(&self, step: &StepKind) -> String {
        let kind = StageKind::of(&step.work);
        match self {
            Naming::Own => step.name.to_owned(),
            Naming::PartOf {
                kernel,
                host,
                transfer,
            } => {
                let whole = match kind {
                    StageKind::Kernel => kernel,
                    StageKind::HostFunction => host,
                    StageKind::Transfer => transfer,
                };
                format!("{whole}: {}", step.name)
            }
            Naming::Groups(groups) => {
                let fits = |group: &&Group| {
                    group.kind == kind && group.task.is_none_or(|task| task == step.task)
                };
                let group = groups.iter().find(fits);
                group.map_or(step.name, |group| &group.name).to_owned()
            }
        }
    }
}

impl StageKind {
    /// What a step is in a system.
    pub fn of(work: &Work) -> Self {
        match work {
            Work::Kernel { .. } => Self::Kernel,
            Work::Transfer { .. } => Self::Transfer,
            Work::HostFunction { .. } => Self::HostFunction,
        }
    }
}
