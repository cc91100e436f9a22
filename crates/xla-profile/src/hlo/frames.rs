//! This module holds the call stacks of a module in tables that share their parts. Ids count from 1; 0 means absent.

use super::Text;

/// The tables of a module's call stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    pub files: Vec<Text>,
    pub functions: Vec<Text>,
    pub locations: Vec<Location>,
    pub frames: Vec<Frame>,
}

/// A range of text in a source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// Position in [`Frames::files`], counted from 1.
    pub file: u32,
    /// Position in [`Frames::functions`], counted from 1.
    pub function: u32,
    pub line: u32,
    /// Last line; 0 if it is absent.
    pub end_line: u32,
    pub column: u32,
    /// Last column; 0 if it is absent.
    pub end_column: u32,
}

/// A frame of a call stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Position in [`Frames::locations`], counted from 1.
    pub location: u32,
    /// Position of the caller in [`Frames::frames`], counted from 1; 0 for the outermost frame.
    pub parent: u32,
}

/// A frame of a call stack with its file and its function. Empty texts and zeros are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceFrame<'m> {
    pub file: &'m str,
    pub function: &'m str,
    pub line: u32,
    pub column: u32,
}

impl Frames {
    /// Largest number of frames of a stack. The limit ends a circle of frames.
    pub const DEPTH: usize = 256;

    /// Returns the stack of frame `id`, the innermost call first. `id` counts from 1.
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
