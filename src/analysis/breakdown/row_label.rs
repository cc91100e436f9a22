//! This module makes short labels for rows with long names, so that different rows have different labels where space is
//! limited. The module depends on the spelling of kernels and source stacks. Tooltips and exports keep the whole name.
//!
//! ```text
//!  void tensorflow::functor::FillPhiloxRandomKernelLaunch<…>(…)   FillPhiloxRandomKernelLaunch<…
//!  void Eigen::internal::EigenMetaKernel<A<B<…>>, …>(…)           EigenMetaKernel<…BroadcastingOp<…
//!  moe.py:33 ‹ layer.py:12,  moe.py:33 ‹ layer.py:40              one line, called from two places
//!  jit(f)/jvp()/while/body/mlp/dot, jit(f)/while/body/mlp/dot     …/jvp()/…/mlp/dot, …/jit(f)/…/mlp/dot
//! ```

use super::report::Group;
use super::row_view::RowView;
use crate::analysis::base::GroupBy;
use crate::analysis::classify::scope_segments;
use crate::table::format::middle_cut;
use std::borrow::Cow;

/// Returns the label of a source stack: its innermost line. If other rows of `beside` have the same line, the label
/// also has the callers that distinguish the rows. `None` if the row is not a source stack.
pub fn source<'g>(group: &Group, beside: impl Iterator<Item = &'g Group>) -> Option<String> {
    source_beside(group, beside.map(|other| (other.key.as_str().into(), source_line(other))))
}

/// Returns the innermost line of a row that is a source stack.
fn source_line(group: &Group) -> Option<&str> {
    group.source_inner.as_deref().filter(|_| group.key_kind == "source_stack")
}

/// Returns the label of a source stack, as [`source`] does. `beside` are the keys of other rows, and the innermost lines of
/// those that are source stacks.
fn source_beside<'g>(group: &Group, beside: impl Iterator<Item = (Cow<'g, str>, Option<&'g str>)>) -> Option<String> {
    let own = source_line(group)?;
    let frames = |key: &str| -> Vec<String> {
        let mut frames: Vec<String> = key.lines().map(short).filter(|frame| !frame.is_empty()).collect();
        // The frames go outwards, whichever end of the stack is the innermost.
        if frames.last().is_some_and(|last| last.starts_with(&short(own))) {
            frames.reverse();
        }
        frames
    };
    let mine = frames(&group.key);
    let others = beside.filter(|(key, inner)| *inner == Some(own) && *key != group.key);
    let mut others: Vec<Vec<String>> = others.map(|(key, _)| frames(&key)).collect();
    let mut label = short(own);
    let depth = others.iter().map(Vec::len).chain([mine.len()]).max().unwrap_or(0);
    for level in 0..depth {
        let frame = mine.get(level);
        if others.iter().any(|other| other.get(level) != frame) {
            label.push_str(" ‹ ");
            label.push_str(frame.map_or("…", String::as_str));
            others.retain(|other| other.get(level) == frame);
        }
    }
    Some(label)
}

/// Largest number of characters of a kernel's name in a table.
const LONGEST_NAME: usize = 64;

/// Returns the name of a row in a table. The key of a source is the whole stack; its name is its line, with the callers that
/// distinguish it from other rows of the same line. The name of an op on a GPU is followed by its kernel. `rows` are all rows.
pub fn row_name(group: &Group, rows: RowView<'_>) -> String {
    let all = || rows.order().iter().map(|index| *index as usize);
    match (source_beside(group, all().map(|index| (rows.key(index), rows.source_line(index)))), &group.kernel) {
        (Some(source), _) => source,
        (None, Some(kernel)) if rows.by == GroupBy::Op => {
            format!("{}  {}", group.key, short_name(kernel, [].into_iter(), 60))
        }
        _ if rows.by == GroupBy::Op => {
            let borrowed = |index: usize| match rows.key(index) {
                Cow::Borrowed(key) => Some(key),
                // The names of ops are texts of the profile.
                Cow::Owned(_) => None,
            };
            short_name(&group.key, all().filter_map(borrowed), LONGEST_NAME)
        }
        _ => group.key.replace('\n', " ‹ "),
    }
}

