//! This module makes the events of the host for a call of a program, as profilers record them on TPUs and GPUs.
//!
//! ```text
//!  Producers  main   ├ PjitFunction(f) ├ PjitFunction(f) ├ Execute: produces (5, call) ┤┤┤
//!             exec/0                     ├ Scheduled …: consumes (5, call) ─ tpu::System::Execute: produces (7, run) ┤
//!             queue                                       ├ consumes (7, run) ─ DoEnqueueProgram: produces (12, run) ┤
//!  RunIds     main   ├ PjitFunction(f) ├ PjitFunction(f) ├ Execute ├ DoEnqueueProgram: run_id ┤┤┤┤
//!  Kernels    main   ├ PjitFunction(f) ├ PjitFunction(f) ├ Execute ├ jit_f:XLA GPU module ├ cuLaunchKernel ┤┤┤┤┤
//!  Order      main   ├ PjitFunction(f) ├ PjitFunction(f) ├ Execute (jit_f) ├ ExecuteHelperOnSingleDevice ┤┤┤┤
//!  None       main   ├ PjitFunction(f) ├ PjitFunction(f) ┤┤
//! ```

use super::super::make::{int, text};
use super::plan::{Call, Links, MS, Plan, Platform, US};
use super::trace::HostEvent;
use fastrand::Rng;
use xla_profile::wire::proto::xspace::x_stat::Value;

/// A thread of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Thread {
    Main,
    /// The thread that prepares the runs of a device.
    Device(usize),
    /// The thread that enqueues runs.
    Queue,
    /// A thread that loads data.
    Pool,
    /// A thread that serves requests.
    Requests,
}

/// When the host has launched a run on a device.
pub struct Ready {
    /// The time from which on each op may start, in ps; one time if the run is launched as a whole.
    pub ops: Vec<u64>,
    /// The correlation id of the first op; the others count on from it.
    pub correlation: u64,
}

/// The bits of a run's id that a TPU keeps.
const RUN_ID_BITS: u32 = 27;

/// The types of contexts, as real captures number them.
const EXECUTE: i64 = 5;
const ISSUE: i64 = 7;
pub const ENQUEUE: i64 = 12;

/// The host while it calls programs.
pub struct Caller<'a> {
    pub plan: &'a Plan,
    pub events: Vec<HostEvent>,
    /// Whether what the host does now is recorded.
    pub is_recorded: bool,
    n_calls: i64,
    /// Number of runs of each device.
    n_runs: Vec<u64>,
    next_correlation: u64,
    free: Vec<u64>,
    queue_free: u64,
    compile: u64,
}

/// Returns the id of the context of a run: the runs of each device count from a number of its own.
pub const fn run_context(device: usize, number: u64) -> i64 {
    ((device as i64 + 5) << 32) | number as i64
}

/// Returns the id of a run as the host has it. The device has its lowest 27 bits.
pub const fn host_run_id(device: usize, number: u64) -> u64 {
    ((device as u64 + 3) << RUN_ID_BITS) | (1000 + number)
}

/// Returns the id of a run as the device has it.
pub const fn device_run_id(device: usize, number: u64) -> u64 {
    host_run_id(device, number) & ((1 << RUN_ID_BITS) - 1)
}

impl<'a> Caller<'a> {
    pub fn new(plan: &'a Plan, random: &mut Rng) -> Self {
        Self {
            plan,
            events: Vec::new(),
            is_recorded: true,
            n_calls: 0,
            n_runs: vec![0; plan.n_devices],
            next_correlation: random.u64(1..5000),
            free: vec![0; plan.n_devices],
            queue_free: 0,
            compile: random.u64(8..30) * MS,
        }
    }

