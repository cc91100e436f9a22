//! This module compares the time of ops with the least time that the hardware allows (the roofline model).
//!
//! ```text
//!  plane, chip, user ──peaks──► ceilings ─┐
//!  op: cost ── compute_dtype ─────────────┼─evaluate─► t_c, t_m, t_roof ──sums──► row · program · step
//!                                         └─► or a reason ──────────────────────► skipped
//! ```
//!
//! The roofline time is t_roof = max(FLOPs ÷ peak, bytes ÷ bandwidth). The gap is t − t_roof, and the MFU is t_c ÷ t,
//! where t is the self time (Williams, Waterman and Patterson, "Roofline", 2009).
//!
//! Invariants, all exact in ps: the self time of a row is the time of its ops that have a roof + Σ skipped. The self
//! times of all rows sum to the time that the query selects, which is all compute time if the query has no filter. The
//! gaps of all rows sum to the gap of the step. A value above its roof is not clamped.
//!
//! This module depends on ops, programs and chips. It does not depend on pages or on number formats.

mod by_key;
pub mod columns;
mod compute_dtype;
mod cost;
pub(in crate::analysis) mod evaluate;
mod floors;
mod mfu;
mod notes;
mod peaks;
mod quadrant;
mod query;
mod report;
mod single_op;
mod steps;
mod sums;
mod verdict;
mod verify;
mod window_use;

use super::roofline::notes::NoteFacts;
pub use super::roofline::verdict::{FloorComparison, PossibleCause, Verdict};
pub use by_key::RowsByKey;
pub use floors::OpFloor;
pub use notes::mixed_peak_sources;
pub use peaks::{DevicePeaks, MainPeakSource, Peak, PeakResource};
pub use quadrant::Quadrant;
pub use query::{KernelCost, Latency, Level, PeakChoice, PeakSource, Precision, RooflineQuery, UsefulFlops};
pub use report::{
    CostSource, GapRank, MAX_GAPS, OpRoofline, OpaqueKernel, ProgramRoofline, RoofRow, Roofline, RooflineFigures,
    RooflinePosition, SkipReason, Skipped, StepRoofline,
};
pub use verdict::{Bound, ResourceKind};
pub use verify::verify;
pub use window_use::{DeviceCount, DeviceCountSource, WHOLE_COVERAGE, WindowUse};

use crate::analysis::base::rows::{Member, Rows, SessionFacts, Slice, fold};
use crate::analysis::base::selection::Selection;
use crate::analysis::base::{Analysis, Filter, FilterError, GroupBy, Query};
use crate::analysis::breakdown::RowView;
use crate::analysis::breakdown::query::shown;
use crate::analysis::breakdown::row_view::default_order;
use crate::analysis::classify::Kind;
use crate::analysis::data_movement::Programs;
use evaluate::{KernelGroups, RooflineModel};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use sums::{OpPoint, Sums};
use xla_profile::hlo::text;
use xla_profile::profile::{Note, Profile, ProgramId, StrId};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::{Count, Picos};

/// The answer to a roofline query. It keeps sums, and builds each row on request.
pub struct RooflineAnswer {
    pub figures: RooflineFigures,
    rows: Rows,
    slices: Vec<Slice>,
    by: GroupBy,
    latency: Latency,
    sums: Vec<RowSums>,
}

/// Sums of the ops of a row: those that have a roof, and those that are skipped.
#[derive(Default)]
struct RowSums {
    roof: Option<Box<Sums>>,
    skipped: Vec<Skipped>,
}

impl RowSums {
    fn recoverable(&self) -> u64 {
        self.roof.as_ref().map_or(0, |sums| sums.recoverable())
    }
}

impl RooflineAnswer {
    /// Returns the number of rows.
    pub fn n_rows(&self) -> usize {
        self.sums.len()
    }

    /// Returns the row numbers: most self time first, ties by key, then by program.
    pub fn order(&self) -> &[u32] {
        &self.rows.order
    }

    /// Returns a row by its number; `None` if no row has it. `profile` and `analysis` must be those of the query.
    pub fn row(&self, profile: &Profile, analysis: &Analysis, row: u32) -> Option<RoofRow> {
        let sums = self.sums.get(row as usize)?;
        Some(RoofRow {
            group: self.view(profile, analysis).group(row as usize),
            roof: self.roof(row),
            skipped: sums.skipped.clone(),
        })
    }

    /// Returns the position of a row in the roofline model, without the texts of the row. `None` if no op of the row
    /// has a roof, or if no row has this number.
    pub fn roof(&self, row: u32) -> Option<RooflinePosition> {
        Some(self.sums.get(row as usize)?.roof.as_ref()?.evaluate(self.latency))
    }

