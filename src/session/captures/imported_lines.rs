//! This module reads a file line by line, without holding more than a line of it in memory.

use xla_profile::source::{Source, SourceError};

/// Number of bytes that are read at once.
const CHUNK: u64 = 1 << 20;
/// Largest length of a line in bytes. A row of a table has a few kB.
pub(super) const MAX_LINE: usize = 16 << 20;

/// Calls `take` with the number of each line, counted from 1, and its bytes without the line feed. The bytes are `None` if the line is
/// longer than [`MAX_LINE`]. If `take` returns `false`, nothing more is read.
///
/// # Errors
/// Returns the error of the source. The lines before it have been taken.
pub(super) fn each_line(
    source: &dyn Source,
    take: &mut dyn FnMut(u64, Option<&[u8]>) -> bool,
) -> Result<(), SourceError> {
    let size = source.size();
    let mut chunk = vec![0; usize::try_from(size.min(CHUNK)).unwrap_or_default()];
    let (mut line, mut is_long, mut number, mut offset) = (Vec::new(), false, 1, 0);
    while offset < size {
        let n = usize::try_from((size - offset).min(CHUNK)).unwrap_or_default();
        let bytes = chunk.get_mut(..n).unwrap_or_default();
        source.read_at(offset, bytes)?;
        offset += n as u64;
        // All parts but the last one end with a line feed.
        for (part_number, part) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if part_number > 0 {
                if !take(number, (!is_long).then_some(&line)) {
                    return Ok(());
                }
                line.clear();
                (is_long, number) = (false, number + 1);
            }
            is_long |= line.len() + part.len() > MAX_LINE;
            if !is_long {
                line.extend_from_slice(part);
            }
        }
    }
    if is_long || !line.is_empty() {
        take(number, (!is_long).then_some(&line));
    }
    Ok(())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(bytes: &[u8]) -> Vec<(u64, Option<Vec<u8>>)> {
        let mut lines = Vec::new();
        let take = &mut |number, line: Option<&[u8]>| {
            lines.push((number, line.map(<[u8]>::to_vec)));
            lines.len() < 100
        };
        each_line(&bytes.to_vec(), take).unwrap();
        lines
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_standard_library(text in "[ab\n]{0,60}") {
            let expected: Vec<(u64, Option<Vec<u8>>)> = text
                .strip_suffix('\n')
                .map_or_else(|| text.split('\n').collect::<Vec<_>>(), |text| text.split('\n').collect())
                .into_iter()
                .zip(1..)
                .map(|(line, number)| (number, Some(line.as_bytes().to_vec())))
                .collect();
            let expected = if text.is_empty() { Vec::new() } else { expected };
            prop_assert_eq!(lines(text.as_bytes()), expected);
        }
    }

    #[test]
    fn nothing_is_read_after_the_last_line_that_is_needed() {
        assert_eq!(lines(&b"a\n".repeat(1_000)).len(), 100);
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out_and_the_next_one_is_read() {
        let text = [b"a\n".to_vec(), vec![b'x'; MAX_LINE + 1], b"\nb".to_vec()].concat();
        assert_eq!(lines(&text), [(1, Some(b"a".to_vec())), (2, None), (3, Some(b"b".to_vec()))]);
    }
}
