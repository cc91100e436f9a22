//! This module lists the members of a zip archive, each as a [`Source`] that reads the archive in place. Nothing is
//! unpacked here, and no member is in memory as a whole. The module refuses members of hostile archives; it does not
//! depend on the content of members.
//!
//! ```text
//!  archive   │ header │ stored  │ header │ deflated │ … │ table of contents │ end │
//!  members            └─ source ┘        └─ source ─┘ with gzip's header and its check around it: a gzip file
//! ```
//!
//! zip and gzip use the same compression and the same checks (CRC-32 and length), so a deflated member is read like a
//! gzip file. No two members share bytes, so the size of the archive bounds the unpacked size of all members together,
//! as the size of a gzip file bounds its unpacked size.

use super::{Source, SourceError, checked_end};
use crate::small_sort::SmallSort;
use rawzip::{
    CompressionMethod, ErrorKind, RECOMMENDED_BUFFER_SIZE, ReaderAt, ZipArchive, ZipFileHeaderRecord, ZipLocator,
};
use std::rc::Rc;
use thiserror::Error;

/// Largest number of members that are listed. The same limit holds for the files of a folder.
const MAX_MEMBERS: usize = 10_000;
/// Largest number of entries that are examined, folders included.
const MAX_ENTRIES: u64 = 100_000;
/// Longest name, in bytes. A longer name is not a path of any file system.
const MAX_NAME: usize = 4096;

/// The content of an archive.
pub struct Members {
    /// The files, in the order of the table of contents.
    pub members: Vec<Member>,
    /// Number of entries beyond the limits, which were not examined.
    pub left_out: u64,
    /// The error at which the table of contents breaks off, if it does. `members` holds the entries before the error.
    pub damage: Option<String>,
}

/// A file in an archive.
pub struct Member {
    /// Path in the archive.
    pub name: String,
    /// The bytes, or the reason why they cannot be read.
    pub content: Result<Box<dyn Source>, Refused>,
    /// The member is deflated, and the bytes of `content` form a gzip file.
    pub packed: bool,
}

/// The reason why a member is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refused {
    Encrypted,
    /// The compression of the member is not supported. Holds the name of the compression, if it has one.
    Method(Option<&'static str>),
    /// The member shares bytes with another member.
    Overlaps,
    /// The table of contents contradicts the archive: the header of the member is missing, or lengths do not fit.
    Damaged,
    /// The name of the member is longer than a path can be.
    Name,
}

/// The reason why an archive cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ZipError {
    /// The end of the archive is missing: the archive was cut.
    #[error("its end, where its table of contents is, is missing")]
    Cut,
    /// The table of contents is damaged.
    #[error("its table of contents is damaged")]
    Damaged,
    /// The source cannot be read.
    #[error("{0}")]
    Read(String),
}

/// Lists the files of an archive. Folders and the files that macOS adds are left out.
///
/// # Errors
/// Returns an error if the table of contents is missing or damaged, or if the source cannot be read.
pub fn members(source: Box<dyn Source>) -> Result<Members, ZipError> {
    let source: Rc<dyn Source> = source.into();
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let located = ZipLocator::new().locate_in_reader(SourceReader(Rc::clone(&source)), &mut buffer, source.size());
    let archive = located.map_err(|(_, error)| match error.into_kind() {
        ErrorKind::MissingEndOfCentralDirectory | ErrorKind::Eof => ZipError::Cut,
        ErrorKind::IO(error) => ZipError::Read(error.to_string()),
        _ => ZipError::Damaged,
    })?;
    let (mut found, mut seen, mut damage) = (Vec::new(), 0u64, None);
    let mut entries = archive.entries(&mut buffer);
    while seen < MAX_ENTRIES && found.len() < MAX_MEMBERS {
        let entry = match entries.next_entry() {
            Ok(Some(entry)) => entry,
            Ok(None) => break,
            Err(error) => {
                damage = Some(error.to_string());
                break;
            }
        };
        seen = seen.saturating_add(1);
        let path = entry.file_path();
        let path: &[u8] = path.as_ref();
        let name = String::from_utf8_lossy(path.get(..MAX_NAME).unwrap_or(path)).replace('\\', "/");
        if !name.ends_with('/') && !is_of_a_mac(&name) {
            let too_long = path.len() > MAX_NAME;
            let place = if too_long { Err(Refused::Name) } else { member_place(&archive, &entry, source.size()) };
            found.push(Entry { name, place });
        }
    }
    let left_out = if damage.is_some() { 0 } else { archive.entries_hint().saturating_sub(seen) };
    refuse_overlaps(&mut found);
    let members = found.into_iter().map(|entry| entry.member(&source)).collect();
    Ok(Members { members, left_out, damage })
}

