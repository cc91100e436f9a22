//! This module finds the innermost frame of a source stack, and the innermost frame of the user's own code. Older
//! captures write the innermost frame last, newer ones first.
//!
//! ```text
//!  site-packages/torch/nn/modules/module.py:1775   the innermost frame, in an installed package
//!  vllm/model_executor/models/qwen2.py:228         the innermost frame of the user's code, which is reported
//!  site-packages/torch/nn/modules/module.py:1786
//! ```

/// The source stats of one op.
#[derive(Clone, Copy, Debug)]
pub struct Frames<'a> {
    /// `source`: `file:line`.
    pub source: Option<&'a str>,
    /// `source_stack`: one frame per line.
    pub stack: Option<&'a str>,
}

/// The end of the stacks of a plane at which the innermost frame is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Innermost {
    /// The first line; also the default, if no op shows the end.
    #[default]
    First,
    Last,
}

/// Returns the end that equals the `source` stat of most ops of a plane.
pub fn majority<'a>(ops: impl Iterator<Item = Frames<'a>>) -> Innermost {
    let balance: i64 = ops.filter_map(frame_order).map(|end| if end == Innermost::Last { 1 } else { -1 }).sum();
    if balance > 0 { Innermost::Last } else { Innermost::First }
}

/// Returns the innermost frame of the user's code as `file:line`: the first frame, from the innermost outwards, that is
/// not in an installed package, or the innermost frame if all are. The innermost end of the stack is the end that
/// equals `source`, else `plane`, the end for most stacks of the plane. Without a stack, returns `source`.
pub fn innermost<'a>(frames: Frames<'a>, plane: Innermost) -> Option<&'a str> {
    let Some(stack) = frames.stack else { return frames.source };
    let mut lines = stack.lines().filter(|l| !l.trim().is_empty());
    let is_own = |frame: &&str| !is_installed(frame);
    let frame = match frame_order(frames).unwrap_or(plane) {
        Innermost::First => lines.clone().find(is_own).or_else(|| lines.next()),
        Innermost::Last => lines.clone().rev().find(is_own).or_else(|| lines.next_back()),
    };
    frame.map(location).or(frames.source)
}

/// Returns whether a frame is in an installed package, in Python's own library, or in no file.
fn is_installed(frame: &str) -> bool {
    let folders = ["site-packages", "dist-packages"];
    let frame = frame.trim();
    frame.starts_with('<')
        || frame
            .split(['/', '\\'])
            .any(|part| folders.contains(&part) || part == "python3" || part.starts_with("python3."))
}

/// Returns all frames as written, the innermost first; without a stack, the frame in `source`.
pub fn frames_inward<'a>(frames: Frames<'a>, plane: Innermost) -> Vec<&'a str> {
    let mut lines: Vec<&str> =
        frames.stack.unwrap_or_default().lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    if frame_order(frames).unwrap_or(plane) == Innermost::Last {
        lines.reverse();
    }
    if lines.is_empty() { frames.source.into_iter().collect() } else { lines }
}

/// Returns the end at which the stack of one op has its innermost frame; `None` unless exactly one end equals `source`.
fn frame_order(frames: Frames<'_>) -> Option<Innermost> {
    let (source, stack) = (frames.source?, frames.stack?);
    let mut lines = stack.lines().filter(|l| !l.trim().is_empty());
    let first = lines.next()?;
    let last = lines.next_back()?;
    match (location(first) == source, location(last) == source) {
        (true, false) => Some(Innermost::First),
        (false, true) => Some(Innermost::Last),
        _ => None,
    }
}

/// Returns `file:line` of a frame such as `model.py:12:4 [forward]`, `model.py:12` or `<embedded module 'x'>:153:2`,
/// which is the text up to and including the first number after a colon.
fn location(frame: &str) -> &str {
    let frame = frame.trim();
    let is_digit = |c: &char| c.is_ascii_digit();
    let number = frame.match_indices(':').find_map(|(offset, _)| {
        let digits = frame[offset + 1..].chars().take_while(is_digit).count();
        (digits > 0).then_some(offset + 1 + digits)
    });
    number.and_then(|end| frame.get(..end)).unwrap_or(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STACK: &str = "a.py:1:2 [f]\nb.py:3\n\nc.py:5:9 [h]\n";

    #[test]
    fn innermost_frame_is_the_end_that_equals_the_source() {
        let frames = |source| Frames { source: Some(source), stack: Some(STACK) };
        assert_eq!(innermost(frames("a.py:1"), Innermost::Last), Some("a.py:1"));
        assert_eq!(innermost(frames("c.py:5"), Innermost::First), Some("c.py:5"));
    }

    #[test]
    fn installed_packages_are_passed_over() {
        let module = "/env/lib/python3.12/site-packages/torch/nn/modules/module.py:1775";
        let first = format!("{module}:19\n/home/me/vllm/models/qwen2.py:228:22\n{module}:19\n");
        let frame = |stack, source, plane| innermost(Frames { source, stack: Some(stack) }, plane);
        assert_eq!(frame(&first, Some(module), Innermost::First), Some("/home/me/vllm/models/qwen2.py:228"));
        let last = "/home/me/train.py:3:1\n/home/me/model.py:9:1\n/usr/lib/python3/dist-packages/jax/nn.py:5:1";
        assert_eq!(frame(last, None, Innermost::Last), Some("/home/me/model.py:9"));
        let all = "<frozen runpy>:88\n/usr/lib/python3.12/functools.py:2";
        assert_eq!(frame(all, None, Innermost::First), Some("<frozen runpy>:88"), "none is the user's");
    }

    #[test]
    fn else_the_plane_decides() {
        let frames = Frames { source: None, stack: Some(STACK) };
        assert_eq!(innermost(frames, Innermost::Last), Some("c.py:5"));
        assert_eq!(innermost(frames, Innermost::First), Some("a.py:1"));
        let last = Frames { source: Some("c.py:5"), stack: Some(STACK) };
        assert_eq!(majority([last, last, Frames { source: Some("a.py:1"), ..last }].into_iter()), Innermost::Last);
        assert_eq!(majority([frames].into_iter()), Innermost::First);
    }

    #[test]
    fn locations() {
        assert_eq!(location("<embedded module '_launcher'>:153:2"), "<embedded module '_launcher'>:153");
        assert_eq!(location("  C:/src/model.py:12 [forward]"), "C:/src/model.py:12");
        assert_eq!(location("no line"), "no line");
    }

    #[test]
    fn without_a_stack() {
        assert_eq!(innermost(Frames { source: Some("x.py:7"), stack: None }, Innermost::First), Some("x.py:7"));
        assert_eq!(innermost(Frames { source: None, stack: Some("\n") }, Innermost::First), None);
    }
}
