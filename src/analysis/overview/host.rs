//! This module checks the time in which the device waits for the host.

use super::context::{Context, total};
use super::evidence::telling_event;
use super::figures::Unit;
use super::report::{Confidence, Group, SeeView};
use super::rule::{Advice, BY_LINKS, Draft, LEAST, Outcome, Rule, Subject, drafts, unknown};
use super::rule_id::RuleId;
use crate::analysis::base::compilations::describe_compilations;
use crate::analysis::base::{NotSteady, Step};
use crate::analysis::gaps::{Gap, GapClass, host_class, is_annotation};
use crate::analysis::ledger::Owner;
use crate::table::filter::contains;
use crate::table::format::{counted, time_text};
use rustc_hash::FxHashMap;
use xla_profile::units::Picos;

/// The rules about the host, in the order in which they claim time.
pub(super) const RULES: [Rule; 6] = [
    Rule {
        id: RuleId::InputBound,
        group: Group::Time,
        name: "Input data",
        title: "The device waits for input data",
        threshold: 0.03,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_LINKS,
        why: "The host loads data, or moves it to the device, while the device has nothing else to do.",
        worked_if: "idle time for input data falls below 1 % of a step",
        formula: "idle time in which the host loads data or moves it to the device + self time of infeeds",
        view: SeeView::Breakdown,
        overlaps: &[],
        tries: &[
            Advice::words("Load batches ahead, with more workers in the data loader."),
            Advice::code(
                "Start the transfer of the next batch before the current step.",
                "jax.device_put(next_batch, sharding)",
            ),
        ],
        check: input,
    },
    Rule {
        id: RuleId::OpByOp,
        group: Group::Time,
        name: "Operations one by one",
        title: "The host dispatches operations one by one",
        threshold: 0.5,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "rests on the number and the length of runs",
        why: "A step is many short programs, each of which the host starts, so the device waits for most of the step.",
        worked_if: "a step is fewer than 20 runs of programs",
        formula: "idle time between runs, if a step has at least 20 runs of less than 100 µs, and is idle for more than half",
        view: SeeView::Breakdown,
        overlaps: &[RuleId::HostDispatch, RuleId::ManyLaunches, RuleId::UnexplainedIdle],
        tries: &[
            Advice::code("Put the whole step into one jitted function.", "jax.jit(step)"),
            Advice::words("Move what the host needs, such as metrics, into the result of that function."),
        ],
        check: one_by_one,
    },
    Rule {
        id: RuleId::HostDispatch,
        group: Group::Time,
        name: "Host work between steps",
        title: "The device waits for the host",
        threshold: 0.03,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_LINKS,
        why: "The host enqueues the next run only after the device has become idle.",
        worked_if: "idle time for other host work falls below 1 % of a step",
        formula: "idle time in which the host does other work",
        view: SeeView::Breakdown,
        overlaps: &[],
        tries: &[
            Advice::words("Save checkpoints asynchronously, such as with AsyncCheckpointer of Orbax, or less often.")
                .only_for(Subject::Checkpoint),
            Advice::code("Trace Python, to see what the host does.", "options.python_tracer_level = 1")
                .only_for(Subject::Untraced),
            Advice::words("If the data loader is slow, load batches ahead with more workers.")
                .only_for(Subject::Untraced),
            Advice::words("Do this work on another thread, or less often, while the device runs the next steps.")
                .only_for(Subject::NamedWork),
            Advice::words(
                "Remove calls from the loop that need a result of the device: block_until_ready, np.asarray, print.",
            )
            .only_for(Subject::UnnamedWork),
            Advice::code("Run your step function several times in one call.", "jax.lax.scan(step, state, inputs)")
                .only_for(Subject::UnnamedWork),
        ],
        check: dispatch,
    },
    Rule {
        id: RuleId::Recompile,
        group: Group::Time,
        name: "Compilation",
        title: "The device waits for compilations",
        threshold: LEAST,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_LINKS,
        why: "A program is compiled or loaded after the first step, usually because a shape or a constant has changed.",
        worked_if: "no step after the first one compiles",
        formula: "idle time for compilations and program loads after the first step",
        view: SeeView::Breakdown,
        overlaps: &[],
        tries: &[
            Advice::words("A function that is made again for each call is compiled for each call: define it once, outside of the loop.")
                .only_for(Subject::Lambda),
            Advice::code("Compile all programs before the loop begins.", "jitted = jax.jit(step).lower(*arguments).compile()")
                .only_for(Subject::FirstCall),
            Advice::words("Keep the shapes of batches constant, by padding.").only_for(Subject::CompiledAgain),
            Advice::code("Print why JAX compiles again.", "jax.config.update(\"jax_explain_cache_misses\", True)")
                .only_for(Subject::CompiledAgain),
            Advice::code(
                "Keep compiled programs between runs.",
                "jax.config.update(\"jax_compilation_cache_dir\", dir)",
            ),
        ],
        check: recompile,
    },
    Rule {
        id: RuleId::HostSync,
        group: Group::Time,
        name: "Host waits for results",
        title: "The host waits for results of the device",
        threshold: LEAST,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "rests on names of host events",
        why: "The host fetches a result before it enqueues the next run, so the device becomes idle.",
        worked_if: "idle time in which the host waits for the device falls below 0.5 % of a step",
        formula: "idle time in which the host waits for the device",
        view: SeeView::Breakdown,
        overlaps: &[],
        tries: &[
            Advice::words("Fetch metrics one step later, or every n steps."),
            Advice::words("Remove host callbacks from the step: jax.debug.print, jax.pure_callback."),
        ],
        check: sync,
    },
    Rule {
        id: RuleId::Defragmentation,
        group: Group::Time,
        name: "Memory defragmentation",
        title: "The device waits for memory defragmentation",
        threshold: LEAST,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_LINKS,
        why: "The free memory is in pieces that are too small for the next program, so the runtime moves arrays.",
        worked_if: "no idle time is due to defragmentation",
        formula: "idle time for memory defragmentation",
        view: SeeView::Breakdown,
        overlaps: &[RuleId::Fragmented],
        tries: &[
            Advice::words("Use fewer and larger arrays."),
            Advice::code("Donate the arrays that a step replaces.", "jax.jit(step, donate_argnums=(0,))"),
        ],
        check: defragmentation,
    },
];

