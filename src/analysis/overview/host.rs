//! This module checks the time in which the device has no op, and the self time of loops (rules F1 to F9).

use super::context::{Context, total};
use super::report::{Confidence, Group, SeeView, Unit};
use super::rule::Advice;
use super::rule::{BY_EVENTS, BY_LINKS, LEAST};
use super::rule::{Draft, Outcome, Rule, Subject, drafts, unknown};
use crate::analysis::base::{NotSteady, Platform, Step};
use crate::analysis::classify::op_class::is_callback;
use crate::analysis::classify::opcode;
use crate::analysis::gaps::{Gap, GapClass};
use crate::analysis::ledger::Owner;
use crate::profile::{ProgramId, StrId};
use crate::units::Picos;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

/// The rules about idle time and loops, in the order in which they claim time.
pub(super) const RULES: [Rule; 11] = [
    Rule {
        id: "host_callback",
        group: Group::Time,
        name: "Host callbacks",
        title: "The step waits for a host callback",
        threshold: 0.03,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "The program calls Python on the host, and the device waits for the result.",
        worked_if: "host callbacks take less than 1 % of a step",
        formula: "self time of callback ops; recoverable is the time in which they compile",
        view: SeeView::Breakdown,
        overlaps: &["recompile"],
        tries: &[
            Advice::words(
                "The callback compiles in each call: define its jitted functions once, outside of the callback.",
            )
            .only_for(Subject::Compiles),
            Advice::words("Compute the result with jax.numpy in the program itself."),
            Advice::words("Call the function between steps, on results that are one step old."),
        ],
        check: callbacks,
    },
    Rule {
        id: "input_bound",
        group: Group::Time,
        name: "Input data",
        title: "The device waits for input data",
        threshold: 0.03,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_LINKS,
        why: "The host moves data to the device while the device has nothing else to do.",
        worked_if: "idle time for transfers to the device falls below 1 % of a step",
        formula: "idle time for transfers to the device + self time of infeeds",
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
        id: "host_dispatch",
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
            Advice::code("Trace Python, to see what the host does.", "options.python_tracer_level = 1")
                .only_for(Subject::Untraced),
            Advice::words("If the data loader is slow, load batches ahead with more workers.")
                .only_for(Subject::Untraced),
            Advice::words(
                "Remove calls from the loop that need a result of the device: block_until_ready, np.asarray, print.",
            ),
            Advice::code("Run your step function several times in one call.", "jax.lax.scan(step, state, inputs)"),
        ],
        check: dispatch,
    },
    Rule {
        id: "recompile",
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
            Advice::words("Keep the shapes of batches constant, by padding."),
            Advice::code("Print why JAX compiles again.", "jax.config.update(\"jax_explain_cache_misses\", True)"),
            Advice::code(
                "Keep compiled programs between runs.",
                "jax.config.update(\"jax_compilation_cache_dir\", dir)",
            ),
        ],
        check: recompile,
    },
    Rule {
        id: "host_sync",
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
        id: "defragmentation",
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
        overlaps: &["fragmented"],
        tries: &[
            Advice::words("Use fewer and larger arrays."),
            Advice::code("Donate the arrays that a step replaces.", "jax.jit(step, donate_argnums=(0,))"),
        ],
        check: defragmentation,
    },
    Rule {
        id: "many_launches",
        group: Group::Time,
        name: "Launches",
        title: "The device waits for launches",
        threshold: 0.01,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "Each program run, and on a GPU each kernel, needs time to start.",
        worked_if: "the idle time between launches and starts falls below 1 % of a step",
        formula: "idle time between the launch and the start of runs or kernels, if a step has at least two",
        view: SeeView::Breakdown,
        overlaps: &[],
        tries: &[
            Advice::words("Launch fewer and longer kernels: a larger batch, or more fusion.")
                .for_platform(Platform::Gpu),
            Advice::code("Put the whole step into one jitted function.", "jax.jit(step)").for_platform(Platform::Tpu),
        ],
        check: launches,
    },
    Rule {
        id: "late_peers",
        group: Group::Time,
        name: "Waits for other devices",
        title: "The device waits for other devices",
        threshold: LEAST,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: "lengths of waits, no clocks compared",
        why: "All devices of a collective, and of a run, wait for the last one.",
        worked_if: "waits for other devices fall below 0.5 % of a step",
        formula: "idle time at the start of runs for other devices + first part of waits in collectives",
        view: SeeView::Comm,
        overlaps: &["straggler"],
        tries: &[
            Advice::words("Look for the host or the device that starts late."),
            Advice::words("Balance the work of devices: experts and pipeline stages."),
        ],
        check: late_peers,
    },
    Rule {
        id: "expanded_loop",
        group: Group::Time,
        name: "Loops of the compiler",
        title: "The compiler made loops of single operations",
        threshold: 0.01,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "the ops of the loop have the name of one operation that is no loop",
        why: "The chip has no instruction for the operation, so the compiler runs it element by element, one after the other.",
        worked_if: "the program has no such loop",
        formula: "time of loops whose ops all have the name of one operation, with what these ops take; recoverable is unknown",
        view: SeeView::Breakdown,
        overlaps: &["tiny_ops", "loop_gaps"],
        tries: &[
            Advice::code(
                "Say that indices are sorted and unique, so that updates need no order.",
                "x.at[idx].set(v, indices_are_sorted=True, unique_indices=True)",
            )
            .only_for(Subject::Scatter),
            Advice::words(
                "Write one large slice in place of many small ones: jax.vmap of dynamic_update_slice is a scatter.",
            )
            .only_for(Subject::Scatter),
            Advice::words("Select with a mask or a one-hot matmul, if few values are possible.")
                .only_for(Subject::Scatter),
            Advice::code("Combine in a tree, not one after the other.", "jax.lax.associative_scan(f, x)")
                .only_for(Subject::Cumulative),
            Advice::words("Take the largest k values, if that is enough: jax.lax.top_k or jax.lax.approx_max_k.")
                .only_for(Subject::Sort),
        ],
        check: expanded_loops,
    },
    Rule {
        id: "loop_gaps",
        group: Group::Time,
        name: "Gaps in loops",
        title: "The device is idle within loops",
        threshold: LEAST,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "the time has no op of its own",
        why: "Between the ops of an iteration the core waits, often for scalar work or for small transfers.",
        worked_if: "the self time of loops falls below 2 % of the loops",
        formula: "self time of loops of at least 2 % of the loop",
        view: SeeView::Breakdown,
        overlaps: &[],
        tries: &[
            Advice::code("Unroll the loop.", "jax.lax.scan(f, init, xs, unroll=4)"),
            Advice::words("Use a larger batch, so that each iteration does more."),
        ],
        check: loops,
    },
    Rule {
        id: "unexplained_idle",
        group: Group::Time,
        name: "Unexplained idle time",
        title: "The device is idle for an unknown reason",
        threshold: 0.03,
        unit: Unit::Fraction,
        confidence: Confidence::Guess,
        basis: "the capture does not tell the cause",
        why: "Nothing in the capture says what the device waited for.",
        worked_if: "idle time without a cause falls below 3 % of a step",
        formula: "idle time that is unexplained or waits for another run",
        view: SeeView::Breakdown,
        overlaps: &[],
        tries: &[
            Advice::code("Capture again with host events.", "options.host_tracer_level = 2")
                .only_for(Subject::NoHostEvents),
            Advice::words("Look in the timeline at what the host does then: its events are not linked to the device.")
                .only_for(Subject::HostEvents),
        ],
        check: unexplained,
    },
];

