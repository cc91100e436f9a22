//! Properties that follow from an opcode alone. Opcodes stay text: new ones appear with each compiler.

use super::Instruction;

const COLLECTIVES: [&str; 7] = [
    "all-gather",
    "all-reduce",
    "all-to-all",
    "collective-broadcast",
    "collective-permute",
    "ragged-all-to-all",
    "reduce-scatter",
];

/// The opcode without `-start`, `-update` or `-done`: `copy-done` is `copy`; a plain `async-start` is `async`.
pub fn base(opcode: &str) -> &str {
    // `dynamic-update-slice` ends in neither.
    ["-start", "-done", "-update"].iter().find_map(|s| opcode.strip_suffix(s)).unwrap_or(opcode)
}

/// Whether it starts something that another instruction ends.
pub fn is_start(opcode: &str) -> bool {
    opcode.ends_with("-start")
}

/// Whether it waits for the end of something that another instruction started.
pub fn is_done(opcode: &str) -> bool {
    opcode.ends_with("-done")
}

/// Whether it is a collective, synchronous or a half of an asynchronous one.
pub fn is_collective(opcode: &str) -> bool {
    COLLECTIVES.contains(&base(opcode))
}

impl Instruction {
    /// Whether it is an `async-start`, `-update` or `-done`: what runs is in the computation that the start calls
    /// (see [`Module::wrapped`](super::Module::wrapped)).
    pub fn is_async(&self) -> bool {
        matches!(&*self.opcode, "async-start" | "async-update" | "async-done")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        assert_eq!(base("copy-done"), "copy");
        assert_eq!(base("async-update"), "async");
        assert_eq!(base("dynamic-update-slice"), "dynamic-update-slice");
        assert!(is_start("all-gather-start") && is_done("all-gather-done") && !is_start("fusion"));
        assert!(
            is_collective("all-reduce") && is_collective("collective-permute-start") && !is_collective("copy-start")
        );
    }
}
