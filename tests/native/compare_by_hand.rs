//! These tests pair ops of two captures by hand: times stay, every op stays in one row, and the two sides can be swapped.

use crate::compare::{check_sums, gpu};
use rooflight::analysis::compare::matching::Tier;
use rooflight::analysis::compare::{CompareOptions, Comparison, OpPair, RowDelta, RowSide};
use rooflight::chart::compare::{UnpairedOp, remove_pairs};
use rooflight::session::compare::{CompareSide, compare_sessions};
use std::path::Path;
use std::process::Command;

fn compared(a: &mut CompareSide, b: &mut CompareSide, pairs: &[OpPair]) -> Comparison {
    let comparison =
        compare_sessions(a, b, &CompareOptions { pairs: pairs.to_vec(), ..CompareOptions::default() }).unwrap();
    check_sums(&comparison);
    comparison
}

fn pair(a: &str, b: &str) -> OpPair {
    OpPair { a: a.to_owned(), b: b.to_owned() }
}

fn swapped(pairs: &[OpPair]) -> Vec<OpPair> {
    pairs.iter().map(|chosen| pair(&chosen.b, &chosen.a)).collect()
}

/// The names of all ops of each side, in order.
fn ops(comparison: &Comparison) -> [Vec<&str>; 2] {
    let names = |side: fn(&RowDelta) -> Option<&RowSide>| {
        let mut names: Vec<&str> =
            comparison.rows.iter().filter_map(side).flat_map(|side| &side.ops).map(|op| &**op).collect();
        names.sort_unstable();
        names
    };
    [names(|row| row.a.as_ref()), names(|row| row.b.as_ref())]
}

/// The row that has this op.
fn row_with<'c>(comparison: &'c Comparison, side: fn(&RowDelta) -> &Option<RowSide>, name: &str) -> &'c RowDelta {
    let has = |row: &&RowDelta| side(row).as_ref().is_some_and(|side| side.ops.iter().any(|op| op == name));
    comparison.rows.iter().find(has).unwrap()
}

const OF_A: fn(&RowDelta) -> &Option<RowSide> = |row| &row.a;
const OF_B: fn(&RowDelta) -> &Option<RowSide> = |row| &row.b;

/// The keys of the first rows that match one op with one op: those of A and of B.
fn keys(comparison: &Comparison) -> Vec<OpPair> {
    let single = |side: &Option<RowSide>| side.as_ref().filter(|side| side.ops.len() == 1).map(RowSide::key);
    comparison.rows.iter().filter_map(|row| Some(OpPair { a: single(&row.a)?, b: single(&row.b)? })).collect()
}

fn name(key: &str) -> &str {
    key.rsplit_once('@').map_or(key, |(name, _)| name)
}

#[test]
fn ops_are_paired_by_hand_and_their_partners_are_left_alone() {
    let (mut a, mut b) = (gpu("xla"), gpu("again"));
    let plain = compared(&mut a, &mut b, &[]);
    let keys = keys(&plain);
    let wanted = pair(&keys[0].a, &keys[1].b);
    let comparison = compared(&mut a, &mut b, std::slice::from_ref(&wanted));
    let row = row_with(&comparison, OF_A, name(&wanted.a));
    assert_eq!((row.tier, row.is_ambiguous), (Some(Tier::ByHand), false));
    assert_eq!(row.b.as_ref().map(RowSide::key), Some(wanted.b.clone()));
    assert_eq!(row_with(&comparison, OF_B, name(&keys[0].b)).tier, None);
    assert_eq!(row_with(&comparison, OF_A, name(&keys[1].a)).tier, None);
    assert_eq!((comparison.delta_ps, comparison.a_ps, comparison.b_ps), (plain.delta_ps, plain.a_ps, plain.b_ps));
    assert_eq!(ops(&comparison), ops(&plain));
    assert!(comparison.notes.is_empty() && comparison.rows.len() == plain.rows.len() + 1);
    // The pair that was found anyway changes the reason of the row, and no number.
    let same = compared(&mut a, &mut b, &keys[..1]);
    let (by_hand, found) = (row_with(&same, OF_A, name(&keys[0].a)), row_with(&plain, OF_A, name(&keys[0].a)));
    assert_eq!((by_hand.delta_ps, by_hand.tier), (found.delta_ps, Some(Tier::ByHand)));
}

