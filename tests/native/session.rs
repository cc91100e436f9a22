//! The session as the page asks it: orders of rows, trees, steps, and filters that are none.

use crate::common;
use crate::common::{bytes, make};
use rooflight::analysis::base::{Analysis, Filter, GroupBy, Query, StepChoice};
use rooflight::analysis::breakdown::Group;
use rooflight::protocol::{BreakdownHead, Column, Reply, Request, RowsQuery, Sort};
use rooflight::session::{Input, OpenSession};
use std::cmp::Ordering;

fn engine(space: &rooflight::wire::proto::xspace::XSpace) -> OpenSession {
    let input = Input { name: "it.xplane.pb".into(), source: Box::new(bytes(space)), from_folder: false };
    OpenSession::open(vec![input], &mut |_| {}).unwrap().0
}

fn head(engine: &mut OpenSession, query: Query) -> BreakdownHead {
    match engine.answer(&Request::Breakdown(query)) {
        Reply::Breakdown(head) => *head,
        other => panic!("{other:?}"),
    }
}

fn rows(engine: &mut OpenSession, query: &Query, sort: Sort) -> Vec<Group> {
    let rows = RowsQuery { query: query.clone(), sort, first: 0, count: 1000 };
    match engine.answer(&Request::Rows(rows)) {
        Reply::Rows(page) => page.rows,
        other => panic!("{other:?}"),
    }
}

const COLUMNS: [Column; 24] = [
    Column::Name,
    Column::Total,
    Column::OfStep,
    Column::Kind,
    Column::Category,
    Column::Executions,
    Column::Mean,
    Column::FlopRate,
    Column::ByteRate,
    Column::Source,
    Column::Program,
    Column::OpGroup,
    Column::Phase,
    Column::Layer,
    Column::Inclusive,
    Column::Min,
    Column::Max,
    Column::OfKind,
    Column::Flops,
    Column::Bytes,
    Column::Intensity,
    Column::Dtype,
    Column::Shape,
    Column::ScopeLeaf,
];

/// The column's value in a row as it is reported; `None` where it has none.
fn compare(a: &Group, b: &Group, column: Column) -> (bool, bool, Ordering) {
    fn of<T: PartialOrd + Copy>(a: Option<T>, b: Option<T>) -> (bool, bool, Ordering) {
        let order = a.zip(b).and_then(|(a, b)| a.partial_cmp(&b));
        (a.is_some(), b.is_some(), order.unwrap_or(Ordering::Equal))
    }
    let phases = ["forward", "backward", "recompute", "optimizer", "inference / unknown", "unknown"];
    let phase = |g: &Group| phases.iter().position(|p| Some(*p) == g.phase.as_deref());
    let counted = |g: &Group, p: rooflight::units::Picos| (g.n_executions > 0).then_some(p);
    match column {
        Column::Name => of(Some(&a.key), Some(&b.key)),
        Column::Total | Column::OfStep => of(Some(a.total), Some(b.total)),
        Column::Kind => of(Some(a.kind), Some(b.kind)),
        Column::Category => of(a.main_category(), b.main_category()),
        Column::Executions => of(Some(a.n_executions), Some(b.n_executions)),
        Column::Mean => of(a.mean, b.mean),
        Column::FlopRate => of(a.flop_rate(), b.flop_rate()),
        Column::ByteRate => of(a.byte_rate(), b.byte_rate()),
        Column::Source => of(a.source_inner.as_deref(), b.source_inner.as_deref()),
        Column::Program => of(a.program.as_deref(), b.program.as_deref()),
        Column::OpGroup => of(a.op_group.as_deref(), b.op_group.as_deref()),
        Column::Phase => of(phase(a), phase(b)),
        Column::Layer => of(a.layer.as_deref(), b.layer.as_deref()),
        Column::Inclusive => of(Some(a.inclusive), Some(b.inclusive)),
        Column::Min => of(counted(a, a.min), counted(b, b.min)),
        Column::Max => of(counted(a, a.max), counted(b, b.max)),
        Column::OfKind => of(a.of_kind, b.of_kind),
        Column::Flops => of(a.flops, b.flops),
        Column::Bytes => of(a.bytes_accessed, b.bytes_accessed),
        Column::Intensity => of(a.intensity(), b.intensity()),
        Column::Dtype => of(a.dtypes.first(), b.dtypes.first()),
        Column::Shape => of(a.shapes.first(), b.shapes.first()),
        Column::ScopeLeaf => of(a.scope_leaf(), b.scope_leaf()),
    }
}

