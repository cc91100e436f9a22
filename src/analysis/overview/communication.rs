//! This module checks the transfers between devices (rules F11 to F14). Waits for peers are not part of a transfer.

use super::context::{Context, total};
use super::exposure::{SYNCHRONOUS, are_synchronous, bubble, bubble_text, serial_permutes, serial_text};
use super::figures::Unit;
use super::flags::flags_to_try;
use super::report::{Confidence, Group, SeeView};
use super::rule::{Advice, Draft, LEAST, Outcome, Rule, Subject, unknown};
use super::rule_id::{FindingId, RuleId};
use crate::analysis::base::Platform;
use crate::analysis::comm::{CommRow, Core, DcnCollective, Network, Primitive, PrimitiveSums};
use crate::analysis::ledger::Owner;
use crate::table::format::{bytes_text, gbs, percent_text, time_text};
use rustc_hash::FxHashMap;
use xla_profile::units::Picos;

/// The rules about transfers between devices, in the order in which they claim time.
pub(super) const RULES: [Rule; 3] = [
    Rule {
        id: RuleId::SmallCollectives,
        group: Group::Time,
        name: "Small collectives",
        title: "Many small collectives take time",
        threshold: 0.01,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "rests on the sizes in the program",
        why: "Latency, not bandwidth, limits messages of less than 1 MiB.",
        worked_if: "a step has at most 20 collectives of less than 1 MiB",
        formula: "transfer time of collectives of less than 1 MiB, if a step has more than 20",
        view: SeeView::Comm,
        overlaps: &[],
        tries: &[
            Advice::words("Combine small messages: reduce gradients as one array, or let XLA combine them."),
            Advice::flag(
                Platform::Tpu,
                "Let XLA combine larger messages, of 4 to 16 MiB. The same flag exists for other collectives.",
                "--xla_all_reduce_latency_bound_threshold_in_bytes=4194304",
            ),
            Advice::flag(
                Platform::Gpu,
                "Let XLA combine larger messages. The same flag exists for all_gather and reduce_scatter.",
                "--xla_gpu_all_reduce_combine_threshold_bytes=134217728",
            ),
        ],
        check: small_collectives,
    },
    Rule {
        id: RuleId::SlowLink,
        group: Group::Time,
        name: "Bandwidth of links",
        title: "Collectives use less than half of the links",
        threshold: LEAST,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "rests on the topology or the bandwidth that you gave",
        why: "The mesh may not follow the links, or a link may be slow.",
        worked_if: "large collectives use more than 50 % of the links",
        formula: "transfer time × (1 − share of the links’ bandwidth)",
        view: SeeView::Comm,
        overlaps: &[],
        tries: &[Advice::code("Order the axes of the mesh by the links.", "jax.make_mesh(shape, names)")],
        check: slow_link,
    },
    Rule {
        id: RuleId::ExposedCollective,
        group: Group::Time,
        name: "Exposed collectives",
        title: "The device waits for collectives",
        threshold: 0.03,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "assumes that compute can hide the transfer",
        why: "While the transfer is in flight, the device computes nothing.",
        worked_if: "most of the time in flight is hidden behind compute",
        formula: "transfer time × min(1, compute beside no collective ÷ transfer time)",
        view: SeeView::Comm,
        overlaps: &[RuleId::SlowLink],
        tries: &[
            Advice::words(
                "Reduce gradients layer by layer during the backward pass, or accumulate them over several batches.",
            )
            .only_for(Subject::DcnGradients),
            Advice::words("Send gradients in bf16.").only_for(Subject::DcnGradients),
            Advice::words("Choose the mesh so that this axis lies within a slice, or its part within a slice is larger.")
                .only_for(Subject::Dcn),
            Advice::words("Split the batch of a step into more microbatches.").only_for(Subject::Bubble),
            Advice::words("Use an interleaved schedule, in which a device has several stages that are not neighbours.")
                .only_for(Subject::Bubble),
            Advice::words(
                "Give XLA work that needs no result of them, to place between their start and their end. They then become asynchronous.",
            )
            .only_for(Subject::Synchronous),
            Advice::words("See that the runtime uses all network cards of the host.").only_for(Subject::Dcn),
            Advice::words(
                "Send in both directions at once: start both permutes before the first use of their results.",
            )
            .only_for(Subject::SerialPermutes),
            Advice::code(
                "Change what is sharded, so that less data moves.",
                "jax.lax.with_sharding_constraint(x, sharding)",
            )
            .only_for(Subject::Links),
            Advice::code("Arrange the overlap yourself.", "jax.shard_map(f, mesh=mesh, in_specs=…, out_specs=…)")
                .only_for(Subject::Links),
        ],
        check: exposed,
    },
];