/// The reason for the confidence in causes that are found by their times.
const BY_TIMES: &str = "by what the host did at the same time; no run is linked to its call";

const NO_LINKS: &str = "The capture does not link the runs of the device to calls of the host.";

/// Returns the outcome of a rule about gaps of some classes, for which the host was late. `is_recoverable` tells whether the time would
/// go.
fn by_gaps(context: &mut Context<'_>, rule: &Rule, classes: &'static [GapClass], is_recoverable: bool) -> Vec<Outcome> {
    let found = by_gaps_alone(context, rule, classes, is_recoverable);
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
fn lacks_links(context: &Context<'_>) -> bool {
    context.lacks_host() || context.gaps.n_linked_runs == 0 && context.gaps.idle() == Picos::ZERO
}

/// Lowers the confidence of findings about gaps if no run of the device is linked to a call: the host events are those of the same
/// time, and nothing says that the device waited for them. A cause that repeats in most gaps is likely, any other one is a guess.
fn without_links(context: &Context<'_>, classes: &[GapClass], mut found: Vec<Outcome>) -> Vec<Outcome> {
    if context.gaps.n_linked_runs > 0 {
        return found;
    }
    let is_of = |gap: &&Gap| classes.contains(&gap.main_class());
    let (mut n_gaps, mut n_named): (usize, FxHashMap<&str, usize>) = (0, FxHashMap::default());
    for gap in context.gaps.gaps.iter().filter(is_of) {
        n_gaps += 1;
        let most = gap.host_events.iter().filter(|event| event.total.0 * 2 >= gap.total.0);
        most.for_each(|event| *n_named.entry(&event.name).or_default() += 1);
    }
    let repeats = n_named.values().any(|n| *n * 5 >= n_gaps * 4);
    let confidence = if repeats { (Confidence::Likely, BY_TIMES) } else { (Confidence::Guess, BY_TIMES) };
    drafts(&mut found).for_each(|draft| draft.confidence = Some(confidence));
    found
}

/// Ops that call Python on the host. What they compile meanwhile can be avoided.
fn callbacks(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let is_callback = |at: usize| {
        let op = context.op(at).0;
        is_callback(context.profile.text(op.name), context.profile.text(op.text))
    };
    let ops = context.ops_of(&Owner::ALL, &is_callback);
    let time: Picos = total(&ops);
    let compiling = if ops.is_empty() { Picos::ZERO } else { context.compile_time().min(time) };
    rule.by_time(context, time, &mut |context| {
        let claimed = Owner::ALL.into_iter().map(|owner| context.claims.ops(&ops, owner)).sum();
        let evidence = context.op_evidence_when(&ops);
        let (mut detail, mut subjects) = (context.ops_text(&ops), Vec::new());
        if compiling > Picos::ZERO {
            detail += &format!(" Meanwhile the host compiles for {} per step.", context.step_text(compiling));
            subjects.push(Subject::Compiles);
        }
        Draft { detail, claimed, recoverable: compiling, evidence, subjects, ..Draft::default() }
    })
}

fn input(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    const OWNER: Owner = Owner::Gap(GapClass::Input);
    let ops = context.ops_left(OWNER, &|_| true);
    if lacks_links(context) && ops.is_empty() {
        return unknown(NO_LINKS);
    }
    let of_ops: Picos = total(&ops);
    let gaps = context.gap_time(&[GapClass::Input]);
    let found = rule.by_time(context, gaps + of_ops, &mut |context| {
        let claimed_ops: Picos = context.claims.ops(&ops, OWNER);
        let claimed = context.claims.gap(GapClass::Input) + claimed_ops;
        let mut evidence = context.gap_evidence(&[GapClass::Input]);
        context.add_when_idle(&mut evidence, &[GapClass::Input]);
        let mut detail = String::new();
        if gaps > Picos::ZERO {
            detail = context.gaps_text(&[GapClass::Input], &evidence);
        }
        if !ops.is_empty() {
            let of = context.op_evidence_when(&ops);
            detail = format!("{detail} Transfers on the device: {}", context.ops_text(&ops)).trim_start().to_owned();
            (evidence.ops, evidence.n_ops) = (of.ops, of.n_ops);
            if of_ops > gaps {
                evidence.picture = of.picture;
            }
        }
        Draft { detail, claimed, recoverable: claimed, evidence, ..Draft::default() }
    });
    if gaps > of_ops { without_links(context, &[GapClass::Input], found) } else { found }
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
    let outside = of_class.map_or(Picos::ZERO, |(_, time)| time);
    let steady = context.gap_time(CLASSES);
    // The steps that compile are not among those of the overview. Their time counts as a mean over all steps.
    let n_periods = device.steps.iter().skip(1).filter(|step| step.has_period).count().max(1) as u64;
    let as_steps = Picos(outside.0 / n_periods * context.n_steps());
    if context.share(steady + as_steps) < rule.threshold {
        return vec![Outcome::Below { measured: context.share(steady + as_steps), at_stake: Some(steady) }];
    }
    let claimed = context.claims.gap(GapClass::Recompile);
    let mut evidence = context.gap_evidence(CLASSES);
    let mut detail = if steady > Picos::ZERO { context.gaps_text(CLASSES, &evidence) } else { String::new() };
    if outside > Picos::ZERO {
        let n = crate::table::format::counted(steps.len() as u64, "step", "steps");
        let time = crate::table::format::time_text(outside);
        detail = format!("{detail} {n} after the first one waited {time} for a compilation.").trim_start().to_owned();
    }
    evidence.steps = steps;
    let found = vec![Outcome::Found(Box::new(Draft {
        detail,
        at_stake: steady + as_steps,
        claimed,
        recoverable: claimed,
        per_capture: (outside > Picos::ZERO).then_some(outside),
        evidence,
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

fn launches(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    if lacks_links(context) {
        return unknown(NO_LINKS);
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of runs")]
    let runs = context.gaps.n_runs as f64 / context.n_steps_f64();
    let time = context.gap_time(&[GapClass::Launch]);
    if runs < 2.0 {
        return vec![Outcome::Below { measured: context.share(time), at_stake: Some(time) }];
    }
    let mut found = by_gaps(context, rule, &[GapClass::Launch], true);
    for draft in drafts(&mut found) {
        let what = if context.platform() == Platform::Gpu { "kernels" } else { "runs" };
        draft.detail = format!("{runs:.0} {what} per step. {}", draft.detail);
        draft.inputs.push(("runs_per_step", runs));
    }
    found
}

/// Waits for devices that arrive later, at the start of a run or in a collective.
fn late_peers(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    if context.by_op.waits.len() < 2 && context.gap_time(&[GapClass::Barrier]) == Picos::ZERO {
        return unknown("The capture has one device, or its devices cannot be compared.");
    }
    let ops = context.ops_of(&[Owner::Late], &|_| true);
    let late: Picos = total(&ops);
    let barrier = context.gap_time(&[GapClass::Barrier]);
    rule.by_time(context, late + barrier, &mut |context| {
        let claimed_ops: Picos = context.claims.ops(&ops, Owner::Late);
        let claimed = context.claims.gap(GapClass::Barrier) + claimed_ops;
        let mut detail = Vec::new();
        if barrier > Picos::ZERO {
            detail.push(format!("Waits before the first op of a run: {} per step.", context.step_text(barrier)));
        }
        if late > Picos::ZERO {
            detail.push(format!("Waits in collectives: {} per step.", context.step_text(late)));
        }
        let inputs =
            vec![("barrier_ps", context.per_step(barrier).as_f64()), ("late_ps", context.per_step(late).as_f64())];
        let mut evidence = context.op_evidence(&ops);
        if late >= barrier {
            evidence.devices = vec![context.device().label.clone()];
        } else {
            context.add_when_idle(&mut evidence, &[GapClass::Barrier]);
        }
        Draft { detail: detail.join(" "), claimed, recoverable: claimed, inputs, evidence, ..Draft::default() }
    })
}

/// The leaf of the scope paths of loops of the user: `while`, `body`, `scan`.
const LOOPS: [&str; 7] = ["while", "body", "cond", "scan", "fori_loop", "while_loop", "map"];

/// Loops of which every op has the name of one operation that is no loop, such as a scatter. Such a loop is not in the user's program.
fn expanded_loops(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let n_ops = context.by_op.ops.len();
    let is_loop = |context: &Context<'_>, at: usize| {
        let op = context.op(at).0;
        let text = context.profile.text(op.text);
        opcode(text).unwrap_or_else(|| context.profile.text(op.name).split('.').next().unwrap_or_default()) == "while"
    };
    // The time of each operation that became a loop.
    let mut loops: IndexMap<(Option<ProgramId>, StrId), (String, Vec<usize>)> = IndexMap::default();
    for at in (0..n_ops).filter(|at| is_loop(context, *at)) {
        let Some((scope, leaf)) = scope_leaf(context, at) else { continue };
        let leaf = leaf.split(['[', '(']).next().unwrap_or(leaf).to_owned();
        let is_name = leaf.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        if is_name && !leaf.is_empty() && !LOOPS.contains(&&*leaf) {
            loops.entry((context.op(at).0.stats.program, scope)).or_insert_with(|| (leaf, Vec::new()));
        }
    }
    for at in 0..n_ops {
        let key = scope_leaf(context, at).map(|(scope, _)| (context.op(at).0.stats.program, scope));
        if let Some((_, ops)) = key.and_then(|key| loops.get_mut(&key)) {
            ops.push(at);
        }
    }
    let mut found = Vec::new();
    for (_, (leaf, members)) in loops {
        let ops = context.ops_of(&Owner::ALL, &|at| members.contains(&at));
        let time = total(&ops);
        let mut draft = |context: &mut Context<'_>| {
            let runs = |is: bool| {
                let of = members.iter().filter(|at| is_loop(context, **at) == is);
                of.map(|at| context.by_op.ops[*at].n.as_f64()).fold(0.0, f64::max)
            };
            let (n_loops, n_rounds) = (runs(true), runs(false));
            let rounds = if n_loops > 0.0 { n_rounds / n_loops } else { 0.0 };
            let claimed = Owner::ALL.into_iter().map(|owner| context.claims.ops(&ops, owner)).sum();
            Draft {
                id: Some(format!("expanded_{}", leaf.replace('-', "_"))),
                detail: format!(
                    "{rounds:.0} rounds of {} ops. {}",
                    members.len().saturating_sub(1),
                    context.ops_text(&ops)
                ),
                claimed,
                inputs: vec![("rounds", rounds)],
                evidence: context.op_evidence_when(&ops),
                subjects: vec![subject_of(&leaf)],
                ..Draft::default()
            }
        };
        found.extend(rule.by_time(context, time, &mut draft).into_iter().filter(|of| matches!(of, Outcome::Found(_))));
    }
    if found.is_empty() { vec![Outcome::Below { measured: 0.0, at_stake: Some(Picos::ZERO) }] } else { found }
}

/// Returns the scope path of an op, and the operation at its end. `None` if the op has none.
fn scope_leaf<'a>(context: &Context<'a>, at: usize) -> Option<(StrId, &'a str)> {
    let scope = context.op(at).1.scope?;
    let path = context.analysis.words.get(scope);
    Some((scope, path.rsplit('/').next().unwrap_or(path).trim_end_matches(':')))
}

/// Returns what advice about an operation that became a loop is about.
fn subject_of(leaf: &str) -> Subject {
    match leaf {
        _ if leaf.starts_with("scatter") || leaf.contains("update") || leaf.starts_with("gather") => Subject::Scatter,
        _ if leaf.starts_with("cum") || leaf.starts_with("reduce_window") => Subject::Cumulative,
        _ => Subject::Sort,
    }
}

/// The self time of loops that is at least 2 % of the loop.
fn loops(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let inclusive = |at: usize| Picos(context.times.ops[context.by_op.ops[at].op.0 as usize].inclusive);
    let is_much = |at: usize| {
        let share = context.by_op.ops[at].time(Owner::Loop).fraction_of(inclusive(at));
        share.is_none_or(|share| share >= 0.02)
    };
    let ops = context.ops_left(Owner::Loop, &is_much);
    let time: Picos = total(&ops);
    rule.by_time(context, time, &mut |context| {
        let claimed = context.claims.ops(&ops, Owner::Loop);
        let evidence = context.op_evidence_when(&ops);
        Draft { detail: context.ops_text(&ops), claimed, recoverable: claimed, evidence, ..Draft::default() }
    })
}

fn unexplained(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let has_host_events = context.profile.planes.iter().any(|plane| plane.is_host() && plane.n_events() > 0);
    let subject = if has_host_events { Subject::HostEvents } else { Subject::NoHostEvents };
    let mut found = by_gaps(context, rule, &[GapClass::Unexplained, GapClass::Dependency], false);
    drafts(&mut found).for_each(|draft| draft.subjects.push(subject));
    found
}
