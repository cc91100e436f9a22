//! Which ops are which part of which traffic: a pair's two halves, and what is one op, are one *link*. This module knows names, opcodes and
//! kinds; knows no times.
//!
//! ```text
//!  copy-start.3   ◄─ operand ─ copy-done.3        one link, named copy-start.3
//!  all-reduce.7                                   one link, all by itself
//! ```

use super::primitive::Primitive;
use crate::analysis::classify::op_class::is_async;
use crate::analysis::classify::{Kind, opcode};
use crate::hlo::opcode::{base, is_collective, is_done, is_start};
use crate::hlo::text;
use crate::profile::{Op, OpId, Plane, Profile, ProgramId, StrId};
use indexmap::IndexMap;
use std::cell::OnceCell;

/// An op's name in its program: the same on every device.
pub type Named = (Option<ProgramId>, StrId);

/// What an op is of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It sets it off.
    Start,
    /// It stands between the two.
    Update,
    /// It waits for it.
    Done,
    /// It is all of it.
    Whole,
}

/// What goes between devices, or between memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Of its start, or of the one op that it is.
    pub named: Named,
    /// The op of that name.
    pub op: OpId,
    /// It moves data between memories; else it is a collective.
    pub is_copy: bool,
    /// It is one op.
    pub is_whole: bool,
    /// Its start computes as well.
    pub is_fused: bool,
}

/// The links of a plane.
pub struct AsyncPairs {
    /// One per pair or op.
    pub all: Vec<Link>,
    /// By [`OpId`]: which part of which link it is.
    parts: Vec<Option<(Part, u32)>>,
}

impl AsyncPairs {
    /// Looks at a plane's ops, whose kinds are known.
    pub fn new(profile: &Profile, plane: &Plane, kinds: &[Kind]) -> Self {
        let mut links = Self { all: Vec::new(), parts: vec![None; plane.ops.len()] };
        let mut by_name: IndexMap<Named, u32> = IndexMap::default();
        let found: Vec<Option<(Part, bool)>> =
            plane.ops.iter().zip(kinds).map(|(op, kind)| pair_part(profile, op, *kind)).collect();
        let names = Names::new(profile, plane, &found);
        let ends = |part: Part| matches!(part, Part::Done | Part::Update);
        for (at, op, part, is_copy) in classified_ops(plane, &found) {
            if !ends(part) {
                let link = links.link(&mut by_name, names.find(op), at, is_copy);
                let of = &mut links.all[link as usize];
                of.is_whole = part == Part::Whole;
                of.is_fused |= kinds[at.0 as usize] == Kind::Fused;
                links.parts[at.0 as usize] = Some((part, link));
            }
        }
        let starts = Starts::new(profile, plane, &by_name);
        for (at, op, part, is_copy) in classified_ops(plane, &found) {
            if ends(part) {
                let start = starts.find(op, names.find(op).0);
                let link = start.unwrap_or_else(|| links.link(&mut by_name, names.find(op), at, is_copy));
                links.parts[at.0 as usize] = Some((part, link));
            }
        }
        links
    }

    /// What an op is, and of which link.
    pub fn part(&self, op: OpId) -> Option<(Part, u32)> {
        self.parts.get(op.0 as usize).copied().flatten()
    }

    /// Ops with what they are.
    pub fn parts(&self) -> impl Iterator<Item = (OpId, Part, u32)> {
        self.parts.iter().enumerate().filter_map(|(at, part)| part.map(|(part, link)| (OpId(at as u32), part, link)))
    }

    fn link(&mut self, by_name: &mut IndexMap<Named, u32>, named: Named, op: OpId, is_copy: bool) -> u32 {
        *by_name.entry(named).or_insert_with(|| {
            self.all.push(Link { named, op, is_copy, is_whole: false, is_fused: false });
            (self.all.len() - 1) as u32
        })
    }
}

/// What ops are called in their programs. On an async line the display name may be a word (`async-copy`), and the program may be
/// missing: the text has the name, and an op of the op line with that name the rest.
struct Names<'a> {
    profile: &'a Profile,
    by_text: IndexMap<&'a str, Named>,
}

