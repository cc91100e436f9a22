//! This module simulates the run: all devices walk the program together, op by op, so that a collective waits for the
//! last device. The module depends on the numbers and the work of ops, not on HLO or captures.
//!
//! All devices run the same program (SPMD), so the time at which each device reaches an op is known at that op.

use super::faults::{Fault, Faults};
use super::machine::{AsyncWork, TICK_PS, Transfer, Work};
use super::program::Item;
use fastrand::Rng;
use std::collections::HashMap;

/// An event of a core, in ticks of its clock.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub op: u32,
    /// Index of the event that encloses this event; [`NONE`] if none does.
    pub parent: u32,
    pub start: u64,
    pub end: u64,
}

/// Index that stands for no event.
pub const NONE: u32 = u32::MAX;

/// An asynchronous operation, from its start to its last byte.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub start_op: u32,
    pub done_op: u32,
    pub start: u64,
    pub end: u64,
}

/// A step of one device, which is a run of the program.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Time in which a thread of the device prepares the run.
    pub prepare: (u64, u64),
    /// Time in which the host enqueues the run.
    pub enqueue: (u64, u64),
    pub start: u64,
    /// Time at which all devices have started the run, so that the first op can start.
    pub ready: u64,
    pub end: u64,
    /// Index of the first event of the step, and that of the next step.
    pub events: (usize, usize),
    /// Index of the first asynchronous operation of the step, and that of the next step.
    pub spans: (usize, usize),
}

/// The work of a host's main thread for a step, in ticks of the devices.
#[derive(Clone, Copy, Debug)]
pub struct HostStep {
    /// Time in which the host loads the next batch.
    pub load: (u64, u64),
    /// Time in which the host does other work before the call, if the fault asks for it.
    pub other: Option<(HostWork, u64, u64)>,
    /// The call of the program.
    pub call: (u64, u64),
    /// Time in which the call compiles.
    pub compile: Option<(u64, u64)>,
}

/// Work of a host that makes the devices wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostWork {
    /// The host writes metrics.
    Metrics,
    /// The host waits for a result of the device, and reads it.
    Fetch,
}

/// A host and the work of its main thread.
#[derive(Debug, Default)]
pub struct Host {
    pub steps: Vec<HostStep>,
}

/// A device and everything that it did.
#[derive(Debug)]
pub struct Device {
    pub events: Vec<Event>,
    pub spans: Vec<Span>,
    pub steps: Vec<Step>,
    now: u64,
    /// Time at which the links are free.
    links_free: u64,
    /// Time at which the engine for copies is free.
    copies_free: u64,
    /// Start and end of each asynchronous operation in flight, by its start op.
    flying: HashMap<u32, (u64, u64)>,
    rng: Rng,
    /// Factor on the duration of the device's own work.
    slower: f64,
    /// Factor on the duration of the matmuls of experts.
    experts: f64,
}

/// What a run consists of.
#[derive(Clone, Copy)]
pub struct Job<'p> {
    pub items: &'p [Item],
    pub works: &'p [Work],
    /// Index of the async start of each op that is an async done; `None` for other ops.
    pub starts: &'p [Option<usize>],
    /// Whether each op is a matmul of experts.
    pub experts: &'p [bool],
    pub devices: usize,
    /// Number of devices that the program was compiled for. Further devices run copies of the program.
    pub group: usize,
    pub devices_per_host: usize,
    pub faults: Faults,
    /// Mean period of a run without faults, in ticks.
    pub usual: u64,
    /// Number of iterations of all loops in a step.
    pub turns: u64,
    pub seed: u64,
}

/// All hosts and devices, and the job that they run.
pub struct Run<'p> {
    job: Job<'p>,
    pub hosts: Vec<Host>,
    pub devices: Vec<Device>,
}

/// Converts microseconds to ticks.
const fn micros(n: u64) -> u64 {
    n * 1_000_000 / TICK_PS
}

