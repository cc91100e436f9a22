//! This module folds the scopes of unrolled layers, so that a model of 30 layers has one node `layers_*` and not 30.
//!
//! ```text
//!  jvp(layers_0)/mlp   jvp(layers_1)/mlp   jvp(layers_2)/norm     ─►  jvp(layers_*)/mlp   jvp(layers_*)/norm    3 layers
//!  Dense_0             Dense_1                                    ─►  both stay: two parts of a model, not its layers
//! ```

use crate::analysis::classify::layer::is_layer;
use crate::analysis::classify::scope_path::{bare, numbered, segments};
use indexmap::{IndexMap, IndexSet};

/// The smallest number of siblings that are folded if their names are those of layers.
const LAYERS: usize = 2;
/// The smallest number of siblings that are folded if only a number distinguishes their names.
const SIBLINGS: usize = 8;

/// The number of levels that are folded. No program is nested so deeply, but a damaged text may be.
const MAX_DEPTH: usize = 64;

/// Paths in which the segments of unrolled layers are one segment.
#[derive(Default)]
pub(in crate::analysis) struct FoldedPaths {
    /// The folded path of each path, in the order of the paths.
    pub(in crate::analysis) paths: Vec<String>,
    /// The number of layers that a folded path stands for; only paths that end in such a segment.
    pub(in crate::analysis) n_layers: IndexMap<String, usize>,
}

/// Folds paths that are within `root`. Their first segments become those of `root`.
pub(in crate::analysis) fn fold(paths: &[&str], root: &str) -> FoldedPaths {
    let depth = if root.is_empty() { 0 } else { segments(root).count() };
    let mut rest: Vec<Vec<&str>> = paths.iter().map(|path| segments(path).skip(depth).collect()).collect();
    rest.iter_mut().for_each(|unread| unread.reverse());
    let mut folded = FoldedPaths { paths: vec![root.to_owned(); paths.len()], ..FoldedPaths::default() };
    // One level at a time, because the siblings of a segment depend on the levels above it.
    for _ in 0..MAX_DEPTH {
        if rest.iter().all(Vec::is_empty) {
            break;
        }
        let mut families: IndexMap<(String, String), (IndexSet<String>, bool)> = IndexMap::default();
        for (path, unread) in folded.paths.iter().zip(&rest) {
            let Some(segment) = unread.last() else { continue };
            let Some((family, number)) = numbered(segment) else { continue };
            let of_layers = is_layer(bare(segment));
            let family = families.entry((path.clone(), family)).or_insert_with(|| (IndexSet::default(), of_layers));
            family.0.insert(number.to_owned());
        }
        for (path, unread) in folded.paths.iter_mut().zip(&mut rest) {
            let Some(segment) = unread.pop() else { continue };
            let family = numbered(segment).and_then(|(family, _)| {
                let (numbers, of_layers) = families.get(&(path.clone(), family.clone()))?;
                let least = if *of_layers { LAYERS } else { SIBLINGS };
                (numbers.len() >= least).then_some((family, numbers.len()))
            });
            if !path.is_empty() {
                path.push('/');
            }
            match family {
                Some((family, n)) => {
                    path.push_str(&family);
                    folded.n_layers.entry(path.clone()).or_insert_with(|| n);
                }
                None => path.push_str(segment),
            }
        }
    }
    for (path, mut unread) in folded.paths.iter_mut().zip(rest) {
        while let Some(segment) = unread.pop() {
            path.push('/');
            path.push_str(segment);
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_folded_and_other_siblings_are_not() {
        let paths = [
            "f/jvp(layers_0)/mlp",
            "f/jvp(layers_1)/mlp/Dense_0",
            "f/jvp(layers_1)/mlp/Dense_1",
            "f/transpose(jvp(layers_1))/mlp",
            "f",
        ];
        let folded = fold(&paths, "");
        let expected = [
            "f/jvp(layers_*)/mlp",
            "f/jvp(layers_*)/mlp/Dense_0",
            "f/jvp(layers_*)/mlp/Dense_1",
            "f/transpose(jvp(layers_1))/mlp",
            "f",
        ];
        assert_eq!(folded.paths, expected);
        assert_eq!((folded.n_layers.len(), folded.n_layers.get("f/jvp(layers_*)")), (1, Some(&2)));
    }

    #[test]
    fn many_siblings_with_numbers_are_layers_of_any_name() {
        let paths: Vec<String> = (0..8).map(|n| format!("f/Decoder_{n}/attn")).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        assert!(fold(&paths, "").paths.iter().all(|path| path == "f/Decoder_*/attn"));
        assert_eq!(fold(&paths[..7], "").paths, paths[..7]);
    }

    #[test]
    fn below_a_folded_root() {
        let paths = ["f/layers_0/h_0", "f/layers_7/h_1", "f/layers_7"];
        assert_eq!(fold(&paths, "f/layers_*").paths, ["f/layers_*/h_*", "f/layers_*/h_*", "f/layers_*"]);
    }
}
