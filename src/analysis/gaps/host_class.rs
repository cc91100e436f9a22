//! This module recognises what a host event does by its name.

use super::report::GapClass;
use crate::analysis::base::periods::is_compile;
use crate::table::filter::contains;

/// Parts of names, with the class of an event whose name contains one. Compiles are recognised before these. Letters match in upper and lower case. Names are
/// those of JAX, PjRt and the TPU runtime; the first match counts.
const NAMES: &[(&str, GapClass)] = &[
    ("defragmentmemory", GapClass::Defrag),
    ("outfeed", GapClass::Sync),
    ("infeed", GapClass::Input),
    ("transfertodevice", GapClass::Input),
    ("h2d dispatch", GapClass::Input),
    ("device_put", GapClass::Input),
    ("deviceput", GapClass::Input),
    ("batchedcopytodevice", GapClass::Input),
    ("xlalinearize", GapClass::Input),
    ("shard_args", GapClass::Input),
    ("iterator", GapClass::Input),
    ("dataloader", GapClass::Input),
    ("data_loader", GapClass::Input),
    ("transferfromdevice", GapClass::Sync),
    ("d2h dispatch", GapClass::Sync),
    ("np.asarray", GapClass::Sync),
    ("block_until_ready", GapClass::Sync),
    ("blockuntilready", GapClass::Sync),
    ("awaitready", GapClass::Sync),
    ("toliteral", GapClass::Sync),
    ("xladelinearize", GapClass::Sync),
    ("_callback", GapClass::Sync),
    ("checkpoint", GapClass::Host),
    ("mapdmabuffer", GapClass::Input),
];

/// Returns the class of a host event with this name; `None` if the name says nothing about it.
pub(in crate::analysis) fn host_class(name: &str) -> Option<GapClass> {
    if is_compile(name) {
        return Some(GapClass::Recompile);
    }
    let of_part = NAMES.iter().find(|(part, _)| contains(name, part)).map(|(_, class)| *class);
    let of_part = of_part.or_else(|| is_next_batch(name).then_some(GapClass::Input));
    of_part.or_else(|| waits_for_request(name).then_some(GapClass::Requests))
}

/// Returns whether the runtime moves data to the device in an event.
pub(super) fn moves_to_device(name: &str) -> bool {
    contains(name, "transfertodevice")
}

/// Verbs with which a function waits for something.
const WAITS: [&str; 7] = ["next", "get", "wait", "receive", "recv", "poll", "accept"];

/// Returns whether a server waits for its next request in an event: a function or an annotation such as `next_request` or
/// `wait_for_requests`.
fn waits_for_request(name: &str) -> bool {
    let function = name.rsplit(' ').next().unwrap_or(name).to_ascii_lowercase();
    let is_about_request = ["request", "requests"].into_iter().any(|word| function.ends_with(word));
    is_about_request && function.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| WAITS.contains(&word))
}

/// Returns whether a thread waits in an event until another thread, a socket or a timer wakes it. In a program that serves a
/// model, it then waits for a request.
pub(super) fn sleeps(name: &str) -> bool {
    let Some((file, function)) = name.strip_prefix('$').and_then(|frame| frame.split_once(' ')) else { return false };
    let is_in = |names: &[&str]| names.iter().any(|name| file.starts_with(name));
    match function {
        "get" => is_in(&["queue.py"]),
        "select" | "poll" => is_in(&["selectors.py", "select", "<unknown>", "poll.py"]),
        "recv" | "recv_multipart" => is_in(&["socket.py", "zmq"]),
        "wait" => is_in(&["threading.py"]),
        _ => false,
    }
}

/// Words in the name of a file that reads data.
const DATA_FILES: [&str; 5] = ["data", "loader", "dataset", "prefetch", "iterator"];

