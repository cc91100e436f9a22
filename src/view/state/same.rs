//! A shared value that is equal only to itself: signals over it need no deep comparison. Knows nothing else.

use std::ops::Deref;
use std::sync::Arc;

/// A shared value, compared by identity.
#[derive(Debug)]
pub(crate) struct Same<T>(Arc<T>);

impl<T> Same<T> {
    /// Shares `value`.
    pub(crate) fn new(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Clone for Same<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> PartialEq for Same<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Same<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}
