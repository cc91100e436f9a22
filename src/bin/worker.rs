//! The worker of the page: reads files and computes, and answers the page's questions. Everything is in the library; native builds
//! have no worker.

#[cfg(all(target_arch = "wasm32", debug_assertions))]
#[path = "../../tests/browser/checks.rs"]
mod checks;

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        console_error_panic_hook::set_once();
        rooflight::worker::server::serve();
    }
}
