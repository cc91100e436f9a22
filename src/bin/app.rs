//! The page: mounts the view. Everything is in the library; native builds have no page.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        console_error_panic_hook::set_once();
        rooflight::view::mount();
    }
}
