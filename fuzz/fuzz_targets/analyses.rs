//! Any bytes as the choices that make a capture, and as a capture themselves: everything can be asked of what opens, parts sum to
//! wholes, and a report says at every level as much time as the capture. What is checked is in `tests/native/common/checked.rs`, which
//! `cargo test` runs on some hundred captures of chance.
#![no_main]

#[path = "../../tests/native/common/checked.rs"]
mod checked;
#[path = "../../tests/native/common/generated.rs"]
mod generated;
#[allow(dead_code)]
#[path = "../../tests/native/common/make.rs"]
mod make;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Seeds are captures, and start as all of them do; what is made of choices starts with a byte that none starts with.
    match bytes.split_first() {
        Some((0xff, choices)) => checked::check(&[("it.xplane.pb", &generated::capture(choices))]),
        _ => checked::check(&[("it.xplane.pb", bytes)]),
    };
});
