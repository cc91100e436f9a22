//! This module holds the time of a step by module. It is plain data and does not depend on the analysis.

use crate::analysis::classify::{Certainty, Kind, ModelModule, Phase};
use serde::{Deserialize, Serialize};
use xla_profile::units::{Count, Picos};

/// The time of a step by module of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Modules {
    /// Self time of all ops, which is the sum of `cells` and of `modules`.
    pub busy: Picos,
    /// The modules, most time first.
    pub modules: Vec<ModuleSum>,
    /// The parts of the modules, in the order of `modules`, then by phase and kind.
    pub cells: Vec<ModuleCell>,
    /// The time by how the modules are known, in the order of [`Certainty::ALL`].
    pub certainties: Vec<CertaintyShare>,
}

impl Modules {
    /// Returns the sum of a module. `None` if it has no time.
    pub fn module(&self, module: ModelModule) -> Option<&ModuleSum> {
        self.modules.iter().find(|sum| sum.module == module)
    }

    /// Returns the time of a module in a phase.
    pub fn time(&self, module: ModelModule, phase: Phase) -> Picos {
        let cells = self.cells.iter().filter(|cell| (cell.module, cell.phase) == (module, phase));
        cells.map(|cell| cell.total).sum()
    }

    /// Returns whether a phase has time in any module.
    pub fn has_phase(&self, phase: Phase) -> bool {
        self.cells.iter().any(|cell| cell.phase == phase && cell.total > Picos::ZERO)
    }

    /// Returns whether any op names a module.
    pub fn has_names(&self) -> bool {
        self.modules.iter().any(|sum| sum.module != ModelModule::Unknown)
    }

    /// Computes the shares, which follow from the times.
    pub fn derive(&mut self) {
        let busy = self.busy;
        self.modules.iter_mut().for_each(|sum| sum.of_busy = sum.total.fraction_of(busy));
        self.cells.iter_mut().for_each(|cell| cell.of_busy = cell.total.fraction_of(busy));
        self.certainties.iter_mut().for_each(|share| share.of_busy = share.total.fraction_of(busy));
    }
}

/// The time of one module.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModuleSum {
    pub module: ModelModule,
    pub total: Picos,
    /// `total` ÷ busy time, a fraction. `None` if the device is idle.
    pub of_busy: Option<f64>,
    /// The part of `total` of ops that have a roofline time.
    pub judged: Picos,
    /// Roofline time of these ops.
    pub roofline: Picos,
    /// Number of layers that have the module. `None` if its ops name no layer, or a loop of an unknown number of
    /// layers.
    pub n_layers: Option<u64>,
    /// The identical ops with the most time. `None` if no op of the module has time.
    pub largest: Option<AlikeOps>,
}

/// The time of one module in one phase and of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModuleCell {
    pub module: ModelModule,
    pub phase: Phase,
    pub kind: Kind,
    pub total: Picos,
    /// `total` ÷ busy time, a fraction. `None` if the device is idle.
    pub of_busy: Option<f64>,
    /// Number of executions that start in the window.
    pub n_executions: Count,
    /// The part of `total` of ops that have a roofline time. Zero but for compute.
    pub judged: Picos,
    /// Roofline time of these ops.
    pub roofline: Picos,
}

/// Ops that do the same: those with the same deduplicated name, or else with the same type, shape and FLOPs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlikeOps {
    /// The op with the most time.
    pub name: String,
    /// Its program. `None` if it is unknown.
    pub program: Option<String>,
    pub program_id: Option<u64>,
    /// Number of ops.
    pub n_ops: u32,
    /// Self time of all of them.
    pub total: Picos,
    /// The innermost source line of the op in the user's own code. `None` if it is unknown.
    pub source: Option<String>,
}

/// The time of the ops whose module is known in one way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CertaintyShare {
    pub certainty: Certainty,
    pub total: Picos,
    /// `total` ÷ busy time, a fraction. `None` if the device is idle.
    pub of_busy: Option<f64>,
}
