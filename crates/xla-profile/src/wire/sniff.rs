//! This module detects the format of a file from its first bytes, never from its name.

use super::known_formats::{self, KnownFormat};
use super::search::contains;
use super::xspace::{MAX_TEXT, is_host_name, is_text};
use super::{Cursor, Field, Value};

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A serialized `XSpace`.
    XSpace,
    /// A serialized `HloProto`.
    HloProto,
    /// A serialized `HloModuleProto`, without an `HloProto` around it.
    HloModule,
    /// The text of an HLO module, as a compiler dumps it.
    HloText,
    TraceJson,
    /// JSON lines of the tables that `rooflight export --jsonl` writes.
    TableRows,
    /// gzip. The format of its content is detected after unpacking.
    Gzip,
    /// xz. The format of its content is detected after unpacking.
    Xz,
    /// A zip archive. The format of each member is detected on its own.
    Zip,
    /// A report that Rooflight wrote: [`REPORT_MAGIC`].
    Report,
    /// A file that cannot be read.
    Unknown(Unknown),
}

/// A description of a file that cannot be read, for the error message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// No bytes.
    Empty,
    /// A format that is recognised, with the way on.
    Known(KnownFormat),
    /// The file starts with zero bytes, as a sparse or unfinished file does.
    Zeros,
    /// A text tool has replaced bytes of a binary file that are not UTF-8 by EF BF BD.
    Mangled {
        /// Offset of the first replacement.
        offset: u64,
    },
    /// Text that is neither JSON nor HLO.
    Text,
    /// Binary data of an unknown format.
    Bytes,
}

/// The first bytes of a `.rooflight` file. They follow the scheme of PNG: a byte that is not text, line ends that text
/// tools change, and the end-of-file character of old terminals.
pub const REPORT_MAGIC: [u8; 8] = *b"\x8dRFL\r\n\x1a\n";

/// Detects the format of a file of `size` bytes from its first bytes `head`. 64 KiB are enough for `head`.
pub fn sniff(head: &[u8], size: u64) -> Format {
    if size == 0 || head.is_empty() {
        return Format::Unknown(Unknown::Empty);
    }
    if head.starts_with(&[0x1f, 0x8b]) {
        return Format::Gzip;
    }
    if head.starts_with(b"\xfd7zXZ\0") {
        return Format::Xz;
    }
    // An archive starts with the header of a member, or with its end if it has no members.
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return Format::Zip;
    }
    if head.starts_with(&REPORT_MAGIC) {
        return Format::Report;
    }
    if let Some(format) = known_formats::by_magic(head) {
        return Format::Unknown(Unknown::Known(format));
    }
    if let Some(offset) = mangled(head) {
        return Format::Unknown(Unknown::Mangled { offset });
    }
    if super::hlo_text::is_text(head) {
        return Format::HloText;
    }
    if let Some(format) = protobuf(head) {
        return format;
    }
    if let Some(format) = known_formats::by_fields(head) {
        return Format::Unknown(Unknown::Known(format));
    }
    if has_table_row(head) {
        return Format::TableRows;
    }
    let text = head.trim_ascii_start();
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if matches!(text.first(), Some(b'{' | b'[')) {
        return Format::TraceJson;
    }
    if head.iter().take(64).all(|b| *b == 0) {
        return Format::Unknown(Unknown::Zeros);
    }
    if let Some(format) = known_formats::by_text(head) {
        return Format::Unknown(Unknown::Known(format));
    }
    let printable = |b: &u8| b.is_ascii_graphic() || b.is_ascii_whitespace() || *b >= 0x80;
    if std::str::from_utf8(head.get(..head.len().min(512)).unwrap_or_default()).is_ok() && head.iter().all(printable) {
        return Format::Unknown(Unknown::Text);
    }
    Format::Unknown(Unknown::Bytes)
}

/// Returns whether a line is an object with the columns that every table begins with. Lines before it may be damaged, other programs may
/// write the columns in another order, and the last line may be cut.
fn has_table_row(head: &[u8]) -> bool {
    let is_row = |line: &[u8]| {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        line.trim_ascii_start().starts_with(b"{")
            && contains(line, b"\"capture_id\"")
            && contains(line, b"\"schema_version\"")
            && !contains(line, b"\"traceEvents\"")
    };
    head.split(|byte| *byte == b'\n').any(is_row)
}

/// Returns the offset of the first EF BF BD, if there are at least eight of them and all of `head` is valid UTF-8. A
/// lossy decoder leaves such bytes. In a real profile, variable-length numbers break UTF-8 within a few bytes.
fn mangled(head: &[u8]) -> Option<u64> {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // `head` may end inside a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(head.get(..error.valid_up_to())?).unwrap_or_default()
        }
        Err(_) => return None,
    };
    let mut replaced = text.match_indices('\u{fffd}').map(|(offset, _)| offset as u64);
    let first = replaced.next()?;
    (replaced.count() >= 7).then_some(first)
}

