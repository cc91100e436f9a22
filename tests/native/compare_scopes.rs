//! These tests check the scopes of a comparison against sums of its ops, and the pictures of scopes and of ops as points.

use crate::compare::{compared, gpu, sample};
use rooflight::analysis::compare::{Comparison, RowDelta, RowDot, RowDots, RowSide, ScopeTime, Verdict};
use rooflight::chart::compare::{self, ScopesPicture};
use rooflight::chart::plot::hit_test::Direction;
use rooflight::chart::plot::paint::Tone;
use rooflight::chart::plot::scene::{Mark, Scene, Shape};
use rooflight::protocol::CompareDots;
use std::collections::BTreeMap;

/// The time of a scope holds that of the scopes below it, the time of the root is that of all rows, and kinds sum to the total.
pub fn check_scopes(comparison: &Comparison) {
    let sides: [fn(&rooflight::analysis::compare::ScopeDelta) -> ScopeTime; 2] = [|scope| scope.a, |scope| scope.b];
    for (is_b, side) in [false, true].into_iter().zip(sides) {
        let mut below: BTreeMap<u32, u64> = BTreeMap::new();
        for (index, scope) in comparison.scopes.iter().enumerate() {
            assert!(scope.parent.is_none_or(|parent| (parent as usize) < index));
            assert_eq!(side(scope).by_kind.iter().sum::<u64>(), side(scope).total, "{}", scope.path);
            if let Some(parent) = scope.parent {
                *below.entry(parent).or_default() += side(scope).total;
            }
        }
        for (parent, sum) in below {
            assert!(
                sum <= side(&comparison.scopes[parent as usize]).total,
                "{}",
                comparison.scopes[parent as usize].path
            );
        }
        let time = |row: &rooflight::analysis::compare::RowDelta| {
            let side = if is_b { &row.b } else { &row.a };
            side.as_ref().map_or(0, |side| side.self_ps.unsigned_abs())
        };
        let rows: u64 = comparison.rows.iter().map(time).sum();
        // The time of each op, and that of each row, is rounded to a picosecond.
        let n_ops: usize =
            comparison.rows.iter().flat_map(|row| [&row.a, &row.b]).flatten().map(|side| side.ops.len()).sum();
        assert!(
            side(&comparison.scopes[0]).total.abs_diff(rows) <= n_ops as u64,
            "{} {rows}",
            side(&comparison.scopes[0]).total
        );
    }
}

/// The time of the ops whose scope is a path or lies below it, from the rows. Rows have the scope of one of their ops, so the sum
/// is right where each row has one op.
fn brute_force(comparison: &Comparison, path: &str) -> [u64; 2] {
    let mut sums = [0, 0];
    for row in &comparison.rows {
        for (sum, side) in sums.iter_mut().zip([&row.a, &row.b]) {
            let Some(side) = side else { continue };
            let scope = side.scope.as_deref().unwrap_or_default();
            if scope == path || scope.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')) {
                *sum += side.self_ps.unsigned_abs();
            }
        }
    }
    sums
}

#[test]
fn scopes_sum_their_ops() {
    let comparison = compared(gpu("xla"), gpu("again"));
    assert!(comparison.rows.iter().flat_map(|row| [&row.a, &row.b]).flatten().all(|side| side.ops.len() == 1));
    let mut n_checked = 0;
    for scope in comparison.scopes.iter().filter(|scope| scope.path.contains('/') && !scope.path.contains('*')) {
        if scope.name.ends_with(" smaller") {
            continue;
        }
        let [a, b] = brute_force(&comparison, &scope.path);
        assert!(scope.a.total.abs_diff(a) <= 100 && scope.b.total.abs_diff(b) <= 100, "{}: {a} {b}", scope.path);
        n_checked += 1;
    }
    assert!(n_checked > 20, "{n_checked}");
}

/// The longer side of the own time of a scope, and of the scopes below it.
fn longer(comparison: &Comparison, index: usize) -> u64 {
    let children = || comparison.scopes.iter().enumerate().filter(|(_, scope)| scope.parent == Some(index as u32));
    let own = |side: fn(&rooflight::analysis::compare::ScopeDelta) -> u64| {
        side(&comparison.scopes[index]) - children().map(|(_, scope)| side(scope)).sum::<u64>()
    };
    own(|scope| scope.a.total).max(own(|scope| scope.b.total))
        + children().map(|(index, _)| longer(comparison, index)).sum::<u64>()
}

