//! Report files among what is opened: one alone is a session of its own; captures within one are opened in its place.

use super::super::{Carries, Engine, Failure, Input, Session, sentences};
use crate::share::{ReportFile, ShareError, Within, unpack as unpack_file};
use crate::source::Source;
use crate::wire::REPORT_MAGIC;
use std::rc::Rc;

/// What files turned out to be.
pub(in super::super) enum Unpacked {
    /// Captures; and where they lie, where that is within report files.
    Captures(Vec<Input>, Vec<Carries>),
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
    let (mut captures, mut carries) = (Vec::new(), Vec::new());
    for (file, input) in inputs.into_iter().enumerate() {
        let of = |name: &str, start, bytes| Carries { name: name.to_owned(), file: file as u32, start, bytes };
        if !is_report(&input) {
            carries.push(of(&input.name, 0, input.source.size()));
            captures.push(input);
            continue;
        }
        let ReportFile { report, captures: carried } =
            unpack_file(input.source.as_ref()).map_err(|error| bad_file(&input.name, &error))?;
        match (carried.is_empty(), single) {
            (true, true) => return Ok(Unpacked::Report(Box::new(Engine::of_report(report)))),
            (true, false) => return Err(sentences::report_beside(&input.name)),
            (false, _) => {
                carries.extend(carried.iter().map(|one| of(&one.name, one.start, one.size)));
                let file: Rc<dyn Source> = Rc::from(input.source);
                captures.extend(carried.into_iter().map(|carried| Input {
                    source: Box::new(Within::new(Rc::clone(&file), &carried)),
                    name: carried.name,
                    from_folder: input.from_folder,
                }));
            }
        }
    }
    Ok(Unpacked::Captures(captures, carries))
}

fn bad_file(name: &str, error: &ShareError) -> Failure {
    Failure {
        title: format!("{} could not be read", name.rsplit('/').next().unwrap_or(name)),
        message: error.to_string(),
    }
}
