//! This module sums the time of the ops of each scope. The page draws the tree of scopes (`base::scope_tree`).
//!
//! If no path is requested, the root stands for everything, and its total is the busy time of the ops that the filter selects.

use super::query::{merged_paths, shown};
use crate::analysis::base::analysis::Analysis;
use crate::analysis::base::rows::{SessionFacts, Slice, each};
use crate::analysis::base::scope_tree::{ScopeSums, ScopeTree, ScopeTreeNode, scope_tree};
use crate::analysis::base::{FilterError, Query};
use crate::analysis::classify::scope_path::is_within;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xla_profile::profile::{Note, Profile, StrId};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::{Count, Picos};

/// A tree of scopes, parents before children.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scopes {
    /// The requested path; empty: all scopes.
    pub root: String,
    /// The root comes first. Siblings are sorted by total, most first, then by name.
    pub nodes: Vec<ScopeNode>,
    /// Self time of the root.
    pub total: Picos,
    /// Self time of ops without a scope path, which is a part of `total`.
    pub no_scope: Picos,
    /// Number of nodes that are summed into nodes named "N smaller".
    pub folded_small: u32,
    /// Notes on assumptions and on data that is left out.
    pub notes: Vec<Note>,
}

/// A node of the tree of scopes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScopeNode {
    /// The segment of the node; for a chain of nodes, all segments, joined by slashes. `layers_* ×30` stands for 30
    /// unrolled layers.
    pub name: String,
    /// The whole path, with `*` for the number of an unrolled layer; for "N smaller", the path of the parent.
    pub path: String,
    /// Index of the parent; `None` for the root.
    pub parent: Option<u32>,
    /// Number of levels above the node; 0 for the root.
    pub depth: u32,
    /// Self time of ops whose path ends here.
    pub self_time: Picos,
    /// Self time of all ops here and below.
    pub total: Picos,
    /// Executions of all ops here and below.
    pub n: Count,
    /// Self time per kind of all ops here and below, by [`crate::analysis::classify::Kind::index`].
    pub by_kind: [Picos; 7],
}

#[derive(Clone, Copy, Default)]
struct Sums {
    time: Picos,
    n: Count,
    by_kind: [Picos; 7],
}

impl ScopeSums for Sums {
    fn add(&mut self, other: &Self) {
        self.time += other.time;
        self.n += other.n;
        self.by_kind.iter_mut().zip(other.by_kind).for_each(|(sum, part)| *sum += part);
    }

    fn size(&self) -> u64 {
        self.time.0
    }

    fn is_empty(&self) -> bool {
        self.n == Count::default() && self.time == Picos::ZERO
    }
}

impl Analysis {
    /// Returns the tree of scopes at and below `root`. Nodes with less than `min_share` (a fraction) of the root's time
    /// are summed into one node per parent.
    ///
    /// # Errors
    /// Returns [`FilterError`] if the filter's text is to be a regular expression and is not valid.
    pub fn scopes(&self, profile: &Profile, query: &Query, root: &str, min_share: f64) -> Result<Scopes, FilterError> {
        let matcher = query.filter.compile()?;
        let session = self.session_facts(profile);
        let selection = self.selection(profile, query);
        let (by_scope, no_scope) = sums(session, &shown(session, &selection.slices, &matcher), root);
        let mut notes = selection.notes;
        if self.merged_paths() {
            notes.push(merged_paths());
        }
        let ScopeTree { nodes, folded_small } = scope_tree(by_scope, root, no_scope, min_share);
        let nodes: Vec<ScopeNode> = nodes.into_iter().map(node).collect();
        let total = nodes.first().map_or(Picos::ZERO, |root| root.total);
        let no_scope = no_scope.unwrap_or_default().time;
        Ok(Scopes { root: root.to_owned(), nodes, total, no_scope, folded_small, notes })
    }
}

fn node(node: ScopeTreeNode<Sums>) -> ScopeNode {
    let ScopeTreeNode { name, path, parent, depth, own, total } = node;
    let Sums { time, n, by_kind } = total;
    ScopeNode { name, path, parent, depth, self_time: own.time, total: time, n, by_kind }
}

/// Returns the sums by scope path at and below the root, sorted by path, and the sums over ops without a path if the
/// root is empty.
fn sums<'a>(session: SessionFacts<'a>, slices: &[Slice], root: &str) -> (Vec<(&'a str, Sums)>, Option<Sums>) {
    let mut by_scope: FxHashMap<Option<StrId>, Sums> = FxHashMap::default();
    each(slices, |member, time| {
        let facts = session.op(slices[member.slice as usize].device, member.op).1;
        let sums = by_scope.entry(facts.scope).or_default();
        sums.time += Picos(time.self_time);
        sums.n += time.n;
        sums.by_kind[facts.kind.index()] += Picos(time.self_time);
    });
    let none = by_scope.remove(&None).filter(|_| root.is_empty());
    let named = |(scope, sums): (Option<StrId>, Sums)| Some((session.words.get(scope?), sums));
    let mut all: Vec<(&str, Sums)> = by_scope.into_iter().filter_map(named).collect();
    all.retain(|(path, _)| is_within(path, root));
    all.small_sort_by_key(|(path, _)| *path);
    (all, none)
}
