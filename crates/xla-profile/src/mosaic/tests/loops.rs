//! These tests compute the trip counts of built loops by hand.

use super::build::{body, opened};
use crate::mosaic::cursor::encoded;
use crate::mosaic::{Loop, Read, Unread, read};

/// Texts of the bodies below, as [`body`] numbers them: the names of operations first.
const NAMES: [&str; 8] =
    ["func.func", "arith.constant", "scf.for", "scf.while", "scf.if", "tpu.matmul", "arith.subi", "value"];
const CONSTANT: u64 = 1;
const FOR: u64 = 2;
const WHILE: u64 = 3;
const IF: u64 = 4;
const MATMUL: u64 = 5;
const SUBTRACT: u64 = 6;

/// Returns the fields of an operation without regions: its dictionary, the number of its results, and its operands.
fn op(name: u64, dictionary: Option<u64>, results: usize, operands: &[u64]) -> Vec<u8> {
    let has = |part: u8, is_present: bool| if is_present { part } else { 0 };
    let parts = has(1, dictionary.is_some()) | has(2, results > 0) | has(4, !operands.is_empty());
    let mut bytes = [encoded(name), vec![parts], encoded(0)].concat();
    bytes.extend(dictionary.map(encoded).unwrap_or_default());
    if results > 0 {
        bytes.extend([encoded(results as u64), encoded(0).repeat(results)].concat());
    }
    if !operands.is_empty() {
        bytes.extend(encoded(operands.len() as u64));
        operands.iter().for_each(|operand| bytes.extend(encoded(*operand)));
    }
    bytes
}

/// Returns an operation with operands and one region without values, up to its `ops` operations.
fn with_region(name: u64, operands: &[u64], ops: u64) -> Vec<u8> {
    let mut bytes = op(name, None, 0, operands);
    bytes[1] |= 0x10;
    // A region that is not isolated, of one block.
    [bytes, encoded(2), encoded(1), encoded(0), encoded(ops * 2)].concat()
}

/// Reads a function that defines these 32-bit constants, and then has `ops` operations.
fn function(constants: &[i32], ops: u64, operations: &[Vec<u8>]) -> Read<(Vec<Loop>, Vec<Read<u64>>, bool)> {
    let i32_type = [encoded(0), encoded(32 << 2)].concat();
    // The first attribute is the text “value”. Each constant has an integer and a dictionary.
    let mut attributes = vec![[encoded(2), encoded(9)].concat()];
    let mut defined = Vec::new();
    for constant in constants {
        let integer = attributes.len() as u64;
        // The bits of the number without its sign, in the form of a number with a sign.
        let bits = u64::from(constant.cast_unsigned()) << 1;
        attributes.push([encoded(8), encoded(0), encoded(bits)].concat());
        attributes.push([1, 1, 0, integer].map(encoded).concat());
        defined.extend(op(CONSTANT, Some(integer + 1), 1, &[]));
    }
    let ops = constants.len() as u64 + ops;
    let mut head = opened(0, 0);
    // The last two fields of the head are the numbers of values and of operations.
    head.truncate(head.len() - 2);
    head.extend([encoded(constants.len() as u64 + 1), encoded(ops * 2)].concat());
    let operations = [encoded(2), head, defined, operations.concat()].concat();
    let body = read(&body(&NAMES, &attributes, &[i32_type], &operations))?;
    let executions = body.matmuls.iter().map(|matmul| matmul.executions.clone()).collect();
    Ok((body.loops, executions, body.matmuls.iter().any(|matmul| matmul.is_in_branch)))
}

fn trip_count(lower: i32, upper: i32, step: i32) -> Read<u64> {
    let (loops, ..) = function(&[lower, upper, step], 1, &[with_region(FOR, &[0, 1, 2], 0)]).unwrap();
    loops[0].trip_count.clone()
}

#[test]
fn trip_counts_are_rounded_up() {
    assert_eq!([trip_count(0, 10, 3), trip_count(0, 9, 3), trip_count(5, 6, 100)], [Ok(4), Ok(3), Ok(1)]);
    assert_eq!([trip_count(3, 3, 1), trip_count(4, 3, 1)], [Ok(0), Ok(0)]);
    assert_eq!([trip_count(-7, 3, 2), trip_count(i32::MIN, i32::MAX, 1)], [Ok(5), Ok((1 << 32) - 1)]);
    assert_eq!([trip_count(0, 3, 0), trip_count(0, 3, -1)], [Err(Unread::Step), Err(Unread::Step)]);
}

#[test]
fn nested_loops_multiply() {
    let product = || op(MATMUL, None, 0, &[]);
    // for 0..10 by 3 { for 3..10 by 1 { product } if { product } } product
    let operations = [
        with_region(FOR, &[0, 1, 2], 2),
        with_region(FOR, &[2, 1, 3], 1),
        product(),
        with_region(IF, &[], 1),
        product(),
        product(),
    ];
    let (loops, executions, is_in_branch) = function(&[0, 10, 3, 1], 2, &operations).unwrap();
    let loops: Vec<_> = loops.iter().map(|inner| (inner.trip_count.clone(), inner.parent)).collect();
    assert_eq!(loops, [(Ok(4), None), (Ok(7), Some(0))]);
    assert_eq!((executions, is_in_branch), (vec![Ok(28), Ok(4), Ok(1)], true));
}

#[test]
fn bounds_are_folded_and_loops_without_bounds_are_unknown() {
    // The upper bound, value 3, is 10 − 3. A loop with an unknown trip count is around another one.
    let operations = [
        op(SUBTRACT, None, 1, &[1, 2]),
        with_region(WHILE, &[], 1),
        with_region(FOR, &[0, 3, 2], 1),
        op(MATMUL, None, 0, &[]),
    ];
    let (loops, executions, _) = function(&[0, 10, 3], 2, &operations).unwrap();
    let trip_counts: Vec<_> = loops.iter().map(|inner| inner.trip_count.clone()).collect();
    assert_eq!(trip_counts, [Err(Unread::NotConstant), Ok(3)]);
    assert_eq!(executions, [Err(Unread::NotConstant)]);
}

#[test]
fn many_loops_do_not_overflow() {
    let head = with_region(FOR, &[0, 1, 2], 1);
    let operations = [head.repeat(3), op(MATMUL, None, 0, &[])];
    let (_, executions, _) = function(&[0, i32::MAX, 1], 1, &operations).unwrap();
    assert_eq!(executions, [Err(Unread::Overflow)]);
}
