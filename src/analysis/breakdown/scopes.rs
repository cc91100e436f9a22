//! This module builds the tree of scopes: `tf_op` split on `/`, with the time of each node. The page draws the tree.
//!
//! ```text
//!  train 100 ─┬─ layers_0 60 ─┬─ attn 40      own + Σ children = total, at every node
//!             │               └─ mlp 15       (own: ops whose path ends here; 5 at layers_0)
//!             ├─ <no scope> 30                ops without a path
//!             └─ 7 smaller 10                 the nodes below the threshold, as one node
//! ```
//!
//! The layers of an unrolled model are one node (`layers_*`), as those of a scan are. Nodes with one child and no
//! time of their own form a chain, which is shown as one node. If no path is requested, the root stands for
//! everything, and its total is the busy time of the ops that the filter selects.

use super::folded_scopes::{FoldedPaths, fold};
use super::query::{merged_paths, shown};
use super::row_view::NO_SCOPE;
use crate::analysis::base::analysis::Analysis;
use crate::analysis::base::rows::{SessionFacts, Slice, each};
use crate::analysis::base::{FilterError, Query};
use crate::analysis::classify::scope_path::{is_within, segments};
use crate::profile::{Note, Profile, StrId};
use crate::small_sort::SmallSort;
use crate::units::{Count, Picos};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

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

/// The largest number of levels. Deeper segments form one node. No program is nested so deeply, but a damaged text may
/// be.
const MAX_DEPTH: usize = 200;

/// A node while the tree is built.
#[derive(Default)]
struct Growing<'a> {
    /// The whole path, of which `name` is the last segment.
    path: &'a str,
    name: &'a str,
    parent: u32,
    children: Vec<u32>,
    sums: Sums,
}

#[derive(Clone, Copy, Default)]
struct Sums {
    /// Self time of ops whose path ends here.
    self_time: Picos,
    self_n: Count,
    total: Picos,
    n: Count,
    by_kind: [Picos; 7],
}

impl Sums {
    fn add(&mut self, other: &Self) {
        self.total += other.total;
        self.n += other.n;
        self.by_kind.iter_mut().zip(other.by_kind).for_each(|(sum, part)| *sum += part);
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
        let (by_scope, n_layers) = folded(by_scope, root);
        let mut tree = grow(&by_scope, root, no_scope.as_ref());
        // Children come after their parents, so the reverse order completes children first.
        for i in (1..tree.len()).rev() {
            let (sums, parent) = (tree[i].sums, tree[i].parent as usize);
            tree[parent].sums.add(&sums);
        }
        let total = tree[0].sums.total;
        let (nodes, folded_small) = to_nodes(&tree, root, total.as_f64() * min_share, &n_layers);
        let no_scope = no_scope.unwrap_or_default().total;
        Ok(Scopes { root: root.to_owned(), nodes, total, no_scope, folded_small, notes })
    }
}

