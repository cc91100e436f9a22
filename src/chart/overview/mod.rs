//! This module prepares the overview for the page: figures, the strip of needed and lost time, findings, steps and
//! devices. It holds texts and fractions, and does not depend on pixels.

mod evidence;
mod figures;
mod findings;
mod modules;
mod peak_source;
mod pictures;
mod side;
mod strip;

pub use evidence::{EvidenceGroup, EvidenceLine, EvidenceTarget};
pub use figures::{about, chip_text, devices_words, other_views, readout, slight};
pub use findings::{FindingLink, FindingRow, Section, sections};
pub use modules::{ModuleBar, ModuleRow, ModuleTable, modules};
pub use peak_source::{PeakSourceLine, peak_source};
pub use pictures::{Drawing, Mark, drawing};
pub use side::{Dot, HostRow, RuleLine, StepRow, checked, devices, guess, hosts, skipped, steps};
pub use strip::{KindLine, Legend, Segment, StripPart, kinds, legend, overlap_note, segment_label, segments};
