//! This module lays out the transfers in flight in lanes, against compute. Each span stays whole, in a lane in which no
//! other span overlaps it. The module depends on one core of one device, and not on pixels.

use super::collective::CollectiveInfo;
use super::core::CoreWindow;
use super::query::TransferFilter;
use super::report::{CommLanes, LaneSpan};
use crate::analysis::base::Interval;
use crate::analysis::base::Merged;
use crate::analysis::classify::primitive::{Execution, Primitive};
use indexmap::IndexMap;
use std::cmp::Reverse;
use xla_profile::profile::Profile;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Lays out the transfers in flight in `window`, a part of `step`, with at most `limit` spans. `infos` holds the facts
/// of each transfer.
pub fn lanes(
    profile: &Profile,
    core_window: &CoreWindow<'_>,
    infos: &IndexMap<xla_profile::profile::OpKey, CollectiveInfo>,
    (window, step): (Interval, Interval),
    transfers: TransferFilter,
    limit: usize,
) -> CommLanes {
    let timeline = &core_window.timeline;
    let is = |transfer: u32| match transfers {
        TransferFilter::All => true,
        TransferFilter::Copies => core_window.transfers.all[transfer as usize].is_copy,
        TransferFilter::Collectives => !core_window.transfers.all[transfer as usize].is_copy,
    };
    let cut = |(start, end): Interval| (start.max(window.0), end.min(window.1));
    let mut in_flight: Vec<(Interval, u32)> = timeline
        .spans
        .iter()
        .filter(|span| is(span.transfer))
        .map(|span| (cut(span.interval), span.transfer))
        .collect();
    in_flight.retain(|((start, end), _)| start < end);
    let left_out = longest(&mut in_flight, limit, |(interval, _)| *interval);
    let mut ends: Vec<u64> = Vec::new();
    let moment = |ps: u64| Picos(ps.saturating_sub(step.0));
    let span = |((start, end), transfer): (Interval, u32)| {
        let lane = ends.iter().position(|until| *until <= start).unwrap_or(ends.len());
        match ends.get_mut(lane) {
            Some(until) => *until = end,
            None => ends.push(end),
        }
        let transfer = &core_window.transfers.all[transfer as usize];
        LaneSpan {
            lane: lane as u32,
            name: profile.text(transfer.named.1).to_owned(),
            program_id: transfer.named.0.map(|id| id.0),
            primitive: infos.get(&transfer.named).map_or(Primitive::Unknown, |info| info.primitive),
            execution: if transfer.is_whole {
                Execution::Sync
            } else if transfer.is_fused {
                Execution::Fused
            } else {
                Execution::Async
            },
            start: moment(start),
            end: moment(end),
            exposed: Picos(end - start - timeline.compute.length_in((start, end))),
        }
    };
    let spans = in_flight.into_iter().map(span).collect();
    let waits = timeline.waits.iter().filter(|(_, transfer)| is(*transfer)).map(|(interval, _)| *interval).collect();
    let mut without = (0, Picos::ZERO);
    let mut stretches = |list: &Merged| {
        let mut intervals = list.clipped(window).intervals().to_vec();
        let (n, time) = longest(&mut intervals, limit, |interval| *interval);
        (without.0, without.1) = (without.0 + n, without.1 + time);
        intervals.into_iter().map(|(start, end)| (moment(start), moment(end))).collect()
    };
    CommLanes {
        device: None,
        step: String::new(),
        part: (moment(window.0), moment(window.1)),
        duration: Picos(step.1 - step.0),
        spans,
        n_lanes: ends.len() as u32,
        compute: stretches(&timeline.compute),
        waits: stretches(&Merged::new(waits)),
        left_out,
        stretches_left_out: without,
        notes: Vec::new(),
    }
}

/// Keeps the `limit` longest items, in order of time. Returns the number and the total length of the other items.
fn longest<T>(items: &mut Vec<T>, limit: usize, time: impl Fn(&T) -> Interval) -> (u64, Picos) {
    let length = |item: &T| time(item).1 - time(item).0;
    items.small_sort_by_key(|item| (Reverse(length(item)), time(item)));
    let rest = items.split_off(items.len().min(limit));
    items.small_sort_by_key(|item| time(item));
    (rest.len() as u64, rest.iter().map(|item| Picos(length(item))).sum())
}