/// The name of the share of collectives in flight that compute hides, among the inputs of a finding about collectives.
pub const OVERLAPPED_SHARE: &str = "overlapped_share";

/// Bytes below which latency limits a collective more than bandwidth.
const SMALL: u64 = CommRow::LARGE;
/// Executions of small collectives in a step from which on they are many.
const MANY: f64 = 20.0;
/// Share of the bandwidth of the links below which a collective is slow.
const SLOW: f64 = 0.5;
/// Share of the transfers of a primitive from which on one op is named.
const ONE_OP: f64 = 0.3;

fn small_collectives(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let is_small = |index: usize| {
        let transfer = context.transfers.get(&context.by_op.ops[index].op);
        transfer.and_then(|transfer| transfer.bytes).is_some_and(|bytes| bytes < SMALL)
    };
    let ops = context.ops_of(&[Owner::Transfer], &is_small);
    let n: f64 = ops.iter().map(|(index, _)| context.by_op.ops[*index].n.as_f64()).sum();
    let n = n / context.n_steps_f64();
    let time: Picos = total(&ops);
    if n <= MANY {
        return vec![Outcome::Below { measured: context.share(time), at_stake: Some(time) }];
    }
    rule.by_time(context, time, &mut |context| {
        let claimed = context.claims.ops(&ops, Owner::Transfer);
        Draft {
            detail: format!(
                "{n:.0} collectives per step have less than {}. {}",
                bytes_text(SMALL),
                context.ops_text(&ops)
            ),
            claimed,
            recoverable: claimed,
            inputs: vec![("collectives_per_step", n)],
            evidence: context.op_evidence_when(&ops),
            ..Draft::default()
        }
    })
}

fn slow_link(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    // A kernel of NCCL also waits for GPUs that come late, so its bandwidth is not that of NVLink or PCIe.
    let is_judged = |row: &&CommRow| matches!(row.network, Some(Network::Ici | Network::Hosts)) && row.util.is_some();
    let rows: Vec<&CommRow> = context.comm.rows.iter().filter(is_judged).collect();
    if rows.is_empty() {
        let has = |network: Network| context.comm.rows.iter().any(|row| row.network == Some(network));
        return unknown(if has(Network::Ici) {
            "The bandwidth of the links is unknown: give the topology."
        } else if has(Network::Hosts) {
            "The bandwidth of the network between hosts is unknown: give it."
        } else {
            "No collective uses links of TPUs or a network between hosts."
        });
    }
    let is_slow =
        |row: &&CommRow| row.util.is_some_and(|util| util < SLOW) && row.bytes_each.is_some_and(|bytes| bytes >= SMALL);
    // Of several rows of an op, the first one counts.
    let slow: FxHashMap<(Option<u64>, &str), f64> = rows
        .into_iter()
        .rev()
        .filter(is_slow)
        .filter_map(|row| Some(((row.program_id, row.op.as_deref()?), row.util?)))
        .collect();
    let profile = context.profile;
    let util = |context: &Context<'_>, index: usize| {
        let (program, name) = context.transfers.get(&context.by_op.ops[index].op)?.named;
        let named = (program.map(|id| id.0), profile.text(name));
        slow.get(&named).copied()
    };
    let ops = context.ops_of(&[Owner::Transfer], &|index| util(context, index).is_some());
    // What the links at their full bandwidth would still need is not lost.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a time")]
    let lost = |context: &Context<'_>, index: usize, time: Picos| {
        Picos((time.as_f64() * (1.0 - util(context, index).unwrap_or(1.0))) as u64)
    };
    let lost: Vec<(usize, Picos)> = ops.iter().map(|(index, time)| (*index, lost(context, *index, *time))).collect();
    let time: Picos = total(&lost);
    let slowest = slow.values().copied().fold(1.0, f64::min);
    rule.by_time(context, time, &mut |context| {
        let claimed = context.claims.ops(&lost, Owner::Transfer);
        let slowest = format!("The slowest uses {} of the links.", percent_text(slowest));
        Draft {
            detail: format!("{slowest} {}", context.ops_text(&ops)),
            claimed,
            recoverable: claimed,
            evidence: context.op_evidence_when(&ops),
            ..Draft::default()
        }
    })
}

