//! Tests with expected answers made by hand: one text per change, and changes that are unknown.

use super::change::{Answer, Change, Changes, Reason};
use super::classify;
use super::classify::LayoutChange;
use super::resolver::in_module;
use xla_profile::hlo::text;

fn verdict(text: &str) -> LayoutChange {
    classify(&text::instruction(text).unwrap_or_else(|| panic!("no instruction: {text}")).instruction)
}

/// Writes `y`, `n` or `?` for dtype, dim order, tiling, memory space and shape.
fn letters(changes: Changes) -> String {
    let word = |change| match changes.answer(change) {
        Answer::Yes => 'y',
        Answer::No => 'n',
        Answer::Undetectable(_) => '?',
    };
    Change::ALL.map(word).iter().collect()
}

fn answers(text: &str) -> String {
    letters(verdict(text).changes)
}

fn reason(text: &str, change: Change) -> Reason {
    match verdict(text).changes.answer(change) {
        Answer::Undetectable(reason) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_change_alone() {
    assert_eq!(answers("%c.1 = bf16[8,4]{1,0:T(8,128)} convert(f32[8,4]{1,0:T(8,128)} %x)"), "ynnnn");
    assert_eq!(answers("%copy.366 = f32[8,4]{0,1:T(8,128)} copy(f32[8,4]{1,0:T(8,128)} %param.14)"), "nynnn");
    assert_eq!(answers("copy.2 = f32[8,4]{1,0:T(8,128)} copy(f32[8,4]{1,0:T(1,128)} fusion-x.1)"), "nnynn");
    assert_eq!(answers("%c = f32[8,4]{1,0:T(8,128)S(1)} copy(f32[8,4]{1,0:T(8,128)} %x)"), "nnnyn");
    assert_eq!(answers("%r = f32[32]{0} reshape(f32[8,4]{1,0} %x)"), "nnnny");
    assert_eq!(answers("%c = f32[8,4]{1,0} copy(f32[8,4]{1,0} %x)"), "nnnnn");
    assert_eq!(answers("%c = s4[8,4]{1,0:T(8,128)E(4)} copy(s4[8,4]{1,0:T(8,128)} %x)"), "nnynn", "packed");
}

#[test]
fn a_transpose_that_its_layouts_undo_moves_nothing() {
    let transposed = |result: &str, operand: &str| {
        answers(&format!("%t = f32[4,8]{{{result}}} transpose(f32[8,4]{{{operand}}} %x), dimensions={{1,0}}"))
    };
    assert_eq!(transposed("1,0", "1,0"), "nynny");
    assert_eq!(transposed("0,1", "1,0"), "nnnny");
    let cube = "%t = f32[5,3,4]{2,1,0} transpose(f32[3,4,5]{2,1,0} %x), dimensions={2,0,1}";
    assert_eq!(answers(cube), "nynny");
    assert_eq!(answers("%t = f32[5,3,4]{0,2,1} transpose(f32[3,4,5]{2,1,0} %x), dimensions={2,0,1}"), "nnnny");
    let bare = "%t = f32[4,8]{1,0} transpose(f32[8,4]{1,0} %x)";
    assert_eq!((answers(bare).as_str(), reason(bare, Change::DimOrder)), ("n?nny", Reason::Reshape));
}

#[test]
fn dimensions_of_one_have_no_order() {
    let copy = "%copy.488 = f32[1,512,7168]{2,0,1:T(1,128)} copy(f32[1,512,7168]{2,1,0:T(8,128)} %fusion.636)";
    assert_eq!(answers(copy), "nnynn");
    assert_eq!(answers("%r = f32[16,1,20]{2,1,0} reshape(f32[1,16,20,1]{2,1,3,0} %x)"), "nnnny");
    assert_eq!(answers("%r = f32[16,20]{0,1} reshape(f32[1,16,20]{2,1,0} %x)"), "nynny");
}

#[test]
fn a_bitcast_moves_nothing() {
    let bitcast = verdict("%b = f32[4,8]{1,0} bitcast(f32[8,4]{0,1} %x)");
    assert_eq!((letters(bitcast.changes).as_str(), bitcast.bytes), ("nnnny", Some(0)));
}

#[test]
fn host_offload() {
    let start = verdict(
        "%copy-start.1 = (f32[8,4]{1,0:T(8,128)S(5)}, f32[8,4]{1,0:T(8,128)}, u32[]{:S(2)}) copy-start(f32[8,4]{1,0:T(8,128)} %x)",
    );
    assert_eq!((letters(start.changes).as_str(), start.spaces, start.bytes), ("nnnyn", Some((0, 5)), None));
    let done = verdict(
        "%copy-done.1 = f32[8,4]{1,0:T(8,128)S(5)} copy-done((f32[8,4]{1,0:T(8,128)S(5)}, f32[8,4]{1,0:T(8,128)}, u32[]{:S(2)}) %copy-start.1)",
    );
    assert_eq!((letters(done.changes).as_str(), done.spaces, done.bytes), ("nnnyn", Some((0, 5)), Some(256)));
    // The tuple of the start names the input if its operand has no shape.
    let bare = "%copy-start.1 = (f32[8]{0:S(1)}, f32[8]{0}, u32[]) copy-start(%x)";
    assert_eq!(answers(bare), "nnnyn");
}

#[test]
fn wrapped_instructions_of_async_ops() {
    let pair = "((f32[8,4]{1,0}), f32[2,4]{1,0:S(1)}, u32[])";
    let start = format!("%async-start.3 = {pair} async-start(f32[8,4]{{1,0}} %x), calls=%wrapped_slice.2");
    assert_eq!(answers(&start), "nnnyy");
    let named = format!("%slice-done.3 = f32[2,4]{{1,0:S(1)}} async-done({pair} %slice-start.3)");
    assert_eq!((answers(&named).as_str(), verdict(&named).bytes), ("nnnyy", Some(160)));
    let unnamed = format!("%async-done.3 = f32[2,4]{{1,0:S(1)}} async-done({pair} %async-start.3)");
    assert_eq!(answers(&unnamed), "n?nyy");
    assert_eq!(reason(&unnamed, Change::DimOrder), Reason::Wrapped);
    let offloaded = "%all-gather.137.cloned.1.call-start = ((f32[1,512]{1,0}, s32[32]{0}, token[]), f32[1,4096]{1,0}) \
                     async-start(f32[1,512]{1,0} %fusion.312, s32[32]{0} %copy.490, token[] %p), calls=%async_computation.13";
    assert_eq!(answers(offloaded), "nnnny");
}

#[test]
fn collectives() {
    let variadic = "%ar = (f32[8]{0}, bf16[4]{0}) all-reduce(f32[8]{0} %a, bf16[4]{0} %b), to_apply=%add";
    assert_eq!((answers(variadic).as_str(), verdict(variadic).bytes), ("nnnnn", Some(80)));
    let gather = "%ag = bf16[1,16,8]{1,2,0} all-gather(bf16[1,4,8]{1,2,0} %x), dimensions={1}";
    assert_eq!(answers(gather), "nnnny");
    let start = "%ag-s = (bf16[4]{0}, bf16[16]{0}) all-gather-start(bf16[4]{0} %x), dimensions={0}";
    assert_eq!(answers(start), "nnnny");
    assert_eq!(answers("%ag-d = bf16[16]{0} all-gather-done((bf16[4]{0}, bf16[16]{0}) %ag-s)"), "nnnny");
    assert_eq!(answers("%ar-d = bf16[16]{0} all-reduce-done(bf16[16]{0} %ar-s)"), "nnnnn");
}

#[test]
fn slices_and_updates() {
    let update = "%dus = f32[16,8]{1,0:T(8,128)} dynamic-update-slice(f32[16,8]{1,0:T(8,128)} %a, \
                  f32[1,8]{1,0:T(1,128)} %b, s32[] %i, s32[] %j)";
    assert_eq!((answers(update).as_str(), verdict(update).bytes), ("nnynn", Some(64)), "the update moves");
    let slice = "%ds = f32[1,8]{1,0} dynamic-slice(f32[16,8]{1,0} %a, s32[] %i, s32[] %j), dynamic_slice_sizes={1,8}";
    assert_eq!((answers(slice).as_str(), verdict(slice).bytes), ("nnnny", Some(64)));
    let joined = "%c = f32[3,8]{1,0} concatenate(f32[1,8]{1,0} %a, f32[2,8]{0,1} %b), dimensions={0}";
    assert_eq!(answers(joined), "nynny", "one of two");
    assert_eq!(answers("%b = f32[4,8]{1,0:T(8,128)} broadcast(f32[]{:T(128)S(6)} %x), dimensions={}"), "nnnyy");
    assert_eq!(answers("%g = f32[8]{0} get-tuple-element((s32[], f32[8]{0:S(1)}) %t), index=1"), "nnnyn");
}

#[test]
fn undetectable_is_not_no() {
    let fusion = "%fusion.1 = f32[8,8]{1,0} fusion(f32[8,8]{1,0} %x), kind=kLoop, calls=%c";
    assert_eq!(answers(fusion), "n?nnn", "the sides may have changed places");
    assert_eq!(reason(fusion, Change::DimOrder), Reason::Body);
    let told_apart = "%fusion.1 = bf16[8,4]{0,1} fusion(f32[8,4]{1,0} %x, s32[] %i), kind=kLoop, calls=%c";
    assert_eq!(answers(told_apart), "yynnn");
    let differ = "%fusion.1 = bf16[8,4]{1,0} fusion(f32[8,4]{1,0} %x, bf16[8,4]{1,0} %y), kind=kLoop, calls=%c";
    assert_eq!(answers(differ), "?nnnn");
    let split = "%r = f32[8,4]{0,1} reshape(f32[32]{0} %x)";
    assert_eq!((answers(split).as_str(), reason(split, Change::DimOrder)), ("n?nny", Reason::Reshape));
    let bare = "%c = f32[8,4] copy(f32[8,4] %x)";
    assert_eq!((answers(bare).as_str(), reason(bare, Change::Tiling)), ("n???n", Reason::NoLayout));
    assert_eq!(reason("%c = f32[8,4]{1,0} copy(%x)", Change::Dtype), Reason::NoShape);
    assert_eq!(reason("%i = s32[8]{0} iota(), iota_dimension=0", Change::Dtype), Reason::NoOperand);
    assert_eq!(reason("%s = f32[8]{0} scatter(f32[8]{0} %a)", Change::Tiling), Reason::Unpaired);
}

const PROGRAM: &str = "HloModule m

%fused_computation (p.1: f32[8,8], i: s32[]) -> bf16[8,8] {
  %p.1 = f32[8,8]{1,0} parameter(0)
  %i = s32[] parameter(1)
  %t.1 = f32[8,8]{1,0} transpose(%p.1), dimensions={1,0}
  ROOT %c.1 = bf16[8,8]{1,0} convert(%t.1)
}

%async_computation (p.2: f32[8]) -> f32[2] {
  %p.2 = f32[8]{0} parameter(0)
  ROOT %s.1 = f32[2]{0} slice(%p.2), slice={[0:2]}
}

ENTRY %main (x: f32[8,8], y: f32[8], i.1: s32[]) -> bf16[8,8] {
  %x = f32[8,8]{1,0} parameter(0)
  %y = f32[8]{0} parameter(1)
  %i.1 = s32[] parameter(2)
  %async-start = ((f32[8]{0}), f32[2]{0}, u32[]) async-start(%y), calls=%async_computation
  %async-done = f32[2]{0} async-done(%async-start)
  ROOT %fusion = bf16[8,8]{1,0} fusion(%x, %i.1), kind=kLoop, calls=%fused_computation
}
";

#[test]
fn a_program_says_what_texts_do_not() {
    let (module, _) = text::module(PROGRAM).unwrap();
    let in_fusion = |name: &str| in_module(&module, module.instruction_named(name).unwrap());
    assert_eq!(letters(in_fusion("fusion").changes), "yynnn");
    assert_eq!((letters(in_fusion("async-done").changes).as_str(), in_fusion("async-done").bytes), ("nnnny", Some(16)));
    assert_eq!((letters(in_fusion("async-start").changes).as_str(), in_fusion("async-start").bytes), ("nnnny", None));
}