impl<'a> Names<'a> {
    fn new(profile: &'a Profile, plane: &'a Plane, found: &[Option<(Part, bool)>]) -> Self {
        let mut by_text: IndexMap<&str, Named> = IndexMap::default();
        for (_, op, ..) in classified_ops(plane, found) {
            let (name, named) = (profile.text(op.name), (op.stats.program, op.name));
            if written(profile.text(op.text)).is_none_or(|written| written == name) {
                let known = by_text.entry(name).or_insert_with(|| named);
                known.0 = known.0.or(named.0);
            }
        }
        Self { profile, by_text }
    }

    fn find(&self, op: &Op) -> Named {
        let name = written(self.profile.text(op.text)).unwrap_or(self.profile.text(op.name));
        match self.by_text.get(name) {
            Some((program, name)) => (op.stats.program.or(*program), *name),
            None => (op.stats.program, op.name),
        }
    }
}

/// The name that an instruction's text begins with.
fn written(text: &str) -> Option<&str> {
    text.strip_prefix('%').and_then(|text| text.split_once(" = ")).map(|(name, _)| name)
}

/// Ops that are something: id, op, which part, whether of a copy.
fn classified_ops<'a>(
    plane: &'a Plane,
    found: &'a [Option<(Part, bool)>],
) -> impl Iterator<Item = (OpId, &'a Op, Part, bool)> {
    let all = plane.ops.iter().zip(found).enumerate();
    all.filter_map(|(at, (op, found))| found.map(|(part, is_copy)| (OpId(at as u32), op, part, is_copy)))
}

/// Which part it is, and whether of a copy. `None`: neither a collective nor a copy that goes on beside the core.
fn pair_part(profile: &Profile, op: &Op, kind: Kind) -> Option<(Part, bool)> {
    let (name, text) = (profile.text(op.name), profile.text(op.text));
    // A GPU's kernel is all of it, though XLA names it after the start: on its stream it is synchronous.
    let part = || if op.stats.kernel.is_some() { Part::Whole } else { part(opcode(text), name) };
    match kind {
        Kind::Communication | Kind::Fused => Some((part(), false)),
        Kind::DataMovement => match part() {
            Part::Whole => of_kernel(name),
            part => moves(text, name).map(|_| (part, true)),
        },
        _ => of_kernel(name),
    }
}

/// A kernel of a GPU has its name alone.
fn of_kernel(name: &str) -> Option<(Part, bool)> {
    Primitive::of_kernel(name).map(|_| (Part::Whole, false))
}

/// By the opcode; of a fusion, and where there is none, by the name.
fn part(opcode: Option<&str>, name: &str) -> Part {
    let of = |word: &str| match word {
        _ if is_start(word) => Part::Start,
        _ if is_done(word) => Part::Done,
        _ if word.ends_with("-update") && !word.starts_with("dynamic-update") => Part::Update,
        _ => Part::Whole,
    };
    match opcode {
        Some(opcode) if opcode != "fusion" => of(opcode),
        _ => of(name.split('.').next().unwrap_or(name)),
    }
}

/// What an asynchronous copy moves: a copy or a slice by its opcode, its name, or the name of what it calls.
pub fn moves(text: &str, name: &str) -> Option<Primitive> {
    let of = |word: &str| Primitive::of_word(base(word)).filter(|primitive| primitive.is_copy());
    match opcode(text) {
        Some(opcode) if !is_async(opcode) => of(opcode),
        _ => of(&stem(name)).or_else(|| of(&stem(called(text)?))),
    }
}

/// The name of the first computation that an instruction calls.
pub fn called(text: &str) -> Option<&str> {
    let name = text.split_once(", calls=")?.1;
    name.strip_prefix('%').unwrap_or(name).split([',', ' ']).next()
}

/// The word that a name begins with: `all-gather.3.call-start` → `all-gather`, `wrapped_reduce_scatter` → `reduce-scatter`.
pub fn stem(name: &str) -> String {
    let name = name.split('.').next().unwrap_or(name);
    base(&name.strip_prefix("wrapped_").unwrap_or(name).replace('_', "-")).to_owned()
}

/// What a collective does, as far as texts say it.
pub fn collective(text: &str, name: &str, category: Option<&str>) -> Primitive {
    let of = |word: &str| Primitive::of_word(word).filter(|primitive| !primitive.is_copy());
    let by_opcode =
        || of(base(opcode(text).filter(|o| is_collective(o) || o.starts_with("send") || o.starts_with("recv"))?));
    let by_category = || of(&category?.strip_suffix(" fusion").unwrap_or(category?).replace(' ', "-"));
    by_opcode()
        .or_else(|| of(&stem(called(text)?)))
        .or_else(|| of(&stem(name)))
        .or_else(by_category)
        .or_else(|| Primitive::of_kernel(name))
        // Without HLO the text of a GPU's op is its kernel.
        .or_else(|| Primitive::of_kernel(text))
        .unwrap_or(Primitive::Unknown)
}

