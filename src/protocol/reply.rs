//! This module defines the replies of the worker. It holds plain data and depends on neither side.

use super::answer_type::TypedRequest;
use super::estimate::Estimate;
use super::page_text::encode_for_page;
use super::request::{RequestId, SessionInfo};
use crate::analysis::base::FilterError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A message from the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub id: RequestId,
    /// The reply, or one of several.
    pub reply: Reply,
}

/// A reply of the worker. `Progress` may come many times before the last reply to a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The worker's build.
    Hello {
        /// [`crate::BUILD`] of the worker.
        build: String,
    },
    /// The progress of a load.
    Progress(Progress),
    /// Nothing was read, because the files would take more memory than is available. The estimate lists the planes to
    /// choose from.
    Large(Estimate),
    /// The load succeeded, completely or in part (see [`SessionInfo::partial`]).
    Opened(Box<SessionInfo>),
    /// The filter of the request is not a valid regular expression. The page shows the error at the field of the filter.
    BadFilter(FilterError),
    /// The request was withdrawn before the worker started it, or no session is open.
    Cancelled,
    /// The request failed. The open session is unchanged.
    Failed(Failure),
    /// The answer to a [`ViewRequest`](super::ViewRequest) as bytes; see [`Reply::decode`].
    Answer(#[serde(with = "serde_bytes")] Vec<u8>),
}

/// The stage of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Stage {
    /// Fetching the capture from another host. The page does this before the worker starts to read.
    Fetch,
    /// Detecting the format of each file by its content.
    Detect,
    /// Decompressing.
    Inflate,
    /// Reading planes into columns.
    Read,
    /// Computing steps and self time, and classifying ops.
    Analyse,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 5] = [Self::Fetch, Self::Detect, Self::Inflate, Self::Read, Self::Analyse];
}

/// The progress of a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Current stage. The stages before it are done, or were not needed.
    pub stage: Stage,
    /// Bytes of the session read so far.
    pub bytes_done: u64,
    /// Size of the session in bytes.
    pub bytes_total: u64,
    /// Planes read so far.
    pub planes: u32,
    /// Events read so far.
    pub events: u64,
    /// The file or plane that is read now.
    pub place: String,
    /// Size of the WebAssembly memory in bytes. `None` outside of a browser, where it is unknown.
    pub memory: Option<u64>,
    /// Notes about the files so far.
    pub notes: Vec<String>,
    /// Whether reading can be stopped, so that the planes read so far are opened ([`Request::StopReading`](super::Request::StopReading)).
    pub can_stop: bool,
}

impl Progress {
    /// Creates the progress of a stage that has done nothing yet.
    pub fn new(stage: Stage, bytes_total: u64, place: &str) -> Self {
        Self {
            stage,
            bytes_done: 0,
            bytes_total,
            planes: 0,
            events: 0,
            place: place.to_owned(),
            memory: None,
            notes: Vec::new(),
            can_stop: false,
        }
    }
}

/// The reason why a request failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// A short title, such as "run-17.xplane.pb could not be read".
    pub title: String,
    /// One or two sentences: the fault and its place, the data that is kept, and the remedy.
    pub message: String,
}

/// Returns the failure for a page and a worker of different builds, which occurs if a host served an old copy of one of
/// them.
pub fn mismatch(page: &str, worker: &str) -> Failure {
    Failure {
        title: "Page and worker are of different builds".to_owned(),
        message: format!(
            "The page is build {page}, its worker {worker}: the site was updated meanwhile, or a cache has an old copy. Nothing was opened. Reload the page; if that does not help, try again in ten minutes."
        ),
    }
}

impl Reply {
    /// Encodes the answer to a request. Invisible characters of its texts are escaped.
    pub(crate) fn answer_to<A: TypedRequest>(answer: &A::Answer) -> Self {
        Self::encode_answer(answer)
    }

    /// Encodes the answer to a request with a filter. Returns [`Reply::BadFilter`] if the filter is invalid.
    pub(crate) fn answer_or_bad_filter<A: TypedRequest>(answer: Result<A::Answer, FilterError>) -> Self {
        answer.map_or_else(Self::BadFilter, |answer| Self::answer_to::<A>(&answer))
    }

    /// Encodes an answer. Invisible characters of its texts are escaped.
    pub(crate) fn encode_answer(answer: &impl Serialize) -> Self {
        Self::Answer(encode_for_page(answer).unwrap_or_default())
    }

    /// Decodes the answer to a request.
    ///
    /// # Errors
    /// As for [`Reply::decode`].
    pub fn answer<A: TypedRequest>(self) -> Result<A::Answer, Self> {
        self.decode()
    }

    /// Decodes an answer as the type that the request names.
    ///
    /// # Errors
    /// Returns the reply itself if it is no [`Reply::Answer`], or if its bytes are not of type `T`.
    pub fn decode<T: DeserializeOwned>(self) -> Result<T, Self> {
        match &self {
            Self::Answer(bytes) => postcard::from_bytes(bytes).map_err(|_| self),
            _ => Err(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_cross_and_nothing_else_is_taken_for_one() {
        assert_eq!(Reply::encode_answer(&"a text".to_owned()).decode(), Ok("a text".to_owned()));
        let failed = Reply::Failed(Failure { title: "a".to_owned(), message: "b".to_owned() });
        assert_eq!(failed.clone().decode::<String>(), Err(failed));
    }
}