#[test]
fn differences_are_one_icicle() {
    for (a, b) in [("xla", "f32"), ("unrolled", "cudnn"), ("xla", "again")] {
        let comparison = compared(gpu(a), gpu(b));
        let picture = compare::scope_differences(&comparison, "", 1200.0, 40).unwrap();
        let marks: BTreeMap<usize, &Mark> =
            picture.scene.marks.iter().filter_map(|mark| Some((picture.scope(mark.id?), mark))).collect();
        assert!(marks.len() > 20, "{a} {b}");
        let width = |index: usize| marks[&index].shape.bounds().width;
        let mut below: BTreeMap<usize, f64> = BTreeMap::new();
        for index in marks.keys() {
            let scope = &comparison.scopes[*index];
            // Each cell is as wide as brute force says: the longer side of each of the ops' scopes, and those below.
            let expected = longer(&comparison, *index) as f64 / longer(&comparison, 0) as f64 * 1200.0;
            assert!(
                (width(*index) - expected.max(0.8)).abs() <= 1.5,
                "{}: {} for {expected}",
                scope.path,
                width(*index)
            );
            if let Some(parent) = scope.parent.filter(|parent| marks.contains_key(&(*parent as usize))) {
                *below.entry(parent as usize).or_default() += width(*index);
            }
            let label = &marks[index].label;
            assert_eq!(label.ends_with(" gone"), scope.a.total > 0 && scope.b.total == 0, "{label}");
            assert_eq!(label.ends_with(" new"), scope.a.total == 0 && scope.b.total > 0, "{label}");
        }
        // Children are not wider than their parent.
        assert!(below.iter().all(|(parent, sum)| *sum <= width(*parent) + 1.5), "{a} {b}");
        let is_tinted = |tone: Tone| picture.scene.marks.iter().any(|mark| mark.paint.fill == Some(tone));
        // Of the same run, nothing is coloured.
        assert_eq!(is_tinted(Tone::Worse) || is_tinted(Tone::Better), b != "again", "{a} {b}");
        let root = picture.scene.marks.iter().find_map(|mark| mark.id).unwrap();
        assert!(picture.walk(root, Direction::Down).is_some());
        assert!(compare::scope_differences(&comparison, "", 0.0, 40).is_none());
    }
}

#[test]
fn scopes_of_swapped_sides_are_swapped() {
    let (comparison, swapped) = (compared(gpu("xla"), gpu("f32")), compared(gpu("f32"), gpu("xla")));
    let times = |comparison: &Comparison, is_swapped: bool| -> BTreeMap<String, (u64, u64)> {
        let time = |scope: &rooflight::analysis::compare::ScopeDelta| {
            let (a, b) = (scope.a.total, scope.b.total);
            if is_swapped { (b, a) } else { (a, b) }
        };
        comparison.scopes.iter().map(|scope| (format!("{}|{}", scope.path, scope.name), time(scope))).collect()
    };
    assert_eq!(times(&comparison, false), times(&swapped, true));
}

fn cells(scene: &Scene) -> Vec<(u32, f64, f64)> {
    let cell = |mark: &Mark| match (mark.id, &mark.shape) {
        (Some(id), Shape::Rect { x, w, .. }) => Some((id, *x, *w)),
        _ => None,
    };
    scene.marks.iter().filter_map(cell).collect()
}

fn tints(picture: &ScopesPicture) -> usize {
    let is_tint = |mark: &&Mark| matches!(mark.paint.fill, Some(Tone::Better | Tone::Worse));
    picture.scene.marks.iter().filter(is_tint).count()
}

/// Widths of both icicles are on one scale: the same time has the same width.
#[test]
fn both_icicles_have_one_scale() {
    let comparison = compared(gpu("f32"), gpu("xla"));
    let picture = compare::scopes(&comparison, "", 1200.0, 7).unwrap();
    let n = comparison.scopes.len() as u32;
    let longest = comparison.scopes[0].a.total.max(comparison.scopes[0].b.total) as f64;
    let all = cells(&picture.scene);
    assert!(all.len() > 60);
    let mut of_side = [0, 0];
    for (id, x, w) in all {
        let scope = &comparison.scopes[picture.scope(id)];
        let (side, time) = if id < n { (0, scope.a.total) } else { (1, scope.b.total) };
        of_side[side] += 1;
        // One pixel is the gap to the next cell, and edges are multiples of 1/64 of a pixel.
        // A very narrow cell is drawn with 0.8 px.
        let exact = (time as f64 / longest * 1178.0 - 1.0).max(0.8);
        assert!((w - exact).abs() < 0.3, "{}: {w}", scope.path);
        assert!(x >= 22.0 && x + w <= 1200.0);
    }
    assert!(of_side.iter().all(|n| *n > 20), "{of_side:?}");
    assert!(tints(&picture) > 10);
    // Equal captures have no tint, and differences within noise have none.
    let same = compared(gpu("xla"), gpu("again"));
    assert_eq!(same.verdict, Verdict::WithinNoise);
    assert_eq!(tints(&compare::scopes(&same, "", 1200.0, 7).unwrap()), 0);
    // A zoomed scope takes the whole width.
    let path = &comparison.scopes.iter().find(|scope| scope.path.ends_with("attention")).unwrap().path;
    let zoomed = compare::scopes(&comparison, path, 1200.0, 7).unwrap();
    let first = cells(&zoomed.scene)[0];
    assert_eq!((&comparison.scopes[zoomed.scope(first.0)].path, first.1), (path, 22.0));
    assert!((first.2 - 1177.0).abs() < 0.1);
    assert!(compare::scopes(&comparison, "", 10.0, 7).is_none());
}

