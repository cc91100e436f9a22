//! This target decodes any bytes as an HLO proto. The target checks that decoding ends, and that a decoded module can
//! be walked, measured and printed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use xla_profile::hlo::{Module, text};

fuzz_target!(|bytes: &[u8]| {
    let Ok(program) = xla_profile::wire::hlo::decode(bytes) else { return };
    let module = Module::from_proto(&program);
    for (id, instruction) in module.instructions() {
        instruction.shape.padded_bytes();
        instruction.replica_groups().map(|groups| (groups.groups(), groups.stride()));
        module.wrapped(id);
        module.stack(id);
    }
    text::module(&module.to_string());
});
