//! A module's text by lines: where each line starts, and which lines are computations and instructions.
//!
//! The text is made once and kept as one piece: a large module has 100,000s of lines.

use super::print_module::{ModulePart, Piece, pieces};
use super::{Module, Style};
use std::fmt::Write;

/// A text by lines. They end at line breaks; what follows the last one is a line if there is anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    text: String,
    /// Where each line starts.
    starts: Vec<u32>,
    /// First lines of computations.
    computations: Vec<u32>,
    /// First lines of instructions.
    instructions: Vec<u32>,
    /// The text would be longer: this is its start.
    is_cut: bool,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'l> {
    /// The first line of a computation: which, in order.
    Computation(usize),
    /// The first line of an instruction, by its name.
    Instruction(&'l str),
    /// Any other.
    Other,
}

/// No text is longer: places in it fit 32 bits, and memory a tab.
const MAX_TEXT: usize = 1 << 30;

impl Listing {
    /// The text of a module, as [`Module`] prints.
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

    /// A comment, then instructions, each of which may have several lines.
    pub fn of_texts<'t>(comment: &str, texts: impl Iterator<Item = &'t str>) -> Self {
        let mut listing = Self::default();
        listing.add(|text| writeln!(text, "// {comment}").is_ok());
        for of in texts {
            listing.instructions.push(listing.n_starts());
            if !listing.add(|text| writeln!(text, "{of}").is_ok()) {
                break;
            }
        }
        listing
    }

    /// Adds whole lines; `false` where there is no room for more.
    fn add(&mut self, write: impl FnOnce(&mut String) -> bool) -> bool {
        let start = self.text.len();
        // Nothing else fails than what `Display` reports by itself, and nothing there does.
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
        // The end of the text is no line's start.
        let breaks = added.match_indices('\n').map(|(at, _)| start.saturating_add(at).saturating_add(1));
        self.starts.extend(breaks.filter(|at| *at < self.text.len()).map(offset));
        written
    }

    fn n_starts(&self) -> u32 {
        offset(self.starts.len())
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many lines there are.
    pub const fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// How many instructions there are.
    pub const fn n_instructions(&self) -> usize {
        self.instructions.len()
    }

    /// The text would be longer than a gigabyte: this is its start.
    pub const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// A line without its break; empty where there is none.
    pub fn line(&self, line: usize) -> &str {
        let at = |line: usize| self.starts.get(line).map(|at| *at as usize);
        let Some(from) = at(line) else { return "" };
        let to = at(line.saturating_add(1)).unwrap_or(self.text.len());
        let line = self.text.get(from..to).unwrap_or_default();
        line.strip_suffix('\n').unwrap_or(line)
    }

    /// What a line is.
    pub fn kind(&self, line: usize) -> Line<'_> {
        if let Ok(which) = self.computations.binary_search(&offset(line)) {
            return Line::Computation(which);
        }
        match self.instructions.binary_search(&offset(line)) {
            Ok(_) => Line::Instruction(name(self.line(line))),
            Err(_) => Line::Other,
        }
    }

    /// First lines of its computations, in order.
    pub fn computations(&self) -> &[u32] {
        &self.computations
    }
}

/// No text is so long that a place in it does not fit.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The name in `  ROOT %name = …`.
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
        let (other, of) = (Line::Other, Line::Computation);
        let expected =
            [other, other, of(0), named("x"), other, other, other, of(1), named("y"), named("c"), other, other];
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
