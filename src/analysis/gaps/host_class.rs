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
    ("shard_args", GapClass::Input),
    ("iterator", GapClass::Input),
    ("dataloader", GapClass::Input),
    ("data_loader", GapClass::Input),
    ("transferfromdevice", GapClass::Sync),
    ("d2h dispatch", GapClass::Sync),
    ("np.asarray", GapClass::Sync),
    ("block_until_ready", GapClass::Sync),
    ("_callback", GapClass::Sync),
    ("checkpoint", GapClass::Sync),
    ("mapdmabuffer", GapClass::Input),
];

/// Returns the class of a host event with this name; `None` if the name says nothing about it.
pub(in crate::analysis) fn host_class(name: &str) -> Option<GapClass> {
    if is_compile(name) {
        return Some(GapClass::Recompile);
    }
    NAMES.iter().find(|(part, _)| contains(name, part)).map(|(_, class)| *class)
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
            ("flower", None),
        ] {
            assert_eq!(host_class(name), class, "{name}");
        }
    }
}