/// The transfers that are left, by primitive. The device waits for them, because no compute hides them.
fn exposed(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let mut kinds: Vec<TransferKind> = Vec::new();
    for (index, _) in context.ops_of(&[Owner::Transfer], &|_| true) {
        let kind = TransferKind::of_op(context, index);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() {
        return unknown("The device takes part in no collective.");
    }
    let all: Picos = kinds.iter().flat_map(|kind| kind.left(context)).map(|(_, time)| time).sum();
    let free = compute_beside_no_collective(context);
    let share = free.fraction_of(all).unwrap_or(1.0).min(1.0);
    let mut found: Vec<Outcome> = Vec::new();
    let mut most_below: (f64, Picos) = (0.0, Picos::ZERO);
    for kind in kinds {
        let ops = kind.left(context);
        let time: Picos = total(&ops);
        let mut draft = |context: &mut Context<'_>| {
            let claimed: Picos = context.claims.ops(&ops, Owner::Transfer);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a time")]
            let recoverable = Picos((claimed.as_f64() * share) as u64);
            let TransferKind { primitive, is_over_dcn } = kind;
            let between_stages = matches!(primitive, Primitive::Permute | Primitive::Send | Primitive::Recv);
            let (subject, reason) = match bubble(context, time).filter(|_| between_stages) {
                _ if is_over_dcn => (Subject::Dcn, dcn_text(context, primitive)),
                Some((stages, batches)) => (Subject::Bubble, bubble_text(stages, batches)),
                None => match (primitive == Primitive::Permute).then(|| serial_permutes(context)).flatten() {
                    Some(saved) => (Subject::SerialPermutes, serial_text(context, saved)),
                    None if are_synchronous(context, &ops) => (Subject::Synchronous, SYNCHRONOUS.to_owned()),
                    None => (Subject::Links, String::new()),
                },
            };
            let one = ops.first().and_then(|(_, most)| most.fraction_of(time)).filter(|one| *one > ONE_OP);
            let one = one
                .filter(|_| ops.len() > 1)
                .map_or(String::new(), |one| format!(" One op has {} of it.", percent_text(one)));
            let mut inputs = vec![
                ("transfer_ps", context.per_step(claimed).as_f64()),
                ("compute_beside_no_collective_ps", context.per_step(free).as_f64()),
                ("share", share),
            ];
            inputs.extend(kind.overlapped_share(context).map(|share| (OVERLAPPED_SHARE, share)));
            let confidence = match subject {
                Subject::Bubble => {
                    Some((Confidence::Likely, "the time is that of a pipeline with these stages and microbatches"))
                }
                _ if free == Picos::ZERO => {
                    Some((Confidence::Measured, "a step has no compute that could hide the transfer"))
                }
                Subject::Synchronous => {
                    Some((Confidence::Likely, "assumes that compute can hide the transfer once it is asynchronous"))
                }
                _ => None,
            };
            Draft {
                confidence,
                id: Some(match subject {
                    Subject::Bubble => FindingId::PipelineBubble,
                    _ => FindingId::Exposed { primitive, is_over_dcn },
                }),
                detail: format!("{}{one}{reason}", context.ops_text(&ops)),
                claimed,
                recoverable: if subject == Subject::Bubble { Picos::ZERO } else { recoverable },
                inputs,
                evidence: context.op_evidence_when(&ops),
                tries: if subject == Subject::Links { flags_to_try(context, primitive) } else { Vec::new() },
                subjects: subjects_of(subject, primitive),
                ..Draft::default()
            }
        };
        for outcome in rule.by_time(context, time, &mut draft) {
            match outcome {
                Outcome::Below { measured, at_stake } => {
                    if measured > most_below.0 {
                        most_below = (measured, at_stake.unwrap_or_default());
                    }
                }
                other => found.push(other),
            }
        }
    }
    if found.is_empty() {
        found.push(Outcome::Below { measured: most_below.0, at_stake: Some(most_below.1) });
    }
    found
}

