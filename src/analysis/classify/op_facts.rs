//! This module determines the facts of each op of a plane that do not depend on time: kind, category, group of work,
//! phase, layer, module of the model, signature, scope, result shape and source.
//!
//! A capture has many ops, but few distinct ops and few scope paths. Each of these is examined once per session, not
//! once per device.

use super::category::category_of_text;
use super::dcn::DcnTransfers;
use super::kind::Kind;
use super::kind_of_op::{Facts, classify, is_async};
use super::layer::{LayerContext, layer, loop_path, named, trip_count};
use super::module::by_scope::KnownNames;
use super::module::data_flow::spread_in_plane;
use super::module::{Certainty, ModelModule, ModuleLabel, by_source};
use super::op_group::{GroupEvidence, OpGroup, op_group};
use super::opcode::{first_operand, opcode, result_shape};
use super::phase::{Phase, by_path, phase};
use super::scope_path;
use super::signature::signature;
use super::source_frame::{Frames, Innermost, frames_inward, innermost, majority};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use xla_profile::profile::{Op, OpId, Plane, Profile, StrId, Strings};

/// The facts of one op. The ids of layer, signature and scope refer to [`Finder::words`], and the id of the category to
/// the texts of the profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpFacts {
    pub kind: Kind,
    /// Whether a rule determined the kind.
    pub known: bool,
    /// `hlo_category`.
    pub category: Option<StrId>,
    pub group: OpGroup,
    pub phase: Phase,
    /// `None` if the op belongs to no layer.
    pub layer: Option<StrId>,
    /// The module of the model, and how it is known.
    pub module: ModuleLabel,
    /// Type of instruction, as the module `signature` names it.
    pub signature: StrId,
    /// `None` if the op has no scope path.
    pub scope: Option<StrId>,
}

/// Determines the facts of ops. Caches the texts that it makes, the facts of each distinct op, and those of each
/// `tf_op`.
pub struct Finder<'p> {
    profile: &'p Profile,
    /// The texts of layers, signatures and scopes, each stored once.
    pub words: Strings,
    /// Whether any `tf_op` had several paths, of which the first one was taken.
    pub merged_paths: bool,
    paths: FxHashMap<StrId, PathFacts>,
    known: IndexMap<OpTexts, OpFacts>,
    /// The modules that source stacks tell, by `source` and `source_stack`.
    sources: FxHashMap<(Option<StrId>, Option<StrId>), Option<ModuleLabel>>,
    names: KnownNames<'p>,
    trip_counts: IndexMap<&'p str, Option<u64>>,
    stacks: bool,
    buffer: String,
}

/// The properties of an op on which its facts depend: name, text, (category, `tf_op`, kernel), and whether its FLOPs
/// are greater than zero (`None` if unknown).
type OpTexts = (StrId, StrId, [Option<StrId>; 3], Option<bool>);

#[derive(Clone, Copy)]
struct PathFacts {
    scope: StrId,
    layer: Option<StrId>,
    phase: Option<Phase>,
    module: Option<ModuleLabel>,
}

impl<'p> Finder<'p> {
    /// Creates a finder for the ops of `planes`, with the trip counts of their loops.
    pub fn new(profile: &'p Profile, planes: impl Iterator<Item = &'p Plane> + Clone) -> Self {
        let paths = paths(profile, planes.clone());
        Self {
            profile,
            words: Strings::default(),
            merged_paths: false,
            paths: FxHashMap::default(),
            known: IndexMap::default(),
            sources: FxHashMap::default(),
            names: KnownNames::default(),
            trip_counts: trip_counts(profile, planes),
            stacks: has_stacks(paths),
            buffer: String::new(),
        }
    }

    fn path(&mut self, tf_op: StrId) -> PathFacts {
        if let Some(known) = self.paths.get(&tf_op) {
            return *known;
        }
        let text = self.profile.text(tf_op);
        let path = scope_path::path(text);
        self.merged_paths |= text[path.len()..].contains(';');
        let trip_count = |loop_path: &str| self.trip_counts.get(loop_path).copied().flatten();
        let layer = layer(path, &LayerContext { trips: &trip_count, stacks: self.stacks });
        let phase = by_path(path);
        let facts = PathFacts {
            scope: self.words.intern(path),
            layer: layer.as_deref().map(|layer| self.words.intern(layer)),
            phase,
            module: self.names.label(path, phase),
        };
        self.paths.insert(tf_op, facts);
        facts
    }

    /// Returns the facts of an op. An op that runs on several devices is examined once.
    fn op(&mut self, op: &Op) -> OpFacts {
        let computes = op.stats.flops.or(op.stats.model_flops).map(|flops| flops > 0.0);
        let key = (op.name, op.text, [op.stats.category, op.stats.tf_op, op.stats.kernel], computes);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let facts = self.classify_op(op);
        *self.known.entry(key).or_insert_with(|| facts)
    }

