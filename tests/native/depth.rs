//! These tests check at every depth that parts sum to the whole: groups, the parts of groups, scopes and steps. The
//! tests use built captures, random captures and the real ones.

use crate::common;
use crate::common::{bytes, make, open};
use proptest::prelude::*;
use rooflight::analysis::base::NO_SCOPE;
use rooflight::analysis::base::{Analysis, DeviceChoice, GroupBy, Query, StepChoice};
use rooflight::analysis::breakdown::{MAX_PARTS, Scopes};
use rooflight::session::Opened;
use xla_profile::units::{Count, Picos};
use xla_profile::wire::proto::xspace::XSpace;

fn opened(space: &XSpace) -> (Opened, Analysis) {
    let opened = open("it.xplane.pb", bytes(space)).unwrap();
    let analysis = Analysis::new(&opened.profile);
    (opened, analysis)
}

fn sum(parts: impl Iterator<Item = Picos>) -> Picos {
    parts.sum()
}

/// Checks each node of a tree of scopes: own time and children sum to the total, kinds sum to the total, children have
/// at most as many executions as the node, and siblings are in order.
fn check_tree(tree: &Scopes) {
    for (i, node) in tree.nodes.iter().enumerate() {
        let children: Vec<_> = tree.nodes.iter().filter(|n| n.parent == Some(i as u32)).collect();
        assert_eq!(node.self_time + sum(children.iter().map(|c| c.total)), node.total, "{}", node.path);
        assert_eq!(sum(node.by_kind.into_iter()), node.total, "{}", node.path);
        assert!(children.iter().map(|c| c.n).sum::<Count>() <= node.n);
        assert!(children.is_sorted_by(|a, b| (b.total, &a.name) <= (a.total, &b.name)), "{}", node.path);
        assert!(node.parent.is_none_or(|p| (p as usize) < i && tree.nodes[p as usize].depth + 1 == node.depth));
    }
    assert_eq!(tree.nodes[0].total, tree.total);
    assert_eq!(tree.nodes.iter().filter(|n| n.parent.is_none()).count(), 1);
}

/// Checks all sums for every grouping and device, and for several steps.
fn check(opened: &Opened, analysis: &Analysis) {
    let steps = analysis.step_stats(&opened.profile);
    let devices = (0..analysis.devices.len() as u32).map(DeviceChoice::One).chain([DeviceChoice::All]);
    for device in devices {
        let numbers = steps.devices.iter().flat_map(|d| d.steps.iter().take(3)).map(|s| StepChoice::Number(s.number));
        for step in numbers.chain([StepChoice::All, StepChoice::Busiest]) {
            for by in GroupBy::ALL {
                let query = Query { device, step, by, ..Query::busiest() };
                let b = analysis.breakdown(&opened.profile, &query).unwrap();
                assert_eq!(sum(b.groups.iter().map(|g| g.total)), b.totals.busy, "{query:?}");
                for g in &b.groups {
                    assert_eq!(sum(g.parts.iter().map(|p| p.total)), g.total, "{query:?} {}", g.key);
                    assert_eq!(g.parts.iter().map(|p| p.n).sum::<Count>(), g.n_executions, "{query:?} {}", g.key);
                    assert!(g.parts.len() <= MAX_PARTS);
                    assert_eq!(sum(g.categories.values().map(|c| c.dur)), g.total);
                }
            }
            let query = Query { device, step, ..Query::busiest() };
            let busy = analysis.breakdown(&opened.profile, &query).unwrap().totals.busy;
            if let (DeviceChoice::One(index), StepChoice::All) = (device, step) {
                assert_eq!(analysis.devices[index as usize].busy, busy, "worked out without a sweep");
            }
            for least in [0.0, 0.05, 2.0] {
                let tree = analysis.scopes(&opened.profile, &query, "", least).unwrap();
                check_tree(&tree);
                assert_eq!(tree.total, busy);
                for node in tree.nodes.iter().skip(1).filter(|n| n.name != NO_SCOPE && !n.name.ends_with(" smaller")) {
                    let below = analysis.scopes(&opened.profile, &query, &node.path, least).unwrap();
                    check_tree(&below);
                    assert_eq!((below.total, below.no_scope), (node.total, Picos::ZERO), "{}", node.path);
                }
            }
        }
    }
    for (index, device) in steps.devices.iter().enumerate() {
        for step in &device.steps {
            let device = DeviceChoice::One(index as u32);
            let query = Query { device, step: StepChoice::Number(step.number), by: GroupBy::Kind, ..Query::busiest() };
            let t = analysis.breakdown(&opened.profile, &query).unwrap().totals;
            assert_eq!((step.busy, step.idle, step.by_kind), (t.busy, t.idle, t.by_kind), "{}", step.number);
        }
    }
}

#[test]
fn built_captures() {
    for space in [make::small(), make::kda()] {
        let (opened, analysis) = opened(&space);
        check(&opened, &analysis);
    }
}

#[test]
fn real_captures() {
    for (name, bytes) in common::xspaces() {
        let opened = open(name, bytes).unwrap();
        let analysis = Analysis::new(&opened.profile);
        check(&opened, &analysis);
    }
}

