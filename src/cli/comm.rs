//! This module runs `rooflight comm`: it declares the arguments and selects the output. Figures and texts come from the
//! library.

use super::open_capture::{OpenCapture, heading, notes_text};
use super::view_args::{Output, one_of};
use crate::analysis::base::{Filter, GroupBy, Status};
use crate::analysis::comm::{Comm, CommBy, CommQuery, Machine, NamedMesh, NetworkRates, Topology};
use crate::protocol::Failure;
use crate::report::{comm, json};
use crate::session;
use crate::table::text::Table;

/// The rows of communication, and the machine.
#[derive(clap::Args)]
pub struct CommArgs {
    /// Groups rows by this property.
    #[arg(long, default_value = CommBy::Op.key(), value_parser = one_of(CommBy::ALL, CommBy::key))]
    by: CommBy,
    #[command(flatten)]
    machine: MachineArgs,
}

/// The arrangement of the devices, and the networks between them.
#[derive(clap::Args)]
pub struct MachineArgs {
    /// The axes of the program's device mesh with their sizes, the fastest varying last. Replica groups get the names of the axes.
    #[arg(long, value_name = "data=4,model=8", value_parser = str::parse::<NamedMesh>)]
    mesh: Option<NamedMesh>,
    /// The chips along each dimension of the machine, x first. The utilisation of links needs it.
    #[arg(long, value_name = "4x4x4", value_parser = str::parse::<Topology>)]
    topology: Option<Topology>,
    /// Every dimension of the topology has wrap-around links (a torus).
    #[arg(long, requires = "topology")]
    wrap: bool,
    /// The bandwidth of the data center network between slices of TPUs, for one device in one direction.
    #[arg(long, value_name = "GB/s", value_parser = NetworkRates::parse)]
    dcn: Option<u64>,
    /// The bandwidth of the network between hosts of GPUs, for one device in one direction.
    #[arg(long, value_name = "GB/s", value_parser = NetworkRates::parse)]
    network: Option<u64>,
}

impl MachineArgs {
    /// Returns what the arguments say about the machine.
    pub fn machine(&self) -> Machine {
        Machine {
            topology: self.topology.clone().map(|topology| Topology { wrap: self.wrap, ..topology }),
            mesh: self.mesh.clone(),
            rates: NetworkRates { dcn: self.dcn, hosts: self.network },
        }
    }
}

impl OpenCapture<'_> {
    pub(super) fn comm(&self, links: &CommArgs) -> Result<String, Failure> {
        let request = CommQuery {
            query: self.query(GroupBy::Op, Filter::default())?,
            by: links.by,
            machine: links.machine.machine(),
        };
        // Only JSON lists the steps.
        let max_steps = if matches!(self.view.output(), Output::Json) { usize::MAX } else { 0 };
        let (profile, programs) = (&self.opened.profile, &mut self.programs.borrow_mut());
        let comm = session::capture::comm::comm_within(self.analysis, profile, programs, &request, max_steps);
        let notes = self.notes(&comm.notes);
        let top = self.view.top.unwrap_or(usize::MAX);
        Ok(match self.view.output() {
            Output::Json => {
                let files = self.files();
                let head = json::head_of("comm", &files, self.partial, &comm.header, &comm.totals);
                (self.json)(&comm::json::comm(head, &comm, top, &notes))
            }
            Output::Csv => comm::table::csv(&comm, top).csv(),
            Output::Markdown => tables(&comm, Table::markdown, top),
            Output::Text if comm.header.status == Status::Absent => notes_text(&notes),
            Output::Text => {
                let tables = tables(&comm, Table::aligned, self.view.top.unwrap_or(20));
                heading(&comm.header)
                    + &comm::table::head(&comm)
                    + &tables
                    + &comm::table::flags(&comm)
                    + &notes_text(&notes)
            }
        })
    }
}

/// Writes the tables of collectives, of copies, and of collectives between slices. An empty table is left out.
fn tables(comm: &Comm, form: fn(&Table) -> String, top: usize) -> String {
    let lists = [&comm.rows, &comm.copy_rows].into_iter().filter(|rows| !rows.is_empty());
    let dcn = (!comm.dcn.is_empty()).then(|| form(&comm::table::dcn(&comm.dcn, top)));
    lists.map(|rows| form(&comm::table::rows(rows, top))).chain(dcn).collect::<Vec<_>>().join("\n")
}
