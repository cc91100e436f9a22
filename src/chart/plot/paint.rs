//! How marks look, by role: tones, patterns, and what they are called in the style sheet. This module knows the names of tokens
//! and no colour.

use super::time_part::Slot;
use crate::analysis::classify::Kind;
use crate::analysis::memory::MemoryClass;

/// A colour by its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the tokens, which say what each is for")]
pub enum Tone {
    /// A kind of time, or idle.
    Kind(Slot),
    /// Text on it.
    On(Slot),
    Ink,
    Ink2,
    Ink3,
    Line,
    Line2,
    Edge,
    Grid,
    Ground,
    Hover,
    Sunken,
    Accent,
    AccentLine,
    Select,
    /// From 1, low, to 7, high.
    Seq(u8),
    /// A class of memory.
    Class(MemoryClass),
    /// Text on it.
    OnClass(MemoryClass),
}

/// What tells a mark where colour alone would not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Diagonals on ground: time that is lost.
    Hatch,
    /// Fine diagonals of compute on the fused hue.
    Stripe,
    /// Crossed lines on ground: a container's own time.
    Cross,
    /// Dots of ground: what no rule covers.
    Dots,
    /// Strokes along the far side of a roof.
    Wall,
}

/// How a mark looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paint {
    /// Its inside; for text, its letters.
    pub fill: Option<Tone>,
    /// Its edge.
    pub stroke: Option<Tone>,
    /// The edge's width.
    pub width: f64,
    /// Whether the edge is dashed.
    pub dash: bool,
    /// Drawn instead of the plain fill.
    pub pattern: Option<Pattern>,
    /// Of the whole mark, 0 to 1.
    pub opacity: f64,
}

impl Tone {
    /// The token that holds the colour.
    pub const fn css_var(self) -> &'static str {
        match self {
            Self::Kind(slot) => slot.css_var(),
            Self::On(Slot::Kind(Kind::Compute)) => "--on-compute",
            Self::On(Slot::Kind(Kind::Fused)) => "--on-fused",
            Self::On(Slot::Kind(Kind::Communication)) => "--on-comm",
            Self::On(Slot::Kind(Kind::DataMovement)) => "--on-move",
            Self::On(Slot::Kind(Kind::Host)) => "--on-host",
            Self::On(Slot::Kind(Kind::Other)) => "--on-other",
            Self::Ink | Self::On(_) => "--ink",
            Self::Ink2 => "--ink-2",
            Self::Ink3 => "--ink-3",
            Self::Line => "--line",
            Self::Line2 => "--line-2",
            Self::Edge => "--edge",
            Self::Grid => "--grid",
            Self::Ground => "--ground",
            Self::Hover => "--hover",
            Self::Sunken => "--sunken",
            Self::Accent => "--accent",
            Self::AccentLine => "--accent-line",
            Self::Select => "--select",
            Self::Seq(0 | 1) => "--s-1",
            Self::Seq(2) => "--s-2",
            Self::Seq(3) => "--s-3",
            Self::Seq(4) => "--s-4",
            Self::Seq(5) => "--s-5",
            Self::Seq(6) => "--s-6",
            Self::Seq(_) => "--s-7",
            Self::Class(class) => class_var(class).0,
            Self::OnClass(class) => class_var(class).1,
        }
    }

    /// As an attribute of an element on the page.
    pub fn css(self) -> String {
        format!("var({})", self.css_var())
    }
}

/// The tokens of a class of memory: its fill, and text on it.
const fn class_var(class: MemoryClass) -> (&'static str, &'static str) {
    match class {
        MemoryClass::Weights => ("--m-weights", "--on-m-weights"),
        MemoryClass::Optimizer => ("--m-optimizer", "--on-m-optimizer"),
        MemoryClass::Inputs => ("--m-inputs", "--on-m-inputs"),
        MemoryClass::Logits => ("--m-logits", "--on-m-logits"),
        MemoryClass::Experts => ("--m-experts", "--on-m-experts"),
        MemoryClass::Attention => ("--m-attention", "--on-m-attention"),
        MemoryClass::Gradients => ("--m-gradients", "--on-m-gradients"),
        MemoryClass::Activations => ("--m-activations", "--on-m-activations"),
        MemoryClass::Communication => ("--m-comm", "--on-m-comm"),
        MemoryClass::Outputs => ("--m-outputs", "--on-m-outputs"),
        MemoryClass::Constants => ("--m-constants", "--on-m-constants"),
        MemoryClass::Temporaries => ("--m-temporaries", "--on-m-temporaries"),
    }
}

