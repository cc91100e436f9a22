//! These tests send requests to a session as the page does: for rows in any order, trees and steps, and with invalid
//! filters.

use crate::common;
use crate::common::{bytes, make};
use rooflight::analysis::base::{Analysis, Filter, GroupBy, Query, StepChoice};
use rooflight::analysis::breakdown::Group;
use rooflight::analysis::breakdown::columns::{GROUP_TABLE, heading, nouns};
use rooflight::protocol::table_query::{CopiedRows, TableAction, TableQuery};
use rooflight::protocol::{BreakdownHead, Reply, Request, ViewRequest, requests};
use rooflight::session::{Input, OpenSession};
use rooflight::table::answer::{CachedOrder, TableRows};
use rooflight::table::copy::CopyForm;
use rooflight::table::page::{PageQuery, SortBy, TablePage, row_key};
use rooflight::table::shown::Shown;
use std::cmp::Ordering;
use xla_profile::units::Picos;

fn engine(space: &xla_profile::wire::proto::xspace::XSpace) -> OpenSession {
    let input = Input { name: "it.xplane.pb".into(), source: Box::new(bytes(space)), from_folder: false };
    OpenSession::open(vec![input], &mut |_| {}).unwrap().0
}

fn head(engine: &mut OpenSession, query: Query) -> BreakdownHead {
    common::answer_of(engine, requests::Breakdown(query))
}

/// Returns the names of all rows in an order.
fn keys(engine: &mut OpenSession, query: &Query, sort: Option<SortBy>) -> Vec<String> {
    let page = common::breakdown_page(engine, query, PageQuery { sort, count: 1000, ..PageQuery::default() });
    page.rows.into_iter().map(|row| row.key).collect()
}

fn key(group: &Group) -> String {
    row_key(&group.key, group.program_id)
}

/// Splits a name so that numbers at its end compare by value.
fn natural(name: &str) -> (&str, Option<u64>, &str) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem, name[stem.len()..].parse().ok(), name)
}

/// Compares two rows by a column. Returns whether each row has a value in the column, and the order of the values.
fn compare(a: &Group, b: &Group, column: &str) -> (bool, bool, Ordering) {
    fn compare_values<T: PartialOrd + Copy>(a: Option<T>, b: Option<T>) -> (bool, bool, Ordering) {
        let order = a.zip(b).and_then(|(a, b)| a.partial_cmp(&b));
        (a.is_some(), b.is_some(), order.unwrap_or(Ordering::Equal))
    }
    let phases = ["forward", "backward", "recompute", "optimizer", "inference / unknown", "unknown"];
    let phase = |g: &Group| phases.iter().position(|p| Some(*p) == g.phase.as_deref());
    let counted = |g: &Group, p: xla_profile::units::Picos| (g.n_executions > 0).then_some(p);
    match column {
        "key" => compare_values(Some(natural(&a.key)), Some(natural(&b.key))),
        "total_dur_ps" | "share" | "cumulative" => compare_values(Some(a.total), Some(b.total)),
        "kind" => compare_values(Some(a.kind), Some(b.kind)),
        "hlo_category" => compare_values(a.main_category(), b.main_category()),
        "n_executions" => compare_values(Some(a.n_executions), Some(b.n_executions)),
        "avg_dur_ps" => compare_values(a.mean, b.mean),
        "flop_rate" => compare_values(a.flop_rate(), b.flop_rate()),
        "byte_rate" => compare_values(a.byte_rate(), b.byte_rate()),
        "source_inner" => compare_values(a.source_inner.as_deref(), b.source_inner.as_deref()),
        "program" => compare_values(a.program.as_deref(), b.program.as_deref()),
        "op_group" => compare_values(a.op_group.as_deref(), b.op_group.as_deref()),
        "phase" => compare_values(phase(a), phase(b)),
        "layer" => compare_values(a.layer.as_deref(), b.layer.as_deref()),
        "module" => compare_values(a.module, b.module),
        "inclusive_dur_ps" => compare_values(Some(a.inclusive), Some(b.inclusive)),
        "min_dur_ps" => compare_values(counted(a, a.min), counted(b, b.min)),
        "max_dur_ps" => compare_values(counted(a, a.max), counted(b, b.max)),
        "pct_of_kind" => compare_values(a.of_kind, b.of_kind),
        "arithmetic_intensity" => compare_values(a.intensity(), b.intensity()),
        "dtype" => compare_values(a.dtypes.first(), b.dtypes.first()),
        "shape" => compare_values(a.shapes.first(), b.shapes.first()),
        "scope_leaf" => compare_values(a.scope_leaf(), b.scope_leaf()),
        "tf_op" => compare_values(a.tf_op.as_deref(), b.tf_op.as_deref()),
        other => panic!("{other} has no oracle"),
    }
}

