//! These tests compare what is read of kernels with their sources.

use super::{ATTENTION, GRID_MATMUL, GRID_MATMUL_CONFIG, MADE, MADE_V6, MIXED};
use crate::hlo::DType;
use crate::mosaic::{
    ArrayType, CostEstimate, DimensionSemantics, KernelBody, KernelConfig, MatmulDims, MemorySpace, PipelineMode,
    Precision, Unread, read,
};

fn sizes(shape: &[Option<u64>]) -> Vec<u64> {
    shape.iter().map(|size| size.unwrap()).collect()
}

/// Returns the shape, the type of the elements, the memory and the bytes of an array.
fn array(array: &Result<ArrayType, Unread>) -> (Vec<u64>, DType, MemorySpace, u64) {
    let array = array.as_ref().unwrap();
    let (element, memory_space) = (array.element.clone().unwrap(), array.memory_space.clone().unwrap());
    (sizes(&array.shape), element, memory_space, array.bytes().unwrap())
}

/// Returns the name of the scope of a matrix product.
fn scope(body: &KernelBody, matmul: usize) -> Option<&str> {
    body.matmuls[matmul].scope.map(|scope| body.scopes[scope].name.as_deref().unwrap())
}

#[test]
fn a_pipeline_has_buffers_steps_and_products() {
    let body = read(MADE).unwrap();
    assert_eq!((body.version, body.producer.as_str()), (0, "MLIR23.0.0git"));
    assert_eq!(body.name.as_deref(), Ok("made_matmul"));
    let absent = Unread::Absent;
    assert_eq!((&body.iteration_bounds, &body.windows), (&Err(absent.clone()), &Err(absent.clone())));
    assert_eq!((body.grid_steps(), &body.dimension_semantics), (Err(absent), &Ok(vec![])));
    assert_eq!((&body.scalar_prefetch, &body.scratch_operands), (&Ok(0), &Ok(0)));

    let operands: Vec<_> = body.operands.as_ref().unwrap().iter().map(array).collect();
    let hbm = |element, bytes| (vec![1024, 1024], element, MemorySpace::Any, bytes);
    assert_eq!(operands, [hbm(DType::BF16, 2 << 20), hbm(DType::BF16, 2 << 20), hbm(DType::F32, 4 << 20)]);

    let allocas: Vec<_> =
        body.allocas.iter().map(|a| (array(&a.array), a.buffers, sizes(a.block().unwrap()))).collect();
    let vmem = MemorySpace::Vmem;
    assert_eq!(
        allocas,
        [
            ((vec![3, 256, 512], DType::BF16, vmem, 786_432), Some(3), vec![256, 512]),
            ((vec![1, 512, 512], DType::BF16, vmem, 524_288), Some(1), vec![512, 512]),
            ((vec![2, 256, 512], DType::F32, vmem, 1_048_576), Some(2), vec![256, 512]),
        ]
    );
    assert_eq!((body.vmem_bytes(), body.operand_bytes()), (Ok(2_359_296), Ok(0)));

    let loops: Vec<_> = body.loops.iter().map(|l| (l.trip_count.clone(), l.parent)).collect();
    assert_eq!(loops, [(Ok(16), None)]);
    assert_eq!(body.matmuls.len(), 2);
    for matmul in &body.matmuls {
        assert_eq!(matmul.dims, Ok(MatmulDims { batch: 1, m: 256, k: 512, n: 512 }));
        assert_eq!(matmul.dims.clone().unwrap().flops(), Ok(134_217_728));
        assert_eq!((&matmul.lhs, &matmul.rhs), (&Ok(DType::BF16), &Ok(DType::BF16)));
        assert_eq!((&matmul.result, &matmul.precision), (&Ok(DType::F32), &Ok(Precision::Bf16)));
        assert_eq!((matmul.parent_loop, &matmul.executions, matmul.is_in_branch), (Some(0), &Ok(16), true));
    }
    assert_eq!([scope(&body, 0), scope(&body, 1)], [Some("init"), Some("acc")]);
    assert_eq!(body.matmul_flops(), Ok(268_435_456));
}

