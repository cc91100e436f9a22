//! This module detects the HLO text of a compiled program, as `--xla_dump_to` writes it, and finds the name of its
//! module. It does not parse the text; [`crate::hlo::text`] does.

use super::Span;
use super::hlo::HloError;
use crate::source::Source;

/// The name and the position of the module in a file of HLO text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextOutline {
    /// Name of the module.
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

/// Returns the bytes after the word `HloModule`, or `None` if the text does not start with that word. A byte order
/// mark, blank lines and comments may precede the word.
pub(super) fn after_word(head: &[u8]) -> Option<&[u8]> {
    let mut text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    loop {
        text = if text.starts_with(b"//") {
            text.get(position(text, b"\n")?..)?
        } else if text.starts_with(b"/*") {
            text.get(position(text, b"*/")?.saturating_add(2)..)?
        } else {
            break;
        };
        text = text.trim_ascii_start();
    }
    text.strip_prefix(WORD).filter(|rest| matches!(rest.first(), Some(b' ' | b'\t')))
}

/// Finds the name of the module in a file of HLO text, and whether the text is complete.
///
/// # Errors
/// [`HloError::NoComputation`] if the module has no name or no computation, [`HloError::Wire`] if the file cannot be
/// read.
pub fn outline(source: &dyn Source) -> Result<TextOutline, HloError> {
    let size = source.size();
    let head = piece(source, 0)?;
    let name = after_word(&head).map_or("", name);
    if name.is_empty() || !has_computation(source)? {
        return Err(HloError::NoComputation);
    }
    let tail = piece(source, size.saturating_sub(PIECE))?;
    Ok(TextOutline { name: name.to_owned(), module: Span { start: 0, end: size }, is_complete: is_complete(&tail) })
}

fn name(rest: &[u8]) -> &str {
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b"%").unwrap_or(rest);
    let is_end = |b: &u8| b.is_ascii_whitespace() || b"(){}[],=\"".contains(b);
    let end = rest.iter().take(MAX_NAME).position(is_end).unwrap_or(0);
    rest.get(..end).and_then(|name| std::str::from_utf8(name).ok()).unwrap_or_default()
}

/// Returns whether a computation begins anywhere in the text. A computation begins with a brace between two blanks,
/// while the brace of an attribute has a bracket or an equals sign beside it.
fn has_computation(source: &dyn Source) -> Result<bool, HloError> {
    let mut at = 0;
    // Pieces overlap by two bytes, because the three bytes may lie on both sides of an edge.
    while at < source.size() {
        let bytes = piece(source, at)?;
        let opens = |at: &[u8]| matches!(at, [before, b'{', after] if before.is_ascii_whitespace() && after.is_ascii_whitespace());
        if bytes.windows(3).any(opens) {
            return Ok(true);
        }
        at = at.saturating_add(PIECE - 2);
    }
    Ok(false)
}

/// Returns whether the last line closes a computation. Blank lines and lines with a comment do not count.
fn is_complete(tail: &[u8]) -> bool {
    let lines = tail.split(|b| *b == b'\n').rev().map(<[u8]>::trim_ascii);
    let mut rest = lines.filter(|line| !line.is_empty() && !line.starts_with(b"//"));
    rest.next().is_some_and(|line| line.starts_with(b"}") || line.ends_with(b"}"))
}

fn position(text: &[u8], of: &[u8]) -> Option<usize> {
    text.windows(of.len()).position(|at| at == of)
}

fn piece(source: &dyn Source, at: u64) -> Result<Vec<u8>, HloError> {
    let len = source.size().saturating_sub(at).min(PIECE);
    let mut bytes = vec![0; usize::try_from(len).unwrap_or_default()];
    source.read_at(at, &mut bytes).map_err(super::WireError::from)?;
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
    fn a_computation_may_open_at_the_edge_of_a_piece() {
        for at in PIECE - 4..PIECE + 4 {
            let head = "HloModule m, k=\"";
            let text = format!("{head}{}\" {{\n}}\n", "x".repeat(at as usize - head.len() - 2));
            assert!(outline_of(&text).is_ok(), "{at}");
        }
    }
}
