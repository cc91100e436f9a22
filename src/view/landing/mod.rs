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
                        {(!is_single()).then(|| samples(state))}
                    </div>
                    <p class="sub">
                        <code>".xplane.pb"</code> ", " <code>".trace.json"</code> ", " <code>".hlo_proto.pb"</code> ", their "
                        <code>".gz"</code> " or " <code>".xz"</code> ", or a " <code>".zip"</code> " of them. Files of one run are read together, as its hosts. Files of several runs open as a list."
                    </p>
                    {(!is_single()).then(about_samples)}
                </section>
                {(!is_single()).then(|| view! { <web::FromWeb state /> }.any())}
                {recipe()}
                <div class="facts">
                    {fact("Nothing is uploaded", "Turn off your network and try: the page still works. Its content security policy forbids \
                        requests to any host but its own, and one that you name.")}
                    {fact("Nothing to install", "No server, no Python, no conversion to wait for. Rust in WebAssembly reads the file.")}
                    {fact("Numbers add up", "Kinds sum to busy time; busy and idle time sum to the step, to the picosecond.")}
                </div>
                <p class="sub imprint">{imprint()}</p>
            </div>
            <picture::Picture />
        </main>
    }.any()
}

/// Renders the buttons that open the samples, which lie beside the page. A page that is one file has no samples.
fn samples(state: State) -> AnyView {
    view! {
        <button type="button" class="btn line" on:click=move |_| sample::open(state, sample::TPU)>
            {icon(Icon::Now)} "Open the sample"
        </button>
        <button type="button" class="btn line" on:click=move |_| sample::open(state, sample::GPU)>
            {icon(Icon::Now)} "Open an H100 capture"
        </button>
    }
    .into_any()
}

fn about_samples() -> AnyView {
    view! {
        <p class="sub">
            "The sample: a training step on 8 × TPU v5p. The program and its buffers are XLA’s own, the times are simulated."
        </p>
        <p class="sub">
            "The H100 capture: steps of training a small transformer on one H100, as the profiler of JAX recorded them."
        </p>
    }
    .into_any()
}

/// Renders how to record a capture.
fn recipe() -> AnyView {
    view! {
        <section class="recipe" aria-labelledby="recipe-title">
            <h2 id="recipe-title">"No capture yet?"</h2>
            <pre><code>{RECIPE}</code></pre>
            <p class="sub">"Then choose the folder “profile”. With PyTorch/XLA, record with " <code>"torch_xla.debug.profiler"</code> "."</p>
        </section>
    }
    .any()
}

/// The lines of Python that record a few steps.
const RECIPE: &str = "\
with jax.profiler.trace(\"profile\"):
    for batch in batches[:5]:
        state = train_step(state, batch)
    jax.block_until_ready(state)";

/// Renders the version, the licence, and where the source is, if the manifest of the package names its repository.
fn imprint() -> AnyView {
    let repository = env!("CARGO_PKG_REPOSITORY");
    let source = (!repository.is_empty())
        .then(|| view! { " · " <a href=repository target="_blank" rel="noopener">"Source code"</a> }.into_any());
    let licence = env!("CARGO_PKG_LICENSE").replace(" OR ", " or ");
    view! {
        {format!("Rooflight {} · open source, {licence}", env!("CARGO_PKG_VERSION"))} {source} {format!(" · build {}", crate::BUILD)}
    }
    .into_any()
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
