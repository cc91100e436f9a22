//! This module is the command line: it parses the arguments, runs one command and writes the output. Figures and texts
//! come from the library.
//!
//! The exit code is 0 if all input was read, 1 if only a part was read (the notes are on stderr), and 2 if the input or
//! the arguments cannot be used (the reason is on stderr, and stdout is empty).

mod args;
mod comm;
mod compare;
mod export;
mod files;
mod flags;
mod gaps;
mod memory;
mod overview;
mod report;
mod roofline_args;
mod summary;

use crate::analysis::base::{Analysis, DeviceChoice, Filter, FilterError, GroupBy, Query, Status, StepChoice};
use crate::analysis::breakdown::{Breakdown, Scopes};
use crate::profile::{Note, Severity};
use crate::protocol::Failure;
use crate::report::inspect::inspect;
use crate::report::{data_movement_json, data_movement_table, json, roofline_json, roofline_table, tables};
use crate::session;
use crate::session::{Opened, Programs, open};
use crate::table::format;
use crate::table::text::{Table, neutralise, neutralise_lines};
use args::{Args, Command, Output, View};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use roofline_args::RooflineArgs;
use std::cell::RefCell;
use std::process::ExitCode;

/// The default number of ranked gaps in the JSON of the roofline.
const TOP_GAPS: usize = 20;

/// The line above text and Markdown of a capture that is cut, incomplete or damaged. The line stands above all totals,
/// because each of them may be too small.
const PARTIAL: &str = "Partial: totals cover only the part that was read, and are too small (see the notes).";

/// Runs the command line and returns the exit code.
pub fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        // clap suggests a command with similar letters, which may do something else. The error lists all commands
        // instead.
        Err(error) if error.kind() == ErrorKind::InvalidSubcommand => {
            let typed = match error.get(ContextKind::InvalidSubcommand) {
                Some(ContextValue::String(typed)) => typed.as_str(),
                _ => "",
            };
            let known: Vec<String> = Args::command().get_subcommands().map(|of| of.get_name().to_owned()).collect();
            return fail(&format!("There is no command {typed}. Commands: {}.", known.join(", ")));
        }
        Err(error) => {
            let help = error.use_stderr();
            // A failed write is ignored, because the terminal may be gone.
            let _ = error.print();
            return if help { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    match run(&args) {
        Ok((printed, code)) => match deliver(&args, &printed) {
            Ok(()) => ExitCode::from(code),
            Err(message) => fail(&message),
        },
        Err(failure) => fail(&format!("{}. {}", failure.title, failure.message)),
    }
}

fn fail(message: &str) -> ExitCode {
    complain(message);
    ExitCode::from(2)
}

/// Prints one line to stderr. Invisible characters are escaped, because the message may hold names of files and
/// captures.
fn complain(message: &str) {
    eprintln!("rooflight: {}", neutralise(message));
}

/// The output of a command.
struct Printed {
    text: String,
    /// Whether invisible characters of the capture are escaped already. The text may then hold escape sequences of ours.
    is_safe: bool,
}

impl Printed {
    const fn new(text: String) -> Self {
        Self { text, is_safe: false }
    }
}

fn deliver(args: &Args, printed: &Printed) -> Result<(), String> {
    use std::io::Write;
    // Cells of tables are escaped already. Headings, notes and texts of a report are escaped here. JSON has its own
    // escapes.
    let escaped = if printed.is_safe { printed.text.as_str().into() } else { neutralise_lines(&printed.text) };
    let text: &str = &escaped;
    if let Some(path) = args.out() {
        return std::fs::write(path, text).map_err(|e| format!("{} could not be written. {e}", path.display()));
    }
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        // `rooflight … | head` closes the pipe early, which is not an error.
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("The output could not be written. {e}")),
        _ => Ok(()),
    }
}

