//! This module extracts the name of an op from the name of its metadata, which is a whole HLO text on op lines of a
//! TPU.

/// Returns `copy-done.4` for `%copy-done.4 = f32[…] copy-done(…)`, and a text that is not HLO without a leading `%`.
pub(super) fn short_name(text: &str) -> &str {
    let name = text.strip_prefix('%').unwrap_or(text);
    name.split_once(" = ").map_or(name, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(short_name("%copy-done.4 = f32[5]{0} copy-done(%x)"), "copy-done.4");
        assert_eq!(short_name("MemoryAllocation"), "MemoryAllocation");
    }
}
