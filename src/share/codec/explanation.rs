//! This module visits what explains the difference of a comparison.

use super::visit::{Text, Visit, VisitResult, each};
use crate::analysis::classify::Phase;
use crate::analysis::compare::{Cause, CauseKind, Explanation, MainCause, PairLevel, PhaseDelta, WorkPair};
use crate::analysis::ledger::Owner;

pub(super) fn explanation(v: &mut dyn Visit, explanation: &mut Explanation) -> VisitResult {
    v.present(&mut explanation.main, || MainCause { work: empty_pair(), owner: None, share: 0.0 })?;
    if let Some(main) = &mut explanation.main {
        pairs(v, std::slice::from_mut(&mut main.work))?;
        v.optional_one_of(&mut main.owner, &Owner::ALL)?;
        v.float(&mut main.share, 0.0)?;
    }
    causes(v, &mut explanation.whole)?;
    v.float(&mut explanation.paired_a, 1.0)?;
    v.float(&mut explanation.paired_b, 1.0)?;
    v.rows(&mut explanation.pairs, empty_pair)?;
    pairs(v, &mut explanation.pairs)
}

fn empty_pair() -> WorkPair {
    WorkPair {
        name: String::new(),
        level: PairLevel::Scope,
        a_ps: 0,
        b_ps: 0,
        delta_ps: 0,
        n_ops_a: 0,
        n_ops_b: 0,
        unmatched_a_ps: 0,
        unmatched_b_ps: 0,
        phases: Vec::new(),
        causes: Vec::new(),
    }
}

fn pairs(v: &mut dyn Visit, pairs: &mut [WorkPair]) -> VisitResult {
    each(pairs, |pair| {
        v.one_of(&mut pair.level, &PairLevel::ALL)?;
        let what = if pair.level == PairLevel::Scope { Text::Scope } else { Text::Word };
        v.string(&mut pair.name, what)?;
        for time in
            [&mut pair.a_ps, &mut pair.b_ps, &mut pair.delta_ps, &mut pair.unmatched_a_ps, &mut pair.unmatched_b_ps]
        {
            v.signed(time)?;
        }
        v.small(&mut pair.n_ops_a)?;
        v.small(&mut pair.n_ops_b)?;
        v.rows(&mut pair.phases, || PhaseDelta { phase: Phase::default(), a_ps: 0, b_ps: 0, delta_ps: 0 })?;
        each(&mut pair.phases, |phase| {
            v.one_of(&mut phase.phase, &Phase::ALL)?;
            v.signed(&mut phase.a_ps)?;
            v.signed(&mut phase.b_ps)?;
            v.signed(&mut phase.delta_ps)
        })?;
        causes(v, &mut pair.causes)
    })
}

fn causes(v: &mut dyn Visit, causes: &mut Vec<Cause>) -> VisitResult {
    v.rows(causes, || Cause {
        kind: CauseKind::Replaced,
        label: String::new(),
        a: String::new(),
        b: String::new(),
        n_ops_a: 0,
        n_ops_b: 0,
        a_ps: 0,
        b_ps: 0,
        delta_ps: 0,
    })?;
    each(causes, |cause| {
        v.one_of(&mut cause.kind, &CauseKind::ALL)?;
        for text in [&mut cause.label, &mut cause.a, &mut cause.b] {
            v.string(text, Text::Sentence)?;
        }
        v.small(&mut cause.n_ops_a)?;
        v.small(&mut cause.n_ops_b)?;
        v.signed(&mut cause.a_ps)?;
        v.signed(&mut cause.b_ps)?;
        v.signed(&mut cause.delta_ps)
    })
}
