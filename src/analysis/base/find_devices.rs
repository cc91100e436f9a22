//! This module finds the devices of a profile: the lines that hold ops, program runs and steps, and the clocks of these
//! lines.
use super::device::{Clock, Device, Step, StepBasis, intervals_in};
use super::device_notes::{beyond_sums, is_beyond_sums, join_places, no_devices};
use super::op_times::union_length;
use super::platform::Platform;
use super::steps::{self, Source, StepKind, StepsBy};
use super::{file_end, hosts, longest_step, periods};
use indexmap::{IndexMap, IndexSet};
use xla_profile::intervals::Interval;
use xla_profile::parallel;
use xla_profile::profile::{Line, Note, NoteCode, Plane, Profile, Severity};
use xla_profile::units::Picos;

/// Returns the devices of a profile in the order of their files and names, the kinds of their steps, and notes on
/// assumptions and on missing data. The
/// order of the planes in a file does not count.
pub fn devices(profile: &Profile, by: &StepsBy) -> (Vec<Device>, Vec<StepKind>, Vec<Note>) {
    let mut notes = Vec::new();
    let mut sums: TimeSums = [0; 7];
    let platform = |(index, plane): (usize, &Plane)| Some((index, Platform::from_plane_name(&plane.name)?));
    let mut planes: Vec<(usize, Platform)> = profile.planes.iter().enumerate().filter_map(platform).collect();
    planes.sort_by_key(|(index, _)| {
        let plane = &profile.planes[*index];
        let stem = plane.name.trim_end_matches(|c: char| c.is_ascii_digit());
        (plane.file, stem, plane.name[stem.len()..].parse().unwrap_or(u64::MAX))
    });
    let found = parallel::map_with(&planes, || (), |(), (index, platform)| device(profile, (*index, *platform)));
    let (mut devices, sources): (Vec<Device>, Vec<Source>) = found.into_iter().flatten().unzip();
    let (kinds, of_steps) = steps::find(profile, &mut devices, &sources, by);
    drop(sources);
    notes.extend(of_steps);
    for device in &mut devices {
        let note = file_end::end_steps(&profile.planes[device.plane], device);
        notes.extend(note.map(|note| note.with_place(&device.label)));
    }
    let measured = parallel::map_with(&devices, Vec::new, |buffer, device| {
        measure_ops(&profile.planes[device.plane], device, buffer)
    });
    for (device, measured) in devices.iter_mut().zip(measured) {
        let times = measured.set(&profile.planes[device.plane], device);
        sums.iter_mut().zip(times).for_each(|(sum, time)| *sum = sum.saturating_add(time));
        if times.into_iter().any(is_beyond_sums) {
            notes.push(beyond_sums().with_place(&device.label));
        }
    }
    if sums.into_iter().any(is_beyond_sums) && notes.iter().all(|note| note.code != beyond_sums().code) {
        notes.push(beyond_sums());
    }
    make_labels_distinct(profile, &mut devices);
    longest_step::mark(&mut devices);
    periods::mark_steady(profile, &mut devices);
    let mut notes = join_places(notes);
    if devices.is_empty() {
        notes.push(no_devices(profile));
    }
    let sparse = profile.planes.iter().filter(|p| p.name.contains("SparseCore") && p.n_events() > 0).count();
    if sparse > 0 && !devices.is_empty() {
        let message = format!(
            "{sparse} SparseCore planes are listed and not summed, because they run in parallel to the TensorCore."
        );
        notes.push(Note::new(Severity::Info, NoteCode::SparseCoreApart, message));
    }
    (devices, kinds, notes)
}

/// The sums of a device that other sums add up, in ps: the durations of its ops on the clocks of ops and of steps, the windows
/// of its steps on the clocks of steps and of events, the durations of the events of steps and of transfers in flight, and
/// the whole capture. Figures of several devices are sums over devices of at most one of these.
type TimeSums = [u128; 7];

/// Returns the device of a plane, without steps, and what the plane says about its steps. Returns `None` if the plane has no
/// ops.
fn device(profile: &Profile, (index, platform): (usize, Platform)) -> Option<(Device, Source)> {
    let plane = &profile.planes[index];
    let ops = platform.op_lines(plane);
    if ops.is_empty() {
        return None;
    }
    let all_device = |lines: &[usize]| lines.iter().all(|i| plane.lines[*i].events.has_device_clock());
    let is_step_line = |line: &Line| ["Steps", "XLA Modules"].contains(&&*line.name) && !line.events.is_empty();
    let of_steps = plane.lines.iter().filter(|line| is_step_line(line) || line.is_async());
    let used = ops.iter().map(|i| &plane.lines[*i]).chain(of_steps);
    let event = Clock::Event { origin_ns: used.map(|line| line.timestamp_ns).min().unwrap_or(0) };
    let op_clock = if all_device(&ops) { Clock::Device } else { event };
    let source = steps::source(profile, plane, (op_clock, event));
    let device = Device {
        plane: index,
        platform,
        label: plane.name.trim_start_matches("/device:").to_owned(),
        ops,
        steps: Vec::new(),
        longest: None,
        main_kind: 0,
        has_few_steady: false,
        basis: StepBasis::None,
        step_clock: op_clock,
        op_clock,
        event_clock: event,
        axis_offset: 0,
        whole: (0, 0),
        file_end: None,
        busy: Picos::ZERO,
    };
    Some((device, source))
}

