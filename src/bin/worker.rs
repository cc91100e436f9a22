//! This program is the worker of the page: it reads files, computes, and answers the requests of the page. All code is
//! in the library. Native builds of this program do nothing.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        console_error_panic_hook::set_once();
        rooflight::worker::server::serve();
    }
}
