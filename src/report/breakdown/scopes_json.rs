//! This module writes the tree of scopes as nested JSON.

use crate::analysis::base::NO_SCOPE;
use crate::analysis::breakdown::Scopes;
use crate::analysis::classify::Kind;
use crate::table::{Object, Value, object};
use xla_profile::units::Picos;

/// Returns the scopes below the root, at most `top` below each scope.
///
/// Parents come before their children in `scopes.nodes`, so the tree is built from the end of the list.
pub(super) fn nested(scopes: &Scopes, step: Option<Picos>, top: usize) -> Vec<Object<'_>> {
    let mut below: Vec<Vec<Object<'_>>> = scopes.nodes.iter().map(|_| Vec::new()).collect();
    for (i, node) in scopes.nodes.iter().enumerate().skip(1).rev() {
        let mut children = std::mem::take(&mut below[i]);
        children.reverse();
        children.truncate(top);
        let main = Kind::ALL.into_iter().rev().max_by_key(|k| node.by_kind[k.index()]).unwrap_or(Kind::Other);
        let object = object!(ScopeNode {
            /// The segment of the path. A node stands for several segments where each of them has one child alone.
            key: Name(Scope) = &node.name,
            /// `scope`, or `no_scope` for the node `<no scope>` of all ops without a path.
            key_kind: Word = if node.path == NO_SCOPE { "no_scope" } else { "scope" },
            /// The whole path.
            path: Name(Scope) = &node.path,
            /// The kind that most of the time belongs to, as in a row.
            kind: Value(Word(Kind)) = Value::Word(main.json_key()),
            /// Number of executions that start in the window.
            n_executions: Executions = node.n,
            /// Self time of the ops at the node and below. The own time and the children sum to it.
            total_dur_ps: Time = node.total,
            /// Time of the ops at the node itself.
            own_dur_ps: Time = node.self_time,
            /// Share of the window.
            pct_of_step: Percent or null = step.and_then(|step| node.total.fraction_of(step)),
            /// The nodes below.
            children: List(Own) = children,
        });
        if let Some(parent) = node.parent {
            below[parent as usize].push(object);
        }
    }
    let mut first = below.into_iter().next().unwrap_or_default();
    first.reverse();
    first.truncate(top);
    first
}
