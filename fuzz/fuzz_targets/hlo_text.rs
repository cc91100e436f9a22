//! This target parses any text as HLO. The target checks that parsing ends, and that text without a leftover prints as
//! text that parses to the same result.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rooflight::analysis::memory::ProgramMemory;
use xla_profile::hlo::text;

fuzz_target!(|source: &str| {
    if let Some(parsed) = text::instruction(source) {
        let printed = parsed.instruction.display(parsed.style).to_string();
        if parsed.damage.leftover == 0 {
            let again = text::instruction(&printed).expect("what was printed is an instruction");
            assert_eq!(again.instruction, parsed.instruction);
        }
    }
    if let Some((module, style)) = text::module(source) {
        let printed = module.display(style).to_string();
        if module.damage.leftover == 0 {
            let (again, _) = text::module(&printed).expect("what was printed is a module");
            assert_eq!(again.display(style).to_string(), printed);
        }
        for (id, _) in module.instructions() {
            module.wrapped(id);
            module.stack(id);
            module.users(id);
        }
        if let Some(memory) = ProgramMemory::from_schedule(&module) {
            assert!(memory.peaks().iter().all(|space| space.peak >= space.indefinite));
        }
    }
    text::replica_groups(source).map(|groups| (groups.groups(), groups.stride()));
    text::shape(source).map(|shape| (shape.bytes(), shape.padded_bytes()));
});
