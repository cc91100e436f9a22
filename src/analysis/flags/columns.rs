//! This module declares the fields of the verdicts about flags.

use super::{FlagRow, Verdict};
use crate::analysis::comm::Primitive;
use crate::table::columns;

columns! {
    /// The fields of a verdict, in the order of JSON.
    pub FLAG_ROWS(row: FlagRow) {
        /// What the flags do in this run.
        verdict: Word(Verdict) in json = row.verdict,
        /// Names of the flags, or `name=value` for flags to try.
        flags: List(Text) in json = &row.flags,
        /// The reason, with what was measured.
        text: Text in json = &row.text,
        /// The primitive that the flags concern. Null if they concern no primitive alone.
        primitive: Word(Primitive) or null in json = row.primitive,
        /// The stall of the primitive. Null if the flags concern no primitive alone.
        stall_ps: Time or null in json = row.stall,
        /// What the change of this row is, in words. Null if there is none.
        change: Text or null in json = row.change.as_ref().map(|change| change.label.as_str()),
    }
}
