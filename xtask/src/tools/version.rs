//! This module parses and compares the versions that tools print. It starts no program.

/// Returns the version in the output of `tool --version`, which is the first word that starts with a digit.
///
/// Examples: `trunk 0.21.14`, `wasm-opt version 132 (version_132)`, `Chromium 131.0.6778.85 built on Debian`.
pub fn printed(output: &str) -> Option<&str> {
    output.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns whether `printed` equals `wanted`. Binaryen prints only its major number, so `132` equals `132.0.0`.
pub fn same(printed: &str, wanted: &str) -> bool {
    printed == wanted || wanted.strip_prefix(printed).is_some_and(|rest| rest == ".0.0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_number_in_every_tools_own_words() {
        assert_eq!(printed("trunk 0.21.14\n"), Some("0.21.14"));
        assert_eq!(printed("wasm-bindgen 0.2.126"), Some("0.2.126"));
        assert_eq!(printed("wasm-opt version 132 (version_132)"), Some("132"));
        assert_eq!(printed("command not found"), None);
    }

    #[test]
    fn a_major_number_alone_is_enough_only_for_a_round_version() {
        assert!(same("132", "132.0.0"));
        assert!(same("0.2.126", "0.2.126"));
        assert!(!same("13", "132.0.0"));
        assert!(!same("0.2", "0.2.126"));
        assert!(!same("0.2.12", "0.2.126"));
    }
}
