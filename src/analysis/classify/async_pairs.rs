//! This module finds the transfers of a plane: it pairs the start, update and done ops of asynchronous collectives and
//! copies. A synchronous op is a transfer by itself. In the code, a transfer is a [`Transfer`]. This module depends on
//! names, opcodes and kinds, and not on times.
//!
//! ```text
//!  copy-start.3   ◄─ operand ─ copy-done.3        one transfer, named copy-start.3
//!  all-reduce.7                                   one transfer of a single op
//! ```

use super::dcn::{DcnTransfer, DcnTransfers};
use super::primitive::Primitive;
use crate::analysis::classify::kind_of_op::is_async;
use crate::analysis::classify::{Kind, opcode};
use indexmap::IndexMap;
use std::cell::OnceCell;
use xla_profile::hlo::opcode::{base, is_collective, is_done, is_start};
use xla_profile::hlo::text;
use xla_profile::profile::{Op, OpId, OpKey, Plane, Profile, ProgramId, StrId};

/// The role of an op in a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferRole {
    /// The op that starts the transfer.
    Start,
    /// An op between the start and the done.
    Update,
    /// The op that waits until the transfer has ended.
    Done,
    /// The only op of a synchronous transfer.
    Whole,
}

/// A transfer between devices (a collective) or between memories (a copy).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The name of the start, or of the single op. The name of a done or an update without a start.
    pub named: OpKey,
    /// The op of that name.
    pub op: OpId,
    /// Whether the transfer moves data between memories. If not, it is a collective.
    pub is_copy: bool,
    /// Whether the transfer is a single, synchronous op.
    pub is_whole: bool,
    /// Whether the start, or the single op, computes as well.
    pub is_fused: bool,
    /// The collective between slices that this transfer is. `None` if it does not leave the slice.
    pub dcn: Option<DcnTransfer>,
}

/// The transfers of a plane, and the role of each op in them.
pub struct AsyncPairs {
    /// One entry per transfer.
    pub all: Vec<Transfer>,
    /// The role and the transfer of each op, by [`OpId`]. The number is an index into `all`. `None` for ops of no
    /// transfer.
    roles: Vec<Option<(TransferRole, u32)>>,
}

impl AsyncPairs {
    /// Classifies each op of `plane` once and pairs the ops of each transfer. `kinds` holds the kind of each op, by op
    /// id.
    pub fn new(profile: &Profile, plane: &Plane, kinds: &[Kind]) -> Self {
        let mut transfers = Self { all: Vec::new(), roles: vec![None; plane.ops.len()] };
        let mut by_name: IndexMap<OpKey, u32> = IndexMap::default();
        let mut found: Vec<Option<(TransferRole, bool)>> =
            plane.ops.iter().zip(kinds).map(|(op, kind)| role_in_pair(profile, op, *kind)).collect();
        let dcn = DcnTransfers::new(profile, plane);
        for op in dcn.ops() {
            let role = match opcode(profile.text(plane.op(op).text)) {
                Some("send") => TransferRole::Start,
                Some("recv-done") => TransferRole::Done,
                _ => TransferRole::Update,
            };
            found[op.0 as usize] = Some((role, false));
        }
        let names = Names::new(profile, plane, &found);
        // All ops of a transfer over DCN have the name of its start.
        let key = |id: OpId, op: &Op| {
            dcn.transfer_of(id).map_or_else(|| names.find(op), |transfer| plane.op(transfer.start).key())
        };
        let ends = |role: TransferRole| matches!(role, TransferRole::Done | TransferRole::Update);
        for (id, op, role, is_copy) in classified_ops(plane, &found) {
            if !ends(role) {
                let transfer = transfers.transfer(&mut by_name, key(id, op), id, is_copy);
                let pair = &mut transfers.all[transfer as usize];
                pair.is_whole = role == TransferRole::Whole;
                pair.is_fused |= kinds[id.0 as usize] == Kind::Fused;
                transfers.roles[id.0 as usize] = Some((role, transfer));
            }
        }
        let starts = Starts::new(profile, plane, &by_name);
        for (id, op, role, is_copy) in classified_ops(plane, &found) {
            if ends(role) {
                let start = starts.find(op, key(id, op).0).filter(|_| dcn.transfer_of(id).is_none());
                let transfer = start.unwrap_or_else(|| transfers.transfer(&mut by_name, key(id, op), id, is_copy));
                transfers.roles[id.0 as usize] = Some((role, transfer));
            }
        }
        for op in dcn.ops() {
            if let Some((_, transfer)) = transfers.role(op) {
                transfers.all[transfer as usize].dcn = dcn.transfer_of(op).copied();
            }
        }
        transfers
    }

