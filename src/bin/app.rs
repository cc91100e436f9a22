//! This program is the page: it mounts the view of the library. Native builds of this program do nothing.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        console_error_panic_hook::set_once();
        rooflight::view::mount();
    }
}