    /// Returns the time of a row that has no roof, by reason, most time first. Empty if no row has this number.
    pub fn skipped(&self, row: u32) -> &[Skipped] {
        self.sums.get(row as usize).map_or(&[], |row| &row.skipped)
    }

    /// Returns the rows in the form that the breakdown uses.
    pub fn view<'a>(&'a self, profile: &'a Profile, analysis: &'a Analysis) -> RowView<'a> {
        RowView {
            session: analysis.session_facts(profile),
            rows: &self.rows,
            slices: &self.slices,
            by: self.by,
            by_kind: &self.figures.totals.by_kind,
            window: self.figures.header.step_duration,
        }
    }

    /// Builds the whole report, with the first `limit` rows.
    pub fn into_report(self, profile: &Profile, analysis: &Analysis, limit: usize) -> Roofline {
        let rows = self.order().iter().take(limit).filter_map(|row| self.row(profile, analysis, *row)).collect();
        Roofline { figures: self.figures, rows }
    }
}

impl Analysis {
    /// Returns the peaks of the device at index `device`, selected by `choice`. Empty if the session has no such
    /// device.
    pub fn device_peaks(&self, profile: &Profile, device: usize, choice: &PeakChoice) -> DevicePeaks {
        let Some(info) = self.devices.get(device) else { return DevicePeaks::default() };
        DevicePeaks::resolve(&info.label, &profile.planes[info.plane], choice)
    }

    /// Computes the position of ops in the roofline model. `programs` gives the HLO of programs, which is read where
    /// the text of an op does not show the instructions inside the op.
    ///
    /// # Errors
    /// [`FilterError`] if the text of the filter is meant as a regular expression and is not a valid one.
    pub fn roofline(
        &self,
        profile: &Profile,
        request: &RooflineQuery,
        programs: Option<Programs<'_>>,
    ) -> Result<RooflineAnswer, FilterError> {
        let kind = request.query.filter.kind.or((!request.all_kinds).then_some(Kind::Compute));
        let query = Query { filter: Filter { kind, ..request.query.filter.clone() }, ..request.query.clone() };
        let matcher = query.filter.compile()?;
        let session = self.session_facts(profile);
        let Selection { header, totals, slices: all, chosen, step: step_choice, scale, notes } =
            self.selection(profile, &query);
        let slices = shown(session, &all, &matcher);
        let mut rows = fold(session, &slices, query.by);
        let by_slice: Vec<DevicePeaks> =
            slices.iter().map(|slice| self.device_peaks(profile, slice.device, &request.peaks)).collect();
        let mut walk = OpWalk::new(RooflineModel::new(session, programs, &request.costs, by_slice.iter()));
        let row_sums = walk.rows(&rows, &slices, session);
        let window = header.step_duration;
        let view = RowView { session, rows: &rows, slices: &slices, by: query.by, by_kind: &totals.by_kind, window };
        let order = default_order(view);
        let gaps = gaps(view, &row_sums, &order);
        rows.order = order;
        let step = walk.step.as_ref().map(|sums| sums.evaluate(request.latency));
        let considered = rows.rows.iter().map(|row| Picos(row.self_time)).sum();
        let latency_bound = row_sums
            .iter()
            .filter_map(|row| row.roof.as_ref().map(|sums| sums.evaluate(request.latency)))
            .filter(|roof| roof.latency_bound)
            .map(|roof| roof.total)
            .sum();
        let chosen_peaks = chosen.iter().map(|device| self.device_peaks(profile, *device, &request.peaks));
        let mut figures = RooflineFigures {
            coverage: step.as_ref().map_or(Picos::ZERO, |roof| roof.total).fraction_of(considered),
            considered,
            peaks: kernel_groups(chosen_peaks),
            programs: walk.programs(profile, request.latency),
            skipped: walk.skipped(),
            opaque: walk.opaque(self, profile),
            step,
            gaps,
            latency_bound,
            window: self.window_use(profile, request, (step_choice, scale), &all, &by_slice, programs),
            header,
            totals,
            notes,
        };
        let notes: Vec<Note> = notes::notes(&figures, request, &walk.facts);
        figures.notes.extend(notes);
        Ok(RooflineAnswer { figures, rows, slices, by: query.by, latency: request.latency, sums: row_sums })
    }
}

