//! This module answers requests about the tables of the page.

use super::capture::CaptureSession;
use super::capture::live_buffers::LiveBuffers;
use super::capture::memory::{alive_at, curve_points};
use super::from_report::ReportSession;
use super::open::messages;
use super::table_answer::answer;
use crate::analysis::comm::{Comm, CommBy, CommQuery, CommRow, TransferFilter, columns::COMM_TABLE};
use crate::analysis::memory::{AliveAt, Buffer, MemoryQuery, columns::BUFFER_TABLE};
use crate::protocol::Reply;
use crate::protocol::table_query::{TableAction, TableQuery};
use crate::table::answer::{CachedOrder, TableRows};
use crate::table::shown::Shown;
use xla_profile::units::Picos;

/// Returns the table of collectives or of copies.
///
/// The table leaves out the column that a grouping repeats, and sources if a row has several ops. It leaves
/// out the utilisation if no row has one.
pub fn comm_table<'r>(comm: &'r Comm, query: &CommQuery, transfers: TransferFilter) -> TableRows<'r, CommRow> {
    let (by, is_copies) = (query.by, transfers == TransferFilter::Copies);
    let rows = if is_copies { &comm.copy_rows } else { &comm.rows };
    let step = comm.header.step_duration.map(Picos::as_f64);
    let head = |shown: &Shown| match shown.id {
        "key" if by != CommBy::Op => Some(by.label()),
        "key" if is_copies => Some("Copy"),
        "rate" if is_copies => Some("Rate"),
        "axes" | "axis" if is_copies || by == CommBy::Primitive => None,
        "util" if rows.iter().all(|row| row.util.is_none()) => None,
        "likely_role" if is_copies => None,
        "primitive_core" if by == CommBy::Primitive => None,
        "source" if by != CommBy::Op => None,
        _ => Some(shown.head),
    };
    TableRows::new(&COMM_TABLE, rows, step, head, CachedOrder::default())
}

/// Returns the table of the buffers that are alive at a point of a memory curve. `n_points` is the number of points of
/// the curve.
pub fn buffer_table(alive: &AliveAt, n_points: u32, kept: CachedOrder) -> TableRows<'_, Buffer> {
    let more = alive.n.saturating_sub(alive.buffers.len() as u32);
    let whole = Some(n_points.into());
    TableRows::new(&BUFFER_TABLE, &alive.buffers, whole, |shown| Some(shown.head), kept).with_more(more)
}

impl CaptureSession {
    /// Answers a request about a table of the capture.
    pub(super) fn table(&mut self, table_of: &TableQuery, action: &TableAction) -> Reply {
        match table_of {
            TableQuery::Breakdown(query) => self.breakdown_rows(query, action),
            TableQuery::Comm(query, transfers) => {
                answer(&mut comm_table(self.comm_answer(query), query, *transfers), action)
            }
            TableQuery::Roofline(query, by) => self.roofline_rows(query, *by, action),
            TableQuery::Events(_) | TableQuery::Hits(_) => self.event_rows(table_of, action),
            TableQuery::Compare(..) | TableQuery::Captures { .. } => Reply::Failed(messages::unknown_request()),
            TableQuery::Buffers(query, point) => {
                let kept = match self.cached_buffers(query, *point) {
                    Ok(kept) => kept,
                    Err(reply) => return reply,
                };
                let mut table = buffer_table(&kept.alive, kept.n_points, std::mem::take(&mut kept.order));
                let reply = answer(&mut table, action);
                kept.order = table.into_cached_order();
                reply
            }
        }
    }

    /// Returns all buffers that are alive at a point, from the cache or computed.
    ///
    /// # Errors
    /// Returns the reply that gives the reason why they are unknown.
    fn cached_buffers(&mut self, query: &MemoryQuery, point: u32) -> Result<&mut LiveBuffers, Reply> {
        let key = (MemoryQuery { buffers: u32::MAX, ..query.clone() }, point);
        let kept = match self.live_buffers.take().filter(|kept| kept.key == key) {
            Some(kept) => kept,
            None => {
                let (alive, n_points) = self.of_programs(|programs, profile, all| {
                    let alive = alive_at(profile, programs, all, &key.0, point)?;
                    Ok((alive.unwrap_or_default(), curve_points(profile, programs, all, &key.0)?))
                })?;
                LiveBuffers { key, alive, n_points, order: CachedOrder::default() }
            }
        };
        Ok(self.live_buffers.insert(kept))
    }
}

impl ReportSession {
    /// Answers a request about a table of the report.
    pub(super) fn table(&self, table: &TableQuery, action: &TableAction) -> Result<Reply, Reply> {
        Ok(match table {
            TableQuery::Breakdown(query) => self.breakdown_rows(query, action)?,
            TableQuery::Comm(query, transfers) => {
                self.check_comm(query)?;
                let part = self.comm_part();
                let (more, _) = if *transfers == TransferFilter::Copies { part.more_copies } else { part.more };
                answer(&mut comm_table(&part.comm, query, *transfers).with_more(more), action)
            }
            TableQuery::Roofline(query, by) => self.roofline_rows(query, *by, action)?,
            TableQuery::Events(_) | TableQuery::Hits(_) => return Err(self.missing("the events of the timeline")),
            TableQuery::Compare(..) | TableQuery::Captures { .. } => {
                return Err(Reply::Failed(messages::unknown_request()));
            }
            TableQuery::Buffers(query, point) => {
                let space = self.space_at(query, *point)?;
                answer(&mut buffer_table(&space.alive, space.curve.n_points, CachedOrder::default()), action)
            }
        })
    }
}
