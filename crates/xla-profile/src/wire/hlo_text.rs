//! This module detects the HLO text of a compiled program, as `--xla_dump_to` writes it, or of a part of one, and finds its name.
//! It does not parse the text; [`crate::hlo::text`] does.

use super::Span;
use super::hlo::HloError;
use super::search::position;
use crate::source::Source;

/// The name and the position of the module in a file of HLO text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextOutline {
    pub name: String,
    /// Position of the module's text, which is the whole file.
    pub module: Span,
    /// The last computation is closed. If it is not, the file was cut.
    pub is_complete: bool,
}

/// The first word of the text of a module, after comments.
const WORD: &[u8] = b"HloModule";
/// Longest name of a module, in bytes.
const MAX_NAME: usize = 1 << 12;
/// Number of bytes that are read at once.
const PIECE: u64 = 1 << 16;

/// How a text of HLO begins.
enum Start<'a> {
    /// With the word `HloModule`: the bytes after it.
    Module(&'a [u8]),
    /// With a computation without a module around it, which has this name.
    Computation(&'a [u8]),
    /// With an instruction without a computation around it, which has this name.
    Instruction(&'a [u8]),
}

/// Returns whether a text is HLO: a module, or a part of one.
pub(super) fn is_text(head: &[u8]) -> bool {
    start(head).is_some()
}

/// Returns how a text of HLO begins. `None` if it is no HLO. A byte order mark, blank lines and comments may precede the start.
fn start(head: &[u8]) -> Option<Start<'_>> {
    let text = without_comments(head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head))?;
    if let Some(rest) = text.strip_prefix(WORD) {
        return matches!(rest.first(), Some(b' ' | b'\t')).then_some(Start::Module(rest));
    }
    if let Some(name) = instruction(text) {
        return Some(Start::Instruction(name));
    }
    let line = text.split(|b| *b == b'\n').next()?;
    let rest = line.strip_prefix(b"ENTRY ").unwrap_or(line).trim_ascii();
    let header = rest.strip_suffix(b"{")?;
    let named = header.strip_prefix(b"%").unwrap_or(header);
    let name = named.get(..named.iter().position(|b| is_name_end(*b)).unwrap_or(named.len()))?;
    let between = named.get(name.len()..)?.trim_ascii();
    let has_signature = between.starts_with(b"(") && position(between, b"->").is_some();
    let body = without_comments(text.get(line.len()..)?)?;
    (!name.is_empty() && (between.is_empty() || has_signature) && instruction(body).is_some())
        .then_some(Start::Computation(name))
}

/// Returns a text without the blanks and comments at its start. `None` if a comment does not end.
fn without_comments(text: &[u8]) -> Option<&[u8]> {
    let mut text = text.trim_ascii_start();
    loop {
        text = if text.starts_with(b"//") {
            text.get(position(text, b"\n")?..)?
        } else if text.starts_with(b"/*") {
            text.get(position(text, b"*/")?.saturating_add(2)..)?
        } else {
            return Some(text);
        };
        text = text.trim_ascii_start();
    }
}

/// Returns the name of the instruction at the start of a text: `[ROOT] [%]NAME = DTYPE[…`, or a tuple in place of the shape.
fn instruction(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(b"ROOT ").unwrap_or(text).trim_ascii_start();
    let text = text.strip_prefix(b"%").unwrap_or(text);
    let name = text.get(..text.iter().position(|b| is_name_end(*b))?)?;
    let shape = text.get(name.len()..)?.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let shape = shape.get(shape.iter().position(|b| *b != b'(')?..)?;
    let dtype = shape.get(..shape.iter().position(|b| *b == b'[')?)?;
    let line = shape.split(|b| *b == b'\n').next()?;
    (!name.is_empty() && is_dtype(dtype) && line.contains(&b'(')).then_some(name)
}

/// Returns whether a word is a type of HLO, such as `bf16`, `s4`, `f8e4m3fn` or `pred`.
fn is_dtype(word: &[u8]) -> bool {
    let has_width =
        |rest: &[u8]| rest.first().is_some_and(u8::is_ascii_digit) && rest.iter().all(u8::is_ascii_alphanumeric);
    match word {
        b"pred" | b"token" | b"opaque" => true,
        [b's' | b'u' | b'f' | b'c', rest @ ..] | [b'b', b'f', rest @ ..] => word.len() <= 16 && has_width(rest),
        _ => false,
    }
}

/// Finds the name of the module in a file of HLO text, and whether the text is complete. A part of a module has the name of its first
/// computation or instruction.
///
/// # Errors
/// [`HloError::NoComputation`] if the module has no name or no computation, [`HloError::Wire`] if the file cannot be
/// read.
pub fn outline(source: &dyn Source) -> Result<TextOutline, HloError> {
    let size = source.size();
    let head = piece(source, 0)?;
    let text = |name: &[u8]| std::str::from_utf8(name).unwrap_or_default().to_owned();
    let (name, is_bare) = match start(&head) {
        Some(Start::Module(rest)) => (name(rest).to_owned(), false),
        Some(Start::Computation(name)) => (text(name), false),
        Some(Start::Instruction(name)) => (text(name), true),
        None => (String::new(), false),
    };
    if name.is_empty() || !is_bare && !has_computation(source)? {
        return Err(HloError::NoComputation);
    }
    let tail = piece(source, size.saturating_sub(PIECE))?;
    Ok(TextOutline { name, module: Span { start: 0, end: size }, is_complete: is_bare || is_complete(&tail) })
}

