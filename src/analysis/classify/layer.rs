//! This module finds the layer of the model that an op belongs to, by the names that frameworks give layers in scope
//! paths.
//!
//! ```text
//!  jit(f)/jvp(Model)/layers_3/mlp/mul          layers_3: an unrolled model has a segment per layer
//!  jit(f)/jvp(Model)/while/body/mlp/mul        scanned layer ×16, if the trip count of the loop is known
//!  jit(f)/loss/jit(xent)/while/body/dot        none: a loss in chunks is a loop too, but not a layer
//!  jit(f)/jvp(Model)/embed/gather              none
//! ```
//!
//! All layers of a scan share one loop body, so names cannot distinguish them. A path does not contain the purpose of a
//! loop. Real programs also scan over chunks of the loss; the paths of those loops contain a word such as `loss`.

use super::scope_path::{bare, numbered, segments};

/// The layer of ops in a scan whose trip count is unknown.
pub const SCANNED: &str = "scanned layers (loop body)";
/// The name of the row of ops that belong to no layer.
pub const NO_LAYER: &str = "<no layer>";

/// The facts about a session on which the layer of a path depends.
pub struct LayerContext<'a> {
    /// Returns the trip count of the loop at a path; `None` if it is unknown.
    pub trips: &'a dyn Fn(&str) -> Option<u64>,
    /// Whether layers have different parents, such as an encoder and a decoder that both have a `layers_0`.
    pub stacks: bool,
}

/// Returns the layer of a path: the layer that the path names, or else the scan that contains it. `None` if the path
/// belongs to no layer.
pub fn layer(path: &str, context: &LayerContext<'_>) -> Option<String> {
    if let Some((stack, named)) = named(path) {
        return Some(match stack.filter(|_| context.stacks) {
            Some(stack) => format!("{stack}/{named}"),
            None => named.to_owned(),
        });
    }
    let end = path.match_indices("/while/body").map(|(end, _)| end + "/while".len()).find(|end| is_end(path, *end))?;
    let of_loss = ["loss", "cross_entropy", "xent", "logits"];
    if of_loss.iter().any(|word| path[..end].to_ascii_lowercase().contains(word)) {
        return None;
    }
    Some((context.trips)(&path[..end]).map_or_else(|| SCANNED.to_owned(), |n| format!("scanned layer ×{n}")))
}

/// Returns the module around the layer that a path names (`None` if there is no module), and the name of the layer.
/// Returns `None` if the path names no layer.
pub fn named(path: &str) -> Option<(Option<&str>, &str)> {
    let mut stack = None;
    for segment in segments(path) {
        let name = bare(segment);
        if is_layer(name) {
            return Some((stack, name));
        }
        if !is_machinery(segment, name) {
            stack = Some(name);
        }
    }
    None
}

/// Returns the path with `*` for the number of each layer: `f/jvp(layers_*)/mlp` for `f/jvp(layers_3)/mlp`. `None` if the
/// path names no layer.
pub fn without_numbers(path: &str) -> Option<String> {
    named(path)?;
    let segment = |segment: &str| match numbered(segment).filter(|_| is_layer(bare(segment))) {
        Some((segment, _)) => segment,
        None => segment.to_owned(),
    };
    Some(segments(path).map(segment).collect::<Vec<_>>().join("/"))
}

/// Returns whether a segment is one that JAX inserts between modules. The forward pass, the backward pass and the
/// recomputation of a layer differ only in such segments.
fn is_machinery(segment: &str, name: &str) -> bool {
    let words = ["while", "body", "closed_call", "checkpoint", "rematted_computation", "shard_map", "scan", "remat"];
    name.is_empty() || words.contains(&name) || segment.contains("jit(")
}

/// Returns whether the `/body` that starts at `index` is a whole segment of the path.
fn is_end(path: &str, index: usize) -> bool {
    let rest = &path[index + "/body".len()..];
    rest.is_empty() || rest.starts_with('/')
}

