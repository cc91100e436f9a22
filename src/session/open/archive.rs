//! Archives as files of a session: each member is one, named with the archive before it. This module knows what is to be reported of members
//! that are not read; what the others are is reported like that of any file.

use super::{Input, messages};
use crate::profile::Note;
use crate::protocol::Failure;
use crate::source::{Member, Refused, Source, members};
use std::collections::BTreeMap;

/// What is in an archive.
pub(crate) struct Unzipped {
    /// Its files, and whether the archive itself packs them.
    pub(crate) inputs: Vec<(Input, bool)>,
    /// What is to be reported of those that are none.
    pub(crate) notes: Vec<Note>,
}

/// The files in the archive of a name.
pub(crate) fn unzip(name: &str, source: Box<dyn Source>) -> Result<Unzipped, Failure> {
    let short = name.rsplit('/').next().unwrap_or(name);
    let found = members(source).map_err(|error| messages::bad_zip(short, &error))?;
    let n_read = found.members.len();
    let mut inputs = Vec::new();
    let mut refused: BTreeMap<Refused, Vec<String>> = BTreeMap::new();
    for Member { name: member, content, packed } in found.members {
        let path = format!("{name}/{member}");
        match content {
            Ok(source) => inputs.push((Input { name: path, source, from_folder: true }, packed)),
            Err(why) => refused.entry(why).or_default().push(member),
        }
    }
    let mut notes: Vec<Note> = refused.iter().map(|(why, names)| messages::refused_members(*why, names)).collect();
    if let Some(reason) = found.damage {
        notes.push(messages::damaged_archive(n_read, &reason));
    }
    if found.left_out > 0 {
        notes.push(messages::members_left_out(n_read, found.left_out));
    }
    Ok(Unzipped { inputs, notes: notes.into_iter().map(|note| note.with_place(short)).collect() })
}
