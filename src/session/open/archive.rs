//! This module turns an archive into files of a session. Each member becomes a file whose name begins with the name of
//! the archive. This module reports the members that cannot be read; the formats of the others are detected like those
//! of any file.

use super::{Input, messages};
use crate::protocol::Failure;
use std::collections::BTreeMap;
use xla_profile::profile::Note;
use xla_profile::source::{Member, Refused, Source, members};

/// The content of an archive.
pub(crate) struct Unzipped {
    /// The members that can be read. The flag is true if the archive compresses the member.
    pub(crate) inputs: Vec<(Input, bool)>,
    /// Notes about the members that cannot be read, and about damage of the archive.
    pub(crate) notes: Vec<Note>,
}

/// Returns the files in the archive `name`.
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
