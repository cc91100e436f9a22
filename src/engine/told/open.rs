//! Report files among what is opened: one alone is a session of its own; captures within one are opened in its place; beside other
//! files one without captures is passed over.

use super::super::{Engine, Failure, Input, Session, sentences};
use crate::share::{ReportFile, ShareError, Within, unpack as unpack_file};
use crate::source::Source;
use crate::wire::REPORT_MAGIC;
use std::rc::Rc;

/// What files turned out to be.
pub(in super::super) enum Unpacked {
    /// Captures, and what is to be told as such; and why reports beside them are not read.
    Captures(Vec<Input>, Vec<Failure>),
    /// A report without its capture.
    Report(Box<(Engine, Session)>),
}

/// Takes captures out of report files.
///
/// # Errors
/// A [`Failure`] where the one file that was chosen is a report that cannot be read.
pub(in super::super) fn unpack(inputs: Vec<Input>) -> Result<Unpacked, Failure> {
    let is_report = |input: &Input| {
        let mut head = [0; REPORT_MAGIC.len()];
        input.source.read_at(0, &mut head).is_ok() && head == REPORT_MAGIC
    };
    if !inputs.iter().any(is_report) {
        return Ok(Unpacked::Captures(inputs, Vec::new()));
    }
    let single = inputs.len() == 1;
    let (mut captures, mut failures) = (Vec::new(), Vec::new());
    for input in inputs {
        if !is_report(&input) {
            captures.push(input);
            continue;
        }
        let told = unpack_file(input.source.as_ref()).map_err(|error| bad_file(&input.name, &error));
        match told {
            Err(failure) if single => return Err(failure),
            // It costs no other file.
            Err(failure) => failures.push(failure),
            Ok(ReportFile { report, captures: carried }) if carried.is_empty() => {
                if single {
                    return Ok(Unpacked::Report(Box::new(Engine::of_report(report))));
                }
                failures.push(sentences::report_beside(short(&input.name)));
            }
            Ok(ReportFile { captures: carried, .. }) => {
                let file: Rc<dyn Source> = Rc::from(input.source);
                captures.extend(carried.into_iter().map(|carried| Input {
                    source: Box::new(Within::new(Rc::clone(&file), &carried)),
                    name: carried.name,
                    from_folder: input.from_folder,
                }));
            }
        }
    }
    Ok(Unpacked::Captures(captures, failures))
}

fn bad_file(name: &str, error: &ShareError) -> Failure {
    Failure { title: format!("{} could not be read", short(name)), message: error.to_string() }
}

fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
