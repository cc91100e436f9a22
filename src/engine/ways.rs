//! Further ways into a session, as functions that opening is given: trace JSON, xz, and archives. What shows a TPU's XSpace is
//! fetched without them (`server.rs`), and natively they are always there. Knows the walks; not which files there are.

use super::archive::{Unzipped, unzip};
use super::{Failure, sentences};
use crate::profile::{Builder, Survey};
use crate::source::{Layer, Packing, Source, Stream, XZ};
use crate::wire::trace::Outcome;

/// A trace JSON that was walked once.
pub(super) struct Surveyed {
    survey: Survey,
    outcome: Outcome,
}

/// Walks a file of a name, packed or not, for the first time. It hears how far it is.
type First = fn(&str, &dyn Source, Packing, &mut dyn FnMut(u64)) -> Result<Box<Surveyed>, Failure>;

/// What reads trace JSON, what is packed with xz, and what is in archives.
#[derive(Clone, Copy)]
pub(super) struct Ways {
    /// First walk: what a file holds. A failure where that is nothing.
    pub(super) survey: First,
    /// Where the capture was read from another file already: what this one would have lost, in a sentence.
    pub(super) same: fn(&Surveyed, &Builder<'_>, &str) -> Option<String>,
    /// Second walk: adds its planes. What is missing, in a sentence.
    pub(super) read: fn(Surveyed, &mut Builder<'_>, &dyn Source, Packing) -> Option<String>,
    /// Opens xz.
    pub(super) xz: Layer,
    /// The files in an archive of a name.
    pub(super) unzip: fn(&str, Box<dyn Source>) -> Result<Unzipped, Failure>,
}

impl Ways {
    /// Them. What is fetched first may not name this: they would come with it.
    pub(super) fn get() -> Self {
        Self { survey, same, read, xz: XZ, unzip }
    }
}

fn survey(
    name: &str,
    source: &dyn Source,
    packing: Packing,
    progress: &mut dyn FnMut(u64),
) -> Result<Box<Surveyed>, Failure> {
    let (survey, outcome) = Survey::of(Stream::new(source, packing), progress);
    if survey.n_events == 0 {
        Err(sentences::no_trace(name, &outcome))
    } else {
        Ok(Box::new(Surveyed { survey, outcome }))
    }
}

fn same(of: &Surveyed, builder: &Builder<'_>, path: &str) -> Option<String> {
    let (other, n_read) = builder.same_capture(&of.survey, path)?;
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(sentences::same_capture(name, other, of.survey.n_events, n_read))
}

fn read(of: Surveyed, builder: &mut Builder<'_>, source: &dyn Source, packing: Packing) -> Option<String> {
    let sentence = sentences::partial_trace(&of.survey, &of.outcome);
    builder.trace(of.survey, Stream::new(source, packing));
    sentence
}
