//! This module describes the transfers between slices: how long they are in flight, and how much work is scheduled
//! while they are.
//!
//! ```text
//!  ├ send ┤├ recv ┤ ├── compute ──┤ ├ … ┤        ├─ recv-done ─┤
//!  └────────────────── in flight ─────────────────────────────┘
//!  └──────────────── slack, without ops of the runtime ┘
//! ```
//!
//! The figures are means over the executions that start in the window. The definitions of slack and of the bytes sent
//! are those of xprof's DCN slack analysis; it counts only the first device. This module depends on transfers and spans,
//! and not on rows.

use super::async_spans::Span;
use super::collective::CollectiveInfo;
use super::core::CoreWindow;
use crate::analysis::base::scale::Scale;
use crate::analysis::classify::dcn::{DcnTransfer, rendezvous};
use crate::analysis::classify::primitive::Primitive;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use xla_profile::profile::{OpKey, Profile};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::{Count, Picos};

/// A collective between slices, over the data center network. Times and bytes are means of one execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DcnCollective {
    /// The name under which the Megascale runtime knows the transfer, such as `collective.123_0`.
    pub rendezvous: String,
    /// The name of the send.
    pub op: String,
    pub program: Option<String>,
    pub program_id: Option<u64>,
    pub primitive: Primitive,
    /// Number of slices that take part. `None` if the program does not name them.
    pub n_slices: Option<u64>,
    /// Executions that start in the window.
    pub n: Count,
    /// Bytes of the message. `None` if unknown.
    pub bytes: Option<u64>,
    /// Bytes that a device sends. At least so many if `n_slices` is unknown. `None` if the message is unknown.
    pub sent: Option<u64>,
    /// From the start of the send to the end of the wait for the result.
    pub in_flight: Picos,
    /// Time of the send, the recv and the waits for both.
    pub stall: Picos,
    /// The part of `in_flight` in which the core computes nothing.
    pub exposed: Picos,
    /// From the start of the send to the start of the wait for the result, without the time of ops of the runtime.
    pub slack: Picos,
    /// Bandwidth of the data center network for one device, in bytes per second. `None` if it is unknown.
    pub peak: Option<f64>,
}

impl DcnCollective {
    /// Whether the bytes sent, and the figures that follow from them, are at least what is shown.
    pub const fn is_at_least(&self) -> bool {
        self.n_slices.is_none()
    }

    /// Returns the bandwidth in bytes per second. `None` if the bytes are unknown.
    pub fn rate(&self) -> Option<f64> {
        per_second(self.sent?, self.in_flight)
    }

    /// Returns the bandwidth at which the scheduled work would hide the transfer. `None` if the bytes are unknown, or if
    /// nothing is scheduled.
    pub fn rate_to_hide(&self) -> Option<f64> {
        per_second(self.sent?, self.slack)
    }

    /// Returns [`DcnCollective::rate`] ÷ the bandwidth of the network, a fraction.
    pub fn util(&self) -> Option<f64> {
        Some(self.rate()? / self.peak?)
    }

    /// Returns the time that the bytes take at the bandwidth of the network: the work that has to be scheduled to hide
    /// them. `None` if one of them is unknown.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a time")]
    pub fn time_at_peak(&self) -> Option<Picos> {
        let peak = self.peak.filter(|peak| *peak > 0.0)?;
        Some(Picos((self.sent? as f64 / peak * 1e12) as u64))
    }

