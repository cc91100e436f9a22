//! This module finds the modules of a program whose names say nothing, from what its instructions compute.
//!
//! ```text
//!  matmul ─► scale, mask ─► softmax ─► matmul          attention, and so are the matmuls around it; the experts, if the first
//!                                                      matmul reads weights
//!  gather from a large table                           the embedding; its first size is the vocabulary
//!  matmul with as many results as the vocabulary       the head
//!  log of the sum of a softmax                         the loss; the matmul before it is the head
//!  matmul ─► tanh, logistic, max, … ─► matmul          the MLP, if none of the above
//!  reduce ─► rsqrt                                     a norm
//!  matmul ─► … ─► an element-wise op that also reads the parameter p     a gradient, in the module of p, and the optimizer
//! ```
//!
//! The weights of a matmul carry its module to the matmuls of the backward pass that read them.

use super::values::Values;
use super::{ModelModule, data_flow::NamedNode};
use crate::analysis::classify::opcode_kind;
use rustc_hash::{FxHashMap, FxHashSet};
use xla_profile::hlo::Module;

/// Fewest rows of the table of an embedding.
const MIN_VOCABULARY: u64 = 64;

/// Opcodes that join or move elements, through which a search goes as through element-wise ones.
const PASSED: [&str; 4] = ["concatenate", "pad", "reverse", "select-and-scatter"];
/// Element-wise opcodes of activation functions.
const ACTIVATIONS: [&str; 7] =
    ["erf", "exponential", "exponential-minus-one", "log-plus-one", "logistic", "maximum", "tanh"];

/// Returns the modules of the instructions whose work tells them, by position. The instructions between them have none.
pub(super) fn by_structure(module: &Module) -> Vec<Option<NamedNode>> {
    let mut finder = Finder::new(module);
    finder.softmaxes();
    finder.embeddings();
    finder.by_weights();
    finder.mlps();
    finder.by_weights();
    finder.set_all(finder.convolutions.clone(), ModelModule::Convolution);
    finder.norms();
    finder.gradients();
    finder.updates();
    finder.nodes()
}

/// The instructions of a softmax.
struct Softmax {
    exponential: u32,
    difference: u32,
    maximum: u32,
    /// The logarithm of the sum of the exponentials.
    log: Option<u32>,
    /// The instructions that the exponential goes to.
    below: Vec<u32>,
}

struct Finder<'m> {
    module: &'m Module,
    values: Values<'m>,
    /// The convolutions that are no matmuls, in order.
    convolutions: Vec<u32>,
    /// The matmuls, in order.
    matmuls: Vec<u32>,
    gathers: Vec<u32>,
    scatters: Vec<u32>,
    found: FxHashMap<u32, ModelModule>,
}

impl<'m> Finder<'m> {
    fn new(module: &'m Module) -> Self {
        let values = Values::new(module);
        let convolutions = values.computing().filter(|index| module.slides(values.id(*index))).collect();
        let found = FxHashMap::default();
        let (matmuls, gathers, scatters) = (Vec::new(), Vec::new(), Vec::new());
        let mut finder = Self { module, values, convolutions, matmuls, gathers, scatters, found };
        finder.matmuls = finder.values.computing().filter(|index| finder.multiplies(*index)).collect();
        finder.gathers = finder.all("gather");
        finder.scatters = finder.all("scatter");
        finder
    }

    /// Returns the instructions with an opcode, in order.
    fn all(&self, opcode: &str) -> Vec<u32> {
        self.values.computing().filter(|index| self.is(*index, &[opcode])).collect()
    }

    /// Returns whether an instruction has one of some opcodes.
    fn is(&self, index: u32, opcodes: &[&str]) -> bool {
        opcodes.contains(&&*self.values.instruction(index).opcode)
    }

    fn is_parameter(&self, index: u32) -> bool {
        self.is(index, &["parameter"])
    }

    fn is_elementwise(&self, index: u32) -> bool {
        opcode_kind::is_elementwise(&self.values.instruction(index).opcode) || self.is(index, &PASSED)
    }

