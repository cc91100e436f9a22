//! This module compares the hosts of a session: their names, whether steps with the same number are the same step, and
//! whether their clocks agree. Each file of a session counts as a host.
//!
//! ```text
//!  host-a  ├─ 3 ─┤├─ 4 ─┤├─ 5 ─┤              with Steps lines: steps 4 and 5 are on both hosts and are compared
//!  host-b         ├─ 4 ─┤├─ 5 ─┤├─ 6 ─┤
//!  without Steps lines: steps are counted from the first run of each host, and are compared only if all hosts
//!                       have the same number of runs of the same program
//! ```
//!
//! Only durations are compared between hosts, never times, because the clocks of hosts may differ. This module does not
//! depend on ops.

use super::device::{Clock, Device, Step, StepBasis};
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};
use xla_profile::profile::{Note, NoteCode, Profile, Severity};
use xla_profile::units::Picos;

/// A host, represented by its first device that has steps.
struct Host<'a> {
    /// Index into [`Profile::files`].
    file: usize,
    name: &'a str,
    device: &'a Device,
}

/// Returns the name of each host, by file: the name of the file up to `.xplane`, with its folder if several files have
/// that name.
pub(in crate::analysis) fn names(profile: &Profile) -> Vec<String> {
    let short = |file: &str| {
        let name = file.rsplit('/').next().unwrap_or(file);
        name.split(".xplane").next().unwrap_or(name).to_owned()
    };
    let shorts: Vec<String> = profile.files.iter().map(|file| short(file)).collect();
    if let Some(ranks) = ranks_of_one_host(&shorts) {
        return ranks;
    }
    let mut files: IndexMap<String, u32> = IndexMap::default();
    profile.files.iter().for_each(|file| *files.entry(short(file)).or_default() += 1);
    let host = |file: &String| {
        let name = short(file);
        let again = files.get(&name).is_some_and(|n| *n > 1);
        match file.rsplit('/').nth(1).filter(|_| again) {
            Some(folder) => format!("{folder}/{name}"),
            None => name,
        }
    };
    profile.files.iter().map(host).collect()
}

/// Returns `dp0` and `dp1` for the files `dp0_host` and `dp1_host`: the processes of one host, which have its name in common. `None` for
/// files of several hosts, and for other names.
fn ranks_of_one_host(names: &[String]) -> Option<Vec<String>> {
    let ranks: Vec<(u64, &str)> = names.iter().map(|name| rank(name)).collect::<Option<_>>()?;
    let (_, host) = ranks.first()?;
    let is_one = ranks.len() > 1 && ranks.iter().all(|(_, other)| other == host);
    is_one.then(|| ranks.iter().map(|(rank, _)| format!("dp{rank}")).collect())
}

/// Returns the rank in the name of a file, `dp1_host`, and the rest of the name.
pub(in crate::analysis) fn rank(name: &str) -> Option<(u64, &str)> {
    let (rank, host) = name.strip_prefix("dp")?.split_once('_')?;
    let is_number = !rank.is_empty() && rank.bytes().all(|byte| byte.is_ascii_digit());
    Some((rank.parse().ok().filter(|_| is_number)?, host))
}

/// Returns the hosts that have steps, in the order of their files. `names` are those of all hosts.
fn hosts<'a>(profile: &Profile, devices: &'a [Device], names: &'a [String]) -> Vec<Host<'a>> {
    let mut first: BTreeMap<usize, &Device> = BTreeMap::new();
    for device in devices.iter().filter(|device| !device.steps.is_empty()) {
        first.entry(profile.planes[device.plane].file).or_insert(device);
    }
    let name = |file: usize| names.get(file).map_or("", String::as_str);
    first.into_iter().map(|(file, device)| Host { file, name: name(file), device }).collect()
}

/// Returns whether steps with the same number are the same step on all hosts, and notes on the differences between
/// hosts.
pub(in crate::analysis) fn aligned(profile: &Profile, devices: &[Device]) -> (bool, Vec<Note>) {
    let names = names(profile);
    let hosts = hosts(profile, devices, &names);
    if hosts.len() < 2 {
        return (true, Vec::new());
    }
    if let Some(note) = counted_apart(&hosts) {
        return (false, vec![note]);
    }
    let common = common(&hosts);
    let notes = [steps_of_some_hosts_note(&hosts, &common), skew(&hosts, &common)];
    (true, notes.into_iter().flatten().collect())
}

