//! This module writes a list of captures as JSON.

use crate::analysis::base::Status;
use crate::analysis::captures::CaptureRow;
use crate::analysis::captures::columns::CAPTURES;
use crate::table::{Object, object};

/// Returns the JSON of captures, in their order.
pub fn captures<'a>(rows: impl Iterator<Item = &'a CaptureRow>) -> Object<'a> {
    object!(Captures {
        /// The list is always complete, so that the status is `ok`.
        status: Word(Status) = Status::Ok,
        /// Name of the view.
        view: Word = "captures",
        /// The captures, by time.
        rows: List(Object(CAPTURES)) = rows,
    })
}
