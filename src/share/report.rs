//! This module defines a report: the results for one device and step, by op, as the analyses return them. It holds
//! plain data and does not depend on the format of links and files.
//!
//! Its rows are the types of the analyses, not copies of them. At full detail, a report therefore holds exactly the
//! results of the analyses; `codec/` writes them field by field. Rows that are left out are summed, so that the rows
//! and the rest sum to the whole.

use super::comparison::SharedComparison;
use super::omitted::OmittedSum;
use crate::analysis::base::{DeviceChoice, GroupBy, Header, StepChoice, Totals};
use crate::analysis::breakdown::{Group, StepStats};
use crate::analysis::classify::Phase;
use crate::analysis::comm::Comm;
use crate::analysis::files::FileInfo;
use crate::analysis::memory::{AliveAt, CrossCheck, Curve, Moment, ProgramPeaks, RuntimeMemory};
use crate::analysis::overview::Overview;
use crate::analysis::roofline::{RooflineFigures, RooflinePosition, Skipped, StepRoofline};
use crate::table::text::first_name;
use xla_profile::profile::Note;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// The results of a session for one device and step, at a level of detail.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Origin of the results, and the changes made to the report.
    pub origin: Origin,
    /// Device and window that the figures cover.
    pub header: Header,
    /// Sums over the window: busy is the sum over `by_kind`, and union + idle is the window. The times of `rows` and
    /// `rest` sum to the same time as `by_kind`.
    pub totals: Totals,
    /// Ops, most time first.
    pub rows: Vec<OpRow>,
    /// Sums over the ops that `rows` leaves out, one per kind, in the order of kinds.
    pub rest: Vec<OmittedSum>,
    /// The ops in groups, by the groupings [`GroupedRows::ALL`]; by identical ops only if these are few, by kind only if
    /// an op has several kinds, and by module only if one is known. Empty in a report of version 3 or older.
    pub groups: Vec<GroupedRows>,
    /// Position of the ops in the roofline model.
    pub roofline: RooflinePart,
    /// Self time by known phase, in the order of a step. Empty in a report of version 1.
    pub phases: Vec<(Phase, Picos)>,
    /// Steps of all devices. `all` also counts the steps that the report leaves out.
    pub steps: StepStats,
    /// Memory of programs and allocators.
    pub memory: MemoryPart,
    /// Collectives, copies and their exposed time.
    pub comm: CommPart,
    /// What limits the run, without the numbers in formulas. Its header, steps and devices are those of the report. `None`
    /// if no device has the step, and in a report of an older version.
    pub overview: Option<Overview>,
    /// The comparison of two sessions. A report with a comparison holds nothing else.
    pub comparison: Option<Box<SharedComparison>>,
    /// Notes of the reader and of the breakdown.
    pub notes: Vec<Note>,
}

/// The origin of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    pub files: Vec<FileInfo>,
    /// Devices with ops, as the session lists them.
    pub devices: Vec<ReportDevice>,
    pub device: DeviceChoice,
    /// Step that was requested. [`Header::step`] gives the step of the report.
    pub step: StepChoice,
    /// Number of hosts of the session. `None` if the captures name no hosts.
    pub n_hosts: Option<u32>,
    /// Number of events of the session.
    pub n_events: u64,
    /// A sentence about the missing data, if only a part of the files could be read. `None` if everything was read.
    pub partial: Option<String>,
    /// Level of detail from 0 to 100, where 100 is full detail.
    pub level: u8,
    /// Whether the report holds source lines.
    pub has_sources: bool,
    /// Whether names are pseudonyms.
    pub is_anonymous: bool,
}

/// A device of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportDevice {
    /// Name of the plane, such as `/device:TPU:0`.
    pub name: String,
    /// Short name, such as `TPU:0`.
    pub label: String,
    /// The stat `device_type_string` of the plane.
    pub device_type: Option<String>,
    /// Number of events on the op lines.
    pub n_ops: u64,
    /// Busy time over the whole capture.
    pub busy: Picos,
}

/// An op.
#[derive(Clone, Debug, PartialEq)]
pub struct OpRow {
    /// Row of the breakdown.
    pub group: Group,
    /// Row of the roofline. `None` if the roofline does not select the op.
    pub point: Option<Point>,
}

impl OpRow {
    /// Returns the sums of the op over what the roofline selects.
    pub fn roofline_group(&self) -> &Group {
        self.point.as_ref().and_then(|point| point.selected.as_ref()).unwrap_or(&self.group)
    }
}

impl Report {
    /// Returns the rows of the roofline, most time first.
    pub fn roofline_rows(&self) -> Vec<(&Group, &Point)> {
        let rows = self.rows.iter().filter_map(|row| Some((row.roofline_group(), row.point.as_ref()?)));
        let mut rows: Vec<_> = rows.collect();
        rows.small_sort_by(|(a, _), (b, _)| b.total.cmp(&a.total).then_with(|| a.key.cmp(&b.key)));
        rows
    }
}