#[test]
fn a_pipeline_has_scopes_copies_and_counts() {
    let body = read(MADE).unwrap();
    let scopes: Vec<_> = body.scopes.iter().map(|s| (s.name.as_deref().unwrap(), s.starts)).collect();
    assert_eq!(
        scopes,
        [
            ("ep_initialize_0", 1),
            ("ep_initialize_1", 1),
            ("ep_copy_in", 2),
            ("ep_wait_in", 2),
            ("ep_run_kernel", 1),
            ("init", 1),
            ("acc", 1),
            ("ep_copy_out", 1),
            ("ep_wait_out", 1),
            ("ep_finalize", 1),
        ]
    );
    assert_eq!(body.enqueued_dmas, 5);
    let count = |name: &str| body.op_counts.get(name).copied();
    assert_eq!((count("tpu.matmul"), count("scf.for"), count("scf.if")), (Some(2), Some(1), Some(14)));
    assert_eq!((count("arith.constant"), count("tpu.enqueue_dma"), count("math.exp")), (Some(329), Some(5), None));
    assert_eq!(body.op_counts.values().sum::<u64>(), 862);
}

#[test]
fn every_version_of_the_format_has_the_same_contents() {
    let (old, new) = (read(MADE).unwrap(), read(MADE_V6).unwrap());
    assert_eq!(new.version, 6);
    assert_eq!(KernelBody { version: 6, ..old }, new);
}

#[test]
fn a_grid_has_windows_and_scratch() {
    let body = read(GRID_MATMUL).unwrap();
    assert_eq!(body.name.as_deref(), Ok("grid_matmul"));
    assert_eq!((sizes(body.iteration_bounds.as_ref().unwrap()), body.grid_steps()), (vec![4, 2, 3], Ok(24)));
    let (parallel, arbitrary) = (Ok(DimensionSemantics::Parallel), Ok(DimensionSemantics::Arbitrary));
    assert_eq!(body.dimension_semantics, Ok(vec![parallel.clone(), parallel, arbitrary]));

    let windows: Vec<_> = body.windows.iter().flatten().flatten().collect();
    let blocks: Vec<_> = windows.iter().map(|w| (sizes(w.block.as_ref().unwrap()), w.block_bytes())).collect();
    assert_eq!(blocks, [(vec![128, 256], Ok(131_072)), (vec![256, 512], Ok(524_288)), (vec![128, 512], Ok(262_144))]);
    let modes: Vec<_> = windows.iter().map(|w| (w.pipeline_mode.clone(), w.buffers())).collect();
    let (synchronous, double) = (PipelineMode::Synchronous, PipelineMode::DoubleBuffered);
    assert_eq!(modes, [(Err(Unread::Absent), Ok(2)), (Ok(synchronous), Ok(1)), (Ok(double), Ok(2))]);
    assert_eq!(windows[2].transform_indices.as_deref(), Ok("transform_2"));

    let scratch: Vec<_> = body.scratch.as_ref().unwrap().iter().map(array).collect();
    assert_eq!(scratch, [(vec![128, 512], DType::F32, MemorySpace::Vmem, 262_144)]);
    assert_eq!(body.vmem_bytes(), Ok(262_144));
    assert_eq!(body.operand_bytes(), Ok(2 * 131_072 + 524_288 + 2 * 262_144));

    let matmul = &body.matmuls[0];
    assert_eq!((body.matmuls.len(), &matmul.precision), (1, &Ok(Precision::Fp32)));
    assert_eq!(matmul.dims, Ok(MatmulDims { batch: 1, m: 128, k: 256, n: 512 }));
    assert_eq!((matmul.parent_loop, &matmul.executions, matmul.is_in_branch), (None, &Ok(1), false));
    let flops = body.matmul_flops().unwrap() * body.grid_steps().unwrap();
    assert_eq!(flops, 2 * 512 * 1024 * 768);
    // Operations of the functions that compute the positions of blocks do not count.
    assert_eq!(body.op_counts["func.return"], 1);
}

