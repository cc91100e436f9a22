//! This module defines the errors of reports that cannot be read. Each message gives the fault and the remedy.

use super::limits::VERSION;
use thiserror::Error;

/// The reason why a link or a report file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShareError {
    /// The link holds no report.
    #[error("The link holds no report: what follows “report=” is empty. Copy the whole link again.")]
    Empty,
    /// A character that does not occur in links.
    #[error("Character {position} of the link’s report is none that a link has. Copy the link again.")]
    Character {
        /// Position of the character, counted from 1.
        position: usize,
    },
    /// The end of the report is missing.
    #[error(
        "The report is cut: {has} of its {needs} bytes are there. Mail and chat programs cut long links; copy it again from its source, or ask for the file."
    )]
    Cut {
        /// Bytes that the report has.
        has: usize,
        /// Bytes that the report needs.
        needs: usize,
    },
    /// The checksum does not match.
    #[error("The report is damaged: its checksum does not fit, so a character of it was changed. Copy it again.")]
    Damaged,
    /// A newer version of Rooflight wrote the report.
    #[error(
        "This page is older than the report: the report is of version {0}, and this page reads up to {VERSION}. Reload the page to get the newest."
    )]
    Newer(u64),
    /// The link is longer than any that Rooflight writes.
    #[error("The link’s report has {0} characters; {max} are the most that is read.", max = super::limits::MAX_LINK_LENGTH)]
    Long(usize),
    /// The report would take more memory than a report may.
    #[error("The report unpacks to more than a report of its size may. Nothing of it was kept.")]
    Large,
    /// The checksum matches, but the content contradicts itself.
    #[error("The report contradicts itself ({0}). It was not written by Rooflight; nothing of it was kept.")]
    Broken(&'static str),
    /// The file is not a report file.
    #[error("It does not start as a .rooflight file does.")]
    NoFile,
}
