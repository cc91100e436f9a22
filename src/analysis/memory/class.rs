//! What a buffer is to the model, by names alone. This module knows scope paths and shapes; no sizes of buffers.
//!
//! ```text
//!  state.opt_state[0].mu['w1']                       a parameter of an optimizer      optimizer
//!  params['layers']['w1']                            a parameter of the model         weights
//!  jit(f)/jvp(Model)/logits/dot  bf16[8,1024,32000]  and 32000 is the vocabulary's    logits
//!  jit(f)/transpose(jvp(Model))/moe/gmm              experts come before gradients    experts
//!  jit(f)/transpose(jvp(Model))/mlp/dot                                               gradients
//! ```

use super::words::{Category, MemoryClass};
use crate::hlo::{Module, Shape, opcode};
use indexmap::IndexSet;

/// Which sizes of dimensions are of a vocabulary.
#[derive(Clone, Debug, Default)]
pub(super) struct Vocabularies {
    /// As large as this, whatever it is of.
    least: u64,
    /// The last dimension of logits that a parameter for embedding has too.
    known: Vec<u64>,
}

impl Vocabularies {
    /// What a module says of its vocabularies. Shapes are of one device's share: an embedding and the logits that it gives
    /// are mostly shared in the same way.
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

    /// The same, and every dimension of `least` or more.
    pub(super) fn with(&self, least: u64) -> Self {
        Self { least: least.max(1), known: self.known.clone() }
    }

    /// The first dimension of a shape that is a vocabulary's. A shape of one dimension has been flattened: its size says
    /// nothing.
    pub(super) fn dim(&self, shape: &Shape) -> Option<u64> {
        let dims = &shape.as_array()?.dims;
        dims.iter().copied().find(|dim| dims.len() > 1 && (*dim >= self.least || self.known.contains(dim)))
    }
}

/// What is known of a buffer.
pub(super) struct Facts<'a> {
    pub(super) category: Category,
    pub(super) opcode: &'a str,
    pub(super) op_name: &'a str,
    pub(super) shape: Option<&'a Shape>,
    /// What the program's use says of a parameter: see [`super::train_state`].
    pub(super) by_use: Option<MemoryClass>,
}

/// The first class that fits.
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

/// An optimizer's state holds the names of the model's parameters, so what stands first counts: `mu['params']['w']` is the
/// optimizer's, `params['mu']` a weight of that name. `None` where no word decides.
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

/// Letters and digits that stand together.
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
    let has = |part: &str| name.as_bytes().windows(part.len()).any(|at| at.eq_ignore_ascii_case(part.as_bytes()));
    ["logits", "cross_entropy"].iter().any(|part| has(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::text;

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