/// Runs the command. Returns the output and the exit code: 1 if only a part of the input was read, else 0. A comparison with a
/// gate has more codes.
fn run(args: &Args) -> Result<(Printed, u8), Failure> {
    let view = match (&args.command, args.view()) {
        (_, Some(view)) => view,
        (Command::Compare(compare), None) => {
            return compare::run(compare).map(|(text, code)| (Printed::new(text), code));
        }
        (Command::Export(export), None) => {
            return export::run(export).map(|(text, partial)| (Printed::new(text), partial.into()));
        }
        (_, None) => return Ok((Printed::new(String::new()), 0)),
    };
    if let Command::Report { report, view } = &args.command {
        return report::run(report, view).map(|(text, partial)| (Printed::new(text), partial.into()));
    }
    let mut opened = open(files::inputs(&view.files)?, &mut |_| {})?;
    let programs = RefCell::new(Programs::new(std::mem::take(&mut opened.open_files)));
    let analysis = Analysis::new(&opened.profile);
    let partial = opened.partial.is_some() || analysis.beyond_sums().is_some();
    let session = OpenCapture { opened, analysis, programs, view, partial };
    let for_people = matches!(view.output(), Output::Text | Output::Markdown);
    let with_warning = |text: String| if partial && for_people { format!("{PARTIAL}\n\n{text}") } else { text };
    if let Command::Overview { overview, .. } = &args.command {
        let printed = session.overview(overview)?;
        return Ok((Printed { text: with_warning(printed.text), ..printed }, partial.into()));
    }
    let text = match &args.command {
        Command::Breakdown { by, only, .. } => session.breakdown(*by, only.filter())?,
        Command::DataMovement { .. } => session.data_movement()?,
        Command::Gaps { .. } => session.gaps()?,
        Command::Roofline { by, only, roofs, .. } => session.roofline(*by, only.filter(), roofs)?,
        Command::Memory { memory, .. } => session.memory(memory)?,
        Command::Comm { links, .. } => session.comm(links)?,
        Command::Flags { flags, machine, .. } => session.flags(flags, machine)?,
        Command::Summary { attainable, .. } => session.summary(*attainable)?,
        Command::Inspect { .. }
        | Command::Overview { .. }
        | Command::Report { .. }
        | Command::Export(_)
        | Command::Compare(_) => session.inspect(),
    };
    Ok((Printed::new(with_warning(text)), partial.into()))
}

struct OpenCapture<'a> {
    opened: Opened,
    analysis: Analysis,
    programs: RefCell<Programs>,
    view: &'a View,
    partial: bool,
}