/// Returns whether a segment is the name of a layer, such as `layers_3`, `layer_3`, `layer 3`, `h_3` or `block_3`, but
/// not `layer_norm_1`.
pub fn is_layer(segment: &str) -> bool {
    let split = segment.rsplit_once(['_', ' ']);
    split.is_some_and(|(stem, number)| {
        matches!(stem, "layers" | "layer" | "h" | "block")
            && !number.is_empty()
            && number.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Returns the path of the loop that the path of a `while` instruction names, without the parameters that older
/// versions of JAX append. `None` if the path does not end in a `while`.
pub fn loop_path(path: &str) -> Option<&str> {
    let bare = path.split_once("/while[").map_or(path.len(), |(before, _)| before.len() + "/while".len());
    let path = &path[..bare];
    (path == "while" || path.ends_with("/while")).then_some(path)
}

/// Returns the trip count in the text of a `while` instruction; `None` if the text has none.
pub fn trip_count(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once("\"known_trip_count\":{\"n\":\"")?;
    rest.split_once('"')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let layer_of = |path: &str| layer(path, &LayerContext { trips: &|_| None, stacks: false });
        assert_eq!(layer_of("jit(f)/layers_3/mlp/mul").as_deref(), Some("layers_3"));
        assert_eq!(layer_of("jit(f)/transpose(jvp(layer_12))/mul").as_deref(), Some("layer_12"));
        assert_eq!(layer_of("jit(f)/layer 3/mul").as_deref(), Some("layer 3"));
        assert_eq!(layer_of("gpt/h_0/attn").as_deref(), Some("h_0"));
        assert_eq!(layer_of("vit/block_7/mul").as_deref(), Some("block_7"));
        assert_eq!(layer_of("jit(f)/layer_norm_1/mul"), None);
        assert_eq!(layer_of("jit(f)/block_kv_512/mul"), None);
        assert_eq!(layer_of("jit(f)/layers/mul"), None);
        assert_eq!(layer_of("state.params['decoder']['layers_0']"), None, "a parameter is in no layer's scope");
        assert_eq!(layer_of(""), None);
    }

    #[test]
    fn the_numbers_of_layers() {
        let path = without_numbers("f/transpose(jvp(layers_3))/Dense_1/h_0");
        assert_eq!(path.as_deref(), Some("f/transpose(jvp(layers_*))/Dense_1/h_*"));
        assert_eq!(without_numbers("f/Dense_1/mul"), None);
    }

    #[test]
    fn stacks() {
        let layer_of = |path: &str| layer(path, &LayerContext { trips: &|_| None, stacks: true }).unwrap();
        assert_eq!(layer_of("jit(f)/jvp(T)/decoder/layers_0/mul"), "decoder/layers_0");
        let again = "jit(f)/transpose(jvp(T))/decoder/checkpoint/rematted_computation/layers_0/mul";
        assert_eq!(layer_of(again), "decoder/layers_0");
        assert_eq!(layer_of("jit(f)/jvp(T)/encoder/layers_0/mul"), "encoder/layers_0");
        assert_eq!(layer_of("jit(f)/jit(main)/layers_0/mul"), "layers_0");
    }

    #[test]
    fn scans() {
        let layer =
            |path: &str, trips: &dyn Fn(&str) -> Option<u64>| layer(path, &LayerContext { trips, stacks: false });
        let path = "jit(f)/jvp(M)/decoder/while/body/layers/mlp/mul";
        assert_eq!(layer(path, &|_| None).as_deref(), Some(SCANNED));
        let trips = |loop_path: &str| (loop_path == "jit(f)/jvp(M)/decoder/while").then_some(16);
        assert_eq!(layer(path, &trips).as_deref(), Some("scanned layer ×16"));
        assert_eq!(layer("jit(f)/jit(loss_chunked)/while/body/dot", &|_| None), None);
        assert_eq!(layer("jit(f)/while/cond/lt", &|_| None), None);
        assert_eq!(layer("jit(f)/while/body_fun/lt", &|_| None), None);
        assert_eq!(layer("jit(f)/while/body/layers_2/mul", &|_| None).as_deref(), Some("layers_2"));
    }

    #[test]
    fn loops() {
        assert_eq!(loop_path("a/decoder/while[cond_nconsts=0 body_nconsts=18]"), Some("a/decoder/while"));
        assert_eq!(loop_path("a/while"), Some("a/while"));
        assert_eq!(loop_path("a/while/body/mul"), None);
        let text = "%w = (s32[]) while(%t), body=%b, backend_config={\"known_trip_count\":{\"n\":\"16\"}}";
        assert_eq!(trip_count(text), Some(16));
        assert_eq!(trip_count("%w = (s32[]) while(%t), body=%b"), None);
    }
}