/// The reason for the confidence in causes that are found by their times.
const BY_TIMES: &str = "by what the host did at the same time; no run is linked to its call";

pub(super) const NO_LINKS: &str = "The capture does not link the runs of the device to calls of the host.";

/// Returns the outcome of a rule about gaps of some classes, for which the host was late. `is_recoverable` tells
/// whether the time would go.
pub(super) fn by_gaps(
    context: &mut Context<'_>,
    rule: &Rule,
    classes: &'static [GapClass],
    is_recoverable: bool,
) -> Vec<Outcome> {
    let mut found = by_gaps_alone(context, rule, classes, is_recoverable);
    if context.gaps.clock_shift.is_some() {
        let confidence = (Confidence::Likely, "the clocks of host and device differ, and are aligned by their calls");
        drafts(&mut found).for_each(|draft| draft.confidence = Some(confidence));
    }
    if classes.iter().any(|class| class.is_host_late()) { without_links(context, classes, found) } else { found }
}

fn by_gaps_alone(
    context: &mut Context<'_>,
    rule: &Rule,
    classes: &'static [GapClass],
    is_recoverable: bool,
) -> Vec<Outcome> {
    rule.by_time(context, context.gap_time(classes), &mut |context| {
        let claimed = classes.iter().map(|class| context.claims.gap(*class)).sum();
        let mut evidence = context.gap_evidence(classes);
        context.add_when_idle(&mut evidence, classes);
        Draft {
            detail: context.gaps_text(classes, &evidence),
            claimed,
            recoverable: if is_recoverable { claimed } else { Picos::ZERO },
            inputs: vec![("gap_ps", context.per_step(claimed).as_f64())],
            evidence,
            ..Draft::default()
        }
    })
}

/// Whether nothing tells what the host did in the gaps of the device.
pub(super) fn lacks_links(context: &Context<'_>) -> bool {
    context.lacks_host() || context.gaps.n_linked_runs == 0 && context.gaps.idle() == Picos::ZERO
}

