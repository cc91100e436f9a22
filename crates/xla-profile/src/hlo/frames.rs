//! Call stacks of a module, as tables that share their parts. Ids are 1-based; 0 is none.

use super::Text;

/// The tables of a module's call stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    /// File names.
    pub files: Vec<Text>,
    /// Function names.
    pub functions: Vec<Text>,
    /// Places in files.
    pub locations: Vec<Location>,
    /// Frames: a location and the frame that called it.
    pub frames: Vec<Frame>,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// 1-based place in [`Frames::files`].
    pub file: u32,
    /// 1-based place in [`Frames::functions`].
    pub function: u32,
    /// Line.
    pub line: u32,
    /// Last line; 0 is not said.
    pub end_line: u32,
    /// Column.
    pub column: u32,
    /// Last column; 0 is not said.
    pub end_column: u32,
}

/// A frame of a call stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// 1-based place in [`Frames::locations`].
    pub location: u32,
    /// 1-based place of the caller in [`Frames::frames`]; 0 for the outermost.
    pub parent: u32,
}

/// One line of a call stack, resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceFrame<'m> {
    /// The file; empty if it is not known.
    pub file: &'m str,
    /// The function; empty if it is not known.
    pub function: &'m str,
    /// The line; 0 if it is not known.
    pub line: u32,
    /// The column; 0 if it is not known.
    pub column: u32,
}

impl Frames {
    /// Deeper stacks are cut: frames that call each other in a circle have no end.
    pub const DEPTH: usize = 256;

    /// The stack of frame `id`, the innermost call first.
    pub fn stack(&self, id: u32) -> Vec<SourceFrame<'_>> {
        let mut stack = Vec::new();
        let mut next = id;
        while stack.len() < Self::DEPTH {
            let Some(frame) = entry(&self.frames, next) else { break };
            let location = entry(&self.locations, frame.location).copied().unwrap_or_default();
            stack.push(SourceFrame {
                file: entry(&self.files, location.file).map_or("", |t| t),
                function: entry(&self.functions, location.function).map_or("", |t| t),
                line: location.line,
                column: location.column,
            });
            next = frame.parent;
        }
        stack
    }
}

fn entry<T>(table: &[T], id: u32) -> Option<&T> {
    table.get((id as usize).checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn innermost_first_and_circles_end() {
        let mut frames = Frames {
            files: vec!["a.py".into()],
            functions: vec!["main".into(), "f".into()],
            locations: vec![
                Location { file: 1, function: 1, line: 3, ..Location::default() },
                Location { file: 1, function: 2, line: 9, ..Location::default() },
            ],
            frames: vec![Frame { location: 1, parent: 0 }, Frame { location: 2, parent: 1 }],
        };
        let lines = |f: &Frames, id| f.stack(id).iter().map(|s| (s.function.to_owned(), s.line)).collect::<Vec<_>>();
        assert_eq!(lines(&frames, 2), [("f".to_owned(), 9), ("main".to_owned(), 3)]);
        assert!(frames.stack(0).is_empty() && frames.stack(3).is_empty());
        frames.frames[0].parent = 2;
        assert_eq!(frames.stack(2).len(), Frames::DEPTH);
    }
}
