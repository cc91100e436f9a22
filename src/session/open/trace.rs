//! Trace JSON as a way into a session: it is walked twice. This module knows the walks; not which files there are.

use super::messages;
use crate::profile::{Builder, Survey};
use crate::protocol::Failure;
use crate::source::{Packing, Source, Stream};
use crate::wire::trace::Outcome;

/// A trace JSON that was walked once.
pub(crate) struct Surveyed {
    survey: Survey,
    outcome: Outcome,
}

/// Walks a file of a name for the first time; `progress` hears how far it is.
///
/// # Errors
/// Where the file holds no event.
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

/// Where the capture was read from another file already: what this one would have lost, in a sentence.
pub(crate) fn same(of: &Surveyed, builder: &Builder<'_>, path: &str) -> Option<String> {
    let (other, n_read) = builder.same_capture(&of.survey, path)?;
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(messages::same_capture(name, other, of.survey.n_events, n_read))
}

/// The second walk: adds its planes. What is missing, in a sentence.
pub(crate) fn read(of: Surveyed, builder: &mut Builder<'_>, source: &dyn Source, packing: Packing) -> Option<String> {
    let sentence = messages::partial_trace(&of.survey, &of.outcome);
    builder.trace(of.survey, Stream::new(source, packing));
    sentence
}
