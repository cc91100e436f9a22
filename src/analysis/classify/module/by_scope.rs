//! This module determines the module of an op by its scope path.
//!
//! ```text
//!  jit(f)/jvp(Model)/layers_3/self_attn/q_proj/dot_general   attention: the innermost name decides
//!  bert/encoder/layer_3/attention/output/LayerNorm/add        norm
//!  jit(f)/block_sparse_moe/experts/gate_proj/dot_general      experts: an expert is made of the parts of an MLP
//!  state.params['decoder']['embedding']                       embedding: the name of a parameter
//! ```

use super::words::{FUNCTIONS, NAMES, WORDS, find};
use super::{Certainty, ModelModule, ModuleLabel};
use crate::analysis::classify::layer::is_layer;
use crate::analysis::classify::phase::{Phase, by_path};
use rustc_hash::FxHashMap;

/// What the names of paths tell. Paths have few distinct names, and each is looked up once.
#[derive(Default)]
pub struct KnownNames<'p>(FxHashMap<&'p str, NameMeaning>);

/// What one name of a path tells.
#[derive(Clone, Copy)]
enum NameMeaning {
    Scope(ModelModule),
    Function(ModelModule),
    /// The number or the name of a layer.
    Layer,
    Loop,
    /// `output`, in which layers and attentions of BERT end.
    Output,
    /// `attend`, the product with the table of an embedding.
    Attend,
    Nothing,
}

impl<'p> KnownNames<'p> {
    fn meaning(&mut self, name: &'p str) -> NameMeaning {
        *self.0.entry(name).or_insert_with(|| meaning(&lower(name)))
    }

    /// Returns the label of a scope path; `None` if the path names no module. `phase` is that of the path.
    pub fn label(&mut self, path: &'p str, phase: Option<Phase>) -> Option<ModuleLabel> {
        if phase == Some(Phase::Optimizer) {
            return Some(ModuleLabel::new(ModelModule::Optimizer, Certainty::Certain));
        }
        let mut scopes = NamedScopes::default();
        // The outermost function contains the whole program. Its name counts only if nothing inside of it tells more.
        let (program, inside) = program(path);
        for name in names(inside) {
            scopes.add(self.meaning(name));
        }
        if let Some(module) = scopes.module() {
            let is_parameter = inside.contains("['");
            let is_likely = scopes.is_around_layers || is_parameter;
            return Some(ModuleLabel::new(module, if is_likely { Certainty::Likely } else { Certainty::Certain }));
        }
        let likely = |module| ModuleLabel::new(module, Certainty::Likely);
        scopes.function.or_else(|| find(FUNCTIONS, &lower(program?))).map(likely)
    }
}

/// Returns the label of a scope path; `None` if the path names no module.
pub fn by_scope(path: &str) -> Option<ModuleLabel> {
    KnownNames::default().label(path, by_path(path))
}

/// Returns the function of a program, and the path within it.
fn program(path: &str) -> (Option<&str>, &str) {
    let Some(name) = path.strip_prefix("jit(").or_else(|| path.strip_prefix("pjit(")) else { return (None, path) };
    match name.split_once(")/") {
        Some((name, inside)) => (Some(name), inside),
        None => (Some(name.trim_end_matches(')')), ""),
    }
}

/// Iterates over the names in a path, without transformations and without the parameters of primitives.
fn names(path: &str) -> impl Iterator<Item = &str> {
    let end = path.find('[').filter(|open| path.as_bytes().get(open + 1) != Some(&b'\'')).unwrap_or(path.len());
    let separates = |c: char| matches!(c, '/' | '(' | ')' | '[' | ']' | '\'' | '"' | '.');
    path[..end].split(separates).filter(|name| !name.is_empty())
}

