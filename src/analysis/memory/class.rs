//! This module classifies buffers by their role in the model, from names and shapes. It does not depend on buffer
//! sizes.
//!
//! ```text
//!  state.opt_state[0].mu['w1']                       parameter of an optimizer             optimizer
//!  params['layers']['w1']                            parameter of the model                weights
//!  jit(f)/jvp(Model)/logits/dot  bf16[8,1024,32000]  32000 is the size of the vocabulary   logits
//!  jit(f)/transpose(jvp(Model))/moe/gmm              experts come before gradients         experts
//!  jit(f)/transpose(jvp(Model))/mlp/dot                                                    gradients
//! ```

use super::categories::{Category, MemoryClass};
use crate::table::filter::contains;
use indexmap::IndexSet;
use xla_profile::hlo::{Module, Shape, opcode};

/// The sizes of dimensions that count as the size of a vocabulary.
#[derive(Clone, Debug, Default)]
pub(super) struct Vocabularies {
    /// Every dimension of at least this size counts.
    least: u64,
    /// Last dimensions of logits that are also dimensions of an embedding parameter.
    known: Vec<u64>,
}

impl Vocabularies {
    /// Finds the vocabulary sizes of a module. Shapes are those of one device's shard. An embedding and the logits
    /// computed with it are usually sharded in the same way.
    pub(super) fn new(module: &Module) -> Self {
        let (mut embedded, mut last): (IndexSet<u64>, IndexSet<u64>) = <_>::default();
        for (_, instruction) in module.instructions() {
            let Shape::Array(array) = &instruction.shape else { continue };
            let name = instruction.op_name();
            if &*instruction.opcode == "parameter" {
                if array.dims.len() > 1 && is_embedding(name) {
                    for dim in &array.dims {
                        embedded.insert(*dim);
                    }
                }
            } else if let Some(dim) = array.dims.last().filter(|_| array.dims.len() > 1 && is_logits(name)) {
                last.insert(*dim);
            }
        }
        let known = last.intersection(&embedded).copied().filter(|dim| *dim > 1).collect();
        Self { least: u64::MAX, known }
    }

    /// Returns a copy for which every dimension of at least `least` counts as well.
    pub(super) fn with_least(&self, least: u64) -> Self {
        Self { least: least.max(1), known: self.known.clone() }
    }

    /// Returns the first dimension of a shape that has the size of a vocabulary. `None` for a shape of one dimension:
    /// the array was flattened, so its size has no meaning.
    pub(super) fn dim(&self, shape: &Shape) -> Option<u64> {
        let dims = &shape.as_array()?.dims;
        dims.iter().copied().find(|dim| dims.len() > 1 && (*dim >= self.least || self.known.contains(dim)))
    }
}

/// The properties of a buffer that decide its class.
pub(super) struct Facts<'a> {
    pub(super) category: Category,
    pub(super) opcode: &'a str,
    pub(super) op_name: &'a str,
    pub(super) shape: Option<&'a Shape>,
    /// Class of a parameter by its use in the program: see [`super::train_state`].
    pub(super) by_use: Option<MemoryClass>,
}

/// Returns the first class that fits.
pub(super) fn class(facts: &Facts<'_>, vocabularies: &Vocabularies) -> MemoryClass {
    let name = facts.op_name.to_ascii_lowercase();
    if facts.category == Category::Parameter {
        return of_parameter(&name).or(facts.by_use).unwrap_or(MemoryClass::Inputs);
    }
    if facts.category == Category::Constant {
        return MemoryClass::Constants;
    }
    let has_vocabulary = || facts.shape.is_some_and(|shape| vocabularies.dim(shape).is_some());
    if (is_logits(&name) || name.contains("softmax")) && has_vocabulary() {
        MemoryClass::Logits
    } else if name.contains("expert") || name.contains("router") || words(&name).any(is_moe) {
        MemoryClass::Experts
    } else if name.contains("attention") || words(&name).any(is_attention) {
        MemoryClass::Attention
    } else if name.contains("transpose(jvp(") {
        MemoryClass::Gradients
    } else if name.contains("jvp(") {
        MemoryClass::Activations
    } else if opcode::is_collective(facts.opcode) {
        MemoryClass::Communication
    } else if facts.category == Category::Output {
        MemoryClass::Outputs
    } else {
        MemoryClass::Temporaries
    }
}