/// Returns whether a name ends before a byte.
const fn is_name_end(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b'{' | b'}' | b'[' | b']' | b',' | b'=' | b'"')
}

fn name(rest: &[u8]) -> &str {
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b"%").unwrap_or(rest);
    let end = rest.iter().take(MAX_NAME).position(|b| is_name_end(*b)).unwrap_or(0);
    rest.get(..end).and_then(|name| std::str::from_utf8(name).ok()).unwrap_or_default()
}

/// Returns whether a computation begins anywhere in the text. A computation begins with a brace between two blanks,
/// while the brace of an attribute has a bracket or an equals sign beside it.
fn has_computation(source: &dyn Source) -> Result<bool, HloError> {
    let mut offset = 0;
    // Pieces overlap by two bytes, because the three bytes may lie on both sides of an edge.
    while offset < source.size() {
        let bytes = piece(source, offset)?;
        let opens = |three: &[u8]| matches!(three, [before, b'{', after] if before.is_ascii_whitespace() && after.is_ascii_whitespace());
        if bytes.windows(3).any(opens) {
            return Ok(true);
        }
        offset = offset.saturating_add(PIECE - 2);
    }
    Ok(false)
}

/// Returns whether the last line closes a computation. Blank lines and lines with a comment do not count.
fn is_complete(tail: &[u8]) -> bool {
    let lines = tail.split(|b| *b == b'\n').rev().map(<[u8]>::trim_ascii);
    let mut rest = lines.filter(|line| !line.is_empty() && !line.starts_with(b"//"));
    rest.next().is_some_and(|line| line.starts_with(b"}") || line.ends_with(b"}"))
}

fn piece(source: &dyn Source, offset: u64) -> Result<Vec<u8>, HloError> {
    let len = source.size().saturating_sub(offset).min(PIECE);
    let mut bytes = vec![0; usize::try_from(len).unwrap_or_default()];
    source.read_at(offset, &mut bytes).map_err(super::WireError::from)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline_of(text: &str) -> Result<TextOutline, HloError> {
        outline(&text.as_bytes().to_vec())
    }

    #[test]
    fn a_module_has_a_name_and_a_computation() {
        let text = "// a comment\n\n/* and\nanother */ HloModule jit_f.1, is_scheduled=true, input_output_alias={ {0}: (1, {}, may-alias) }\n\n\
                    ENTRY %main (x: f32[]) -> f32[] {\n  ROOT %x = f32[] parameter(0)\n}\n\n";
        let outline = outline_of(text).unwrap();
        assert_eq!(
            (outline.name.as_str(), outline.module.len(), outline.is_complete),
            ("jit_f.1", text.len() as u64, true)
        );
        let cut = outline_of(&text[..text.len() - 5]).unwrap();
        assert!(!cut.is_complete);
        let thread = format!("{text}}}, execution_thread=\"sparsecore\"\n// the end\n");
        assert!(outline_of(&thread).unwrap().is_complete);
        for none in [
            "HloModule jit_f, input_output_alias={ {0}: (1, {}, may-alias) }\n",
            "HloModule {\n}\n",
            "HloModule \n",
            "HloModul",
        ] {
            assert_eq!(outline_of(none), Err(HloError::NoComputation), "{none}");
        }
    }

    #[test]
    fn parts_of_a_module_open_without_its_header() {
        let body = "{\n  ROOT %x = f32[] parameter(0)\n}\n";
        for (text, name) in [
            (format!("ENTRY %main.1 (x: f32[]) -> f32[] {body}"), "main.1"),
            (format!("/* pasted */\n%fused (p: (f32[], s32[])) -> f32[] {body}"), "fused"),
            (format!("region.0 {body}"), "region.0"),
            ("ROOT %add.1 = bf16[8]{0} add(bf16[8]{0} %a, bf16[8]{0} %b)".to_owned(), "add.1"),
            ("w = ((s32[], f8e4m3fn[2]), token[]) while(x), body=b\n".to_owned(), "w"),
        ] {
            assert_eq!(
                outline_of(&text).map(|outline| (outline.name, outline.is_complete)),
                Ok((name.to_owned(), true)),
                "{text}"
            );
        }
        for none in ["main {\n  x = 1\n}\n", "a = b[0](c)\n", "%0 = stablehlo.add %a\n", "x = f32[8]\n", "= f32[] a("] {
            assert!(!is_text(none.as_bytes()), "{none}");
        }
    }

    #[test]
    fn a_computation_may_open_at_the_edge_of_a_piece() {
        for edge in PIECE - 4..PIECE + 4 {
            let head = "HloModule m, k=\"";
            let text = format!("{head}{}\" {{\n}}\n", "x".repeat(edge as usize - head.len() - 2));
            assert!(outline_of(&text).is_ok(), "{edge}");
        }
    }
}
