//! This module defines the reasons why a kernel's body, or one value of it, cannot be read.

use thiserror::Error;

/// A value of a kernel's body, or the reason why it is unknown.
pub type Read<T> = Result<T, Unread>;

/// The newest version of MLIR bytecode that can be read. JAX writes version 0.
pub const NEWEST_VERSION: u64 = 6;
/// The deepest nesting of regions that is read. Kernels of Pallas have about ten levels.
pub const MAX_DEPTH: usize = 128;
/// The largest number of dimensions of a shape or of a grid that is read.
pub const MAX_RANK: u64 = 16;
/// The largest number of attributes of an operation that are read.
pub const MAX_ATTRIBUTES: u64 = 64;
/// The largest number of operands with a window that are read.
pub const MAX_WINDOWS: u64 = 1024;
/// The largest number of arguments, of loops, of arrays, of matrix products and of scopes that are listed.
pub const MAX_LISTED: usize = 1 << 16;
/// The longest text of an attribute in assembly, in bytes, that is read.
pub const MAX_ASSEMBLY: usize = 256;
/// The longest name, in bytes, that is copied out of a body. Longer names are cut.
pub const MAX_NAME: usize = 128;
/// The longest unknown word, in bytes, that is copied out of a body. Longer words are cut.
const MAX_WORD: usize = 32;

/// Why a kernel's body, or one value of it, is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Error)]
pub enum Unread {
    /// The backend_config is not JSON, or is nested too deeply.
    #[error("the backend_config of the custom call is not JSON")]
    NotJson,
    /// The backend_config has no `custom_call_config.body`.
    #[error("the backend_config of the custom call contains no body of a Mosaic kernel")]
    NoBody,
    /// `custom_call_config.body` is not base64.
    #[error("the body in the backend_config is not base64")]
    NotBase64,
    /// The bytes do not start with the magic number of MLIR bytecode.
    #[error("the body is not MLIR bytecode")]
    NotBytecode,
    /// The format is newer than this reader.
    #[error("the body is MLIR bytecode of version {version}; versions up to {NEWEST_VERSION} can be read")]
    Version {
        /// The version in the file.
        version: u64,
    },
    /// The bytes end inside a value.
    #[error("the body ends at byte {offset}, inside a value")]
    Ends {
        /// Offset of the value, in bytes of the body.
        offset: u64,
    },
    /// A count or a length is larger than the bytes that are left allow.
    #[error("byte {offset} of the body declares {declared} bytes or elements where {left} bytes are left")]
    Length {
        /// Offset behind the count, in bytes of the body.
        offset: u64,
        /// The count in the file.
        declared: u64,
        /// Number of bytes up to the end of the section.
        left: u64,
    },
    /// A byte has a value that the format does not allow, such as an unknown section.
    #[error("byte {offset} of the body has a value that MLIR bytecode does not allow")]
    Invalid {
        /// Offset of the value, in bytes of the body.
        offset: u64,
    },
    /// A required section is absent.
    #[error("the body has no section of its {section}")]
    Section {
        /// The contents of the section.
        section: &'static str,
    },
    /// A number refers to no entry of a table.
    #[error("the body refers to entry {index} of its {table}, which has {count}")]
    Index {
        /// The contents of the table.
        table: &'static str,
        /// The number in the file.
        index: u64,
        /// Number of entries of the table.
        count: u64,
    },
    /// The regions of operations are nested too deeply.
    #[error("the operations of the body are nested more than {MAX_DEPTH} levels deep")]
    TooDeep,
    /// A list or a text is longer than that of a kernel.
    #[error("the body has a list of {count} entries where at most {limit} are read")]
    TooMany {
        /// The number of entries in the file.
        count: u64,
        /// The largest number that is read.
        limit: u64,
    },
    /// The body has no `func.func`.
    #[error("the body contains no function")]
    NoFunction,
    /// The attribute or the operand is absent.
    #[error("the body does not contain this value")]
    Absent,
    /// The attribute or the type is stored in a form that this reader does not decode.
    #[error("the value is stored in a form that is not decoded")]
    Encoding,
    /// The word is none of those that are known for this value. Long words are cut.
    #[error("the body has the unknown word “{word}” here")]
    Word {
        /// The word in the file.
        word: String,
    },
    /// The value is computed while the kernel runs.
    #[error("the value is computed while the kernel runs")]
    NotConstant,
    /// A dimension is not known before the kernel runs.
    #[error("a dimension is known only while the kernel runs")]
    Dynamic,
    /// The step of a loop is not positive.
    #[error("the step of the loop is not positive")]
    Step,
    /// The shapes of the operands of a matrix product do not belong together.
    #[error("the shapes of the operands do not belong together")]
    Shapes,
    /// The value has more than 64 bits.
    #[error("the number is larger than 64 bits")]
    Overflow,
}

impl Unread {
    /// Returns the reason for an unknown word, which is cut if it is long.
    pub(super) fn word(word: &str) -> Self {
        Self::Word { word: cut(word, MAX_WORD).to_owned() }
    }
}

/// Returns the first bytes of a text, at most `limit` and only whole characters.
pub(super) fn cut(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}
