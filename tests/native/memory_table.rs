//! These tests compare the page's table of live buffers with plain sorts, scans and sums of the report.

use crate::common::hlo::{AOT, aot};
use flate2::read::GzDecoder;
use prost::Message;
use rooflight::analysis::memory::{AliveAt, Buffer, MemoryQuery, ProgramMemory, ProgramPeaks};
use rooflight::session::buffer_table;
use rooflight::table::answer::CachedOrder;
use rooflight::table::filter::TextFilter;
use rooflight::table::format;
use rooflight::table::page::{Cell, PageQuery, SortBy, TablePage};
use std::collections::HashMap;
use std::io::Read;
use xla_profile::hlo::Module;
use xla_profile::wire::proto::hlo::HloProto;

/// Returns the program in the repository, and real programs if there are any.
fn all() -> Vec<HloProto> {
    let sample = include_bytes!("../../samples/train_step.hlo_proto.pb.gz");
    let mut bytes = Vec::new();
    GzDecoder::new(&sample[..]).read_to_end(&mut bytes).unwrap();
    let real = AOT.into_iter().filter(|name| name.starts_with("v5")).filter_map(aot);
    std::iter::once(HloProto::decode(&*bytes).unwrap()).chain(real).collect()
}

/// Returns the buffers that are alive at the peak of a program, and the number of points of its curve. `None` without a
/// buffer assignment.
fn alive(proto: &HloProto) -> Option<(AliveAt, u32)> {
    let module = Module::from_proto(proto);
    let memory = ProgramMemory::new(proto.buffer_assignment.as_ref()?, &module);
    let query = MemoryQuery { buffers: u32::MAX, ..MemoryQuery::default() };
    let space = memory.summarize(&module, ProgramPeaks::default(), &query).space?;
    Some((space.alive, space.curve.n_points))
}

fn page(shown: &(AliveAt, u32), sort: Option<SortBy>, text: &str) -> TablePage {
    let filter = TextFilter::anywhere(text);
    let query = PageQuery { sort, filter, first: 0, count: u32::MAX };
    buffer_table(&shown.0, shown.1, CachedOrder::default()).page(&query).unwrap()
}

fn texts(buffer: &Buffer) -> Vec<String> {
    let own = [&buffer.instruction, &buffer.opcode, &buffer.op_name, &buffer.shape].map(Clone::clone);
    let maybe = [&buffer.source, &buffer.dtype].into_iter().flatten().cloned();
    let words = [buffer.category.label(), buffer.category.key(), buffer.class.label(), buffer.class.key()];
    let words = words.map(str::to_owned);
    own.into_iter().chain(maybe).chain(words).chain([buffer.label()]).collect()
}

#[test]
fn rows_are_the_live_buffers_in_any_order() {
    for proto in all() {
        let Some(alive_at) = alive(&proto) else { continue };
        let by_key: HashMap<String, &Buffer> =
            alive_at.0.buffers.iter().map(|buffer| (buffer.id.0.to_string(), buffer)).collect();
        let usual = page(&alive_at, None, "");
        assert_eq!((usual.n_rows as usize, usual.rows.len()), (alive_at.0.buffers.len(), alive_at.0.buffers.len()));
        let size = alive_at.0.buffers.iter().map(|buffer| buffer.size).sum();
        let total = |id: &str| usual.totals.iter().find(|(other, _)| other == id).map(|(_, text)| text.clone());
        assert_eq!(total("size_bytes"), Some(format::mib(size)));
        assert_eq!(total("name"), Some(format::counted(usual.n_rows.into(), "buffer", "buffers")));
        type Key = fn(&Buffer) -> Option<f64>;
        let keys: [(&str, Key); 3] = [
            ("size_bytes", |buffer| Some(buffer.size as f64)),
            ("live_range", |buffer| Some(f64::from(buffer.last - buffer.first))),
            ("padding", |buffer| {
                Some(buffer.size.saturating_sub(buffer.unpadded?) as f64 / (buffer.size.max(1)) as f64)
            }),
        ];
        for (id, key) in keys {
            for descending in [false, true] {
                let page = page(&alive_at, Some(SortBy::new(id, descending)), "");
                let values: Vec<Option<f64>> = page.rows.iter().map(|row| key(by_key[&row.key])).collect();
                let present: Vec<f64> = values.iter().flatten().copied().collect();
                assert!(values[..present.len()].iter().all(Option::is_some), "{id}: absent values come last");
                let is_sorted =
                    present.windows(2).all(|pair| if descending { pair[0] >= pair[1] } else { pair[0] <= pair[1] });
                assert!(is_sorted, "{id} {descending}");
            }
        }
        // The bar of a live range is as long as the range.
        let index = usual.columns.iter().position(|column| column.id == "live_range").unwrap();
        for row in &usual.rows {
            let Cell::Range(from, to, _) = &row.cells[index] else { panic!("{:?}", row.cells[index]) };
            let buffer = by_key[&row.key];
            let part = |point: u32| f64::from(point) / f64::from(alive_at.1);
            assert!((from - part(buffer.first)).abs() < 1e-9 && (to - part(buffer.last)).abs() < 1e-9, "{}", row.key);
        }
    }
}

#[test]
fn a_filter_matches_a_plain_scan() {
    let mut n_found = 0;
    for proto in all() {
        let Some(alive_at) = alive(&proto) else { continue };
        for text in ["fusion", "Param", "bf16", "no such text"] {
            let mut found: Vec<String> = page(&alive_at, None, text).rows.into_iter().map(|row| row.key).collect();
            let is_meant = |buffer: &&Buffer| {
                texts(buffer).iter().any(|own| own.to_ascii_lowercase().contains(&text.to_ascii_lowercase()))
            };
            let mut plain: Vec<String> =
                alive_at.0.buffers.iter().filter(is_meant).map(|buffer| buffer.id.0.to_string()).collect();
            found.sort();
            plain.sort();
            n_found += found.len();
            assert_eq!(found, plain, "{text}");
        }
    }
    assert!(n_found > 0);
}
