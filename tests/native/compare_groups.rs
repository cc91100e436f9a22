//! These tests check the groups of the rows of a comparison against sums of the rows, and the selection of rows by group and by
//! scope.

use crate::compare::{compared, gpu, sample};
use rooflight::analysis::compare::{CompareBy, CompareRows, Comparison, RowDelta, RowSelection, RowSide, groups};
use rooflight::report::compare;
use std::collections::BTreeMap;
use std::process::Command;

fn sides(row: &RowDelta) -> impl Iterator<Item = &RowSide> {
    [&row.a, &row.b].into_iter().flatten()
}

fn time(side: &Option<RowSide>) -> i64 {
    side.as_ref().map_or(0, |side| side.self_ps)
}

/// Times of A and of B, and differences.
fn sums<'r>(rows: impl IntoIterator<Item = &'r RowDelta>) -> [i64; 3] {
    rows.into_iter().fold([0; 3], |[a, b, delta], row| [a + time(&row.a), b + time(&row.b), delta + row.delta_ps])
}

/// Every row is in one group, and a press on a group shows exactly its rows.
pub fn check_groups(comparison: &Comparison) {
    for by in CompareBy::ALL {
        let all = groups(&comparison.rows, by);
        let total =
            all.iter().fold([0; 3], |[a, b, delta], group| [a + group.a_ps, b + group.b_ps, delta + group.delta_ps]);
        assert_eq!(total, sums(&comparison.rows), "{by:?}");
        assert_eq!(all.iter().map(|group| group.n_rows as usize).sum::<usize>(), comparison.rows.len(), "{by:?}");
        assert!(all.windows(2).all(|pair| pair[0].delta_ps.unsigned_abs() >= pair[1].delta_ps.unsigned_abs()));
        for group in all.iter().take(20) {
            let selection = RowSelection { by, group: Some(group.name.clone()), ..RowSelection::default() };
            assert!(!selection.is_grouped());
            let rows = selection.select(&comparison.rows);
            assert_eq!(rows.len(), group.n_rows as usize, "{by:?} {}", group.name);
            assert_eq!(sums(&rows), [group.a_ps, group.b_ps, group.delta_ps], "{by:?} {}", group.name);
            assert!(group.kind.is_none_or(|kind| rows.iter().all(|row| row.kind == kind)));
        }
    }
}

#[test]
fn sources_and_kinds_sum_their_rows() {
    let comparison = compared(gpu("xla"), gpu("f32"));
    // The source of a row is that of B, or else that of A.
    let source = |row: &RowDelta| {
        let source = |side: &Option<RowSide>| side.as_ref().and_then(|side| side.source.clone());
        source(&row.b).or(source(&row.a)).unwrap_or("<no source>".to_owned())
    };
    let kind = |row: &RowDelta| row.kind.key().to_owned();
    for by in [CompareBy::Source, CompareBy::Kind] {
        let key = |row: &RowDelta| if by == CompareBy::Source { source(row) } else { kind(row) };
        let mut expected: BTreeMap<String, Vec<&RowDelta>> = BTreeMap::new();
        comparison.rows.iter().for_each(|row| expected.entry(key(row)).or_default().push(row));
        let all = groups(&comparison.rows, by);
        assert_eq!(all.len(), expected.len(), "{by:?}");
        assert!(all.len() > 1, "{by:?}");
        for group in all {
            let rows = expected[&group.name].iter().copied();
            assert_eq!([group.a_ps, group.b_ps, group.delta_ps], sums(rows), "{by:?} {}", group.name);
        }
    }
    assert!(
        comparison
            .rows
            .iter()
            .flat_map(sides)
            .any(|side| side.source.as_deref().is_some_and(|source| source.contains(".py:")))
    );
}

#[test]
fn a_scope_selects_the_ops_at_and_below_it() {
    let comparison = compared(gpu("unrolled"), gpu("f32"));
    // In this capture, all numbers in folded scopes are those of layers.
    let without_numbers = |path: &str| path.replace(|c: char| c.is_ascii_digit(), "");
    let folded: Vec<&str> =
        comparison.scopes.iter().map(|scope| &*scope.path).filter(|path| path.contains("layers_*")).collect();
    assert!(folded.len() > 3, "{folded:?}");
    for path in folded {
        let selection = RowSelection { scope: path.to_owned(), ..RowSelection::default() };
        let rows = selection.select(&comparison.rows);
        let wanted = without_numbers(&path.replace("layers_*", "layers_"));
        let is_in = |side: &RowSide| {
            let scope = without_numbers(side.scope.as_deref().unwrap_or_default());
            side.scope.as_deref().is_some_and(|scope| scope.contains("layers_"))
                && (scope == wanted || scope.starts_with(&format!("{wanted}/")))
        };
        let expected: Vec<String> =
            comparison.rows.iter().filter(|row| sides(row).any(is_in)).map(RowDelta::key).collect();
        assert_eq!(rows.iter().map(RowDelta::key).collect::<Vec<_>>(), expected, "{path}");
    }
    let none = RowSelection { scope: "<no scope>".to_owned(), ..RowSelection::default() }.select(&comparison.rows);
    assert!(!none.is_empty() && none.iter().all(|row| sides(row).any(|side| side.scope.is_none())));
    // Rows of one side, within a scope.
    let only = RowSelection { scope: "<no scope>".to_owned(), rows: CompareRows::OnlyInA, ..RowSelection::default() };
    assert!(only.select(&comparison.rows).iter().all(|row| row.b.is_none()));
}

