//! This module derives the overview: what limits a run, what each limit costs, and what to try.
//!
//! ```text
//!  ledger: each instant has one owner ──► rules, in order: condition ──► claim ──► finding: at stake, recoverable
//!  gaps, comm, roofline, memory, steps ─► evidence, figures               │
//!                                                                          └─► no finding claims time twice
//! ```
//!
//! A rule (`rule::Rule`) is the declaration of a finding: its condition, its texts and what to try. A finding claims time
//! of owners of the ledger, and what one finding has claimed no later one claims. The recoverable times of all findings
//! therefore sum to at most the time of the steps. Findings are those of the device that the others wait for: what
//! shortens another device shortens no step.
//!
//! This module depends on all other analyses, and not on files and pages.

mod alike;
mod attention;
mod callbacks;
mod chip_guess;
pub mod columns;
mod communication;
mod compute;
mod context;
mod data;
mod derived;
mod devices;
mod draw;
mod evidence;
mod exposure;
mod figure_values;
mod figures;
mod flags;
mod gain;
mod headline;
mod host;
mod in_reports;
mod loops;
mod memory;
mod op_in_steps;
mod opaque;
mod outside;
mod picture;
mod quality;
mod query;
mod report;
mod rule;
mod rule_id;
mod step_columns;
mod steps;
mod usual;
mod verdict;
mod waits;

pub use columns::FindingRow;
pub use communication::OVERLAPPED_SHARE;
pub use derived::MAX_STEPS;
pub use evidence::{Evidence, OpEvidence, StepSpan};
pub use figures::{Figure, FigureId, FigureInput, FigureTexts, OtherPeak, Unit, shown_figures};
pub use gain::Gain;
pub use picture::{N_COLUMNS, Picture, RooflinePoint, ShownStep};
pub use query::OverviewQuery;
pub use report::{
    Checked, ChipGuess, Confidence, DeviceShare, Finding, Group, KindShare, Overview, SeeView, Severity, SkippedRule,
    StepShare, Suggestion,
};
pub use rule_id::{FindingId, RuleId};

use crate::analysis::base::framework::Framework;
use crate::analysis::base::{Analysis, MissingDevices, Platform, Sign, StepChoice};
use crate::analysis::breakdown::DeviceSteps;
use crate::analysis::classify::Kind;
use crate::analysis::comm::Comm;
use crate::analysis::data_movement::Programs;
use crate::analysis::files::{FileView, FindingKind};
use crate::analysis::flags::FlagsReport;
use crate::analysis::gaps::{GapClass, Gaps};
use crate::analysis::ledger::{LedgerByOp, Owner};
use crate::analysis::memory::{CrossCheck, ModelGuess, SpaceMemory};
use crate::analysis::modules::Modules;
use crate::analysis::roofline::{RooflineFigures, mixed_peak_sources};
use context::{Claims, Context};
use indexmap::IndexMap;
use rule::{NO_VERDICT, Outcome, Rule, doubt_idle};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use step_columns::StepColumns;
use xla_profile::profile::{NoteCode, Profile, ProgramId};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Share of the time without a roofline above which confidence is lower.
const LEAST_COVERAGE: f64 = 0.8;

/// The reports from which the overview is derived. All are about the device and the steps of the ledger.
pub struct OverviewInputs<'a> {
    pub by_op: &'a LedgerByOp,
    pub gaps: &'a Gaps,
    pub comm: &'a Comm,
    pub roofline: &'a RooflineFigures,
    /// The time of a step by module.
    pub modules: &'a Modules,
    /// Compute of the steady steps during which no collective is in flight.
    pub free_compute: Picos,
    /// The first [`MAX_STEPS`] steps of the device.
    pub steps: &'a DeviceSteps,
    /// The main memory of the program with the most time. `None` if it is unknown.
    pub memory: Option<&'a SpaceMemory>,
    /// The size of the model, as the program with the most time suggests it.
    pub model_guess: Option<ModelGuess>,
    /// The peaks of devices compared with their capacity.
    pub checks: &'a [CrossCheck],
    pub files: &'a FileView,
    /// The devices that the captures lack. `None` if they lack none.
    pub missing_devices: Option<MissingDevices>,
    /// The XLA flags that the user gave. `None` if there are none.
    pub flags: Option<&'a FlagsReport>,
}

/// The rules of all topics, in the order in which they claim time.
fn rules() -> impl Iterator<Item = &'static Rule> {
    let idle = callbacks::RULES.iter().chain(host::RULES.iter()).chain(waits::RULES.iter()).chain(loops::RULES.iter());
    let ops =
        communication::RULES.iter().chain(data::RULES.iter()).chain(compute::RULES.iter()).chain(opaque::RULES.iter());
    idle.chain(devices::RULES.iter())
        .chain(ops)
        .chain(memory::RULES.iter())
        .chain(steps::RULES.iter())
        .chain(quality::RULES.iter())
        .chain(outside::RULES.iter())
        .chain(flags::RULES.iter())
}