/// Finds the start that a done waits for.
struct Starts<'a> {
    profile: &'a Profile,
    links: IndexMap<(Option<ProgramId>, &'a str), u32>,
    plane: &'a Plane,
    /// Texts of updates, which stand between the two; found when they are first looked for, as few captures have any.
    texts: OnceCell<IndexMap<(Option<ProgramId>, &'a str), StrId>>,
}

impl<'a> Starts<'a> {
    fn new(profile: &'a Profile, plane: &'a Plane, by_name: &IndexMap<Named, u32>) -> Self {
        let links = by_name.iter().map(|((program, name), link)| ((*program, profile.text(*name)), *link)).collect();
        Self { profile, links, plane, texts: OnceCell::new() }
    }

    fn texts(&self) -> &IndexMap<(Option<ProgramId>, &'a str), StrId> {
        let profile = self.profile;
        let is_update = |op: &&Op| part(opcode(profile.text(op.text)), profile.text(op.name)) == Part::Update;
        let text = |op: &'a Op| ((op.stats.program, profile.text(op.name)), op.text);
        self.texts.get_or_init(|| self.plane.ops.iter().filter(is_update).map(text).collect())
    }

    /// By its operands, through updates; else by its name.
    fn find(&self, done: &Op, program: Option<ProgramId>) -> Option<u32> {
        let mut text = done.text;
        // More than a few updates there are not.
        for _ in 0..16 {
            let Some(parsed) = text::instruction(self.profile.text(text)) else { break };
            let operands = || parsed.instruction.operands.iter().map(|operand| &*operand.name);
            if let Some(link) = operands().find_map(|name| self.links.get(&(program, name))) {
                return Some(*link);
            }
            let Some(update) = operands().find_map(|name| self.texts().get(&(program, name))) else { break };
            text = *update;
        }
        let name = self.profile.text(done.name);
        let start = ["-done", "-update"].into_iter().find(|half| name.contains(half))?;
        self.links.get(&(program, &*name.replacen(start, "-start", 1))).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        for (text, name, of) in [
            ("%x = f32[2] all-gather(%y)", "x", Part::Whole),
            ("%x = f32[2] all-gather-done(%y)", "x", Part::Done),
            ("%async-collective-start.3 = f32[2] fusion(%y), kind=kCustom", "async-collective-start.3", Part::Start),
            ("%f = f32[2] dynamic-update-slice(%y, %z)", "f", Part::Whole),
            ("", "all-reduce-done.1", Part::Done),
            ("", "loop_add_fusion", Part::Whole),
        ] {
            assert_eq!(part(opcode(text), name), of, "{text} {name}");
        }
    }

    #[test]
    fn what_a_collective_does() {
        let fusion = "%fusion.635 = f32[2] fusion(%x), kind=kCustom, calls=%all-reduce-scatter.2.clone, foo=1";
        for (text, name, category, of) in [
            ("%x = f32[2] all-gather-start(%y)", "x", None, Primitive::AllGather),
            (fusion, "fusion.635", None, Primitive::ReduceScatter),
            ("%a = f32[2] async-start(%y), calls=%wrapped_reduce_scatter", "a", None, Primitive::ReduceScatter),
            ("%f = f32[2] fusion(%y), kind=kLoop", "f", Some("all-reduce fusion"), Primitive::AllReduce),
            ("", "ncclDevKernel_AllGather_RING_LL", None, Primitive::AllGather),
            ("%f = f32[2] fusion(%y)", "async-collective-start.3", None, Primitive::Unknown),
        ] {
            assert_eq!(collective(text, name, category), of, "{text} {name}");
        }
        assert_eq!(moves("%s = ((f32[8]), f32[2]) async-start(%x), calls=%f", "slice-start.2"), Some(Primitive::Slice));
        assert_eq!(moves("%s = (f32[2], f32[2]) copy-start(%x)", "anything"), Some(Primitive::Copy));
        assert_eq!(moves("%s = ((), f32[2]) async-start(), calls=%gather.2", "gather_offload_async_start"), None);
    }
}
