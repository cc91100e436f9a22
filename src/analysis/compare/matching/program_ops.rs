//! This module describes the ops of one program on one side, and computes the keys by which they are matched.
//!
//! The facts of an op come from its instruction in the program if both sides have the program, else from the text of
//! its event, else from its name.

use super::cells::KeyedOps;
use super::dataflow::{Node, dataflow_digests, unordered_digest};
use super::digest::digest;
use super::fingerprint::Fingerprint;
use super::instruction_digests::{Signature, instruction_digest, is_copy_or_wait};
use super::op_names::{kernel, layer_digest, name_without_numbers, scope_digest, source_digest};
use super::side::Side;
use super::tier::Tier;
use crate::analysis::base::instruction_ref::InstructionRef;
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use xla_profile::hlo::{InstructionId, Module, text};
use xla_profile::parallel;

/// Number of starts, updates and copies in a row that are followed. The limit ends a circle.
const CHAIN: usize = 16;

/// The ops of a program on one side. They are numbered from 0 in the order in which they first run.
pub(super) struct ProgramOps<'s, 'a> {
    side: &'s Side<'a>,
    module: Option<&'s Module>,
    /// Indices in [`Side::ops`].
    indices: &'s [usize],
    ops: Vec<Described>,
    /// The digest of the program without names. Two programs with the same digest are the same program.
    pub(super) fingerprint: u64,
    /// The users of each op, without those that are known only from the program.
    users: OnceCell<Vec<Vec<u32>>>,
    /// What is known of the instructions beside ops.
    facts: RefCell<FxHashMap<InstructionId, Facts>>,
}

/// Scope path and signature of an op or an instruction beside another one.
type Facts = (Option<u64>, Signature);

/// What is known of an op.
#[derive(Clone)]
struct Described {
    /// Digest of the scope path.
    scope: Option<u64>,
    signature: Signature,
    is_copy_or_wait: bool,
    /// The instruction in the program.
    instruction: Option<InstructionId>,
    /// What the op is in its program, without names.
    identity: Option<u64>,
    /// The ops that the op takes as operands, from the text of its event. `None` for operands that are not ops.
    operands: Vec<Option<u32>>,
}

/// What the text of an event says of its op.
struct TextFacts {
    signature: Signature,
    is_copy_or_wait: bool,
    scope: Option<u64>,
    /// Digests of the names of the operands.
    operands: Vec<u64>,
    digest: u64,
}

impl KeyedOps for ProgramOps<'_, '_> {
    fn len(&self) -> usize {
        self.ops.len()
    }

    fn index(&self, op: u32) -> usize {
        self.indices[op as usize]
    }

    fn time(&self, op: u32) -> (u64, u64) {
        let of_side = self.side.ops[self.index(op)];
        (of_side.time, of_side.n)
    }

    fn label(&self, op: u32) -> u64 {
        let described = &self.ops[op as usize];
        label(described.scope, described.signature)
    }

    fn key(&self, tier: Tier, op: u32) -> Option<u64> {
        let described = &self.ops[op as usize];
        let signature = described.signature;
        match tier {
            Tier::Exact => described.identity,
            Tier::ScopeAndShape => Some(label(Some(described.scope?), signature)),
            Tier::Scope => Some(digest((described.scope?, signature.without_shapes))),
            Tier::Source => match kernel(self.side, self.index(op)) {
                Some(kernel) => Some(digest(kernel)),
                None => Some(digest((self.source(op)?, signature.with_shapes))),
            },
            Tier::Name => {
                let of_side = self.side.op(self.index(op));
                let name = self.side.profile.text(of_side.stats.dedup.unwrap_or(of_side.name));
                Some(digest((name_without_numbers(name), signature.with_shapes)))
            }
            Tier::Neighbours => Some(self.neighbours(op)),
            Tier::ScopeGroup => described.scope,
            Tier::LayerGroup => self.layers(op),
            Tier::ByHand | Tier::LeftOut => None,
        }
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(self.fingerprint)
    }
}