    /// Adds an event of the main thread, unless the capture has not begun.
    pub fn event(&mut self, name: &str, start: u64, end: u64, stats: Vec<(&'static str, Value)>) {
        self.on(Thread::Main, name, start, end, stats);
    }

    /// Adds an event of a thread, unless the capture has not begun.
    pub fn on(&mut self, thread: Thread, name: &str, start: u64, end: u64, stats: Vec<(&'static str, Value)>) {
        if self.is_recorded {
            self.events.push(HostEvent { thread, name: name.to_owned(), start, end, stats });
        }
    }

    /// Calls a program at `now`, which moves to the end of the call. Returns for each device of the call when its run may
    /// start.
    pub fn call(&mut self, call: &Call, now: &mut u64, random: &mut Rng) -> Vec<Ready> {
        let begin = *now;
        let function = self.plan.programs[call.program].name.trim_start_matches("jit_").to_owned();
        let mut time = begin + 2 * US;
        self.event("ParseArguments", time, time + US, Vec::new());
        time += random.u64(3 * US..6 * US);
        if call.compiles {
            let compile = self.compile * random.u64(90..110) / 100;
            self.event("backend_compile_and_load", time, time + compile, Vec::new());
            time += compile + US;
        }
        let ready = match self.plan.links {
            Links::Producers => self.produce(call, &mut time),
            Links::RunIds => self.enqueue(call, &mut time),
            Links::Kernels => self.launch(call, &mut time),
            Links::Order => self.execute(call, &mut time),
            Links::None => {
                time += 10 * US;
                self.unseen(call, time)
            }
        };
        *now = time + 3 * US;
        let name = format!("PjitFunction({function})");
        self.event(&name, begin, *now, Vec::new());
        self.event(&name, begin + US, *now - US, Vec::new());
        self.n_calls += 1;
        call.devices.iter().for_each(|device| self.n_runs[*device] += 1);
        ready
    }

    /// Makes the events of a call that a thread for each device goes on with.
    fn produce(&mut self, call: &Call, clock: &mut u64) -> Vec<Ready> {
        let (start, context) = (*clock, self.n_calls + 1);
        self.event("TfrtTpuLoadedExecutable::Execute", start, start + 12 * US, Vec::new());
        let produces = vec![("_pt", int(EXECUTE)), ("_p", int(context))];
        self.event("TfrtTpuLoadedExecutable::Execute", start + US, start + 10 * US, produces);
        *clock += 13 * US;
        let mut ready = Vec::new();
        for device in &call.devices {
            let run = run_context(*device, self.n_runs[*device]);
            let thread = Thread::Device(*device);
            let begin = (start + 5 * US).max(self.free[*device]);
            let consumes = vec![("_ct", int(EXECUTE)), ("_c", int(context))];
            self.on(thread, "Scheduled TfrtTpuLoadedExecutable::Execute", begin, begin + 12 * US, consumes);
            let produces = vec![("_pt", int(ISSUE)), ("_p", int(run))];
            self.on(thread, "tpu::System::Execute", begin + 4 * US, begin + 10 * US, produces);
            self.free[*device] = begin + 13 * US;
            let begin = (begin + 11 * US).max(self.queue_free);
            let consumes = vec![("_ct", int(ISSUE)), ("_c", int(run))];
            self.on(Thread::Queue, "tpu::System::Execute=>IssueSequencedEvent", begin, begin + 5 * US, consumes);
            let mut stats = self.run_stats(*device);
            stats.extend([("_pt", int(ENQUEUE)), ("_p", int(run))]);
            self.on(Thread::Queue, "DoEnqueueProgram", begin + US, begin + 4 * US, stats);
            self.queue_free = begin + 6 * US;
            ready.push(Ready { ops: vec![begin + 6 * US], correlation: 0 });
        }
        ready
    }

    /// Makes the events of a call that enqueues its runs itself.
    fn enqueue(&mut self, call: &Call, clock: &mut u64) -> Vec<Ready> {
        let start = *clock;
        let mut ready = Vec::new();
        *clock += 2 * US;
        for device in &call.devices {
            let stats = self.run_stats(*device);
            self.event("tpu::System::Execute", *clock, *clock + 6 * US, Vec::new());
            self.event("DoEnqueueProgram", *clock + US, *clock + 5 * US, stats);
            *clock += 7 * US;
            ready.push(Ready { ops: vec![*clock], correlation: 0 });
        }
        self.event("TfrtTpuLoadedExecutable::Execute", start, *clock, Vec::new());
        ready
    }

    /// Returns the stats that name the next run of a device.
    fn run_stats(&self, device: usize) -> Vec<(&'static str, Value)> {
        let run = host_run_id(device, self.n_runs[device]);
        let ordinal = int(device as i64);
        vec![("run_id", int(run as i64)), ("queue_id", int(0)), ("device_ordinal", ordinal), ("core_type", int(0))]
    }

    /// Makes the events of a call that launches each kernel.
    fn launch(&mut self, call: &Call, clock: &mut u64) -> Vec<Ready> {
        let start = *clock;
        *clock += 2 * US;
        let program = &self.plan.programs[call.program];
        let mut ready = Vec::new();
        for _ in &call.devices {
            let (begin, first) = (*clock, self.next_correlation);
            *clock += 2 * US;
            let mut ops = Vec::new();
            for op in 0..program.n_ops {
                let correlation = int(self.next_correlation as i64);
                self.event("cuLaunchKernel", *clock, *clock + 3 * US, vec![("correlation_id", correlation)]);
                self.next_correlation += 1;
                *clock += 4 * US;
                ops.push(*clock + op as u64);
            }
            if self.plan.has_module_events {
                let name = format!("{}:XLA GPU module", program.name);
                self.event(&name, begin, *clock, Vec::new());
            }
            *clock += US;
            ready.push(Ready { ops, correlation: first });
        }
        self.event("CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice", start + US, *clock, Vec::new());
        *clock += US;
        self.event("PjRtCApiLoadedExecutable::Execute", start, *clock, Vec::new());
        ready
    }

    /// Makes the events of a call without a link.
    fn execute(&mut self, call: &Call, clock: &mut u64) -> Vec<Ready> {
        let start = *clock;
        *clock += 2 * US;
        for _ in &call.devices {
            self.event("CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice", *clock, *clock + 6 * US, Vec::new());
            *clock += 7 * US;
        }
        let name = format!("CommonPjRtLoadedExecutable::Execute ({})", self.plan.programs[call.program].name);
        let stats = vec![("_src", text("external/xla/xla/pjrt/common_pjrt_client.cc"))];
        self.event(&name, start, *clock, stats);
        self.unseen(call, *clock)
    }

    /// Returns when the runs of a call may start whose launches are not recorded.
    fn unseen(&mut self, call: &Call, launched: u64) -> Vec<Ready> {
        let n_ops = self.plan.programs[call.program].n_ops as u64;
        let mut ready = Vec::new();
        for _ in &call.devices {
            let correlation = self.next_correlation;
            if self.plan.platform == Platform::Gpu {
                self.next_correlation += n_ops;
            }
            ready.push(Ready { ops: vec![launched], correlation });
        }
        ready
    }
}