fn check_order(rows: &[&Group], sort: &SortBy) {
    for pair in rows.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let (has_a, has_b, order) = compare(a, b, &sort.column);
        let order = if sort.descending { order.reverse() } else { order };
        let order = match (has_a, has_b) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => order,
        };
        let by_key = (natural(&a.key), a.program_id) <= (natural(&b.key), b.program_id);
        assert!(order.is_lt() || (order.is_eq() && by_key), "{sort:?}: {} before {}", a.key, b.key);
    }
}

/// Rows that are made one by one have the same order as all rows in memory, and this order agrees with a plain
/// comparison of their values.
#[test]
fn every_column_both_ways() {
    for space in [make::small(), make::kda()] {
        let opened = common::open("it.xplane.pb", bytes(&space)).unwrap();
        let analysis = Analysis::new(&opened.profile);
        let mut engine = engine(&space);
        for by in GroupBy::ALL {
            let query = Query { by, step: StepChoice::Number(8), ..Query::busiest() };
            let query =
                if head(&mut engine, query.clone()).n_groups > 0 { query } else { Query { by, ..Query::busiest() } };
            let groups = analysis.breakdown(&opened.profile, &query).unwrap().groups;
            let head = |column: &Shown| heading(column, by);
            let mut in_memory = TableRows::new(&GROUP_TABLE, &groups, None, head, CachedOrder::default());
            for column in GROUP_TABLE.shown.iter().filter(|column| heading(column, by).is_some()) {
                for descending in [true, false] {
                    let sort = SortBy::new(column.id, descending);
                    let order = in_memory.sorted(Some(&sort));
                    let rows: Vec<&Group> = order.iter().map(|row| &groups[*row as usize]).collect();
                    check_order(&rows, &sort);
                    let expected: Vec<String> = rows.iter().map(|group| key(group)).collect();
                    assert_eq!(keys(&mut engine, &query, Some(sort.clone())), expected, "{sort} by {}", by.key());
                }
            }
        }
    }
}

/// The rows that the page gets one by one are those that the command line gets at once.
#[test]
fn rows_are_those_of_the_breakdown() {
    let opened = common::open("it.xplane.pb", bytes(&make::small())).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let mut engine = engine(&make::small());
    for by in GroupBy::ALL {
        let query = Query { by, step: StepChoice::All, ..Query::busiest() };
        let whole = analysis.breakdown(&opened.profile, &query).unwrap();
        let head = head(&mut engine, query.clone());
        assert_eq!(keys(&mut engine, &query, None), whole.groups.iter().map(key).collect::<Vec<_>>());
        let table = |shown: &Shown| heading(shown, by);
        let window = whole.header.step_duration.map(Picos::as_f64);
        let mut rows = TableRows::new(&GROUP_TABLE, &whole.groups, window, table, CachedOrder::default())
            .with_nouns(nouns(by))
            .with_peak("flop_rate", whole.header.peaks.flops)
            .with_peak("byte_rate", whole.header.peaks.hbm_bytes);
        for first in [0, 2] {
            let query_of = PageQuery { first, count: 3, ..PageQuery::default() };
            let (made, expected) =
                (common::breakdown_page(&mut engine, &query, query_of.clone()), rows.page(&query_of).unwrap());
            assert_eq!(made.rows, expected.rows, "{by:?}");
            assert_eq!(made.n_rows as usize, whole.groups.len());
        }
        assert_eq!((head.header, head.totals, head.shown), (whole.header, whole.totals, whole.shown));
    }
}

