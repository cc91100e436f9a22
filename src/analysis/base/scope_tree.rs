//! This module builds trees of scopes: `tf_op` split on `/`, with the sums of each node.
//!
//! ```text
//!  train 100 ─┬─ layers_0 60 ─┬─ attn 40      own + Σ children = total, at every node
//!             │               └─ mlp 15       (own: ops whose path ends here; 5 at layers_0)
//!             ├─ <no scope> 30                ops without a path
//!             └─ 7 smaller 10                 the nodes below the threshold, as one node
//! ```
//!
//! The layers of an unrolled model are one node (`layers_*`), as those of a scan are. Nodes with one child and no time of their
//! own form a chain, which is shown as one node.

use super::folded_scopes::{FoldedPaths, fold};
use crate::analysis::classify::scope_path::segments;
use indexmap::IndexMap;
use xla_profile::small_sort::SmallSort;

/// The name of the node of ops that have no scope path.
pub const NO_SCOPE: &str = "<no scope>";

/// The largest number of levels. Deeper segments form one node. No program is nested so deeply, but a damaged text may be.
const MAX_DEPTH: usize = 200;

/// The sums of the ops of a scope.
pub(in crate::analysis) trait ScopeSums: Copy + Default {
    /// Adds the sums of other ops.
    fn add(&mut self, other: &Self);
    /// Returns the time in ps by which siblings are sorted, and by which small ones are left out.
    fn size(&self) -> u64;
    /// Returns whether there are no ops.
    fn is_empty(&self) -> bool;
}

/// A node of the tree of scopes.
pub(in crate::analysis) struct ScopeTreeNode<S> {
    /// The segment of the node; for a chain of nodes, all segments, joined by slashes. `layers_* ×30` stands for 30 unrolled
    /// layers.
    pub(in crate::analysis) name: String,
    /// The whole path, with `*` for the number of an unrolled layer; for "N smaller", the path of the parent.
    pub(in crate::analysis) path: String,
    /// Index of the parent; `None` for the root.
    pub(in crate::analysis) parent: Option<u32>,
    /// Number of levels above the node; 0 for the root.
    pub(in crate::analysis) depth: u32,
    /// The ops whose path ends here; for "N smaller", all ops.
    pub(in crate::analysis) own: S,
    /// The ops here and below.
    pub(in crate::analysis) total: S,
}

pub(in crate::analysis) struct ScopeTree<S> {
    /// The root comes first, and parents come before children. Siblings are sorted by size, largest first, then by name.
    pub(in crate::analysis) nodes: Vec<ScopeTreeNode<S>>,
    /// Number of nodes that are summed into nodes named "N smaller".
    pub(in crate::analysis) folded_small: u32,
}

/// Returns the tree of scopes at and below `root`: all scopes if it is empty. `by_scope` holds the sums by path, of which each is
/// within the root, in the order of the paths; a path may occur several times. `none` holds those of ops without a path. Nodes
/// with less than `min_share` (a fraction) of the root's size are summed into one node per parent.
pub(in crate::analysis) fn scope_tree<S: ScopeSums>(
    by_scope: Vec<(&str, S)>,
    root: &str,
    none: Option<S>,
    min_share: f64,
) -> ScopeTree<S> {
    let (by_scope, n_layers) = folded(by_scope, root);
    let mut tree = grow(&by_scope, root, none);
    // Children come after their parents, so the reverse order completes children first.
    for i in (1..tree.len()).rev() {
        let (sums, parent) = (tree[i].total, tree[i].parent as usize);
        tree[parent].total.add(&sums);
    }
    #[expect(clippy::cast_precision_loss, reason = "a threshold")]
    let least = tree[0].total.size() as f64 * min_share;
    to_nodes(&tree, root, least, &n_layers)
}

/// A node while the tree is built.
#[derive(Default)]
struct Growing<'a, S> {
    /// The whole path, of which `name` is the last segment.
    path: &'a str,
    name: &'a str,
    parent: u32,
    children: Vec<u32>,
    own: S,
    total: S,
}

/// Returns the sums by path with folded layers, sorted by path, and the number of layers of each folded path. A path may
/// occur several times.
fn folded<S: ScopeSums>(by_scope: Vec<(&str, S)>, root: &str) -> (Vec<(String, S)>, IndexMap<String, usize>) {
    let paths: Vec<&str> = by_scope.iter().map(|(path, _)| *path).collect();
    let FoldedPaths { paths, n_layers } = fold(&paths, root);
    let mut all: Vec<(String, S)> = paths.into_iter().zip(by_scope.into_iter().map(|(_, sums)| sums)).collect();
    all.small_sort_by(|(a, _), (b, _)| a.cmp(b));
    (all, n_layers)
}