    /// Returns the role of an op and the index of its transfer. `None` if the op belongs to no transfer.
    pub fn role(&self, op: OpId) -> Option<(TransferRole, u32)> {
        self.roles.get(op.0 as usize).copied().flatten()
    }

    /// Returns the role of an op and the index of its transfer, as [`AsyncPairs::role`] does. `None` also for copies.
    pub fn role_in_collective(&self, op: OpId) -> Option<(TransferRole, u32)> {
        self.role(op).filter(|(_, transfer)| !self.all[*transfer as usize].is_copy)
    }

    /// Iterates over the ops that belong to a transfer, with their role and the index of the transfer.
    pub fn roles(&self) -> impl Iterator<Item = (OpId, TransferRole, u32)> {
        self.roles
            .iter()
            .enumerate()
            .filter_map(|(index, role)| role.map(|(role, transfer)| (OpId(index as u32), role, transfer)))
    }

    fn transfer(&mut self, by_name: &mut IndexMap<OpKey, u32>, named: OpKey, op: OpId, is_copy: bool) -> u32 {
        *by_name.entry(named).or_insert_with(|| {
            self.all.push(Transfer { named, op, is_copy, is_whole: false, is_fused: false, dcn: None });
            (self.all.len() - 1) as u32
        })
    }
}

/// Names of ops in their programs. On an async line, the display name of an op may be a generic word (`async-copy`),
/// and its program may be missing. The HLO text of the op then holds the name, and an op of the op line with that name
/// the program.
struct Names<'a> {
    profile: &'a Profile,
    by_text: IndexMap<&'a str, OpKey>,
}

impl<'a> Names<'a> {
    fn new(profile: &'a Profile, plane: &'a Plane, found: &[Option<(TransferRole, bool)>]) -> Self {
        let mut by_text: IndexMap<&str, OpKey> = IndexMap::default();
        for (_, op, ..) in classified_ops(plane, found) {
            let (name, named) = (profile.text(op.name), op.key());
            if written(profile.text(op.text)).is_none_or(|written| written == name) {
                let known = by_text.entry(name).or_insert_with(|| named);
                known.0 = known.0.or(named.0);
            }
        }
        Self { profile, by_text }
    }

    fn find(&self, op: &Op) -> OpKey {
        let name = written(self.profile.text(op.text)).unwrap_or(self.profile.text(op.name));
        match self.by_text.get(name) {
            Some((program, name)) => (op.stats.program.or(*program), *name),
            None => op.key(),
        }
    }
}

/// Returns the name at the start of an instruction's text.
fn written(text: &str) -> Option<&str> {
    text.strip_prefix('%').and_then(|text| text.split_once(" = ")).map(|(name, _)| name)
}

/// Iterates over the ops of transfers: id, op, role, and whether the transfer is a copy.
fn classified_ops<'a>(
    plane: &'a Plane,
    found: &'a [Option<(TransferRole, bool)>],
) -> impl Iterator<Item = (OpId, &'a Op, TransferRole, bool)> {
    let all = plane.ops.iter().zip(found).enumerate();
    all.filter_map(|(index, (op, found))| found.map(|(role, is_copy)| (OpId(index as u32), op, role, is_copy)))
}