impl Analysis {
    /// Derives the overview from the other reports. `None` if the device does not have the step.
    pub fn overview<'a>(
        &'a self,
        profile: &'a Profile,
        inputs: &OverviewInputs<'a>,
        programs: Option<Programs<'a>>,
    ) -> Option<Overview> {
        let ledger = &inputs.by_op.ledger;
        let device = &self.devices[ledger.device];
        let plane = &profile.planes[device.plane];
        let window = device.choose(inputs.by_op.step)?;
        let times = self.measures.get_or_compute(plane, ledger.device, device, &window);
        let mut context = Context {
            profile,
            analysis: self,
            programs,
            by_op: inputs.by_op,
            gaps: inputs.gaps,
            comm: inputs.comm,
            transfers: self.op_transfers(profile, ledger.device, programs),
            free_compute: inputs.free_compute,
            steps: inputs.steps,
            memory: inputs.memory,
            checks: inputs.checks,
            roofline: inputs.roofline,
            lacks_peaks: figure_values::lacks_peaks(inputs.roofline),
            files: inputs.files,
            framework: Framework::detect(profile),
            flags: inputs.flags,
            times,
            columns: StepColumns::new(profile, self, inputs.by_op),
            claims: Claims::new(inputs.by_op),
            loss: self.completeness.loss_on(device, inputs.by_op.step),
            missing_devices: inputs.missing_devices,
            doubts: doubts(inputs, device.has_few_steady),
            cost_doubt: cost_doubt(inputs.roofline),
        };
        if context.loss.is_some() {
            context.doubts.push("the profiler lost events of the device".to_owned());
        }
        let hides_time = context.loss.is_some_and(Sign::hides_idle);
        let mut found: [Vec<Finding>; 4] = [const { Vec::new() }; 4];
        let (mut checked, mut skipped) = (Vec::new(), Vec::new());
        for rule in rules() {
            if hides_time && matches!(rule.group, Group::Time | Group::Option) {
                skipped.push(rule.skipped(NO_VERDICT.to_owned()));
                continue;
            }
            let gaps_before = context.claims.gaps_left();
            for outcome in (rule.check)(&mut context, rule) {
                match outcome {
                    Outcome::Found(mut draft) if context.loss.is_some() && context.claims.gaps_left() < gaps_before => {
                        doubt_idle(&mut draft);
                        found[rule.group as usize].push(rule.finding(&context, *draft));
                    }
                    Outcome::Found(draft) => found[rule.group as usize].push(rule.finding(&context, *draft)),
                    Outcome::Below { measured, at_stake } => {
                        checked.push(rule.checked(measured, at_stake.map(|time| context.per_step(time))));
                    }
                    Outcome::Unknown(reason) => skipped.push(rule.skipped(reason)),
                }
            }
        }
        for findings in &mut found[..3] {
            findings.small_sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.id.key().cmp(&b.id.key())));
        }
        let [findings, options, memory, quality] = found;
        let has_steps = matches!(inputs.by_op.step, StepChoice::Mean | StepChoice::Kind(_) | StepChoice::Number(_))
            || (inputs.by_op.step == StepChoice::Busiest && !device.steps.is_empty());
        let period = context.per_step(ledger.window);
        let mut found = Overview {
            header: inputs.gaps.header.clone(),
            totals: inputs.gaps.totals.clone(),
            device: device.label.clone(),
            has_steps,
            period,
            periods: context.periods().copied(),
            verdict: String::new(),
            kinds: kinds(&context),
            modules: Some(inputs.modules.clone()),
            ledger: ledger.clone(),
            shown_step: context.columns.shown_step(|index| context.op(index).1.kind),
            figures: figure_values::figures(&context),
            // No table of chips has CPUs.
            lacks_peaks: context.lacks_peaks && context.platform() != Platform::Cpu,
            chip_guess: chip_guess::chip_guess(&context),
            model_guess: inputs.model_guess,
            recoverable: Picos::ZERO,
            findings,
            options,
            memory,
            quality,
            checked,
            skipped,
            steps: Vec::new(),
            n_steps: 0,
            devices: Vec::new(),
            notes: inputs.gaps.notes.iter().cloned().chain(mixed_peak_sources(inputs.roofline)).collect(),
        };
        found.derive();
        let waits = &inputs.by_op.waits;
        let label = |device: usize| self.devices.get(device).map_or("", |device| &*device.label);
        let waits: FxHashMap<&str, Picos> = waits.iter().rev().map(|(device, wait)| (label(*device), *wait)).collect();
        let mut labels = self.devices.iter().map(|device| &*device.label);
        let waited = |name: &str| waits.get(name).copied();
        found.set_steps(Some(inputs.steps), &mut labels, &waited);
        Some(found)
    }
}

