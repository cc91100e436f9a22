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
use rustc_hash::{FxHashMap, FxHashSet};
use xla_profile::hlo::{Instruction, Module};

/// Fewest rows of the table of an embedding.
const MIN_VOCABULARY: u64 = 64;

/// Element-wise opcodes, through which a search goes.
const ELEMENTWISE: [&str; 38] = [
    "abs",
    "add",
    "and",
    "cbrt",
    "ceil",
    "clamp",
    "compare",
    "concatenate",
    "cosine",
    "divide",
    "erf",
    "exponential",
    "exponential-minus-one",
    "floor",
    "is-finite",
    "log",
    "log-plus-one",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "not",
    "or",
    "pad",
    "power",
    "remainder",
    "reverse",
    "rsqrt",
    "select",
    "select-and-scatter",
    "sign",
    "sine",
    "sqrt",
    "subtract",
    "tan",
    "tanh",
    "xor",
];
/// Element-wise opcodes of activation functions.
const ACTIVATIONS: [&str; 7] =
    ["erf", "exponential", "exponential-minus-one", "log-plus-one", "logistic", "maximum", "tanh"];

/// Returns the modules of the instructions whose work tells them, by position. The instructions between them have none.
pub(super) fn by_structure(module: &Module) -> Vec<Option<NamedNode>> {
    let values = Values::new(module);
    let is_convolution = |index: &u32| module.slides(values.id(*index));
    let convolutions: FxHashSet<u32> = values.computing().filter(is_convolution).collect();
    let mut finder = Finder { module, values, convolutions, found: FxHashMap::default() };
    let matmuls: Vec<u32> = finder.values.computing().filter(|index| finder.is_matmul(*index)).collect();
    finder.softmaxes();
    finder.embeddings(&matmuls);
    finder.by_weights(&matmuls);
    finder.mlps(&matmuls);
    finder.by_weights(&matmuls);
    finder.convolutions();
    finder.norms();
    finder.gradients(&matmuls);
    finder.updates(&matmuls);
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
    /// The convolutions that are no matmuls.
    convolutions: FxHashSet<u32>,
    found: FxHashMap<u32, ModelModule>,
}

