//! This module defines the fields at the start of all JSON of the command line. The names of fields are a contract: they
//! are added, never renamed.
//!
//! Durations are integer picoseconds and end in `_ps`, `pct_*` are percentages, and an absent value is `null`.

use crate::analysis::base::columns::{SPREAD, TOTALS};
use crate::analysis::base::{Header, Status, Totals};
use crate::analysis::breakdown::Breakdown;
use crate::table::Object;
pub use crate::table::json::{text, write};
use crate::table::object;
use xla_profile::units::Picos;

/// Returns the fields at the start of a breakdown; see [`head_of`].
pub fn head<'a>(view: &'static str, files: &'a [String], partial: bool, b: &'a Breakdown) -> Object<'a> {
    head_of(view, files, partial, &b.header, &b.totals)
}

/// Returns the fields at the start of a view. With `partial`, a status of `Ok` becomes `Partial`.
pub fn head_of<'a>(
    view: &'static str,
    files: &'a [String],
    partial: bool,
    header: &'a Header,
    totals: &'a Totals,
) -> Object<'a> {
    let window = |(start, end): (Picos, Picos)| (start.0, end.0);
    object!(Head {
        /// Whether the figures are complete: `partial` if a file is damaged, cut, or has lost events, `absent` if the files have no
        /// data for the view.
        status: Word(Status) = if partial && header.status == Status::Ok { Status::Partial } else { header.status },
        /// Name of the command. `data-movement` has the value `non-compute`.
        view: Word = view,
        /// Names of the files that were read.
        files: List(Name(File)) = files,
        /// The selected device.
        device: Name(Device) or null = header.device.as_deref(),
        /// Number of selected devices.
        n_devices: Count = header.n_devices.into(),
        /// Type of the device.
        device_type: Name(Chip) or null = header.device_type.as_deref(),
        /// The selected step: a number as text, `mean`, `all`, or a range of time.
        step: Text = &header.step,
        /// Number of steps in the capture.
        n_steps: Count = header.n_steps.into(),
        /// Number of steps of a mean. A mean divides times, amounts and counts, so counts may be fractions. Null if the figures are
        /// not a mean of steps.
        n_mean_steps: Count or null = header.mean.n_steps.map(u64::from),
        /// The kind of the steps of a mean. Null if all steps are of one kind, or if the figures are not a mean of steps.
        mean_kind: Text or null = header.mean.kind.as_deref(),
        /// What begins a step and which programs run in it, as a sentence. Null if the figures are not a mean of steps.
        step_is: Text or null = header.mean.step_is.as_deref(),
        /// Number of devices of a mean. Null if the figures are not a mean of devices.
        n_mean_devices: Count or null = header.mean.n_devices.map(u64::from),
        /// Statistics of the periods of the steady steps. Null without a mean of steps.
        mean_periods: Object(SPREAD) or null = header.mean.periods.as_ref(),
        /// Start and end of the step. Null for several devices and for a mean.
        step_window_ps: Pair or null = header.window.map(window),
        /// Length of the window. If the file is cut within the step, the window ends with the last op in the file.
        step_duration_ps: Time or null = header.step_duration,
        /// Time of the step or the range after the end of a cut file. It is no part of `step_duration_ps`, and counts as neither idle
        /// nor lost. Null if all of the window is in the file.
        not_in_file_ps: Time or null = header.not_in_file,
        /// Sums over all ops of the window.
        totals: Object(TOTALS) = totals,
    })
}

/// Returns the first `top` rows.
pub(in crate::report) fn first<R>(rows: &[R], top: usize) -> &[R] {
    rows.get(..top).unwrap_or(rows)
}
