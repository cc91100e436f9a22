//! This module answers the questions of the timeline. The tracks and the lanes that have been shown are kept.

use super::capture::CaptureSession;
use crate::analysis::timeline::TimelineIndex;
use crate::protocol::{Reply, TimelineQuestion};

impl CaptureSession {
    /// Answers [`Question::Timeline`](crate::protocol::Question::Timeline).
    pub(super) fn timeline(&mut self, question: &TimelineQuestion) -> Reply {
        let Self { profile, analysis, timeline, .. } = self;
        let index = timeline.get_or_insert_with(|| TimelineIndex::new(profile, analysis));
        match question {
            TimelineQuestion::Tracks => Reply::answer_to_question(&index.timeline),
            TimelineQuestion::Picture(query) => Reply::answer_to_question(&index.picture(profile, query)),
            TimelineQuestion::Event(query) => Reply::answer_to_question(&index.event(profile, analysis, *query)),
            TimelineQuestion::Events(query) => Reply::answer_to_question(&index.events(profile, query)),
            TimelineQuestion::Search(query) => {
                let found = index.search(profile, query);
                found.map_or_else(Reply::BadFilter, |found| Reply::answer_to_question(&found))
            }
        }
    }
}
