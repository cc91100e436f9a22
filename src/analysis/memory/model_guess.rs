//! This module derives the size of the model and of a batch from the parameters of a program. Shapes in a partitioned
//! program are those of one device's part, so each is multiplied by the number of parts.
//!
//! ```text
//!  weights   bf16[2,704,1408]  divided [1,4,2]  ──► 2 × 2816 × 2816 elements of the model
//!  tokens    s32[4,2048]       divided [4,1]    ──► 16 sequences of 2048 tokens
//! ```

use super::attention_size::attention_units;
use super::categories::{Category, MemoryClass};
use super::class::{Facts, class};
use super::fit_report::JobSize;
use super::program::ProgramMemory;
use crate::table::format::{count, counted, decimal, percent_text};
use serde::{Deserialize, Serialize};
use xla_profile::hlo::{ArrayShape, Instruction, InstructionId, Module};

/// The size of the model and of a batch, as the parameters of a program suggest it. A guess: weights are recognised by
/// names and by their use, and tokens by their type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelGuess {
    /// Elements of all weights of the whole model, with all experts. `None` if no weight is recognised, or if the division
    /// of one over the devices is unknown.
    pub n_parameters: Option<u64>,
    /// Sequences and tokens of a sequence in one step of the whole job: the sizes of the largest array of whole numbers
    /// with two dimensions among the inputs. `None` if there is none.
    pub batch: Option<(u64, u64)>,
    /// Σ over layers of heads × head size of attention. `None` if no attention is recognised.
    pub attention: Option<u64>,
    /// Whether the program computes gradients.
    pub is_training: bool,
}

impl ModelGuess {
    /// FLOPs per parameter and token of training: two each for the forward pass, for the gradients of activations and for
    /// those of weights (Kaplan et al., "Scaling Laws for Neural Language Models", 2020, section 2.1).
    const TRAINING: u64 = 6;
    /// FLOPs per parameter and token of the forward pass alone.
    const INFERENCE: u64 = 2;

    /// Returns the FLOPs per token, with those of causal attention if it is recognised. `None` if the number of parameters
    /// is unknown.
    pub fn flops_per_token(&self) -> Option<u64> {
        let of_parameters = self.n_parameters?.checked_mul(self.factor())?;
        of_parameters.checked_add(self.attention_flops().unwrap_or(0))
    }

    /// Returns the FLOPs per token of causal attention. A token meets half of the sequence on average, in two products, so
    /// the forward pass has 2 FLOPs per token of the sequence and element of all heads (Chowdhery et al., "PaLM", 2022,
    /// appendix B, which counts all pairs of tokens). `None` if no attention is recognised.
    fn attention_flops(&self) -> Option<u64> {
        let (_, length) = self.batch?;
        self.attention?.checked_mul(length)?.checked_mul(self.factor())
    }

    /// Returns the FLOPs per parameter and token.
    const fn factor(&self) -> u64 {
        if self.is_training { Self::TRAINING } else { Self::INFERENCE }
    }

    /// Returns the guess in words. `None` if tokens or parameters are unknown.
    pub fn sentence(&self) -> Option<String> {
        let ((sequences, length), n) = self.batch.zip(self.n_parameters)?;
        let of_parameters = n.checked_mul(self.factor())?;
        #[expect(clippy::cast_precision_loss, reason = "a ratio")]
        let attention = self.attention_flops().map_or("without attention".to_owned(), |flops| {
            format!("and {} more for causal attention", percent_text(flops as f64 / of_parameters.max(1) as f64))
        });
        Some(format!(
            "A guess from the program: {} per step with {} each, {} parameters, {} FLOPs per parameter and token, {attention}.",
            counted(sequences, "sequence", "sequences"),
            counted(length, "token", "tokens"),
            large_count(n),
            self.factor(),
        ))
    }

    /// Returns the tokens of a step of the whole job. `None` if they are unknown.
    pub fn tokens(&self) -> Option<u64> {
        self.batch.and_then(|(sequences, length)| sequences.checked_mul(length))
    }
}

impl ProgramMemory {
    /// Derives the size of the model and of a batch. `module` must be the program of the memory.
    pub fn guess_model(&self, module: &Module) -> ModelGuess {
        self.sizes(module).0
    }

    /// Derives the sizes on which the memory of one device depends, and whether a weight has a dimension of the length of
    /// a sequence, so that the length does not show what a dimension of another array is. `None` if weights or tokens are
    /// not recognised. `module` must be the program of the memory.
    pub(super) fn job_size(&self, module: &Module) -> Option<(JobSize, bool)> {
        self.sizes(module).1
    }

