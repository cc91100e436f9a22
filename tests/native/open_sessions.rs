//! These tests hold two sessions open, as the worker of a comparison does: which one answers, what the comparison says against
//! the one of the command line, and how the page draws it.

use crate::common;
use crate::compare::{side, two_programs};
use rooflight::analysis::base::{GroupBy, Query, StepChoice, StepsBy};
use rooflight::analysis::compare::{
    CompareBy, CompareOptions, CompareQuery, CompareRows, Comparison, RowSelection, Verdict,
};
use rooflight::analysis::overview::OverviewQuery;
use rooflight::chart::compare::{self, WaterfallRow, WaterfallRowKind};
use rooflight::protocol::requests::{self, TypedRequest};
use rooflight::protocol::table_query::{ExportQuery, TableQuery};
use rooflight::protocol::{ComparedOps, Export, Reply, Request, SessionSlot, ViewRequest};
use rooflight::session::compare::{CompareSide, compare_sessions};
use rooflight::session::{Input, OpenSession, OpenSessions};
use rooflight::table::filter::TextFilter;
use rooflight::table::page::{Cell, PageQuery, TablePage};
use std::path::Path;

const A: &str = "xla.graphs.xplane.pb.xz";
const B: &str = "cudnn.graphs.xplane.pb.xz";

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/gpu").join(name)).unwrap()
}

fn set(sessions: &mut OpenSessions, slot: SessionSlot, name: &str) {
    let input = Input { name: name.to_owned(), source: Box::new(bytes(name)), from_folder: false };
    let (session, info) = OpenSession::open(vec![input], &mut |_| {}).unwrap();
    sessions.set(slot, session, info);
}

fn both() -> OpenSessions {
    let mut sessions = OpenSessions::default();
    set(&mut sessions, SessionSlot::First, A);
    set(&mut sessions, SessionSlot::Second, B);
    sessions
}

fn answer_of<A: TypedRequest + Into<ViewRequest>>(sessions: &mut OpenSessions, request: A) -> A::Answer {
    sessions.answer(&request.into().into()).answer::<A>().unwrap()
}

fn comparison(sessions: &mut OpenSessions, is_swapped: bool) -> Comparison {
    answer_of(sessions, requests::Compare(CompareQuery { is_swapped, ..CompareQuery::default() }))
}

/// The comparison of the command line.
fn expected(a: &str, b: &str) -> Comparison {
    let side =
        |name: &str| CompareSide::new(common::open(name, bytes(name)).unwrap(), &OverviewQuery::default()).unwrap();
    compare_sessions(&mut side(a), &mut side(b), &CompareOptions::default()).unwrap()
}

/// The comparison without its lists.
fn without_rows(comparison: &Comparison) -> Comparison {
    let mut comparison = Comparison { rows: Vec::new(), parts: Vec::new(), ..comparison.clone() };
    (comparison.program_changes.changes, comparison.comm.rows) = (Vec::new(), Vec::new());
    comparison
}

fn rows(sessions: &mut OpenSessions, which: CompareRows, filter: &str) -> TablePage {
    let selection = RowSelection { rows: which, ..RowSelection::default() };
    let table = TableQuery::Compare(CompareQuery::default(), selection);
    let query = PageQuery { count: 10_000, filter: TextFilter::anywhere(filter), ..PageQuery::default() };
    answer_of(sessions, requests::Rows { table, query })
}