impl OpenCapture<'_> {
    fn breakdown(&self, by: GroupBy, filter: Filter) -> Result<String, Failure> {
        let query = self.query(by, filter)?;
        let breakdown = self.query_breakdown(&query)?;
        let scopes = (by == GroupBy::Scope).then(|| self.scopes(&query)).transpose()?;
        let notes = self.notes(&breakdown.notes);
        let top = self.view.top.unwrap_or(usize::MAX);
        let table = |top: usize| match &scopes {
            Some(scopes) => tables::scopes(scopes, breakdown.header.step_duration, top),
            None => tables::breakdown(&breakdown, top),
        };
        Ok(match self.view.output() {
            Output::Json => {
                let files = self.files();
                let head = json::head("breakdown", &files, self.partial, &breakdown);
                json::text(&json::breakdown(head, &breakdown, &query.filter, scopes.as_ref(), top, &notes))
            }
            Output::Csv => tables::breakdown_csv(&breakdown, top).csv(),
            Output::Markdown => table(top).markdown(),
            Output::Text if breakdown.header.status == Status::Absent => notes_text(&notes),
            Output::Text => {
                let matched = matched(&query.filter, &breakdown);
                heading(&breakdown.header)
                    + &matched
                    + &table(self.view.top.unwrap_or(40)).aligned()
                    + &notes_text(&notes)
            }
        })
    }

    fn data_movement(&self) -> Result<String, Failure> {
        let query = self.query(GroupBy::Category, Filter::default())?;
        let profile = &self.opened.profile;
        let data_movement = session::data_movement(&self.analysis, profile, &mut self.programs.borrow_mut(), &query);
        let notes = self.notes(&data_movement.notes);
        let top = self.view.top.unwrap_or(usize::MAX);
        let both = |form: fn(&Table) -> String, top: usize| {
            form(&data_movement_table::data_movement(&data_movement, top))
                + "\n"
                + &form(&data_movement_table::opcodes(&data_movement, top))
        };
        Ok(match self.view.output() {
            Output::Json => {
                let files = self.files();
                let head =
                    json::head_of("non-compute", &files, self.partial, &data_movement.header, &data_movement.totals);
                json::text(&data_movement_json::data_movement(head, &data_movement, top, &notes))
            }
            Output::Csv => data_movement_table::data_movement_csv(&data_movement, top).csv(),
            Output::Markdown => both(Table::markdown, top),
            Output::Text if data_movement.header.status == Status::Absent => notes_text(&notes),
            Output::Text => {
                heading(&data_movement.header)
                    + &both(Table::aligned, self.view.top.unwrap_or(12))
                    + &notes_text(&notes)
            }
        })
    }

    fn roofline(&self, by: GroupBy, filter: Filter, roofs: &RooflineArgs) -> Result<String, Failure> {
        let query = roofs.to_query(self.query(by, filter)?);
        let profile = &self.opened.profile;
        let answer = session::roofline(&self.analysis, profile, &mut self.programs.borrow_mut(), &query);
        let answer = answer.map_err(|e| bad_filter(&e))?;
        let n_all = answer.n_rows();
        let text = matches!(self.view.output(), Output::Text);
        let roofline =
            answer.into_report(profile, &self.analysis, self.view.top.unwrap_or(if text { 40 } else { usize::MAX }));
        let figures = &roofline.figures;
        let notes = self.notes(&figures.notes);
        Ok(match self.view.output() {
            Output::Json => {
                let files = self.files();
                let head = json::head_of("roofline", &files, self.partial, &figures.header, &figures.totals);
                let gaps = self.view.top.unwrap_or(TOP_GAPS);
                let programs = &mut self.programs.borrow_mut();
                let steps =
                    session::roofline_steps(&self.analysis, profile, programs, &query).map_err(|e| bad_filter(&e))?;
                json::text(&roofline_json::roofline(head, by, figures, &roofline.rows, &steps, gaps, &notes))
            }
            Output::Csv => roofline_table::csv(&roofline).csv(),
            Output::Markdown => roofline_table::rows(&roofline, by, n_all).markdown(),
            Output::Text if figures.header.status == Status::Absent => notes_text(&notes),
            Output::Text => {
                let rows = roofline_table::rows(&roofline, by, n_all).aligned();
                heading(&figures.header) + &roofline_table::head(figures) + &rows + &notes_text(&notes)
            }
        })
    }

    fn query_breakdown(&self, query: &Query) -> Result<Breakdown, Failure> {
        self.analysis.breakdown(&self.opened.profile, query).map_err(|e| bad_filter(&e))
    }

    fn scopes(&self, query: &Query) -> Result<Scopes, Failure> {
        self.analysis.scopes(&self.opened.profile, query, "", 0.0).map_err(|e| bad_filter(&e))
    }

    fn inspect(&self) -> String {
        let notes = self.notes(&self.analysis.notes);
        let view = self.analysis.file_view(&self.opened.profile, &self.opened.files, self.partial);
        let both = |form: fn(&Table) -> String| {
            let planes = if view.planes.is_empty() { String::new() } else { form(&tables::planes(&view)) + "\n" };
            planes + &form(&tables::programs(&view))
        };
        match self.view.output() {
            Output::Json => json::text(&inspect(&view, &notes)),
            Output::Csv => tables::planes(&view).csv(),
            Output::Markdown => both(Table::markdown),
            Output::Text => both(Table::aligned) + &notes_text(&notes),
        }
    }

    fn query(&self, by: GroupBy, filter: Filter) -> Result<Query, Failure> {
        let device = self.device()?;
        let step = self.view.step();
        if let StepChoice::Number(n) = step {
            let has = |d: &crate::analysis::base::Device| d.steps.iter().any(|s| s.number == n);
            if !self.analysis.devices.is_empty() && !self.analysis.devices.iter().any(has) {
                let steps: Vec<u64> = self.analysis.devices[0].steps.iter().map(|s| s.number).collect();
                return Err(no_step(n, &steps));
            }
        }
        Ok(Query { device, step, by, filter })
    }

    /// Finds the device of `--device`: `mean`, `all`, a label, a plane name, or the number at the end of a label. Without
    /// `--device`, the usual device is taken.
    fn device(&self) -> Result<DeviceChoice, Failure> {
        let Some(wanted) = &self.view.device else {
            return Ok(self.analysis.usual_device(&self.opened.profile));
        };
        if let Some(several) = DeviceChoice::of_several(wanted) {
            return Ok(several);
        }
        let devices = &self.analysis.devices;
        let by_name =
            devices.iter().position(|d| d.label == *wanted || self.opened.profile.planes[d.plane].name == *wanted);
        let by_number = || devices.iter().position(|d| d.label.rsplit(':').next() == Some(wanted));
        match by_name.or_else(by_number) {
            Some(i) => Ok(DeviceChoice::One(i as u32)),
            None if devices.is_empty() => Ok(DeviceChoice::default()),
            None => {
                let labels: Vec<&str> = devices.iter().map(|d| d.label.as_str()).collect();
                let message = format!("Devices: {}, mean, all.", labels.join(", "));
                Err(Failure { title: format!("No device {wanted}"), message })
            }
        }
    }

    fn files(&self) -> Vec<String> {
        self.opened.files.iter().map(|f| f.name.clone()).collect()
    }

    /// Joins the notes of the reader and of the view. Notes that make the result partial are also printed to stderr.
    fn notes(&self, of_view: &[Note]) -> Vec<Note> {
        let notes: Vec<Note> = self.opened.profile.notes.iter().chain(of_view).cloned().collect();
        for note in notes.iter().filter(|n| n.severity == Severity::Partial) {
            complain(&format!("partial: {}", note.message));
        }
        notes
    }
}