/// Classifies a parameter by its name. Optimizer state contains the names of the model's parameters, so the first word
/// that decides counts: `mu['params']['w']` belongs to the optimizer, and `params['mu']` is a weight named `mu`. `None`
/// if no word decides.
fn of_parameter(name: &str) -> Option<MemoryClass> {
    if name.contains("opt_state") {
        return Some(MemoryClass::Optimizer);
    }
    words(name).find_map(|word| match word {
        "params" => Some(MemoryClass::Weights),
        "mu" | "nu" => Some(MemoryClass::Optimizer),
        _ => None,
    })
}

/// Iterates over the runs of letters and digits in a name.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

fn is_moe(word: &str) -> bool {
    word.starts_with("moe") || word == "gmm" || word == "tgmm"
}

fn is_attention(word: &str) -> bool {
    word.starts_with("attn") || ["mha", "mla", "qkv"].contains(&word)
}

fn is_embedding(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["lm_head", "unembed"].iter().any(|part| name.contains(part))
        || words(&name).any(|word| word.starts_with("emb") || word == "wte" || word.starts_with("vocab"))
}

fn is_logits(name: &str) -> bool {
    ["logits", "cross_entropy"].iter().any(|part| contains(name, part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::hlo::text;

    fn class_of(category: Category, opcode: &str, op_name: &str, shape: &str) -> MemoryClass {
        let shape = text::shape(shape).unwrap();
        let vocabularies = Vocabularies { least: 100_000, known: vec![4096] };
        class(&Facts { category, opcode, op_name, shape: Some(&shape), by_use: None }, &vocabularies)
    }

    #[test]
    fn parameters() {
        let class = |name| class_of(Category::Parameter, "parameter", name, "f32[8,8]");
        for name in ["params['w1']", "state.params['mu']", "variables['params']['nu']"] {
            assert_eq!(class(name), MemoryClass::Weights, "{name}");
        }
        for name in ["state.opt_state[0].mu['w1']", "opt_state/params/w", "mu['params']['w']", "nu/params"] {
            assert_eq!(class(name), MemoryClass::Optimizer, "{name}");
        }
        for name in ["batch['tokens']", "", "st[0]['emb']", "hyperparams", "menu"] {
            assert_eq!(class(name), MemoryClass::Inputs, "{name}");
        }
    }

    #[test]
    fn temporaries() {
        let class = |opcode, name| class_of(Category::Temporary, opcode, name, "bf16[8,16,4096]{2,1,0}");
        for (opcode, name, known) in [
            ("fusion", "jit(f)/jvp(M)/logits/dot", MemoryClass::Logits),
            ("fusion", "jit(f)/transpose(jvp(M))/log_softmax/sub", MemoryClass::Logits),
            ("fusion", "jit(f)/jvp(M)/MoeBlock_0/dot", MemoryClass::Experts),
            ("custom-call", "jit(f)/transpose(jvp(M))/tgmm", MemoryClass::Experts),
            ("fusion", "jit(f)/transpose(jvp(M))/self_attention/dot", MemoryClass::Attention),
            ("fusion", "jit(f)/jvp(M)/attn/qkv_proj/dot", MemoryClass::Attention),
            ("all-reduce", "jit(f)/transpose(jvp(M))/mlp/dot", MemoryClass::Gradients),
            ("fusion", "jit(f)/jvp(M)/mlp/dot", MemoryClass::Activations),
            ("all-gather-start", "", MemoryClass::Communication),
            ("fusion", "jit(f)/clamp", MemoryClass::Temporaries),
        ] {
            assert_eq!(class(opcode, name), known, "{name}");
        }
    }

    #[test]
    fn logits_have_a_dimension_of_the_vocabularys_size() {
        let class = |shape| class_of(Category::Temporary, "fusion", "jit(f)/jvp(M)/logits/dot", shape);
        assert_eq!(class("bf16[8,200000]"), MemoryClass::Logits);
        assert_eq!(class("bf16[8,4096]"), MemoryClass::Logits);
        assert_eq!(class("bf16[8,512]"), MemoryClass::Activations);
        assert_eq!(class("bf16[200000]"), MemoryClass::Activations, "flattened");
        assert_eq!(class_of(Category::Temporary, "fusion", "jit(f)/mlp", "bf16[8,4096]"), MemoryClass::Temporaries);
    }
}