/// Lowers the confidence of findings about gaps if no run of the device is linked to a call: the host events are those
/// of the same time, and nothing says that the device waited for them. Events that occur in most gaps and take half of
/// them are likely the cause, all others are a guess.
fn without_links(context: &Context<'_>, classes: &[GapClass], mut found: Vec<Outcome>) -> Vec<Outcome> {
    if context.gaps.n_linked_runs > 0 {
        return found;
    }
    let is_of = |gap: &&Gap| classes.contains(&gap.main_class());
    let (mut n_gaps, mut length) = (0_usize, Picos::ZERO);
    // In how many gaps each event occurs, and for how long.
    let mut named: FxHashMap<&str, (usize, Picos)> = FxHashMap::default();
    for gap in context.gaps.gaps.iter().filter(is_of) {
        n_gaps += 1;
        length += gap.total;
        for event in &gap.host_events {
            let (n, time) = named.entry(&event.name).or_default();
            (*n, *time) = (*n + 1, *time + event.total);
        }
    }
    let repeating = named.values().filter(|(n, _)| n * 5 >= n_gaps * 4);
    let repeats = repeating.map(|(_, time)| *time).sum::<Picos>().0.saturating_mul(2) >= length.0;
    let confidence = if repeats { (Confidence::Likely, BY_TIMES) } else { (Confidence::Guess, BY_TIMES) };
    drafts(&mut found).for_each(|draft| draft.confidence = Some(confidence));
    found
}

fn input(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    const OWNER: Owner = Owner::Gap(GapClass::Input);
    let ops = context.ops_left(OWNER, &|_| true);
    if lacks_links(context) && ops.is_empty() {
        return unknown(NO_LINKS);
    }
    let of_ops: Picos = total(&ops);
    let gaps = context.gap_time(&[GapClass::Input]);
    let mut found = rule.by_time(context, gaps + of_ops, &mut |context| {
        let claimed_ops: Picos = context.claims.ops(&ops, OWNER);
        let claimed = context.claims.gap(GapClass::Input) + claimed_ops;
        let mut evidence = context.gap_evidence(&[GapClass::Input]);
        context.add_when_idle(&mut evidence, &[GapClass::Input]);
        let mut detail = String::new();
        if gaps > Picos::ZERO {
            detail = context.gaps_text(&[GapClass::Input], &evidence);
        }
        if !ops.is_empty() {
            let op_evidence = context.op_evidence_when(&ops);
            detail = format!("{detail} Transfers on the device: {}", context.ops_text(&ops)).trim_start().to_owned();
            (evidence.ops, evidence.n_ops) = (op_evidence.ops, op_evidence.n_ops);
            if of_ops > gaps {
                evidence.picture = op_evidence.picture;
            }
        }
        Draft { detail, claimed, recoverable: claimed, evidence, ..Draft::default() }
    });
    if gaps <= of_ops {
        return found;
    }
    for draft in drafts(&mut found) {
        // An annotation of the program is recognised by its words.
        let by_name = draft.evidence.host_events.iter().any(|(name, _)| host_class(name) == Some(GapClass::Input));
        if !by_name {
            draft.confidence = Some((Confidence::Likely, "rests on the words of an annotation"));
        }
    }
    without_links(context, &[GapClass::Input], found)
}

/// Number of runs in a step from which on they are many.
const MANY_RUNS: f64 = 20.0;
/// Length of a run in ps below which it is short.
const SHORT_RUN: f64 = 1e8;

/// The idle time of a step that is many short runs of programs.
fn one_by_one(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    const CLASSES: &[GapClass] = &[GapClass::Host, GapClass::Launch, GapClass::Dependency, GapClass::Unexplained];
    let programs = context.programs_of_step();
    if programs.is_empty() {
        return unknown("The programs of a step are unknown.");
    }
    let runs: f64 = programs.iter().map(|(_, n)| f64::from(*n)).sum();
    let idle = context.gap_time(&GapClass::ALL);
    let busy = context.by_op.ledger.window.saturating_sub(idle);
    let length = busy.as_f64() / (runs * context.n_steps_f64());
    let time = context.gap_time(CLASSES);
    if runs < MANY_RUNS || length > SHORT_RUN {
        return vec![Outcome::Below { measured: 0.0, at_stake: Some(Picos::ZERO) }];
    }
    rule.by_time(context, time, &mut |context| {
        let claimed = CLASSES.iter().map(|class| context.claims.gap(*class)).sum();
        let evidence = context.gap_evidence(CLASSES);
        let gaps = context.gaps_text(CLASSES, &evidence);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time that is shown")]
        let each = time_text(Picos(length as u64));
        Draft {
            detail: format!("{runs:.0} runs of programs per step, {each} each. {gaps}"),
            claimed,
            recoverable: claimed,
            inputs: vec![("runs_per_step", runs), ("run_ps", length)],
            evidence,
            ..Draft::default()
        }
    })
}