/// Groups of some rows have the names that they have among all rows, so a press on one of them shows its rows.
#[test]
fn groups_of_some_rows_show_their_rows() {
    let comparison = compared(gpu("unrolled"), gpu("f32"));
    let scopes = ["", "<no scope>"].into_iter().map(str::to_owned);
    let scopes: Vec<String> =
        scopes.chain(comparison.scopes.iter().skip(1).take(6).map(|scope| scope.path.clone())).collect();
    let mut n_groups = 0;
    for (rows, by) in CompareRows::ALL.into_iter().flat_map(|rows| CompareBy::ALL.map(|by| (rows, by))) {
        for scope in &scopes {
            let selection = RowSelection { rows, by, scope: scope.clone(), group: None };
            let selected = selection.select(&comparison.rows);
            let all = selection.groups(&comparison.rows);
            let total = all
                .iter()
                .fold([0; 3], |[a, b, delta], group| [a + group.a_ps, b + group.b_ps, delta + group.delta_ps]);
            assert_eq!(total, sums(&selected), "{selection:?}");
            for group in all {
                let one = RowSelection { group: Some(group.name.clone()), ..selection.clone() };
                assert_eq!(sums(&one.select(&comparison.rows)), [group.a_ps, group.b_ps, group.delta_ps], "{one:?}");
                assert_eq!(group.text, by.text(&group.name));
                n_groups += 1;
            }
        }
    }
    assert!(n_groups > 500, "{n_groups}");
}

#[test]
fn the_command_line_lists_groups() {
    let path = |name: &str| format!("{}/samples/gpu/{name}.graphs.xplane.pb.xz", env!("CARGO_MANIFEST_DIR"));
    let run = |more: &[&str]| {
        let args = ["compare".to_owned(), path("xla"), path("f32")];
        let output = Command::new(env!("CARGO_BIN_EXE_rooflight")).args(args).args(more).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let json: serde_json::Value = serde_json::from_str(&run(&["--by", "source", "--json", "--top", "3"])).unwrap();
    let expected = groups(&compared(gpu("xla"), gpu("f32")).rows, CompareBy::Source);
    assert_eq!((&json["by"], &json["n_groups"]), (&"source".into(), &expected.len().into()));
    let listed = json["groups"].as_array().unwrap();
    assert_eq!(listed.len(), 3);
    for (group, expected) in listed.iter().zip(&expected) {
        assert_eq!(group["name"], *expected.name);
        assert_eq!(group["delta_ps"], expected.delta_ps);
    }
    assert!(run(&["--by", "source"]).contains("Source"));
    let args = ["compare".to_owned(), path("xla"), path("f32")];
    let program = env!("CARGO_BIN_EXE_rooflight");
    let refused = Command::new(program).args(args).args(["--by", "source", "--without-sources"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--by source needs the sources"));
    let plain: serde_json::Value = serde_json::from_str(&run(&["--json", "--without-sources"])).unwrap();
    assert!(plain.get("groups").is_none());
    assert!(
        plain["rows"].as_array().unwrap().iter().all(|row| ["a", "b"].iter().all(|side| row[side]["source"].is_null()))
    );
    // Markdown has the scopes and the sources of the ops, and leaves the sources out on request.
    // The folders of a source may name a user.
    assert!(run(&["--markdown"]).contains("train.py:") && !run(&["--markdown"]).contains("/home/"));
    assert!(run(&["--markdown"]).contains(".py:") && !run(&["--markdown", "--without-sources"]).contains(".py:"));
}

#[test]
fn the_terminal_lists_groups() {
    let comparison = compared(sample("sample.xplane.pb.xz"), sample("sample.xplane.pb.xz"));
    let text = compare::text::text(&comparison, CompareBy::OpGroup, None, 5);
    assert!(text.contains("Op group") && text.contains("matmul"), "{text}");
}