impl Analysis {
    /// Returns the program with the most time in a ledger. `None` if its ops name no program.
    pub fn main_program(&self, profile: &Profile, by_op: &LedgerByOp) -> Option<ProgramId> {
        let plane = &profile.planes[self.devices[by_op.ledger.device].plane];
        let mut by_program: IndexMap<ProgramId, Picos> = IndexMap::default();
        for op in &by_op.ops {
            let Some(program) = plane.op(op.op).stats.program else { continue };
            *by_program.entry(program).or_default() += op.total();
        }
        by_program.iter().max_by_key(|(id, time)| (**time, Reverse(**id))).map(|(id, _)| *id)
    }
}

/// Returns the order of a finding: the most recoverable time first, then the most time at stake. The time of a whole
/// capture counts by its share of a step.
fn rank(finding: &Finding) -> (Reverse<Picos>, Reverse<Picos>, Reverse<Option<u64>>) {
    let recoverable = if finding.per_capture.is_some() { finding.at_stake } else { finding.recoverable };
    (Reverse(recoverable), Reverse(finding.at_stake), Reverse(finding.bytes))
}

/// Returns why confidence in all findings is lower than usual.
fn doubts(inputs: &OverviewInputs<'_>, has_few_steady: bool) -> Vec<String> {
    let is_cut = inputs.files.quality.iter().any(|finding| finding.kind == FindingKind::Truncated);
    let is_skewed = inputs.files.notes.iter().any(|note| note.code == NoteCode::ClockSkew);
    let mut doubts = Vec::new();
    if is_cut {
        doubts.push("the capture is cut".to_owned());
    }
    if has_few_steady {
        doubts.push("fewer than three steps are steady".to_owned());
    }
    if is_skewed {
        doubts.push("the clocks of hosts differ".to_owned());
    }
    doubts
}

/// Returns why confidence in findings that rest on the costs of ops is lower than usual. `None` if most costs are known.
fn cost_doubt(roofline: &RooflineFigures) -> Option<String> {
    let coverage = roofline.coverage.filter(|coverage| *coverage < LEAST_COVERAGE);
    (coverage.is_some() && roofline.step.is_some()).then(|| "costs of many ops are unknown".to_owned())
}

/// Returns the kind of a part of an op of the ledger. `kind` is that of most of its time: a kernel of a library and the memset
/// before it are one op.
fn kind_of_part(owner: Owner, kind: Kind) -> Kind {
    match owner {
        Owner::Layout | Owner::Dma => Kind::DataMovement,
        Owner::Transfer | Owner::Late => Kind::Communication,
        Owner::Loop => Kind::Container,
        Owner::Gap(_) => Kind::Host,
        Owner::Slower if kind == Kind::DataMovement => kind,
        Owner::Floor | Owner::Excess | Owner::Slower | Owner::Opaque => match kind {
            Kind::Fused | Kind::Other => kind,
            _ => Kind::Compute,
        },
    }
}

/// Returns the time of each kind, divided by whether the device needs it, and idle time.
fn kinds(context: &Context<'_>) -> Vec<KindShare> {
    let mut sums = [[Picos::ZERO; 3]; 7];
    for index in 0..context.by_op.ops.len() {
        let kind = context.op(index).1.kind;
        for (owner, time) in &context.by_op.ops[index].parts {
            let sum = &mut sums[kind_of_part(*owner, kind).index()];
            let part = match owner {
                Owner::Floor => 0,
                // A wait for a call that runs beside compute needs no roofline.
                Owner::Opaque if !context.waits_for_call(index) => 2,
                _ => 1,
            };
            sum[part] += *time;
        }
    }
    let share = |kind: Option<Kind>, [needed, lost, not_judged]: [Picos; 3]| KindShare {
        kind,
        total: context.per_step(needed + lost + not_judged),
        needed: context.per_step(needed),
        lost: context.per_step(lost),
        not_judged: context.per_step(not_judged),
    };
    let busy: Picos = sums.iter().flatten().copied().sum();
    let idle = context.by_op.ledger.window.saturating_sub(busy);
    let kinds = Kind::ALL.into_iter().map(|kind| share(Some(kind), sums[kind.index()]));
    // Time without events is not idle if so many of them are missing. A server that waits for requests loses nothing.
    let is_unknown = context.loss.is_some_and(Sign::hides_idle);
    let not_judged = if is_unknown { idle } else { context.gap_time(&[GapClass::Requests]).min(idle) };
    let idle = [Picos::ZERO, idle.saturating_sub(not_judged), not_judged];
    kinds.chain([share(None, idle)]).collect()
}