/// Detects the protobuf formats. An `XSpace` starts with a plane, whose first field is its id or its name, or with an
/// error, a warning or a host name. An `HloProto` starts with a module, and a module starts with its name.
fn protobuf(head: &[u8]) -> Option<Format> {
    match head {
        // The first plane is empty.
        [0x0a, 0, ..] => Some(Format::XSpace),
        // A line feed and a few letters are text. They are too short for the start of a plane.
        [0x0a, ..] if head.len() <= 11 && head.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()) => None,
        [0x0a, rest @ ..] => {
            let (length, n) = super::cursor::varint(rest).ok()?;
            // The length is not checked here: with a length that cannot be true, the file is a damaged XSpace.
            let inner = rest.get(n..).unwrap_or_default();
            match inner.first() {
                None if length > 0 => Some(Format::XSpace),
                Some(0x08) => plausible_plane(inner).then_some(Format::XSpace),
                // No plane starts with a message, and no name starts with a line break, so this is not an XSpace.
                Some(0x0a) => plausible_module(inner, false).then_some(Format::HloProto),
                // The name of a module may start with `"`, `*` or `2`, which are also tags of a plane. The stricter
                // check therefore comes first.
                Some(_) if plausible_module(head, true) => Some(Format::HloModule),
                Some(0x12 | 0x1a | 0x22 | 0x2a | 0x32) => plausible_text(inner).then_some(Format::XSpace),
                _ => None,
            }
        }
        [0x12 | 0x1a | 0x22, ..] => starts_with_texts(head).then_some(Format::XSpace),
        _ => None,
    }
}

/// Returns whether the message starts like a module: its name, the name of its entry (which may be absent), and a
/// computation that starts with its own name. A graph of TensorFlow starts with two names as well, but its third field
/// is not a message. If `message` ends before the computation, the fields before must fit, and `whole` must be false.
fn plausible_module(message: &[u8], whole: bool) -> bool {
    let Some((name, rest)) = field(message, 0x0a) else { return false };
    let (entry, rest) = field(rest, 0x12).unwrap_or((b"entry", rest));
    if !is_name(name) || !is_name(entry) {
        return false;
    }
    match field(rest, 0x1a) {
        Some((computation, _)) => field(computation, 0x0a).is_some_and(|(name, _)| is_name(name)),
        None => rest.is_empty() && !whole,
    }
}

/// Returns the value of the first field, as far as it is loaded, and the bytes after it. Returns `None` if the first
/// field does not have this tag.
fn field(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let rest = bytes.strip_prefix(&[tag])?;
    let (length, n) = super::cursor::varint(rest).ok()?;
    let rest = rest.get(n..)?;
    Some(usize::try_from(length).ok().and_then(|n| rest.split_at_checked(n)).unwrap_or((rest, &[])))
}

/// Returns whether the first 256 bytes of `text` can be part of the name of a module or a computation.
fn is_name(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().take(256).all(|b| b.is_ascii_graphic() || *b == b' ' || *b >= 0x80)
}

/// Returns whether the plane starts with its id and another field of a plane.
fn plausible_plane(plane: &[u8]) -> bool {
    let mut cursor = Cursor::new(plane, 0);
    let id = cursor.next_field();
    let index = usize::try_from(cursor.position()).unwrap_or(usize::MAX);
    matches!(id, Ok(Some(Field { number: 1, value: Value::Varint(_) })))
        && matches!(plane.get(index), None | Some(0x12 | 0x1a | 0x22 | 0x2a | 0x32))
}

/// Returns whether an XSpace starts with errors, warnings and names of hosts, which are texts. The last one may be cut.
fn starts_with_texts(head: &[u8]) -> bool {
    let mut rest = head;
    while let [tag @ (0x12 | 0x1a | 0x22), after @ ..] = rest {
        // The head ends within the length.
        let Ok((length, n)) = super::cursor::varint(after) else { return after.len() < 10 };
        let after = after.get(n..).unwrap_or_default();
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let text = after.get(..length).unwrap_or(after);
        let is_plausible = length <= MAX_TEXT && if *tag == 0x22 { is_host_name(text) } else { is_text(text) };
        if !is_plausible {
            return false;
        }
        rest = after.get(length..).unwrap_or_default();
    }
    // A byte that begins no field is damage.
    let is_damaged = rest.first().is_some_and(|tag| matches!(tag & 7, 3 | 4 | 6 | 7));
    matches!(rest, [] | [0x0a, ..]) || is_damaged
}

