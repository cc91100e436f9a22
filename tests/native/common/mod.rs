//! This module provides real captures, if there are any, and captures that the tests build.

pub mod checked;
pub mod fleet;
pub mod generated;
pub mod hlo;
pub mod memory;
pub mod trace;
pub mod zip;

pub use crate::simulator::make;

use rooflight::analysis::base::Query;
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::protocol::ViewRequest;
use rooflight::protocol::table_query::{TableAction, TableOf};
use rooflight::session::OpenSession;
use rooflight::table::page::{PageQuery, TablePage};
use rooflight::units::Picos;
use rooflight::wire::proto::xspace::XSpace;
use std::path::{Path, PathBuf};

/// Every XSpace among the real captures.
pub const XSPACES: [&str; 4] = [
    "tpu-v6e-host-offload/host.xplane.pb",
    "cpu-jax/vm.xplane.pb",
    "gpu-v100/host.xplane.pb",
    "gpu-mi300/gemm.xplane.pb",
];

/// Returns the folder of real captures: `$ROOFLIGHT_PROFILES`, else `../shared/profiles`. If the folder does not exist,
/// returns `None` and prints a message.
///
/// # Panics
/// Panics if the folder does not exist and `$ROOFLIGHT_REQUIRE_PROFILES` is `1`.
pub fn profiles() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = std::env::var_os("ROOFLIGHT_PROFILES").map_or_else(|| root.join("../shared/profiles"), PathBuf::from);
    if dir.is_dir() {
        return Some(dir);
    }
    assert!(
        std::env::var_os("ROOFLIGHT_REQUIRE_PROFILES").is_none_or(|v| v != "1"),
        "real captures are required, but {} is no folder",
        dir.display()
    );
    eprintln!("SKIPPED 1: no real captures at {}", dir.display());
    None
}

/// Reads a file of the real captures. If there are no real captures, returns `None` and prints a message.
pub fn profile(name: &str) -> Option<Vec<u8>> {
    let path = profiles()?.join(name);
    Some(std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

/// Reads a gzip JSON file of the real captures.
pub fn json(name: &str) -> Option<serde_json::Value> {
    let bytes = profile(name)?;
    let text = rooflight::source::inflate_slice(&bytes, 1 << 28);
    assert!(text.stopped.is_none(), "{name}: {:?}", text.stopped);
    Some(serde_json::from_slice(&text.bytes).unwrap_or_else(|e| panic!("{name}: {e}")))
}

/// Returns the roofline query that the page sends for an op, with the capture's own peaks.
pub fn roofline_query(query: Query) -> RooflineQuery {
    RooflineQuery { query, ..RooflineQuery::default() }
}

/// Requests rows of a breakdown, as its table does.
pub fn breakdown_page(engine: &mut OpenSession, query: &Query, page: PageQuery) -> TablePage {
    let request = ViewRequest::Table { of: TableOf::Breakdown(query.clone()), action: TableAction::Rows(page) };
    engine.answer(&request.into()).decode().unwrap_or_else(|reply| panic!("{reply:?}"))
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
