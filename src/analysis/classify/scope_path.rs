//! This module parses the scope path of an op, which is the text of `tf_op` as a path of segments.
//!
//! ```text
//!  jit(train)/jvp(Model)/layers_0/mlp/dot_general:      path: up to the colon; 5 segments
//!  jit(f)/aten::view/reshape;jit(f)/qkv/reshape:        two ops merged into one: the first path counts
//!  jit(f)/layers/dense:MatMul                           TensorFlow writes the op's type after the colon
//! ```
//!
//! The path is a call path: an outer name is in the paths of all ops inside it. A search for a name anywhere in paths
//! therefore finds far more ops than those that the name describes. The *leaf*, which is the last three segments,
//! describes the op itself.

/// The number of segments of a leaf.
const LEAF: usize = 3;

/// Returns the path in a `tf_op`: the first of several paths, without the op's type.
pub fn path(tf_op: &str) -> &str {
    let first = match tf_op.split_once(';') {
        // A semicolon inside brackets does not separate paths, because brackets may contain any text.
        Some((first, _)) if is_balanced(first) => first,
        _ => tf_op,
    };
    match first.rsplit_once(':') {
        // The double colon of a name such as `aten::rsqrt` does not precede a type.
        Some((path, kind)) if !path.ends_with(':') && kind.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') => {
            path
        }
        _ => first,
    }
}

/// Iterates over the segments of a path. A slash inside brackets does not separate segments: `transpose(jvp(a/b))/c`
/// has two.
pub fn segments(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    let ends: Vec<usize> = cuts(path).collect();
    let starts = std::iter::once(0).chain(ends.clone().into_iter().map(|end| end + 1));
    let all: Vec<&str> = starts.zip(ends.into_iter().chain([path.len()])).map(|(from, to)| &path[from..to]).collect();
    all.into_iter()
}

/// Returns the last three segments of a path.
pub fn leaf(path: &str) -> &str {
    let cuts: Vec<usize> = cuts(path).collect();
    cuts.len().checked_sub(LEAF).map_or(path, |index| &path[cuts[index] + 1..])
}

/// Returns whether `path` is `scope` or lies below it. Only whole segments match. A `*` in a segment of `scope` stands
/// for a number: `jvp(layers_*)` matches `jvp(layers_12)`.
pub fn is_within(path: &str, scope: &str) -> bool {
    if scope.contains(ANY_NUMBER) {
        let mut of_path = segments(path);
        return segments(scope).all(|part| of_path.next().is_some_and(|segment| is_numbered(segment, part)));
    }
    let rest = path.strip_prefix(scope);
    rest.is_some_and(|rest| rest.is_empty() || scope.is_empty() || cuts(path).any(|cut| cut == scope.len()))
}

/// The character that stands for a number in a scope.
pub const ANY_NUMBER: char = '*';