/// Builds the tree. Each node has the sums over ops whose path ends there, and node 0 is the root.
fn grow<'a, S: ScopeSums>(scopes: &'a [(String, S)], root: &str, none: Option<S>) -> Vec<Growing<'a, S>> {
    let mut tree: Vec<Growing<'a, S>> = vec![Growing::default()];
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
                let index = tree.len() as u32;
                tree.push(Growing { path: &path[..end], name: segment, parent: node, ..Growing::default() });
                tree[node as usize].children.push(index);
                index
            });
        }
        let leaf = &mut tree[node as usize];
        leaf.own.add(sums);
        leaf.total.add(sums);
    }
    if let Some(none) = none {
        let index = tree.len() as u32;
        tree.push(Growing { path: NO_SCOPE, name: NO_SCOPE, own: none, total: none, ..Growing::default() });
        tree[0].children.push(index);
    }
    tree
}

/// A node to report: a node of the tree, or the sum of the nodes below the threshold that have one parent.
enum Next<S> {
    Node(u32),
    Smaller { path: String, n: u32, sums: S },
}

/// Returns the nodes in order. Uses no recursion, because a path may have any length.
fn to_nodes<S: ScopeSums>(
    tree: &[Growing<'_, S>],
    root: &str,
    least: f64,
    n_layers: &IndexMap<String, usize>,
) -> ScopeTree<S> {
    let mut nodes: Vec<ScopeTreeNode<S>> = Vec::new();
    let mut folded_small = 0;
    let mut stack = vec![(Next::Node(0), None, 0)];
    while let Some((next, parent, depth)) = stack.pop() {
        let index = nodes.len() as u32;
        let (name, path, (own, total), last) = match next {
            Next::Smaller { path: parent_path, n, sums } => (format!("{n} smaller"), parent_path, (sums, sums), None),
            Next::Node(0) => (root.to_owned(), root.to_owned(), (tree[0].own, tree[0].total), Some(0)),
            Next::Node(first) => {
                let (name, last) = chain(tree, first, n_layers);
                let node = &tree[last as usize];
                (name, node.path.to_owned(), (node.own, node.total), Some(last))
            }
        };
        let children = last.map_or(Vec::new(), |last| children(tree, last, &path, least));
        folded_small += children.iter().map(|c| if let Next::Smaller { n, .. } = c { *n } else { 0 }).sum::<u32>();
        stack.extend(children.into_iter().rev().map(|child| (child, Some(index), depth + 1)));
        nodes.push(ScopeTreeNode { name, path, parent, depth, own, total });
    }
    ScopeTree { nodes, folded_small }
}

/// Follows a chain of nodes with one child and no ops of their own. Returns the joined name and the last node.
fn chain<S: ScopeSums>(tree: &[Growing<'_, S>], first: u32, n_layers: &IndexMap<String, usize>) -> (String, u32) {
    let named = |node: &Growing<'_, S>| match n_layers.get(node.path) {
        Some(n) => format!("{} ×{n}", node.name),
        None => node.name.to_owned(),
    };
    let (mut name, mut last) = (named(&tree[first as usize]), first);
    while let [only] = tree[last as usize].children.as_slice()
        && tree[last as usize].own.is_empty()
    {
        last = *only;
        name = name + "/" + &named(&tree[last as usize]);
    }
    (name, last)
}

/// Returns the children of a node to report, in order.
fn children<S: ScopeSums>(tree: &[Growing<'_, S>], index: u32, path: &str, least: f64) -> Vec<Next<S>> {
    let (mut large, mut small) = (Vec::new(), Vec::new());
    for child in &tree[index as usize].children {
        let node = &tree[*child as usize];
        // The time without a scope shows how far the tree can be trusted, so its node is never hidden.
        #[expect(clippy::cast_precision_loss, reason = "a threshold")]
        let is_small = (node.total.size() as f64) < least && node.path != NO_SCOPE;
        if is_small { &mut small } else { &mut large }.push(*child);
    }
    let mut children: Vec<(u64, String, Next<S>)> = Vec::new();
    for child in large {
        let node = &tree[child as usize];
        children.push((node.total.size(), node.name.to_owned(), Next::Node(child)));
    }
    if !small.is_empty() {
        let mut sums = S::default();
        small.iter().for_each(|child| sums.add(&tree[*child as usize].total));
        let n = small.len() as u32;
        children.push((sums.size(), format!("{n} smaller"), Next::Smaller { path: path.to_owned(), n, sums }));
    }
    children.small_sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    children.into_iter().map(|(.., next)| next).collect()
}