/// Merges the entries of devices that have the same peaks.
fn kernel_groups(all: impl Iterator<Item = DevicePeaks>) -> Vec<DevicePeaks> {
    let mut all_peaks: Vec<DevicePeaks> = Vec::new();
    // The entries with the same numbers. Few of them have different texts.
    let mut by_values: FxHashMap<Vec<u64>, Vec<usize>> = FxHashMap::default();
    for peaks in all {
        let alike = by_values.entry(peaks.values()).or_default();
        match alike.iter().find(|other| all_peaks[**other].has_same_peaks(&peaks)) {
            Some(other) => all_peaks[*other].devices.extend(peaks.devices),
            None => {
                alike.push(all_peaks.len());
                all_peaks.push(peaks);
            }
        }
    }
    all_peaks
}

/// Ranks rows by their recoverable time, the largest first, at most [`MAX_GAPS`]. Rows without recoverable time are
/// left out.
fn gaps(view: RowView<'_>, row_sums: &[RowSums], order: &[u32]) -> Vec<GapRank> {
    let all: u64 = row_sums.iter().fold(0, |sum, row| sum.saturating_add(row.recoverable()));
    let mut ranked: Vec<u32> = order.iter().copied().filter(|i| row_sums[*i as usize].recoverable() > 0).collect();
    ranked.small_sort_by_key(|i| Reverse(row_sums[*i as usize].recoverable()));
    let mut before = Picos::ZERO;
    let rank = |i: u32| {
        let row = &row_sums[i as usize];
        let recoverable = Picos(row.recoverable());
        before += recoverable;
        GapRank {
            key: view.key(i as usize).into_owned(),
            program_id: view.row(i as usize).program.flatten().map(|id| id.0),
            total: row.roof.as_ref().map_or(Picos::ZERO, |sums| Picos(sums.self_time())),
            recoverable,
            cumulative: before.fraction_of(Picos(all)).unwrap_or(0.0),
        }
    };
    ranked.into_iter().take(MAX_GAPS).map(rank).collect()
}

/// The program and the name of an op.
type Named = (Option<ProgramId>, StrId);

/// A kernel without a cost: the first of its ops with the index of that op's device, executions, and self time in ps.
struct Opaque {
    first: (usize, Member),
    n: Count,
    self_time: u64,
}

/// The sums that one walk over all rows collects.
struct OpWalk<'a, 'm> {
    holder: RooflineModel<'a, 'm>,
    step: Option<Sums>,
    by_program: IndexMap<Option<ProgramId>, (u64, Option<Sums>)>,
    reasons: IndexMap<SkipReason, u64>,
    ops: IndexSet<(SkipReason, Named)>,
    kernels: IndexMap<Named, Opaque>,
    facts: NoteFacts,
}

impl<'a, 'm> OpWalk<'a, 'm> {
    fn new(holder: RooflineModel<'a, 'm>) -> Self {
        Self {
            holder,
            step: None,
            by_program: IndexMap::default(),
            reasons: IndexMap::default(),
            ops: IndexSet::default(),
            kernels: IndexMap::default(),
            facts: NoteFacts::default(),
        }
    }

    /// Sums the ops of each row.
    fn rows(&mut self, rows: &Rows, slices: &[Slice], session: SessionFacts<'_>) -> Vec<RowSums> {
        let members = |(from, to): (u32, u32)| &rows.members[from as usize..to as usize];
        rows.rows.iter().map(|row| self.row(members(row.members), slices, session)).collect()
    }

    fn row(&mut self, members: &[Member], slices: &[Slice], session: SessionFacts<'_>) -> RowSums {
        let mut row = RowSums::default();
        let mut names: IndexSet<(SkipReason, Named)> = IndexSet::default();
        let mut kernel_groups = KernelGroups::default();
        for member in members {
            let slice = &slices[member.slice as usize];
            let (op, facts) = session.op(slice.device, member.op);
            let time = slice.measured.ops[member.op.0 as usize];
            let name = op.key();
            let program = self.by_program.entry(op.stats.program).or_default();
            program.0 = program.0.saturating_add(time.self_time);
            let point = self.holder.evaluate_op(slices, *member);
            match point.and_then(|point| if time.n > 0 { Ok(point) } else { Err(SkipReason::NoStart) }) {
                Ok(sums) => {
                    let instruction = self.holder.instruction(slices, *member);
                    if !kernel_groups.add_kernel(instruction, &sums, time.n, time.self_time) {
                        self.add(&mut row, op.stats.program, &sums, time.n, time.self_time);
                    }
                    self.facts.add(&sums, self.holder.compute_type(op, facts).matmul, time.self_time);
                    self.facts.split |= session.profile.memory(session.plane(slice.device), member.op).is_some();
                }
                Err(reason) => {
                    let index = row.skipped.iter().position(|s| s.reason == reason).unwrap_or_else(|| {
                        row.skipped.push(Skipped { reason, n_ops: 0, total: Picos::ZERO });
                        row.skipped.len() - 1
                    });
                    row.skipped[index].total += Picos(time.self_time);
                    row.skipped[index].n_ops += u32::from(names.insert((reason, name)));
                    let sum = self.reasons.entry(reason).or_default();
                    *sum = sum.saturating_add(time.self_time);
                    self.ops.insert((reason, name));
                    self.skip(reason, (slice.device, *member), name, time.n, time.self_time, session);
                }
            }
        }
        for ((_, program, _), sums, n, self_time) in kernel_groups.into_iter() {
            self.add(&mut row, program, &sums, n, self_time);
        }
        row.skipped.small_sort_by_key(|s| (Reverse(s.total), s.reason));
        row
    }