impl Pattern {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Hatch, Self::Stripe, Self::Cross, Self::Dots, Self::Wall];

    /// The element that holds it.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Hatch => "p-idle",
            Self::Stripe => "p-fused",
            Self::Cross => "p-container",
            Self::Dots => "p-other",
            Self::Wall => "p-wall",
        }
    }

    /// As a fill.
    pub fn css(self) -> String {
        format!("url(#{})", self.id())
    }

    /// The pattern of a part of time, where it has one.
    pub const fn from_slot(slot: Slot) -> Option<Self> {
        match slot {
            Slot::Kind(Kind::Fused) => Some(Self::Stripe),
            Slot::Kind(Kind::Container) => Some(Self::Cross),
            Slot::Kind(Kind::Other) => Some(Self::Dots),
            Slot::Idle => Some(Self::Hatch),
            Slot::Kind(_) => None,
        }
    }
}

impl Paint {
    /// Not drawn: for marks that are only pointed at.
    pub const NONE: Self = Self { fill: None, stroke: None, width: 1.0, dash: false, pattern: None, opacity: 1.0 };

    /// A plain fill.
    pub const fn fill(tone: Tone) -> Self {
        Self { fill: Some(tone), ..Self::NONE }
    }

    /// An edge alone.
    pub const fn stroke(tone: Tone, width: f64) -> Self {
        Self { stroke: Some(tone), width, ..Self::NONE }
    }

    /// A part of time as it looks everywhere: hue, pattern, and an outline around what stands on ground.
    pub const fn slot(slot: Slot) -> Self {
        let outline = match slot {
            Slot::Idle | Slot::Kind(Kind::Container) => Some(Tone::Kind(Slot::Kind(Kind::Container))),
            Slot::Kind(_) => None,
        };
        Self { fill: Some(Tone::Kind(slot)), stroke: outline, pattern: Pattern::from_slot(slot), ..Self::NONE }
    }

    /// The same, dashed.
    #[must_use]
    pub const fn dashed(self) -> Self {
        Self { dash: true, ..self }
    }

    /// The same, seen through.
    #[must_use]
    pub const fn faded(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }

    /// Whether there is something to see.
    pub const fn is_drawn(&self) -> bool {
        self.fill.is_some() || self.stroke.is_some() || self.pattern.is_some()
    }

    /// The page's `fill` attribute.
    pub fn fill_css(&self) -> String {
        match (self.pattern, self.fill) {
            (Some(pattern), _) => pattern.css(),
            (None, Some(tone)) => tone.css(),
            (None, None) => "none".to_owned(),
        }
    }

    /// The page's `stroke` attribute.
    pub fn stroke_css(&self) -> String {
        self.stroke.map_or_else(|| "none".to_owned(), Tone::css)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tone_is_a_token() {
        let tokens = include_str!("../../../style/tokens.css");
        let plain = [
            Tone::Ink,
            Tone::Ink2,
            Tone::Ink3,
            Tone::Line,
            Tone::Line2,
            Tone::Edge,
            Tone::Grid,
            Tone::Ground,
            Tone::Hover,
            Tone::Sunken,
            Tone::Accent,
            Tone::AccentLine,
            Tone::Select,
        ];
        let seq = (1..=7).map(Tone::Seq);
        let kinds = Slot::all().flat_map(|slot| [Tone::Kind(slot), Tone::On(slot)]);
        for tone in plain.into_iter().chain(seq).chain(kinds) {
            assert!(tokens.contains(&format!("{}:", tone.css_var())), "{tone:?}");
        }
        assert_eq!([Tone::Seq(0).css(), Tone::Seq(9).css()], ["var(--s-1)", "var(--s-7)"]);
    }

    #[test]
    fn parts_of_time_look_as_the_style_sheet_has_them() {
        let marks = include_str!("../../../style/marks.css");
        for slot in Slot::all() {
            let rule = format!(".mark-{} {{ fill: {};", slot.class(), Paint::slot(slot).fill_css());
            assert!(marks.contains(&rule), "{rule}");
            let outlined = marks.contains(&format!("{rule} stroke: {};", Paint::slot(slot).stroke_css()));
            assert_eq!(outlined, Paint::slot(slot).stroke.is_some(), "{slot:?}");
        }
    }

    #[test]
    fn what_is_not_painted_is_not_drawn() {
        assert!(!Paint::NONE.is_drawn() && Paint::stroke(Tone::Ink, 2.0).is_drawn());
        assert_eq!(Paint::NONE.fill_css() + &Paint::NONE.stroke_css(), "nonenone");
        let faint = Paint::fill(Tone::Grid).dashed().faded(0.5);
        assert!(faint.dash && faint.opacity < 1.0 && faint.fill == Some(Tone::Grid));
        assert_eq!(Pattern::Wall.css(), "url(#p-wall)");
    }
}
