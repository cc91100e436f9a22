//! The page and its worker: one program, compiled once and started twice. In a window it mounts the view, in a worker it
//! serves it. Everything is in the library; native builds have no page.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        console_error_panic_hook::set_once();
        if web_sys::window().is_some() {
            rooflight::view::mount();
        } else {
            rooflight::engine::server::serve();
        }
    }
}