/// Returns whether a segment is `part`, in which a `*` stands for a number.
fn is_numbered(segment: &str, part: &str) -> bool {
    let number = || {
        let (before, after) = part.split_once(ANY_NUMBER)?;
        segment.strip_prefix(before)?.strip_suffix(after)
    };
    segment == part || number().is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns a segment with `*` in place of the last number of its name, and that number: `jvp(layers_*)` and `12` for
/// `jvp(layers_12)`. `None` if the name does not end in a number.
pub fn numbered(segment: &str) -> Option<(String, &str)> {
    let name = bare(segment);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &name[stem.len()..];
    if stem.is_empty() || number.is_empty() {
        return None;
    }
    // The name lies within the brackets of the transformations, which are the same on both sides.
    let start = segment.find(name)?;
    let (before, after) = (&segment[..start], &segment[start + name.len()..]);
    Some((format!("{before}{stem}{ANY_NUMBER}{after}"), number))
}

/// Returns a segment without the transformations around it: `layers_0` for `transpose(jvp(layers_0))`.
pub fn bare(segment: &str) -> &str {
    let mut inner = segment;
    while let Some((_, within)) = inner.strip_suffix(')').and_then(|s| s.split_once('(')) {
        inner = within;
    }
    inner
}

/// Iterates over the indices of the slashes that separate segments. If brackets are not balanced, every slash
/// separates.
fn cuts(path: &str) -> impl Iterator<Item = usize> {
    let nested = path.contains(['(', '[', '{']) && is_balanced(path);
    let mut depth = 0_u32;
    path.bytes().enumerate().filter_map(move |(offset, byte)| {
        if nested {
            depth = step(depth, byte)?;
        }
        (byte == b'/' && depth == 0).then_some(offset)
    })
}

fn step(depth: u32, byte: u8) -> Option<u32> {
    match byte {
        b'(' | b'[' | b'{' => Some(depth + 1),
        b')' | b']' | b'}' => depth.checked_sub(1),
        _ => Some(depth),
    }
}

fn is_balanced(text: &str) -> bool {
    text.bytes().try_fold(0, step) == Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(path: &str) -> Vec<&str> {
        segments(path).collect()
    }

    #[test]
    fn paths_of_real_captures() {
        assert_eq!(path("jit(f)/jit(main)/add:"), "jit(f)/jit(main)/add");
        assert_eq!(path("jit(f)/aten::view/reshape;jit(f)/qkv/reshape:"), "jit(f)/aten::view/reshape");
        assert_eq!(path("jit(f)/aten::rsqrt"), "jit(f)/aten::rsqrt");
        assert_eq!(path("dense/MatMul:MatMul"), "dense/MatMul");
        assert_eq!(path("state.params['a;b']['kernel']:"), "state.params['a;b']['kernel']");
        assert_eq!(path(""), "");
    }

    #[test]
    fn brackets_hold_segments_together() {
        assert_eq!(all("jit(f)/transpose(jvp(a/b))/mul"), ["jit(f)", "transpose(jvp(a/b))", "mul"]);
        assert_eq!(all("f/dot_general[dims=((2,), (0,)) x=a/b]"), ["f", "dot_general[dims=((2,), (0,)) x=a/b]"]);
        assert_eq!(all("a(b/c"), ["a(b", "c"], "they do not close");
        assert_eq!(all("a)/(b"), ["a)", "(b"]);
        assert_eq!(all("one"), ["one"]);
        assert_eq!(all(""), [""]);
    }

    #[test]
    fn the_leaf_is_three_segments() {
        assert_eq!(leaf("a/b/c/d"), "b/c/d");
        assert_eq!(leaf("b/c/d"), "b/c/d");
        assert_eq!(leaf("d"), "d");
    }

    #[test]
    fn within_is_by_whole_segments() {
        assert!(is_within("a/b/c", "a/b") && is_within("a/b", "a/b") && is_within("a/b", ""));
        assert!(!is_within("a/bc", "a/b") && !is_within("a", "a/b"));
        assert!(!is_within("f(a/b)/c", "f(a"), "not a segment's end");
        assert!(is_within("f/jvp(layers_12)/mlp", "f/jvp(layers_*)") && is_within("f/layers_*/a", "f/layers_*"));
        assert!(!is_within("f/layers_a", "f/layers_*") && !is_within("f/layers_", "f/layers_*"));
        assert!(!is_within("f", "f/layers_*") && !is_within("g/layers_1", "f/layers_*"));
    }

    #[test]
    fn the_number_at_the_end_of_a_name() {
        assert_eq!(numbered("transpose(jvp(layers_12))"), Some(("transpose(jvp(layers_*))".to_owned(), "12")));
        assert_eq!(numbered("h_0"), Some(("h_*".to_owned(), "0")));
        assert_eq!((numbered("layers"), numbered("12"), numbered("jvp()"), numbered("")), (None, None, None, None));
    }

    #[test]
    fn transformations_are_taken_off() {
        assert_eq!(bare("transpose(jvp(layers_0))"), "layers_0");
        assert_eq!(bare("layers_0"), "layers_0");
        assert_eq!(bare("jvp()"), "");
    }
}
