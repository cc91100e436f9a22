//! This module holds the ids by which one event refers to another: a host call to the work that it starts, and a run of
//! a program on a device to the host call that enqueued it.
//!
//! ```text
//!  main        ├ Execute: produces (5, 16) ┤
//!  py_execute        ├ consumes (5, 16) ──── Execute: produces (7, 3) ┤
//!  queue                                          ├ consumes (7, 3) ─ DoEnqueueProgram: produces (12, 9) ┤
//!  TPU:0, XLA Modules                                                                       ├ consumes (12, 9) ┤
//! ```

use super::value::Value;
use serde::{Deserialize, Serialize};

/// A reference of an event to other events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EventLink {
    /// The event starts work with which other events go on: `_pt` and `_p`.
    Produces(LinkContext),
    /// The event goes on with work that another event started: `_ct` and `_c`.
    Consumes(LinkContext),
    /// The event belongs to a run of a program.
    Run(RunId),
}

/// The id of work that one event starts and another event goes on with. Ids are compared as unsigned numbers, because
/// some writers write the same id as a negative number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LinkContext {
    /// The type of work, such as 12 for a program that is enqueued on a TPU.
    pub kind: u64,
    pub id: u64,
}

/// The id of a run of a program on a TPU or a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunId {
    /// `device_ordinal`: the number of the device on its host. `None` for an event of a device, because its plane
    /// names the device, and for a call that enqueues the run on all devices.
    pub device: Option<u64>,
    /// `queue_id`. `None` on a CPU, where no event has it.
    pub queue: Option<u64>,
    /// `run_id`.
    pub run: u64,
}

/// A mark of the program on an event of a host: the event is one step, as `jax.profiler.StepTraceAnnotation` writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StepMark {
    /// `_r`: the level of the event in the grouping of the profiler, 1 or more. `None` if only the number is given.
    pub level: Option<u64>,
    /// `step_num`. `None` if the program does not number its steps.
    pub number: Option<u64>,
}

/// A stat that is a part of a link, or of the mark of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum LinkStat {
    ProducerKind,
    Producer,
    ConsumerKind,
    Consumer,
    Queue,
    StepLevel,
    StepNumber,
}

impl LinkStat {
    /// Returns the stat with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "_pt" => Self::ProducerKind,
            "_p" => Self::Producer,
            "_ct" => Self::ConsumerKind,
            "_c" => Self::Consumer,
            "queue_id" => Self::Queue,
            "_r" => Self::StepLevel,
            "step_num" => Self::StepNumber,
            _ => return None,
        })
    }
}

/// The parts of the current event's links.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PendingLinks {
    parts: [Option<u64>; 7],
    is_set: bool,
}

impl PendingLinks {
    pub(super) const fn set(&mut self, which: LinkStat, value: Value) {
        self.parts[which as usize] = match value {
            Value::Uint(id) => Some(id),
            Value::Int(id) => Some(id.cast_unsigned()),
            Value::Double(_) | Value::Text(_) | Value::Memory(_) => None,
        };
        self.is_set = true;
    }

    /// Adds the links and the mark of the current event, which has index `event` in its line, and clears them for the next
    /// event. `run` and `device` are the event's `run_id` and `device_ordinal`.
    #[inline]
    pub(super) fn take(
        &mut self,
        links: &mut Vec<(u32, EventLink)>,
        step_marks: &mut Vec<(u32, StepMark)>,
        event: usize,
        run: Option<u64>,
        device: Option<u64>,
    ) {
        if !self.is_set {
            return;
        }
        let [producer_kind, producer, consumer_kind, consumer, queue, level, number] = std::mem::take(self).parts;
        let Ok(event) = u32::try_from(event) else { return };
        let context = |kind: Option<u64>, id: Option<u64>| Some(LinkContext { kind: kind?, id: id? });
        let consumes = context(consumer_kind, consumer).map(EventLink::Consumes);
        let produces = context(producer_kind, producer).map(EventLink::Produces);
        // Without a queue, an event that names a device is an op of a CPU, and one that names none a call of the host.
        let run = run.filter(|_| queue.is_some() || device.is_none());
        let run = run.map(|run| EventLink::Run(RunId { device, queue, run }));
        links.extend([consumes, produces, run].into_iter().flatten().map(|link| (event, link)));
        // A negative level marks a request that the user defined, which is no step.
        let is_step = level.map_or(number.is_some(), |level| level.cast_signed() > 0);
        step_marks.extend(is_step.then_some((event, StepMark { level, number })));
    }
}
