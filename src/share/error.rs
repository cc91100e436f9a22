//! Why a report cannot be read: what is wrong, and what to do. Words only.

use super::limits::VERSION;
use thiserror::Error;

/// Why a link or a report file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShareError {
    /// There is nothing.
    #[error("The link holds no report: what follows “report=” is empty. Copy the whole link again.")]
    Empty,
    /// A character that no link has.
    #[error("Character {at} of the link’s report is none that a link has. Copy the link again.")]
    Character {
        /// Which, counted from 1.
        at: usize,
    },
    /// The end is missing.
    #[error(
        "The report is cut: {has} of its {needs} bytes are there. Mail and chat programs cut long links; copy it again from its source, or ask for the file."
    )]
    Cut {
        /// Bytes that are there.
        has: usize,
        /// Bytes there should be.
        needs: usize,
    },
    /// The checksum does not fit.
    #[error("The report is damaged: its checksum does not fit, so a character of it was changed. Copy it again.")]
    Damaged,
    /// A newer Rooflight wrote it.
    #[error(
        "This page is older than the report: the report is of version {0}, and this page reads up to {VERSION}. Reload the page to get the newest."
    )]
    Newer(u64),
    /// It is longer than any that is written.
    #[error("The link’s report has {0} characters; {max} are the most that is read.", max = super::limits::MOST)]
    Long(usize),
    /// It would take more memory than a report may.
    #[error("The report unpacks to more than a report of its size may. Nothing of it was kept.")]
    Large,
    /// The checksum fits, but the content contradicts itself.
    #[error("The report contradicts itself ({0}). It was not written by Rooflight; nothing of it was kept.")]
    Broken(&'static str),
    /// No report file.
    #[error("It does not start as a .rooflight file does.")]
    NoFile,
}