impl Finder<'_> {
    fn all(&self, is: fn(&Instruction) -> bool) -> Vec<u32> {
        self.values.computing().filter(|index| is(self.values.instruction(*index))).collect()
    }

    fn is(&self, index: u32, is: fn(&Instruction) -> bool) -> bool {
        is(self.values.instruction(index))
    }

    /// Gives an instruction a module, unless it has one.
    fn set(&mut self, index: u32, module: ModelModule) {
        self.found.entry(index).or_insert(module);
    }

    /// Returns the matmuls from which a value comes through element-wise instructions.
    fn matmuls_above(&self, index: u32) -> Vec<u32> {
        let above = self.values.origins(index, |found| self.is(found, is_elementwise));
        above.into_iter().filter(|found| *found != index && self.is_matmul(*found)).collect()
    }

    /// Finds the softmaxes. Those between two matmuls are attention, and those with a logarithm the loss.
    fn softmaxes(&mut self) {
        let exponentials = self.all(|instruction| &*instruction.opcode == "exponential").into_iter();
        let softmaxes: Vec<Softmax> = exponentials.filter_map(|exponential| self.softmax(exponential)).collect();
        // A compiler computes an exponential again in each fusion that reads it.
        let of_loss: FxHashSet<u32> =
            softmaxes.iter().filter(|softmax| softmax.log.is_some()).map(|s| s.maximum).collect();
        for Softmax { exponential, difference, maximum, log, below } in softmaxes {
            let scores: Vec<u32> = [difference, maximum].iter().flat_map(|index| self.matmuls_above(*index)).collect();
            let results: Vec<u32> = below.into_iter().filter(|index| self.is_matmul(*index)).collect();
            let core = [exponential, difference, maximum];
            if of_loss.contains(&maximum) {
                core.into_iter().chain(log).for_each(|index| self.set(index, ModelModule::Loss));
                scores.into_iter().for_each(|index| self.set(index, ModelModule::Head));
            } else if scores.iter().any(|index| self.has_weights(*index)) {
                // The scores of experts come from weights, those of attention from two values.
                let router =
                    core.into_iter().chain(scores).chain(results.iter().copied()).filter(|_| !results.is_empty());
                router.for_each(|index| self.set(index, ModelModule::Experts));
            } else if !scores.is_empty() && !results.is_empty() {
                core.into_iter().for_each(|index| self.set(index, ModelModule::Attention));
                self.attention(&scores, &results);
            }
        }
    }

    /// Returns the softmax of an exponential: that of a difference to a maximum.
    fn softmax(&self, exponential: u32) -> Option<Softmax> {
        let difference = *self.values.operands(exponential).first()?;
        let above = self
            .values
            .origins(difference, |found| self.is(found, |found| matches!(&*found.opcode, "select" | "subtract")));
        let maximum = above.into_iter().find(|index| self.reduces_with(*index, "maximum"))?;
        let passes = |found| self.is(found, |found| is_elementwise(found) || found.opcode.starts_with("reduce"));
        let below = self.values.consumers(exponential, passes);
        let is_log = |index: &u32| {
            let of_sum = self.values.operands(*index).first().is_some_and(|sum| self.reduces_with(*sum, "add"));
            self.is(*index, |found| &*found.opcode == "log") && of_sum
        };
        Some(Softmax { exponential, difference, maximum, log: below.iter().copied().find(is_log), below })
    }

    /// Gives the matmuls around the scores and the results of attention their module: those of queries, keys and values, and
    /// the projection of the result.
    fn attention(&mut self, scores: &[u32], results: &[u32]) {
        let inputs = scores.iter().chain(results).flat_map(|index| {
            let passes = |found| self.is(found, is_elementwise) && !self.is_residual(found);
            self.values.origins(*index, passes).into_iter().filter(|found| self.is_matmul(*found))
        });
        let readers = results.iter().flat_map(|index| self.values.readers(*index).to_vec());
        let projections = readers.filter(|reader| self.is_matmul(*reader));
        let all: Vec<u32> = inputs.chain(projections).chain(scores.iter().chain(results).copied()).collect();
        all.into_iter().for_each(|index| self.set(index, ModelModule::Attention));
    }

    /// Finds the tables that are read by index, and the matmuls that give one result for each row of such a table.
    fn embeddings(&mut self, matmuls: &[u32]) {
        let mut vocabularies = Vec::new();
        for gather in self.all(|instruction| &*instruction.opcode == "gather") {
            let Some(table) = self.values.operands(gather).first().copied() else { continue };
            let rows = dims(self.values.instruction(table)).first().copied().unwrap_or(0);
            if self.is(table, is_parameter) && dims(self.values.instruction(table)).len() == 2 && rows >= MIN_VOCABULARY
            {
                self.set(gather, ModelModule::Embedding);
                vocabularies.push(rows);
            }
        }
        let has_rows = |index: &u32| dims(self.values.instruction(*index)).iter().any(|n| vocabularies.contains(n));
        let is_table = |index: &u32| dims(self.values.instruction(*index)).len() == 2;
        let scatters = self.all(|instruction| &*instruction.opcode == "scatter").into_iter();
        let scatters = scatters.filter(|index| has_rows(index) && is_table(index));
        let scatters: Vec<u32> = scatters.collect();
        let heads: Vec<u32> = matmuls.iter().copied().filter(has_rows).collect();
        scatters.into_iter().for_each(|index| self.set(index, ModelModule::Embedding));
        heads.into_iter().for_each(|index| self.set(index, ModelModule::Head));
    }

    /// Gives pairs of matmuls with an activation function between them their module.
    fn mlps(&mut self, matmuls: &[u32]) {
        for matmul in matmuls.iter().filter(|index| !self.found.contains_key(index)).copied().collect::<Vec<_>>() {
            let activation = |index: &u32| self.is(*index, is_activation) && !self.found.contains_key(index);
            let below = self.values.consumers(matmul, |found| self.is(found, is_elementwise));
            let active: Vec<u32> = below.into_iter().filter(activation).collect();
            let after = |index: &u32| self.values.consumers(*index, |found| self.is(found, is_elementwise));
            let second: Vec<u32> = active
                .iter()
                .flat_map(after)
                .filter(|index| self.is_matmul(*index) && !self.found.contains_key(index))
                .collect();
            if !second.is_empty() {
                let is_of_experts = |index: &u32| self.found.get(index) == Some(&ModelModule::Experts);
                let experts = self.matmuls_above(matmul).iter().any(is_of_experts) || self.is(matmul, is_ragged);
                let module = if experts { ModelModule::Experts } else { ModelModule::Mlp };
                [matmul].into_iter().chain(active).chain(second).for_each(|index| self.set(index, module));
            }
        }
    }

    fn convolutions(&mut self) {
        for convolution in self.convolutions.clone() {
            self.set(convolution, ModelModule::Convolution);
        }
    }

    /// Finds the roots of variances.
    fn norms(&mut self) {
        for root in self.all(|instruction| &*instruction.opcode == "rsqrt") {
            let above = self.values.origins(root, |found| self.is(found, is_elementwise));
            let sums: Vec<u32> = above.into_iter().filter(|index| self.is_sum(*index)).collect();
            if !sums.is_empty() {
                sums.into_iter().chain([root]).for_each(|index| self.set(index, ModelModule::Norm));
            }
        }
    }

    /// Returns the modules of the parameters that matmuls, convolutions and embeddings read.
    fn weights(&self, matmuls: &[u32]) -> FxHashMap<u32, ModelModule> {
        let mut weights = FxHashMap::default();
        let tables = self.all(|instruction| &*instruction.opcode == "gather");
        for index in tables.iter().chain(matmuls).chain(&self.convolutions) {
            let Some(module) = self.found.get(index) else { continue };
            for operand in self.values.operands(*index).iter().filter(|operand| self.is(**operand, is_parameter)) {
                weights.entry(*operand).or_insert(*module);
            }
        }
        weights
    }

    /// Gives the matmuls that read the weights of a module the same module.
    fn by_weights(&mut self, matmuls: &[u32]) {
        let weights = self.weights(matmuls);
        for matmul in matmuls {
            if let Some(module) = self.values.operands(*matmul).iter().find_map(|operand| weights.get(operand)) {
                self.set(*matmul, *module);
            }
        }
    }

    /// Gives the instructions whose result changes weights the module of the weights. What lies between them is the optimizer.
    fn gradients(&mut self, matmuls: &[u32]) {
        let weights = self.weights(matmuls);
        let scatters = self.all(|instruction| &*instruction.opcode == "scatter");
        let gradients: Vec<u32> = matmuls.iter().chain(&self.convolutions).copied().chain(scatters).collect();
        for gradient in gradients {
            let mut below = self.values.consumers(gradient, |found| self.is(found, is_elementwise));
            below.retain(|index| *index != gradient && self.is(*index, is_elementwise));
            let changed = |index: &u32| self.values.operands(*index).iter().find_map(|operand| weights.get(operand));
            let Some(module) = below.iter().find_map(changed) else { continue };
            self.set(gradient, *module);
            below.into_iter().for_each(|index| self.set(index, ModelModule::Optimizer));
        }
    }

    /// Finds the element-wise instructions that change parameters: those from which a result of the program comes that has the
    /// shape of a parameter and depends on it. A program that adds nothing to its weights has no optimizer.
    fn updates(&mut self, matmuls: &[u32]) {
        let Some(root) = self.module.entry.and_then(|entry| self.module.computation(entry)?.root) else { return };
        let results = self.module.operands(root).map(|id| self.values.source(id.index() as u32));
        let results: Vec<u32> = results.filter(|index| self.is(*index, is_elementwise)).collect();
        let weights = self.weights(matmuls);
        let adds = |index: &u32| {
            self.is(*index, |found| matches!(&*found.opcode, "add" | "subtract"))
                && self.values.operands(*index).iter().any(|operand| weights.contains_key(operand))
        };
        if !results.iter().any(adds) {
            return;
        }
        let changes = results.into_iter().flat_map(|result| {
            let size = dims(self.values.instruction(result));
            let above = self.values.origins(result, |found| self.is(found, is_elementwise));
            let is_old = |index: &u32| self.is(*index, is_parameter) && dims(self.values.instruction(*index)) == size;
            if above.iter().any(is_old) { above } else { Vec::new() }
        });
        let changes: Vec<u32> = changes.filter(|index| self.is(*index, is_elementwise)).collect();
        changes.into_iter().for_each(|index| self.set(index, ModelModule::Optimizer));
    }

    /// Returns the modules by position. What runs as one op with a matmul belongs to the module of the matmul.
    fn nodes(&self) -> Vec<Option<NamedNode>> {
        let node = |index: u32| self.found.get(&index).map(|module| NamedNode { module: *module, origin: index });
        let of_matmul = |index: u32| {
            let called = self.values.instruction(index).calls().find_map(|call| call.id)?;
            let within = self.module.instructions_of(called).map(|id| id.index() as u32);
            within.filter(|index| self.is_matmul(*index)).find_map(node)
        };
        let is_fusion = |index: u32| &*self.values.instruction(index).opcode == "fusion";
        (0..self.values.len() as u32)
            .map(|index| if is_fusion(index) { of_matmul(index) } else { node(index) })
            .collect()
    }

    /// Returns whether an instruction adds the result of a matmul to a value of the same size, as after attention and after an MLP. A
    /// bias is smaller.
    fn is_residual(&self, index: u32) -> bool {
        let n = |index: u32| n_elements(self.values.instruction(index));
        let operands = self.values.operands(index);
        self.is(index, |found| &*found.opcode == "add")
            && operands.iter().any(|operand| self.is_matmul(*operand))
            && operands.iter().all(|operand| n(*operand) == n(index))
    }

    /// Returns whether an instruction reads a parameter.
    fn has_weights(&self, index: u32) -> bool {
        self.values.operands(index).iter().any(|operand| self.is(*operand, is_parameter))
    }

    /// Returns whether an instruction is a matmul. Compilers also write it as a convolution or as a call of a library, and one of
    /// a vector as the sum of a product.
    fn is_matmul(&self, index: u32) -> bool {
        let instruction = self.values.instruction(index);
        let target = || instruction.custom_call_target().unwrap_or_default();
        match &*instruction.opcode {
            "dot" | "ragged-dot" => true,
            "convolution" => !self.convolutions.contains(&index),
            "reduce" => self.is_product_with_vector(index),
            "custom-call" => ["gemm", "matmul"].iter().any(|word| target().contains(word)),
            _ => false,
        }
    }

    /// Returns whether an instruction sums the product of an array and of another one with fewer elements.
    fn is_product_with_vector(&self, index: u32) -> bool {
        let product = || self.values.operands(index).first().copied();
        let is_uneven = |product: u32| match self.values.operands(product) {
            [a, b] => {
                let n = |index: &u32| n_elements(self.values.instruction(*index));
                self.is(product, |found| &*found.opcode == "multiply") && n(a) != n(b) && n(a).min(n(b)) > 1
            }
            _ => false,
        };
        self.is_sum(index) && product().is_some_and(is_uneven)
    }

    fn is_sum(&self, index: u32) -> bool {
        self.reduces_with(index, "add")
    }

    fn reduces_with(&self, index: u32, opcode: &str) -> bool {
        let instruction = self.values.instruction(index);
        let root = || {
            let called = instruction.call("to_apply")?.id?;
            self.module.instruction(self.module.computation(called)?.root?)
        };
        matches!(&*instruction.opcode, "reduce" | "reduce-window") && root().is_some_and(|root| &*root.opcode == opcode)
    }
}

fn dims(instruction: &Instruction) -> &[u64] {
    instruction.shape.as_array().map_or(&[], |array| &array.dims)
}

fn n_elements(instruction: &Instruction) -> u64 {
    dims(instruction).iter().fold(1, |n, size| n.saturating_mul(*size))
}

fn is_ragged(instruction: &Instruction) -> bool {
    &*instruction.opcode == "ragged-dot"
}

fn is_parameter(instruction: &Instruction) -> bool {
    &*instruction.opcode == "parameter"
}

fn is_elementwise(instruction: &Instruction) -> bool {
    ELEMENTWISE.contains(&&*instruction.opcode)
}

fn is_activation(instruction: &Instruction) -> bool {
    ACTIVATIONS.contains(&&*instruction.opcode)
}