#[test]
fn loops_with_computed_bounds_are_unknown() {
    let body = read(ATTENTION).unwrap();
    assert_eq!((&body.scalar_prefetch, &body.scratch_operands, body.grid_steps()), (&Ok(1), &Ok(2), Ok(4)));
    let lengths = array(&body.operands.as_ref().unwrap()[0]);
    assert_eq!(lengths, (vec![4], DType::S32, MemorySpace::Smem, 16));
    // The scalars come before the windows.
    let keys = body.windows.as_ref().unwrap()[1].as_ref().unwrap();
    assert_eq!(array(&keys.array), (vec![1, 1024, 128], DType::BF16, MemorySpace::Vmem, 262_144));
    assert_eq!(body.vmem_bytes(), Ok(2 * 128 * 4));
    assert_eq!(body.operand_bytes(), Ok(2 * (32_768 + 2 * 262_144 + 65_536)));

    let trip_counts: Vec<_> = body.loops.iter().map(|l| l.trip_count.clone()).collect();
    assert_eq!(trip_counts, [Ok(4), Err(Unread::NotConstant), Err(Unread::NotConstant)]);
    let matmuls: Vec<_> = body.matmuls.iter().map(|m| (m.dims.clone().unwrap(), m.executions.clone())).collect();
    let dims = |m, k, n| MatmulDims { batch: 1, m, k, n };
    // The right operand of the first product is transposed.
    assert_eq!(matmuls[..2], [(dims(128, 128, 256), Ok(4)), (dims(128, 256, 128), Ok(4))]);
    assert_eq!(matmuls[2], (dims(128, 128, 128), Err(Unread::NotConstant)));
    assert_eq!([scope(&body, 0), scope(&body, 1), scope(&body, 2)], [Some("scores"), Some("values"), None]);
    let counts = ["math.exp", "vector.multi_reduction", "tpu.transpose"].map(|name| body.op_counts[name]);
    assert_eq!(counts, [2, 2, 2]);
}

#[test]
fn elements_have_their_types() {
    let body = read(MIXED).unwrap();
    let types: Vec<_> = body.matmuls.iter().map(|m| (m.lhs.clone().unwrap(), m.result.clone().unwrap())).collect();
    assert_eq!(types, [(DType::F32, DType::F32), (DType::S8, DType::S32), (DType::F8E4M3FN, DType::F32)]);
    // Without a grid, the operands are in VMEM as a whole.
    let (inputs, results) = (64 * 256 + 256 * 128, 64 * 128);
    assert_eq!((body.vmem_bytes(), body.operand_bytes()), (Ok(0), Ok(inputs * (4 + 1 + 1) + results * 4 * 3)));
}

#[test]
fn a_backend_config_has_body_cost_and_limit() {
    let config = KernelConfig::from_json(GRID_MATMUL_CONFIG).unwrap();
    assert_eq!(config.body.as_deref(), Ok(GRID_MATMUL));
    assert_eq!(config.kernel_body(), read(GRID_MATMUL));
    let cost = CostEstimate { flops: Some(805_306_368), bytes_accessed: Some(6_815_744), transcendentals: Some(0) };
    assert_eq!((config.cost_estimate, config.vmem_limit), (Some(cost), Some(8 << 20)));
    let nested = format!("{{\"flags\": [1], \"config\": {GRID_MATMUL_CONFIG}}}");
    assert_eq!(KernelConfig::from_json(&nested), Ok(config));
}

#[test]
fn a_backend_config_may_lack_everything() {
    assert_eq!(KernelConfig::from_json("not JSON"), Err(Unread::NotJson));
    assert_eq!(KernelConfig::from_json(&"[".repeat(100_000)), Err(Unread::NotJson));
    let config = KernelConfig::from_json("{}").unwrap();
    assert_eq!((&config.body, config.cost_estimate, config.vmem_limit), (&Err(Unread::NoBody), None, None));
    let text = r#"{"custom_call_config": {"body": "!", "cost_estimate": {"flops": -1, "bytes_accessed": "7"}},
        "scoped_memory_configs": [{"memory_space": 2, "size": 1}, {"size": 5}]}"#;
    let config = KernelConfig::from_json(text).unwrap();
    assert_eq!(config.kernel_body(), Err(Unread::NotBase64));
    let cost = CostEstimate { flops: None, bytes_accessed: Some(7), transcendentals: None };
    assert_eq!((config.cost_estimate, config.vmem_limit), (Some(cost), Some(5)));
}

#[test]
fn modes_have_a_number_of_buffers() {
    let buffers = |text| PipelineMode::from_text(text).map(PipelineMode::buffers);
    assert_eq!(["synchronous", "double_buffered"].map(buffers), [Some(1), Some(2)]);
    assert_eq!(["buffered, 3", "buffered(4)", "buffered", "other"].map(buffers), [Some(3), Some(4), None, None]);
}

#[test]
fn reasons_are_sentences() {
    let text = Unread::Index { table: "types", index: 7, count: 3 }.to_string();
    assert_eq!(text, "the body refers to entry 7 of its types, which has 3");
    let version = Unread::Version { version: 9 }.to_string();
    assert_eq!(version, "the body is MLIR bytecode of version 9; versions up to 6 can be read");
}
