//! This module determines the module of an op by its source stack and by its kernel, if its scope path tells nothing.

use super::by_scope::by_name;
use super::words::{FILES, find};
use super::{Certainty, ModelModule, ModuleLabel};
use crate::analysis::classify::op_group::{self, OpGroup};

/// Returns the module of the innermost frame that tells one. `frames` are `file:line`, the innermost first, perhaps
/// with the function in brackets.
pub fn by_source<'a>(mut frames: impl Iterator<Item = &'a str>) -> Option<ModuleLabel> {
    Some(ModuleLabel::new(frames.find_map(by_frame)?, Certainty::Likely))
}

fn by_frame(frame: &str) -> Option<ModelModule> {
    let (file, function) = frame.split_once(" [").unwrap_or((frame, ""));
    let file = file.split(".py:").next().unwrap_or(file);
    let mut parts = file.rsplit(['/', '\\']);
    let (name, folder) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let of_function = || {
        let names = function.trim_end_matches(']').rsplit('.').map(str::to_ascii_lowercase);
        names.into_iter().find_map(|name| by_name(&name))
    };
    find(FILES, name).or_else(of_function).or_else(|| find(FILES, folder))
}

/// Returns the module that only the kernels of one group of work have.
pub fn by_kernel(group: OpGroup) -> Option<ModuleLabel> {
    let module = match group {
        OpGroup::Attention => ModelModule::Attention,
        OpGroup::Moe => ModelModule::Experts,
        OpGroup::LinearAttention => ModelModule::Recurrent,
        OpGroup::Norm => ModelModule::Norm,
        _ => return None,
    };
    Some(ModuleLabel::new(module, Certainty::Likely))
}

/// Returns whether an instruction calls a convolution of cuDNN or MIOpen, or its kernel is one. `implicit_gemm` is a convolution,
/// although its name is that of a matmul.
pub fn is_convolution(text: &str, kernel: &str) -> bool {
    text.contains("custom_call_target=\"__cudnn$conv")
        || op_group::is_convolution(kernel)
        || kernel.to_ascii_lowercase().contains("implicit_gemm")
}
