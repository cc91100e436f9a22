//! This module writes the tree of scopes as nested JSON. It defines the names and the order of the fields.

use crate::analysis::breakdown::Scopes;
use crate::analysis::classify::Kind;
use crate::units::{Count, Picos};
use serde::Serialize;

/// A scope with the scopes below it.
#[derive(Serialize)]
pub struct ScopeJson<'a> {
    key: &'a str,
    key_kind: &'static str,
    path: &'a str,
    kind: &'static str,
    n_executions: Count,
    total_dur_ps: Picos,
    own_dur_ps: Picos,
    pct_of_step: Option<f64>,
    children: Vec<ScopeJson<'a>>,
}

/// Returns the scopes below the root, at most `top` below each scope.
///
/// Parents come before their children in `scopes.nodes`, so the tree is built from the end of the list.
pub(super) fn nested(scopes: &Scopes, step: Option<Picos>, top: usize) -> Vec<ScopeJson<'_>> {
    let mut below: Vec<Vec<ScopeJson<'_>>> = scopes.nodes.iter().map(|_| Vec::new()).collect();
    for (i, node) in scopes.nodes.iter().enumerate().skip(1).rev() {
        let mut children = std::mem::take(&mut below[i]);
        children.reverse();
        children.truncate(top);
        let main = Kind::ALL.into_iter().rev().max_by_key(|k| node.by_kind[k.index()]).unwrap_or(Kind::Other);
        let json = ScopeJson {
            key: &node.name,
            key_kind: if node.path == crate::analysis::base::NO_SCOPE { "no_scope" } else { "scope" },
            path: &node.path,
            kind: main.json_key(),
            n_executions: node.n,
            total_dur_ps: node.total,
            own_dur_ps: node.self_time,
            pct_of_step: step.and_then(|step| node.total.fraction_of(step)).map(|f| f * 100.0),
            children,
        };
        if let Some(parent) = node.parent {
            below[parent as usize].push(json);
        }
    }
    let mut first = below.into_iter().next().unwrap_or_default();
    first.reverse();
    first.truncate(top);
    first
}
