//! This module computes digests of 64 bits. They are the same in every run of a program.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A digest that grows by values and by printed text.
#[derive(Default)]
pub struct Digest(DefaultHasher);

impl Digest {
    pub fn add(&mut self, value: impl Hash) {
        value.hash(&mut self.0);
    }

    /// Adds the printed form of a value.
    pub fn print(&mut self, value: impl fmt::Display) {
        // Writing into a digest cannot fail. The end of the text is marked, so that `ab`, `c` differs from `a`, `bc`.
        _ = fmt::Write::write_fmt(self, format_args!("{value}"));
        self.0.write_u8(0xff);
    }

    /// Returns the digest of all that was added.
    pub fn finish(&self) -> u64 {
        self.0.finish()
    }
}

impl fmt::Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

/// Returns the digest of a value.
pub fn digest(value: impl Hash) -> u64 {
    let mut digest = Digest::default();
    digest.add(value);
    digest.finish()
}