/// What is measured of the ops of a device.
struct Measured {
    /// Start of the first op and end of the last op, in ps on the clock of ops.
    whole: Interval,
    busy: Picos,
    /// Number of ops that start in each step.
    n_ops: Vec<u32>,
    /// The sums of the durations of all ops in ps, on the clock of ops and on that of steps.
    durations: [u128; 2],
}

impl Measured {
    /// Sets what was measured of the device, and returns its sums.
    fn set(self, plane: &Plane, device: &mut Device) -> TimeSums {
        (device.whole, device.busy) = (self.whole, self.busy);
        device.steps.iter_mut().zip(self.n_ops).for_each(|(step, n_ops)| step.n_ops = n_ops);
        let of_steps = |time: fn(&Step) -> u64| device.steps.iter().map(|step| u128::from(time(step))).sum::<u128>();
        let of_line = |line: &Line| line.events.times().map(|(_, duration)| u128::from(duration)).sum::<u128>();
        let [on_op_clock, on_step_clock] = self.durations;
        [
            on_op_clock,
            on_step_clock,
            of_steps(|step| step.length().0),
            of_steps(|step| step.event_window.1 - step.event_window.0),
            of_steps(|step| step.duration.0),
            plane.lines.iter().filter(|line| line.is_async()).map(of_line).sum(),
            u128::from(device.whole.1 - device.whole.0),
        ]
    }
}

/// Measures the ops of a device, and counts the ops that start in each step.
fn measure_ops(plane: &Plane, device: &Device, buffer: &mut Vec<Interval>) -> Measured {
    let edges = edges(&device.steps);
    let mut starts = Starts { between: vec![0; edges.len() + 1], edges, last: 0 };
    let (mut whole, mut busy) = ((u64::MAX, 0), Picos::ZERO);
    let mut durations = [0_u128; 2];
    let length = |events: &[Interval]| events.iter().map(|(start, end)| u128::from(end - start)).sum::<u128>();
    for line in device.ops.iter().map(|i| &plane.lines[*i]) {
        if let Some(events) = intervals_in(buffer, line, device.op_clock) {
            durations[0] += length(events);
            busy += Picos(union_length(events));
            for (start, end) in events {
                whole = (whole.0.min(*start), whole.1.max(*end));
            }
        }
        if let Some(events) = intervals_in(buffer, line, device.step_clock) {
            durations[1] += length(events);
            events.iter().for_each(|(start, _)| starts.add(*start));
        }
    }
    let before = starts.count_before();
    let n_ops = |step: &Step| u32::try_from(before(step.window.1) - before(step.window.0)).unwrap_or(u32::MAX);
    let n_ops = device.steps.iter().map(n_ops).collect();
    Measured { whole: (whole.0.min(whole.1), whole.1), busy, n_ops, durations }
}

/// Returns the starts and ends of steps, sorted and distinct. Most steps end where the next one starts.
fn edges(steps: &[Step]) -> Vec<u64> {
    let mut edges: Vec<u64> = Vec::with_capacity(steps.len() + 1);
    for edge in steps.iter().flat_map(|step| [step.window.0, step.window.1]) {
        if edges.last() != Some(&edge) {
            edges.push(edge);
        }
    }
    if !edges.is_sorted() {
        edges.sort_unstable();
        edges.dedup();
    }
    edges
}

/// Counts the ops that start between the edges of steps. Steps may overlap.
struct Starts {
    /// Starts and ends of steps, sorted and distinct.
    edges: Vec<u64>,
    /// Number of ops that start before the first edge, between the first and the second edge, and so on; the last
    /// element counts the ops after the last edge.
    between: Vec<u64>,
    /// Index into `between` of the previous start. The next start mostly has the same index.
    last: usize,
}

impl Starts {
    #[inline]
    fn add(&mut self, start: u64) {
        let is_after = self.last == 0 || self.edges[self.last - 1] <= start;
        if !is_after || self.edges.get(self.last).is_some_and(|next| *next <= start) {
            self.last = self.edges.partition_point(|edge| *edge <= start);
        }
        self.between[self.last] += 1;
    }

    /// Returns a function that counts the ops that start before an edge.
    fn count_before(mut self) -> impl Fn(u64) -> u64 {
        let mut sum = 0;
        for n in &mut self.between {
            sum += *n;
            *n = sum;
        }
        move |edge| self.between[self.edges.partition_point(|other| *other < edge)]
    }
}

/// Makes labels distinct. If several files are open, two devices `TPU:0` become `host-a TPU:0` and `host-b TPU:0`.
/// Labels that are still equal get a number, such as `TPU:0 (2)`.
fn make_labels_distinct(profile: &Profile, devices: &mut [Device]) {
    let mut labels: IndexSet<&str> = IndexSet::default();
    let has_double = !devices.iter().all(|device| labels.insert(&device.label));
    if has_double && profile.files.len() > 1 {
        let names = hosts::names(profile);
        for device in devices.iter_mut() {
            let host = names.get(profile.planes[device.plane].file).map_or("", String::as_str);
            device.label = format!("{host} {}", device.label);
        }
    }
    let mut seen: IndexMap<String, u32> = IndexMap::default();
    for device in devices {
        let n = seen.entry(device.label.clone()).or_default();
        *n += 1;
        if *n > 1 {
            device.label = format!("{} ({n})", device.label);
        }
    }
}