#[test]
fn keys_walk_from_one_icicle_to_the_other() {
    let comparison = compared(gpu("f32"), gpu("xla"));
    let picture = compare::scopes(&comparison, "", 1200.0, 7).unwrap();
    let n = comparison.scopes.len() as u32;
    let mut cell = cells(&picture.scene)[0].0;
    for _ in 0..40 {
        match picture.walk(cell, Direction::Down) {
            Some(next) => cell = next,
            None => break,
        }
    }
    assert!(cell >= n, "the way down ends in B");
    for _ in 0..40 {
        match picture.walk(cell, Direction::Up) {
            Some(next) => cell = next,
            None => break,
        }
    }
    assert_eq!(cell, 0, "the way up ends at the root of A");
}

#[test]
fn points_are_the_rows_of_both_sides() {
    let comparison = compared(gpu("xla"), gpu("f32"));
    let RowDots { dots, n_dots, .. } = comparison.dots(30);
    let has_time = |side: &Option<RowSide>| side.as_ref().is_some_and(|side| side.self_ps > 0);
    let matched = comparison.rows.iter().filter(|row| has_time(&row.a) && has_time(&row.b));
    assert!(dots.len() == 30 && n_dots as usize >= matched.clone().count());
    let is_scope = |dot: &&RowDot| dot.name.ends_with(": ops without a partner");
    for dot in dots.iter().filter(|dot| !is_scope(dot)) {
        let row = matched.clone().find(|row| row.key() == dot.key).unwrap();
        let time = |side: &Option<RowSide>| side.as_ref().unwrap().self_ps.unsigned_abs();
        assert_eq!((dot.a_ps, dot.b_ps, dot.name.as_str()), (time(&row.a), time(&row.b), row.name()));
    }
    let longest = dots.iter().map(|dot| dot.a_ps.max(dot.b_ps)).collect::<Vec<_>>();
    assert!(longest.is_sorted_by(|a, b| a >= b));
    // Ops without a partner are one point for each scope of both sides, and the others are named as left out.
    let RowDots { dots, omitted_ps, .. } = comparison.dots(usize::MAX);
    let unmatched = |own: fn(&RowDelta) -> &Option<RowSide>, other: fn(&RowDelta) -> &Option<RowSide>| -> u64 {
        let rows = comparison.rows.iter().filter(|row| other(row).is_none());
        rows.filter_map(|row| own(row).as_ref()).map(|side| side.self_ps.unsigned_abs()).sum()
    };
    let of_scopes = |time: fn(&RowDot) -> u64| dots.iter().filter(is_scope).map(time).sum::<u64>();
    assert_eq!(of_scopes(|dot| dot.a_ps) + omitted_ps[0], unmatched(|row| &row.a, |row| &row.b));
    assert_eq!(of_scopes(|dot| dot.b_ps) + omitted_ps[1], unmatched(|row| &row.b, |row| &row.a));
    // Points above the diagonal are slower in B.
    let RowDots { dots, n_dots: n_rows, omitted_ps } = comparison.dots(1_000);
    let rows = CompareDots { dots, n_rows, omitted_ps };
    assert_eq!(compare::left_out(&rows).is_some(), omitted_ps != [0, 0]);
    let scene = compare::scatter(&comparison, &rows, (900.0, 380.0)).unwrap();
    let (left, right, top, bottom) = (52.0, 878.0, 10.0, 346.0);
    let mut n = 0;
    for mark in &scene.marks {
        let (Some(id), Shape::Circle { x, y, .. }) = (mark.id, &mark.shape) else { continue };
        let dot = &rows.dots[id as usize];
        let (across, up) = ((x - left) / (right - left), (bottom - y) / (bottom - top));
        assert!((-0.001..=1.001).contains(&across) && (-0.001..=1.001).contains(&up));
        let is_inside = across > 0.001 && up > 0.001;
        assert!(!is_inside || (up > across) == (dot.b_ps > dot.a_ps) || (up - across).abs() < 1e-9, "{}", dot.name);
        n += 1;
    }
    assert_eq!(n, rows.dots.len());
    assert!(scene.marks.iter().any(|mark| mark.paint.fill == Some(Tone::Worse)));
    assert_eq!(
        compare::scatter(&comparison, &CompareDots { dots: Vec::new(), n_rows: 0, omitted_ps: [0, 0] }, (900.0, 380.0)),
        None
    );
}

/// Layers in a scan and unrolled layers are the same work, and most of their time has a partner.
#[test]
fn scanned_layers_match_unrolled_ones() {
    let comparison = compared(gpu("xla"), gpu("unrolled"));
    let (a, b) = comparison.matched_shares();
    assert!(a > 0.85 && b > 0.85, "{a} {b}");
    let other_way = compared(gpu("unrolled"), gpu("xla"));
    assert_eq!(other_way.matched_shares(), (b, a));
    check_scopes(&compared(sample("sample.xplane.pb.xz"), sample("sample.xplane.pb.xz")));
}