    /// Sets the modules of the ops whose scope path and kernel tell none: by their source stack, or by the nearest
    /// instruction of their program.
    fn modules(&mut self, plane: &Plane, innermost: Innermost, ops: &mut [OpFacts]) {
        let profile = self.profile;
        for (op, facts) in plane.ops.iter().zip(ops).filter(|(_, facts)| !facts.module.is_known()) {
            let stats = &op.stats;
            let of_source = || by_source::by_source(frames_inward(frames(profile, op), innermost).into_iter());
            let by_source = *self.sources.entry((stats.source, stats.source_stack)).or_insert_with(of_source);
            let nearest = || Some(self.path(stats.nearest_scope?).module?.at_most(Certainty::Likely));
            facts.module = by_source.or_else(nearest).unwrap_or(ModuleLabel::UNKNOWN);
        }
    }

    fn classify_op(&mut self, op: &Op) -> OpFacts {
        let profile = self.profile;
        let category = op.stats.category;
        let (name, text) = (profile.text(op.name), profile.text(op.text));
        let kernel = op.stats.kernel.map(|kernel| profile.text(kernel));
        let mut class = classify(Facts { category: category.map(|c| profile.text(c)), name, text, kernel });
        class.kind = class.kind.with_flops(op.stats.flops.or(op.stats.model_flops));
        signature(name, text, &mut self.buffer);
        let signature = self.words.intern(&self.buffer);
        let path = op.stats.tf_op.map(|tf_op| self.path(tf_op));
        let signs = GroupEvidence {
            kind: class.kind,
            known: class.known,
            category: category.map(|c| profile.text(c)).or_else(|| category_of_text(text)).unwrap_or_default(),
            name,
            text,
            path: path.map_or("", |p| self.words.get(p.scope)),
            kernel: kernel.unwrap_or_default(),
        };
        let group = op_group(signs);
        let by_kernel = || {
            let convolves = group == OpGroup::Matmul && by_source::is_convolution(text, kernel.unwrap_or_default());
            let convolution = ModuleLabel::new(ModelModule::Convolution, Certainty::Likely);
            by_source::by_kernel(group).or_else(|| convolves.then_some(convolution))
        };
        OpFacts {
            kind: class.kind,
            known: class.known,
            category,
            group,
            phase: phase(name, path.and_then(|p| p.phase)).unwrap_or_default(),
            layer: path.and_then(|p| p.layer),
            module: path.and_then(|p| p.module).or_else(by_kernel).unwrap_or(ModuleLabel::UNKNOWN),
            signature,
            scope: path.map(|p| p.scope),
        }
    }
}

/// The facts of the ops of a plane.
pub struct PlaneFacts {
    /// Facts by [`OpId`].
    pub ops: Vec<OpFacts>,
    /// Names by op id.
    pub names: Names,
    /// The end of source stacks at which the innermost frame is.
    pub innermost: Innermost,
}

impl PlaneFacts {
    /// Determines the facts of the ops of `plane`.
    pub fn new(finder: &mut Finder<'_>, plane: &Plane) -> Self {
        let mut ops: Vec<OpFacts> = plane.ops.iter().map(|op| finder.op(op)).collect();
        let innermost = majority(plane.ops.iter().map(|op| frames(finder.profile, op)));
        finder.modules(plane, innermost, &mut ops);
        waits(finder.profile, plane, &mut ops);
        // A collective between slices is communication, although a host carries it out.
        for op in DcnTransfers::new(finder.profile, plane).ops() {
            let facts = &mut ops[op.0 as usize];
            (facts.kind, facts.known, facts.group) = (Kind::Communication, true, OpGroup::Collective);
        }
        let names = Names::new(plane.ops.iter().map(|op| finder.profile.text(op.name)));
        spread_modules(finder.profile, plane, &mut ops);
        Self { ops, names, innermost }
    }

    /// Returns the facts of one op of the plane.
    pub fn get(&self, id: OpId) -> OpFacts {
        self.ops[id.0 as usize]
    }

    /// Returns the innermost source frame of an op in the user's own code.
    pub fn source_inner<'p>(&self, profile: &'p Profile, op: &Op) -> Option<&'p str> {
        innermost(frames(profile, op), self.innermost)
    }

    /// Returns the source stack of an op, the innermost frame first.
    pub fn source_stack<'p>(&self, profile: &'p Profile, op: &Op) -> Vec<&'p str> {
        frames_inward(frames(profile, op), self.innermost)
    }
}

/// Gives ops without a module that of their neighbours in the data flow.
fn spread_modules(profile: &Profile, plane: &Plane, ops: &mut [OpFacts]) {
    let is_open = |facts: &OpFacts| facts.kind != Kind::Container;
    if !ops.iter().any(|facts| is_open(facts) && !facts.module.is_known()) {
        return;
    }
    let mut labels: Vec<ModuleLabel> = ops.iter().map(|facts| facts.module).collect();
    if labels.iter().any(|label| label.is_known()) {
        spread_in_plane(profile, plane, &mut labels, |index| is_open(&ops[index]));
        ops.iter_mut().zip(labels).for_each(|(facts, label)| facts.module = label);
    }
}

