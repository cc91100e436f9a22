//! This module simulates the run: all devices walk the program together, op by op, so that a collective waits for the
//! last device. The module depends on the numbers and the work of ops, not on HLO or captures.
//!
//! All devices run the same program (SPMD), so the time at which each device reaches an op is known at that op.

use super::faults::Faults;
use super::machine::{Flight, TICK_PS, Transfer, Work};
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

/// A step of one device.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Time at which the host launched the step, on the device's clock.
    pub asked: u64,
    pub start: u64,
    pub end: u64,
    /// Index of the first event of the step, and that of the next step.
    pub events: (usize, usize),
    /// Index of the first asynchronous operation of the step, and that of the next step.
    pub spans: (usize, usize),
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
}

/// All devices, and the program that they run.
pub struct Run<'p> {
    items: &'p [Item],
    works: &'p [Work],
    /// Index of the async start of each op that is an async done; `None` for other ops.
    starts: &'p [Option<usize>],
    /// Number of devices that the program was compiled for. Further devices run copies of the program.
    group: usize,
    faults: Faults,
    pub devices: Vec<Device>,
}

/// Converts microseconds to ticks.
const fn micros(n: u64) -> u64 {
    n * 1_000_000 / TICK_PS
}

impl<'p> Run<'p> {
    pub fn new(
        items: &'p [Item],
        works: &'p [Work],
        starts: &'p [Option<usize>],
        (devices, group): (usize, usize),
        faults: Faults,
        seed: u64,
    ) -> Self {
        let straggler = devices.saturating_sub(3);
        let device = |n: usize| Device {
            events: Vec::new(),
            spans: Vec::new(),
            steps: Vec::new(),
            // Devices start one after the other.
            now: micros(1_000_000) + micros(3) * n as u64,
            links_free: 0,
            copies_free: 0,
            flying: HashMap::new(),
            rng: Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(n as u64)),
            slower: if faults.straggler && n == straggler { 1.125 } else { 1.0 },
        };
        Self { items, works, starts, group, faults, devices: (0..devices).map(device).collect() }
    }

    /// Advances the time of all devices by `ticks`.
    pub fn later(&mut self, ticks: u64) {
        self.devices.iter_mut().for_each(|device| device.now += ticks);
    }

    /// Simulates one step on all devices.
    pub fn step(&mut self) {
        // The host launches a step while the step before still runs. If the host is late, the devices wait.
        for device in &mut self.devices {
            let before = device.steps.last().copied();
            let late = if self.faults.host_bound {
                before.map_or(0, |step| (step.end - step.start) * 2 / 5)
            } else {
                micros(8) + device.rng.u64(0..micros(6))
            };
            let asked = before.map_or(device.now - micros(40), |step| step.start + micros(5));
            device.now += late;
            let (events, spans) = (device.events.len(), device.spans.len());
            let asked = if self.faults.host_bound { device.now - micros(20) } else { asked };
            device.steps.push(Step {
                asked,
                start: device.now,
                end: device.now,
                events: (events, events),
                spans: (spans, spans),
            });
            device.now += micros(1);
        }
        self.items(self.items, &vec![NONE; self.devices.len()]);
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
                        if self.faults.idle_gaps {
                            self.devices.iter_mut().for_each(|device| device.now += micros(25));
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
        match &self.works[op] {
            Work::Local(ticks) => {
                for (device, parent) in self.devices.iter_mut().zip(parents) {
                    let ticks = device.own(*ticks);
                    device.event(op, *parent, device.now, ticks);
                }
            }
            Work::Collective(transfer, own) => {
                let ends = self.arrive(transfer);
                for ((device, parent), end) in self.devices.iter_mut().zip(parents).zip(ends) {
                    let own = device.own(*own);
                    let end = end.max(device.now + own);
                    device.links_free = end;
                    device.event(op, *parent, device.now, end - device.now);
                }
            }
            Work::Start(flight) => {
                let ends: Vec<u64> = match flight {
                    Flight::Collective(transfer) => {
                        let ends = self.arrive(transfer);
                        self.devices.iter_mut().zip(&ends).for_each(|(device, end)| device.links_free = *end);
                        ends
                    }
                    Flight::Copy(ticks) => self
                        .devices
                        .iter_mut()
                        .map(|device| {
                            device.copies_free = device.copies_free.max(device.now) + ticks;
                            device.copies_free
                        })
                        .collect(),
                    Flight::Offloaded(ticks) => {
                        self.devices.iter_mut().map(|device| device.now + device.own(*ticks)).collect()
                    }
                };
                for ((device, parent), end) in self.devices.iter_mut().zip(parents).zip(ends) {
                    device.flying.insert(op as u32, (device.now, end));
                    device.event(op, *parent, device.now, 5);
                }
            }
            Work::Done => {
                let start = self.starts[op].unwrap_or(op) as u32;
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
        for block in (0..self.devices.len()).step_by(self.group) {
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
