//! The name of an op in the name of its metadata, which on op lines is a whole HLO text. This module knows no more of HLO.

/// `copy-done.4` from `%copy-done.4 = f32[…] copy-done(…)`; any other text as it is.
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
