//! This module runs one command.

use super::args::{Args, Command};
use super::caller::Caller;
use super::exit_code::Exit;
#[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
use super::fleet;
use super::open_capture::{OpenCapture, OpenFiles};
use super::view_args::{Output, View};
use super::{compare, export, report};
use crate::protocol::Failure;

/// The line above text and Markdown of a capture that is cut, incomplete or damaged. The line stands above all totals,
/// because each of them may be too small.
const PARTIAL: &str = "Partial: totals cover only the part that was read, and are too small (see the notes).";

/// The line above text and Markdown of a capture that was read whole, and whose profiler lost events.
const LOST: &str = "Partial: events are missing from the capture, so times and counts are too small (see the notes).";

/// Whether the platform has files, which `report` and `export` read and write. Without them, no program contains their code.
const HAS_FILES: bool = cfg!(not(target_arch = "wasm32"));

fn no_files() -> Failure {
    Failure {
        title: "The command writes files".to_owned(),
        message: "A browser has no files for it: use the program `rooflight`.".to_owned(),
    }
}

/// Runs the command. Returns the output, and how the command ended.
pub(super) fn run(args: &Args, caller: &Caller<'_>) -> Result<(String, Exit), Failure> {
    let view = match (&args.command, args.view()) {
        (Command::Report { .. } | Command::Export(_), _) if !HAS_FILES => return Err(no_files()),
        (_, Some(view)) => view,
        (Command::Compare(compare), None) => {
            return compare::run(compare, caller);
        }
        (Command::Export(export), None) if HAS_FILES => {
            return export::run(export, caller).map(|(text, partial)| (text, Exit::of_reading(partial)));
        }
        #[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
        (Command::Compact(args), None) => {
            return fleet::run_compact(args).map(|text| (text, Exit::Complete));
        }
        (_, None) => return Ok((String::new(), Exit::Complete)),
    };
    if HAS_FILES && let Command::Report { report, view } = &args.command {
        return report::run(report, view, caller).map(|(text, partial)| (text, Exit::of_reading(partial)));
    }
    let (inputs, session) = ((caller.inputs)(&view.files)?, view.session());
    let files = OpenFiles::open_session(inputs, &session, &mut |progress| (caller.progress)(&progress))?;
    print(&files, args, view, caller)
}

/// Prints opened files with one of the commands that read them. `view` has the options of the command.
pub(super) fn print(
    files: &OpenFiles,
    args: &Args,
    view: &View,
    caller: &Caller<'_>,
) -> Result<(String, Exit), Failure> {
    let partial = files.is_partial();
    let OpenFiles { opened, analysis, programs } = files;
    let wanted = view.steps.as_ref().map(|by| programs.borrow_mut().analysis(&opened.profile, by));
    let analysis = wanted.as_ref().unwrap_or(analysis);
    let Caller { warn, json, .. } = *caller;
    let session = OpenCapture { opened, analysis, programs, view, partial, warn, json };
    let for_people = matches!(view.output(), Output::Text | Output::Markdown);
    let with_warning = |text: String| {
        let is_read = opened.partial.is_none() && analysis.completeness.losses().next().is_some();
        let line = if is_read { LOST } else { PARTIAL };
        if partial && for_people { format!("{line}\n\n{text}") } else { text }
    };
    let text = match &args.command {
        Command::Overview { overview, .. } => session.overview(overview)?,
        Command::Breakdown { by, only, .. } => session.breakdown(*by, only.filter())?,
        Command::DataMovement { .. } => session.data_movement()?,
        Command::Gaps { .. } => session.gaps()?,
        Command::Roofline { by, only, roofs, .. } => session.roofline(*by, only.filter(), roofs)?,
        Command::Memory { memory, .. } => session.memory(memory)?,
        Command::Comm { links, .. } => session.comm(links)?,
        Command::Flags { flags, machine, .. } => session.flags(flags, machine)?,
        Command::Summary { attainable, .. } => session.summary(*attainable)?,
        Command::Inspect { .. } | Command::Report { .. } | Command::Export(_) | Command::Compare(_) => {
            session.inspect()
        }
        #[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
        Command::Compact(_) => session.inspect(),
        #[cfg(not(target_arch = "wasm32"))]
        Command::Completions { .. } | Command::Man => session.inspect(),
    };
    Ok((with_warning(text), Exit::of_reading(partial)))
}