/// Returns a frame without its folders and its function, such as `layer.py:12:4`.
fn short(frame: &str) -> String {
    let place = frame.split(" [").next().unwrap_or(frame).trim();
    place.rsplit('/').next().unwrap_or(place).to_owned()
}

/// Returns a name in at most `room` characters. A kernel keeps its function, a path keeps its end, and both keep the
/// part in which they differ from `others`. Any other name is cut in the middle.
pub fn short_name<'a>(name: &str, others: impl Iterator<Item = &'a str>, room: usize) -> String {
    let is_path = name.contains('/') && !is_cpp(name);
    if is_path && name.chars().count() > room { path(name, others, room) } else { kernel(name, others, room) }
}

/// Returns a path that is too long in at most `room` characters: its last segment, the innermost segment in which it
/// differs from each of `others`, and then as many segments before the last one as fit.
fn path<'a>(name: &str, others: impl Iterator<Item = &'a str>, room: usize) -> String {
    let segments: Vec<&str> = scope_segments(name).collect();
    let n = segments.len();
    let mut shown = vec![false; n];
    shown[n - 1] = true;
    for other in others.filter(|other| *other != name) {
        let theirs: Vec<&str> = scope_segments(other).collect();
        // Segments are compared from the end.
        let differs =
            |index: &usize| (index + theirs.len()).checked_sub(n).is_none_or(|other| theirs[other] != segments[*index]);
        let different: Vec<usize> = (0..n).filter(differs).collect();
        if !different.iter().any(|index| shown[*index])
            && let Some(innermost) = different.last()
        {
            shown[*innermost] = true;
        }
    }
    let mut parts: Vec<String> = segments.iter().map(|segment| (*segment).to_owned()).collect();
    for index in (0..n).rev().filter(|index| !shown[*index]).collect::<Vec<_>>() {
        shown[index] = true;
        if joined(&parts, &shown).chars().count() > room {
            shown[index] = false;
            break;
        }
    }
    // If even these segments are too long, the longest ones lose their middle.
    for _ in 0..n {
        let excess = joined(&parts, &shown).chars().count().saturating_sub(room);
        let longest = (0..n).filter(|index| shown[*index]).max_by_key(|index| parts[*index].chars().count());
        let Some(longest) = longest.filter(|_| excess > 0) else { break };
        let length = parts[longest].chars().count().saturating_sub(excess).max(SHORTEST_SEGMENT);
        parts[longest] = middle_cut(&parts[longest], length);
    }
    middle_cut(&joined(&parts, &shown), room)
}

/// Number of characters that a segment of a path keeps.
const SHORTEST_SEGMENT: usize = 7;

/// Joins the segments that are shown. Each run of other segments becomes `…`.
fn joined(segments: &[String], shown: &[bool]) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for (segment, shown) in segments.iter().zip(shown) {
        match shown {
            true => parts.push(segment),
            false if parts.last() != Some(&"…") => parts.push("…"),
            false => {}
        }
    }
    parts.join("/")
}

/// Returns the name of a kernel in at most `room` characters. If a C++ name is too long, it loses its result type, its
/// parameters and its namespaces. A name that is still too long is cut at the end. If one of `others` would then have
/// the same label, the label consists of the function and of the part that differs. Any other name is cut in the
/// middle.
fn kernel<'a>(name: &str, others: impl Iterator<Item = &'a str>, room: usize) -> String {
    if name.chars().count() <= room || !is_cpp(name) {
        return middle_cut(name, room);
    }
    let own = readable(name);
    let start = cut(&own, room);
    // The number of leading characters that the name shares with a different name whose cut form is the same.
    let same = |other: &str| {
        let other = readable(other);
        (other != own && cut(&other, room) == start).then(|| shared(&own, &other))
    };
    let shared = others.filter(|other| *other != name && is_cpp(other)).filter_map(same).max();
    let Some(shared) = shared else { return start };
    let function = own.split('<').next().unwrap_or(&own);
    let rest: String = own.chars().skip(word_start(&own, shared)).collect();
    let head = middle_cut(function, room.saturating_sub(1) / 2);
    let left = room.saturating_sub(head.chars().count() + 2);
    format!("{head}<…{}", cut(&rest, left))
}