/// Returns whether macOS added the file: a resource fork or the settings of a folder.
fn is_of_a_mac(name: &str) -> bool {
    name.starts_with("__MACOSX/")
        || name.rsplit('/').next().is_some_and(|file| file == ".DS_Store" || file.starts_with("._"))
}

struct Entry {
    name: String,
    place: Result<MemberPlace, Refused>,
}

/// The position of a member, in bytes of the archive.
struct MemberPlace {
    /// Offset of the local header.
    header: u64,
    start: u64,
    end: u64,
    /// The CRC-32 and the unpacked length of a deflated member; `None` for a stored one.
    deflated: Option<(u32, u64)>,
}

fn member_place(
    archive: &ZipArchive<SourceReader>,
    entry: &ZipFileHeaderRecord<'_>,
    size: u64,
) -> Result<MemberPlace, Refused> {
    let method = entry.compression_method();
    if entry.flags().is_encrypted() || method == CompressionMethod::AES {
        return Err(Refused::Encrypted);
    }
    let unpacked = entry.uncompressed_size_hint();
    let deflated = match method {
        CompressionMethod::STORE if unpacked == entry.compressed_size_hint() => None,
        CompressionMethod::STORE => return Err(Refused::Damaged),
        CompressionMethod::DEFLATE => Some((entry.crc32(), unpacked)),
        other => return Err(Refused::Method(other.name())),
    };
    let (start, end) = archive.get_entry(entry.wayfinder()).map_err(|_| Refused::Damaged)?.compressed_data_range();
    if end > size {
        return Err(Refused::Damaged);
    }
    Ok(MemberPlace { header: entry.local_header_offset(), start, end, deflated })
}

/// Refuses all members that share bytes with another member, because decompression bombs are made of such members.
fn refuse_overlaps(entries: &mut [Entry]) {
    let mut order: Vec<(u64, u64, usize)> = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        order.extend(entry.place.as_ref().ok().map(|place| (place.header, place.end, i)));
    }
    order.small_sort_by_key(|member| *member);
    let mut refused = Vec::new();
    let mut last: Option<(u64, usize)> = None;
    for (header, end, i) in order {
        if let Some((_, other)) = last.filter(|(reach, _)| header < *reach) {
            refused.extend([i, other]);
        }
        last = last.filter(|(reach, _)| *reach > end).or(Some((end, i)));
    }
    for i in refused {
        if let Some(entry) = entries.get_mut(i) {
            entry.place = Err(Refused::Overlaps);
        }
    }
}

impl Entry {
    fn member(self, source: &Rc<dyn Source>) -> Member {
        let Self { name, place } = self;
        let packed = place.as_ref().is_ok_and(|place| place.deflated.is_some());
        let content = place.map(|place| Box::new(MemberSource::new(Rc::clone(source), &place)) as Box<dyn Source>);
        Member { name, content, packed }
    }
}

/// The header of a gzip file without a name.
const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// A range of a source with additional bytes before and after it.
struct MemberSource {
    archive: Rc<dyn Source>,
    start: u64,
    len: u64,
    before: &'static [u8],
    after: Vec<u8>,
}

