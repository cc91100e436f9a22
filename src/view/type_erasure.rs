//! Views, what changes in them and what watches them, each as one type.
//!
//! Leptos compiles its renderer and its reactive graph once more for each type of view and each closure it is given:
//! 27 kB (gzip) of the page were that. So whatever reaches it from here has one of few types:
//!
//! - a view is an [`AnyView`]: each `view! { … }` ends in [`.any()`](EraseType::any), also within a list or an `Option`;
//! - what changes is [`live`]: a closure with a name that stands in a view (one written there, `{move || …}`, becomes so by
//!   itself);
//! - what is there at times is an [`If`], what runs when something changes an [`effect`].

use leptos::prelude::*;
use leptos::tachys::reactive_graph::SharedReactiveFunction;
use std::sync::{Arc, Mutex};

/// A view as one type.
pub(crate) trait EraseType {
    /// The view, without what `view!` puts around it: that would be a type more for each element.
    fn any(self) -> AnyView;
}

impl<T: RenderHtml + Send + 'static> EraseType for View<T> {
    fn any(self) -> AnyView {
        self.into_inner().into_any()
    }
}

/// A part of a view that is made again whenever what it reads changes.
pub(crate) fn live<V: RenderHtml + Send + 'static>(
    mut part: impl FnMut() -> V + Send + 'static,
) -> SharedReactiveFunction<AnyView> {
    Arc::new(Mutex::new(move || part().into_any()))
}

/// Its children, while `when` holds.
#[component]
pub(crate) fn If(#[prop(into)] when: Signal<bool>, children: ChildrenFn) -> impl IntoView {
    let holds = Memo::new(move |_| when.get());
    live(move || holds.get().then(|| children()))
}

/// Runs at first, and whenever what it reads changes.
pub(crate) fn effect(mut run: impl FnMut() + 'static) {
    let run: Box<dyn FnMut(Option<()>)> = Box::new(move |_| run());
    Effect::new(run);
}