    fn is_matmul(&self, index: u32) -> bool {
        self.matmuls.binary_search(&index).is_ok()
    }

    fn dims(&self, index: u32) -> &'m [u64] {
        self.values.instruction(index).shape.as_array().map_or(&[], |array| &array.dims)
    }

    /// Gives an instruction a module, unless it has one.
    fn set(&mut self, index: u32, module: ModelModule) {
        self.found.entry(index).or_insert(module);
    }

    fn set_all(&mut self, all: impl IntoIterator<Item = u32>, module: ModelModule) {
        all.into_iter().for_each(|index| self.set(index, module));
    }

    /// Returns the matmuls from which a value comes through element-wise instructions.
    fn matmuls_above(&self, index: u32) -> Vec<u32> {
        let above = self.values.origins(index, |found| self.is_elementwise(found));
        above.into_iter().filter(|found| *found != index && self.is_matmul(*found)).collect()
    }

    /// Finds the softmaxes. Those between two matmuls are attention, and those with a logarithm the loss.
    fn softmaxes(&mut self) {
        let exponentials = self.all("exponential").into_iter();
        let softmaxes: Vec<Softmax> = exponentials.filter_map(|exponential| self.softmax(exponential)).collect();
        // A compiler computes an exponential again in each fusion that reads it.
        let of_loss: FxHashSet<u32> =
            softmaxes.iter().filter(|softmax| softmax.log.is_some()).map(|softmax| softmax.maximum).collect();
        for Softmax { exponential, difference, maximum, log, below } in softmaxes {
            let scores: Vec<u32> =
                [difference, maximum].into_iter().flat_map(|index| self.matmuls_above(index)).collect();
            let results: Vec<u32> = below.into_iter().filter(|index| self.is_matmul(*index)).collect();
            let (core, is_read) = ([exponential, difference, maximum], !results.is_empty());
            if of_loss.contains(&maximum) {
                self.set_all(core.into_iter().chain(log), ModelModule::Loss);
                self.set_all(scores, ModelModule::Head);
            } else if is_read && scores.iter().any(|index| self.has_weights(*index)) {
                // The scores of experts come from weights, those of attention from two values.
                self.set_all(core.into_iter().chain(scores).chain(results), ModelModule::Experts);
            } else if is_read && !scores.is_empty() {
                self.set_all(core, ModelModule::Attention);
                self.attention(&scores, &results);
            }
        }
    }

    /// Returns the softmax of an exponential: that of a difference to a maximum.
    fn softmax(&self, exponential: u32) -> Option<Softmax> {
        let difference = *self.values.operands(exponential).first()?;
        let above = self.values.origins(difference, |found| self.is(found, &["select", "subtract"]));
        let maximum = above.into_iter().find(|index| self.reduces_with(*index, "maximum"))?;
        let is_reduction = |found| self.values.instruction(found).opcode.starts_with("reduce");
        let below = self.values.consumers(&[exponential], |found| self.is_elementwise(found) || is_reduction(found));
        let is_log = |index: &u32| {
            let of_sum = self.values.operands(*index).first().is_some_and(|sum| self.reduces_with(*sum, "add"));
            self.is(*index, &["log"]) && of_sum
        };
        Some(Softmax { exponential, difference, maximum, log: below.iter().copied().find(is_log), below })
    }

    /// Gives the matmuls around the scores and the results of attention their module: those of queries, keys and values, and
    /// the projection of the result.
    fn attention(&mut self, scores: &[u32], results: &[u32]) {
        let inputs = scores.iter().chain(results).flat_map(|index| {
            self.values.origins(*index, |found| self.is_elementwise(found) && !self.is_residual(found))
        });
        let readers = results.iter().flat_map(|index| self.values.readers(*index).to_vec());
        let around: Vec<u32> = inputs.chain(readers).filter(|index| self.is_matmul(*index)).collect();
        self.set_all(around, ModelModule::Attention);
    }

    /// Finds the tables that are read by index, and the matmuls that give one result for each row of such a table.
    fn embeddings(&mut self) {
        let mut vocabularies = Vec::new();
        for gather in self.gathers.clone() {
            let Some(table) = self.values.operands(gather).first().copied() else { continue };
            if let [rows, _] = self.dims(table)
                && *rows >= MIN_VOCABULARY
                && self.is_parameter(table)
            {
                self.set(gather, ModelModule::Embedding);
                vocabularies.push(*rows);
            }
        }
        let has_rows = |index: &u32| self.dims(*index).iter().any(|size| vocabularies.contains(size));
        let tables = self.scatters.iter().copied().filter(|index| has_rows(index) && self.dims(*index).len() == 2);
        let (tables, heads): (Vec<u32>, Vec<u32>) =
            (tables.collect(), self.matmuls.iter().copied().filter(has_rows).collect());
        self.set_all(tables, ModelModule::Embedding);
        self.set_all(heads, ModelModule::Head);
    }

    /// Gives pairs of matmuls with an activation function between them their module.
    fn mlps(&mut self) {
        let open: Vec<u32> = self.matmuls.iter().copied().filter(|index| !self.found.contains_key(index)).collect();
        for matmul in open {
            let is_open = |index: &u32| !self.found.contains_key(index);
            let mut active = self.values.consumers(&[matmul], |found| self.is_elementwise(found));
            active.retain(|index| self.is(*index, &ACTIVATIONS) && is_open(index));
            let mut second = self.values.consumers(&active, |found| self.is_elementwise(found));
            second.retain(|index| self.is_matmul(*index) && is_open(index));
            if !second.is_empty() {
                let is_of_experts = |index: &u32| self.found.get(index) == Some(&ModelModule::Experts);
                let experts = self.matmuls_above(matmul).iter().any(is_of_experts) || self.is(matmul, &["ragged-dot"]);
                let module = if experts { ModelModule::Experts } else { ModelModule::Mlp };
                self.set_all([matmul].into_iter().chain(active).chain(second), module);
            }
        }
    }

    /// Finds the roots of variances.
    fn norms(&mut self) {
        for root in self.all("rsqrt") {
            let above = self.values.origins(root, |found| self.is_elementwise(found));
            let sums: Vec<u32> = above.into_iter().filter(|index| self.reduces_with(*index, "add")).collect();
            if !sums.is_empty() {
                self.set_all(sums.into_iter().chain([root]), ModelModule::Norm);
            }
        }
    }

    /// Returns the modules of the parameters that matmuls, convolutions and embeddings read.
    fn weights(&self) -> FxHashMap<u32, ModelModule> {
        let mut weights = FxHashMap::default();
        for index in self.gathers.iter().chain(&self.matmuls).chain(&self.convolutions) {
            let Some(module) = self.found.get(index) else { continue };
            for operand in self.values.operands(*index).iter().filter(|operand| self.is_parameter(**operand)) {
                weights.entry(*operand).or_insert(*module);
            }
        }
        weights
    }

    /// Gives the matmuls that read the weights of a module the same module.
    fn by_weights(&mut self) {
        let weights = self.weights();
        for matmul in self.matmuls.clone() {
            if let Some(module) = self.values.operands(matmul).iter().find_map(|operand| weights.get(operand)) {
                self.set(matmul, *module);
            }
        }
    }

    /// Gives the instructions whose result changes weights the module of the weights. What lies between them is the optimizer.
    fn gradients(&mut self) {
        let weights = self.weights();
        let all = self.matmuls.iter().chain(&self.convolutions).chain(&self.scatters);
        for gradient in all.copied().collect::<Vec<_>>() {
            let mut below = self.values.consumers(&[gradient], |found| self.is_elementwise(found));
            below.retain(|index| *index != gradient && self.is_elementwise(*index));
            let changed = |index: &u32| self.values.operands(*index).iter().find_map(|operand| weights.get(operand));
            let Some(module) = below.iter().find_map(changed) else { continue };
            self.set(gradient, *module);
            self.set_all(below, ModelModule::Optimizer);
        }
    }

    /// Finds the element-wise instructions that change parameters: those from which a result of the program comes that has the
    /// shape of a parameter and depends on it. A program that adds nothing to its weights has no optimizer.
    fn updates(&mut self) {
        let Some(root) = self.module.entry.and_then(|entry| self.module.computation(entry)?.root) else { return };
        let results = self.module.operands(root).map(|id| self.values.source(id.index() as u32));
        let results: Vec<u32> = results.filter(|index| self.is_elementwise(*index)).collect();
        let weights = self.weights();
        let adds = |index: &u32| {
            self.is(*index, &["add", "subtract"])
                && self.values.operands(*index).iter().any(|operand| weights.contains_key(operand))
        };
        if !results.iter().any(adds) {
            return;
        }
        let changes = results.into_iter().flat_map(|result| {
            let above = self.values.origins(result, |found| self.is_elementwise(found));
            let is_old = |index: &u32| self.is_parameter(*index) && self.dims(*index) == self.dims(result);
            if above.iter().any(is_old) { above } else { Vec::new() }
        });
        let changes: Vec<u32> = changes.filter(|index| self.is_elementwise(*index)).collect();
        self.set_all(changes, ModelModule::Optimizer);
    }

    /// Returns the modules by position. What runs as one op with a matmul belongs to the module of the matmul.
    fn nodes(&self) -> Vec<Option<NamedNode>> {
        let node = |index: u32| self.found.get(&index).map(|module| NamedNode { module: *module, origin: index });
        let of_matmul = |index: u32| {
            let called = self.values.instruction(index).calls().find_map(|call| call.id)?;
            let within = self.module.instructions_of(called).map(|id| id.index() as u32);
            within.filter(|index| self.is_matmul(*index)).find_map(node)
        };
        let all = 0..self.values.len() as u32;
        all.map(|index| if self.is(index, &["fusion"]) { of_matmul(index) } else { node(index) }).collect()
    }

    /// Returns whether an instruction adds the result of a matmul to a value of the same size, as after attention and after an MLP. A
    /// bias is smaller.
    fn is_residual(&self, index: u32) -> bool {
        let operands = self.values.operands(index);
        self.is(index, &["add"])
            && operands.iter().any(|operand| self.is_matmul(*operand))
            && operands.iter().all(|operand| self.n_elements(*operand) == self.n_elements(index))
    }

    /// Returns whether an instruction reads a parameter.
    fn has_weights(&self, index: u32) -> bool {
        self.values.operands(index).iter().any(|operand| self.is_parameter(*operand))
    }

    /// Returns whether an instruction is a matmul. Compilers also write it as a convolution or as a call of a library, and one of
    /// a vector as the sum of a product.
    fn multiplies(&self, index: u32) -> bool {
        let instruction = self.values.instruction(index);
        let target = || instruction.custom_call_target().unwrap_or_default();
        match &*instruction.opcode {
            "dot" | "ragged-dot" => true,
            "convolution" => self.convolutions.binary_search(&index).is_err(),
            "reduce" => self.is_product_with_vector(index),
            "custom-call" => ["gemm", "matmul"].iter().any(|word| target().contains(word)),
            _ => false,
        }
    }

    /// Returns whether an instruction sums the product of an array and of another one with fewer elements.
    fn is_product_with_vector(&self, index: u32) -> bool {
        let Some(product) = self.values.operands(index).first().filter(|_| self.reduces_with(index, "add")) else {
            return false;
        };
        let [a, b] = self.values.operands(*product) else { return false };
        let (a, b) = (self.n_elements(*a), self.n_elements(*b));
        self.is(*product, &["multiply"]) && a != b && a.min(b) > 1
    }

    fn n_elements(&self, index: u32) -> u64 {
        self.dims(index).iter().fold(1, |n, size| n.saturating_mul(*size))
    }

    /// Returns whether an instruction reduces an array with an operation such as `add`.
    fn reduces_with(&self, index: u32, opcode: &str) -> bool {
        let root = || {
            let called = self.values.instruction(index).call("to_apply")?.id?;
            self.module.instruction(self.module.computation(called)?.root?)
        };
        self.is(index, &["reduce", "reduce-window"]) && root().is_some_and(|root| &*root.opcode == opcode)
    }
}
