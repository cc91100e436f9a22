//! This module collects the time of ops by module, phase and kind.

use super::report::{AlikeOps, CertaintyShare, ModuleCell, ModuleSum, Modules};
use crate::analysis::base::op_times::OpTime;
use crate::analysis::base::rows::SessionFacts;
use crate::analysis::classify::{Certainty, Kind, ModelModule, OpFacts, Phase, SCANNED};
use crate::analysis::roofline::OpFloor;
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use xla_profile::profile::{OpId, ProgramId, StrId};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::{Count, Picos};

/// Module, phase and kind of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct CellKey {
    module: ModelModule,
    phase: Phase,
    kind: Kind,
}

impl CellKey {
    pub(super) const fn new(facts: &OpFacts) -> Self {
        Self { module: facts.module.module, phase: facts.phase, kind: facts.kind }
    }
}

/// What identical ops have in common: the program with the deduplicated name, or with the type of instruction, the
/// shape and the FLOPs.
type AlikeKey = (Option<ProgramId>, StrId, Option<StrId>, Option<u64>);

#[derive(Default)]
struct CellSums {
    total: u64,
    n: Count,
    judged: u64,
    roofline: f64,
}

struct AlikeSums {
    total: u64,
    n_ops: u32,
    /// Device and op with the most time, and that time.
    longest: (usize, OpId, u64),
}

#[derive(Default)]
pub(super) struct Sums {
    cells: IndexMap<CellKey, CellSums>,
    certainties: [u64; Certainty::ALL.len()],
    layers: FxHashSet<(ModelModule, StrId)>,
    alike: IndexMap<(ModelModule, AlikeKey), AlikeSums>,
}

impl Sums {
    /// Adds the time of one op.
    pub(super) fn add(&mut self, session: SessionFacts<'_>, device: usize, id: OpId, time: &OpTime) {
        let (op, facts) = session.op(device, id);
        let key = CellKey::new(facts);
        let cell = self.cells.entry(key).or_default();
        cell.total = cell.total.saturating_add(time.self_time);
        cell.n += time.n;
        let certainty = &mut self.certainties[facts.module.certainty.index()];
        *certainty = certainty.saturating_add(time.self_time);
        self.layers.extend(facts.layer.map(|layer| (key.module, layer)));
        let stats = &op.stats;
        let alike = match stats.dedup {
            Some(name) => (stats.program, name, None, None),
            None => (stats.program, facts.signature, stats.shape, stats.flops.map(f64::to_bits)),
        };
        let first = || AlikeSums { total: 0, n_ops: 0, longest: (device, id, time.self_time) };
        let sums = self.alike.entry((key.module, alike)).or_insert_with(first);
        sums.total = sums.total.saturating_add(time.self_time);
        sums.n_ops += 1;
        if time.self_time > sums.longest.2 {
            sums.longest = (device, id, time.self_time);
        }
    }

    /// Adds the roofline time of the ops of one name.
    pub(super) fn add_floor(&mut self, key: CellKey, floor: &OpFloor) {
        let cell = self.cells.entry(key).or_default();
        cell.judged = cell.judged.saturating_add(floor.self_time);
        cell.roofline += floor.roofline_time;
    }

    /// Returns the sums as a report. `busy` is the self time of all ops.
    pub(super) fn into_modules(self, session: SessionFacts<'_>, busy: Picos) -> Modules {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let cell = |(key, sums): (CellKey, CellSums)| ModuleCell {
            module: key.module,
            phase: key.phase,
            kind: key.kind,
            total: Picos(sums.total),
            of_busy: None,
            n_executions: sums.n,
            judged: Picos(sums.judged),
            roofline: Picos(sums.roofline.round() as u64),
        };
        let Self { cells, certainties, layers, alike } = self;
        let mut cells: Vec<ModuleCell> = cells.into_iter().map(cell).collect();
        let mut modules: Vec<ModuleSum> = Vec::new();
        for module in ModelModule::ALL {
            let mut own = cells.iter().filter(|cell| cell.module == module).peekable();
            if own.peek().is_none() {
                continue;
            }
            let mut sum = ModuleSum {
                module,
                total: Picos::ZERO,
                of_busy: None,
                judged: Picos::ZERO,
                roofline: Picos::ZERO,
                n_layers: n_layers(session, &layers, module),
                largest: largest(session, &alike, module),
            };
            for cell in own {
                sum.total += cell.total;
                sum.judged += cell.judged;
                sum.roofline += cell.roofline;
            }
            modules.push(sum);
        }
        modules.small_sort_by_key(|sum| (Reverse(sum.total), sum.module));
        let place = |module| modules.iter().position(|sum| sum.module == module);
        cells.small_sort_by_key(|cell| (place(cell.module), cell.phase, cell.kind));
        let certainty = |(certainty, total)| CertaintyShare { certainty, total: Picos(total), of_busy: None };
        let certainties = Certainty::ALL.into_iter().zip(certainties).map(certainty).collect();
        let mut found = Modules { busy, modules, cells, certainties };
        found.derive();
        found
    }
}

/// Returns the number of layers that have a module: the named ones, and the iterations of the loops over layers.
fn n_layers(session: SessionFacts<'_>, layers: &FxHashSet<(ModelModule, StrId)>, module: ModelModule) -> Option<u64> {
    let mut sum = None;
    for (_, layer) in layers.iter().filter(|(other, _)| *other == module) {
        let name = session.words.get(*layer);
        let n = match name.split_once(" ×") {
            Some((_, n)) => n.parse().ok()?,
            None if name == SCANNED => return None,
            None => 1,
        };
        sum = Some(sum.unwrap_or(0) + n);
    }
    sum
}

/// Returns the identical ops of a module with the most time.
fn largest(
    session: SessionFacts<'_>,
    alike: &IndexMap<(ModelModule, AlikeKey), AlikeSums>,
    module: ModelModule,
) -> Option<AlikeOps> {
    let own = alike.iter().filter(|((other, _), sums)| *other == module && sums.total > 0);
    // Of several with the same time, the first one of the capture counts.
    let (_, sums) = own.rev().max_by_key(|(_, sums)| sums.total)?;
    let (device, id, _) = sums.longest;
    let (op, _) = session.op(device, id);
    let program = op.stats.program;
    Some(AlikeOps {
        name: session.profile.text(op.name).to_owned(),
        program: program.and_then(|id| session.profile.programs.get(&id).cloned()),
        program_id: program.map(|id| id.0),
        n_ops: sums.n_ops,
        total: Picos(sums.total),
        source: session.facts[device].source_inner(session.profile, op).map(str::to_owned),
    })
}
