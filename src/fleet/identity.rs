//! This module identifies captures by their bytes, groups files into captures, and divides a listing into shards.

use crate::protocol::Failure;
use crate::session::Input;
use indexmap::IndexMap;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use xla_profile::source::{Source, SourceError};
use xla_profile::wire::Format;

/// Bytes at each end of a file that identify it.
const EDGE: u64 = 1 << 20;
/// Bytes that are read at once.
const PIECE: u64 = 1 << 20;
/// Name of the plane that holds the programs of a capture.
const PROGRAMS: &str = "/host:metadata";

/// The identity of a capture.
pub struct Identity {
    /// The first 128 bits of a digest over the files, as 32 hexadecimal digits.
    pub capture_id: String,
    /// Stored bytes of the files that count.
    pub bytes: u64,
}

/// Identifies a capture: by the size, the first and the last MiB and the programs of each of its files, in an order that does not
/// depend on their names. Of a folder with XSpaces, these and the programs beside them count, so that the files which other
/// tools write into the folder change nothing.
///
/// # Errors
/// If a file cannot be read.
pub fn identity(inputs: &[Input]) -> Result<Identity, Failure> {
    let files = counted(inputs);
    let mut digests = Vec::with_capacity(files.len());
    for input in &files {
        digests.push(edges(input.source.as_ref()).map_err(|error| unreadable(input, &error))?);
    }
    digests.sort_unstable();
    let bytes = files.iter().map(|input| input.source.size()).sum();
    Ok(Identity { capture_id: hex(&Sha256::digest(digests.concat()))[..32].to_owned(), bytes })
}

/// Returns the identity of files that cannot be read: it follows from their names.
pub fn identity_of_names(paths: &[PathBuf]) -> String {
    let mut digest = Sha256::new();
    digest.update("unreadable");
    paths.iter().for_each(|path| digest.update(path.display().to_string().as_bytes()));
    hex(&digest.finalize())[..32].to_owned()
}

/// Returns SHA-256 of the file that counts; of several files, that of their sorted digests.
///
/// # Errors
/// If a file cannot be read.
pub fn whole_digest(inputs: &[Input]) -> Result<String, Failure> {
    let mut digests = Vec::new();
    for input in counted(inputs) {
        let mut digest = Sha256::new();
        let source = input.source.as_ref();
        add_range(&mut digest, source, 0, source.size()).map_err(|error| unreadable(input, &error))?;
        digests.push(hex(&digest.finalize()));
    }
    digests.sort_unstable();
    Ok(if let [one] = &digests[..] { one.clone() } else { hex(&Sha256::digest(digests.concat())) })
}

/// Returns the files that identify a capture.
fn counted(inputs: &[Input]) -> Vec<&Input> {
    let has = |input: &Input, words: &[&str]| {
        let name = input.name.rsplit('/').next().unwrap_or(&input.name);
        words.iter().any(|word| name.contains(word))
    };
    let is_space = |input: &&Input| has(input, &[".xplane.pb"]);
    if inputs.iter().any(|input| input.from_folder && is_space(&input)) {
        let is_counted =
            |input: &&Input| is_space(input) || !input.from_folder || has(input, &[".hlo_proto.pb", ".hlo.pb"]);
        return inputs.iter().filter(is_counted).collect();
    }
    inputs.iter().collect()
}

/// Returns a digest of the size of a file, of both its ends, and of its programs.
fn edges(source: &dyn Source) -> Result<[u8; 32], SourceError> {
    let size = source.size();
    let n = size.min(EDGE);
    let mut digest = Sha256::new();
    digest.update(size.to_le_bytes());
    add_range(&mut digest, source, 0, n)?;
    add_range(&mut digest, source, size.saturating_sub(n), size)?;
    if size > 2 * EDGE && crate::session::open::detect::format(source)? == Format::XSpace {
        let planes =
            crate::session::open::plane_heads::listed_outline(source).map(|outline| outline.planes).unwrap_or_default();
        for (span, _) in planes.iter().filter(|(_, name)| name == PROGRAMS) {
            add_range(&mut digest, source, span.start, span.end)?;
        }
    }
    Ok(digest.finalize().into())
}

