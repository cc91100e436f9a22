//! This module numbers programs that events name (`hlo_module`) without an id, as in trace JSON, so that two programs
//! stay separate.

use super::super::model::{HloBlob, Plane, Profile};
use super::super::{Note, NoteCode, Severity, StrId};
use crate::profile::ids::ProgramId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// Numbers the programs of ops on the planes that `is_of_ops` selects, if they have a name and no id. A name with HLO
/// in the profile is not numbered, because the HLO has the id.
pub(super) fn programs(profile: &mut Profile, is_of_ops: impl Fn(&Plane) -> bool) {
    let Profile { planes, strings, hlo, notes, programs, .. } = profile;
    let ops = planes.iter().flat_map(|plane| &plane.ops);
    let mut taken: FxHashSet<ProgramId> = ops.filter_map(|op| op.stats.program).collect();
    taken.extend(programs.keys().copied());
    let mut free = (0..).map(ProgramId).filter(|id| !taken.contains(id));
    let with_hlo: FxHashSet<&str> = hlo.iter().map(HloBlob::module).collect();
    let mut numbers: FxHashMap<StrId, ProgramId> = FxHashMap::default();
    for plane in planes.iter_mut().filter(|plane| is_of_ops(plane)) {
        for stats in plane.ops.iter_mut().map(|op| &mut op.stats) {
            let (None, Some(_), Some(module)) = (stats.program, stats.hlo_op, stats.hlo_module) else { continue };
            let id = match numbers.entry(module) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    let name = strings.get(module);
                    if with_hlo.contains(name) {
                        continue;
                    }
                    let Some(id) = free.next() else { return };
                    programs.insert(id, name.to_owned());
                    *new.insert(id)
                }
            };
            stats.program = Some(id);
        }
    }
    if !numbers.is_empty() {
        let message =
            "Events name their programs without ids. Programs are separated by name, and Rooflight numbers them.";
        notes.push(Note::new(Severity::Info, NoteCode::ProgramNumbers, message));
    }
}
