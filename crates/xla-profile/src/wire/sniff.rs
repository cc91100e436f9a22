//! Tells what a file is by its first bytes, never by its name.

use super::{Cursor, Field, Value};

/// What a file is.
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
    /// Chrome trace JSON.
    TraceJson,
    /// gzip; what is inside is reported after unpacking.
    Gzip,
    /// xz; what is inside is reported after unpacking.
    Xz,
    /// A zip archive; what its members are is reported one by one.
    Zip,
    /// A report of Rooflight's own: [`REPORT_MAGIC`].
    Report,
    /// Something that no view can use.
    Unknown(Unknown),
}

/// What a file that is no profile looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// No bytes.
    Empty,
    /// A well-known format, by its name with its article.
    Known(&'static str),
    /// It starts with zero bytes: a sparse or unfinished file.
    Zeros,
    /// Bytes that are no UTF-8 were replaced by EF BF BD: a binary file that went through a text tool.
    Mangled {
        /// Where the first replacement is.
        at: u64,
    },
    /// Text that is not JSON.
    Text,
    /// Nothing that is known.
    Bytes,
}

/// What a `.rooflight` file starts with. As in PNG: a byte that is no text, line ends that text tools change, and the end of
/// file of old terminals.
pub const REPORT_MAGIC: [u8; 8] = *b"\x8dRFL\r\n\x1a\n";

const MAGIC: [(&[u8], &str); 14] = [
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a RIFF file (WebP, WAV or AVI)"),
    (b"%PDF", "a PDF document"),
    (b"SQLite format 3\0", "a SQLite database"),
    (b"\x7fELF", "a Linux program"),
    (b"MZ", "a Windows program"),
    (b"\xcf\xfa\xed\xfe", "a macOS program"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\0asm", "a WebAssembly module"),
    (b"PAR1", "a Parquet file"),
    (b"\x89HDF", "an HDF5 file"),
];

/// Tells the format from the first bytes of a file (64 KiB are plenty) that is `size` bytes long.
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
    // A member's header, or the end of an archive without members.
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return Format::Zip;
    }
    if head.starts_with(&REPORT_MAGIC) {
        return Format::Report;
    }
    if let Some((_, name)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Format::Unknown(Unknown::Known(name));
    }
    if let Some(at) = mangled(head) {
        return Format::Unknown(Unknown::Mangled { at });
    }
    if super::hlo_text::after_word(head).is_some() {
        return Format::HloText;
    }
    if let Some(format) = protobuf(head) {
        return format;
    }
    let text = head.trim_ascii_start();
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if matches!(text.first(), Some(b'{' | b'[')) {
        return Format::TraceJson;
    }
    if head.iter().take(64).all(|b| *b == 0) {
        return Format::Unknown(Unknown::Zeros);
    }
    let printable = |b: &u8| b.is_ascii_graphic() || b.is_ascii_whitespace() || *b >= 0x80;
    if std::str::from_utf8(head.get(..head.len().min(512)).unwrap_or_default()).is_ok() && head.iter().all(printable) {
        return Format::Unknown(Unknown::Text);
    }
    Format::Unknown(Unknown::Bytes)
}

/// Where the first EF BF BD is, if there are many and all is valid UTF-8: what a lossy decoder leaves. A real
/// profile's variable-length numbers are no UTF-8 within a few bytes.
fn mangled(head: &[u8]) -> Option<u64> {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The head may end inside a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(head.get(..error.valid_up_to())?).unwrap_or_default()
        }
        Err(_) => return None,
    };
    let mut replaced = text.match_indices('\u{fffd}').map(|(at, _)| at as u64);
    let first = replaced.next()?;
    (replaced.count() >= 7).then_some(first)
}

