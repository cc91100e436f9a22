//! This module defines a shared value that is equal only to itself, so that signals need no deep comparison.

use std::any::Any;
use std::ops::Deref;
use std::sync::Arc;

/// A shared value that is compared by its address.
#[derive(Debug)]
pub(crate) struct PtrEq<T: ?Sized>(Arc<T>);

impl<T> PtrEq<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T: Send + Sync + 'static> PtrEq<T> {
    /// Returns the value without its type.
    pub(crate) fn erase(self) -> PtrEq<dyn Any + Send + Sync> {
        PtrEq(self.0)
    }

    /// Returns a value with its type; `None` if the value has another type.
    pub(crate) fn downcast(erased: PtrEq<dyn Any + Send + Sync>) -> Option<Self> {
        erased.0.downcast().ok().map(Self)
    }
}

impl<T: ?Sized> Clone for PtrEq<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> PartialEq for PtrEq<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: ?Sized> Deref for PtrEq<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}
