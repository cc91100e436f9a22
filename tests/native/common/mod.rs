//! This module provides captures: those of this repository, those of other projects if there are any, and captures that
//! the tests build.

pub mod captures;
pub mod checked;
pub mod fleet;
pub mod generated;
pub mod hlo;
pub mod memory;
pub mod trace;
pub mod zip;

pub use crate::simulator::make;
pub use captures::{V6E, XSPACES, profile, profiles, xspaces};

use rooflight::analysis::base::Query;
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::protocol::ViewRequest;
use rooflight::protocol::requests::{self, TypedRequest};
use rooflight::protocol::table_query::TableQuery;
use rooflight::session::OpenSession;
use rooflight::table::page::{PageQuery, TablePage};
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::XSpace;

/// Reads a gzip JSON file of the real captures.
pub fn json(name: &str) -> Option<serde_json::Value> {
    let bytes = profile(name)?;
    let text = xla_profile::source::inflate_slice(&bytes, 1 << 28);
    assert!(text.stopped.is_none(), "{name}: {:?}", text.stopped);
    Some(serde_json::from_slice(&text.bytes).unwrap_or_else(|e| panic!("{name}: {e}")))
}

/// Returns the roofline query that the page sends for an op, with the capture's own peaks.
pub fn roofline_query(query: Query) -> RooflineQuery {
    RooflineQuery { query, ..RooflineQuery::default() }
}

/// Requests rows of a breakdown, as its table does.
pub fn breakdown_page(engine: &mut OpenSession, query: &Query, page: PageQuery) -> TablePage {
    answer_of(engine, requests::Rows { table: TableQuery::Breakdown(query.clone()), query: page })
}

/// Sends a request of a view, and returns its answer.
pub fn answer_of<A: TypedRequest + Into<ViewRequest>>(engine: &mut OpenSession, request: A) -> A::Answer {
    engine.answer(&request.into().into()).answer::<A>().unwrap_or_else(|reply| panic!("{reply:?}"))
}

/// Returns the self time of a row, as its tooltip shows it.
pub fn self_time(row: &rooflight::table::page::Row) -> Picos {
    let (_, text) = row.tips.iter().flatten().find(|(label, _)| label == "Self").expect("a self time");
    Picos(text.trim_end_matches(" ps").replace(',', "").parse().expect("picoseconds"))
}

/// Encodes an XSpace as any protobuf writer would.
pub fn bytes(space: &XSpace) -> Vec<u8> {
    prost::Message::encode_to_vec(space)
}

/// Reads one capture from memory, as the page and the command line do.
pub fn open(name: &str, bytes: Vec<u8>) -> Result<rooflight::session::Opened, rooflight::protocol::Failure> {
    let input = rooflight::session::Input { name: name.to_owned(), source: Box::new(bytes), from_folder: false };
    rooflight::session::open(vec![input], &mut |_| {})
}