/// Returns the role of an op, and whether its transfer is a copy. `None` if the op is neither a collective nor an
/// asynchronous copy.
fn role_in_pair(profile: &Profile, op: &Op, kind: Kind) -> Option<(TransferRole, bool)> {
    let (name, text) = (profile.text(op.name), profile.text(op.text));
    // A GPU kernel is a whole transfer, although XLA names it after the start: it is synchronous on its stream.
    let role = || if op.stats.kernel.is_some() { TransferRole::Whole } else { role(opcode(text), name) };
    match kind {
        Kind::Communication | Kind::Fused => Some((role(), false)),
        Kind::DataMovement => match role() {
            TransferRole::Whole => of_kernel(name),
            role => moves(text, name).map(|_| (role, true)),
        },
        _ => of_kernel(name),
    }
}

/// Recognises the kernel of a collective. A GPU kernel has only its name.
fn of_kernel(name: &str) -> Option<(TransferRole, bool)> {
    Primitive::of_kernel(name).map(|_| (TransferRole::Whole, false))
}

/// Returns the role of an op by its opcode. For a fusion, and without an opcode, the name decides.
fn role(opcode: Option<&str>, name: &str) -> TransferRole {
    let role = |word: &str| match word {
        _ if is_start(word) => TransferRole::Start,
        _ if is_done(word) => TransferRole::Done,
        _ if word.ends_with("-update") && !word.starts_with("dynamic-update") => TransferRole::Update,
        _ => TransferRole::Whole,
    };
    match opcode {
        Some(opcode) if opcode != "fusion" => role(opcode),
        _ => role(name.split('.').next().unwrap_or(name)),
    }
}

/// Returns the primitive of an asynchronous copy or slice by its opcode. For an async wrapper, and without an opcode,
/// the name of the op decides, then the name of the computation that it calls. `None` for other ops.
pub fn moves(text: &str, name: &str) -> Option<Primitive> {
    let primitive = |word: &str| Primitive::of_word(base(word)).filter(|primitive| primitive.is_copy());
    match opcode(text) {
        Some(opcode) if !is_async(opcode) => primitive(opcode),
        _ => primitive(&stem(name)).or_else(|| primitive(&stem(called(text)?))),
    }
}

/// Returns the name of the first computation that an instruction's text calls.
pub fn called(text: &str) -> Option<&str> {
    let name = text.split_once(", calls=")?.1;
    name.strip_prefix('%').unwrap_or(name).split([',', ' ']).next()
}

/// Returns the word at the start of a name: `all-gather.3.call-start` → `all-gather`, `wrapped_reduce_scatter` →
/// `reduce-scatter`.
pub fn stem(name: &str) -> String {
    let name = name.split('.').next().unwrap_or(name);
    base(&name.strip_prefix("wrapped_").unwrap_or(name).replace('_', "-")).to_owned()
}

/// Returns the primitive of a collective by its opcode, the computation that it calls, its name, its category or its
/// kernel, in this order. [`Primitive::Unknown`] if none of them names a primitive.
pub fn collective(text: &str, name: &str, category: Option<&str>) -> Primitive {
    let primitive = |word: &str| Primitive::of_word(word).filter(|primitive| !primitive.is_copy());
    let by_opcode = || {
        primitive(base(opcode(text).filter(|o| is_collective(o) || o.starts_with("send") || o.starts_with("recv"))?))
    };
    let by_category = || primitive(&category?.strip_suffix(" fusion").unwrap_or(category?).replace(' ', "-"));
    by_opcode()
        .or_else(|| primitive(&stem(called(text)?)))
        .or_else(|| primitive(&stem(name)))
        .or_else(by_category)
        .or_else(|| Primitive::of_kernel(name))
        // Without HLO, the text of a GPU op is the name of its kernel.
        .or_else(|| Primitive::of_kernel(text))
        .unwrap_or(Primitive::Unknown)
}

