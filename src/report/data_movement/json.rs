//! This module writes data movement as JSON.

use crate::analysis::base::columns::NOTES;
use crate::analysis::data_movement::DataMovement;
use crate::analysis::data_movement::columns::{DATA_MOVEMENT, PROGRAMS};
use crate::report::json::first;
use crate::table::{Object, RowList, Value, object};
use std::rc::Rc;
use xla_profile::profile::Note;

/// Returns data movement as JSON, with the first `top` categories and the first `top` sources of each category.
pub fn data_movement<'a>(head: Object<'a>, report: &'a DataMovement, top: usize, notes: &'a [Note]) -> Object<'a> {
    object!(DataMovement {
        head: OwnFields = head,
        /// The sum of `data_move_duration_ps` and `comm_duration_ps`.
        non_compute_duration_ps: Time = report.total,
        /// Self time of ops that wait: `-done` halves and synchronous collectives.
        stall_duration_ps: Time = report.stall,
        /// The part of the stall that belongs to communication.
        exposed_comm_duration_ps: Time = report.exposed_comm,
        /// The categories, the one with the most time first.
        by_category: Rows(DATA_MOVEMENT) = first(&report.by_category, top),
        /// The sources of each category, in the order of the categories. `--top` limits the sources of each category.
        by_source_within_category: Value(Rows(DATA_MOVEMENT)) = Value::Rows(Rc::new(Sources { report, top })),
        /// Executions by opcode of each program.
        opcodes: Rows(PROGRAMS) = &report.opcodes,
        /// Notes on assumptions and on data that is missing.
        notes: Rows(NOTES) = notes,
    })
}

/// The first `top` sources of each of the first `top` categories.
struct Sources<'a> {
    report: &'a DataMovement,
    top: usize,
}

impl RowList for Sources<'_> {
    fn for_each(&self, write: &mut dyn FnMut(Value<'_>)) {
        self.report.sources(self.top).for_each(|row| write(Value::record(DATA_MOVEMENT, row)));
    }
}
