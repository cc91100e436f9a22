//! This module derives properties from an opcode alone. Opcodes are texts, because new ones appear with each compiler.

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

/// Returns the opcode without `-start`, `-update` or `-done`: `copy` for `copy-done`, `async` for `async-start`.
pub fn base(opcode: &str) -> &str {
    // `dynamic-update-slice` has none of these endings.
    ["-start", "-done", "-update"].iter().find_map(|s| opcode.strip_suffix(s)).unwrap_or(opcode)
}

/// Returns whether the opcode is an async start (`…-start`).
pub fn is_start(opcode: &str) -> bool {
    opcode.ends_with("-start")
}

/// Returns whether the opcode is an async done (`…-done`), which waits until the operation of the start has ended.
pub fn is_done(opcode: &str) -> bool {
    opcode.ends_with("-done")
}

/// Returns whether the opcode is a synchronous collective, or the start or the done of an asynchronous one.
pub fn is_collective(opcode: &str) -> bool {
    COLLECTIVES.contains(&base(opcode))
}

impl Instruction {
    /// Returns whether the instruction is an `async-start`, `async-update` or `async-done`. The operation itself is in
    /// the computation that the start calls (see [`Module::wrapped`](super::Module::wrapped)).
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
