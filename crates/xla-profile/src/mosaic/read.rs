//! This module reads the body of a kernel as a whole.

use super::body::KernelBody;
use super::collect::Collector;
use super::op_attributes::lossy;
use super::tables::Tables;
use super::unread::{Read, Unread};
use super::walk::walk;
use std::collections::BTreeMap;

/// Reads the body of a kernel, which is MLIR bytecode.
///
/// # Errors
/// Returns an error if the bytes are not bytecode, if their structure is damaged, or if they contain no function. A
/// value that cannot be read is an error of its own in the result.
pub fn read(bytes: &[u8]) -> Read<KernelBody> {
    let tables = Tables::read(bytes)?;
    let mut collector = Collector::new(&tables);
    walk(&tables, &mut collector)?;
    let kernel = collector.kernel.ok_or(Unread::NoFunction)?;
    let mut op_counts = BTreeMap::new();
    for (name, count) in tables.op_names.iter().zip(kernel.op_counts).filter(|(_, count)| *count > 0) {
        let total: &mut u64 = op_counts.entry(name.text()).or_default();
        *total = total.saturating_add(count);
    }
    let function = &kernel.function;
    Ok(KernelBody {
        version: tables.version,
        producer: lossy(tables.producer),
        name: function.name(&tables),
        iteration_bounds: function.iteration_bounds(&tables),
        dimension_semantics: function.dimension_semantics(&tables),
        windows: function.windows(&tables),
        operands: function.operands(&tables),
        scalar_prefetch: function.count(&tables, "scalar_prefetch"),
        scratch_operands: function.count(&tables, "scratch_operands"),
        scratch: function.scratch(&tables),
        allocas: kernel.allocas,
        loops: kernel.loops,
        matmuls: kernel.matmuls,
        scopes: kernel.scopes,
        enqueued_dmas: kernel.enqueued_dmas,
        op_counts,
    })
}
