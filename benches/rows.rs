//! This benchmark measures the answers that users wait for: 100,000 ops in other groups, with another filter, or in
//! another order.
//!
//! `cargo bench --bench rows` prints the best time of ten runs, in milliseconds. On a busy machine only the order of
//! magnitude of these times counts: the page should answer within a frame or two.

#[path = "../tests/native/common/make.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod make;

use make::{Plane, int, text};
use rooflight::analysis::base::{Analysis, Filter, FilterField, GroupBy, Query};
use rooflight::analysis::breakdown::columns::GROUP_TABLE;
use rooflight::protocol::ViewRequest;
use rooflight::protocol::table_query::{TableAction, TableQuery};
use rooflight::session::{Input, OpenSession};
use rooflight::table::page::{PageQuery, SortBy, TablePage};
use std::time::Instant;
use xla_profile::wire::proto::xspace::XSpace;

const OPS: i64 = 100_000;

fn capture() -> Vec<u8> {
    let mut p = Plane::new("/device:TPU:0");
    let op = |p: &mut Plane, i: i64| {
        let (name, category, scope) = match i % 4 {
            0 => ("fusion", "convolution fusion", "mlp/dot_general"),
            1 => ("all-gather-done", "all-gather-done", "mlp/all_gather"),
            2 => ("splash_mha_fwd", "custom-call", "attention/splash_mha"),
            _ => ("copy", "data formatting", "attention/transpose"),
        };
        let shape = format!("bf16[8,{},4096]{{2,1,0:T(8,128)(2,1)}}", i % 64);
        let stats = [
            ("hlo_category", text(category)),
            ("program_id", int(7)),
            ("tf_op", text(&format!("jit(train)/jvp(Model)/layers_{}/{scope}:", i % 64))),
            ("source", text("model/mlp.py:41")),
            ("source_stack", text("train.py:210:4\nmodel/mlp.py:41:9")),
            ("shape_with_layout", text(&shape)),
            ("bytes_accessed", int(i * 16)),
            ("flops", int(i * 1024)),
        ];
        p.op(
            &format!("%{name}.{i} = {shape} fusion({shape} %p.{i}), kind=kLoop, calls=%c.{i}"),
            &format!("{name}.{i}"),
            &stats,
        )
    };
    let ids: Vec<i64> = (0..OPS).map(|i| op(&mut p, i)).collect();
    let step = p.op("1", "", &[]);
    let events: Vec<(i64, i64, i64)> =
        ids.iter().enumerate().map(|(i, id)| (*id, i as i64 * 1000, 500 + (*id * 7919) % 400)).collect();
    p.line("Steps", &[(step, 0, OPS * 1000)]);
    p.line("XLA Ops", &events);
    prost::Message::encode_to_vec(&XSpace { planes: vec![p.done()], ..XSpace::default() })
}

fn best(what: &str, mut run: impl FnMut(usize)) {
    let time = |i: usize| {
        let start = Instant::now();
        run(i);
        start.elapsed().as_secs_f64() * 1e3
    };
    let best = (0..10).map(time).fold(f64::INFINITY, f64::min);
    println!("{what:<34} {best:8.2} ms");
}

fn input(bytes: &[u8]) -> Vec<Input> {
    vec![Input { name: "rows.xplane.pb".into(), source: Box::new(bytes.to_vec()), from_folder: false }]
}

fn main() {
    let bytes = capture();
    let opened = rooflight::session::open(input(&bytes), &mut |_| {}).expect("a capture");
    best("what is known of the ops", |_| drop(Analysis::new(&opened.profile)));
    let analysis = Analysis::new(&opened.profile);
    let request = |query: &Query| analysis.answer(&opened.profile, query).expect("no pattern").n_rows();
    for by in GroupBy::ALL {
        best(&format!("group by {}", by.key()), |_| assert!(request(&Query { by, ..Query::busiest() }) > 0));
    }
    for (within, needle, regex) in [
        (FilterField::Leaf, "splash", false),
        (FilterField::Leaf, "layers_", false),
        (FilterField::Anywhere, "layers_12", false),
        (FilterField::Source, "mlp.py", false),
        (FilterField::Leaf, r"^fusion\.\d*4$", true),
    ] {
        let filter = Filter { text: needle.into(), within, regex, ..Filter::default() };
        let query = Query { filter, ..Query::busiest() };
        best(&format!("filter {needle}, {}", within.label()), |_| assert!(request(&query) > 0));
    }
    best("tree of scopes", |_| drop(analysis.scopes(&opened.profile, &Query::busiest(), "", 0.001)));
    best("steps", |_| drop(analysis.step_stats(&opened.profile)));
    best("all rows, summarized", |_| drop(analysis.breakdown(&opened.profile, &Query::busiest())));

    let (mut engine, _) = OpenSession::open(input(&bytes), &mut |_| {}).expect("a capture");
    for column in GROUP_TABLE.shown {
        best(&format!("order by {}", column.id), |i| {
            // The session caches the rows in the last order, so each run requests the opposite order.
            let sort = Some(SortBy::new(column.id, i % 2 == 0));
            let action = TableAction::Rows(PageQuery { sort, count: 100, ..PageQuery::default() });
            let request = ViewRequest::Table { table: TableQuery::Breakdown(Query::busiest()), action };
            let page = engine.answer(&request.into()).decode::<TablePage>().expect("rows");
            assert_eq!(page.rows.len(), 100);
        });
    }
}
