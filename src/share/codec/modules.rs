//! This module visits the time by module of an overview.

use super::visit::{Text, Visit, VisitResult, each};
use crate::analysis::classify::{Certainty, Kind, ModelModule, Phase};
use crate::analysis::modules::{AlikeOps, CertaintyShare, ModuleCell, ModuleSum, Modules};
use xla_profile::units::{Count, Picos};

pub(super) fn modules(v: &mut dyn Visit, modules: &mut Option<Modules>) -> VisitResult {
    v.present(modules, Modules::default)?;
    let Some(modules) = modules else { return Ok(()) };
    v.exact(&mut modules.busy.0)?;
    let sums = &mut modules.modules;
    v.rows(sums, no_sum)?;
    each(sums, |sum| v.one_of(&mut sum.module, &ModelModule::ALL))?;
    each(sums, |sum| v.exact(&mut sum.total.0))?;
    each(sums, |sum| v.exact(&mut sum.judged.0))?;
    each(sums, |sum| v.exact(&mut sum.roofline.0))?;
    each(sums, |sum| v.optional(&mut sum.n_layers))?;
    each(sums, |sum| v.present(&mut sum.largest, no_ops))?;
    for largest in sums.iter_mut().filter_map(|sum| sum.largest.as_mut()) {
        v.string(&mut largest.name, Text::Op)?;
        v.text(&mut largest.program, None, Text::Program)?;
        v.program_id(&mut largest.program_id)?;
        v.small(&mut largest.n_ops)?;
        v.exact(&mut largest.total.0)?;
        v.text(&mut largest.source, None, Text::Source)?;
    }
    let cells = &mut modules.cells;
    v.rows(cells, no_cell)?;
    each(cells, |cell| v.one_of(&mut cell.module, &ModelModule::ALL))?;
    each(cells, |cell| v.one_of(&mut cell.phase, &Phase::ALL))?;
    each(cells, |cell| v.one_of(&mut cell.kind, &Kind::ALL))?;
    each(cells, |cell| v.exact(&mut cell.total.0))?;
    each(cells, |cell| v.executions(&mut cell.n_executions, Count::ZERO))?;
    each(cells, |cell| v.exact(&mut cell.judged.0))?;
    each(cells, |cell| v.exact(&mut cell.roofline.0))?;
    let no_share = || CertaintyShare { certainty: Certainty::Unknown, total: Picos::ZERO, of_busy: None };
    v.rows(&mut modules.certainties, no_share)?;
    each(&mut modules.certainties, |share| v.one_of(&mut share.certainty, &Certainty::ALL))?;
    each(&mut modules.certainties, |share| v.exact(&mut share.total.0))?;
    modules.derive();
    Ok(())
}

fn no_sum() -> ModuleSum {
    ModuleSum {
        module: ModelModule::Unknown,
        total: Picos::ZERO,
        of_busy: None,
        judged: Picos::ZERO,
        roofline: Picos::ZERO,
        n_layers: None,
        largest: None,
    }
}

fn no_ops() -> AlikeOps {
    AlikeOps { name: String::new(), program: None, program_id: None, n_ops: 0, total: Picos::ZERO, source: None }
}

fn no_cell() -> ModuleCell {
    ModuleCell {
        module: ModelModule::Unknown,
        phase: Phase::Unknown,
        kind: Kind::Other,
        total: Picos::ZERO,
        of_busy: None,
        n_executions: Count::ZERO,
        judged: Picos::ZERO,
        roofline: Picos::ZERO,
    }
}
