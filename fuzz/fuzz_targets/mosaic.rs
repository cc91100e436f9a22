//! This target reads any bytes as the body of a kernel, and as the backend_config of its custom call. The target checks
//! that reading ends, that the lists of a body are no longer than its bytes, and that all sums can be computed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use xla_profile::mosaic::{KernelBody, KernelConfig, Read, read};

fn check(body: Read<KernelBody>, len: usize) {
    let body = match body {
        Ok(body) => body,
        Err(reason) => return assert!(!reason.to_string().is_empty()),
    };
    assert!(body.allocas.len() + body.loops.len() + body.matmuls.len() + body.scopes.len() <= len);
    assert!(body.op_counts.values().sum::<u64>() <= len as u64);
    let _ = (body.grid_steps(), body.vmem_bytes(), body.operand_bytes(), body.matmul_flops());
    for alloca in &body.allocas {
        let _ = alloca.block();
    }
    for matmul in &body.matmuls {
        assert!(matmul.parent_loop.is_none_or(|parent| parent < body.loops.len()));
        assert!(matmul.scope.is_none_or(|scope| scope < body.scopes.len()));
    }
    for (index, inner) in body.loops.iter().enumerate() {
        assert!(inner.parent.is_none_or(|parent| parent < index));
    }
}

fuzz_target!(|bytes: &[u8]| {
    check(read(bytes), bytes.len());
    if let Ok(config) =
        std::str::from_utf8(bytes).map_err(drop).and_then(|text| KernelConfig::from_json(text).map_err(drop))
    {
        check(config.kernel_body(), bytes.len());
    }
});
