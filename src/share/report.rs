//! What is passed on of a session: one device and step, by op, in the analyses' own terms. Plain data; knows no format.
//!
//! Its rows are the analyses' reports, not copies of their types: at full detail a report says what the analyses say, and what it
//! is written as is reported field by field in `walk/`. What is left out is summed: shown numbers and "other" are the whole.

use crate::analysis::base::{DeviceChoice, Header, StepChoice, Totals};
use crate::analysis::breakdown::{Group, StepStats};
use crate::analysis::classify::Kind;
use crate::analysis::comm::Comm;
use crate::analysis::files::FileInfo;
use crate::analysis::memory::{AliveAt, CrossCheck, Curve, Moment, ProgramPeaks, RuntimeMemory};
use crate::analysis::roofline::{Roof, RooflineFigures, Skipped, StepRoof};
use crate::profile::Note;
use crate::units::Picos;

/// A session at a level of detail.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Where it is from, and what was done to it.
    pub origin: Origin,
    /// What the figures are of.
    pub header: Header,
    /// Sums over the window. `by_kind` = rows and rest of that kind; busy = Σ `by_kind`; union + idle = window.
    pub totals: Totals,
    /// Ops, most time first.
    pub rows: Vec<OpRow>,
    /// By kind, in their order: ops that are not told one by one.
    pub rest: Vec<Rest>,
    /// Ops against their roofs.
    pub roofline: RooflinePart,
    /// The steps of all devices. `all` counts those that are not told, too.
    pub steps: StepStats,
    /// What programs need and allocators gave.
    pub memory: MemoryPart,
    /// What the compute waits for.
    pub comm: CommPart,
    /// What the reader and the breakdown had to say.
    pub notes: Vec<Note>,
}

/// Where a report is from.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The files.
    pub files: Vec<FileInfo>,
    /// Devices with ops, as the session lists them.
    pub devices: Vec<ReportDevice>,
    /// Which device is reported.
    pub device: DeviceChoice,
    /// Which step was requested; which it is says [`Header::step`].
    pub step: StepChoice,
    /// Hosts of the session; `None` where the captures do not say.
    pub n_hosts: Option<u32>,
    /// Events of the session.
    pub n_events: u64,
    /// Only a part of the files could be read: the sentence that says what.
    pub partial: Option<String>,
    /// From 0 to 100, full detail.
    pub level: u8,
    /// Lines of source are in it.
    pub has_sources: bool,
    /// Names are pseudonyms.
    pub is_anonymous: bool,
}

/// A device of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportDevice {
    /// Plane name, `/device:TPU:0`.
    pub name: String,
    /// What people call it: `TPU:0`.
    pub label: String,
    /// `device_type_string`.
    pub device_type: Option<String>,
    /// Events on its op lines.
    pub n_ops: u64,
    /// Busy time over the whole capture.
    pub busy: Picos,
}

/// An op.
#[derive(Clone, Debug, PartialEq)]
pub struct OpRow {
    /// As the breakdown has it.
    pub group: Group,
    /// As the roofline has it; `None` where it is none of the roofline's.
    pub point: Option<Point>,
}

/// An op of the roofline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Where it lies; `None` where it is compared with no roof.
    pub roof: Option<Roof>,
    /// What of it is compared with no roof.
    pub skipped: Vec<Skipped>,
    /// In the order of what could be won: this and all before it ÷ all.
    pub cumulative: Option<f64>,
}

/// Ops of a kind that are not told one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest {
    /// Of which kind.
    pub kind: Kind,
    /// How many.
    pub n_rows: u32,
    /// Their executions.
    pub n_executions: u64,
    /// Their self time.
    pub total: Picos,
}

/// Ops against their roofs; the ops themselves are [`Report::rows`].
#[derive(Clone, Debug, PartialEq)]
pub struct RooflinePart {
    /// All but the rows. Header and totals are the report's.
    pub figures: RooflineFigures,
    /// Each step against the roofs.
    pub steps: Vec<StepRoof>,
    /// Ops that were requested.
    pub n_rows: u32,
    /// Of those, not told but compared with a roof: how many, and their time.
    pub more: (u32, Picos),
}

/// Memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryPart {
    /// Programs, the heaviest first.
    pub programs: Vec<ProgramPeaks>,
    /// Memories of programs that are reported in full, the heaviest program's main memory first.
    pub spaces: Vec<ReportSpace>,
    /// What allocators say.
    pub runtime: RuntimeMemory,
    /// Peaks beside each other, by device.
    pub checks: Vec<CrossCheck>,
    /// What is to be reported of all.
    pub notes: Vec<Note>,
}

/// One memory of one program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportSpace {
    /// The program: [`ProgramPeaks::program`]. Its peak and its sums are there.
    pub program: u32,
    /// The memory.
    pub color: i64,
    /// What is alive at the peak, without padding.
    pub peak_unpadded: u64,
    /// Where in the entry's schedule the peak lies.
    pub moment: Option<Moment>,
    /// The curve.
    pub curve: Curve,
    /// What is alive at the peak. Σ of the buffers + `rest` = `size`.
    pub alive: AliveAt,
    /// Bytes alive at the peak that hold no element.
    pub wasted: u64,
    /// Buffers that have such bytes.
    pub n_padded: u32,
}

/// Communication.
#[derive(Clone, Debug, PartialEq)]
pub struct CommPart {
    /// Figures and rows. Header and totals are the report's.
    pub comm: Comm,
    /// Collectives that are not told: how many, and what of them is not covered.
    pub more: (u32, Picos),
    /// The same of copies.
    pub more_copies: (u32, Picos),
}

impl Report {
    /// Ops in all: told and not told.
    pub fn n_rows(&self) -> u32 {
        self.n_cut().saturating_add(self.rows.len() as u32)
    }

    /// Ops that are not told one by one.
    pub fn n_cut(&self) -> u32 {
        self.rest.iter().fold(0, |sum: u32, rest| sum.saturating_add(rest.n_rows))
    }

    /// Whether all ops are reported.
    pub fn is_whole(&self) -> bool {
        self.n_cut() == 0
    }

    /// Which device and step it is of, in words: `step 12 of TPU:0 by op`.
    pub fn holds(&self) -> String {
        let device = match self.origin.device {
            DeviceChoice::All => format!("all {} devices", self.origin.devices.len()),
            DeviceChoice::One(at) => {
                let label = self.origin.devices.get(at as usize).map(|device| device.label.as_str());
                label.or(self.header.device.as_deref()).unwrap_or("no device").to_owned()
            }
        };
        if self.header.step == "all" {
            format!("the whole capture of {device} by op")
        } else {
            format!("step {} of {device} by op", self.header.step)
        }
    }

    /// How exactly it tells what it holds, where that is not to the last digit.
    pub fn rounded(&self) -> Option<String> {
        let digits = super::level::Level::from_slider(self.origin.level).digits?;
        Some(format!("figures are exact, amounts in rows have {digits} digits"))
    }

    /// The names of its files.
    pub fn files(&self) -> String {
        let names: Vec<&str> = self.origin.files.iter().map(|file| file.name.as_str()).collect();
        match names.as_slice() {
            [] => "a capture".to_owned(),
            [one] => (*one).to_owned(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        }
    }
}