    /// Returns the work that is missing to hide the transfer at the bandwidth of the network.
    pub fn missing_work(&self) -> Option<Picos> {
        Some(self.time_at_peak()?.saturating_sub(self.slack))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a bandwidth")]
fn per_second(bytes: u64, time: Picos) -> Option<f64> {
    (time > Picos::ZERO).then(|| bytes as f64 / (time.as_f64() / 1e12))
}

/// Sums over the executions of a collective.
#[derive(Default)]
struct Sum {
    n: u64,
    in_flight: u64,
    exposed: u64,
    stall: u64,
    slack: u64,
}

/// Returns the collectives between slices in the windows of cores, the longest time in flight first. `infos` holds the
/// facts of each transfer, `peak` is the bandwidth of the network for one device, and `scale` the factor of the query.
pub fn collectives(
    profile: &Profile,
    cores: &[CoreWindow<'_>],
    infos: &IndexMap<OpKey, CollectiveInfo>,
    (peak, scale): (Option<f64>, Scale),
) -> Vec<DcnCollective> {
    let mut sums: IndexMap<OpKey, (String, DcnTransfer, Sum)> = IndexMap::default();
    for core in cores {
        // Self times of the ops of each transfer in the window.
        let mut stalls: FxHashMap<u32, u64> = FxHashMap::default();
        for (op, _, transfer) in core.transfers.roles() {
            if core.transfers.all[transfer as usize].dcn.is_some() {
                let self_time = core.self_times.get(op.0 as usize).copied().unwrap_or(0);
                let stall = stalls.entry(transfer).or_default();
                *stall = stall.saturating_add(self_time);
            }
        }
        let of_dcn =
            |span: &&Span| core.transfers.all[span.transfer as usize].dcn.is_some() && core.starts(span.interval.0);
        // The ops of two transfers may overlap, but those of one core run one after the other.
        let dones = |span: &Span| {
            let is = |(done, transfer): &&((u64, u64), u32)| *transfer == span.transfer && done.1 == span.interval.1;
            let from = core.timeline.dones.partition_point(|(done, _)| done.0 < span.interval.0);
            core.timeline.dones[from..].iter().find(is).map_or(span.interval.1, |(done, _)| done.0)
        };
        for span in core.timeline.spans.iter().filter(of_dcn) {
            let transfer = &core.transfers.all[span.transfer as usize];
            let Some(dcn) = transfer.dcn else { continue };
            let (_, _, sum) = sums.entry(transfer.named).or_insert_with(|| {
                let name = rendezvous(profile.text(core.plane.op(dcn.start).text)).unwrap_or_default();
                (name.to_owned(), dcn, Sum::default())
            });
            let (start, end) = span.interval;
            let done = dones(span);
            let runtime = core.timeline.over_dcn.length_in((start, done));
            sum.n += 1;
            sum.in_flight = sum.in_flight.saturating_add(end - start);
            sum.exposed = sum.exposed.saturating_add((end - start) - core.timeline.compute.length_in(span.interval));
            // The first execution adds the time of all of them.
            sum.stall = sum.stall.saturating_add(stalls.remove(&span.transfer).unwrap_or_default());
            sum.slack = sum.slack.saturating_add((done - start).saturating_sub(runtime));
        }
    }
    let row = |((program, name), (rendezvous, dcn, sum)): (OpKey, (String, DcnTransfer, Sum))| {
        let info = infos.get(&(program, name));
        let bytes = info.and_then(|info| info.bytes);
        let factor = info.and_then(|info| info.bus_factor(None));
        let mean = |sum_of: u64| Picos(sum_of.checked_div(sum.n).unwrap_or_default());
        let n = scale.count(Count::from(sum.n));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "bytes of a message"
        )]
        let sent = bytes.zip(factor).map(|(bytes, factor)| (bytes as f64 * factor) as u64);
        DcnCollective {
            rendezvous,
            op: profile.text(name).to_owned(),
            program: program.and_then(|id| profile.programs.get(&id).cloned()),
            program_id: program.map(|id| id.0),
            primitive: dcn.primitive,
            n_slices: dcn.n_slices,
            n,
            bytes,
            sent,
            in_flight: mean(sum.in_flight),
            // Self times are those of a step already.
            stall: n.mean_of(Picos(sum.stall)).unwrap_or_default(),
            exposed: mean(sum.exposed),
            slack: mean(sum.slack),
            peak,
        }
    };
    let mut rows: Vec<DcnCollective> = sums.into_iter().map(row).collect();
    rows.small_sort_by(|a, b| {
        let order = |row: &DcnCollective| Reverse(row.n.times(row.in_flight.0));
        order(a).cmp(&order(b)).then_with(|| (&a.rendezvous, a.program_id).cmp(&(&b.rendezvous, b.program_id)))
    });
    rows
}