fn files(reply: Reply) -> Vec<String> {
    match reply {
        Reply::Opened(info) => info.files.into_iter().map(|file| file.name).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_comparison_is_that_of_the_command_line() {
    let mut sessions = both();
    for (is_swapped, expected) in [(false, expected(A, B)), (true, expected(B, A))] {
        let comparison = comparison(&mut sessions, is_swapped);
        // The page shows the largest rows, changes and collectives.
        let (n_changes, n_rows) = (comparison.program_changes.changes.len(), comparison.comm.rows.len());
        assert!(
            n_changes == expected.program_changes.changes.len().min(30) && n_rows == expected.comm.rows.len().min(30)
        );
        assert_eq!(without_rows(&comparison), without_rows(&expected));
        assert!(comparison.rows.len() < expected.rows.len());
        for (part, whole) in comparison.parts.iter().zip(&expected.parts) {
            assert_eq!(
                (part.owner, part.a_ps, part.b_ps, part.delta_ps),
                (whole.owner, whole.a_ps, whole.b_ps, whole.delta_ps)
            );
            for ((row, delta), (expected_row, expected_delta)) in part.children.iter().zip(&whole.children) {
                assert_eq!(comparison.rows[*row as usize], expected.rows[*expected_row as usize]);
                assert_eq!(delta, expected_delta);
            }
        }
        // The rows of one side are those that the other order has on the other side.
        let query = CompareQuery { is_swapped, ..CompareQuery::default() };
        let rows = ExportQuery::Compare { query, by: CompareBy::Op };
        let text = answer_of(&mut sessions, requests::ExportRows { rows, format: Export::Csv });
        assert_eq!(text.lines().count(), expected.rows.len() + 1);
    }
}

#[test]
fn the_table_has_every_row_once() {
    let mut sessions = both();
    let expected = expected(A, B);
    let all = rows(&mut sessions, CompareRows::All, "");
    assert_eq!(all.n_rows as usize, expected.rows.len());
    let keys: Vec<String> = all.rows.iter().map(|row| row.key.clone()).collect();
    // The largest difference comes first, whatever its sign.
    let size = |key: &String| expected.rows.iter().find(|row| row.key() == *key).unwrap().delta_ps.unsigned_abs();
    assert!(keys.windows(2).all(|pair| size(&pair[0]) >= size(&pair[1])));
    let n: Vec<u32> = [CompareRows::Matched, CompareRows::OnlyInA, CompareRows::OnlyInB]
        .map(|which| rows(&mut sessions, which, "").n_rows)
        .to_vec();
    assert_eq!(n.iter().sum::<u32>(), all.n_rows);
    assert!(n.iter().all(|n| *n > 0), "{n:?}");
    let attention = rows(&mut sessions, CompareRows::All, "dot_product_attention");
    assert!(attention.n_rows > 0 && attention.n_rows < all.n_rows);
    // A difference is coloured only where it is real, and its bar leads to the side of its sign.
    let column = |id: &str| all.columns.iter().position(|column| column.id == id).unwrap();
    for row in &all.rows {
        let expected_row = expected.rows.iter().find(|expected_row| expected_row.key() == row.key).unwrap();
        let is_real = matches!(expected_row.verdict, Verdict::Regression | Verdict::Improvement);
        let Cell::Difference { is_real: shown, .. } = &row.cells[column("delta_ps")] else { panic!() };
        assert_eq!(*shown, is_real, "{}", row.key);
        let Cell::DifferenceBar { share, .. } = &row.cells[column("bar")] else { panic!() };
        assert!(*share * expected_row.delta_ps as f64 >= 0.0 && share.abs() <= 1.0);
    }
}

#[test]
fn each_session_answers_when_it_is_shown() {
    let mut sessions = both();
    let query = Query { by: GroupBy::Op, ..Query::default() };
    let busy = |sessions: &mut OpenSessions| answer_of(sessions, requests::Breakdown(query.clone())).totals.busy;
    let first = busy(&mut sessions);
    assert_eq!(files(sessions.answer(&Request::Show(SessionSlot::Second))), [B]);
    let second = busy(&mut sessions);
    assert_ne!(first, second);
    // The comparison does not depend on what is shown.
    assert_eq!(comparison(&mut sessions, false).a.files, [A]);
    assert_eq!(files(sessions.answer(&Request::CloseSecond)), [A]);
    assert_eq!(busy(&mut sessions), first);
    let reply = sessions.answer(&ViewRequest::Compare(CompareQuery::default()).into());
    assert!(matches!(&reply, Reply::Failed(failure) if failure.message.contains("Only one capture")), "{reply:?}");
    assert_eq!(sessions.answer(&Request::Show(SessionSlot::Second)), Reply::Cancelled);
}

#[test]
fn a_report_is_a_side() {
    let mut sessions = both();
    let (mut session, _) = {
        let input = Input { name: A.to_owned(), source: Box::new(bytes(A)), from_folder: false };
        OpenSession::open(vec![input], &mut |_| {}).unwrap()
    };
    let (report, info) = OpenSession::of_report(session.report(&Default::default()).unwrap());
    sessions.set(SessionSlot::Second, report, info);
    for is_swapped in [false, true] {
        let comparison = comparison(&mut sessions, is_swapped);
        assert_eq!(
            (comparison.delta_ps, comparison.verdict, comparison.notes.is_empty()),
            (0, Verdict::WithinNoise, false)
        );
        assert_eq!(comparison.a.report_level.is_some(), is_swapped);
    }
    // A report has no details of ops.
    let rows = rows(&mut sessions, CompareRows::All, "");
    assert!(rows.rows.len() > 50);
    let request = ViewRequest::CompareOps { query: CompareQuery::default(), key: rows.rows[0].key.clone() };
    let ops: ComparedOps = sessions.answer(&request.into()).decode().unwrap();
    assert!(ops.a.is_some() && ops.b.is_none() && ops.row.b.is_some());
}

#[test]
fn the_ops_of_a_row_are_set_beside_each_other() {
    let mut sessions = both();
    let expected = expected(A, B);
    let is_pair = |row: &&rooflight::analysis::compare::RowDelta| row.a.is_some() && row.b.is_some();
    for row in
        expected.rows.iter().filter(is_pair).take(3).chain(expected.rows.iter().filter(|row| row.b.is_none()).take(1))
    {
        let request = ViewRequest::CompareOps { query: CompareQuery::default(), key: row.key() };
        let ops: ComparedOps = sessions.answer(&request.into()).decode().unwrap();
        assert_eq!(ops.row, *row);
        assert_eq!(ops.a.as_ref().map(|op| &op.name), row.a.as_ref().map(|side| &side.ops[0]));
        assert_eq!(ops.b.as_ref().map(|op| &op.name), row.b.as_ref().map(|side| &side.ops[0]));
        // The executions of a step of the op's details are those of the comparison.
        let n = ops.a.as_ref().and_then(|op| op.figures.as_ref()).map(|figures| figures.n.as_f64());
        assert!(
            (n.unwrap() - row.a.as_ref().unwrap().n_executions).abs() < 1e-9 || row.a.as_ref().unwrap().ops.len() > 1
        );
        let facts = compare::facts(&ops);
        assert!(
            facts.iter().any(|fact| fact.label == "Time")
                && facts.iter().all(|fact| !fact.a.is_empty() && !fact.b.is_empty())
        );
        assert_eq!(compare::pair_sentence(&ops).contains("Only in A"), row.b.is_none());
    }
    let request = ViewRequest::CompareOps { query: CompareQuery::default(), key: "no row".to_owned() };
    assert!(matches!(sessions.answer(&request.into()), Reply::Failed(_)));
}

/// The bars lead from A to B without a gap, and the ops of a part lead through it.
fn check_waterfall(comparison: &Comparison) {
    let drawn = compare::waterfall(comparison);
    let (first, last) = (drawn.rows.first().unwrap(), drawn.rows.last().unwrap());
    assert_eq!((first.kind, last.kind), (WaterfallRowKind::Total, WaterfallRowKind::Total));
    assert_eq!((first.difference_ps, last.difference_ps), (0, comparison.delta_ps));
    assert_eq!(last.bar.0, drawn.zero);
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let is_part = |row: &&WaterfallRow| matches!(row.kind, WaterfallRowKind::Part | WaterfallRowKind::Rest);
    let parts: Vec<&WaterfallRow> = drawn.rows.iter().filter(is_part).collect();
    assert_eq!(parts.iter().map(|row| row.difference_ps).sum::<i64>(), comparison.delta_ps);
    assert!(parts.windows(2).all(|pair| close(pair[0].bar.1, pair[1].bar.0)));
    if let (Some(first), Some(end)) = (parts.first(), parts.last()) {
        assert!(close(first.bar.0, drawn.zero) && close(end.bar.1, last.bar.1));
    }
    for part in drawn.rows.split_inclusive(|row| row.kind != WaterfallRowKind::Op).collect::<Vec<_>>().windows(2) {
        let (part, ops) = (part[0].last().unwrap(), part[1]);
        let ops: Vec<&WaterfallRow> = ops.iter().filter(|row| row.kind == WaterfallRowKind::Op).collect();
        if !ops.is_empty() {
            assert_eq!(ops.iter().map(|row| row.difference_ps).sum::<i64>(), part.difference_ps, "{}", part.label);
            assert!(close(ops[0].bar.0, part.bar.0) && close(ops[ops.len() - 1].bar.1, part.bar.1));
        }
    }
    assert!(drawn.rows.iter().all(|row| (0.0..=1.0).contains(&row.bar.0) && (0.0..=1.0).contains(&row.bar.1)));
}

#[test]
fn the_waterfall_leads_from_a_to_b() {
    for (a, b) in [(A, B), (B, A), (A, A), (A, "f32.graphs.xplane.pb.xz"), ("batch2.graphs.xplane.pb.xz", A)] {
        let comparison = expected(a, b);
        check_waterfall(&comparison);
        check_waterfall(&comparison.with_largest_rows(4));
        let steps = compare::steps(&comparison).unwrap();
        for (side, (dots, mean)) in [&comparison.a, &comparison.b].into_iter().zip(&steps.sides) {
            assert_eq!(dots.len(), side.n_steps as usize);
            assert!(dots.iter().all(|dot| (0.0..=1.0).contains(&dot.y)) && (0.0..=1.0).contains(mean));
        }
        let figures = compare::readout(&comparison);
        assert!(figures.hero.value.contains('→'));
        let arrow = match comparison.delta_ps {
            1.. => "▲ +",
            0 => "0",
            _ => "▼ −",
        };
        assert!(figures.main[0].value.starts_with(arrow), "{}", figures.main[0].value);
    }
}

/// The steps of the session that is shown are found in another way. Figures and the comparison are those of the new steps.
#[test]
fn steps_are_found_in_another_way() {
    let mut sessions = both();
    let before = comparison(&mut sessions, false);
    let opened = |sessions: &mut OpenSessions, by: StepsBy| match sessions.answer(&Request::FindSteps(by)) {
        Reply::Opened(session) => *session,
        reply => panic!("{reply:?}"),
    };
    let query = Query { step: StepChoice::Mean, ..Query::default() };
    let window = |sessions: &mut OpenSessions| {
        let header = answer_of(sessions, requests::Breakdown(query.clone())).header;
        (header.step, header.n_steps)
    };
    assert_eq!(window(&mut sessions), ("mean".to_owned(), 8));
    let session = opened(&mut sessions, StepsBy::All);
    assert_eq!((session.steps_by, session.devices[0].n_steps), (StepsBy::All, 0));
    assert_eq!(window(&mut sessions), ("all".to_owned(), 0));
    let whole = comparison(&mut sessions, false);
    assert_eq!((whole.a.n_steps, whole.b.n_steps), (0, before.b.n_steps));
    // Notes on steps are those of the steps that are shown.
    let session = opened(&mut sessions, StepsBy::default());
    assert_eq!(window(&mut sessions), ("mean".to_owned(), 8));
    assert_eq!(without_rows(&comparison(&mut sessions, false)), without_rows(&before));
    let shown = match sessions.answer(&Request::Show(SessionSlot::First)) {
        Reply::Opened(shown) => shown,
        reply => panic!("{reply:?}"),
    };
    assert_eq!(shown.notes, session.notes);
}

/// The kind of steps is that of A, whatever was compared before: after an exchange of the sides, B is A.
#[test]
fn the_kind_of_steps_does_not_depend_on_earlier_comparisons() {
    let server = |lengths| two_programs(["prefill", "decode"], lengths);
    let captures = [server([4_000_000_000, 2_000_000_000]), server([40_000_000_000, 2_200_000_000])];
    let mut sessions = OpenSessions::default();
    for (slot, bytes) in [SessionSlot::First, SessionSlot::Second].into_iter().zip(&captures) {
        let input = Input { name: format!("{slot:?}.pb"), source: Box::new(bytes.clone()), from_folder: false };
        let (session, info) = OpenSession::open(vec![input], &mut |_| {}).unwrap();
        sessions.set(slot, session, info);
    }
    for (is_swapped, kind) in [(false, "decode"), (true, "prefill"), (false, "decode")] {
        let [mut a, mut b] = [usize::from(is_swapped), usize::from(!is_swapped)]
            .map(|index| side("server.xplane.pb", captures[index].clone()));
        let expected = compare_sessions(&mut a, &mut b, &CompareOptions::default()).unwrap();
        let found = comparison(&mut sessions, is_swapped);
        let kinds =
            |comparison: &Comparison| [&comparison.a, &comparison.b].map(|side| side.step_kind.clone().unwrap());
        assert_eq!(kinds(&found), [kind, kind].map(str::to_owned));
        assert_eq!((kinds(&found), found.delta_ps), (kinds(&expected), expected.delta_ps));
    }
}
