//! This target decodes any bytes as an HLO proto. The target checks that every request about the memory of a program
//! with buffers is answered, and that the live buffers sum to the peak of the curve.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rooflight::analysis::memory::{BufferId, MemoryQuery, Points, ProgramMemory, ProgramPeaks};
use xla_profile::hlo::Module;

fuzz_target!(|bytes: &[u8]| {
    let Ok(program) = xla_profile::wire::hlo::decode(bytes) else { return };
    let Some(assignment) = &program.buffer_assignment else { return };
    let module = Module::from_proto(&program);
    let memory = ProgramMemory::new(assignment, &module);
    for peak in memory.peaks() {
        let query = MemoryQuery { color: peak.color, ..MemoryQuery::default() };
        let Some(space) = memory.summarize(&module, ProgramPeaks::default(), &query).space else {
            panic!("a memory with a peak has a summary")
        };
        let alive = &space.alive;
        assert_eq!(alive.buffers.iter().fold(alive.rest, |sum, buffer| sum.saturating_add(buffer.size)), peak.peak);
        assert!(memory.timeline(peak.color).is_some_and(|points| points.iter().all(|bytes| *bytes <= peak.peak)));
        let ids: Vec<BufferId> = alive.buffers.iter().map(|buffer| buffer.id).collect();
        assert!(
            memory
                .peak_without(&module, &query, &ids, Points { from: 0, to: u32::MAX })
                .is_some_and(|what| what.peak <= peak.peak)
        );
        memory.alive_at(&module, &query, peak.n_events / 2);
        memory.curve(&module, &query, Points { from: 1, to: peak.n_events / 2 });
        memory.lanes(&module, &query, Points { from: 0, to: u32::MAX });
    }
});
