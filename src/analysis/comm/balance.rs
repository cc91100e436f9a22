//! How devices differ: the length of their steps, and when they come to collectives. The last to come is whom the others wait for.
//!
//! Executions of an op are compared by their number in the window, within a group where groups name the session's devices, on the
//! event clock: devices of one file alone, as clocks of hosts differ. Knows devices and links; knows no bytes.

use super::link::{Links, Named, Part};
use super::look::What;
use super::report::{Arrival, ArrivalSpread, Balance};
use super::side::Side;
use crate::analysis::Kind;
use crate::analysis::breakdown::Analysis;
use crate::analysis::device::intervals;
use crate::analysis::query::StepChoice;
use crate::hlo::ReplicaGroups;
use crate::keyed::Keyed;
use crate::profile::{Profile, ProgramId};
use crate::sorted;
use crate::units::Picos;
use std::cmp::Reverse;

/// Starts of an op in the window, by device.
type Starts = Vec<(usize, Vec<u64>)>;

impl Analysis {
    /// How the session's devices differ in a step; `None` of one device. `first`: the device whose file counts; `known`: cores
    /// whose links are found.
    pub(super) fn balance(
        &self,
        profile: &Profile,
        step: StepChoice,
        first: usize,
        known: &[Side<'_>],
        whats: &Keyed<Named, What>,
    ) -> Option<Balance> {
        let file = profile.planes[self.devices.get(first)?.plane].file;
        let beside: Vec<usize> =
            (0..self.devices.len()).filter(|at| profile.planes[self.devices[*at].plane].file == file).collect();
        if self.devices.len() < 2 {
            return None;
        }
        let mut balance = self.step_balance(profile);
        let mut ops: Keyed<Named, Starts> = Keyed::default();
        for at in &beside {
            let links = known.iter().find(|side| side.device == *at).map(|side| &side.links);
            self.starts(profile, *at, step, links, &mut ops);
        }
        let mut late: Vec<Late> = vec![Late::default(); self.devices.len()];
        for (named, starts) in ops.into_entries() {
            let groups = whats.get(&named).and_then(|what| what.groups.as_ref());
            let sets = self.sets(profile, &starts, groups);
            match self.spread(profile, named, &sets, &mut late) {
                Some(spread) => balance.collectives.push(spread),
                None => balance.n_unmatched += 1,
            }
        }
        sorted::sort_by(&mut balance.collectives, |a, b| {
            (Reverse(a.total), &a.op, a.program_id).cmp(&(Reverse(b.total), &b.op, b.program_id))
        });
        balance.collectives.truncate(Balance::MOST);
        let told = |at: &usize| {
            let Late { n_last, n, late } = late[*at];
            Arrival { device: self.devices[*at].label.clone(), n_last, n, late: Picos(late) }
        };
        balance.devices = beside.iter().map(told).filter(|arrival| arrival.n > 0).collect();
        sorted::sort_by_key(&mut balance.devices, |arrival| (Reverse(arrival.late), Reverse(arrival.n_last)));
        Some(balance)
    }

    fn step_balance(&self, profile: &Profile) -> Balance {
        let all = self.step_stats(profile).spread;
        let worst = all.iter().rev().max_by(|a, b| a.spread.total_cmp(&b.spread));
        #[expect(clippy::cast_precision_loss, reason = "a mean of ratios")]
        let mean = (!all.is_empty()).then(|| all.iter().map(|step| step.spread).sum::<f64>() / all.len() as f64);
        Balance {
            n_steps: all.len() as u32,
            worst_spread: worst.map(|step| step.spread),
            mean_spread: mean,
            worst_step: worst.map(|step| step.number),
            slowest: worst.map(|step| step.slowest.clone()),
            ..Balance::default()
        }
    }

    /// When a device comes to its collectives.
    fn starts(
        &self,
        profile: &Profile,
        at: usize,
        step: StepChoice,
        links: Option<&Links>,
        ops: &mut Keyed<Named, Starts>,
    ) {
        let device = &self.devices[at];
        let plane = &profile.planes[device.plane];
        let found;
        let links = match links {
            Some(known) => known,
            None => {
                let kinds: Vec<Kind> = self.facts[at].ops.iter().map(|facts| facts.kind).collect();
                found = Links::new(profile, plane, &kinds);
                &found
            }
        };
        let Some((window, whole)) = device.window_on(step, device.event_clock) else { return };
        let mut named: Keyed<Named, ()> = Keyed::default();
        for line in device.ops.iter().map(|i| &plane.lines[*i]) {
            let events = intervals(line, device.event_clock).unwrap_or_default();
            for ((start, _), op) in events.into_iter().zip(line.events.ops()) {
                let Some((Part::Start | Part::Whole, link)) = links.part(op) else { continue };
                let link = &links.all[link as usize];
                if link.is_copy || !(whole || (window.0..window.1).contains(&start)) {
                    continue;
                }
                let starts = ops.entry(link.named, Vec::new);
                if starts.last().is_none_or(|(device, _)| *device != at) {
                    starts.push((at, Vec::new()));
                }
                if let Some((_, starts)) = starts.last_mut() {
                    starts.push(start);
                }
                named.first(link.named, ());
            }
        }
        // Executions of one op may be on several streams or threads: they are told in order of time, not of lines.
        for (named, ()) in named.into_entries().into_iter().filter(|_| device.ops.len() > 1) {
            if let Some((_, starts)) = ops.get_mut(&named).and_then(|starts| starts.last_mut()) {
                starts.sort_unstable();
            }
        }
    }

    /// Who waits for whom: the groups where their numbers are the devices', else all together.
    fn sets(&self, profile: &Profile, starts: &Starts, groups: Option<&ReplicaGroups>) -> Vec<Starts> {
        let number = |device: usize| {
            let name = &profile.planes[self.devices[device].plane].name;
            name.rsplit(':').next().and_then(|n| n.parse::<u64>().ok())
        };
        let lists = groups.filter(|groups| !matches!(groups, ReplicaGroups::Pairs(_))).and_then(ReplicaGroups::groups);
        let numbers: Option<Vec<u64>> = starts.iter().map(|(device, _)| number(*device)).collect();
        let fits = |lists: &Vec<Vec<u64>>, numbers: &Vec<u64>| {
            let mut named: Vec<u64> = lists.iter().flatten().copied().collect();
            let mut known = numbers.clone();
            named.sort_unstable();
            known.sort_unstable();
            named == known
        };
        match lists.zip(numbers).filter(|(lists, numbers)| fits(lists, numbers)) {
            Some((lists, numbers)) => {
                let of = |group: &Vec<u64>| {
                    let members = starts.iter().zip(&numbers).filter(|(_, number)| group.contains(number));
                    members.map(|(starts, _)| starts.clone()).collect()
                };
                lists.iter().map(of).collect()
            }
            None => vec![starts.clone()],
        }
    }

    /// `None` where no set has several devices with executions in equal number.
    fn spread(
        &self,
        profile: &Profile,
        (program, name): Named,
        sets: &[Starts],
        late: &mut [Late],
    ) -> Option<ArrivalSpread> {
        let mut last: Vec<u64> = vec![0; self.devices.len()];
        let (mut n, mut n_devices, mut total, mut max) = (0_u64, 0, 0_u64, 0);
        for set in sets {
            let runs = set.first().map_or(0, |(_, starts)| starts.len());
            if set.len() < 2 || runs == 0 || set.iter().any(|(_, starts)| starts.len() != runs) {
                continue;
            }
            n_devices += set.len() as u32;
            for run in 0..runs {
                let mut order: Vec<(u64, usize)> = set.iter().map(|(device, starts)| (starts[run], *device)).collect();
                order.sort_unstable();
                let ([(first, _), ..], [.., (before, _), (end, device)]) = (order.as_slice(), order.as_slice()) else {
                    continue;
                };
                // Where two come last together, neither alone is waited for.
                if end > before {
                    late[*device].add(end - before);
                    last[*device] += 1;
                }
                total = total.saturating_add(end - first);
                max = max.max(end - first);
            }
            set.iter().for_each(|(device, _)| late[*device].n += runs as u64);
            n += runs as u64;
        }
        let (straggler, n_last) = last.into_iter().enumerate().rev().max_by_key(|(_, n)| *n)?;
        (n > 0).then(|| ArrivalSpread {
            op: profile.text(name).to_owned(),
            program_id: program.map(|ProgramId(id)| id),
            n,
            n_devices,
            total: Picos(total),
            max: Picos(max),
            straggler: (n_last > 0).then(|| self.devices[straggler].label.clone()),
            n_last,
        })
    }
}

/// What a device's being late adds up to.
#[derive(Clone, Copy, Default)]
struct Late {
    n_last: u64,
    n: u64,
    late: u64,
}

impl Late {
    fn add(&mut self, by: u64) {
        self.n_last += 1;
        self.late = self.late.saturating_add(by);
    }
}