#[test]
fn the_tree_of_scopes() {
    let (opened, analysis) = opened(&make::kda());
    let tree = |root: &str, least: f64| analysis.scopes(&opened.profile, &Query::busiest(), root, least).unwrap();
    let result = |tree: &Scopes| -> Vec<(String, u32, u64, u64)> {
        tree.nodes.iter().map(|n| (n.name.clone(), n.depth, n.self_time.0, n.total.0)).collect()
    };
    let named = |name: &str, depth, own, total| (name.to_owned(), depth, own, total);
    let whole = tree("", 0.0);
    let expected = [
        named("", 0, 0, 1000),
        named("jit(f)/jvp(Model)/layers_0", 1, 0, 1000),
        named("kda", 2, 0, 790),
        named("proj/q/dot_general", 3, 300, 300),
        named("out/o/mul", 3, 215, 215),
        named("chunk/inner/pallas_call", 3, 200, 200),
        named("mul", 3, 75, 75),
        named("mlp/wi/dot_general", 2, 210, 210),
    ];
    assert_eq!(result(&whole), expected);
    // 28 % of 790 ps are 221 ps. All nodes but the first are smaller.
    let block = "jit(f)/jvp(Model)/layers_0/kda";
    let kda = tree(block, 0.28);
    let expected = [named(block, 0, 0, 790), named("3 smaller", 1, 490, 490), named("proj/q/dot_general", 1, 300, 300)];
    assert_eq!((result(&kda), kda.folded_small), (expected.to_vec(), 3));
    let nothing = tree("jit(g)", 0.0);
    assert_eq!((nothing.nodes.len(), nothing.total), (1, Picos::ZERO));
}

#[test]
fn ops_without_a_scope_are_one_node() {
    let (opened, analysis) = opened(&make::small());
    let tree = analysis.scopes(&opened.profile, &Query::busiest(), "", 0.9).unwrap();
    let none = tree.nodes.iter().find(|n| n.name == NO_SCOPE).unwrap();
    assert_eq!((none.total, tree.no_scope), (Picos(600), Picos(600)), "never among the smaller ones");
}

/// The order of lines in the file has no effect.
#[test]
fn lines_in_any_order() {
    let (first, analysis) = opened(&make::small());
    let mut turned = make::small();
    for plane in &mut turned.planes {
        plane.lines.reverse();
    }
    let (second, other) = opened(&turned);
    for by in GroupBy::ALL {
        let query = Query { device: DeviceChoice::All, step: StepChoice::All, by, ..Query::busiest() };
        assert_eq!(analysis.breakdown(&first.profile, &query), other.breakdown(&second.profile, &query));
    }
    let query = Query::busiest();
    assert_eq!(analysis.scopes(&first.profile, &query, "", 0.0), other.scopes(&second.profile, &query, "", 0.0));
    assert_eq!(analysis.step_stats(&first.profile), other.step_stats(&second.profile));
}

/// Returns a device with random ops on two lines, and with random steps, which may overlap.
fn random(ops: &[(u8, i64, i64)], steps: &[(i64, i64)]) -> XSpace {
    let mut p = make::Plane::new("/device:TPU:0");
    let kinds = ["loop fusion", "copy", "all-reduce", "while"];
    let scopes = ["a/b/c", "a/b", "a/b/c/d/e", "f;g"];
    let ids: Vec<i64> = (0..8)
        .map(|i| {
            let mut stats = vec![("hlo_category", make::text(kinds[i % 4]))];
            if i < 4 {
                stats.push(("tf_op", make::text(scopes[i])));
            }
            p.op(&format!("op.{i}"), "", &stats)
        })
        .collect();
    let events = |p: &mut make::Plane, odd: bool| {
        let is_chosen = |(i, _): &(usize, &(u8, i64, i64))| (i % 2 == 1) == odd;
        let line: Vec<_> =
            ops.iter().enumerate().filter(is_chosen).map(|(_, (op, s, d))| (ids[*op as usize % 8], *s, *d)).collect();
        p.line("XLA Ops", &line);
    };
    events(&mut p, false);
    events(&mut p, true);
    let steps: Vec<_> = steps.iter().enumerate().map(|(i, (s, d))| (p.op(&format!("{i}"), "", &[]), *s, *d)).collect();
    p.line("Steps", &steps);
    XSpace { planes: vec![p.done()], ..XSpace::default() }
}

/// Returns the self time of each kind and the time without an op, counted instant by instant.
fn brute(analysis: &Analysis, opened: &Opened, window: (u64, u64)) -> ([u64; 7], u64) {
    let (device, facts) = (&analysis.devices[0], &analysis.facts[0]);
    let plane = &opened.profile.planes[device.plane];
    let (mut by_kind, mut idle) = ([0; 7], 0);
    for t in window.0..window.1 {
        let mut any = false;
        for line in device.ops.iter().map(|i| &plane.lines[*i]) {
            let times = line.events.times().map(|(s, d)| (s, s + d));
            let covering = times.enumerate().filter(|(_, e)| e.0 <= t && t < e.1);
            if let Some((i, _)) = covering.max_by_key(|(i, e)| (e.0, std::cmp::Reverse(e.1), *i)) {
                by_kind[facts.get(line.events.op(i)).kind.index()] += 1;
                any = true;
            }
        }
        idle += u64::from(!any);
    }
    (by_kind, idle)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn captures_of_every_shape(
        ops in prop::collection::vec((any::<u8>(), 0i64..60, 0i64..15), 2..30),
        steps in prop::collection::vec((0i64..60, 1i64..25), 0..5),
    ) {
        let (opened, analysis) = opened(&random(&ops, &steps));
        check(&opened, &analysis);
        for (step, time) in analysis.devices[0].steps.iter().zip(&analysis.step_stats(&opened.profile).devices[0].steps) {
            let (by_kind, idle) = brute(&analysis, &opened, step.window);
            prop_assert_eq!(time.by_kind.map(|p| p.0), by_kind);
            prop_assert_eq!((time.idle.0, time.busy.0), (idle, by_kind.iter().sum::<u64>()));
        }
    }
}