/// Returns whether an event takes the next elements of a pipeline of data: a stage of Grain
/// (`PrefetchDatasetIterator.__next__`), or a frame of Python in a file that reads data (`$loader.py:12 next`).
fn is_next_batch(name: &str) -> bool {
    let Some((file, function)) = name.strip_prefix('$').and_then(|frame| frame.split_once(' ')) else {
        return name.ends_with(".__next__") || name.ends_with(".__getitem__");
    };
    matches!(function, "__next__" | "get_next" | "next") && DATA_FILES.iter().any(|word| contains(file, word))
}

/// Words in the name of an annotation that loads data.
const DATA: [&str; 10] = ["batch", "data", "load", "loader", "input", "inputs", "next", "read", "fetch", "tokenize"];

/// Returns whether a name is that of an annotation of the program, and not of the runtime or of a frame of Python.
pub(in crate::analysis) fn is_annotation(name: &str) -> bool {
    !name.starts_with('$') && !name.contains("::") && !name.contains('(')
}

/// Returns whether the name of an annotation says that it loads data, such as `next_batch`.
pub(super) fn loads_data(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    is_annotation(name) && words.any(|word| DATA.iter().any(|data| word.eq_ignore_ascii_case(data)))
}

/// Files and modules whose frames of Python say nothing about the program.
const LIBRARIES: [&str; 7] =
    ["$builtins ", "$threading.py", "$queue.py", "$contextlib.py", "$selectors.py", "$<", "/jax/"];

/// Returns whether an event is a frame of Python that says nothing about the program, such as `$<unknown> acquire`.
pub(super) fn is_of_library(name: &str) -> bool {
    name.starts_with('$') && LIBRARIES.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_real_captures() {
        for (name, class) in [
            ("backend_compile", Some(GapClass::Recompile)),
            ("TfrtTpuCompiler::Compile", Some(GapClass::Recompile)),
            ("LoadProgramCacheMiss", Some(GapClass::Recompile)),
            ("lower_sharding_computation", Some(GapClass::Recompile)),
            ("TfrtTpuClient::DefragmentMemory", Some(GapClass::Defrag)),
            ("tpu::System::TransferToDevice=>IssueEvent", Some(GapClass::Input)),
            ("H2D Dispatch", Some(GapClass::Input)),
            ("tpu::System::TransferFromDevice", Some(GapClass::Sync)),
            ("np.asarray(jax.Array)", Some(GapClass::Sync)),
            ("PjitFunction(f)", None),
            ("CompleteCallbacks", None),
            ("pure_callback", Some(GapClass::Sync)),
            ("PrefetchDatasetIterator.__next__", Some(GapClass::Input)),
            ("MapIterDataset.__next__", Some(GapClass::Input)),
            ("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", Some(GapClass::Input)),
            ("$my_dataset.py:30 __next__", Some(GapClass::Input)),
            ("$train.py:30 next", None),
            ("BatchedCopyToDeviceWithSharding", Some(GapClass::Input)),
            ("CommonPjRtBuffer::ToLiteral", Some(GapClass::Sync)),
            ("tsl::BlockUntilReady", Some(GapClass::Sync)),
            ("flower", None),
            ("$server.py:140 next_request", Some(GapClass::Requests)),
            ("wait_for_requests", Some(GapClass::Requests)),
            ("$engine.py:30 add_request", None),
            ("$engine.py:30 request_widget", None),
        ] {
            assert_eq!(host_class(name), class, "{name}");
        }
    }

    #[test]
    fn names_of_annotations_that_load_data() {
        for (name, wanted) in [
            ("next_batch", true),
            ("Load Data", true),
            ("get.next", true),
            ("execute_model", false),
            ("scheduler.update_from_output", false),
            ("LoadProgram", false),
            ("$loader.py:3 next", false),
            ("PjitFunction(next_batch)", false),
            ("tsl::BufferedInput::read", false),
        ] {
            assert_eq!(loads_data(name), wanted, "{name}");
        }
    }
}
