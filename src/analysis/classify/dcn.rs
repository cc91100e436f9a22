//! This module finds the transfers between slices of TPUs over the data center network (DCN). The compiler makes a
//! send, a recv and their waits of a collective between slices, and the runtime of the hosts (Megascale) carries it
//! out.
//!
//! ```text
//!  send, recv  ── attributes: rendezvous R, ALL_REDUCE, {1,2}x{0:3} ──► one transfer for all ops with R
//!  send-done, recv-done ── operand or channel ──┘
//! ```
//!
//! It depends on the texts of ops, and not on times.

use super::opcode::opcode;
use super::primitive::Primitive;
use rustc_hash::FxHashMap;
use xla_profile::hlo::text;
use xla_profile::profile::{Op, OpId, Plane, Profile, ProgramId};

/// The attribute of an op that the Megascale runtime carries out.
const HANDLER: &str = "_xla_host_transfer_handler_name=\"xla_megascale_runtime\"";

/// A collective between slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DcnTransfer {
    pub primitive: Primitive,
    /// Number of slices that take part. `None` if the program does not name them.
    pub n_slices: Option<u64>,
    /// The send, or the first op of the transfer if the plane has no send.
    pub start: OpId,
    /// The op whose text tells the message: the wait for it, else another op of the transfer.
    pub message: OpId,
}

/// The transfers over DCN of a plane.
#[derive(Default)]
pub struct DcnTransfers {
    pub all: Vec<DcnTransfer>,
    /// The transfer of each op that is a part of one.
    by_op: FxHashMap<OpId, usize>,
}

impl DcnTransfers {
    /// Finds the transfers over DCN of a plane.
    pub fn new(profile: &Profile, plane: &Plane) -> Self {
        let is_host_transfer = |op: &Op| {
            let (name, text) = (profile.text(op.name), profile.text(op.text));
            // The name is compared first, because it is short.
            (name.starts_with("send") || name.starts_with("recv"))
                && is_send_or_recv(text)
                && text.contains("is_host_transfer=true")
        };
        let ops = plane.ops.iter().enumerate().filter(|(_, op)| is_host_transfer(op));
        let ops: Vec<(OpId, &Op)> = ops.map(|(index, op)| (OpId(index as u32), op)).collect();
        let mut found = Self::default();
        let mut by_rendezvous: FxHashMap<(Option<ProgramId>, &str), usize> = FxHashMap::default();
        let mut by_name: FxHashMap<(Option<ProgramId>, &str), usize> = FxHashMap::default();
        let mut by_channel: FxHashMap<(Option<ProgramId>, &str), usize> = FxHashMap::default();
        for (id, op) in &ops {
            let text = profile.text(op.text);
            let Some(meeting) = rendezvous(text).filter(|_| text.contains(HANDLER)) else {
                continue;
            };
            let index = *by_rendezvous.entry((op.stats.program, meeting)).or_insert_with(|| {
                let kind = attribute(text, "_xla_megascale_transfer_type");
                let primitive = kind.and_then(primitive).unwrap_or(Primitive::Unknown);
                let n_slices = attribute(text, "_xla_megascale_target").and_then(n_slices);
                found.all.push(DcnTransfer { primitive, n_slices, start: *id, message: *id });
                found.all.len() - 1
            });
            by_name.insert((op.stats.program, profile.text(op.name)), index);
            by_channel.extend(channel(text).map(|channel| ((op.stats.program, channel), index)));
            found.add(profile, plane, index, *id);
        }
        if found.all.is_empty() {
            return found;
        }
        // Waits may lack the attributes of what they wait for.
        for (id, op) in ops {
            let text = profile.text(op.text);
            if found.by_op.contains_key(&id) || text.contains("_xla_host_transfer_handler_name") {
                continue;
            }
            let program = op.stats.program;
            let operands = text::instruction(text).map(|parsed| parsed.instruction.operands).unwrap_or_default();
            let index = operands.iter().find_map(|operand| by_name.get(&(program, &*operand.name)));
            if let Some(index) = index.or_else(|| by_channel.get(&(program, channel(text)?))).copied() {
                found.add(profile, plane, index, id);
            }
        }
        found
    }