/// The part of an op's row that the roofline adds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Sums over the part of the op that the roofline selects. `None` if this is the whole op. An op that runs kernels
    /// of several kinds is selected in part.
    pub selected: Option<Group>,
    /// Position in the roofline model. `None` if the op has no roof.
    pub roof: Option<RooflinePosition>,
    /// Time without a roof, by reason.
    pub skipped: Vec<Skipped>,
    /// Recoverable time of this row and of all rows with a larger gap, as a fraction of the recoverable time of all
    /// rows. `None` if the row has no recoverable time.
    pub cumulative: Option<f64>,
}

/// The rows of the breakdown by one grouping.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupedRows {
    pub by: GroupBy,
    /// Groups of ops, most time first.
    pub rows: Vec<Group>,
    /// Sums over the groups that `rows` leaves out, one per kind, in the order of kinds.
    pub rest: Vec<OmittedSum>,
}

impl GroupedRows {
    /// The groupings of a report: those that need few rows for most of the time. Reports store positions, so that groupings are
    /// added at the end.
    pub const ALL: [GroupBy; 5] = [GroupBy::Category, GroupBy::Dedup, GroupBy::Scope, GroupBy::Kind, GroupBy::Module];

    /// Returns the number of all groups, with those that are left out.
    pub fn n_rows(&self) -> usize {
        self.rows.len() + self.n_omitted()
    }

    /// Returns the number of groups that are left out.
    pub fn n_omitted(&self) -> usize {
        self.rest.iter().map(|sum| sum.n_rows as usize).sum()
    }
}

/// The roofline without its ops, which are in [`Report::rows`].
#[derive(Clone, Debug, PartialEq)]
pub struct RooflinePart {
    /// All figures except the rows. Header and totals are those of the report.
    pub figures: RooflineFigures,
    /// Position of each step in the roofline model.
    pub steps: Vec<StepRoofline>,
    /// Number of ops that the roofline selects.
    pub n_rows: u32,
    /// Ops with a roof that the report leaves out: their number and their time.
    pub more: (u32, Picos),
}

/// The memory of programs and allocators.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryPart {
    /// Programs in the order of [`MemoryPrograms`](crate::analysis::memory::MemoryPrograms).
    pub programs: Vec<ProgramPeaks>,
    /// Memory spaces of programs with their details, the main memory of the first program first.
    pub spaces: Vec<ReportSpace>,
    /// Memory use that the allocators recorded.
    pub runtime: RuntimeMemory,
    /// Comparisons of the programs' peaks with the allocators' peaks, by device.
    pub checks: Vec<CrossCheck>,
    /// Notes about memory.
    pub notes: Vec<Note>,
}

/// A memory space of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportSpace {
    /// The program, as in [`ProgramPeaks::program`]. [`MemoryPart::programs`] holds its peak and its sums.
    pub program: u32,
    /// Memory colour. 0 is the main memory of the device.
    pub color: i64,
    /// Bytes that are alive at the peak, without padding.
    pub peak_unpadded: u64,
    /// Position of the peak in the schedule of the entry.
    pub moment: Option<Moment>,
    pub curve: Curve,
    /// Buffers that are alive at the peak. The sizes of the buffers and `rest` sum to `size`.
    pub alive: AliveAt,
    /// Bytes that are alive at the peak and hold no element, because they are padding.
    pub wasted: u64,
    /// Number of buffers with padding.
    pub n_padded: u32,
}

/// The communication of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct CommPart {
    /// Figures and rows. Header and totals are those of the report.
    pub comm: Comm,
    /// Collectives that the report leaves out: their number and their exposed time.
    pub more: (u32, Picos),
    /// Copies that the report leaves out: their number and their exposed time.
    pub more_copies: (u32, Picos),
}

impl Report {
    /// Returns the number of all ops, including those that the report leaves out.
    pub fn n_rows(&self) -> u32 {
        self.n_cut().saturating_add(self.rows.len() as u32)
    }

    /// Returns the number of ops that the report leaves out.
    pub fn n_cut(&self) -> u32 {
        self.rest.iter().fold(0, |sum: u32, rest| sum.saturating_add(rest.n_rows))
    }

    /// Returns whether each op has a row.
    pub fn is_whole(&self) -> bool {
        self.n_cut() == 0
    }

    /// Returns whether each op has a row with its module. A report of version 6 or older has no modules.
    pub fn has_all_modules(&self) -> bool {
        self.is_whole() && self.rows.iter().all(|row| row.group.module.is_some())
    }

    /// Returns the device and the step of the report as a text, such as `step 12 of TPU:0 by op`.
    pub fn holds(&self) -> String {
        let label = |index: u32| self.origin.devices.get(index as usize).map(|device| device.label.as_str());
        let of_one = |index: u32| label(index).or(self.header.device.as_deref()).unwrap_or("no device");
        let device = self.origin.device.single().map_or_else(String::new, |index| format!(" of {}", of_one(index)));
        format!("{}{device} by op", self.header.window_text())
    }

    /// Returns the names of the files as a text.
    pub fn files(&self) -> String {
        let names: Vec<&str> = self.origin.files.iter().map(|file| file.name.as_str()).collect();
        first_name(&names, "a capture")
    }
}