/// Returns what advice about collectives is about. Gradients are reduced, and not exchanged.
fn subjects_of(subject: Subject, primitive: Primitive) -> Vec<Subject> {
    let reduces = matches!(primitive, Primitive::AllReduce | Primitive::ReduceScatter);
    let gradients = (subject == Subject::Dcn && reduces).then_some(Subject::DcnGradients);
    gradients.into_iter().chain([subject]).collect()
}

/// Returns sentences about the longest of the transfers over DCN: its name in traces of the runtime, how fast it is, and
/// the work that would hide it.
fn dcn_text(context: &Context<'_>, primitive: Primitive) -> String {
    let is_alike = |row: &&DcnCollective| row.primitive == primitive;
    let Some(longest) = context.comm.dcn.iter().find(is_alike) else { return String::new() };
    let least = if longest.is_at_least() { "at least " } else { "" };
    let sent = longest.sent.map_or(String::new(), |bytes| format!(" sends {least}{}", bytes_text(bytes)));
    let more = if longest.is_at_least() { " or more" } else { "" };
    let rate = longest.rate().map_or(String::new(), |rate| format!(" at {} GB/s{more}", gbs(rate)));
    let of_peak = longest.util().zip(longest.peak).map_or(String::new(), |(util, peak)| {
        format!(", {} of the {} GB/s of the network", percent_text(util), gbs(peak))
    });
    let work = longest.time_at_peak().map_or(String::new(), |time| {
        let slack = match longest.slack {
            Picos::ZERO => "none is".to_owned(),
            slack => format!("{} is", time_text(slack)),
        };
        format!(" To hide it at that bandwidth takes {} of other work, and {slack} scheduled.", time_text(time))
    });
    let n = context.comm.dcn.iter().filter(is_alike).count();
    let which = if n > 1 { format!(" Of {n}, the longest") } else { " It".to_owned() };
    if sent.is_empty() {
        return format!("{which} is {}.", longest.rendezvous);
    }
    format!("{which} ({}){sent}{rate}{of_peak}.{work}", longest.rendezvous)
}

/// The transfers that one finding is about: those of a primitive, within a slice or between slices.
#[derive(Clone, Copy, PartialEq, Eq)]
struct TransferKind {
    primitive: Primitive,
    is_over_dcn: bool,
}

impl TransferKind {
    /// Returns the kind of an op of communication.
    fn of_op(context: &Context<'_>, index: usize) -> Self {
        let transfer = context.transfers.get(&context.by_op.ops[index].op);
        let unknown = Self { primitive: Primitive::Unknown, is_over_dcn: false };
        transfer.map_or(unknown, |transfer| Self { primitive: transfer.primitive, is_over_dcn: transfer.is_over_dcn })
    }

    /// Returns the ops of the kind with the transfer time that no finding has claimed.
    fn left(self, context: &Context<'_>) -> Vec<(usize, Picos)> {
        context.ops_left(Owner::Transfer, &|index| Self::of_op(context, index) == self)
    }

    /// Returns the share of the time in flight that compute hides. `None` if nothing is in flight.
    fn overlapped_share(self, context: &Context<'_>) -> Option<f64> {
        let is = |sums: &&PrimitiveSums| {
            let is_over_dcn = sums.network == Some(Network::Dcn);
            self == Self { primitive: sums.primitive, is_over_dcn } && sums.core == Core::Tensor
        };
        let overlaps = context.comm.primitives.iter().filter(is).map(|sums| sums.traffic.overlap);
        let (overlapped, in_flight) = overlaps.fold((Picos::ZERO, Picos::ZERO), |(overlapped, in_flight), overlap| {
            (overlapped + overlap.overlapped, in_flight + overlap.in_flight)
        });
        overlapped.fraction_of(in_flight)
    }
}

/// Returns the compute during which no collective is in flight. It can hide transfers.
pub(super) fn compute_beside_no_collective(context: &Context<'_>) -> Picos {
    if context.free_compute > Picos::ZERO {
        return context.free_compute;
    }
    // Without steps, all compute that overlaps no collective.
    let compute: Picos = context
        .ops_of(&[Owner::Floor, Owner::Excess, Owner::Opaque, Owner::Slower], &|_| true)
        .iter()
        .map(|(_, time)| *time)
        .sum();
    compute.saturating_sub(context.comm.tensor.overlap.overlapped)
}
