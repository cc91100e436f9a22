//! These tests read bodies that are damaged, or built to harm: no input panics, and time and memory grow with the
//! bytes.

use super::build::{body, opened, section};
use super::{ATTENTION, GRID_MATMUL, GRID_MATMUL_CONFIG, MADE, MADE_V6, MIXED};
use crate::mosaic::cursor::encoded;
use crate::mosaic::unread::{MAX_DEPTH, MAX_LISTED};
use crate::mosaic::{KernelBody, KernelConfig, Unread, read};
use std::time::{Duration, Instant};

/// A generator of random numbers that is the same in every run (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// Checks that the lists of a body are no longer than its bytes, and that no sum panics.
fn check(body: Result<KernelBody, Unread>, len: usize) -> Option<KernelBody> {
    let body = match body {
        Ok(body) => body,
        Err(reason) => {
            assert!(!reason.to_string().is_empty());
            return None;
        }
    };
    assert!(body.allocas.len() + body.loops.len() + body.matmuls.len() + body.scopes.len() <= len);
    assert!(body.op_counts.values().sum::<u64>() <= len as u64);
    assert!(body.op_counts.len() <= len);
    let _ = (body.grid_steps(), body.vmem_bytes(), body.operand_bytes(), body.matmul_flops());
    for alloca in &body.allocas {
        let _ = alloca.block();
    }
    Some(body)
}

#[test]
fn every_prefix_is_an_error() {
    for whole in [MADE, MADE_V6, GRID_MATMUL, ATTENTION, MIXED] {
        for len in 0..whole.len() {
            assert!(check(read(&whole[..len]), len).is_none(), "{len} bytes");
        }
        assert!(check(read(whole), whole.len()).is_some());
    }
}

