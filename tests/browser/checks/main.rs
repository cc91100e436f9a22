//! This program holds the checks that need a browser. `checks.test.mjs` loads it into a worker and calls each of them.
//! Native builds of this program do nothing.

#[cfg(target_arch = "wasm32")]
mod checks;

fn main() {
    #[cfg(target_arch = "wasm32")]
    console_error_panic_hook::set_once();
}
