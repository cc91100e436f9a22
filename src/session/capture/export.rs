//! This module answers requests for files of rows.

use super::CaptureSession;
use crate::protocol::table_query::ExportQuery;
use crate::protocol::{Export, Reply, requests};
use crate::session::open::messages;

impl CaptureSession {
    /// Answers [`ViewRequest::ExportRows`](crate::protocol::ViewRequest::ExportRows).
    pub(super) fn export(&mut self, rows: &ExportQuery, format: Export) -> Reply {
        let text = match rows {
            ExportQuery::Breakdown { query, sort } => self.export_breakdown(query, sort.as_ref(), format),
            ExportQuery::DataMovement(query) => Ok(self.export_data_movement(query, format)),
            ExportQuery::Gaps(query) => Ok(self.export_gaps(query, format)),
            ExportQuery::Roofline { query, sort } => self.export_roofline(query, sort.as_ref(), format),
            ExportQuery::Memory => self.export_memory(format),
            ExportQuery::Comm(query) => Ok(self.export_comm(query, format)),
            ExportQuery::Compare { .. } | ExportQuery::Captures => return Reply::Failed(messages::unknown_request()),
        };
        Reply::answer_or_bad_filter::<requests::ExportRows>(text)
    }
}