fn lower(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// The modules that the names of a path give, from the outermost to the innermost.
#[derive(Default)]
struct NamedScopes {
    innermost: Option<ModelModule>,
    is_in_experts: bool,
    is_in_attention: bool,
    is_in_recurrent: bool,
    /// The innermost function that tells a module.
    function: Option<ModelModule>,
    /// A scope called like the loss contains layers, so that it may contain the whole model.
    is_around_layers: bool,
    was_layer: bool,
    was_embedding: bool,
}

impl NamedScopes {
    fn add(&mut self, name: NameMeaning) {
        let was_layer = std::mem::replace(&mut self.was_layer, matches!(name, NameMeaning::Layer));
        if matches!(name, NameMeaning::Layer | NameMeaning::Loop) {
            self.is_around_layers |= matches!(self.innermost, Some(ModelModule::Loss | ModelModule::Head));
            return;
        }
        let was_embedding = std::mem::replace(&mut self.was_embedding, false);
        let module = match name {
            NameMeaning::Output if was_layer => Some(ModelModule::Mlp),
            NameMeaning::Attend if was_embedding => Some(ModelModule::Head),
            NameMeaning::Scope(module) => Some(module),
            NameMeaning::Function(module) => {
                self.function = Some(module);
                None
            }
            _ => None,
        };
        if let Some(module) = module {
            self.was_embedding = module == ModelModule::Embedding;
            self.is_in_experts |= module == ModelModule::Experts;
            self.is_in_attention |= module == ModelModule::Attention;
            self.is_in_recurrent |= module == ModelModule::Recurrent;
            self.innermost = Some(module);
            self.is_around_layers = false;
        }
    }

    fn module(&self) -> Option<ModelModule> {
        match self.innermost? {
            ModelModule::Mlp if self.is_in_experts => Some(ModelModule::Experts),
            ModelModule::Convolution | ModelModule::Attention if self.is_in_recurrent => Some(ModelModule::Recurrent),
            ModelModule::Embedding | ModelModule::Convolution if self.is_in_attention => Some(ModelModule::Attention),
            module => Some(module),
        }
    }
}

/// Returns what a name in lower case tells.
fn meaning(name: &str) -> NameMeaning {
    let is_number = name.bytes().all(|b| b.is_ascii_digit());
    match name {
        _ if is_number || is_layer(name) => NameMeaning::Layer,
        "while" => NameMeaning::Loop,
        "output" => NameMeaning::Output,
        "attend" => NameMeaning::Attend,
        _ => by_name(name)
            .map(NameMeaning::Scope)
            .or_else(|| by_function(name).map(NameMeaning::Function))
            .unwrap_or(NameMeaning::Nothing),
    }
}

/// Returns the module of a name in lower case; `None` if it names none.
pub(super) fn by_name(name: &str) -> Option<ModelModule> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
    if let Some(module) = find(NAMES, name).or_else(|| find(NAMES, stem)) {
        return Some(module);
    }
    if !stem.contains('_') {
        return find(WORDS, stem).or_else(|| convolution(name));
    }
    if stem.contains("rotary") || stem.starts_with("rope_") {
        return Some(ModelModule::Attention);
    }
    if stem.ends_with("layer_norm") || stem.ends_with("rms_norm") {
        return Some(ModelModule::Norm);
    }
    let last = stem.rsplit('_').next()?;
    if find(WORDS, last) == Some(ModelModule::Norm) {
        return Some(ModelModule::Norm);
    }
    stem.rsplit('_').filter_map(|word| find(WORDS, word)).find(|module| *module != ModelModule::Norm)
}

/// Returns [`ModelModule::Convolution`] for names such as `conv2d` or `conv_1`.
fn convolution(name: &str) -> Option<ModelModule> {
    let rest = name.strip_prefix("conv")?.trim_matches(|c: char| c.is_ascii_digit() || c == '_');
    matches!(rest, "" | "d").then_some(ModelModule::Convolution)
}

/// Returns the module of the name of a function, or of an equation of attention.
fn by_function(name: &str) -> Option<ModelModule> {
    find(FUNCTIONS, name).or_else(|| is_attention_equation(name).then_some(ModelModule::Attention))
}

/// Returns whether a name is the equation of an einsum of queries with keys, such as `bqhd,bkhd->bhqk`, or of their
/// weights with values, such as `bhqk,bkhd->bqhd`.
fn is_attention_equation(name: &str) -> bool {
    let Some((inputs, result)) = name.split_once("->") else { return false };
    let Some((left, right)) = inputs.split_once(',') else { return false };
    let is_wide = |text: &str| (4..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_lowercase());
    if ![left, right, result].into_iter().all(is_wide) {
        return false;
    }
    let in_all = |c: &char| right.contains(*c) && result.contains(*c);
    // Batch and heads are in all three. One letter is summed.
    let n_shared = left.chars().filter(in_all).count();
    let n_summed = left.chars().filter(|c| right.contains(*c) && !result.contains(*c)).count();
    n_shared >= 2 && n_summed == 1
}