fn add_range(digest: &mut Sha256, source: &dyn Source, start: u64, end: u64) -> Result<(), SourceError> {
    let mut offset = start;
    let mut piece = Vec::new();
    while offset < end {
        let n = PIECE.min(end - offset);
        piece.resize(usize::try_from(n).unwrap_or_default(), 0);
        source.read_at(offset, &mut piece)?;
        digest.update(&piece);
        offset += n;
    }
    Ok(())
}

fn unreadable(input: &Input, error: &SourceError) -> Failure {
    Failure { title: format!("{} could not be read", input.name), message: format!("{error}.") }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Groups the paths of a listing into captures, in order. A folder or a file is a capture, except that the files of one
/// session folder, `plugins/profile/<session>/`, are the hosts of one capture.
pub fn capture_groups(paths: impl IntoIterator<Item = PathBuf>) -> Vec<Vec<PathBuf>> {
    let mut groups: IndexMap<PathBuf, Vec<PathBuf>> = IndexMap::default();
    for path in paths {
        let key = session_folder(&path).unwrap_or(&path).to_owned();
        let group = groups.entry(key).or_default();
        if !group.contains(&path) {
            group.push(path);
        }
    }
    groups.into_values().collect()
}

/// Returns the folder `plugins/profile/<session>` that directly holds a file.
fn session_folder(path: &Path) -> Option<&Path> {
    let folder = path.parent()?;
    let is_named =
        |folder: Option<&Path>, name: &str| folder.and_then(Path::file_name).is_some_and(|other| other == name);
    let profile = folder.parent();
    (is_named(profile, "profile") && is_named(profile?.parent(), "plugins")).then_some(folder)
}

/// Returns the text by which a capture of a listing is assigned to a shard.
fn shard_key(group: &[PathBuf]) -> String {
    let first = group.first().map_or(Path::new(""), PathBuf::as_path);
    session_folder(first).unwrap_or(first).display().to_string()
}

/// Returns the shard of a capture, from 0. All hosts of a session folder are in one shard.
pub fn shard_of(group: &[PathBuf], n_shards: u64) -> u64 {
    let digest = Sha256::digest(shard_key(group).as_bytes());
    digest.iter().take(8).fold(0, |sum: u64, byte| sum << 8 | u64::from(*byte)) % n_shards.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str, bytes: &[u8], from_folder: bool) -> Input {
        Input { name: name.to_owned(), source: Box::new(bytes.to_vec()), from_folder }
    }

    #[test]
    fn identity_depends_on_bytes_and_not_on_names_and_order() {
        let id = |inputs: &[Input]| identity(inputs).ok().unwrap().capture_id;
        let two = id(&[input("a.xplane.pb", b"one", false), input("b.xplane.pb", b"other", false)]);
        assert_eq!(two, id(&[input("x.xplane.pb", b"other", false), input("y.xplane.pb", b"one", false)]));
        assert_ne!(two, id(&[input("a.xplane.pb", b"one", false)]));
        assert_ne!(id(&[input("a", b"ab", false)]), id(&[input("a", b"ac", false)]));
        let alone = id(&[input("d/a.xplane.pb", b"one", true)]);
        assert_eq!(alone, id(&[input("d/a.xplane.pb", b"one", true), input("d/ALL.op_stats.pb", b"x", true)]));
        assert_ne!(alone, id(&[input("d/a.xplane.pb", b"one", true), input("d/f.hlo_proto.pb", b"x", true)]));
        // The middle of a large file is not read.
        let (mut large, mut other) = (vec![7; 3 << 20], vec![7; 3 << 20]);
        (large[0], other[(3 << 19) + 5]) = (0xff, 8);
        other[0] = 0xff;
        assert_eq!(id(&[input("a", &large, false)]), id(&[input("a", &other, false)]));
        let digest = |bytes: &[u8]| whole_digest(&[input("a", bytes, false)]).ok().unwrap();
        assert_ne!(digest(&large), digest(&other));
        assert_eq!(digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn hosts_of_a_session_folder_are_one_capture() {
        let paths = [
            "r/plugins/profile/s1/a.xplane.pb",
            "x.xplane.pb",
            "r/plugins/profile/s1/b.xplane.pb",
            "y/",
            "x.xplane.pb",
        ];
        let groups = capture_groups(paths.map(PathBuf::from));
        let lengths: Vec<usize> = groups.iter().map(Vec::len).collect();
        assert_eq!(lengths, [2, 1, 1]);
        assert_eq!(shard_of(&groups[0], 7), shard_of(&groups[0][1..], 7));
    }
}
