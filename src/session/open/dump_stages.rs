//! This module tells the stages of one module in a dump of XLA, and keeps the one that counts.
//!
//! ```text
//!  module_0000.jit_f.cl_1.before_optimizations.txt          ┐
//!  module_0000.jit_f.cl_1.after_optimizations.hlo.pb        ├ one module: the stage with a buffer assignment is read
//!  module_0000.jit_f.cl_1.after_codegen.txt                 ┘
//! ```
//!
//! The compiler writes a module after each of its passes, into files with the number and the name of the module. All of them would
//! count as programs of one name.

use super::detect::{Capture, FileKind, Program};
use super::session_messages::{StagesOfModule, other_stages};
use indexmap::IndexMap;
use xla_profile::profile::{HloForm, Note};

/// The endings of the files of a dump.
const ENDINGS: [&str; 5] = [".hlo_proto.pb", ".hlo.pb", ".pb", ".txt", ".hlo"];

/// Keeps one file of each module of a dump, and all other files. Returns a note about the stages that are not read.
pub(crate) fn without_other_stages(captures: Vec<Capture>) -> (Vec<Capture>, Option<Note>) {
    let mut modules: IndexMap<String, Vec<(usize, String)>> = IndexMap::new();
    for (index, capture) in captures.iter().enumerate() {
        if let FileKind::Program(program) = &capture.what
            && let Some((module, stage)) = module_and_stage(&capture.info.name, &program.outline.name)
        {
            modules.entry(module).or_default().push((index, stage));
        }
    }
    let mut dropped = vec![false; captures.len()];
    let mut several = Vec::new();
    for (module, files) in &modules {
        let rank = |(index, stage): &(usize, String)| match &captures[*index].what {
            FileKind::Program(program) => rank(program, stage, *index),
            _ => Rank::default(),
        };
        let Some((kept, stage)) = files.iter().max_by_key(|file| rank(file)) else { continue };
        files.iter().filter(|(index, _)| index != kept).for_each(|(index, _)| dropped[*index] = true);
        let has_buffers = matches!(&captures[*kept].what, FileKind::Program(program) if program.outline.has_buffers);
        let mut others: Vec<&str> =
            files.iter().map(|(_, stage)| stage.as_str()).filter(|other| other != stage).collect();
        others.dedup();
        if !others.is_empty() {
            let module = module.rsplit('/').next().unwrap_or(module);
            several.push(StagesOfModule { module, stage, has_buffers, others });
        }
    }
    let note = other_stages(&several);
    let kept = captures.into_iter().zip(dropped).filter(|(_, dropped)| !dropped).map(|(capture, _)| capture);
    (kept.collect(), note)
}

/// How much a stage tells: the buffer assignment, then how late the stage is, then whether the file is a proto. Of equal files the first
/// one is kept.
type Rank = (bool, u32, bool, std::cmp::Reverse<usize>);

fn rank(program: &Program, stage: &str, index: usize) -> Rank {
    let lateness = match () {
        () if stage.contains("after_codegen") => 4,
        () if stage.contains("before_buffer_assignment") => 2,
        () if stage.ends_with("after_optimizations") => 3,
        () if stage.contains("before_optimizations") => 0,
        () => 1,
    };
    (program.outline.has_buffers, lateness, program.form != HloForm::Text, std::cmp::Reverse(index))
}

/// Returns the folder, the number and the name of the module of a file of a dump, and the stage at which it was written:
/// `d/module_0000.jit_f` and `after_codegen` of `d/module_0000.jit_f.cl_1.after_codegen.txt`. `name` is that of the module.
fn module_and_stage(path: &str, name: &str) -> Option<(String, String)> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let file = file.strip_suffix(".gz").or_else(|| file.strip_suffix(".xz")).unwrap_or(file);
    let file = ENDINGS.iter().find_map(|ending| file.strip_suffix(ending))?;
    let digits = file.strip_prefix("module_")?.split('.').next()?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let rest = file.strip_prefix("module_")?.strip_prefix(digits)?.strip_prefix('.')?;
    // The name of a module may hold dots.
    let stage = match rest.strip_prefix(name).and_then(|rest| rest.strip_prefix('.')) {
        Some(stage) => stage,
        None => rest.split_once('.')?.1,
    };
    let module = rest.strip_suffix(stage)?.trim_end_matches('.');
    // `cl_1` is the version of the compiler's sources.
    let is_version = |part: &str| part.strip_prefix("cl_").is_some_and(|n| n.bytes().all(|byte| byte.is_ascii_digit()));
    let stage = stage.split_once('.').filter(|(first, _)| is_version(first)).map_or(stage, |(_, stage)| stage);
    Some((format!("{folder}/module_{digits}.{module}"), stage.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_named_by_their_pass() {
        for (path, name, module, stage) in [
            ("d/module_0000.jit_f.cl_1.after_codegen.txt", "jit_f", "d/module_0000.jit_f", "after_codegen"),
            (
                "module_0012.jit_f.1.after_optimizations.hlo.pb.gz",
                "jit_f.1",
                "/module_0012.jit_f.1",
                "after_optimizations",
            ),
            (
                "m/module_0001.jit_f.sm_9.0_gpu_after_optimizations.txt",
                "jit_f",
                "m/module_0001.jit_f",
                "sm_9.0_gpu_after_optimizations",
            ),
            (
                "module_0001.jit__lambda_.0003.dce.after_cse.txt",
                "jit_<lambda>",
                "/module_0001.jit__lambda_",
                "0003.dce.after_cse",
            ),
        ] {
            assert_eq!(module_and_stage(path, name), Some((module.to_owned(), stage.to_owned())), "{path}");
        }
        for path in [
            "train.hlo_proto.pb",
            "module_0000.jit_f.after_optimizations.dot",
            "module_x.jit_f.a.txt",
            "module_0000.txt",
        ] {
            assert_eq!(module_and_stage(path, "jit_f"), None, "{path}");
        }
    }
}
