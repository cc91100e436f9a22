//! This target takes any bytes as the choices that make a capture, or as a capture itself. The target checks that every
//! request to an opened capture is answered, that parts sum to wholes, and that a report at every level gives the same
//! time as the capture. The checks are in `tests/native/common/checked.rs`, which `cargo test` runs on some hundred
//! random captures.
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
    // The seeds are captures. No capture starts with the byte 0xff, so this byte marks choices.
    match bytes.split_first() {
        Some((0xff, choices)) => checked::check(&[("it.xplane.pb", &generated::capture(choices))]),
        _ => checked::check(&[("it.xplane.pb", bytes)]),
    };
});