/// Finds the start that belongs to a done or an update.
struct Starts<'a> {
    profile: &'a Profile,
    transfers: IndexMap<(Option<ProgramId>, &'a str), u32>,
    plane: &'a Plane,
    /// Texts of the update ops. They are collected at the first use, because few captures have any.
    texts: OnceCell<IndexMap<(Option<ProgramId>, &'a str), StrId>>,
}

impl<'a> Starts<'a> {
    fn new(profile: &'a Profile, plane: &'a Plane, by_name: &IndexMap<OpKey, u32>) -> Self {
        let transfers =
            by_name.iter().map(|((program, name), transfer)| ((*program, profile.text(*name)), *transfer)).collect();
        Self { profile, transfers, plane, texts: OnceCell::new() }
    }

    fn texts(&self) -> &IndexMap<(Option<ProgramId>, &'a str), StrId> {
        let profile = self.profile;
        let is_update = |op: &&Op| role(opcode(profile.text(op.text)), profile.text(op.name)) == TransferRole::Update;
        let text = |op: &'a Op| ((op.stats.program, profile.text(op.name)), op.text);
        self.texts.get_or_init(|| self.plane.ops.iter().filter(is_update).map(text).collect())
    }

    /// Returns the transfer of a done by its operands, through updates, else by its name with `-start` in place of
    /// `-done` or `-update`.
    fn find(&self, done: &Op, program: Option<ProgramId>) -> Option<u32> {
        let mut text = done.text;
        // The limit ends cycles. Real programs have only a few updates in a row.
        for _ in 0..16 {
            let Some(parsed) = text::instruction(self.profile.text(text)) else { break };
            let operands = || parsed.instruction.operands.iter().map(|operand| &*operand.name);
            if let Some(transfer) = operands().find_map(|name| self.transfers.get(&(program, name))) {
                return Some(*transfer);
            }
            let Some(update) = operands().find_map(|name| self.texts().get(&(program, name))) else { break };
            text = *update;
        }
        let name = self.profile.text(done.name);
        let start = ["-done", "-update"].into_iter().find(|half| name.contains(half))?;
        self.transfers.get(&(program, &*name.replacen(start, "-start", 1))).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles() {
        for (text, name, expected) in [
            ("%x = f32[2] all-gather(%y)", "x", TransferRole::Whole),
            ("%x = f32[2] all-gather-done(%y)", "x", TransferRole::Done),
            (
                "%async-collective-start.3 = f32[2] fusion(%y), kind=kCustom",
                "async-collective-start.3",
                TransferRole::Start,
            ),
            ("%f = f32[2] dynamic-update-slice(%y, %z)", "f", TransferRole::Whole),
            ("", "all-reduce-done.1", TransferRole::Done),
            ("", "loop_add_fusion", TransferRole::Whole),
        ] {
            assert_eq!(role(opcode(text), name), expected, "{text} {name}");
        }
    }

    #[test]
    fn collective_primitives() {
        let fusion = "%fusion.635 = f32[2] fusion(%x), kind=kCustom, calls=%all-reduce-scatter.2.clone, foo=1";
        for (text, name, category, expected) in [
            ("%x = f32[2] all-gather-start(%y)", "x", None, Primitive::AllGather),
            (fusion, "fusion.635", None, Primitive::ReduceScatter),
            ("%a = f32[2] async-start(%y), calls=%wrapped_reduce_scatter", "a", None, Primitive::ReduceScatter),
            ("%f = f32[2] fusion(%y), kind=kLoop", "f", Some("all-reduce fusion"), Primitive::AllReduce),
            ("", "ncclDevKernel_AllGather_RING_LL", None, Primitive::AllGather),
            ("%f = f32[2] fusion(%y)", "async-collective-start.3", None, Primitive::Unknown),
        ] {
            assert_eq!(collective(text, name, category), expected, "{text} {name}");
        }
        assert_eq!(moves("%s = ((f32[8]), f32[2]) async-start(%x), calls=%f", "slice-start.2"), Some(Primitive::Slice));
        assert_eq!(moves("%s = (f32[2], f32[2]) copy-start(%x)", "anything"), Some(Primitive::Copy));
        assert_eq!(moves("%s = ((), f32[2]) async-start(), calls=%gather.2", "gather_offload_async_start"), None);
    }
}