    fn sizes(&self, module: &Module) -> (ModelGuess, Option<(JobSize, bool)>) {
        let mut n_parameters = Some(0_u64);
        let mut n_local = 0_u64;
        // The whole dimensions of all weights.
        let mut dims: Vec<u64> = Vec::new();
        let mut batch: Option<(u64, u64)> = None;
        let mut local_batch: Option<(u64, u64)> = None;
        for (id, parameter) in entry_parameters(module) {
            let Some(array) = parameter.shape.as_array() else { continue };
            let tiles = module.parameter_tiles(parameter);
            match self.class_of(id, parameter) {
                MemoryClass::Weights => {
                    let n_tiles =
                        |index: usize| tiles.as_ref().and_then(|tiles| tiles.get(index)).copied().unwrap_or(1);
                    dims.extend(
                        array.dims.iter().enumerate().filter_map(|(index, dim)| dim.checked_mul(n_tiles(index))),
                    );
                    let whole = tiles
                        .zip(array.elements())
                        .and_then(|(tiles, n)| tiles.iter().try_fold(n, |n, tile| n.checked_mul(*tile)));
                    n_local = n_local.saturating_add(array.elements().unwrap_or(0));
                    n_parameters = n_parameters.zip(whole).and_then(|(sum, n)| sum.checked_add(n));
                }
                MemoryClass::Inputs => {
                    let whole = tiles.and_then(|tiles| tokens(array, &tiles));
                    let larger = |candidates: [Option<(u64, u64)>; 2]| {
                        candidates.into_iter().flatten().max_by_key(|(n, length)| n.saturating_mul(*length))
                    };
                    batch = larger([batch, whole]);
                    local_batch = larger([local_batch, tokens(array, &[])]);
                }
                _ => {}
            }
        }
        let batch = batch.and_then(|(sequences, length)| Some((sequences.checked_mul(module.n_replicas())?, length)));
        let n_parameters = n_parameters.filter(|n| *n > 0);
        let size = n_parameters.zip(local_batch).map(|(n_parameters, (sequences, length))| {
            let n_sharing = (n_parameters.saturating_add(n_local / 2) / n_local.max(1)).max(1);
            (JobSize { n_parameters, n_sharing, sequences, length }, dims.contains(&length))
        });
        let attention = attention(module, batch, local_batch);
        (ModelGuess { n_parameters, batch, attention, is_training: self.schedule.has_gradient }, size)
    }

    fn class_of(&self, id: InstructionId, parameter: &Instruction) -> MemoryClass {
        let facts = Facts {
            category: Category::Parameter,
            opcode: &parameter.opcode,
            op_name: parameter.op_name(),
            shape: Some(&parameter.shape),
            by_use: self.train_state.class(id),
        };
        class(&facts, &self.vocabularies)
    }
}

/// Returns Σ over layers of heads × head size, from what one device computes. `local` are the sequences of the device.
fn attention(module: &Module, batch: Option<(u64, u64)>, local: Option<(u64, u64)>) -> Option<u64> {
    let ((sequences, _), (n_local, length)) = batch.zip(local)?;
    let units = attention_units(module, n_local, length)?;
    let devices = module.devices().unwrap_or(1);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a size of a model"
    )]
    let all = (units * devices as f64 / sequences.max(1) as f64).round() as u64;
    Some(all).filter(|all| *all > 0)
}

/// Formats a number of parameters: "1.21 billion".
#[expect(clippy::cast_precision_loss, reason = "a number that is shown")]
pub fn large_count(n: u64) -> String {
    let steps = [(1e9, "billion"), (1e6, "million")];
    let step = steps.into_iter().find(|(scale, _)| n as f64 >= *scale);
    step.map_or_else(|| count(n), |(scale, name)| format!("{} {name}", decimal(n as f64 / scale, 2)))
}

/// Iterates over the parameters of the entry.
fn entry_parameters(module: &Module) -> impl Iterator<Item = (InstructionId, &Instruction)> {
    module
        .instructions()
        .filter(|(_, instruction)| instruction.computation == module.entry && &*instruction.opcode == "parameter")
}

/// Returns the sequences and their length if an array may hold tokens: whole numbers in two dimensions.
fn tokens(array: &ArrayShape, tiles: &[u64]) -> Option<(u64, u64)> {
    let [rows, columns] = array.dims[..] else { return None };
    let is_whole_number = matches!(&*array.dtype.to_string(), "s32" | "u32" | "s64" | "u64" | "s16" | "u16");
    let whole = |dim: u64, index: usize| dim.checked_mul(tiles.get(index).copied().unwrap_or(1));
    whole(rows, 0).zip(whole(columns, 1)).filter(|_| is_whole_number)
}