    /// Adds an op that has a roof to its row, its program and the step.
    fn add(&mut self, row: &mut RowSums, program: Option<ProgramId>, point: &OpPoint, n: Count, self_time: u64) {
        let program = self.by_program.entry(program).or_default();
        let sums = [
            row.roof.get_or_insert_default().as_mut(),
            program.1.get_or_insert_default(),
            self.step.get_or_insert_default(),
        ];
        sums.into_iter().for_each(|sums| sums.add(point, n, self_time));
    }

    fn skip(
        &mut self,
        reason: SkipReason,
        place: (usize, Member),
        name: Named,
        n: Count,
        self_time: u64,
        session: SessionFacts<'_>,
    ) {
        match reason {
            SkipReason::OpaqueCall => {
                let kernel =
                    self.kernels.entry(name).or_insert_with(|| Opaque { first: place, n: Count::ZERO, self_time: 0 });
                kernel.n += n;
                kernel.self_time = kernel.self_time.saturating_add(self_time);
            }
            SkipReason::NoPeak => {
                let (op, facts) = session.op(place.0, place.1.op);
                let dtype =
                    self.holder.compute_type(op, facts).dtype.map_or_else(|| "unknown".to_owned(), |d| d.to_string());
                let time = self.facts.no_peak.entry(dtype).or_default();
                *time = time.saturating_add(self_time);
            }
            _ => {}
        }
    }

    fn skipped(&mut self) -> Vec<Skipped> {
        let n_ops = |reason| self.ops.iter().filter(|(other, _)| *other == reason).count() as u32;
        let all_peaks = |(reason, self_time): (&SkipReason, &u64)| Skipped {
            reason: *reason,
            n_ops: n_ops(*reason),
            total: Picos(*self_time),
        };
        let mut skipped: Vec<Skipped> = self.reasons.iter().map(all_peaks).collect();
        skipped.small_sort_by_key(|s| (Reverse(s.total), s.reason));
        skipped
    }

    fn programs(&mut self, profile: &Profile, latency: Latency) -> Vec<ProgramRoofline> {
        let mut programs: Vec<ProgramRoofline> = std::mem::take(&mut self.by_program)
            .into_iter()
            .map(|(id, (self_time, sums))| ProgramRoofline {
                program: id.and_then(|id| profile.programs.get(&id).cloned()),
                program_id: id.map(|id| id.0),
                total: Picos(self_time),
                roof: sums.map(|sums| sums.evaluate(latency)),
            })
            .collect();
        programs.small_sort_by_key(|p| (Reverse(p.total), p.program_id));
        programs
    }

    fn opaque(&mut self, analysis: &Analysis, profile: &Profile) -> Vec<OpaqueKernel> {
        let all_peaks = |((program, name), kernel): (Named, Opaque)| {
            let (device, member) = kernel.first;
            let op = analysis.session_facts(profile).op(device, member.op).0;
            let parsed = text::instruction(profile.text(op.text));
            OpaqueKernel {
                op: profile.text(name).to_owned(),
                program_id: program.map(|id| id.0),
                target: parsed.and_then(|p| p.instruction.custom_call_target().map(str::to_owned)),
                n: kernel.n,
                total: Picos(kernel.self_time),
                source_inner: analysis.facts[device].source_inner(profile, op).map(str::to_owned),
            }
        };
        let mut kernels: Vec<OpaqueKernel> = std::mem::take(&mut self.kernels).into_iter().map(all_peaks).collect();
        kernels.small_sort_by(|a, b| {
            (Reverse(a.total), &a.op, a.program_id).cmp(&(Reverse(b.total), &b.op, b.program_id))
        });
        kernels
    }
}
