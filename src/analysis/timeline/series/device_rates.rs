//! This module derives the rates of a device from its ops: transfers in flight, FLOP/s, and the bandwidth of HBM.

use super::overlay::{Stretch, overlay};
use crate::analysis::base::{Analysis, Device, Interval, Platform, intervals, self_time};
use crate::analysis::classify::Kind;
use crate::analysis::classify::async_pairs::{AsyncPairs, TransferRole};
use crate::analysis::comm::async_spans::{CoreTimeline, SpanOrigin};
use crate::analysis::counters::StepFunction;
use crate::analysis::roofline::evaluate::is_begin;
use xla_profile::profile::{OpId, Plane, Profile};

/// A rate of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    CollectivesInFlight,
    CopiesInFlight,
    Flops,
    HbmBytes,
}

impl Rate {
    /// All rates, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::CollectivesInFlight, Self::CopiesInFlight, Self::Flops, Self::HbmBytes];
}

struct DeviceOps<'a> {
    profile: &'a Profile,
    analysis: &'a Analysis,
    index: usize,
    device: &'a Device,
    plane: &'a Plane,
}

/// Returns whether the device has events with this rate.
pub fn has_rate(profile: &Profile, analysis: &Analysis, device: usize, rate: Rate) -> bool {
    DeviceOps::new(profile, analysis, device).has_rate(rate)
}

/// Returns whether the bytes of ops are those of the main memory of the device. Without bytes by memory, those of a TPU include its
/// on-chip memory.
pub fn has_main_memory_bytes(profile: &Profile, analysis: &Analysis, device: usize) -> bool {
    let info = &analysis.devices[device];
    let plane = &profile.planes[info.plane];
    info.platform != Platform::Tpu || (0..plane.ops.len() as u32).any(|op| profile.memory(plane, OpId(op)).is_some())
}

/// The intervals of the device that was read last. The rates of one device share them.
#[derive(Default)]
pub struct LastCore(Option<(usize, CoreTimeline)>);

impl LastCore {
    /// Computes a rate over the time of a device.
    pub fn device_rate(&mut self, profile: &Profile, analysis: &Analysis, device: usize, rate: Rate) -> StepFunction {
        let ops = DeviceOps::new(profile, analysis, device);
        let pairs = analysis.async_pairs(profile, device);
        let core = match self.0.take() {
            Some((last, core)) if last == device => core,
            _ => ops.core_timeline(&pairs),
        };
        let stretches = match rate {
            Rate::CollectivesInFlight => ops.in_flight(&core, &pairs, false),
            Rate::CopiesInFlight => ops.in_flight(&core, &pairs, true),
            Rate::Flops | Rate::HbmBytes => ops.cost_rates(&core, &pairs, &ops.costs(rate)),
        };
        let (start, end) = core.extent();
        self.0 = Some((device, core));
        overlay(stretches, (ops.on_axis(start), ops.on_axis(end)))
    }
}

impl<'a> DeviceOps<'a> {
    fn new(profile: &'a Profile, analysis: &'a Analysis, index: usize) -> Self {
        let device = &analysis.devices[index];
        Self { profile, analysis, index, device, plane: &profile.planes[device.plane] }
    }

    fn has_rate(&self, rate: Rate) -> bool {
        let mut is_wanted = vec![false; self.plane.ops.len()];
        match rate {
            Rate::CollectivesInFlight | Rate::CopiesInFlight => {
                let pairs = self.analysis.async_pairs(self.profile, self.index);
                let is_copy = rate == Rate::CopiesInFlight;
                let of_kind = pairs.roles().filter(|(_, _, transfer)| pairs.all[*transfer as usize].is_copy == is_copy);
                of_kind.for_each(|(op, ..)| is_wanted[op.0 as usize] = true);
            }
            Rate::Flops | Rate::HbmBytes => {
                is_wanted.iter_mut().zip(self.costs(rate)).for_each(|(wanted, cost)| *wanted = cost > 0.0);
            }
        }
        let lines = self.device.ops.iter().map(|line| &self.plane.lines[*line]);
        is_wanted.contains(&true) && lines.flat_map(|line| line.events.ops()).any(|op| is_wanted[op.0 as usize])
    }

    /// Returns the place of a time of the device's event clock on the axis.
    const fn on_axis(&self, time: u64) -> u64 {
        time.saturating_add(self.device.axis_offset)
    }

