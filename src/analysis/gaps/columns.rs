//! This module declares the columns of the tables of gaps.

use super::report::{ClassTime, Gap, GapClass, HostEvent};
use crate::table::columns;
use xla_profile::units::Picos;

columns! {
    /// The columns of classes.
    pub CLASSES(row: ClassTime) {
        /// The class: what the device waited for.
        class: Ranked(GapClass) = row.class,
        /// Idle time of the class.
        total_ps: Time = row.total,
        /// Number of gaps that have time of the class.
        n_gaps: Executions = row.n,
    }

    /// The columns of gaps.
    pub GAPS(row: Gap) {
        /// Name of the device.
        device: Name(Device) = &row.device,
        /// Number of the step in which the gap starts. Null outside of steps.
        step: Count or null = row.step,
        /// Start of the gap on the clock of events.
        start_ps: Time = row.start,
        /// Length of the gap.
        total_ps: Time = row.total,
        /// The class with most of the time.
        class: Ranked(GapClass) = row.main_class(),
        /// The gap by class, the longest class first. The times sum to `total_ps`.
        parts: Rows(PARTS) in json = &row.parts,
        /// The op that ends before the gap.
        after: Name(Op) or null = row.after.as_deref(),
        /// The op that starts after the gap.
        before: Name(Op) or null = row.before.as_deref(),
        /// The program that starts after the gap.
        program: Name(Program) or null = row.program.as_deref(),
        /// Events of the host in the gap, the longest first.
        host_events: Rows(HOST_EVENTS) in json = &row.host_events,
        /// A thread of the host that had work and recorded nothing.
        untraced_thread: Text or null = row.untraced.as_ref().map(|untraced| &*untraced.thread),
        /// The time for which that thread recorded nothing.
        untraced_ps: Time or null = row.untraced.as_ref().map(|untraced| untraced.total),
        /// The longest event of the host in the gap.
        host_event: Name(Scope) or null in csv = row.host_events.first().map(|event| &*event.name),
    }

    PARTS(row: (GapClass, Picos)) {
        /// The class.
        class: Ranked(GapClass) = row.0,
        /// Its time in the gap.
        total_ps: Time = row.1,
    }

    HOST_EVENTS(row: HostEvent) {
        /// Name of the event.
        name: Name(Scope) = &row.name,
        /// Its time in the gap.
        total_ps: Time = row.total,
    }
}
