//! This module holds the verdicts about flags. It is plain data and does not depend on the analysis.

use crate::analysis::base::{Header, Totals};
use crate::analysis::comm::Primitive;
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;
use xla_profile::profile::Note;
use xla_profile::units::Picos;

/// The flags of a run, judged by the communication of a window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlagsReport {
    /// The device and the window.
    pub header: Header,
    /// Sums over all ops of the window.
    pub totals: Totals,
    /// The compiler whose flags and defaults were used, with its version. `None` if the platform is unknown.
    pub compiler: Option<String>,
    /// The compiler that the capture states, if it is another one or of another version. `None` if it is the same, or if
    /// the capture states none.
    pub other_compiler: Option<String>,
    /// Number of flags in the text.
    pub n_flags: u32,
    /// Number of options of other programs in the text.
    pub n_other: u32,
    /// Whether the text has more flags than are judged.
    pub is_cut: bool,
    /// The verdicts: problems first, and within a verdict the longest stall first.
    pub rows: Vec<FlagRow>,
    /// Parts of the text that have a problem, in order.
    pub marks: Vec<FlagMark>,
    /// The text with all changes. `None` if there is nothing to change.
    pub changed: Option<String>,
    /// Names and values that the text sets, the last value of each flag first.
    pub settings: Vec<(String, String)>,
    pub notes: Vec<Note>,
}

impl FlagsReport {
    /// Returns the value that the text gives a flag. `None` if the text does not set it.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.settings.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

keyed_enum! {
    /// What a flag does in this run.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Verdict {
        /// The compiler of the chip does not accept the flag.
        Refused = "refused": "refused",
        /// Two flags exclude each other, or a flag is set twice.
        Conflict = "conflict": "conflict",
        /// A flag that is not set, or has another value, may shorten what is waited for.
        ToTry = "to_try": "to try",
        /// The flag changes nothing in this run.
        NoEffect = "no_effect": "no effect",
        /// No compiler in the tables has the flag.
        Unknown = "unknown": "unknown",
        /// The capture shows what the flag does.
        Working = "working": "seen working",
        /// The flag is set; the capture does not show what it does.
        Set = "set": "set",
        /// The flag has its default value.
        Default = "default": "default",
    }
}

impl Verdict {
    /// Whether the verdict is a reason to change the flags.
    pub const fn is_problem(self) -> bool {
        matches!(self, Self::Refused | Self::Conflict | Self::NoEffect | Self::Unknown)
    }
}

/// A verdict about one flag or several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlagRow {
    pub verdict: Verdict,
    /// Names without `--`, or `name=value` for flags to try.
    pub flags: Vec<String>,
    /// The reason, with what was measured.
    pub text: String,
    /// The primitive that the flags concern. `None` if they concern no primitive alone.
    pub primitive: Option<Primitive>,
    /// Time for which compute waits for the primitive. `None` if the flags concern no primitive alone.
    pub stall: Option<Picos>,
    pub change: Option<Change>,
}

/// A change of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What the change does, as the label of a button.
    pub label: String,
    /// The whole text after the change.
    pub text: String,
}

/// A part of the text with a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlagMark {
    /// Bytes of the text.
    pub start: u32,
    pub end: u32,
    pub verdict: Verdict,
}
