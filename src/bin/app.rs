//! The page and its worker: one program, compiled once and started twice. In a window it mounts the view, in a worker it
//! serves it. Everything is in the library; native builds have no page.
//!
//! Here it is cut into parts: what only a function marked `wasm_split` names is no part of the program that is fetched
//! first, but of a file that is fetched when that function is first called.

#![cfg_attr(
    target_arch = "wasm32",
    allow(unsafe_code, reason = "a cut is an import and an export; the library has none")
)]

#[cfg(target_arch = "wasm32")]
mod parts {
    use leptos::wasm_split::{SplitLoaderError, wasm_split};
    use rooflight::engine::Fetch;
    use rooflight::engine::server::Further;
    use rooflight::view::{self, Act, Draw, Parts};

    type Fetched<T> = Result<T, SplitLoaderError>;

    #[wasm_split(op, fallible, wasm_split_path = leptos::wasm_split)]
    fn op() -> Fetched<Draw> {
        Ok(view::op())
    }

    #[wasm_split(roofline, fallible, wasm_split_path = leptos::wasm_split)]
    fn roofline() -> Fetched<Draw> {
        Ok(view::roofline())
    }

    #[wasm_split(memory, fallible, wasm_split_path = leptos::wasm_split)]
    fn memory() -> Fetched<Draw> {
        Ok(view::memory())
    }

    #[wasm_split(comm, fallible, wasm_split_path = leptos::wasm_split)]
    fn comm() -> Fetched<Draw> {
        Ok(view::comm())
    }

    #[wasm_split(file, fallible, wasm_split_path = leptos::wasm_split)]
    fn file() -> Fetched<Draw> {
        Ok(view::file())
    }

    #[wasm_split(audit, fallible, wasm_split_path = leptos::wasm_split)]
    fn audit() -> Fetched<Draw> {
        Ok(view::audit())
    }

    #[wasm_split(ways, fallible, wasm_split_path = leptos::wasm_split)]
    fn ways() -> Fetched<Draw> {
        Ok(view::ways())
    }

    #[wasm_split(ways, fallible, wasm_split_path = leptos::wasm_split)]
    fn choice() -> Fetched<Draw> {
        Ok(view::choice())
    }

    #[wasm_split(ways, fallible, wasm_split_path = leptos::wasm_split)]
    fn keep() -> Fetched<Act> {
        Ok(view::keep())
    }

    #[wasm_split(share, fallible, wasm_split_path = leptos::wasm_split)]
    fn share() -> Fetched<Draw> {
        Ok(view::share())
    }

    #[wasm_split(further, fallible, wasm_split_path = leptos::wasm_split)]
    fn further() -> Fetched<Further> {
        Ok(Further::get())
    }

    pub const PAGE: Parts = Parts {
        op: || Box::pin(async { op().await.ok() }),
        roofline: || Box::pin(async { roofline().await.ok() }),
        memory: || Box::pin(async { memory().await.ok() }),
        comm: || Box::pin(async { comm().await.ok() }),
        file: || Box::pin(async { file().await.ok() }),
        audit: || Box::pin(async { audit().await.ok() }),
        ways: || Box::pin(async { ways().await.ok() }),
        choice: || Box::pin(async { choice().await.ok() }),
        share: || Box::pin(async { share().await.ok() }),
        keep: || Box::pin(async { keep().await.ok() }),
    };
    pub const WORKER: Fetch<Further> = || Box::pin(async { further().await.ok() });
}

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        console_error_panic_hook::set_once();
        if web_sys::window().is_some() {
            rooflight::view::mount(parts::PAGE);
        } else {
            rooflight::engine::server::serve(parts::WORKER);
        }
    }
}