/// Builds the error for a step `n` that does not exist. The message lists the existing `steps`.
fn no_step(n: u64, steps: &[u64]) -> Failure {
    /// If the numbers have gaps, at most this many are listed before the last one.
    const LISTED: usize = 10;
    let text = |steps: &[u64]| steps.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let known = match steps {
        [] => "there are none".to_owned(),
        [first, .., last] if steps.len() > 2 && steps.windows(2).all(|two| two[1].checked_sub(two[0]) == Some(1)) => {
            format!("{first} to {last}")
        }
        [few @ .., last] if few.len() > LISTED => {
            format!(
                "{}, …, {last} ({} in all)",
                text(few.get(..LISTED).unwrap_or(few)),
                format::count(steps.len() as u64)
            )
        }
        all => text(all),
    };
    Failure { title: format!("No step {n}"), message: format!("Steps: {known}.") }
}

fn bad_filter(error: &FilterError) -> Failure {
    Failure { title: "The filter is not a valid regular expression".to_owned(), message: format!("{error}.") }
}

/// Writes the line above the figures: device, step and duration.
fn heading(header: &crate::analysis::base::Header) -> String {
    let device = header.device.as_deref().unwrap_or("no device");
    let kind = header.device_type.as_ref().map_or(String::new(), |t| format!(" ({t})"));
    let window = header.step_duration.filter(|_| header.range().is_none());
    let window = window.map_or(String::new(), |d| format!(", {}", format::time_text(d)));
    let step = match header.mean.n_steps {
        Some(n) => format!("mean of {n} of {} steps", header.n_steps),
        None if header.step == "all" => "whole capture".to_owned(),
        None if header.range().is_some() => header.step_text(),
        None => format!("step {} (one of {})", header.step, header.n_steps),
    };
    neutralise(&format!("{device}{kind}, {step}{window}")).into_owned() + "\n\n"
}

/// Writes the number and the time of the rows that match the filter. Without a filter, the text is empty.
fn matched(filter: &Filter, b: &Breakdown) -> String {
    if filter.is_empty() {
        return String::new();
    }
    let share = b.shown.of_step.map_or(String::new(), |f| format!(", {} of the window", format::percent_text(f)));
    let rows = format::counted(b.groups.len() as u64, "row", "rows");
    let looked = if filter.text.is_empty() {
        String::new()
    } else {
        let of = format::count(b.shown.n_all.into());
        let elsewhere = b.shown.anywhere.map_or(String::new(), |n| format!("; {n} with --within anywhere"));
        format!(" of {of} match “{}” in the {}{elsewhere}", filter.text, filter.within.label())
    };
    format!("{rows}{looked}: {}{share}\n\n", format::time_text(b.shown.total))
}

fn notes_text(notes: &[Note]) -> String {
    let mut out = String::new();
    for note in notes {
        let place = note.place.as_ref().map_or(String::new(), |p| format!(" [{p}]"));
        out.push_str("\nnote: ");
        out.push_str(&neutralise(&(note.message.clone() + &place)));
    }
    if out.is_empty() { out } else { out + "\n" }
}