fn check_order(rows: &[Group], sort: Sort) {
    for pair in rows.windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        let (has_a, has_b, order) = compare(a, b, sort.column);
        let order = if sort.descending { order.reverse() } else { order };
        let order = match (has_a, has_b) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => order,
        };
        let by_key = (&a.key, a.program_id) <= (&b.key, b.program_id);
        assert!(order.is_lt() || (order.is_eq() && by_key), "{sort:?}: {} before {}", a.key, b.key);
    }
}

#[test]
fn every_column_both_ways() {
    for space in [make::small(), make::kda()] {
        let mut engine = engine(&space);
        for by in GroupBy::ALL {
            let query = Query { by, step: StepChoice::Number(8), ..Query::default() };
            let query =
                if head(&mut engine, query.clone()).n_groups > 0 { query } else { Query { by, ..Query::default() } };
            let n = head(&mut engine, query.clone()).n_groups as usize;
            for column in COLUMNS {
                for descending in [true, false] {
                    let sort = Sort { column, descending };
                    let rows = rows(&mut engine, &query, sort);
                    assert_eq!(rows.len(), n);
                    check_order(&rows, sort);
                }
            }
        }
    }
}

/// What the page gets row by row is what the command line gets at once.
#[test]
fn rows_are_those_of_the_breakdown() {
    let opened = common::open("it.xplane.pb", bytes(&make::small())).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let mut engine = engine(&make::small());
    for by in GroupBy::ALL {
        let query = Query { by, step: StepChoice::All, ..Query::default() };
        let whole = analysis.breakdown(&opened.profile, &query).unwrap();
        let head = head(&mut engine, query.clone());
        assert_eq!(rows(&mut engine, &query, Sort::default()), whole.groups);
        assert_eq!((head.header, head.totals, head.shown), (whole.header, whole.totals, whole.shown));
        let longest = whole.groups.iter().map(|g| g.max).max().unwrap();
        assert_eq!(head.largest.max, longest);
    }
}

#[test]
fn layers_are_ordered_by_number() {
    let mut p = make::Plane::new("/device:TPU:0");
    let layers = ["layers_10", "layers_2", "layers_1"];
    let ids =
        layers.map(|layer| p.op(&format!("of {layer}"), "", &[("tf_op", make::text(&format!("jit(f)/{layer}/mul:")))]));
    p.line("XLA Ops", &ids.map(|id| (id, id * 10, 5)));
    let space = rooflight::wire::proto::xspace::XSpace { planes: vec![p.done()], ..Default::default() };
    let query = Query { by: GroupBy::Layer, ..Query::default() };
    let sort = Sort { column: Column::Layer, descending: false };
    let keys: Vec<String> = rows(&mut engine(&space), &query, sort).into_iter().map(|g| g.key).collect();
    assert_eq!(keys, ["layers_1", "layers_2", "layers_10"]);
}

#[test]
fn trees_steps_and_bad_filters() {
    let mut engine = engine(&make::kda());
    let scopes = Request::Scopes { query: Query::default(), root: String::new(), min_share: 0.0 };
    assert!(matches!(engine.answer(&scopes), Reply::Scopes(tree) if tree.total.0 == 1000 && tree.nodes.len() == 8));
    assert!(matches!(engine.answer(&Request::StepStats), Reply::StepStats(steps) if steps.devices[0].steps.len() == 1));
    let filter = Filter { text: "[".into(), regex: true, ..Filter::default() };
    let query = Query { filter, ..Query::default() };
    let rows = RowsQuery { query: query.clone(), sort: Sort::default(), first: 0, count: 1 };
    for request in [
        Request::Breakdown(query.clone()),
        Request::Rows(rows),
        Request::Scopes { query, root: String::new(), min_share: 0.0 },
    ] {
        assert!(matches!(engine.answer(&request), Reply::BadFilter(error) if error.column == 1), "{request:?}");
    }
}