#[test]
fn damaged_bytes_do_not_panic() {
    let start = Instant::now();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for whole in [MADE, MADE_V6, GRID_MATMUL, ATTENTION] {
        let mut readable = 0;
        for _ in 0..5000 {
            let mut bytes = whole.to_vec();
            bytes[random.below(whole.len())] ^= 1 << random.below(8) | random.below(2) as u8;
            readable += u32::from(check(read(&bytes), bytes.len()).is_some());
        }
        // Bytes of texts, of locations and of operands that do not matter may have any value.
        assert!((500..4900).contains(&readable), "{readable} of 5000 are readable");
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn damaged_configs_do_not_panic() {
    let mut random = Random(7);
    for _ in 0..2000 {
        let mut bytes = GRID_MATMUL_CONFIG.as_bytes().to_vec();
        bytes[random.below(GRID_MATMUL_CONFIG.len())] = 32 + random.below(95) as u8;
        if let Ok(config) = KernelConfig::from_json(std::str::from_utf8(&bytes).unwrap()) {
            check(config.kernel_body(), bytes.len());
        }
    }
}

#[test]
fn other_files_are_no_bytecode() {
    let other = [&b""[..], b"ML", b"module {}", &[0; 4096], &[0xff; 4096]];
    assert!(other.into_iter().all(|bytes| read(bytes) == Err(Unread::NotBytecode)));
    assert_eq!(read(b"ML\xefR"), Err(Unread::Ends { offset: 4 }));
    assert_eq!(read(b"ML\xefR\x0f\0"), Err(Unread::Version { version: 7 }));
    assert_eq!(read(b"ML\xefR\x01MLIR\0"), Err(Unread::Section { section: "texts" }));
    assert_eq!(read(b"ML\xefR\x01MLIR\0\x55\x01"), Err(Unread::Invalid { offset: 10 }));
}

#[test]
fn deep_nesting_ends() {
    let nested = |depth: usize| {
        let regions = opened(0, 1).repeat(depth - 1);
        let operations = [encoded(2), regions, opened(0, 0)].concat();
        read(&body(&["func.func"], &[], &[], &operations))
    };
    assert_eq!(nested(MAX_DEPTH - 1).unwrap().op_counts["func.func"], MAX_DEPTH as u64 - 2);
    assert_eq!(nested(MAX_DEPTH), Err(Unread::TooDeep));
    assert_eq!(nested(200_000), Err(Unread::TooDeep));
}

#[test]
fn claimed_counts_are_compared_with_the_bytes() {
    let huge =
        [0xff, 0xfe, 0xfc, 0xf8, 0xf0, 0xe0, 0xc0, 0x80, 0].map(|first| [[first].as_slice(), &[0xff; 8]].concat());
    let start = Instant::now();
    for number in huge {
        // The block, the regions, the blocks, the values, and the operands.
        let op = [encoded(2), encoded(0)].concat();
        let heads =
            [vec![], [&op, &[0x10, 1][..]].concat(), [&op, &[0x10, 1, 5][..]].concat(), [&op, &[4, 1][..]].concat()];
        for head in heads {
            let operations = [head, number.clone()].concat();
            assert!(check(read(&body(&["func.func"], &[], &[], &operations)), operations.len()).is_none());
        }
        for id in 0..4 {
            let bytes = [b"ML\xefR\x01test\0".to_vec(), section(id, &number)].concat();
            let others = (0..5).filter(|other| *other != id).flat_map(|other| section(other, &encoded(0)));
            assert!(read(&[bytes, others.collect()].concat()).is_err());
        }
    }
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_value_may_be_reserved_without_memory() {
    // A function with 2^62 values, in which a function with as many more has no numbers left.
    let reserved = encoded(1 << 62);
    let head = [encoded(0), vec![0x10], encoded(0), encoded(2), encoded(1), reserved].concat();
    let nested = |depth: usize| {
        let regions = [head.clone(), encoded(2)].concat().repeat(depth);
        read(&body(&["func.func"], &[], &[], &[encoded(2), regions, head.clone(), encoded(0)].concat()))
    };
    assert!(nested(2).is_ok());
    assert_eq!(nested(10), Err(Unread::Overflow));
}

/// Returns a function with `count` times an operation.
fn repeated(op: &[u8], count: usize) -> Vec<u8> {
    [encoded(2), opened(0, count as u64), op.repeat(count)].concat()
}

#[test]
fn long_lists_end() {
    let names = ["func.func", "tpu.matmul"];
    let op = [encoded(1), vec![0], encoded(0)].concat();
    let matmuls = |count| read(&body(&names, &[], &[], &repeated(&op, count))).map(|body| body.matmuls.len());
    assert_eq!(matmuls(MAX_LISTED), Ok(MAX_LISTED));
    let count = MAX_LISTED as u64 + 1;
    assert_eq!(matmuls(MAX_LISTED + 5), Err(Unread::TooMany { count, limit: MAX_LISTED as u64 }));
}

#[test]
fn shared_attributes_do_not_multiply_the_time() {
    // 60,000 constants share one dictionary with 60,000 entries, and as many scopes share a name of 60,000 bytes.
    let start = Instant::now();
    let count = 60_000;
    let long = "x".repeat(count);
    let names = ["func.func", "arith.constant", "tpu.trace_start", "message", &long];
    let dictionary = [encoded(1), encoded(count as u64), [1, 1].repeat(count)].concat();
    let text = |string: u64| [encoded(2), encoded(string)].concat();
    let scope = [1, 1, 2, 3].map(encoded).concat();
    let attributes = [dictionary, scope, text(5), text(6)];
    let op = |name: u64, attributes: u64| [encoded(name), vec![1], encoded(0), encoded(attributes)].concat();
    let constants = read(&body(&names, &attributes, &[], &repeated(&op(1, 0), count))).unwrap();
    assert_eq!(constants.op_counts["arith.constant"], count as u64);
    let scopes = read(&body(&names, &attributes, &[], &repeated(&op(2, 1), count))).unwrap();
    let names: Vec<_> = scopes.scopes.iter().map(|scope| (scope.name.as_ref().unwrap().len(), scope.starts)).collect();
    assert_eq!(names, [(128, count as u64)]);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn large_grids_do_not_overflow() {
    let sizes = |sizes: [u64; 3]| sizes.map(u64::to_le_bytes).concat();
    let bounds = sizes([4, 2, 3]);
    let place = GRID_MATMUL.windows(bounds.len()).position(|window| window == bounds).unwrap();
    let with = |grid: [u64; 3]| {
        let mut bytes = GRID_MATMUL.to_vec();
        bytes[place..place + bounds.len()].copy_from_slice(&sizes(grid));
        read(&bytes).unwrap()
    };
    assert_eq!(with([1 << 60, 2, 3]).grid_steps(), Ok(6 << 60));
    assert_eq!(with([1 << 60, 1 << 60, 3]).grid_steps(), Err(Unread::Overflow));
    // The smallest number with a sign marks a size that is not known before the kernel runs.
    let dynamic = with([4, 1 << 63, 3]);
    assert_eq!(dynamic.iteration_bounds, Ok(vec![Some(4), None, Some(3)]));
    assert_eq!(dynamic.grid_steps(), Err(Unread::Dynamic));
}
