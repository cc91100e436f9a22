//! This target takes any bytes as the streams of a report, sealed with a valid checksum. The target checks that
//! decoding ends and takes no more than its limits, that a decoded report encodes and decodes to the same bytes, and
//! that the report can be cut, anonymised, shown and queried.
#![no_main]

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use libfuzzer_sys::fuzz_target;
use rooflight::analysis::base::Query;
use rooflight::analysis::breakdown::columns::GROUP_TABLE;
use rooflight::analysis::comm::CommQuery;
use rooflight::analysis::memory::MemoryQuery;
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::protocol::ViewRequest;
use rooflight::protocol::table_query::{TableAction, TableQuery};
use rooflight::protocol::url::roofline::RoofBy;
use rooflight::session::OpenSession;
use rooflight::share::{Level, decode, decode_link, encode, encode_link, markdown};
use rooflight::table::page::{PageQuery, SortBy};
use std::io::Write;

fn sealed(streams: &[u8]) -> Vec<u8> {
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::fast());
    deflate.write_all(streams).unwrap();
    let packed = deflate.finish().unwrap();
    let mut out = vec![1];
    let mut length = packed.len();
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    let mut crc = Crc::new();
    crc.update(&1_u64.to_le_bytes());
    crc.update(&packed);
    out.extend(crc.sum().to_le_bytes());
    out.extend(packed);
    out
}

fuzz_target!(|bytes: &[u8]| {
    let _ = decode(bytes);
    let _ = decode_link(&String::from_utf8_lossy(bytes));
    let Ok(report) = decode(&sealed(bytes)) else { return };
    let written = encode(&report);
    let again = decode(&written).expect("what is written is read");
    // NaN equals nothing, so the bytes are compared.
    assert!(written == encode(&again));
    for report in [report.cut_to(Level::SMALL), report.without_sources(), report.anonymise()] {
        let _ = (report.preview(), markdown(&report, None));
        let text = encode_link(&report);
        assert!(text.len() > 64_000 || decode_link(&text).is_ok());
    }
    let query = Query { device: report.origin.device, ..Query::busiest() };
    let program = report.memory.spaces.first().map_or((0, 0), |space| (space.program, space.color));
    let (mut engine, _) = OpenSession::of_report(report);
    engine.answer(&ViewRequest::Breakdown(query.clone()).into());
    for column in GROUP_TABLE.shown {
        let sort = Some(SortBy::new(column.id, true));
        let action = TableAction::Rows(PageQuery { sort, count: 10, ..PageQuery::default() });
        engine.answer(&ViewRequest::Table { table: TableQuery::Breakdown(query.clone()), action }.into());
    }
    let roofline = RooflineQuery { query: query.clone(), ..RooflineQuery::default() };
    for by in RoofBy::ALL {
        let table = TableQuery::Roofline(roofline.clone(), by);
        let action = TableAction::Rows(PageQuery { count: 10, ..PageQuery::default() });
        engine.answer(&ViewRequest::Table { table, action }.into());
    }
    let memory = MemoryQuery { program: program.0, color: program.1, ..MemoryQuery::default() };
    let comm = CommQuery { query, ..CommQuery::default() };
    for request in
        [ViewRequest::Roofline(roofline), ViewRequest::Memory, ViewRequest::MemoryOf(memory), ViewRequest::Comm(comm)]
    {
        engine.answer(&request.into());
    }
});
