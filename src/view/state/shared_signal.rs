//! This module defines signals and memos that hold a shared value or none, such as the answer to a request.
//!
//! All of them have one type inside. Leptos compiles its reactive graph again for each type of value, which took 10 kB
//! (gzip) of the page.

use super::ptr_eq::PtrEq;
use leptos::prelude::*;
use std::any::Any;
use std::marker::PhantomData;

type Inner = Option<PtrEq<dyn Any + Send + Sync>>;
type Compute = Box<dyn Fn(Option<&Inner>) -> Inner + Send + Sync>;

/// A signal with a shared value or none.
pub(crate) type SharedSignal<T> = Shared<RwSignal<Inner>, T>;

/// A memo with a shared value or none.
pub(crate) type SharedMemo<T> = Shared<Memo<Inner>, T>;

/// A signal or a memo `S` with a shared `T` or none.
pub(crate) struct Shared<S, T> {
    inner: S,
    value: PhantomData<fn() -> T>,
}

impl<S: Copy, T> Clone for Shared<S, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Copy, T> Copy for Shared<S, T> {}

impl<S: Copy + Get<Value = Inner> + GetUntracked<Value = Inner>, T: Send + Sync + 'static> Shared<S, T> {
    pub(crate) fn get(self) -> Option<PtrEq<T>> {
        self.inner.get().and_then(PtrEq::downcast)
    }

    pub(crate) fn get_untracked(self) -> Option<PtrEq<T>> {
        self.inner.get_untracked().and_then(PtrEq::downcast)
    }

    pub(crate) fn with<R>(self, read: impl FnOnce(&Option<PtrEq<T>>) -> R) -> R {
        read(&self.get())
    }

    pub(crate) fn with_untracked<R>(self, read: impl FnOnce(&Option<PtrEq<T>>) -> R) -> R {
        read(&self.get_untracked())
    }
}

impl<T: Send + Sync + 'static> SharedSignal<T> {
    /// Returns a signal without a value.
    pub(crate) fn none() -> Self {
        Self { inner: RwSignal::new(None), value: PhantomData }
    }

    pub(crate) fn set(self, value: Option<PtrEq<T>>) {
        self.inner.set(value.map(PtrEq::erase));
    }

    pub(crate) fn track(self) {
        self.inner.track();
    }
}

impl<T: Send + Sync + 'static> SharedMemo<T> {
    /// Returns a memo of the value of `compute`, which runs again whenever a signal that it reads changes.
    pub(crate) fn new(compute: impl Fn() -> Option<PtrEq<T>> + Send + Sync + 'static) -> Self {
        let compute: Compute = Box::new(move |_| compute().map(PtrEq::erase));
        Self { inner: Memo::new(compute), value: PhantomData }
    }
}
