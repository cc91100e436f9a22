//! This module finds the ops of a device that a filter selects. The module examines each distinct path and source once,
//! however many ops have it.

use super::filter::{FilterField, Matcher};
use super::rows::SessionFacts;
use crate::analysis::classify::{OpFacts, PlaneFacts, scope_path};
use rustc_hash::FxHashMap;
use xla_profile::profile::{Op, StrId};

/// Returns for each op of the device whether the filter selects it.
pub fn select(session: SessionFacts<'_>, device: usize, matcher: &Matcher) -> Vec<bool> {
    let (plane, facts) = (session.plane(device), &session.facts[device]);
    let mut texts = Texts { session, facts, matcher, paths: MatchCache::default(), sources: FxHashMap::default() };
    let mut scopes = MatchCache::default();
    let is_selected = |(i, (op, facts)): (usize, (&Op, &OpFacts))| {
        matcher.kind.is_none_or(|kind| kind == facts.kind)
            && matcher.module.is_none_or(|module| module == facts.module.module)
            && matcher.phase.is_none_or(|phase| phase == facts.phase)
            && (matcher.scope.is_empty()
                || facts
                    .scope
                    .is_some_and(|id| scopes.get(id, || scope_path::is_within(session.words.get(id), &matcher.scope))))
            && (!matcher.names_ops() || matcher.has_op(texts.facts.names.get(i), op.stats.program.map(|id| id.0)))
            && (!matcher.has_text() || texts.has(i, op, facts.scope))
    };
    plane.ops.iter().zip(&facts.ops).enumerate().map(is_selected).collect()
}

struct Texts<'a> {
    session: SessionFacts<'a>,
    facts: &'a PlaneFacts,
    matcher: &'a Matcher,
    paths: MatchCache,
    sources: FxHashMap<(Option<StrId>, Option<StrId>), bool>,
}

impl Texts<'_> {
    fn has(&mut self, i: usize, op: &Op, scope: Option<StrId>) -> bool {
        let Self { session, facts, matcher, paths, sources } = self;
        match matcher.within {
            FilterField::Source => *sources.entry((op.stats.source_stack, op.stats.source)).or_insert_with(|| {
                facts.source_inner(session.profile, op).is_some_and(|frame| matcher.is_match(frame))
            }),
            // Paths are compared first: they are few, and an op whose path matches needs no comparison of its name.
            within => {
                let path = match within {
                    FilterField::Leaf => scope
                        .is_some_and(|id| paths.get(id, || matcher.is_match(scope_path::leaf(session.words.get(id))))),
                    // The search covers all paths of an op that the compiler merged from several ops.
                    _ => op.stats.tf_op.is_some_and(|id| {
                        paths.get(id, || matcher.is_match(session.profile.text(id).trim_end_matches(':')))
                    }),
                };
                path || matcher.is_match(facts.names.get(i))
            }
        }
    }
}

/// Cached answers by text id: 0 unknown, 1 no, 2 yes. Ids are dense, so a byte per text takes less memory than a map.
#[derive(Default)]
struct MatchCache(Vec<u8>);

impl MatchCache {
    fn get(&mut self, id: StrId, answer: impl FnOnce() -> bool) -> bool {
        let index = id.number() as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        if self.0[index] == 0 {
            self.0[index] = 1 + u8::from(answer());
        }
        self.0[index] == 2
    }
}