impl MemberSource {
    fn new(source: Rc<dyn Source>, place: &MemberPlace) -> Self {
        let (start, len) = (place.start, place.end.saturating_sub(place.start));
        let Some((crc, unpacked)) = place.deflated else {
            return Self { archive: source, start, len, before: &[], after: Vec::new() };
        };
        // The trailer of gzip holds the length modulo 2³².
        let [a, b, c, d, ..] = unpacked.to_le_bytes();
        let after = [crc.to_le_bytes(), [a, b, c, d]].concat();
        Self { archive: source, start, len, before: &GZIP_HEADER, after }
    }
}

impl Source for MemberSource {
    fn size(&self) -> u64 {
        self.len.saturating_add((self.before.len() as u64).saturating_add(self.after.len() as u64))
    }

    fn stride(&self) -> u64 {
        self.archive.stride()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        checked_end(offset, buf.len(), self.size())?;
        let pieces: [(u64, Piece<'_>); 3] = [
            (self.before.len() as u64, &|start, part| Source::read_at(&self.before, start, part)),
            (self.len, &|start, part| self.archive.read_at(self.start.saturating_add(start), part)),
            (self.after.len() as u64, &|start, part| Source::read_at(&self.after, start, part)),
        ];
        let (mut start, mut rest) = (offset, buf);
        for (len, read) in pieces {
            let n = usize::try_from(len.saturating_sub(start)).unwrap_or(usize::MAX).min(rest.len());
            let (part, more) = rest.split_at_mut_checked(n).unwrap_or_default();
            if !part.is_empty() {
                read(start, part)?;
            }
            (start, rest) = (start.saturating_sub(len), more);
        }
        Ok(())
    }
}

/// A function that fills a buffer from an offset within a piece.
type Piece<'a> = &'a dyn Fn(u64, &mut [u8]) -> Result<(), SourceError>;

/// An adapter from [`Source`] to [`ReaderAt`], which permits short reads at the end.
struct SourceReader(Rc<dyn Source>);

impl ReaderAt for SourceReader {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> std::io::Result<usize> {
        let n = usize::try_from(self.0.size().saturating_sub(offset)).unwrap_or(usize::MAX).min(buf.len());
        let part = buf.get_mut(..n).unwrap_or_default();
        if n > 0 {
            self.0.read_at(offset, part).map_err(std::io::Error::other)?;
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_reads_across_its_pieces() {
        let place = MemberPlace { header: 0, start: 3, end: 8, deflated: Some((0x0403_0201, 0x1_0807_0605)) };
        let part = MemberSource::new(Rc::new(b"0123456789".to_vec()), &place);
        let whole = [GZIP_HEADER.as_slice(), b"34567", &[1, 2, 3, 4, 5, 6, 7, 8]].concat();
        assert_eq!(part.size(), whole.len() as u64);
        for from in 0..=whole.len() {
            for to in from..=whole.len() {
                let mut buf = vec![0; to - from];
                part.read_at(from as u64, &mut buf).unwrap();
                assert_eq!(buf, whole[from..to]);
            }
        }
        assert!(part.read_at(1, &mut [0; 23]).is_err());
    }

    #[test]
    fn overlapping_members_are_refused_and_no_others() {
        let entry = |header, end| Entry {
            name: String::new(),
            place: Ok(MemberPlace { header, start: header + 30, end, deflated: None }),
        };
        for (ranges, expected) in [
            (vec![(0, 40), (40, 90), (90, 120)], vec![]),
            (vec![(0, 40), (39, 90), (90, 120)], vec![0, 1]),
            // A member that spans others overlaps each of them.
            (vec![(100, 140), (0, 200), (40, 80), (200, 240)], vec![0, 1, 2]),
            (vec![(0, 40), (0, 40)], vec![0, 1]),
        ] {
            let mut entries: Vec<Entry> = ranges.into_iter().map(|(a, b)| entry(a, b)).collect();
            refuse_overlaps(&mut entries);
            let refused = entries.iter().enumerate().filter(|(_, e)| e.place.is_err()).map(|(i, _)| i);
            assert_eq!(refused.collect::<Vec<_>>(), expected);
        }
    }
}
