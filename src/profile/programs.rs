//! Names of programs: `name(id)`, as module runs and `/host:metadata` write them.

use super::model::{OpId, Profile, ProgramId};
use crate::sorted;
use rustc_hash::FxHashSet;

/// Name and id of `jit_f(12190760917235803885)`. The id may be written signed.
pub fn program_of(text: &str) -> Option<(&str, ProgramId)> {
    let (name, id) = text.strip_suffix(')')?.rsplit_once('(')?;
    let id = id.parse::<u64>().ok().or_else(|| id.parse::<i64>().ok().map(i64::cast_unsigned))?;
    Some((name, ProgramId(id)))
}

/// Names of programs, from module runs and from the HLO of the capture; the first name of an id stays.
pub(super) fn name_programs(profile: &mut Profile) {
    let mut programs = std::mem::take(&mut profile.programs);
    for plane in &profile.planes {
        let modules = plane.lines.iter().filter(|l| l.name == "XLA Modules");
        let mut seen = FxHashSet::default();
        let mut ops: Vec<OpId> =
            modules.flat_map(|l| l.events.op.iter().copied()).filter(|op| seen.insert(*op)).collect();
        sorted::sort_by_key(&mut ops, |op| *op);
        let of_lines = ops.into_iter().map(|op| profile.text(plane.op(op).text));
        let of_hlo = (plane.name == "/host:metadata").then(|| plane.ops.iter().map(|op| profile.text(op.text)));
        for (name, id) in of_lines.chain(of_hlo.into_iter().flatten()).filter_map(program_of) {
            programs.entry(id).or_insert_with(|| name.to_owned());
        }
    }
    profile.programs = programs;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids() {
        assert_eq!(program_of("jit_f(12190760917235803885)"), Some(("jit_f", ProgramId(12_190_760_917_235_803_885))));
        assert_eq!(program_of("jit_f(-1)"), Some(("jit_f", ProgramId(u64::MAX))));
        assert_eq!(program_of("jit_f"), None);
    }
}
