//! This module renders the landing page, which is shown while no session is open: what Rooflight does, how to open a
//! capture, and why the last load failed.

mod needs;
mod picture;
mod web;

use crate::protocol::Failure;
use crate::view::shared::files::{choose_files, choose_folder};
use crate::view::state::{OpenAs, State, is_single, sample};
use crate::view::type_erasure::EraseType;
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;

/// Renders the landing page.
#[component]
pub(crate) fn Landing(state: State) -> impl IntoView {
    view! {
        <main class="landing">
            <div class="landing-left">
                <h1>"Open an XLA profile." <br /> "See where the time goes."</h1>
                <p class="lede">
                    "Every picosecond of a step, sorted by kind, category, op, source line and program. For JAX and XLA on
                    TPU, GPU and CPU. The file stays in this tab."
                </p>
                {move || state.failure.get().map(failed)}
                {needs::view(state)}
                <section class="dropzone" aria-labelledby="dropzone-title">
                    <h2 id="dropzone-title">"Drop a capture anywhere on this page"</h2>
                    <div class="acts">
                        <button type="button" class="btn solid" on:click=move |_| choose_files(state, OpenAs::Replace)>
                            {icon(Icon::File)} "Choose files"
                        </button>
                        <button type="button" class="btn line" on:click=move |_| choose_folder(state)>
                            {icon(Icon::Folder)} "Choose a folder"
                        </button>
                        {(!is_single()).then(|| the_sample(state))}
                    </div>
                    <p class="sub">
                        <code>".xplane.pb"</code> ", " <code>".trace.json"</code> ", " <code>".hlo_proto.pb"</code> ", their "
                        <code>".gz"</code> " or " <code>".xz"</code> ", or a " <code>".zip"</code> " of them. Files of one run are read together, as its hosts. Files of several runs open as a list."
                    </p>
                    {(!is_single()).then(about_sample)}
                </section>
                {(!is_single()).then(|| view! { <web::FromWeb state /> }.any())}
                <div class="facts">
                    {fact("Nothing is uploaded", "Decoded by Rust in WebAssembly. The page contacts no third party.")}
                    {fact("Nothing to install", "No server, no Python, no conversion to wait for.")}
                    {fact("Numbers add up", "Kinds sum to busy time; busy and idle time sum to the step, to the picosecond.")}
                </div>
            </div>
            <picture::Picture />
        </main>
    }.any()
}

/// Renders the button that opens the sample, which lies beside the page. A page that is one file has no sample.
fn the_sample(state: State) -> AnyView {
    view! {
        <button type="button" class="btn line" on:click=move |_| sample::open(state)>
            {icon(Icon::Now)} "Open the sample"
        </button>
    }
    .any()
}

fn about_sample() -> AnyView {
    view! {
        <p class="sub">
            "The sample: a training step on 8 × TPU v5p. The program and its buffers are XLA’s own, the times are simulated."
        </p>
    }
    .any()
}

fn fact(title: &'static str, text: &'static str) -> impl IntoView {
    view! { <div><h3>{title}</h3><p>{text}</p></div> }.any()
}

fn failed(failure: Failure) -> impl IntoView {
    view! {
        <section class="failed" role="alert">
            <span class="bad">{icon(Icon::Warn)}</span>
            <div><b>{failure.title}</b><p>{failure.message}</p></div>
        </section>
    }
    .any()
}
