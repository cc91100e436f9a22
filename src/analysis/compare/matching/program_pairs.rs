//! This module pairs the programs of two sides: by name without id; several of one name by fingerprint, then by time.

use super::fingerprint::Fingerprint;
use super::side::Side;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::VecDeque;
use xla_profile::hlo::Module;
use xla_profile::profile::{ProgramId, program_of};
use xla_profile::small_sort::SmallSort;

/// A program of a side.
pub(super) struct Program<'a> {
    /// Name without id; empty if it is unknown.
    pub(super) name: &'a str,
    /// Id in the capture. `None` if ops do not name it.
    pub(super) id: Option<ProgramId>,
    /// `None` if the HLO of the program is unknown.
    pub(super) module: Option<&'a Module>,
    /// Indices in [`Side::ops`], in order.
    pub(super) ops: Vec<usize>,
    /// Time of its ops in ps.
    time: u64,
}

/// Returns the programs of the ops of a side, in the order in which they first run.
pub(super) fn programs<'a>(side: &Side<'a>) -> Vec<Program<'a>> {
    let profile = side.profile;
    let mut programs: IndexMap<(Option<ProgramId>, &str), Program<'a>> = IndexMap::default();
    for (index, of_side) in side.ops.iter().enumerate() {
        let stats = &side.op(index).stats;
        let written = stats.hlo_module.map(|module| profile.text(module)).unwrap_or_default();
        let (name, written_id) = program_of(written).map_or((written, None), |(name, id)| (name, Some(id)));
        let id = stats.program.or(written_id);
        let name = id.and_then(|id| profile.programs.get(&id)).map_or(name, String::as_str);
        let program = programs.entry((id, name)).or_insert_with(|| {
            let module = id.and_then(|id| side.programs.and_then(|programs| programs(id)));
            Program { name, id, module, ops: Vec::new(), time: 0 }
        });
        program.ops.push(index);
        program.time = program.time.saturating_add(of_side.time);
    }
    programs.into_values().collect()
}

/// Pairs the programs of two sides. A program without a partner is in no pair.
pub(super) fn pairs<'p, 'a, 'b>(a: &'p [Program<'a>], b: &'p [Program<'b>]) -> Vec<(&'p Program<'a>, &'p Program<'b>)> {
    let mut names: IndexMap<&str, (Vec<&Program<'a>>, Vec<&Program<'b>>)> = IndexMap::default();
    a.iter().for_each(|program| names.entry(program.name).or_default().0.push(program));
    b.iter().for_each(|program| names.entry(program.name).or_default().1.push(program));
    let mut pairs = Vec::new();
    for (mut a, mut b) in names.into_values() {
        a.small_sort_by_key(|program| Reverse(program.time));
        b.small_sort_by_key(|program| Reverse(program.time));
        if a.len().max(b.len()) > 1 && !a.is_empty() && !b.is_empty() {
            pairs.extend(by_fingerprint(&mut a, &mut b));
        }
        pairs.extend(a.into_iter().zip(b));
    }
    pairs
}

/// Removes the programs with the same fingerprint from both lists, and returns them as pairs.
fn by_fingerprint<'p, 'a, 'b>(
    a: &mut Vec<&'p Program<'a>>,
    b: &mut Vec<&'p Program<'b>>,
) -> Vec<(&'p Program<'a>, &'p Program<'b>)> {
    let fingerprint = |module: Option<&Module>| module.map(|module| Fingerprint::new(module).digest);
    let mut of_b: FxHashMap<u64, VecDeque<usize>> = FxHashMap::default();
    for (place, program) in b.iter().enumerate() {
        if let Some(fingerprint) = fingerprint(program.module) {
            of_b.entry(fingerprint).or_default().push_back(place);
        }
    }
    let (mut pairs, mut is_paired) = (Vec::new(), vec![false; b.len()]);
    a.retain(|program| {
        let partner = fingerprint(program.module).and_then(|key| of_b.get_mut(&key)?.pop_front());
        if let Some(partner) = partner {
            is_paired[partner] = true;
            pairs.push((*program, b[partner]));
        }
        partner.is_none()
    });
    let mut is_paired = is_paired.into_iter();
    b.retain(|_| is_paired.next() == Some(false));
    pairs
}
