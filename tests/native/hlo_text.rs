//! These tests read the HLO texts of real captures. Nothing may be left over, and the printed result must be the text
//! that was read.

use crate::common::hlo::{Corpus, corpora, llama};
use xla_profile::hlo::{Damage, Module, ReplicaGroups, opcode, text};

#[test]
#[ignore = "needs captures of other projects"]
fn every_text_of_every_capture() {
    let corpora = corpora().unwrap();
    let counts: Vec<(&str, usize)> = corpora.iter().map(|c| (c.name, c.texts.len())).collect();
    assert_eq!(counts, [("v5p hlo_stats", 357), ("v5p op_profile", 1882), ("vLLM", 3454), ("v6e", 17)]);
    for source in corpora.iter().flat_map(|c| &c.texts) {
        let parsed = text::instruction(source).unwrap_or_else(|| panic!("{source}"));
        assert_eq!(parsed.damage, Damage::default(), "{source}");
        assert_eq!(parsed.instruction.display(parsed.style).to_string(), *source);
    }
}

#[test]
#[ignore = "needs captures of other projects"]
fn texts_without_percent_signs_parse_the_same() {
    let corpora = corpora().unwrap();
    for source in corpora.iter().flat_map(|c| &c.texts) {
        let bare = source.replace(" %", " ").replace("(%", "(").replace("=%", "=");
        let bare = text::instruction(bare.strip_prefix('%').unwrap()).unwrap();
        assert!(!bare.style.percent);
        assert_eq!(bare.instruction, text::instruction(source).unwrap().instruction, "{source}");
    }
}

#[test]
#[ignore = "needs captures of other projects"]
fn a_whole_module() {
    let source = llama().unwrap();
    let (module, style) = text::module(&source).unwrap();
    assert_eq!(module.damage, Damage::default());
    assert_eq!((module.computations().len(), module.instructions().len()), (307, 3344));
    assert!(module.display(style).to_string() == source, "what is printed is not what was read");

    let entry = module.computation(module.entry.unwrap()).unwrap();
    assert_eq!(&*entry.name, "main.46_spmd");
    assert_eq!(entry.schedule.as_ref().map(Vec::len), Some(entry.instructions.len()));
    let root = module.instruction(entry.root.unwrap()).unwrap();
    assert_eq!((&*root.name, root.operands.len()), ("tuple.371", 41));
    assert_eq!(root.shape.elements().len(), 41);

    let add = module.instruction_named("add.382").unwrap();
    let stack = module.stack(add);
    assert_eq!(stack.last().map(|f| (f.function, f.line)), Some(("<module>", 562)));
    assert_eq!(module.instruction(add).unwrap().op_name(), "add");

    let custom = module.instruction_named("splash_mha_fwd_residuals.2").unwrap();
    let custom = module.instruction(custom).unwrap();
    assert_eq!(custom.custom_call_target(), Some("tpu_custom_call"));
    assert!(custom.text("frontend_attributes").unwrap().contains("xprof_metadata"));
    assert!(custom.backend_config().unwrap().starts_with("{\"flag_configs\""));
}

/// Checks both directions of every edge, and the op that each asynchronous op wraps.
fn edges(module: &Module) {
    for (id, instruction) in module.instructions() {
        assert_eq!(module.operands(id).count(), instruction.operands.len(), "{}", instruction.name);
        for operand in module.operands(id) {
            assert!(module.users(operand).contains(&id));
            assert_eq!(module.instruction(operand).unwrap().computation, instruction.computation);
        }
        for user in module.users(id) {
            assert!(module.operands(*user).any(|o| o == id));
        }
        for call in instruction.calls() {
            assert!(module.callers(call.id.unwrap()).contains(&id));
        }
        let wrapped = module.instruction(module.wrapped(id)).unwrap();
        assert!(
            !wrapped.is_async() && !opcode::is_done(&wrapped.opcode) && &*wrapped.opcode != "call",
            "{}",
            wrapped.name
        );
    }
}

#[test]
#[ignore = "needs captures of other projects"]
fn operands_and_users_are_each_others_inverse() {
    let source = llama().unwrap();
    let (module, _) = text::module(&source).unwrap();
    edges(&module);
    let done = module.instruction_named("all-gather.133.cloned.1.call-done").unwrap();
    assert_eq!(&*module.instruction(module.wrapped(done)).unwrap().opcode, "all-gather");
    assert!(module.computations().any(|(_, c)| c.thread.as_deref() == Some("sparsecore")));
    let fused = module.computation_named("fused_computation").unwrap();
    assert!(module.computation(fused).unwrap().is_fusion);
}

