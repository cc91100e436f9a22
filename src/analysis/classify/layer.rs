//! Which layer of the model an op belongs to. This module knows how frameworks name layers in scope paths; no time.
//!
//! ```text
//!  jit(f)/jvp(Model)/layers_3/mlp/mul          layers_3: an unrolled model has a segment per layer
//!  jit(f)/jvp(Model)/while/body/mlp/mul        scanned layer ×16, if the loop says how often it turns
//!  jit(f)/loss/jit(xent)/while/body/dot        none: a loss in pieces is a loop too, but no layer
//!  jit(f)/jvp(Model)/embed/gather              none
//! ```
//!
//! All layers of a scan are one loop body: they cannot be distinguished by name. A path does not say what a loop is for;
//! real ones also scan over pieces of the loss, and those say so.

use super::scope_path::{bare, segments};

/// The row of a scan whose length nothing tells.
pub const SCANNED: &str = "scanned layers (loop body)";
/// The row of ops that belong to no layer.
pub const NO_LAYER: &str = "<no layer>";

/// What finding layers needs to know of a session.
pub struct Around<'a> {
    /// How often the loop at a path turns.
    pub trips: &'a dyn Fn(&str) -> Option<u64>,
    /// Layers have different parents: an encoder's `layers_0` is not the decoder's.
    pub stacks: bool,
}

/// The layer of a path.
pub fn layer(path: &str, around: &Around<'_>) -> Option<String> {
    if let Some((stack, named)) = named(path) {
        return Some(match stack.filter(|_| around.stacks) {
            Some(stack) => format!("{stack}/{named}"),
            None => named.to_owned(),
        });
    }
    let at = path.match_indices("/while/body").map(|(at, _)| at + "/while".len()).find(|at| is_end(path, *at))?;
    let of_loss = ["loss", "cross_entropy", "xent", "logits"];
    if of_loss.iter().any(|word| path[..at].to_ascii_lowercase().contains(word)) {
        return None;
    }
    Some((around.trips)(&path[..at]).map_or_else(|| SCANNED.to_owned(), |n| format!("scanned layer ×{n}")))
}

/// The layer that a path names, and the module it is of.
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

/// What JAX puts between modules: forward, backward and recomputation of one layer differ in these alone.
fn is_machinery(segment: &str, name: &str) -> bool {
    let words = ["while", "body", "closed_call", "checkpoint", "rematted_computation", "shard_map", "scan", "remat"];
    name.is_empty() || words.contains(&name) || segment.contains("jit(")
}

/// Whether `/body` ends where a segment does.
fn is_end(path: &str, at: usize) -> bool {
    let rest = &path[at + "/body".len()..];
    rest.is_empty() || rest.starts_with('/')
}

/// `layers_3`, `layer_3`, `layer 3`, `h_3`, `block_3`. Not `layer_norm_1`.
fn is_layer(segment: &str) -> bool {
    let split = segment.rsplit_once(['_', ' ']);
    split.is_some_and(|(stem, number)| {
        matches!(stem, "layers" | "layer" | "h" | "block")
            && !number.is_empty()
            && number.bytes().all(|b| b.is_ascii_digit())
    })
}

/// The loop a `while` instruction's own path names: older JAX writes its parameters behind it.
pub fn loop_path(path: &str) -> Option<&str> {
    let bare = path.split_once("/while[").map_or(path.len(), |(before, _)| before.len() + "/while".len());
    let path = &path[..bare];
    (path == "while" || path.ends_with("/while")).then_some(path)
}

/// How often a `while` turns, if its text says so.
pub fn trip_count(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once("\"known_trip_count\":{\"n\":\"")?;
    rest.split_once('"')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let of = |path: &str| layer(path, &Around { trips: &|_| None, stacks: false });
        assert_eq!(of("jit(f)/layers_3/mlp/mul").as_deref(), Some("layers_3"));
        assert_eq!(of("jit(f)/transpose(jvp(layer_12))/mul").as_deref(), Some("layer_12"));
        assert_eq!(of("jit(f)/layer 3/mul").as_deref(), Some("layer 3"));
        assert_eq!(of("gpt/h_0/attn").as_deref(), Some("h_0"));
        assert_eq!(of("vit/block_7/mul").as_deref(), Some("block_7"));
        assert_eq!(of("jit(f)/layer_norm_1/mul"), None);
        assert_eq!(of("jit(f)/block_kv_512/mul"), None);
        assert_eq!(of("jit(f)/layers/mul"), None);
        assert_eq!(of("state.params['decoder']['layers_0']"), None, "a parameter is in no layer's scope");
        assert_eq!(of(""), None);
    }

    #[test]
    fn stacks() {
        let of = |path: &str| layer(path, &Around { trips: &|_| None, stacks: true }).unwrap();
        assert_eq!(of("jit(f)/jvp(T)/decoder/layers_0/mul"), "decoder/layers_0");
        let again = "jit(f)/transpose(jvp(T))/decoder/checkpoint/rematted_computation/layers_0/mul";
        assert_eq!(of(again), "decoder/layers_0");
        assert_eq!(of("jit(f)/jvp(T)/encoder/layers_0/mul"), "encoder/layers_0");
        assert_eq!(of("jit(f)/jit(main)/layers_0/mul"), "layers_0");
    }

    #[test]
    fn scans() {
        let layer = |path: &str, trips: &dyn Fn(&str) -> Option<u64>| layer(path, &Around { trips, stacks: false });
        let path = "jit(f)/jvp(M)/decoder/while/body/layers/mlp/mul";
        assert_eq!(layer(path, &|_| None).as_deref(), Some(SCANNED));
        let trips = |at: &str| (at == "jit(f)/jvp(M)/decoder/while").then_some(16);
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
