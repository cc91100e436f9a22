//! What joins events across planes: which launch a kernel came from, which run and device a host's op is of. It differs from
//! event to event; it is read for GPUs and hosts alone, used once when all files are read, and dropped.

use super::Strings;
use super::stats::Value;

/// What a plane is, as far as reading it goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// `/device:GPU:N`: events are kernels.
    Gpu,
    /// `/host:CPU`: events are calls, launches of kernels, and on CPUs ops.
    Host,
    /// Anything else.
    #[default]
    Other,
}

impl Role {
    pub(super) fn of(plane: &str) -> Self {
        match plane {
            _ if plane.starts_with("/device:GPU:") => Self::Gpu,
            "/host:CPU" => Self::Host,
            _ => Self::Other,
        }
    }
}

/// A stat that joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagStat {
    /// `correlation_id`: the same on a kernel and on the host's call that launched it.
    Correlation,
    /// `run_id`: the same on all ops of one run of a program, on all devices.
    Run,
}

/// The tags of a line's events, by place in the line, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tags {
    /// Event and correlation id.
    pub(super) launches: Vec<(u32, u32)>,
    /// Of ops on the host's threads.
    pub(super) runs: Vec<RunTag>,
}

/// Which run an op on a host's thread is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunTag {
    /// The event's place in its line.
    pub(super) event: u32,
    /// `device_ordinal`; 0 where it is not said: then there is but one device.
    pub(super) device: u32,
    /// `run_id`.
    pub(super) run: Option<u64>,
}

/// The tags of the event being read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pending {
    correlation: Option<u32>,
    run: Option<u64>,
}

impl Pending {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "ids are whole numbers, and it saturates"
    )]
    pub(super) fn set(&mut self, which: TagStat, value: Value, strings: &Strings) {
        match (which, value) {
            (TagStat::Run, Value::Uint(run)) => self.run = Some(run),
            (TagStat::Run, Value::Int(run)) => self.run = Some(run.cast_unsigned()),
            (TagStat::Run, value) => self.run = value.number(strings).map(|run| run as u64),
            // CUPTI and rocprofiler count launches in 32 bits; 0 is none.
            (TagStat::Correlation, value) => {
                self.correlation =
                    value.number(strings).filter(|id| (1.0..f64::from(u32::MAX)).contains(id)).map(|id| id as u32);
            }
        }
    }

    /// The event is complete. `has_op`: it says its op; `device`: its ordinal.
    #[inline]
    pub(super) fn take(&mut self, tags: &mut Tags, role: Role, event: usize, has_op: bool, device: Option<u64>) {
        let Self { correlation, run } = std::mem::take(self);
        let Ok(event) = u32::try_from(event) else { return };
        if let Some(correlation) = correlation {
            tags.launches.push((event, correlation));
        } else if role == Role::Host && has_op {
            let device = device.and_then(|device| u32::try_from(device).ok()).unwrap_or(0);
            tags.runs.push(RunTag { event, device, run });
        }
    }
}
