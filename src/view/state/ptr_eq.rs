//! A shared value that is equal only to itself: signals over it need no deep comparison. This module knows nothing else.

use std::ops::Deref;
use std::sync::Arc;

/// A shared value, compared by identity.
#[derive(Debug)]
pub(crate) struct PtrEq<T>(Arc<T>);

impl<T> PtrEq<T> {
    /// Shares `value`.
    pub(crate) fn new(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Clone for PtrEq<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> PartialEq for PtrEq<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for PtrEq<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}