#[test]
#[ignore = "needs captures of other projects"]
fn pieces_of_a_module_stand_alone() {
    let source = llama().unwrap();
    let (module, style) = text::module(&source).unwrap();
    for (_, instruction) in module.instructions() {
        let printed = instruction.display(style).to_string();
        let alone = text::instruction(&printed).unwrap();
        assert_eq!(alone.damage, Damage::default());
        assert_eq!(alone.instruction.display(style).to_string(), printed);
    }
}

#[test]
#[ignore = "needs captures of other projects"]
fn groups_of_real_texts() {
    let corpora = corpora().unwrap();
    let instruction = |name: &str, source: &str| {
        let Corpus { texts, .. } = corpora.iter().find(|c| c.name == source).unwrap();
        let text = texts.iter().find(|t| t.starts_with(name)).unwrap();
        text::instruction(text).unwrap().instruction.replica_groups().unwrap().clone()
    };
    let v6e = instruction("%all-reduce = ", "v6e");
    assert_eq!((v6e.size(), v6e.stride(), v6e.first()), (Some(2), Some(4), Some(vec![0, 4])));
    let v5p = instruction("%all-reduce.22 = ", "v5p hlo_stats");
    assert_eq!(v5p, ReplicaGroups::Lists(vec![vec![0, 1, 2, 3]]));
}

#[test]
fn grammar() {
    let source = "\
HloModule m, is_scheduled=true // a comment

add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b) }

ENTRY main {
  p = f32[4]{0} parameter(0), sharding={replicated}
  zero = f32[] constant(0)
  big = s32[2,2]{1,0} constant({ { 1, 2 }, /*i0=1*/
    { 3, 4 } })
  ready = token[] after-all()
  r = f32[] reduce(p, zero), dimensions={0}, to_apply=add
  c = f32[] conditional(r, p, p), branch_computations={add, add}, control-predecessors={ready, zero}
  ROOT t = (f32[], (f32[4]{0}, token[])) tuple(c, p, /*why*/ ready), metadata={op_name=\"it\\'s\" source_line=3 x={1 2}}
}
";
    let (module, style) = text::module(source).unwrap();
    assert_eq!(module.damage, Damage::default());
    assert_eq!(&*module.name, "m");
    edges(&module);
    let get = |name| module.instruction(module.instruction_named(name).unwrap()).unwrap();
    assert_eq!(get("big").argument.as_deref(), Some("{ { 1, 2 }, /*i0=1*/\n    { 3, 4 } }"));
    assert_eq!(get("c").calls().count(), 2);
    assert_eq!(get("c").control_predecessors().iter().filter(|o| o.id.is_some()).count(), 2);
    let metadata = get("t").metadata().unwrap();
    assert_eq!((metadata.op_name.as_deref(), metadata.source_line), (Some("it's"), 3));
    assert_eq!(metadata.others, [("x".into(), "{1 2}".into())]);
    assert_eq!(&*get("sum").name, "sum");
    assert!(get("sum").is_root);
    let printed = module.display(style).to_string();
    let (again, _) = text::module(&printed).unwrap();
    assert_eq!(again.display(style).to_string(), printed);
}

#[test]
fn unknown_text_is_counted_and_kept() {
    let odd = "%x = f6e3m2fn[2]{0} new-op(%a, what is this?), k=v, loose end, z=1 trailing) rest";
    let parsed = text::instruction(odd).unwrap();
    assert_eq!(parsed.damage.leftover, 4);
    assert_eq!(parsed.instruction.argument.as_deref(), Some("%a, what is this?"));
    assert_eq!(parsed.instruction.text("k"), Some("v"));
    let printed = parsed.instruction.to_string();
    assert_eq!(text::instruction(&printed).unwrap().instruction, parsed.instruction);

    let source = "HloModule m\nnoise\nf {\n  nonsense\n  ROOT %a = f32[] add(%b, %b), calls=%g\n}\n";
    let (module, _) = text::module(source).unwrap();
    assert_eq!((module.damage.leftover, module.damage.unresolved), (2, 3));
    assert_eq!(module.damage.notes.len(), 5);
    assert!(text::module("no module at all").is_none());
    assert!(text::instruction("jit_f(123)").is_none());
}
