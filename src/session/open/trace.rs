//! This module reads trace JSON, in two passes over the file: the first pass surveys the events, and the second one
//! adds planes. It does not depend on the other files of the session.

use super::messages;
use super::session_messages::json_of_other_run;
use crate::protocol::Failure;
use xla_profile::profile::{Builder, Note, Survey};
use xla_profile::source::{Packing, Source, Stream};
use xla_profile::wire::trace::Outcome;

/// A trace JSON after the first pass.
pub(crate) struct Surveyed {
    survey: Survey,
    outcome: Outcome,
}

impl Surveyed {
    /// Returns whether PyTorch's profiler wrote the file: it has a field of Kineto, and no plane of an XLA device.
    pub(crate) fn is_kineto(&self) -> bool {
        self.outcome.has_kineto_fields && !self.survey.has_xla_device()
    }
}

/// Surveys a trace JSON, which is the first pass. Calls `progress` with the number of bytes read so far.
///
/// # Errors
/// Returns a [`Failure`] if the file holds no event.
pub(crate) fn survey(
    name: &str,
    source: &dyn Source,
    packing: Packing,
    progress: &mut dyn FnMut(u64),
) -> Result<Box<Surveyed>, Failure> {
    let (survey, outcome) = Survey::read(Stream::new(source, packing), progress);
    if survey.n_events == 0 {
        Err(messages::no_trace(name, &outcome))
    } else {
        Ok(Box::new(Surveyed { survey, outcome }))
    }
}

/// Returns a sentence if the same capture was already read from another file. The sentence gives the number of events
/// that the trace JSON lacks.
pub(crate) fn same(surveyed: &Surveyed, builder: &Builder<'_>, path: &str) -> Option<String> {
    let (other, n_read) = builder.same_capture(&surveyed.survey, path)?;
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(messages::same_capture(name, other, surveyed.survey.n_events, n_read))
}

/// Returns a note if a file of the same name was read that is of another run.
pub(crate) fn other_run(surveyed: &Surveyed, builder: &Builder<'_>, path: &str) -> Option<Note> {
    builder.other_run(&surveyed.survey, path).map(|space| json_of_other_run(path, space))
}

/// Adds the planes of a trace JSON, which is the second pass. Returns a sentence if the file is damaged or incomplete.
/// `is_space_empty` tells whether the XSpace beside it is there and has no bytes.
pub(crate) fn read(
    surveyed: Surveyed,
    builder: &mut Builder<'_>,
    (source, packing): (&dyn Source, Packing),
    is_space_empty: bool,
) -> Option<String> {
    let sentence = messages::partial_trace(&surveyed.survey, &surveyed.outcome, is_space_empty);
    if surveyed.is_kineto() {
        builder.note(messages::kineto_trace());
    }
    builder.trace(surveyed.survey, Stream::new(source, packing));
    sentence
}
