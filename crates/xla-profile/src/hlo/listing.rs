//! This module holds the text of a module by lines, with the lines at which computations and instructions begin.
//!
//! The text is printed once and kept as one string, because a large module has hundreds of thousands of lines.

use super::print_module::{ModulePart, Piece, pieces};
use super::{Module, Style};
use std::fmt::Write;

/// A text that is divided into lines. Line numbers count from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    text: String,
    /// Offset of each line in `text`.
    starts: Vec<u32>,
    /// Numbers of the first lines of computations.
    computations: Vec<u32>,
    /// Numbers of the first lines of instructions.
    instructions: Vec<u32>,
    /// The text exceeds [`MAX_TEXT`], and its end is missing.
    is_cut: bool,
}

/// The content of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'l> {
    /// The first line of a computation, with the index of the computation.
    Computation(usize),
    /// The first line of an instruction, with the name of the instruction.
    Instruction(&'l str),
    Other,
}

/// Largest length of a text, in bytes, so that offsets fit 32 bits and the text fits the memory of a tab.
const MAX_TEXT: usize = 1 << 30;

impl Listing {
    /// Creates the listing of a module, with the text that the `Display` of [`Module`] prints.
    pub fn new(module: &Module) -> Self {
        let mut listing = Self::default();
        for what in pieces(module) {
            let line = listing.n_starts();
            match what {
                ModulePart::Opens(..) => listing.computations.push(line),
                ModulePart::Instruction(_) => listing.instructions.push(line),
                ModulePart::Head | ModulePart::Closes(_) => {}
            }
            let piece = Piece { module, what, style: Style::MODULE };
            if !listing.add(|text| write!(text, "{piece}").is_ok()) {
                break;
            }
        }
        listing
    }

    /// Creates a listing of a comment and the texts of instructions. Each text may have several lines.
    pub fn of_texts<'t>(comment: &str, texts: impl Iterator<Item = &'t str>) -> Self {
        let mut listing = Self::default();
        listing.add(|text| writeln!(text, "// {comment}").is_ok());
        for line in texts {
            listing.instructions.push(listing.n_starts());
            if !listing.add(|text| writeln!(text, "{line}").is_ok()) {
                break;
            }
        }
        listing
    }

    /// Adds whole lines. Returns `false` if they do not fit.
    fn add(&mut self, write: impl FnOnce(&mut String) -> bool) -> bool {
        let start = self.text.len();
        // `write` fails only if a `Display` returns an error of its own, and none does.
        let written = write(&mut self.text);
        if self.text.len() > MAX_TEXT {
            self.text.truncate(start);
            self.is_cut = true;
            return false;
        }
        if self.text.len() > start {
            self.starts.push(offset(start));
        }
        let added = self.text.get(start..).unwrap_or_default();
        // No line starts at the end of the text.
        let breaks = added.match_indices('\n').map(|(position, _)| start.saturating_add(position).saturating_add(1));
        self.starts.extend(breaks.filter(|position| *position < self.text.len()).map(offset));
        written
    }

    fn n_starts(&self) -> u32 {
        offset(self.starts.len())
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of lines.
    pub const fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns whether there are no lines.
    pub const fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub const fn n_instructions(&self) -> usize {
        self.instructions.len()
    }

    /// Returns whether the end of the text is missing, because the whole text is longer than 1 GiB.
    pub const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns a line without its line break, or an empty text if there is no such line.
    pub fn line(&self, line: usize) -> &str {
        let start_of = |line: usize| self.starts.get(line).map(|start| *start as usize);
        let Some(from) = start_of(line) else { return "" };
        let to = start_of(line.saturating_add(1)).unwrap_or(self.text.len());
        let line = self.text.get(from..to).unwrap_or_default();
        line.strip_suffix('\n').unwrap_or(line)
    }

    /// Returns whether a line is the first line of a computation or of an instruction.
    pub fn kind(&self, line: usize) -> Line<'_> {
        if let Ok(which) = self.computations.binary_search(&offset(line)) {
            return Line::Computation(which);
        }
        match self.instructions.binary_search(&offset(line)) {
            Ok(_) => Line::Instruction(name(self.line(line))),
            Err(_) => Line::Other,
        }
    }

    /// Returns the numbers of the first lines of all computations, in order.
    pub fn computations(&self) -> &[u32] {
        &self.computations
    }
}

/// Converts an offset or a count to 32 bits, which hold all values because of [`MAX_TEXT`].
fn offset(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Returns the name in `  ROOT %name = …`.
fn name(line: &str) -> &str {
    let line = line.trim_start();
    let line = line.strip_prefix("ROOT ").unwrap_or(line);
    let line = line.strip_prefix('%').unwrap_or(line);
    line.split_once(" = ").map_or(line, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_what_they_are() {
        let text = "HloModule m\n\n%f (x: f32[]) -> f32[] {\n  ROOT %x = f32[] parameter(0), frontend_attributes={a=\"1\n}\"}\n}\n\n\
                    ENTRY %main (y: f32[]) -> f32[] {\n  %y = f32[] parameter(0)\n  ROOT %c = f32[] call(%y), to_apply=%f\n}\n\n";
        let listing = Listing::new(&crate::hlo::text::module(text).unwrap().0);
        assert_eq!(listing.text(), text);
        let lines: Vec<&str> = (0..listing.len()).map(|i| listing.line(i)).collect();
        assert_eq!(lines, text.lines().collect::<Vec<_>>());
        assert_eq!((listing.line(lines.len()), listing.kind(lines.len())), ("", Line::Other));
        let kinds: Vec<Line<'_>> = (0..listing.len()).map(|i| listing.kind(i)).collect();
        let named = Line::Instruction;
        let (other, computation) = (Line::Other, Line::Computation);
        let expected = [
            other,
            other,
            computation(0),
            named("x"),
            other,
            other,
            other,
            computation(1),
            named("y"),
            named("c"),
            other,
            other,
        ];
        assert_eq!(kinds, expected);
        assert_eq!((listing.n_instructions(), listing.is_cut()), (3, false));
    }

    #[test]
    fn texts_of_events() {
        let listing = Listing::of_texts("two", ["%a = f32[] b()", "c\nd"].into_iter());
        assert_eq!(listing.text(), "// two\n%a = f32[] b()\nc\nd\n");
        assert_eq!(listing.kind(1), Line::Instruction("a"));
        assert_eq!((listing.kind(2), listing.kind(3)), (Line::Instruction("c"), Line::Other));
        assert_eq!(Listing::of_texts("", [].into_iter()).len(), 1);
    }
}
