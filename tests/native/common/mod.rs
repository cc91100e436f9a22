//! What several files need: real captures, where there are any, and captures made here.

pub mod checked;
pub mod generated;
pub mod hlo;
pub mod memory;
pub mod trace;
pub mod zip;

pub use crate::simulator::make;

use rooflight::analysis::base::Query;
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::protocol::Question;
use rooflight::protocol::table_query::{TableAction, TableOf};
use rooflight::session::OpenSession;
use rooflight::table::page::{PageQuery, TablePage};
use rooflight::units::Picos;
use rooflight::wire::proto::xspace::XSpace;
use std::path::{Path, PathBuf};

/// Every real XSpace among the profiles.
pub const XSPACES: [&str; 4] = [
    "tpu-v6e-host-offload/host.xplane.pb",
    "cpu-jax/vm.xplane.pb",
    "gpu-v100/host.xplane.pb",
    "gpu-mi300/gemm.xplane.pb",
];

/// The folder of real captures: `$ROOFLIGHT_PROFILES`, else `../shared/profiles`. Where there is none, says so, and
/// fails if `$ROOFLIGHT_REQUIRE_PROFILES` is set.
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

/// A file of the profiles, `None` (said) where there are none.
pub fn profile(name: &str) -> Option<Vec<u8>> {
    let path = profiles()?.join(name);
    Some(std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

/// A gzip JSON file of the profiles.
pub fn json(name: &str) -> Option<serde_json::Value> {
    let bytes = profile(name)?;
    let text = rooflight::source::inflate_slice(&bytes, 1 << 28);
    assert!(text.stopped.is_none(), "{name}: {:?}", text.stopped);
    Some(serde_json::from_slice(&text.bytes).unwrap_or_else(|e| panic!("{name}: {e}")))
}

/// What an op's panel asks with the capture's own peaks.
pub fn roofline_query(query: Query) -> RooflineQuery {
    RooflineQuery { query, ..RooflineQuery::default() }
}

/// Rows of a breakdown as its table has them.
pub fn breakdown_page(engine: &mut OpenSession, query: &Query, page: PageQuery) -> TablePage {
    let question = Question::Table { of: TableOf::Breakdown(query.clone()), action: TableAction::Rows(page) };
    engine.answer(&question.into()).decode().unwrap_or_else(|reply| panic!("{reply:?}"))
}

/// The self time of a row, as a tooltip of the row has it.
pub fn self_time(row: &rooflight::table::page::Row) -> Picos {
    let (_, text) = row.tips.iter().flatten().find(|(label, _)| label == "Self").expect("a self time");
    Picos(text.trim_end_matches(" ps").replace(',', "").parse().expect("picoseconds"))
}

/// Serializes an XSpace as any protobuf writer would.
pub fn bytes(space: &XSpace) -> Vec<u8> {
    prost::Message::encode_to_vec(space)
}

/// Reads one capture from memory, as the page and the command line do.
pub fn open(name: &str, bytes: Vec<u8>) -> Result<rooflight::session::Opened, rooflight::protocol::Failure> {
    let input = rooflight::session::Input { name: name.to_owned(), source: Box::new(bytes), from_folder: false };
    rooflight::session::open(vec![input], &mut |_| {})
}