fn dispatch(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    if lacks_links(context) {
        return unknown(NO_LINKS);
    }
    let mut found = by_gaps(context, rule, &[GapClass::Host], true);
    for draft in drafts(&mut found) {
        if context.is_untraced(&[GapClass::Host], &draft.evidence) {
            draft.detail += " Much of this time may be code that the capture does not trace, such as Python.";
            draft.subjects.push(Subject::Untraced);
        }
        if draft.evidence.host_events.iter().any(|(name, _)| contains(name, "checkpoint")) {
            draft.subjects.push(Subject::Checkpoint);
        }
        // A frame of Python or an annotation names the work. Names of the runtime do not.
        let event = telling_event(&draft.evidence.host_events, &[GapClass::Host]);
        let is_named = event.is_some_and(|(name, _)| name.starts_with('$') || is_annotation(name));
        draft.subjects.push(if is_named { Subject::NamedWork } else { Subject::UnnamedWork });
    }
    found
}

/// Compilations in steady steps, and those that make a step not steady. The first step may always compile.
fn recompile(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    if lacks_links(context) {
        return unknown(NO_LINKS);
    }
    const CLASSES: &[GapClass] = &[GapClass::Recompile];
    let device = context.device();
    let compiles = device.steps.iter().skip(1).filter(|step| step.not_steady == Some(NotSteady::Compile));
    let compiles: Vec<&Step> = compiles.collect();
    let steps: Vec<u64> = compiles.iter().map(|step| step.number).collect();
    let idle = context.analysis.gap_times_of_steps(context.profile, context.by_op.ledger.device, &compiles);
    let of_class = idle.into_iter().find(|(class, _)| *class == GapClass::Recompile);
    // A gap may go on after the period of its step, outside of all steps.
    let periods: Picos = compiles.iter().map(|step| step.length()).sum();
    let outside = of_class.map_or(Picos::ZERO, |(_, time)| time).min(periods);
    let steady = context.gap_time(CLASSES);
    // The steps that compile are not among those of the overview. Their time counts as a mean over all steps.
    let n_periods = device.steps.iter().skip(1).filter(|step| step.has_period).count().max(1) as u64;
    let as_steps = Picos(outside.0 / n_periods * context.n_steps());
    if context.share(steady + as_steps) < rule.threshold {
        return vec![Outcome::Below { measured: context.share(steady + as_steps), at_stake: Some(steady) }];
    }
    let claimed = context.claims.gap(GapClass::Recompile);
    let mut evidence = context.gap_evidence(CLASSES);
    context.add_when_idle(&mut evidence, CLASSES);
    let mut detail = if steady > Picos::ZERO { context.gaps_text(CLASSES, &evidence) } else { String::new() };
    if outside > Picos::ZERO {
        let n = counted(steps.len() as u64, "step", "steps");
        let time = time_text(outside);
        detail = format!("{detail} {n} after the first one waited {time} for a compilation.").trim_start().to_owned();
    }
    let compilations = context.compilations();
    detail += &describe_compilations(&compilations);
    let is_first = !compilations.is_empty()
        && compilations.iter().all(|compilation| compilation.n == 1 && compilation.function.is_some());
    let mut subjects = vec![if is_first { Subject::FirstCall } else { Subject::CompiledAgain }];
    let is_lambda = compilations.first().and_then(|compilation| compilation.function.as_deref()) == Some("<lambda>");
    subjects.extend(is_lambda.then_some(Subject::Lambda));
    evidence.steps = steps;
    let found = vec![Outcome::Found(Box::new(Draft {
        detail,
        at_stake: steady + as_steps,
        claimed,
        recoverable: claimed,
        per_capture: (outside > Picos::ZERO).then_some(outside),
        evidence,
        subjects,
        ..Draft::default()
    }))];
    without_links(context, CLASSES, found)
}

fn sync(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    if lacks_links(context) { unknown(NO_LINKS) } else { by_gaps(context, rule, &[GapClass::Sync], true) }
}

fn defragmentation(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    if lacks_links(context) { unknown(NO_LINKS) } else { by_gaps(context, rule, &[GapClass::Defrag], true) }
}
