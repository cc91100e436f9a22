//! The run: every device walks the program, all of them op by op together, so that collectives wait for the last to
//! arrive. This module knows ops by number and what they do; nothing of HLO or of captures.
//!
//! All devices run the same program (SPMD), so at each op it is known when each device arrives there.

use super::faults::Faults;
use super::machine::{Flight, TICK_PS, Transfer, Work};
use super::program::Item;
use fastrand::Rng;
use std::collections::HashMap;

/// An event of a core, in ticks of its clock.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub op: u32,
    /// Place of the event that encloses it; [`NONE`] for none.
    pub parent: u32,
    pub start: u64,
    pub end: u64,
}

/// No event.
pub const NONE: u32 = u32::MAX;

/// Something asynchronous, from its start to its last byte.
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
    /// When the host asked for it, on the device's clock.
    pub asked: u64,
    pub start: u64,
    pub end: u64,
    /// The first of its events, and the first of the next step's.
    pub events: (usize, usize),
    /// The same of what is asynchronous.
    pub spans: (usize, usize),
}

/// What a device did.
#[derive(Debug)]
pub struct Device {
    pub events: Vec<Event>,
    pub spans: Vec<Span>,
    pub steps: Vec<Step>,
    now: u64,
    /// When its links are free, and its engine for copies.
    links_free: u64,
    copies_free: u64,
    flying: HashMap<u32, (u64, u64)>,
    rng: Rng,
    /// Its own ops take so many times as long.
    slower: f64,
}

/// All devices and what they run.
pub struct Run<'p> {
    items: &'p [Item],
    works: &'p [Work],
    /// Of each op the number of its start, where it is the end of something asynchronous.
    starts: &'p [Option<usize>],
    /// How many devices the program was compiled for: more devices run copies of it.
    group: usize,
    faults: Faults,
    pub devices: Vec<Device>,
}

/// Ticks of a time.
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
            // Devices are started one after the other.
            now: micros(1_000_000) + micros(3) * n as u64,
            links_free: 0,
            copies_free: 0,
            flying: HashMap::new(),
            rng: Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(n as u64)),
            slower: if faults.straggler && n == straggler { 1.125 } else { 1.0 },
        };
        Self { items, works, starts, group, faults, devices: (0..devices).map(device).collect() }
    }

    /// Lets time pass: what comes is so many ticks later.
    pub fn later(&mut self, ticks: u64) {
        self.devices.iter_mut().for_each(|device| device.now += ticks);
    }

    /// One step of all devices.
    pub fn step(&mut self) {
        // The host asks while the step before still runs; where it is late, the devices wait.
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
                        // The loop's own work: it counts, and looks whether it is done.
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
                    // What was set off before the loop is waited for once.
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

    /// When a transfer that all devices come to now has ended, for each of them.
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
    /// How long work of its own takes this time: most of it exactly as long as always, what is long a little more or less.
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
