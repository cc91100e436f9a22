//! This module names the appearance of marks by role: tones, patterns, and their names in the style sheet. It holds the
//! names of design tokens, but no colour values.

use super::time_part::TimePart;
use crate::analysis::classify::Kind;
use crate::analysis::memory::MemoryClass;

/// A colour by its role. Each tone has a design token in `style/tokens.css`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// A kind of time, or idle.
    Kind(TimePart),
    /// Text on [`Self::Kind`].
    On(TimePart),
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
    /// A difference for the better.
    Better,
    /// A difference for the worse.
    Worse,
    /// Step of the sequential scale, from 1 (low) to 7 (high).
    Seq(u8),
    Class(MemoryClass),
    /// Text on [`Self::Class`].
    OnClass(MemoryClass),
}

/// A pattern that distinguishes marks without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Diagonal lines on the ground colour: idle time.
    Hatch,
    /// Fine diagonal lines in the compute colour on the fused colour.
    Stripe,
    /// Crossed lines on the ground colour: the self time of a container.
    Cross,
    /// Dots in the ground colour: time that no classification rule covers.
    Dots,
    /// Short strokes along the outside of a roof.
    Wall,
}

/// The appearance of a mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paint {
    /// Colour of the inside; for text, of the letters.
    pub fill: Option<Tone>,
    /// Colour of the outline.
    pub stroke: Option<Tone>,
    /// Width of the outline, in px.
    pub width: f64,
    pub dash: bool,
    /// Pattern that replaces the plain fill.
    pub pattern: Option<Pattern>,
    /// Opacity of the whole mark, 0 to 1.
    pub opacity: f64,
}

impl Tone {
    /// Returns the CSS variable that holds the colour.
    pub const fn css_var(self) -> &'static str {
        match self {
            Self::Kind(time_part) => time_part.css_var(),
            Self::On(TimePart::Kind(Kind::Compute)) => "--on-compute",
            Self::On(TimePart::Kind(Kind::Fused)) => "--on-fused",
            Self::On(TimePart::Kind(Kind::Communication)) => "--on-comm",
            Self::On(TimePart::Kind(Kind::DataMovement)) => "--on-move",
            Self::On(TimePart::Kind(Kind::Host)) => "--on-host",
            Self::On(TimePart::Kind(Kind::Other)) => "--on-other",
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
            Self::Better => "--better",
            Self::Worse => "--worse",
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

    /// Returns the colour as the value of an attribute on the page.
    pub fn css(self) -> String {
        format!("var({})", self.css_var())
    }
}

/// Returns the CSS variables of a class of memory: for its fill, and for text on it.
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
    /// All patterns.
    pub const ALL: [Self; 5] = [Self::Hatch, Self::Stripe, Self::Cross, Self::Dots, Self::Wall];

    /// Returns the id of the SVG element with the pattern.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Hatch => "p-idle",
            Self::Stripe => "p-fused",
            Self::Cross => "p-container",
            Self::Dots => "p-other",
            Self::Wall => "p-wall",
        }
    }

    /// Returns the pattern as the value of a `fill` attribute.
    pub fn css(self) -> String {
        format!("url(#{})", self.id())
    }

    /// Returns the pattern of a part of time. `None` for a part with a plain fill.
    pub const fn from_time_part(time_part: TimePart) -> Option<Self> {
        match time_part {
            TimePart::Kind(Kind::Fused) => Some(Self::Stripe),
            TimePart::Kind(Kind::Container) => Some(Self::Cross),
            TimePart::Kind(Kind::Other) => Some(Self::Dots),
            TimePart::Idle => Some(Self::Hatch),
            TimePart::Kind(_) => None,
        }
    }
}

impl Paint {
    /// No fill and no stroke, for marks that are only hit targets.
    pub const NONE: Self = Self { fill: None, stroke: None, width: 1.0, dash: false, pattern: None, opacity: 1.0 };

    pub const fn fill(tone: Tone) -> Self {
        Self { fill: Some(tone), ..Self::NONE }
    }

    /// Returns an outline without a fill, `width` px wide.
    pub const fn stroke(tone: Tone, width: f64) -> Self {
        Self { stroke: Some(tone), width, ..Self::NONE }
    }

    /// Returns the common appearance of a part of time: colour, pattern, and an outline for parts on the ground colour.
    pub const fn time_part(part: TimePart) -> Self {
        let outline = match part {
            TimePart::Idle | TimePart::Kind(Kind::Container) => Some(Tone::Kind(TimePart::Kind(Kind::Container))),
            TimePart::Kind(_) => None,
        };
        Self { fill: Some(Tone::Kind(part)), stroke: outline, pattern: Pattern::from_time_part(part), ..Self::NONE }
    }

    /// Makes the outline dashed.
    #[must_use]
    pub const fn dashed(self) -> Self {
        Self { dash: true, ..self }
    }

    /// Sets the opacity of the mark, 0 to 1.
    #[must_use]
    pub const fn faded(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }

    /// Returns true if the mark is visible.
    pub const fn is_drawn(&self) -> bool {
        self.fill.is_some() || self.stroke.is_some() || self.pattern.is_some()
    }

    /// Returns the `fill` attribute on the page.
    pub fn fill_css(&self) -> String {
        match (self.pattern, self.fill) {
            (Some(pattern), _) => pattern.css(),
            (None, Some(tone)) => tone.css(),
            (None, None) => "none".to_owned(),
        }
    }

    /// Returns the `stroke` attribute on the page.
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
            Tone::Better,
            Tone::Worse,
        ];
        let seq = (1..=7).map(Tone::Seq);
        let kinds = TimePart::all().flat_map(|time_part| [Tone::Kind(time_part), Tone::On(time_part)]);
        for tone in plain.into_iter().chain(seq).chain(kinds) {
            assert!(tokens.contains(&format!("{}:", tone.css_var())), "{tone:?}");
        }
        assert_eq!([Tone::Seq(0).css(), Tone::Seq(9).css()], ["var(--s-1)", "var(--s-7)"]);
    }

    #[test]
    fn parts_of_time_look_as_the_style_sheet_has_them() {
        let marks = include_str!("../../../style/marks.css");
        for time_part in TimePart::all() {
            let rule = format!(".mark-{} {{ fill: {};", time_part.class(), Paint::time_part(time_part).fill_css());
            assert!(marks.contains(&rule), "{rule}");
            let outlined = marks.contains(&format!("{rule} stroke: {};", Paint::time_part(time_part).stroke_css()));
            assert_eq!(outlined, Paint::time_part(time_part).stroke.is_some(), "{time_part:?}");
        }
    }

    #[test]
    fn marks_without_paint_are_not_drawn() {
        assert!(!Paint::NONE.is_drawn() && Paint::stroke(Tone::Ink, 2.0).is_drawn());
        assert_eq!(Paint::NONE.fill_css() + &Paint::NONE.stroke_css(), "nonenone");
        let faint = Paint::fill(Tone::Grid).dashed().faded(0.5);
        assert!(faint.dash && faint.opacity < 1.0 && faint.fill == Some(Tone::Grid));
        assert_eq!(Pattern::Wall.css(), "url(#p-wall)");
    }
}