    fn core_timeline(&self, pairs: &AsyncPairs) -> CoreTimeline {
        let kinds: Vec<Kind> = self.analysis.facts[self.index].ops.iter().map(|facts| facts.kind).collect();
        CoreTimeline::new(self.plane, self.device, self.device.event_clock, pairs, &kinds)
    }

    /// Returns one stretch of rate 1 for each collective or copy in flight.
    fn in_flight(&self, core: &CoreTimeline, pairs: &AsyncPairs, is_copy: bool) -> Vec<Stretch> {
        let spans = core.spans.iter().filter(|span| pairs.all[span.transfer as usize].is_copy == is_copy);
        spans.map(|span| self.stretch(span.interval, 1.0)).collect()
    }

    fn stretch(&self, (start, end): Interval, rate: f64) -> Stretch {
        Stretch { start: self.on_axis(start), end: self.on_axis(end), rate }
    }

    /// Returns the cost of one execution of each op; NaN if it is unknown. The cost of a container is that of the ops inside
    /// of it, and the cost of an asynchronous op is reported at its end, as in the roofline.
    fn costs(&self, rate: Rate) -> Vec<f64> {
        let session = self.analysis.session_facts(self.profile);
        let cost = |op: OpId| {
            let (info, facts) = session.op(self.index, op);
            let stats = &info.stats;
            let cost = match rate {
                Rate::Flops => stats.flops.or(stats.model_flops),
                _ => self.profile.memory(self.plane, op).map(|memory| memory.hbm as f64).or(stats.bytes_accessed),
            };
            let cost = cost.filter(|cost| cost.is_finite() && facts.kind != Kind::Container);
            cost.filter(|_| !is_begin(&session, info)).unwrap_or(f64::NAN)
        };
        (0..self.plane.ops.len() as u32).map(|op| cost(OpId(op))).collect()
    }

    /// Returns the cost of each op divided by its time: by the self time of its execution, or by the time in flight if it
    /// ends an asynchronous transfer. An execution without self time has no rate.
    fn cost_rates(&self, core: &CoreTimeline, pairs: &AsyncPairs, costs: &[f64]) -> Vec<Stretch> {
        let spans = || core.spans.iter().filter(|span| span.from != SpanOrigin::Sync);
        let mut of_transfers = vec![Transfers::default(); pairs.all.len()];
        spans().for_each(|span| of_transfers[span.transfer as usize].n_spans += 1);
        let mut own = costs.to_vec();
        // The transfer of each op whose cost counts in flight.
        let mut in_flight = vec![None; costs.len()];
        for (op, role, transfer) in pairs.roles() {
            let op = op.0 as usize;
            if role == TransferRole::Done && costs[op] > 0.0 && of_transfers[transfer as usize].n_spans > 0 {
                own[op] = 0.0;
                in_flight[op] = Some(transfer as usize);
            }
        }
        let mut all = Vec::new();
        for line in self.device.ops.iter().map(|line| &self.plane.lines[*line]) {
            let Some(events) = intervals(line, self.device.event_clock) else { continue };
            let mut self_times = vec![0_u64; events.len()];
            self_time(&events, |event, from, to| self_times[event] += to - from);
            self_time(&events, |event, from, to| {
                let cost = own[line.events.op(event).0 as usize];
                all.push(self.stretch((from, to), per_second(cost, self_times[event])));
            });
            for op in line.events.ops().map(|op| op.0 as usize) {
                in_flight[op].into_iter().for_each(|transfer| of_transfers[transfer].cost += costs[op]);
            }
        }
        for span in spans() {
            let Transfers { cost, n_spans } = of_transfers[span.transfer as usize];
            if cost > 0.0 {
                all.push(
                    self.stretch(span.interval, per_second(cost / n_spans as f64, span.interval.1 - span.interval.0)),
                );
            }
        }
        all
    }
}

/// The executions of one transfer. Their cost is reported at their ends, and each of its spans has an equal share.
#[derive(Clone, Copy, Default)]
struct Transfers {
    cost: f64,
    n_spans: usize,
}

/// Returns an amount divided by a time in ps.
#[expect(clippy::cast_precision_loss, reason = "a rate is a ratio")]
fn per_second(amount: f64, time: u64) -> f64 {
    amount / time.max(1) as f64 * 1e12
}
