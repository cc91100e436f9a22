//! This module gives views, the parts that change in them, and effects few types.
//!
//! Leptos compiles its renderer and its reactive graph once more for each type of view and for each closure that it
//! gets, which took 27 kB (gzip) of the page. The views of this crate therefore use few types:
//!
//! - A view is an [`AnyView`]: each `view! { … }` ends in [`.any()`](EraseType::any), also within a list or an
//!   `Option`.
//! - A part that changes is [`live`] if it is a closure with a name. A closure that is written in a view (`{move ||
//!   …}`) needs no call.
//! - A part that exists only at times is an [`If`], and code that runs after a change is an [`effect`].

use leptos::prelude::*;
use leptos::tachys::reactive_graph::SharedReactiveFunction;
use std::sync::{Arc, Mutex};

/// The conversion of a view to one type.
pub(crate) trait EraseType {
    /// Returns the view without the wrapper of `view!`, which would be one more type for each element.
    fn any(self) -> AnyView;
}

impl<T: RenderHtml + Send + 'static> EraseType for View<T> {
    fn any(self) -> AnyView {
        self.into_inner().into_any()
    }
}

/// Returns a part of a view that is rendered again whenever a signal that it reads changes.
pub(crate) fn live<V: RenderHtml + Send + 'static>(
    mut part: impl FnMut() -> V + Send + 'static,
) -> SharedReactiveFunction<AnyView> {
    Arc::new(Mutex::new(move || part().into_any()))
}

/// Renders its children while `when` is true.
#[component]
pub(crate) fn If(#[prop(into)] when: Signal<bool>, children: ChildrenFn) -> impl IntoView {
    let holds = Memo::new(move |_| when.get());
    live(move || holds.get().then(|| children()))
}

/// Runs `run` once, and again whenever a signal that it reads changes.
pub(crate) fn effect(mut run: impl FnMut() + 'static) {
    let run: Box<dyn FnMut(Option<()>)> = Box::new(move |_| run());
    Effect::new(run);
}