impl<'s, 'a> ProgramOps<'s, 'a> {
    /// Describes the ops with these indices in the ops of `side`. `module` is their program, which is used only if the
    /// other side has it as well.
    pub(super) fn new(side: &'s Side<'a>, indices: &'s [usize], module: Option<&'s Module>) -> Self {
        let (ops, fingerprint) = match module {
            Some(module) => by_program(side, indices, module),
            None => by_texts(side, indices),
        };
        Self { side, module, indices, ops, fingerprint, users: OnceCell::new(), facts: RefCell::default() }
    }

    /// Returns the digest of the scope path and the signature of an op.
    pub(super) fn facts(&self, op: u32) -> (Option<u64>, Signature) {
        let described = &self.ops[op as usize];
        (described.scope, described.signature)
    }

    /// Returns the digest of the scope path of an op without loops and numbers of layers.
    fn layers(&self, op: u32) -> Option<u64> {
        let stats = &self.side.op(self.index(op)).stats;
        stats.tf_op.and_then(|path| layer_digest(self.side.profile.text(path))).or_else(|| {
            let instruction = self.module?.instruction(self.ops[op as usize].instruction?)?;
            layer_digest(instruction.op_name())
        })
    }

    /// Returns the digest of the innermost source file and function of an op.
    fn source(&self, op: u32) -> Option<u64> {
        source_digest(self.side, self.index(op)).or_else(|| {
            let stack = self.module?.stack(self.ops[op as usize].instruction?);
            stack.first().map(|frame| digest((frame.file, frame.function)))
        })
    }

    /// Returns the digest of the signatures of an op, its producers and its users. For copies and waits, the producers
    /// are those of what they copy or wait for, and count with their scope.
    fn neighbours(&self, op: u32) -> u64 {
        let described = &self.ops[op as usize];
        let [mut producers, mut users] = match (self.module, described.instruction) {
            (Some(module), Some(id)) => self.neighbours_in_program(module, id),
            _ => self.neighbours_by_text(op),
        };
        if !described.is_copy_or_wait {
            for (scope, _) in producers.iter_mut().chain(&mut users) {
                *scope = None;
            }
        }
        let labels = |all: Vec<Facts>| all.into_iter().map(|(scope, signature)| label(scope, signature));
        let mut of_users: Vec<u64> = labels(users).collect();
        of_users.sort_unstable();
        digest((described.signature.with_shapes, labels(producers).collect::<Vec<u64>>(), of_users))
    }

    fn neighbours_by_text(&self, op: u32) -> [Vec<Facts>; 2] {
        let users = self.users.get_or_init(|| {
            let mut users = vec![Vec::new(); self.ops.len()];
            for (user, described) in self.ops.iter().enumerate() {
                described.operands.iter().flatten().for_each(|operand| users[*operand as usize].push(user as u32));
            }
            users
        });
        let mut origin = op;
        for _ in 0..CHAIN {
            let described = &self.ops[origin as usize];
            match described.operands.first() {
                Some(Some(before)) if described.is_copy_or_wait && self.ops[*before as usize].is_copy_or_wait => {
                    origin = *before;
                }
                _ => break,
            }
        }
        let facts = |op: &u32| {
            let described = &self.ops[*op as usize];
            (described.scope, described.signature)
        };
        let producers = self.ops[origin as usize].operands.iter().flatten().map(facts).collect();
        [producers, users[op as usize].iter().map(facts).collect()]
    }

    /// Returns scope and signature of the producers and the users of an instruction.
    fn neighbours_in_program(&self, module: &Module, id: InstructionId) -> [Vec<Facts>; 2] {
        let is_copy_or_wait = |id| module.instruction(id).is_some_and(|neighbour| is_copy_or_wait(&neighbour.opcode));
        let mut origin = id;
        for _ in 0..CHAIN {
            match module.operands(origin).next() {
                Some(before) if is_copy_or_wait(origin) && is_copy_or_wait(before) => origin = before,
                _ => break,
            }
        }
        // An instruction is beside many others. Its signature takes time if it is a large fusion.
        let mut known = self.facts.borrow_mut();
        let mut facts = |id: InstructionId| {
            if let Some(facts) = known.get(&id) {
                return Some(*facts);
            }
            let inst = InstructionRef::within(module, id, false)?;
            let facts = (scope_digest(inst.instruction.op_name()), Signature::new(inst));
            known.insert(id, facts);
            Some(facts)
        };
        let users = module.users(id).iter().filter_map(|id| facts(*id)).collect();
        [module.operands(origin).filter_map(facts).collect(), users]
    }
}