/// Returns the sums by scope path at and below the root, sorted by path, and the sums over ops without a path if the
/// root is empty.
fn sums<'a>(session: SessionFacts<'a>, slices: &[Slice], root: &str) -> (Vec<(&'a str, Sums)>, Option<Sums>) {
    let mut by_scope: FxHashMap<Option<StrId>, Sums> = FxHashMap::default();
    each(slices, |member, time| {
        let facts = session.op(slices[member.slice as usize].device, member.op).1;
        let sums = by_scope.entry(facts.scope).or_default();
        sums.self_time += Picos(time.self_time);
        sums.self_n += time.n;
        sums.total += Picos(time.self_time);
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

/// Returns the sums by path with folded layers, sorted by path, and the number of layers of each folded path. A path may
/// occur several times.
fn folded(by_scope: Vec<(&str, Sums)>, root: &str) -> (Vec<(String, Sums)>, IndexMap<String, usize>) {
    let paths: Vec<&str> = by_scope.iter().map(|(path, _)| *path).collect();
    let FoldedPaths { paths, n_layers } = fold(&paths, root);
    let mut all: Vec<(String, Sums)> = paths.into_iter().zip(by_scope.into_iter().map(|(_, sums)| sums)).collect();
    all.small_sort_by(|(a, _), (b, _)| a.cmp(b));
    (all, n_layers)
}

/// Builds the tree. Each node has the sums over ops whose path ends there, and node 0 is the root.
fn grow<'a>(scopes: &'a [(String, Sums)], root: &str, none: Option<&Sums>) -> Vec<Growing<'a>> {
    let mut tree = vec![Growing::default()];
    let mut places: IndexMap<(u32, &str), u32> = IndexMap::default();
    for (path, sums) in scopes {
        let below = &path[root.len()..];
        let mut node = 0;
        let mut end = root.len();
        // Below a root that is not empty, the rest of the path begins with a slash, so its first segment is empty.
        let segments = segments(below).enumerate().skip(usize::from(!root.is_empty()));
        for (i, mut segment) in segments.take(MAX_DEPTH) {
            end += segment.len() + usize::from(i > 0);
            if i == MAX_DEPTH - 1 {
                segment = &path[end - segment.len()..];
                end = path.len();
            }
            node = *places.entry((node, segment)).or_insert_with(|| {
                let at = tree.len() as u32;
                tree.push(Growing { path: &path[..end], name: segment, parent: node, ..Growing::default() });
                tree[node as usize].children.push(at);
                at
            });
        }
        let at = &mut tree[node as usize].sums;
        at.self_time += sums.self_time;
        at.self_n += sums.self_n;
        at.add(sums);
    }
    if let Some(none) = none {
        let at = tree.len() as u32;
        tree.push(Growing { path: NO_SCOPE, name: NO_SCOPE, sums: *none, ..Growing::default() });
        tree[0].children.push(at);
    }
    tree
}

/// A node to report: a node of the tree, or the sum of the nodes below the threshold that have one parent.
enum Next {
    Node(u32),
    Smaller { of: String, n: u32, sums: Sums },
}

/// Returns the nodes in order, and the number of nodes that are summed into "N smaller". Uses no recursion, because a
/// path may have any length.
fn to_nodes(tree: &[Growing<'_>], root: &str, least: f64, n_layers: &IndexMap<String, usize>) -> (Vec<ScopeNode>, u32) {
    let mut nodes: Vec<ScopeNode> = Vec::new();
    let mut folded = 0;
    let mut stack = vec![(Next::Node(0), None, 0)];
    while let Some((next, parent, depth)) = stack.pop() {
        let at = nodes.len() as u32;
        let (name, path, sums, last) = match next {
            Next::Smaller { of, n, sums } => (format!("{n} smaller"), of, Sums { self_time: sums.total, ..sums }, None),
            Next::Node(0) => (root.to_owned(), root.to_owned(), tree[0].sums, Some(0)),
            Next::Node(first) => {
                let (name, last) = chain(tree, first, n_layers);
                let node = &tree[last as usize];
                (name, node.path.to_owned(), node.sums, Some(last))
            }
        };
        let children = last.map_or(Vec::new(), |last| children(tree, last, &path, least));
        folded += children.iter().map(|c| if let Next::Smaller { n, .. } = c { *n } else { 0 }).sum::<u32>();
        stack.extend(children.into_iter().rev().map(|child| (child, Some(at), depth + 1)));
        let Sums { self_time, total, n, by_kind, .. } = sums;
        nodes.push(ScopeNode { name, path, parent, depth, self_time, total, n, by_kind });
    }
    (nodes, folded)
}

/// Follows a chain of nodes with one child and no ops of their own. Returns the joined name and the last node.
fn chain(tree: &[Growing<'_>], first: u32, n_layers: &IndexMap<String, usize>) -> (String, u32) {
    let named = |node: &Growing<'_>| match n_layers.get(node.path) {
        Some(n) => format!("{} ×{n}", node.name),
        None => node.name.to_owned(),
    };
    let (mut name, mut at) = (named(&tree[first as usize]), first);
    let has_ops = |node: &Growing<'_>| node.sums.self_n > 0 || node.sums.self_time > Picos::ZERO;
    while let [only] = tree[at as usize].children.as_slice()
        && !has_ops(&tree[at as usize])
    {
        at = *only;
        name = name + "/" + &named(&tree[at as usize]);
    }
    (name, at)
}

/// Returns the children of a node to report, in order.
fn children(tree: &[Growing<'_>], of: u32, path: &str, least: f64) -> Vec<Next> {
    let (mut large, mut small) = (Vec::new(), Vec::new());
    for child in &tree[of as usize].children {
        let node = &tree[*child as usize];
        // The time without a scope shows how far the tree can be trusted, so its node is never hidden.
        let is_small = node.sums.total.as_f64() < least && node.path != NO_SCOPE;
        if is_small { &mut small } else { &mut large }.push(*child);
    }
    let mut children: Vec<(Picos, String, Next)> = Vec::new();
    for child in large {
        let node = &tree[child as usize];
        children.push((node.sums.total, node.name.to_owned(), Next::Node(child)));
    }
    if !small.is_empty() {
        let mut sums = Sums::default();
        small.iter().for_each(|child| sums.add(&tree[*child as usize].sums));
        let n = small.len() as u32;
        children.push((sums.total, format!("{n} smaller"), Next::Smaller { of: path.to_owned(), n, sums }));
    }
    children.small_sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    children.into_iter().map(|(.., next)| next).collect()
}