/// Returns a note if steps cannot be matched by number: some host has no `Steps` line, and some host differs from the
/// first one in its program or in its number of steps.
fn counted_apart(hosts: &[Host<'_>]) -> Option<Note> {
    let [first, rest @ ..] = hosts else { return None };
    hosts.iter().find(|host| !host.device.has_stated_numbers())?;
    let as_first = |host: &&Host<'_>| {
        host.device.basis == first.device.basis && host.device.steps.len() == first.device.steps.len()
    };
    let other = rest.iter().find(|host| !as_first(host))?;
    let has = |host: &Host<'_>| match &host.device.basis {
        StepBasis::Modules { programs } => {
            format!("{} has {} runs of {}", host.name, host.device.steps.len(), programs.join(", "))
        }
        _ => format!("{} has {} steps", host.name, host.device.steps.len()),
    };
    let message = format!(
        "The steps of the hosts cannot be matched: {}, {}. Steps are compared within each host only. Step annotations give \
         steps numbers that all hosts share.",
        has(first),
        has(other)
    );
    Some(Note::new(Severity::Caution, NoteCode::HostsNotAligned, message))
}

fn numbers(host: &Host<'_>) -> BTreeSet<u64> {
    let mut numbers = BTreeSet::new();
    numbers.extend(host.device.steps.iter().map(|step| step.number));
    numbers
}

/// Returns the step numbers that all hosts have, ascending.
fn common(hosts: &[Host<'_>]) -> Vec<u64> {
    let all: Vec<BTreeSet<u64>> = hosts.iter().map(numbers).collect();
    let first = all.first().into_iter().flatten();
    first.filter(|number| all.iter().all(|numbers| numbers.contains(number))).copied().collect()
}

fn steps_of_some_hosts_note(hosts: &[Host<'_>], common: &[u64]) -> Option<Note> {
    let mut all = BTreeSet::new();
    hosts.iter().for_each(|host| all.extend(numbers(host)));
    let n = all.len().saturating_sub(common.len());
    if n == 0 {
        return None;
    }
    let fewest = hosts.iter().min_by_key(|host| host.device.steps.len())?;
    let message = format!(
        "{n} of {} steps are not on all {} hosts ({} has {}). Sums over devices include fewer devices for these steps.",
        all.len(),
        hosts.len(),
        fewest.name,
        fewest.device.steps.len()
    );
    Some(Note::new(Severity::Info, NoteCode::StepsOfSomeHosts, message))
}

/// Returns the start of each step in ps on the host's own event clock, by step number. Of several steps with one
/// number, the first one counts.
fn starts(host: &Host<'_>) -> IndexMap<u64, i128> {
    let mut starts = IndexMap::default();
    if let Clock::Event { origin_ns } = host.device.event_clock {
        let start = |step: &Step| i128::from(origin_ns) * 1000 + i128::from(step.event_window.0);
        for step in &host.device.steps {
            starts.entry(step.number).or_insert(start(step));
        }
    }
    starts
}

/// Returns the starts of steps on a host minus those of the steps with the same number on the host `first`, in ps and
/// ascending.
fn start_differences(first: &IndexMap<u64, i128>, host: &Host<'_>) -> Vec<i128> {
    let starts = starts(host);
    let mut all: Vec<i128> = starts.iter().filter_map(|(number, start)| Some(start - first.get(number)?)).collect();
    all.sort_unstable();
    all
}

/// Returns for each host that has steps the starts of its steps minus those of the same steps on the first such host, in ps and
/// ascending, by the index of its file. The first host is the first one of the list.
pub(in crate::analysis) fn step_start_differences(profile: &Profile, devices: &[Device]) -> Vec<(usize, Vec<i128>)> {
    let names = names(profile);
    let hosts = hosts(profile, devices, &names);
    let first = hosts.first().map(starts).unwrap_or_default();
    hosts.iter().map(|host| (host.file, start_differences(&first, host))).collect()
}

/// Returns a note if the median difference between the starts of common steps on two hosts exceeds the median duration
/// of a step. The starts of one step cannot differ that much, but clocks can.
fn skew(hosts: &[Host<'_>], common: &[u64]) -> Option<Note> {
    let (first, rest) = hosts.split_first()?;
    let mut of_first = starts(first);
    of_first.retain(|number, _| common.binary_search(number).is_ok());
    let apart = |host: &Host<'_>| {
        let all = start_differences(&of_first, host);
        all.get(all.len() / 2).copied()
    };
    let apart = rest.iter().filter_map(|host| Some((apart(host)?, host)));
    let (by, worst) = apart.max_by_key(|(by, _)| by.unsigned_abs())?;
    let mut lengths: Vec<u64> = first.device.steps.iter().map(|step| step.length().0).collect();
    lengths.sort_unstable();
    let length = *lengths.get(lengths.len() / 2)?;
    if by.unsigned_abs() <= u128::from(length) {
        return None;
    }
    let seconds = |ps: u128| Picos(u64::try_from(ps).unwrap_or(u64::MAX)).as_f64() / 1e12;
    let message = format!(
        "The clocks of the hosts differ: {} common steps begin {:.3e} s {} on {} than on {}, and a step takes {:.3e} s. Times are \
         compared within each host only; durations of steps are compared across hosts.",
        common.len(),
        seconds(by.unsigned_abs()),
        if by > 0 { "later" } else { "earlier" },
        worst.name,
        first.name,
        seconds(u128::from(length)),
    );
    Some(Note::new(Severity::Caution, NoteCode::ClockSkew, message))
}