/// Returns the name of the function of a C++ kernel, without namespaces, template arguments and parameters: "softmax_warp_forward" for
/// "void at::native::softmax_warp_forward<float, 10>(float*, int)". Other names stay as they are.
pub fn function_name(name: &str) -> Cow<'_, str> {
    if !is_cpp(name) {
        return name.into();
    }
    let function = readable(name).split('<').next().unwrap_or_default().to_owned();
    if function.is_empty() { name.into() } else { function.into() }
}

/// Returns whether a name has templates, namespaces or the result type `void`.
fn is_cpp(name: &str) -> bool {
    name.contains("::") || name.contains('<') || name.starts_with("void ")
}

/// Returns a C++ name without the parts that all such names have: `void`, namespaces, parameters and `const`.
fn readable(name: &str) -> String {
    let name = name.strip_prefix("void ").unwrap_or(name);
    let mut text = String::with_capacity(name.len() / 2);
    let mut depth = 0_u32;
    let mut word = 0;
    for (offset, c) in name.char_indices() {
        match c {
            // Parameters end the name, but `(anonymous namespace)` and casts are within the name.
            '(' if depth == 0 && !text.is_empty() && !name[offset..].starts_with("(anonymous") => break,
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c == ':' && text.ends_with(':') {
            text.truncate(word);
            continue;
        }
        text.push(c);
        if !(c.is_alphanumeric() || matches!(c, '_' | ':' | '(' | ')') || (c == ' ' && text.contains("(anonymous"))) {
            word = text.len();
        }
    }
    text.replace(" const", "").replace(" >", ">")
}

/// Returns a text in at most `room` characters. A longer text is cut and ends with `…`.
fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(room.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Returns the number of leading characters that two names share.
fn shared(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// Returns the index at which the word around the character `index` begins.
fn word_start(text: &str, index: usize) -> usize {
    let before: Vec<char> = text.chars().take(index).collect();
    before.iter().rposition(|c| !(c.is_alphanumeric() || *c == '_')).map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHILOX: &str = "void tensorflow::functor::FillPhiloxRandomKernelLaunch<tensorflow::random::UniformDistribution<\
                          tensorflow::random::PhiloxRandom, Eigen::half> >(unsigned long long const*, long long)";

    fn eigen(op: &str) -> String {
        format!(
            "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<Eigen::Tensor<\
             Eigen::half, 1, 1, int>, 16, Eigen::MakePointer>, Eigen::{op}<Eigen::array<int, 1ul> const> const> const, \
             Eigen::GpuDevice>, int>(Eigen::TensorEvaluator<int>, int)"
        )
    }

    #[test]
    fn the_functions_name_stays() {
        let alone = |name: &str, room| kernel(name, std::iter::empty(), room);
        assert!(alone(PHILOX, 30).starts_with("FillPhiloxRandomKernelLaunch"), "{}", alone(PHILOX, 30));
        assert_eq!(
            alone("void cudnn::ops::nchwToNhwcKernel<float, true>(int, float*)", 40),
            "nchwToNhwcKernel<float, true>"
        );
        assert_eq!(
            alone("volta_fp16_s884cudnn_fp16_256x64_tn_v1", 20),
            middle_cut("volta_fp16_s884cudnn_fp16_256x64_tn_v1", 20)
        );
        let anonymous = "void (anonymous namespace)::elementwise_kernel_with_index<int, at::native::arange>(int)";
        assert_eq!(alone(anonymous, 60), "elementwise_kernel_with_index<int, arange>");
        assert_eq!(alone("fusion.339", 10), "fusion.339");
    }

    #[test]
    fn only_signatures_become_functions() {
        for (name, function) in [
            ("void at::native::softmax_warp_forward<float, 10>(float*, int)", "softmax_warp_forward"),
            (PHILOX, "FillPhiloxRandomKernelLaunch"),
            ("void (anonymous namespace)::copy(int)", "copy"),
            ("std::f<int>(std::g)", "f"),
            ("cub::scan<int>", "scan"),
            ("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn"),
            ("fusion.3 (clone)", "fusion.3 (clone)"),
            ("loop_fusion", "loop_fusion"),
            ("", ""),
            ("<lambda>()", "<lambda>()"),
        ] {
            assert_eq!(function_name(name), function, "{name}");
        }
    }

    #[test]
    fn kernels_that_begin_alike_show_where_they_differ() {
        let names = [
            eigen("TensorBroadcastingOp"),
            eigen("TensorCwiseUnaryOp"),
            eigen("TensorConversionOp"),
            PHILOX.to_owned(),
        ];
        for room in [28, 34, 60] {
            let labels: Vec<String> =
                names.iter().map(|name| kernel(name, names.iter().map(String::as_str), room)).collect();
            let distinct: std::collections::BTreeSet<&String> = labels.iter().collect();
            assert_eq!(distinct.len(), names.len(), "{labels:?}");
            assert!(labels.iter().all(|label| label.chars().count() <= room), "{labels:?}");
        }
        let label = kernel(&names[0], names.iter().map(String::as_str), 40);
        assert_eq!(label, "EigenMetaKernel<…TensorBroadcastingOp<a…");
    }

    #[test]
    fn paths_keep_their_end_and_the_segment_in_which_they_differ() {
        let names = [
            "jit(train_step)/transpose(jvp())/while/body/closed_call/checkpoint/rematted_computation/mlp/dot_general",
            "jit(train_step)/transpose(jvp())/while/body/closed_call/checkpoint/mlp/dot_general",
            "jit(train_step)/jvp()/while/body/closed_call/mlp/dot_general",
            "jit(train_step)/jvp()/while/body/closed_call/moe/combine/transpose",
            "jit(train_step)/jvp()/while/body/closed_call/moe/dispatch/transpose",
        ];
        let labels = |room| names.map(|name| short_name(name, names.into_iter(), room));
        assert_eq!(
            labels(40),
            [
                "…/rematted_computation/mlp/dot_general",
                "…/closed_call/checkpoint/mlp/dot_general",
                "…/while/body/closed_call/mlp/dot_general",
                "…/body/closed_call/moe/combine/transpose",
                "…/closed_call/moe/dispatch/transpose",
            ]
        );
        for room in [24, 30, 36, 80] {
            let labels = labels(room);
            assert!(labels.iter().all(|label| label.chars().count() <= room), "{labels:?}");
            let distinct: std::collections::BTreeSet<&String> = labels.iter().collect();
            assert_eq!(distinct.len(), names.len(), "{labels:?}");
        }
        // The difference may be far from the end.
        let far = ["jit(f)/jvp(a)/while/body/mlp/dot_general", "jit(f)/transpose(a)/while/body/mlp/dot_general"];
        let far = far.map(|name| short_name(name, far.into_iter(), 32));
        assert_eq!(far, ["…/jvp(a)/…/body/mlp/dot_general", "…/transpose(a)/…/mlp/dot_general"]);
        assert_eq!(short_name("a/b", std::iter::empty(), 8), "a/b");
    }

    fn stack(key: &str) -> Group {
        let mut group = Group::empty(key.to_owned());
        group.key_kind = "source_stack".to_owned();
        group.source_inner = Some("/me/moe.py:33".to_owned());
        group
    }

    #[test]
    fn one_line_called_from_two_is_two_labels() {
        let rows = [
            stack("/me/moe.py:33:4 [f]\n/me/layer.py:12:1\n/me/train.py:1:1"),
            stack("/me/moe.py:33:4 [f]\n/me/layer.py:40:1\n/me/train.py:1:1"),
            stack("/me/moe.py:33:4 [f]\n/me/layer.py:40:1\n/me/eval.py:1:1"),
        ];
        let labels = |rows: &[Group]| rows.iter().filter_map(|row| source(row, rows.iter())).collect::<Vec<_>>();
        let expected = [
            "moe.py:33 ‹ layer.py:12:1",
            "moe.py:33 ‹ layer.py:40:1 ‹ train.py:1:1",
            "moe.py:33 ‹ layer.py:40:1 ‹ eval.py:1:1",
        ];
        assert_eq!(labels(&rows), expected);
        assert_eq!(labels(&rows[..1]), ["moe.py:33"]);
        // The labels are the same if the innermost frame is the last one.
        let turned = rows.map(|row| stack(&row.key.lines().rev().collect::<Vec<_>>().join("\n")));
        assert_eq!(labels(&turned), expected);
    }
}
