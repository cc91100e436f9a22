//! This module finds the programs that an op may belong to, by the id and the name in the events of the op. A search does
//! not grow with the number of programs, and it reads no program.

use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::hash::Hash;
use xla_profile::profile::{HloBlob, Note, NoteCode, Profile, ProgramId, Severity};
use xla_profile::small_sort::SmallSort;

/// Largest number of programs that are searched for an op, if several have its id or its name.
pub(super) const SEARCHED: usize = 8;

/// Programs with one key, as indices of [`Profile::hlo`] in the order of preference.
type ByKey<K> = FxHashMap<K, Vec<usize>>;

/// The programs of a session by id and by name.
pub(crate) struct ProgramIndex {
    /// Programs inside a capture come before HLO files.
    by_id: ByKey<ProgramId>,
    by_id_and_file: ByKey<(ProgramId, usize)>,
    /// The largest program comes first.
    by_name: ByKey<String>,
    by_name_and_file: ByKey<(String, usize)>,
    /// HLO files without an id, by name.
    without_id: ByKey<String>,
}

impl ProgramIndex {
    /// Lists the programs of a session.
    pub(crate) fn new(profile: &Profile) -> Self {
        let hlo = &profile.hlo;
        let mut in_order: Vec<usize> = (0..hlo.len()).collect();
        in_order.small_sort_by_key(|i| hlo[*i].is_dropped());
        let mut by_size: Vec<usize> = (0..hlo.len()).collect();
        by_size.small_sort_by_key(|i| Reverse(hlo[*i].span.len()));
        let name = |blob: &HloBlob| Some(blob.module().to_owned());
        let is_without_id = |blob: &HloBlob| blob.is_dropped() && blob.program.is_none();
        Self {
            by_id: by_key(hlo, &in_order, |blob| blob.program),
            by_id_and_file: by_key(hlo, &in_order, |blob| Some((blob.program?, blob.file))),
            by_name: by_key(hlo, &by_size, name),
            by_name_and_file: by_key(hlo, &by_size, |blob| Some((name(blob)?, blob.file))),
            without_id: by_key(hlo, &by_size, |blob| is_without_id(blob).then(|| blob.name.clone())),
        }
    }

    /// Returns the indices of at most [`SEARCHED`] programs that an op may belong to, the most likely first, with notes.
    ///
    /// Programs with the id of the op come first: those in the file of the op before those in other files, and those
    /// inside a capture before HLO files. Without a program with this id, programs are selected by name, the largest
    /// first.
    pub(crate) fn choose(
        &self,
        profile: &Profile,
        id: Option<ProgramId>,
        module: Option<&str>,
        file: Option<usize>,
    ) -> (Vec<usize>, Vec<Note>) {
        let note = |code, message| vec![Note::new(Severity::Info, code, message)];
        let hlo = &profile.hlo;
        if hlo.is_empty() {
            let message = "The capture has no HLO. Users are the ops whose text names the op, and the contents of fusions are unknown.";
            return (Vec::new(), note(NoteCode::NoPrograms, message));
        }
        let own_first = |own: Option<&Vec<usize>>, all: Option<&Vec<usize>>| -> Vec<usize> {
            let elsewhere = all.into_iter().flatten().filter(|i| Some(hlo[**i].file) != file);
            own.into_iter().flatten().chain(elsewhere).copied().take(SEARCHED).collect()
        };
        if let Some(id) = id {
            let own = file.and_then(|file| self.by_id_and_file.get(&(id, file)));
            let of_id = own_first(own, self.by_id.get(&id));
            if !of_id.is_empty() {
                return (of_id, Vec::new());
            }
            let name = profile.programs.get(&id).map(String::as_str).or(module);
            let of_name = name.and_then(|name| self.without_id.get(name)).into_iter().flatten();
            let of_name: Vec<usize> = of_name.copied().take(SEARCHED).collect();
            let message = if of_name.is_empty() {
                "The HLO of the op’s program is not in the capture. The details come from the text of the event."
            } else {
                "The program was found by name. Several programs have this name, and the largest HLO with this op is used."
            };
            let code = if of_name.is_empty() { NoteCode::NoProgram } else { NoteCode::ProgramByName };
            return (of_name, note(code, message));
        }
        let named = match module {
            Some(module) => {
                let own = file.and_then(|file| self.by_name_and_file.get(&(module.to_owned(), file)));
                own_first(own, self.by_name.get(module))
            }
            // The event names no program. The program is known only if there is just one.
            None => (0..hlo.len()).filter(|_| hlo.len() == 1).collect(),
        };
        let message = match named.len() {
            0 => Some("Events do not name the op’s program. The details come from the text of the event."),
            1 => None,
            _ => Some("Several programs have the name in the events. The largest with this op is used."),
        };
        (named, message.map_or(Vec::new(), |message| note(NoteCode::ProgramByName, message)))
    }
}

fn by_key<K: Eq + Hash>(hlo: &[HloBlob], order: &[usize], key: impl Fn(&HloBlob) -> Option<K>) -> ByKey<K> {
    let mut by_key: ByKey<K> = FxHashMap::default();
    for i in order {
        if let Some(key) = key(&hlo[*i]) {
            by_key.entry(key).or_default().push(*i);
        }
    }
    by_key
}