/// Gives async waits without a known kind the kind and the group of their start, which is found in the same program by
/// the name of the operand.
fn waits(profile: &Profile, plane: &Plane, ops: &mut [OpFacts]) {
    let is_wait = |i: &usize| {
        let text = profile.text(plane.ops[*i].text);
        opcode(text).is_some_and(|o| is_async(o) && !o.ends_with("-start"))
    };
    let unknown: Vec<usize> = (0..ops.len()).filter(|i| !ops[*i].known).filter(is_wait).collect();
    if unknown.is_empty() {
        return;
    }
    let place = |(i, op): (usize, &Op)| ((op.stats.program, profile.text(op.name)), i);
    let places: IndexMap<_, usize> = plane.ops.iter().enumerate().map(place).collect();
    for i in unknown {
        let mut earlier = i;
        // A few updates may stand between a wait and its start, but never many.
        for _ in 0..16 {
            let text = profile.text(plane.ops[earlier].text);
            let Some(operand) = first_operand(text) else { break };
            let Some(found) = places.get(&(plane.ops[i].stats.program, operand)) else { break };
            earlier = *found;
            if ops[earlier].known {
                (ops[i].kind, ops[i].known, ops[i].group) = (ops[earlier].kind, true, ops[earlier].group);
                break;
            }
        }
    }
}

/// The names of a plane's ops, in one text. The profile has the same names, but between long HLO texts: a search
/// through 100,000 of those waits for memory at each name.
pub struct Names {
    text: String,
    ends: Vec<usize>,
}

impl Names {
    fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut text = String::new();
        let ends = names.map(|name| {
            text.push_str(name);
            text.len()
        });
        Self { ends: ends.collect(), text }
    }

    /// Returns the name of an op of the plane.
    pub fn get(&self, op: usize) -> &str {
        let start = op.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[op]]
    }
}

/// Iterates over the scope paths of the distinct `tf_op` texts.
fn paths<'p>(profile: &'p Profile, planes: impl Iterator<Item = &'p Plane>) -> impl Iterator<Item = &'p str> {
    let distinct: FxHashSet<StrId> =
        planes.flat_map(|plane| plane.ops.iter().filter_map(|op| op.stats.tf_op)).collect();
    distinct.into_iter().map(|id| scope_path::path(profile.text(id)))
}

/// Returns whether layers belong to different modules.
fn has_stacks<'p>(mut paths: impl Iterator<Item = &'p str>) -> bool {
    let mut first = None;
    paths.any(|path| named(path).is_some_and(|(stack, _)| *first.get_or_insert(stack) != stack))
}

/// Returns the trip count of each loop, by its path. If two programs have a loop at the same path with different
/// counts, the count is `None`.
fn trip_counts<'p>(profile: &'p Profile, planes: impl Iterator<Item = &'p Plane>) -> IndexMap<&'p str, Option<u64>> {
    let mut trips: IndexMap<&str, Option<u64>> = IndexMap::default();
    for op in planes.flat_map(|plane| &plane.ops) {
        let Some(tf_op) = op.stats.tf_op else { continue };
        let Some(path) = loop_path(scope_path::path(profile.text(tf_op))) else { continue };
        let n = trip_count(profile.text(op.text));
        let known = trips.entry(path).or_insert_with(|| n);
        *known = known.filter(|k| Some(*k) == n);
    }
    trips
}

fn frames<'p>(profile: &'p Profile, op: &Op) -> Frames<'p> {
    let text = |id: Option<StrId>| id.map(|id| profile.text(id));
    Frames { source: text(op.stats.source), stack: text(op.stats.source_stack) }
}

/// Returns the shape of an op's result with its layout, by the stat or else by the HLO text.
pub fn shape<'p>(profile: &'p Profile, op: &Op) -> Option<&'p str> {
    op.stats.shape.map(|s| profile.text(s)).or_else(|| result_shape(profile.text(op.text)))
}

/// Returns the element types in a shape, in order of appearance, each once.
pub fn dtypes(shape: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (offset, _) in shape.match_indices('[') {
        let head = &shape[..offset];
        let word = head.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        if word.starts_with(|c: char| c.is_ascii_lowercase()) && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn element_types() {
        assert_eq!(dtypes("bf16[8,128]{1,0:T(8,128)(2,1)}"), ["bf16"]);
        assert_eq!(dtypes("(f32[2]{0}, /*index=1*/f8e4m3fn[4], f32[])"), ["f32", "f8e4m3fn"]);
        assert_eq!(dtypes("token[]"), ["token"]);
        assert_eq!(dtypes("s\u{fffd}u8[2]"), ["u8"], "damaged text");
        assert!(dtypes("").is_empty());
    }
}
