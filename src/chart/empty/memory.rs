//! This module explains a memory view without buffers of programs, or without allocator events.

use super::{Empty, Need, in_file, is_programs_alone, is_trace_json};
use crate::protocol::{MemorySession, SessionInfo};
use crate::table::format;

/// Number of programs that the sentence names if there are more than two.
const NAMED: usize = 2;

/// Returns the reason why no program's memory can be shown. `None` if a program has buffers.
pub fn programs(session: &SessionInfo, memory: &MemorySession) -> Option<Empty> {
    if has_buffers(memory) {
        return None;
    }
    if session.summary.is_some() {
        return Some(not_in_report("buffers of programs"));
    }
    let names: Vec<&str> = memory.programs.programs.iter().map(|program| program.name.as_str()).collect();
    let programs_text = match names.as_slice() {
        [] => String::new(),
        [one] => format!(" for {one}"),
        [first, second] => format!(" for {first} and {second}"),
        [..] => {
            let rest = (names.len() - NAMED) as u64;
            format!(" for {}, {} and {}", names[0], names[1], format::counted(rest, "other program", "other programs"))
        }
    };
    let has_allocators = !memory.runtime.allocators.is_empty();
    let (title, rest) = if has_allocators {
        (
            "No static memory in this capture",
            "The capture has allocator events: “Allocator” shows the memory in use at run time.",
        )
    } else {
        ("No memory in this capture", "The capture has no allocator events either. Rooflight does not estimate memory.")
    };
    Some(Empty {
        title: title.to_owned(),
        why: format!(
            "The capture has no HLO with buffer assignment{programs_text}, so the peak and the buffers at it cannot be computed. {rest}"
        ),
        needs: needs(session, memory),
    })
}

/// Returns the reason why nothing can be shown for allocators. `None` if the session has allocator events.
pub fn allocator(session: &SessionInfo, memory: &MemorySession) -> Option<Empty> {
    if !memory.runtime.allocators.is_empty() {
        return None;
    }
    if session.summary.is_some() {
        return Some(not_in_report("allocator events"));
    }
    let why = if is_programs_alone(session) {
        "Only compiled programs are open. They show the memory that they need, not the memory in use at run time."
            .to_owned()
    } else {
        let rest = if has_buffers(memory) {
            "“Static” shows what its programs need."
        } else {
            "Nothing here is estimated."
        };
        format!("The capture has no allocator events, so the memory in use at run time is unknown. {rest}")
    };
    Some(Empty { title: "No allocator events in this capture".to_owned(), why, needs: needs(session, memory) })
}

/// Returns true if at least one program has a list of its buffers.
fn has_buffers(memory: &MemorySession) -> bool {
    memory.programs.programs.iter().any(|program| !program.spaces.is_empty())
}

fn not_in_report(what: &str) -> Empty {
    Empty {
        title: "Not in this summary".to_owned(),
        why: format!(
            "The summary holds no {what}: its capture had none, or they were left out. Open the capture to see them."
        ),
        needs: Vec::new(),
    }
}

fn needs(session: &SessionInfo, memory: &MemorySession) -> Vec<Need> {
    const XSPACE: &str = "Trace JSON does not have it. Open the .xplane.pb of the same folder.";
    let has_allocators = !memory.runtime.allocators.is_empty();
    let framework = session.framework;
    let from = |recorded: &'static str| if is_trace_json(session) { XSPACE } else { recorded };
    let allocator = if is_programs_alone(session) { framework.record() } else { from(framework.allocator_events()) };
    let capacity = memory.checks.iter().find_map(|check| check.capacity.as_ref());
    vec![
        Need::new("Static: HLO with buffer assignment", in_file(has_buffers(memory)), from(framework.hlo())),
        Need::new("Allocator: events over time", in_file(has_allocators), allocator),
        Need::new(
            "Capacity of the device",
            capacity.map(|capacity| format::bytes_text(capacity.size)),
            "The allocator reports it. Without an allocator it comes from the table of chips, if the capture names its chip.",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::base::Framework;
    use crate::analysis::memory::{AllocatorMemory, ProgramPeaks, SpacePeak};
    use crate::chart::empty::tests::{session, text};

    fn named(name: &str, spaces: usize) -> ProgramPeaks {
        let spaces = vec![SpacePeak::default(); spaces];
        ProgramPeaks { name: name.to_owned(), spaces, ..ProgramPeaks::default() }
    }

    fn memory_session(programs: Vec<ProgramPeaks>, has_allocator: bool) -> MemorySession {
        let mut memory = MemorySession::default();
        memory.programs.programs = programs;
        memory
            .runtime
            .allocators
            .extend(has_allocator.then(|| AllocatorMemory { label: "GPU:0".to_owned(), ..AllocatorMemory::default() }));
        memory
    }

    #[test]
    fn available_and_missing_parts_are_listed() {
        let gpu = session(&["/device:GPU:0"], "XSpace", Framework::TensorFlow);
        let empty = programs(&gpu, &memory_session(Vec::new(), true)).unwrap();
        assert_eq!(empty.title, "No static memory in this capture");
        let found: Vec<_> = empty.needs.iter().map(|need| need.found.as_deref()).collect();
        assert_eq!(found, [None, Some("in file"), None]);
        assert!(!text(&empty).contains("jax") && text(&empty).contains("jit_compile"), "{}", text(&empty));
        assert_eq!(allocator(&gpu, &memory_session(Vec::new(), true)), None);
        let neither = programs(&gpu, &memory_session(vec![named("jit_f", 0)], false)).unwrap();
        assert!(neither.title == "No memory in this capture" && neither.why.contains("for jit_f,"), "{}", neither.why);
        let many = memory_session(vec![named("a", 0), named("b", 0), named("c", 0), named("d", 0)], false);
        assert!(programs(&gpu, &many).unwrap().why.contains("for a, b and 2 other programs,"));
    }

    #[test]
    fn trace_json_never_has_it() {
        let trace = session(&["/device:TPU:0"], "trace JSON, gzip", Framework::Jax);
        let empty = programs(&trace, &memory_session(Vec::new(), false)).unwrap();
        assert!(empty.needs[..2].iter().all(|need| need.how.contains(".xplane.pb")), "{}", text(&empty));
    }

    #[test]
    fn a_program_alone_has_no_allocator() {
        let alone = session(&[], "HLO proto", Framework::Jax);
        let memory = memory_session(vec![named("jit_f", 1)], false);
        assert_eq!(programs(&alone, &memory), None);
        let empty = allocator(&alone, &memory).unwrap();
        assert!(empty.why.starts_with("Only compiled programs") && empty.needs[1].how.contains("jax.profiler.trace"));
        let capture = session(&["/device:TPU:0"], "XSpace", Framework::Jax);
        assert!(allocator(&capture, &memory).unwrap().why.contains("“Static” shows"));
    }
}
