//! This module declares the table of collectives.

use crate::analysis::comm::CommRow;
use crate::analysis::comm::columns::COMM;
use crate::fleet::column::{ColumnType, FleetColumn, INTEGER, PROGRAM_ID, REMOVED, TEXT, name, of_view};
use crate::share::NameKind;

const REAL: ColumnType = ColumnType::Real;

macro_rules! of_comm {
    ($id:literal, $kind:expr, $about:literal) => {
        FleetColumn::new($id, $kind, $about, |row: &CommRow| of_view(COMM, $id, row))
    };
}

/// The columns of collectives.
pub const COLLECTIVES: &[FleetColumn<CommRow>] = &[
    of_comm!("program", name(NameKind::Program), "The program."),
    of_comm!("program_id", PROGRAM_ID, "Its id in the capture, as decimal digits."),
    of_comm!("op", name(NameKind::Op), "The op; for an asynchronous pair, its start."),
    of_comm!("primitive", TEXT, "The primitive, such as `all-gather`."),
    of_comm!("core", TEXT, "The core that runs it: `tensor` or `sparse`."),
    of_comm!("sync", TEXT, "How it is executed, such as `sync` or `async`."),
    of_comm!("scope", name(NameKind::Scope), "The scope path."),
    of_comm!("source", REMOVED, "The innermost source line."),
    of_comm!("groups", name(NameKind::Axis), "The groups of devices, as HLO writes them."),
    of_comm!("group_size", INTEGER, "Devices in a group."),
    of_comm!("group_stride", INTEGER, "Distance between neighbours of a group."),
    of_comm!("n_groups", INTEGER, "Number of groups."),
    of_comm!("axis", name(NameKind::Axis), "The axes of the mesh along which a group extends."),
    of_comm!("role", TEXT, "The likely role in training."),
    of_comm!("n_executions", REAL, "Executions in a step. A mean may be a fraction."),
    of_comm!("bytes_per_execution", INTEGER, "Bytes of the message of one execution."),
    of_comm!("bytes", INTEGER, "Bytes of all messages of a step."),
    of_comm!("stall_ps", INTEGER, "Self time of dones and of synchronous ops: compute waits."),
    of_comm!("issue_ps", INTEGER, "Self time of starts."),
    of_comm!("fused_ps", INTEGER, "Self time of ops that compute and communicate at once."),
    of_comm!("in_flight_ps", INTEGER, "Time in flight, as a union of intervals."),
    of_comm!("exposed_ps", INTEGER, "The part of it beside no compute."),
    of_comm!("overlapped_ps", INTEGER, "The part of it beside compute."),
    of_comm!("waited_ps", INTEGER, "Time for which the core waits, on the clock of `exposed_ps`."),
    of_comm!("wall_ps", INTEGER, "Duration of all executions of a step."),
    of_comm!("alg_gbps", REAL, "Algorithm bandwidth in 10⁹ bytes per second."),
    of_comm!("bus_gbps", REAL, "Bus bandwidth in 10⁹ bytes per second."),
];
