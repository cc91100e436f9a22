//! This module writes the verdicts about flags as JSON.

use crate::analysis::base::columns::NOTES;
use crate::analysis::flags::FlagsReport;
use crate::analysis::flags::columns::FLAG_ROWS;
use crate::table::{Object, object};
use xla_profile::profile::Note;

/// Returns the JSON of `rooflight flags --json`.
pub fn flags<'a>(head: Object<'a>, flags: &'a FlagsReport, notes: &'a [Note]) -> Object<'a> {
    object!(Flags {
        head: OwnFields = head,
        /// The compiler whose defaults are used, with its version. Null if the platform is unknown.
        compiler: Text or null = flags.compiler.as_deref(),
        /// The compiler that the capture states, if its version is not that of `compiler`. Unknown flags then stay in
        /// `changed_flags`. Null if it is the same, or if the capture states none.
        compiler_of_capture: Text or null = flags.other_compiler.as_deref(),
        /// Number of XLA flags in the text.
        n_flags: Count = flags.n_flags.into(),
        /// Number of other options in the text.
        n_other_options: Count = flags.n_other.into(),
        /// Whether the text has more than 4,096 flags or 256 KiB. The rest is ignored.
        is_cut: Flag = flags.is_cut,
        /// The verdicts, problems first, then by stall.
        rows: Rows(FLAG_ROWS) = &flags.rows,
        /// The text with all changes. Null if there is nothing to change.
        changed_flags: Text or null = flags.changed.as_deref(),
        /// Notes on assumptions and on data that is missing.
        notes: Rows(NOTES) = notes,
    })
}
