//! How far the reading of a file has come.

/// How far the building is.
#[derive(Clone, Copy, Debug)]
pub struct Reached<'a> {
    /// Byte of the file.
    pub at: u64,
    /// Planes complete.
    pub planes: usize,
    /// Events read.
    pub events: u64,
    /// The plane being read.
    pub plane: &'a str,
}
