//! This module names the scopes that both sides can have, whatever the transformations, loops and numbers of layers in their
//! paths.
//!
//! ```text
//!  jit(step)/transpose(jvp(layers))/while/body/checkpoint/rematted_computation/attention/mul  ─►  layers, attention
//!  jit(step)/jvp(layers_3)/attention/dot_general                                              ─►  layers, attention
//! ```

use crate::analysis::classify::layer::is_layer;
use crate::analysis::classify::scope_path::{bare, numbered, path, segments};
use rustc_hash::FxHashMap;

/// Segments that JAX writes for loops, for calls, and for what is computed again.
const TRANSFORMS: [&str; 11] = [
    "while",
    "body",
    "cond",
    "scan",
    "eval_jaxpr",
    "closed_call",
    "checkpoint",
    "remat",
    "remat2",
    "rematted_computation",
    "pjit",
];

/// Returns the scopes of a `tf_op`, the outer one first: without the program, without transformations, loops and the numbers of
/// layers, and without the op itself, which is the last segment.
fn scope_names(tf_op: &str) -> Vec<String> {
    let mut all: Vec<&str> = segments(path(tf_op)).collect();
    all.pop();
    let mut names: Vec<String> = Vec::new();
    for (index, segment) in all.into_iter().enumerate() {
        let name = bare(segment);
        // The first segment names the program.
        if name.is_empty() || TRANSFORMS.contains(&name) || (index == 0 && segment.contains('(')) {
            continue;
        }
        let name = match numbered(name).filter(|_| is_layer(name)) {
            Some((family, _)) => family.trim_end_matches(['*', '_', ' ']).to_owned(),
            None => name.to_owned(),
        };
        // The backward pass of an unrolled layer names the layer again: `transpose(jvp(layers_2))/jvp(layers_2)`.
        if names.last() != Some(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns the deepest scopes of each row that both sides have. The paths of a row are those of A and of B; that of B counts if there
/// are both. A scope that XLA moved out of another one has lost names, and not its own: `attention` is `layers/attention` if no
/// other scope of both sides has this name. Empty for a row without a scope that both sides have.
pub fn common_scopes(rows: &[[Option<&str>; 2]]) -> Vec<Vec<String>> {
    let mut names: FxHashMap<&str, Vec<String>> = FxHashMap::default();
    let mut is_on: FxHashMap<Vec<String>, [bool; 2]> = FxHashMap::default();
    for (side, path) in rows.iter().flat_map(|row| row.iter().enumerate()) {
        let Some(path) = path else { continue };
        let names = names.entry(path).or_insert_with(|| scope_names(path));
        (1..=names.len()).for_each(|n| is_on.entry(names[..n].to_vec()).or_default()[side] = true);
    }
    let is_common = |scopes: &[String]| is_on.get(scopes) == Some(&[true, true]);
    // The only scope of a name. `None` if several have it.
    let mut named: FxHashMap<&str, Option<&[String]>> = FxHashMap::default();
    for scopes in is_on.keys().filter(|scopes| is_common(scopes)) {
        let Some(name) = scopes.last() else { continue };
        named.entry(name).and_modify(|only| *only = None).or_insert(Some(scopes));
    }
    let scopes = |row: &[Option<&str>; 2]| {
        let names = names.get(row[1].or(row[0])?)?;
        let found = (1..=names.len()).rev().map(|n| &names[..n]).find_map(|scopes| {
            let moved_from = || {
                let only = named.get(scopes.last()?.as_str()).copied().flatten()?;
                has_in_order(only, scopes).then_some(only)
            };
            if is_common(scopes) { Some(scopes) } else { moved_from() }
        });
        found.map(<[String]>::to_vec)
    };
    rows.iter().map(|row| scopes(row).unwrap_or_default()).collect()
}

/// Returns whether a scope has all names of another one in their order, with or without others between them.
fn has_in_order(scopes: &[String], names: &[String]) -> bool {
    let mut rest = scopes.iter();
    names.iter().all(|name| rest.any(|scope| scope == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forward_and_backward_of_a_scope_meet() {
        for path in [
            "jit(step)/transpose(jvp(layers))/while/body/closed_call/checkpoint/rematted_computation/attention/mul:",
            "jit(step)/jvp(layers_3)/attention/dot_general:",
            "jit(step)/transpose(jvp(layers_2))/jvp(layers_2)/checkpoint/attention/mul",
        ] {
            assert_eq!(scope_names(path), ["layers", "attention"], "{path}");
        }
        assert_eq!(scope_names("jit(step)/jvp()/transpose"), Vec::<String>::new());
        assert_eq!(scope_names("model/dense/MatMul:MatMul"), ["model", "dense"]);
        assert!(scope_names("").is_empty() && scope_names("add").is_empty());
    }

    #[test]
    fn the_deepest_scope_of_both_sides() {
        let rows = [
            [Some("f/jvp(layers_1)/attention/softmax/exp"), None],
            [None, Some("f/transpose(jvp(layers_2))/attention/flash/call")],
            [Some("f/attention/where"), None],
            [Some("f/jvp(embed)/gather"), None],
            [None, None],
        ];
        let joined: Vec<String> = common_scopes(&rows).iter().map(|scopes| scopes.join("/")).collect();
        assert_eq!(joined, ["f/layers/attention", "f/layers/attention", "f/layers/attention", "f", ""]);
        // A scope of the same name elsewhere is another scope.
        let rows = [
            [Some("f/encoder/dense/add"), Some("f/encoder/dense/add")],
            [Some("f/decoder/dense/add"), None],
            [None, Some("f/decoder/mul")],
        ];
        let joined: Vec<String> = common_scopes(&rows).iter().map(|scopes| scopes.join("/")).collect();
        assert_eq!(joined, ["f/encoder/dense", "f/decoder", "f/decoder"]);
    }
}