    fn add(&mut self, profile: &Profile, plane: &Plane, index: usize, id: OpId) {
        self.by_op.insert(id, index);
        let word = |id: OpId| opcode(profile.text(plane.op(id).text));
        let transfer = &mut self.all[index];
        if word(id) == Some("send") {
            transfer.start = id;
        }
        // The result of the wait is the message. The operand of the send is what one slice gives.
        let rank = |id: OpId| match word(id) {
            Some("recv-done") => 0,
            Some("recv") => 1,
            Some("send") => 2,
            _ => 3,
        };
        if rank(id) < rank(transfer.message) {
            transfer.message = id;
        }
    }

    /// Returns the transfer of an op. `None` if the op is a part of none.
    pub fn transfer_of(&self, op: OpId) -> Option<&DcnTransfer> {
        self.all.get(*self.by_op.get(&op)?)
    }

    /// Iterates over the ops of all transfers.
    pub fn ops(&self) -> impl Iterator<Item = OpId> {
        self.by_op.keys().copied()
    }
}

/// Returns the bytes of the message of a transfer over DCN: those of the arrays of the result, without the token and
/// the context. `text` is the text of [`DcnTransfer::message`]. `None` if they are unknown.
pub fn message_bytes(text: &str) -> Option<u64> {
    text::instruction(text)?.instruction.shape.elements().first()?.bytes()
}

/// Returns the rendezvous of a transfer over DCN, such as `collective.123_0`, from the text of an op. `None` if the op
/// has none.
pub fn rendezvous(text: &str) -> Option<&str> {
    attribute(text, "_xla_host_transfer_rendezvous")
}

/// Returns whether a text is that of a send, a recv or their waits.
fn is_send_or_recv(text: &str) -> bool {
    opcode(text).is_some_and(|opcode| matches!(opcode, "send" | "recv" | "send-done" | "recv-done"))
}

/// Returns the value of a frontend attribute: `name="value"`.
fn attribute<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, after) = text.split_once(name)?;
    after.strip_prefix("=\"")?.split('"').next()
}

fn channel(text: &str) -> Option<&str> {
    let (_, after) = text.split_once("channel_id=")?;
    after.split(|c: char| !c.is_ascii_digit()).next().filter(|id| !id.is_empty())
}

/// Returns the primitive of a type of transfer of the Megascale runtime.
fn primitive(kind: &str) -> Option<Primitive> {
    Some(match kind {
        "ONE_TO_ONE" => Primitive::Permute,
        "ALL_GATHER" => Primitive::AllGather,
        "ALL_REDUCE" => Primitive::AllReduce,
        "ALL_TO_ALL" => Primitive::AllToAll,
        "REDUCE_SCATTER" => Primitive::ReduceScatter,
        _ => return None,
    })
}

/// Returns the number of slices of a target: 2 of `{1,2}x{0:3}`, slices × devices of a slice.
fn n_slices(target: &str) -> Option<u64> {
    let (slices, _) = target.strip_prefix('{')?.split_once('}')?;
    let range = |part: &str| match part.split_once(':') {
        Some((first, last)) => last.trim().parse::<u64>().ok()?.checked_sub(first.trim().parse().ok()?)?.checked_add(1),
        None => part.trim().parse::<u64>().ok().map(|_| 1),
    };
    slices.split(',').map(range).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_name_slices() {
        for (target, n) in [
            ("{1,2}x{0:3}", Some(2)),
            ("{1,2,3,4}x{0}", Some(4)),
            ("{0:3}x{0:7}", Some(4)),
            ("{a}x{0}", None),
            ("", None),
        ] {
            assert_eq!(n_slices(target), n, "{target}");
        }
    }

    #[test]
    fn the_message_is_the_result_without_tokens() {
        let done = "%r = (f32[16]{0}, token[]) recv-done((f32[16]{0}, u32[], token[]) %recv), channel_id=3";
        assert_eq!(message_bytes(done), Some(64));
        let recv = "%r = ((f32[16]{0}, bf16[4]{0}), u32[], token[]) recv(token[] %t), channel_id=3";
        assert_eq!(message_bytes(recv), Some(72));
        assert_eq!(channel(done), Some("3"));
    }
}