#[test]
fn an_op_with_several_partners_is_in_one_row_with_all_of_them() {
    let (mut a, mut b) = (gpu("xla"), gpu("batch2"));
    let keys = keys(&compared(&mut a, &mut b, &[]));
    let pairs = [pair(&keys[0].a, &keys[1].b), pair(&keys[0].a, &keys[2].b), pair(&keys[3].a, &keys[2].b)];
    let comparison = compared(&mut a, &mut b, &pairs);
    let row = row_with(&comparison, OF_A, name(&keys[0].a));
    let sorted = |side: &Option<RowSide>| {
        let mut ops = side.as_ref().map_or_else(Vec::new, |side| side.ops.clone());
        ops.sort_unstable();
        ops
    };
    let mut expected = [[&keys[0].a, &keys[3].a].map(|key| name(key)), [&keys[1].b, &keys[2].b].map(|key| name(key))];
    expected.iter_mut().for_each(|names| names.sort_unstable());
    assert_eq!([sorted(&row.a), sorted(&row.b)], expected.map(|names| names.map(str::to_owned).to_vec()));
    // The order of pairs does not matter, also where one joins two others.
    let turned = compared(&mut a, &mut b, &[pairs[2].clone(), pairs[0].clone(), pairs[1].clone()]);
    assert_eq!(row_with(&turned, OF_A, name(&keys[0].a)), row);
    // What was paired is taken apart as a whole.
    let mut left = pairs.to_vec();
    remove_pairs(&mut left, row);
    assert!(left.is_empty());
}

#[test]
fn random_pairs_keep_all_sums_and_can_be_swapped() {
    let mut random = fastrand::Rng::with_seed(7);
    let (mut a, mut b) = (gpu("xla"), gpu("batch2"));
    let keys = keys(&compared(&mut a, &mut b, &[]));
    for n in [1, 3, 8] {
        let any = |random: &mut fastrand::Rng| &keys[random.usize(..keys.len())];
        let pairs: Vec<OpPair> = (0..n).map(|_| pair(&any(&mut random).a, &any(&mut random).b)).collect();
        let comparison = compared(&mut a, &mut b, &pairs);
        let back = compared(&mut b, &mut a, &swapped(&pairs));
        assert_eq!(comparison.delta_ps, -back.delta_ps);
        assert_eq!(comparison.rows.len(), back.rows.len());
        for (there, back) in comparison.parts.iter().zip(&back.parts) {
            assert_eq!((there.owner, there.delta_ps), (back.owner, -back.delta_ps));
        }
        for found in &pairs {
            let row = row_with(&comparison, OF_A, name(&found.a));
            let partners = row.b.as_ref().map_or(&[][..], |side| &side.ops);
            assert!(row.tier == Some(Tier::ByHand) && partners.iter().any(|op| op == name(&found.b)), "{found:?}");
        }
    }
}

#[test]
fn an_op_that_does_not_exist_is_named_and_changes_nothing() {
    let (mut a, mut b) = (gpu("xla"), gpu("again"));
    let plain = compared(&mut a, &mut b, &[]);
    let real = keys(&plain)[0].clone();
    let comparison = compared(&mut a, &mut b, &[pair("no.1", &real.b), pair(&real.a, "no.2@9")]);
    assert_eq!(comparison.rows, plain.rows);
    let expected = [
        format!("no.1 is not paired with {}: A has no such op.", real.b),
        format!("{} is not paired with no.2@9: B has no such op.", real.a),
    ];
    assert_eq!(comparison.notes, expected);
}

#[test]
fn the_command_line_pairs_by_names_and_the_page_by_rows() {
    let (mut a, mut b) = (gpu("xla"), gpu("cudnn"));
    let plain = compared(&mut a, &mut b, &[]);
    let only = |is_a: bool| {
        let is_only = |row: &&RowDelta| row.tier.is_none() && row.a.is_some() == is_a;
        plain.rows.iter().find(is_only).unwrap()
    };
    let (only_a, only_b) = (only(true), only(false));
    // From either side, the page makes the same pair.
    let (_, from_a) = UnpairedOp::of_row(only_a).unwrap().with(only_b).unwrap();
    let (_, from_b) = UnpairedOp::of_row(only_b).unwrap().with(only_a).unwrap();
    assert_eq!(from_a, from_b);
    assert_eq!(UnpairedOp::of_row(only_a).unwrap().with(only_a), None);
    let comparison = compared(&mut a, &mut b, std::slice::from_ref(&from_a));
    let path =
        |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("samples/gpu/{name}.graphs.xplane.pb.xz"));
    let text = format!("{} = {}", name(&from_a.a), name(&from_a.b));
    let mut command = Command::new(env!("CARGO_BIN_EXE_rooflight"));
    let output = command.arg("compare").args([path("xla"), path("cudnn")]).args(["--json", "--pair", &text]).output();
    let json: serde_json::Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    let rows: Vec<&serde_json::Value> =
        json["rows"].as_array().unwrap().iter().filter(|row| row["tier"] == "by_hand").collect();
    let row = row_with(&comparison, OF_A, name(&from_a.a));
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0]["delta_ps"].as_i64(), rows[0]["weight"].as_f64()), (Some(row.delta_ps), Some(1.0)));
    let mut command = Command::new(env!("CARGO_BIN_EXE_rooflight"));
    let bad = command.arg("compare").args([path("xla"), path("cudnn")]).args(["--pair", "one"]).output().unwrap();
    assert_eq!(bad.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&bad.stderr).contains("an op of A, `=`, and an op of B"));
}