/// `XSpace` starts with a plane (whose first field is its id or name), or with errors, warnings or host names;
/// `HloProto` with a module, whose first field is its name; a module alone with that name.
fn protobuf(head: &[u8]) -> Option<Format> {
    match head {
        // A length that ends at once: an empty first plane.
        [0x0a, 0, ..] => Some(Format::XSpace),
        // Line ends and a few letters after them: not even the start of a plane is there.
        [0x0a, ..] if head.len() <= 11 && head.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()) => None,
        [0x0a, rest @ ..] => {
            let (length, n) = super::cursor::varint(rest).ok()?;
            // Lengths beyond 2⁶² are no lengths of anything; they are still told as a damaged XSpace.
            let inner = rest.get(n..).unwrap_or_default();
            match inner.first() {
                None if length > 0 => Some(Format::XSpace),
                Some(0x08) => plausible_plane(inner).then_some(Format::XSpace),
                // No plane starts with a message, nor a name with a line break: the two cannot be confused.
                Some(0x0a) => plausible_module(inner, false).then_some(Format::HloProto),
                // `"`, `*` and `2` are fields of a plane too: first what asks for more.
                Some(_) if plausible_module(head, true) => Some(Format::HloModule),
                Some(0x12 | 0x1a | 0x22 | 0x2a | 0x32) => plausible_text(inner).then_some(Format::XSpace),
                _ => None,
            }
        }
        [0x12 | 0x1a | 0x22, ..] => plausible_text(head).then_some(Format::XSpace),
        _ => None,
    }
}

/// The message starts as a module does: its name, the name of its entry, a computation that starts with its own name.
/// (A graph of TensorFlow starts with two names as well, but no third field of it holds a message.) Where the head ends
/// earlier, what is there must fit; `whole`: it may not end before the computation.
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

/// The value of a field of this tag, as far as it is loaded, and what comes after it.
fn field(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let rest = bytes.strip_prefix(&[tag])?;
    let (length, n) = super::cursor::varint(rest).ok()?;
    let rest = rest.get(n..)?;
    Some(usize::try_from(length).ok().and_then(|n| rest.split_at_checked(n)).unwrap_or((rest, &[])))
}

/// Text that a compiler names things with; its first bytes at least.
fn is_name(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().take(256).all(|b| b.is_ascii_graphic() || *b == b' ' || *b >= 0x80)
}

/// After the id comes a field of a plane.
fn plausible_plane(plane: &[u8]) -> bool {
    let mut cursor = Cursor::new(plane, 0);
    let id = cursor.next_field();
    let at = usize::try_from(cursor.position()).unwrap_or(usize::MAX);
    matches!(id, Ok(Some(Field { number: 1, value: Value::Varint(_) })))
        && matches!(plane.get(at), None | Some(0x12 | 0x1a | 0x22 | 0x2a | 0x32))
}

/// The first field's bytes start like text or like a message, not like noise: its length is one or two bytes
/// that fit, or what follows is cut by the end of `head`.
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
        assert_eq!(sniff(b"\x89PNG\r\n\x1a\n123", 20), Format::Unknown(Unknown::Known("a PNG image")));
        // A graph of TensorFlow: a node's name, its operation, what it takes.
        let graph = b"\x0a\x0f\x0a\x05add_1\x12\x03Add\x1a\x01x";
        assert_eq!(sniff(graph, 100), Format::Unknown(Unknown::Bytes));
        assert_eq!(sniff(b"hello, world\n", 13), Format::Unknown(Unknown::Text));
        assert_eq!(sniff(&[0xc7, 0x01, 0xfe, 0x83, 0x42, 0x99, 0x10], 7), Format::Unknown(Unknown::Bytes));
        let mangled = [b"\x0a".as_slice(), &b"\xef\xbf\xbd\x01".repeat(10)].concat();
        assert_eq!(sniff(&mangled, 41), Format::Unknown(Unknown::Mangled { at: 1 }));
    }

    #[test]
    fn a_declared_length_beyond_all_bounds_is_a_damaged_xspace() {
        let bytes = [0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x12, 1, b'x'];
        assert_eq!(sniff(&bytes, 14), Format::XSpace);
    }
}