/// The running sum continues where the page before ends, and ends with the whole self time of the step.
#[test]
fn the_running_sum_includes_all_rows_before() {
    let mut engine = engine(&make::small());
    let query = Query { step: StepChoice::All, ..Query::busiest() };
    let cells = |page: &TablePage, id: &str| -> Vec<String> {
        let index = page.columns.iter().position(|column| column.id == id).unwrap();
        page.rows.iter().map(|row| row.cells[index].plain().to_owned()).collect()
    };
    for sort in [None, Some(SortBy::new("key", false))] {
        let mut page = |first, count| {
            let page = PageQuery { sort: sort.clone(), first, count, ..PageQuery::default() };
            common::breakdown_page(&mut engine, &query, page)
        };
        let whole = page(0, 1000);
        let sums = cells(&whole, "cumulative");
        for first in 0..whole.n_rows {
            assert_eq!(cells(&page(first, 1), "cumulative"), sums[first as usize..=first as usize]);
        }
        let expected = whole.rows.iter().scan(0, |sum, row| {
            *sum += common::self_time(row).0;
            Some(*sum)
        });
        let all = whole.rows.iter().map(|row| common::self_time(row).0).sum::<u64>() as f64;
        let last: f64 = sums.last().unwrap().parse().unwrap();
        for (sum, text) in expected.zip(&sums) {
            let Ok(shown) = text.parse::<f64>() else { continue };
            assert!((sum as f64 / all * last - shown).abs() < 0.2, "{text}");
        }
    }
}

/// A row that is copied alone is the same line as in the whole table, including its running sum.
#[test]
fn one_row_is_copied_as_in_the_whole_table() {
    let mut engine = engine(&make::small());
    let query = Query { step: StepChoice::All, ..Query::busiest() };
    let all = keys(&mut engine, &query, None);
    let mut copy = |keys: Option<Vec<String>>| -> CopiedRows {
        let columns = ["key", "total_dur_ps", "cumulative"].map(str::to_owned).to_vec();
        let action = TableAction::Copy { query: PageQuery::default(), columns, keys, form: CopyForm::Tsv };
        let request = ViewRequest::Table { table: TableQuery::Breakdown(query.clone()), action };
        engine.answer(&request.into()).decode().unwrap()
    };
    let whole = copy(None);
    let lines: Vec<&str> = whole.text.lines().collect();
    assert_eq!((whole.n as usize, lines.len()), (all.len(), all.len() + 1));
    for (key, line) in all.iter().zip(&lines[1..]) {
        let one = copy(Some(vec![key.clone()]));
        assert_eq!((one.text, one.n), (format!("{}\n{line}\n", lines[0]), 1));
    }
}

#[test]
fn layers_are_ordered_by_number() {
    let mut p = make::Plane::new("/device:TPU:0");
    let layers = ["layers_10", "layers_2", "layers_1"];
    let ids =
        layers.map(|layer| p.op(&format!("of {layer}"), "", &[("tf_op", make::text(&format!("jit(f)/{layer}/mul:")))]));
    p.line("XLA Ops", &ids.map(|id| (id, id * 10, 5)));
    let space = xla_profile::wire::proto::xspace::XSpace { planes: vec![p.done()], ..Default::default() };
    let query = Query { by: GroupBy::Layer, ..Query::busiest() };
    let query = Query { by: GroupBy::Op, ..query };
    let named = keys(&mut engine(&space), &query, Some(SortBy::new("layer", false)));
    assert_eq!(named, ["of layers_1", "of layers_2", "of layers_10"]);
    let query = Query { by: GroupBy::Layer, ..query };
    let named = keys(&mut engine(&space), &query, Some(SortBy::new("key", false)));
    assert_eq!(named, ["layers_1", "layers_2", "layers_10"]);
}

#[test]
fn trees_steps_and_bad_filters() {
    let mut engine = engine(&make::kda());
    let scopes = |query: Query| requests::Scopes { query, root: String::new(), min_share: 0.0 };
    let tree = common::answer_of(&mut engine, scopes(Query::busiest()));
    assert_eq!((tree.total.0, tree.nodes.len()), (1000, 8));
    assert_eq!(common::answer_of(&mut engine, requests::StepStats).devices[0].steps.len(), 1);
    let filter = Filter { text: "[".into(), regex: true, ..Filter::default() };
    let query = Query { filter, ..Query::busiest() };
    let rows = ViewRequest::Table {
        table: TableQuery::Breakdown(query.clone()),
        action: TableAction::Rows(PageQuery::default()),
    };
    for request in [ViewRequest::Breakdown(query.clone()), rows, scopes(query).into()].map(Request::from) {
        assert!(matches!(engine.answer(&request), Reply::BadFilter(error) if error.column == 1), "{request:?}");
    }
}