fn label(scope: Option<u64>, signature: Signature) -> u64 {
    digest((scope, signature.with_shapes))
}

/// Describes an op without an instruction, by its name and its shape.
fn by_name(side: &Side<'_>, index: usize) -> Described {
    let (facts, op) = (side.facts(index), side.op(index));
    let kind = side.analysis.words.get(facts.signature);
    let shape = op.stats.shape.map(|shape| side.profile.text(shape));
    Described {
        scope: side.scope(index),
        signature: Signature::from_texts(kind, shape),
        is_copy_or_wait: false,
        instruction: None,
        identity: None,
        operands: Vec::new(),
    }
}

/// Describes ops by their program. Returns its fingerprint as well.
fn by_program(side: &Side<'_>, indices: &[usize], module: &Module) -> (Vec<Described>, u64) {
    let fingerprint = Fingerprint::new(module);
    let describe = |index: &usize| {
        let name = side.profile.text(side.op(*index).name);
        let instruction = module.instruction_named(name);
        let Some(inst) = instruction.and_then(|id| InstructionRef::within(module, id, false)) else {
            return by_name(side, *index);
        };
        Described {
            scope: side.scope(*index).or_else(|| scope_digest(inst.instruction.op_name())),
            signature: Signature::new(inst),
            is_copy_or_wait: is_copy_or_wait(inst.opcode()),
            instruction,
            identity: instruction.and_then(|id| fingerprint.identity(id)),
            operands: Vec::new(),
        }
    };
    (indices.iter().map(describe).collect(), fingerprint.digest)
}

/// Describes ops by the texts of their events. Returns the fingerprint of what the texts say as well. An op without a
/// text is identified by its name and by the op that runs before it.
fn by_texts(side: &Side<'_>, indices: &[usize]) -> (Vec<Described>, u64) {
    let text = |index: &usize| side.profile.text(side.op(*index).text);
    let texts: Vec<&str> = indices.iter().map(text).collect();
    let read: Vec<Option<TextFacts>> = parallel::map(&texts, |text| read_text(text));
    let name = |index: usize| digest(side.profile.text(side.op(index).name));
    let places: FxHashMap<u64, u32> =
        indices.iter().enumerate().map(|(place, index)| (name(*index), place as u32)).collect();
    let (mut ops, mut nodes) = (Vec::with_capacity(indices.len()), Vec::with_capacity(indices.len()));
    for (place, (index, read)) in indices.iter().zip(read).enumerate() {
        let mut described = by_name(side, *index);
        let kernel = kernel(side, *index);
        nodes.push(if let Some(read) = read {
            described.operands = read.operands.iter().map(|name| places.get(name).copied()).collect();
            described.signature = read.signature;
            described.is_copy_or_wait = read.is_copy_or_wait;
            described.scope = described.scope.or(read.scope);
            Node { digest: digest((read.digest, kernel)), operands: described.operands.clone() }
        } else {
            let before = place.checked_sub(1).map(|before| before as u32);
            Node { digest: digest((described.signature.with_shapes, kernel)), operands: vec![before] }
        });
        ops.push(described);
    }
    let identities = dataflow_digests(&nodes);
    ops.iter_mut().zip(&identities).for_each(|(described, identity)| described.identity = Some(*identity));
    (ops, unordered_digest(&identities))
}

fn read_text(text: &str) -> Option<TextFacts> {
    let instruction = text::instruction(text)?.instruction;
    Some(TextFacts {
        signature: Signature::new(InstructionRef { instruction: &instruction, module: None, tpu: false }),
        is_copy_or_wait: is_copy_or_wait(&instruction.opcode),
        scope: scope_digest(instruction.op_name()),
        operands: instruction.operands.iter().map(|operand| digest(&*operand.name)).collect(),
        digest: instruction_digest(&instruction, |_| None),
    })
}
