//! These tests check that filters select ops: the matching ops are shown, and never more time than the capture has.

use crate::common::{bytes, make, open};
use rooflight::analysis::base::{Analysis, Filter, FilterError, FilterField, GroupBy, Query, StepChoice};
use rooflight::analysis::breakdown::Breakdown;
use rooflight::analysis::classify::Kind;
use xla_profile::units::Picos;

fn filtered(
    space: &xla_profile::wire::proto::xspace::XSpace,
    by: GroupBy,
    filter: Filter,
) -> Result<Breakdown, FilterError> {
    let opened = open("it.xplane.pb", bytes(space)).unwrap();
    Analysis::new(&opened.profile).breakdown(&opened.profile, &Query { by, filter, ..Query::busiest() })
}

fn text(text: &str, within: FilterField) -> Filter {
    Filter { text: text.into(), within, ..Filter::default() }
}

/// By hand, the kernel has 200 ps and the multiplication 75 ps of 1000 ps. With the other ops of the block, 790 ps
/// match.
#[test]
fn a_name_of_a_block_and_of_a_kernel() {
    let space = make::kda();
    for by in GroupBy::ALL {
        let leaf = filtered(&space, by, text("kda", FilterField::Leaf)).unwrap();
        assert_eq!(
            (leaf.shown.total, leaf.shown.n_events, leaf.shown.of_step),
            (Picos(275), 2.into(), Some(0.275)),
            "{by:?}"
        );
        let anywhere = filtered(&space, by, text("KDA", FilterField::Anywhere)).unwrap();
        assert_eq!((anywhere.shown.total, anywhere.shown.of_step), (Picos(790), Some(0.79)), "{by:?}");
        for b in [leaf, anywhere] {
            assert_eq!(b.groups.iter().map(|g| g.total).sum::<Picos>(), b.shown.total, "{by:?}");
            assert!(b.groups.iter().filter_map(|g| g.of_step).sum::<f64>() <= 1.0, "{by:?}");
            assert_eq!(b.totals.busy, Picos(1000), "totals are those of the window");
            assert_eq!(b.shown.anywhere, None, "something matched");
        }
    }
    let rows = filtered(&space, GroupBy::Op, text("kda", FilterField::Leaf)).unwrap();
    assert_eq!((rows.groups.len(), rows.shown.n_all), (2, 5));
    let kinds = filtered(&space, GroupBy::Kind, text("kda", FilterField::Leaf)).unwrap();
    assert_eq!((kinds.groups.len(), kinds.shown.n_all, kinds.groups[0].total), (1, 1, Picos(275)));
}

#[test]
fn a_filter_without_matches_counts_matches_anywhere() {
    let space = make::kda();
    let b = filtered(&space, GroupBy::Op, text("jvp", FilterField::Leaf)).unwrap();
    assert_eq!((b.groups.len(), b.shown.total, b.shown.anywhere, b.shown.n_all), (0, Picos::ZERO, Some(5), 5));
    let b = filtered(&space, GroupBy::Op, text("nowhere", FilterField::Source)).unwrap();
    assert_eq!(b.shown.anywhere, Some(0));
    assert_eq!(filtered(&space, GroupBy::Op, text("nowhere", FilterField::Anywhere)).unwrap().shown.anywhere, None);
}

#[test]
fn sources_kinds_and_scopes() {
    let small = make::small();
    let b = filtered(&small, GroupBy::Op, text("MODEL.py:1", FilterField::Source)).unwrap();
    assert_eq!(b.groups.iter().map(|g| g.key.as_str()).collect::<Vec<_>>(), ["fusion.1"]);
    assert_eq!(b.shown.total, Picos(200), "step 7");
    let caller = filtered(&small, GroupBy::Op, text("train.py", FilterField::Source)).unwrap();
    assert_eq!(caller.shown.total, Picos::ZERO, "not the innermost frame");

    let kda = make::kda();
    let scope = |scope: &str| Filter { scope: scope.into(), ..Filter::default() };
    let within = |path: &str| filtered(&kda, GroupBy::Op, scope(path)).unwrap().shown.total;
    assert_eq!(within("jit(f)/jvp(Model)/layers_0/kda"), Picos(790));
    assert_eq!(within("jit(f)/jvp(Model)/layers_0/mlp/wi/dot_general"), Picos(210));
    assert_eq!(within("jit(f)/jvp(Model)/layers_0/k"), Picos::ZERO, "no whole segment");
    let both = Filter { kind: Some(Kind::Host), ..scope("jit(f)") };
    let b = filtered(&kda, GroupBy::Op, both).unwrap();
    assert_eq!((b.shown.total, b.shown.n_all), (Picos::ZERO, 0), "rows without the text alone");
}

#[test]
fn patterns() {
    let pattern = |p: &str| Filter { text: p.into(), regex: true, ..Filter::default() };
    let b = filtered(&make::kda(), GroupBy::Op, pattern(r"^fusion\.[12]$")).unwrap();
    assert_eq!(b.shown.total, Picos(515));
    let error = filtered(&make::kda(), GroupBy::Op, pattern("kda(")).unwrap_err();
    assert_eq!(error.column, 4);
}

/// Each op has one kind, so the parts of a filter by kind sum to the filter without a kind.
#[test]
fn a_filter_by_kind_adds_up() {
    let small = make::small();
    for (needle, within) in
        [("", FilterField::Leaf), ("f", FilterField::Leaf), ("mlp", FilterField::Anywhere), ("py", FilterField::Source)]
    {
        let whole = filtered(&small, GroupBy::Op, text(needle, within)).unwrap();
        let part =
            |kind: Kind| filtered(&small, GroupBy::Op, Filter { kind: Some(kind), ..text(needle, within) }).unwrap();
        let parts: Vec<Breakdown> = Kind::ALL.into_iter().map(part).collect();
        assert_eq!(parts.iter().map(|b| b.shown.total).sum::<Picos>(), whole.shown.total);
        assert_eq!(parts.iter().map(|b| b.groups.len()).sum::<usize>(), whole.groups.len(), "an op is of one kind");
        assert!(whole.shown.total <= whole.totals.busy);
        for (kind, part) in Kind::ALL.into_iter().zip(&parts) {
            assert_eq!(part.shown.by_kind[kind.index()], part.shown.total);
            assert_eq!(part.shown.total, whole.shown.by_kind[kind.index()]);
        }
    }
}

/// Without a filter, the shown part is the whole.
#[test]
fn without_a_filter_everything_is_shown() {
    let opened = open("it.xplane.pb", bytes(&make::small())).unwrap();
    let analysis = Analysis::new(&opened.profile);
    for step in [StepChoice::All, StepChoice::Number(8)] {
        for by in GroupBy::ALL {
            let b = analysis.breakdown(&opened.profile, &Query { step, by, ..Query::busiest() }).unwrap();
            assert_eq!((b.shown.total, b.shown.n_events), (b.totals.busy, b.totals.n_events));
            assert_eq!((b.shown.by_kind, b.shown.n_all as usize), (b.totals.by_kind, b.groups.len()));
        }
    }
}
