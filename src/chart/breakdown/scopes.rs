//! This module prepares the tree of scopes for the icicle: the nodes, and the texts of cells, tooltips and breadcrumbs.
//! The layout itself is in `plot::icicle`. This module does not depend on a browser.

use crate::analysis::breakdown::{ScopeNode, Scopes};
use crate::analysis::classify::{Kind, scope_segments};
use crate::chart::plot::icicle::Node;
use crate::chart::widgets::tip::{Tip, row};
use crate::table::format;
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Converts the scopes into the nodes that the icicle layout takes.
/// `window` is the length of the window of which the cells show shares, if it is known.
pub fn nodes(scopes: &Scopes, window: Option<Picos>) -> Vec<Node> {
    scopes
        .nodes
        .iter()
        .map(|node| Node {
            parent: node.parent,
            name: name(node),
            figure: figure(node.total.0, window),
            total: node.total.0,
            parts: node.by_kind.map(|time| time.0),
            tint: None,
        })
        .collect()
}

/// Returns the index of the node at which the drawing starts. If the root has one child and no self time of its own,
/// the child has the same time as the root, and the drawing starts at the child. Otherwise, the index is 0.
pub fn first(scopes: &Scopes) -> u32 {
    let mut children = scopes.nodes.iter().enumerate().filter(|(_, node)| node.parent == Some(0));
    let only = children.next().filter(|_| children.next().is_none());
    let nothing_else = scopes.nodes.first().is_some_and(|root| root.self_time == Picos::ZERO);
    only.filter(|_| nothing_else).and_then(|(index, _)| u32::try_from(index).ok()).unwrap_or(0)
}

/// Returns the name of a node. The root of everything has no path segment and is called "all ops".
fn name(node: &ScopeNode) -> String {
    if node.name.is_empty() { "all ops".to_owned() } else { node.name.clone() }
}

/// Returns the time of a cell and its share of the window: "31.73 ms · 26.0 %". `total` is in ps. Without a window, the
/// text is the time alone.
fn figure(total: u64, window: Option<Picos>) -> String {
    let time = Picos(total);
    match window.and_then(|window| time.fraction_of(window)) {
        Some(share) => format!("{} · {}", format::time_text(time), format::percent_text(share)),
        None => format::time_text(time),
    }
}

/// Builds the tooltip of a cell. `whole` is the word for the window: "step" or "capture".
pub fn tip(node: &ScopeNode, window: Option<Picos>, whole: &str) -> Tip {
    let share = |time: Picos| {
        let text = format::time_text(time);
        let part = window.and_then(|window| time.fraction_of(window)).map(format::percent_text);
        part.map_or_else(|| text.clone(), |part| format!("{text}, {part} of the {whole}"))
    };
    let mut rows = vec![row("Self time, all below", share(node.total)), row("Exactly", format::exact_time(node.total))];
    if node.self_time > Picos::ZERO && node.self_time != node.total {
        rows.push(row("Self (no deeper scope)", format::time_text(node.self_time)));
    }
    rows.push(row("Executions", format::executions(node.n)));
    let mut kinds: Vec<(Kind, Picos)> =
        Kind::ALL.into_iter().zip(node.by_kind).filter(|(_, time)| *time > Picos::ZERO).collect();
    kinds.small_sort_by_key(|(_, time)| Reverse(*time));
    rows.extend(kinds.into_iter().map(|(kind, time)| {
        let share = time.fraction_of(node.total).map(format::percent_text).unwrap_or_default();
        row(kind.label(), format!("{}, {share}", format::time_text(time)))
    }));
    Tip { title: if node.path.is_empty() { name(node) } else { node.path.clone() }, rows }
}

/// Returns each segment of a path with the path that ends in it, outermost first. The breadcrumbs of a zoom show these.
pub fn crumbs(path: &str) -> Vec<(String, String)> {
    let mut end = 0;
    let one = |segment: &str| {
        end += segment.len();
        let crumb = (segment.to_owned(), path.get(..end).unwrap_or(path).to_owned());
        end += 1;
        crumb
    };
    scope_segments(path).filter(|_| !path.is_empty()).map(one).collect()
}

/// Returns the path without its last segment; empty if no segment remains.
pub fn out_of(path: &str) -> String {
    crumbs(path).into_iter().rev().nth(1).map(|(_, outer)| outer).unwrap_or_default()
}

/// Returns the share of the time without a scope: "15.7 % of the time has no scope". `None` if all ops have a scope.
pub fn no_scope_text(scopes: &Scopes) -> Option<String> {
    let share = scopes.no_scope.fraction_of(scopes.total).filter(|share| *share > 0.0)?;
    Some(format!("{} of the time has no scope", format::percent_text(share)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, path: &str, self_time: u64, total: u64) -> ScopeNode {
        let by_kind = [Picos(total), Picos(0), Picos(0), Picos(0), Picos(0), Picos(0), Picos(0)];
        ScopeNode {
            name: name.to_owned(),
            path: path.to_owned(),
            parent: None,
            depth: 0,
            self_time: Picos(self_time),
            total: Picos(total),
            n: 3.into(),
            by_kind,
        }
    }

    #[test]
    fn single_child_of_the_root_becomes_the_root() {
        let child = |path: &str| ScopeNode { parent: Some(0), ..node(path, path, 1, 1) };
        let scopes = |self_time: u64, children: Vec<ScopeNode>| Scopes {
            root: String::new(),
            nodes: std::iter::once(node("", "", self_time, 9)).chain(children).collect(),
            total: Picos(9),
            no_scope: Picos::ZERO,
            folded_small: 0,
            notes: Vec::new(),
        };
        assert_eq!(first(&scopes(0, vec![child("a")])), 1);
        assert_eq!(first(&scopes(1, vec![child("a")])), 0, "ops of the root itself are drawn");
        assert_eq!(first(&scopes(0, vec![child("a"), child("b")])), 0);
        assert_eq!(first(&scopes(0, vec![])), 0);
    }

    #[test]
    fn crumbs_and_parents_of_paths() {
        assert_eq!(crumbs("a/b"), [("a".to_owned(), "a".to_owned()), ("b".to_owned(), "a/b".to_owned())]);
        assert_eq!(crumbs("é/b")[1].1, "é/b");
        assert!(crumbs("").is_empty());
        let nested = crumbs("jit(f)/transpose(jvp(a/b))/c").into_iter().map(|(segment, _)| segment);
        assert_eq!(nested.collect::<Vec<_>>(), ["jit(f)", "transpose(jvp(a/b))", "c"], "as the tree has them");
        assert_eq!(out_of("jit(f)/transpose(jvp(a/b))"), "jit(f)");
        assert_eq!([out_of("a/b/c"), out_of("a"), out_of("")], ["a/b", "", ""]);
    }

    #[test]
    fn cells_say_their_time_and_share() {
        assert_eq!(figure(31_730_000_000, Some(Picos(122_000_000_000))), "31.73 ms · 26.0 %");
        assert_eq!(figure(5, None), "5 ps");
        let tip = tip(&node("b", "a/b", 1_000_000_000, 4_000_000_000), Some(Picos(8_000_000_000)), "step");
        assert_eq!(tip.title, "a/b");
        assert_eq!(tip.rows[0].1, "4.00 ms, 50.0 % of the step");
        assert_eq!(tip.rows[2], ("Self (no deeper scope)".to_owned(), "1.00 ms".to_owned()));
        assert_eq!(tip.rows[4], ("Compute".to_owned(), "4.00 ms, 100.0 %".to_owned()));
    }
}