/// Returns whether the first field of the message is plausible. With tag 0x0a or 0x12, its length must be below 1 MiB
/// and its first 32 bytes must be text. With another tag, its length must be below 2⁶². A message that ends within the
/// tag or the length is plausible.
fn plausible_text(message: &[u8]) -> bool {
    let Some(rest) = message.get(1..) else { return true };
    let Ok((length, n)) = super::cursor::varint(rest) else { return rest.len() < 10 };
    let text = rest.get(n..).unwrap_or_default();
    let n = usize::try_from(length).unwrap_or(usize::MAX).min(text.len());
    if matches!(message.first(), Some(0x0a | 0x12)) {
        text.iter().take(n.min(32)).all(|b| b.is_ascii_graphic() || *b == b' ' || *b >= 0x80) && length < 1 << 20
    } else {
        length < 1 << 62
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles() {
        assert_eq!(sniff(b"\x0a\x10\x12\x0d/device:TPU:0", 100), Format::XSpace);
        assert_eq!(sniff(b"\x0a\x10\x08\x01\x12\x0d/device:TPU:0", 100), Format::XSpace);
        assert_eq!(sniff(b"\x22\x04host", 6), Format::XSpace);
        assert_eq!(sniff(b"\x0a\x10\x0a\x05jit_f\x12\x04main", 100), Format::HloProto);
        assert_eq!(
            sniff(b"\x0a\x1d\x0a\x05jit_f\x12\x04main\x1a\x10\x0a\x06main.1\x12\x06\x0a\x01x", 100),
            Format::HloProto
        );
        assert_eq!(sniff(b"\x0a\x05jit_f\x12\x04main\x1a\x10\x0a\x06main.1\x12", 100), Format::HloModule);
        assert_eq!(sniff(b"\x0a\x012\x1a\x10\x0a\x06main.1\x12", 100), Format::HloModule);
        for text in
            ["HloModule jit_f, x=1\n", "\n\nHloModule m\n", "// a\n/* b */\nHloModule\tm\n", "\u{feff}HloModule m\n"]
        {
            assert_eq!(sniff(text.as_bytes(), 100), Format::HloText, "{text}");
        }
        for text in ["HloModules", "HloModule", "a HloModule m", "// HloModule m", "/* HloModule m"] {
            assert_eq!(sniff(text.as_bytes(), 100), Format::Unknown(Unknown::Text), "{text}");
        }
        assert_eq!(sniff(b"  {\"traceEvents\":[", 100), Format::TraceJson);
        for rows in [
            "{\"capture_id\":\"0a\",\"schema_version\":1",
            "\u{feff} { \"batch\": 1, \"schema_version\": 2, \"capture_id\": \"0a\" }\n",
            "{\"capture_id\n{\"capture_id\":\"0a\",\"schema_version\":1}\n",
        ] {
            assert_eq!(sniff(rows.as_bytes(), 100), Format::TableRows, "{rows}");
        }
        let trace = b"{\"capture_id\":1,\"schema_version\":1,\"traceEvents\":[";
        assert_eq!(sniff(trace, 100), Format::TraceJson);
        assert_eq!(sniff(b"\x1f\x8b\x08", 100), Format::Gzip);
        assert_eq!(sniff(b"\xfd7zXZ\0\0\x04", 100), Format::Xz);
        assert_eq!(sniff(b"PK\x03\x04\x14", 100), Format::Zip);
        assert_eq!(sniff(b"PK\x05\x06\0\0", 22), Format::Zip);
        assert_eq!(sniff(&REPORT_MAGIC, 100), Format::Report);
    }

    #[test]
    fn others() {
        assert_eq!(sniff(b"", 0), Format::Unknown(Unknown::Empty));
        assert_eq!(sniff(&[0; 64], 3 << 30), Format::Unknown(Unknown::Zeros));
        assert_eq!(
            sniff(b"\x89PNG\r\n\x1a\n123", 20),
            Format::Unknown(Unknown::Known(KnownFormat { name: "a PNG image", advice: "" }))
        );
        // A graph of TensorFlow: the name of a node, its operation and its input.
        let graph = b"\x0a\x0f\x0a\x05add_1\x12\x03Add\x1a\x01x";
        assert_eq!(sniff(graph, 100), Format::Unknown(Unknown::Bytes));
        assert_eq!(sniff(b"hello, world\n", 13), Format::Unknown(Unknown::Text));
        assert_eq!(sniff(&[0xc7, 0x01, 0xfe, 0x83, 0x42, 0x99, 0x10], 7), Format::Unknown(Unknown::Bytes));
        let mangled = [b"\x0a".as_slice(), &b"\xef\xbf\xbd\x01".repeat(10)].concat();
        assert_eq!(sniff(&mangled, 41), Format::Unknown(Unknown::Mangled { offset: 1 }));
    }

    #[test]
    fn a_declared_length_beyond_all_bounds_is_a_damaged_xspace() {
        let bytes = [0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x12, 1, b'x'];
        assert_eq!(sniff(&bytes, 14), Format::XSpace);
    }
}