/// Index of the step from which on the faults [`Fault::SlowStep`] and [`Fault::Throttle`] act.
pub const LATER_STEP: usize = 3;

impl<'p> Run<'p> {
    pub fn new(job: Job<'p>) -> Self {
        let alone = |fault: Fault, n: usize| job.faults.has(fault) && fault.device(job.devices) == Some(n);
        let device = |n: usize| Device {
            events: Vec::new(),
            spans: Vec::new(),
            steps: Vec::new(),
            // Devices start one after the other.
            now: micros(1_000_000) + micros(3) * n as u64,
            links_free: 0,
            copies_free: 0,
            flying: HashMap::new(),
            rng: Rng::with_seed(job.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(n as u64)),
            slower: if alone(Fault::Straggler, n) { 1.125 } else { 1.0 },
            experts: if alone(Fault::ExpertImbalance, n) { 1.4 } else { 1.0 },
        };
        let hosts = (0..job.devices.div_ceil(job.devices_per_host)).map(|_| Host::default()).collect();
        Self { job, hosts, devices: (0..job.devices).map(device).collect() }
    }

    /// Advances the time of all devices by `ticks`.
    pub fn later(&mut self, ticks: u64) {
        self.devices.iter_mut().for_each(|device| device.now += ticks);
    }

    /// Returns the mean period of the steps after the first one, over all devices and in ticks. With one period, it is this
    /// period. `None` without a period.
    pub fn period(&self) -> Option<f64> {
        let period = |device: &Device| {
            let (first, last) = (device.steps.get(usize::from(device.steps.len() > 2))?, device.steps.last()?);
            let n = device.steps.len().saturating_sub(if device.steps.len() > 2 { 2 } else { 1 });
            (n > 0).then(|| (last.start - first.start) as f64 / n as f64)
        };
        let all: Vec<f64> = self.devices.iter().map(period).collect::<Option<_>>()?;
        (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
    }

    /// Simulates one step on all hosts and devices.
    pub fn step(&mut self) {
        for host in 0..self.hosts.len() {
            self.launch(host);
        }
        // A run begins on all devices of the program together.
        for block in self.devices.chunks_mut(self.job.group) {
            let ready = block.iter().map(|device| device.now).max().unwrap_or(0) + micros(1);
            for device in block {
                device.now = ready;
                if let Some(step) = device.steps.last_mut() {
                    step.ready = ready;
                }
            }
        }
        self.items(self.job.items, &vec![NONE; self.devices.len()]);
        for device in &mut self.devices {
            device.now += micros(1);
            let (now, events, spans) = (device.now, device.events.len(), device.spans.len());
            if let Some(step) = device.steps.last_mut() {
                step.end = now;
                step.events.1 = events;
                step.spans.1 = spans;
            }
        }
    }

    /// Simulates the host's work for the next step, up to the starts of the runs on its devices.
    ///
    /// ```text
    ///  main          ├─ load ─┤├ other ┤├── call ──┤              the call of a step is made while the step before runs
    ///  per device                          ├ prepare ┤├ enqueue ┤
    ///  device        ───── the run before ─────┤                 ├─ run
    /// ```
    fn launch(&mut self, host: usize) {
        let Job { faults, usual, devices_per_host, .. } = self.job;
        let number = self.hosts[host].steps.len();
        let is_last = host + 1 == self.hosts.len();
        let range = host * devices_per_host..((host + 1) * devices_per_host).min(self.devices.len());
        let before = self.devices[range.clone()].iter().filter_map(|device| device.steps.last());
        let before = before.copied().max_by_key(|step| step.end);
        // The time from the call to the end of the enqueue.
        let chain = micros(90);
        // If a fault delays the call, the devices are idle for this time.
        let late = |idle: u64| before.map_or(0, |step| (step.end + idle).saturating_sub(chain));

        let now = self.devices[range.start].now;
        let free = self.hosts[host].steps.last().map_or(now - micros(4000), |step| step.call.1 + micros(20));
        let mut load = (free, free + micros(1500));
        if faults.has(Fault::SlowHost) && is_last {
            load.1 = load.1.max(late(usual / 20));
        }
        let mut called = load.1 + micros(30);
        let mut other = None;
        if let Some(step) = before.filter(|_| faults.has(Fault::HostBound)) {
            let until = called.max(late((step.end - step.start) * 2 / 5));
            other = Some((HostWork::Metrics, called, until));
            called = until + micros(2);
        } else if before.is_some() && faults.has(Fault::HostSync) {
            let until = called.max(late(usual / 20));
            other = Some((HostWork::Fetch, called, until));
            called = until + micros(2);
        }
        called = called.max(before.map_or(now - micros(140), |step| step.start + micros(5)));
        let mut sent = called + micros(20);
        let mut compile = None;
        if before.is_some() && faults.has(Fault::Recompile) && number % 3 == 2 {
            let until = sent.max(late(usual / 4));
            compile = Some((called + micros(10), until));
            sent = until + micros(2);
        }
        self.hosts[host].steps.push(HostStep { load, other, call: (called, sent + micros(30)), compile });

        for n in range.clone() {
            let is_late = faults.has(Fault::LatePeers) && Fault::LatePeers.device(self.job.devices) == Some(n);
            let device = &mut self.devices[n];
            let prepare = sent + micros(8) + micros(2) * (n - range.start) as u64;
            let mut enqueue = prepare + micros(30);
            if let Some(step) = device.steps.last().filter(|_| is_late) {
                enqueue = enqueue.max(step.end + usual / 20);
            }
            let enqueue = (enqueue, enqueue + micros(12));
            let launch = micros(2) + device.rng.u64(0..micros(2));
            let idle_from = if device.steps.is_empty() { device.now } else { device.now + launch };
            let start = idle_from.max(enqueue.1 + micros(3));
            let (events, spans) = (device.events.len(), device.spans.len());
            device.steps.push(Step {
                prepare: (prepare, enqueue.0),
                enqueue,
                start,
                ready: start,
                end: start,
                events: (events, events),
                spans: (spans, spans),
            });
            device.now = start;
        }
    }

    /// Returns the factor on the duration of own work in the current step.
    fn slower(&self) -> f64 {
        let step = self.devices.first().map_or(0, |device| device.steps.len().saturating_sub(1));
        let has = |fault| self.job.faults.has(fault);
        let slow_step = if has(Fault::SlowStep) && step == LATER_STEP { 1.5 } else { 1.0 };
        slow_step * if has(Fault::Throttle) && step >= LATER_STEP { 1.15 } else { 1.0 }
    }

    fn items(&mut self, items: &'p [Item], parents: &[u32]) {
        for item in items {
            match item {
                Item::Op(op) => self.op(*op, parents),
                Item::Loop { op, turns, body } => {
                    let places: Vec<u32> = self
                        .devices
                        .iter_mut()
                        .zip(parents)
                        .map(|(device, parent)| device.open(*op, *parent))
                        .collect();
                    for _ in 0..*turns {
                        if self.job.faults.has(Fault::IdleGaps) {
                            let gap = self.job.usual / 20 / self.job.turns.max(1);
                            self.devices.iter_mut().for_each(|device| device.now += gap);
                        }
                        // The loop's own work: the loop counts, and tests its condition.
                        self.devices.iter_mut().for_each(|device| device.now += 300);
                        self.items(body, &places);
                    }
                    for (device, place) in self.devices.iter_mut().zip(&places) {
                        device.now += 40;
                        device.events[*place as usize].end = device.now;
                    }
                }
            }
        }
    }

    fn op(&mut self, op: usize, parents: &[u32]) {
        let slower = self.slower();
        match &self.job.works[op] {
            Work::Local(ticks) => {
                for (device, parent) in self.devices.iter_mut().zip(parents) {
                    let factor = slower * if self.job.experts[op] { device.experts } else { 1.0 };
                    let ticks = device.own((*ticks as f64 * factor).round() as u64);
                    device.event(op, *parent, device.now, ticks);
                }
            }
            Work::Collective(transfer, own) => {
                let ends = self.arrive(transfer);
                for ((device, parent), end) in self.devices.iter_mut().zip(parents).zip(ends) {
                    let own = device.own(*own);
                    let end = end.max(device.now + own);
                    device.links_free = end.saturating_sub(transfer.idle_ticks);
                    device.event(op, *parent, device.now, end - device.now);
                }
            }
            Work::Start(started) => {
                let ends: Vec<u64> = match started {
                    AsyncWork::Collective(transfer) => {
                        let ends = self.arrive(transfer);
                        for (device, end) in self.devices.iter_mut().zip(&ends) {
                            device.links_free = end.saturating_sub(transfer.idle_ticks);
                        }
                        ends
                    }
                    AsyncWork::Copy(ticks) => self
                        .devices
                        .iter_mut()
                        .map(|device| {
                            device.copies_free = device.copies_free.max(device.now) + ticks;
                            device.copies_free
                        })
                        .collect(),
                    AsyncWork::Offloaded(ticks) => {
                        self.devices.iter_mut().map(|device| device.now + device.own(*ticks)).collect()
                    }
                };
                for ((device, parent), end) in self.devices.iter_mut().zip(parents).zip(ends) {
                    device.flying.insert(op as u32, (device.now, end));
                    device.event(op, *parent, device.now, 5);
                }
            }
            Work::Done => {
                let start = self.job.starts[op].unwrap_or(op) as u32;
                for (device, parent) in self.devices.iter_mut().zip(parents) {
                    // If a start before a loop has its done inside the loop, only the first iteration waits.
                    let Some((began, ends)) = device.flying.remove(&start) else {
                        device.event(op, *parent, device.now, 5);
                        continue;
                    };
                    let end = ends.max(device.now + 5);
                    device.spans.push(Span { start_op: start, done_op: op as u32, start: began, end: ends });
                    device.event(op, *parent, device.now, end - device.now);
                }
            }
        }
    }

    /// Returns for each device the time at which a transfer ends that all devices reach now.
    fn arrive(&self, transfer: &Transfer) -> Vec<u64> {
        let mut ends: Vec<u64> = self.devices.iter().map(|device| device.now + transfer.ticks).collect();
        for block in (0..self.devices.len()).step_by(self.job.group) {
            for group in &transfer.groups {
                let members = || group.iter().map(|n| block + n).filter(|n| *n < self.devices.len());
                let start = members().map(|n| self.devices[n].now.max(self.devices[n].links_free)).max().unwrap_or(0);
                members().for_each(|n| ends[n] = start + transfer.ticks);
            }
        }
        ends
    }
}

impl Device {
    /// Returns the ticks that a device's own work takes this time. Most work takes exactly its ticks, and some long
    /// work takes a little more or less.
    fn own(&mut self, ticks: u64) -> u64 {
        let ticks = (ticks as f64 * self.slower).round() as u64;
        if ticks < 800 || self.rng.u8(0..4) > 0 {
            return ticks;
        }
        let one = (ticks / 400).max(1);
        ticks - one + self.rng.u64(0..=2 * one)
    }

    fn open(&mut self, op: usize, parent: u32) -> u32 {
        let place = self.events.len() as u32;
        self.events.push(Event { op: op as u32, parent, start: self.now, end: self.now });
        self.now += 40;
        place
    }

    fn event(&mut self, op: usize, parent: u32, start: u64, ticks: u64) {
        self.events.push(Event { op: op as u32, parent, start, end: start + ticks });
        self.now = start + ticks;
    }
}
