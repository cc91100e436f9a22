//! This module implements [`Source`] for bytes in memory, such as unpacked files and the data of tests.

use super::{Source, SourceError, checked_end};

impl<T: AsRef<[u8]> + Sync> Source for T {
    fn size(&self) -> u64 {
        self.as_ref().len() as u64
    }

    fn shared(&self) -> Option<&(dyn Source + Sync)> {
        Some(self)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        let bytes = self.as_ref();
        let end = checked_end(offset, buf.len(), bytes.len() as u64)?;
        let range = usize::try_from(offset).ok().zip(usize::try_from(end).ok());
        match range.and_then(|(start, end)| bytes.get(start..end)) {
            Some(part) => buf.copy_from_slice(part),
            None => return Err(SourceError::PastEnd { offset, end, len: bytes.len() as u64 }),
        }
        Ok(())
    }
}
