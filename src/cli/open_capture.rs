//! This module holds opened files, and the commands that print them without arguments of their own. The other commands
//! stand in their own modules.

use super::files;
use super::output::PrintJson;
use super::roofline_args::RooflineArgs;
use super::view_args::{Output, View};
use crate::analysis::base::{Analysis, DeviceChoice, Filter, FilterError, GroupBy, Query, Status, StepChoice, StepsBy};
use crate::analysis::breakdown::row_label::row_name;
use crate::analysis::breakdown::{Answer, Breakdown, Scopes};
use crate::chip::usual_name;
use crate::protocol::{Failure, Progress, Stage};
use crate::report::roofline::json::RoofRows;
use crate::report::{self, breakdown, data_movement, json, roofline};
use crate::session;
use crate::session::open::{SessionChoice, open_session};
use crate::session::{Input, Opened, Programs};
use crate::table::format;
use crate::table::text::{Table, TextForm};
use std::cell::RefCell;
use std::path::PathBuf;
use xla_profile::profile::{Note, Severity};

/// The default number of planes and lines, and of programs, in the text and Markdown of `inspect`.
const INSPECT_ROWS: usize = 200;
/// The default number of rows in the text of the breakdown.
const BREAKDOWN_ROWS: usize = 40;
/// The default number of ranked gaps in the JSON of the roofline.
const TOP_GAPS: usize = 20;

/// Files that were opened as one session, with their analysis. Any number of commands can read them.
pub struct OpenFiles {
    pub(super) opened: Opened,
    pub(super) analysis: Analysis,
    pub(super) programs: RefCell<Programs>,
}

impl OpenFiles {
    /// Opens files, and the files of folders, as one session.
    ///
    /// # Errors
    /// Returns a [`Failure`] if nothing could be read.
    pub fn open(paths: &[PathBuf]) -> Result<Self, Failure> {
        Self::open_inputs(files::inputs(paths)?, &mut |_| {})
    }

    /// Opens inputs as one session, for a program that has no paths: the newest one, if they are of several. Calls `progress` while they are read.
    ///
    /// # Errors
    /// Returns a [`Failure`] if nothing could be read.
    pub fn open_inputs(inputs: Vec<Input>, progress: &mut dyn FnMut(Progress)) -> Result<Self, Failure> {
        Self::open_session(inputs, &SessionChoice::Newest, progress)
    }

    /// Opens inputs like [`Self::open_inputs`]. `choice` tells which session is opened if the files are of several.
    ///
    /// # Errors
    /// Returns a [`Failure`] if nothing could be read, or if there is no such session.
    pub fn open_session(
        inputs: Vec<Input>,
        choice: &SessionChoice,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Self, Failure> {
        let bytes_total = inputs.iter().map(|input| input.source.size()).sum();
        let mut opened = open_session(inputs, choice, progress)?;
        progress(Progress { bytes_done: bytes_total, ..Progress::new(Stage::Analyse, bytes_total, "") });
        let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
        let analysis = programs.analysis(&opened.profile, &StepsBy::default());
        Ok(Self { opened, analysis, programs: RefCell::new(programs) })
    }

    /// Returns whether only a part of the input was read, whether events were lost, or if sums are too large for their type.
    pub fn is_partial(&self) -> bool {
        self.opened.partial.is_some() || self.analysis.partial_notes().next().is_some()
    }

    /// Returns the sentences about the missing parts, as the command line prints them. Empty if nothing is missing.
    pub fn partial_messages(&self) -> Vec<String> {
        let notes = self.opened.profile.notes.iter().filter(|note| note.severity == Severity::Partial);
        notes.chain(self.analysis.partial_notes()).map(|note| partial(&note.message)).collect()
    }
}

/// Opened files with the options of one command.
pub(super) struct OpenCapture<'a> {
    pub(super) opened: &'a Opened,
    pub(super) analysis: &'a Analysis,
    pub(super) programs: &'a RefCell<Programs>,
    pub(super) view: &'a View,
    pub(super) partial: bool,
    /// Receives the sentences about missing parts, which the command line prints to stderr.
    pub(super) warn: &'a dyn Fn(&str),
    /// Takes the JSON of the command.
    pub(super) json: PrintJson<'a>,
}

impl OpenCapture<'_> {
    pub(super) fn breakdown(&self, by: GroupBy, filter: Filter) -> Result<String, Failure> {
        let query = self.query(by, filter)?;
        let answer = self.answer(&query)?;
        let scopes = (by == GroupBy::Scope).then(|| self.scopes(&query)).transpose()?;
        let output = self.view.output();
        let top = self.view.top.unwrap_or(if output == Output::Text { BREAKDOWN_ROWS } else { usize::MAX });
        // Scopes are printed as a tree, and only CSV has their rows.
        let listed = if scopes.is_some() && output != Output::Csv { 0 } else { top };
        let breakdown = answer.breakdown(&self.opened.profile, self.analysis, listed);
        let notes = self.notes(&breakdown.notes);
        let table = || match &scopes {
            Some(scopes) => breakdown::steps_table::scopes(scopes, breakdown.header.step_duration, top),
            None => self.breakdown_table(&answer, &breakdown, top),
        };
        let marks = || match &scopes {
            Some(_) => String::new(),
            None => breakdown::table::marks(&breakdown, top),
        };
        Ok(match output {
            Output::Json => {
                let files = self.files();
                let head = json::head("breakdown", &files, self.partial, &breakdown);
                (self.json)(&breakdown::json::breakdown(head, &breakdown, &query.filter, scopes.as_ref(), top, &notes))
            }
            Output::Csv => breakdown::table::csv(&breakdown, top).csv(),
            Output::Markdown => table().markdown(),
            Output::Text if breakdown.header.status == Status::Absent => notes_text(&notes),
            Output::Text => {
                let matched = matched(&query.filter, &breakdown);
                heading(&breakdown.header) + &matched + &table().aligned() + &marks() + &notes_text(&notes)
            }
        })
    }

    pub(super) fn data_movement(&self) -> Result<String, Failure> {
        let query = self.query(GroupBy::Category, Filter::default())?;
        let profile = &self.opened.profile;
        let data_movement =
            session::data_movement_with_bodies(self.analysis, profile, &mut self.programs.borrow_mut(), &query);
        let notes = self.notes(&data_movement.notes);
        let top = self.view.top.unwrap_or(usize::MAX);
        let both = |form: fn(&Table) -> String, top: usize| {
            form(&data_movement::table::data_movement(&data_movement, top))
                + "\n"
                + &form(&data_movement::table::opcodes(&data_movement, top))
        };
        Ok(match self.view.output() {
            Output::Json => {
                let files = self.files();
                let head =
                    json::head_of("non-compute", &files, self.partial, &data_movement.header, &data_movement.totals);
                (self.json)(&data_movement::json::data_movement(head, &data_movement, top, &notes))
            }
            Output::Csv => data_movement::table::data_movement_csv(&data_movement, top).csv(),
            Output::Markdown => both(Table::markdown, top),
            Output::Text if data_movement.header.status == Status::Absent => notes_text(&notes),
            Output::Text => {
                heading(&data_movement.header)
                    + &both(Table::aligned, self.view.top.unwrap_or(12))
                    + &notes_text(&notes)
            }
        })
    }

    pub(super) fn roofline(&self, by: GroupBy, filter: Filter, roofs: &RooflineArgs) -> Result<String, Failure> {
        let query = roofs.to_query(self.query(by, filter)?);
        let profile = &self.opened.profile;
        let answer = session::roofline(self.analysis, profile, &mut self.programs.borrow_mut(), &query);
        let answer = answer.map_err(|e| bad_filter(&e))?;
        let n_all = answer.n_rows();
        let output = self.view.output();
        let top = self.view.top.unwrap_or(if matches!(output, Output::Text) { 40 } else { usize::MAX });
        let notes = self.notes(&answer.figures.notes);
        Ok(match output {
            Output::Json => {
                let files = self.files();
                let figures = &answer.figures;
                let head = json::head_of("roofline", &files, self.partial, &figures.header, &figures.totals);
                let gaps = self.view.top.unwrap_or(TOP_GAPS);
                let programs = &mut self.programs.borrow_mut();
                let steps =
                    session::roofline_steps(self.analysis, profile, programs, &query).map_err(|e| bad_filter(&e))?;
                let order = answer.order().get(..top).unwrap_or_else(|| answer.order());
                let rows = RoofRows::Built { answer: &answer, profile, analysis: self.analysis, order };
                (self.json)(&roofline::json::roofline(head, by, figures, rows, &steps, gaps, &notes))
            }
            Output::Csv => roofline::table::csv(&answer.into_report(profile, self.analysis, top)).csv(),
            Output::Markdown => {
                roofline::table::rows(&answer.into_report(profile, self.analysis, top), by, n_all).markdown()
            }
            Output::Text if answer.figures.header.status == Status::Absent => notes_text(&notes),
            Output::Text => {
                let roofline = answer.into_report(profile, self.analysis, top);
                let (head, rows) =
                    (roofline::table::head(&roofline.figures), roofline::table::rows(&roofline, by, n_all));
                heading(&roofline.figures.header) + &head + &rows.aligned() + &notes_text(&notes)
            }
        })
    }

    /// Answers a query with the reports of all rows.
    pub(super) fn query_breakdown(&self, query: &Query) -> Result<Breakdown, Failure> {
        self.analysis.breakdown(&self.opened.profile, query).map_err(|e| bad_filter(&e))
    }

    /// Answers a query. The reports of rows are made later.
    pub(super) fn answer(&self, query: &Query) -> Result<Answer, Failure> {
        self.analysis.answer(&self.opened.profile, query).map_err(|e| bad_filter(&e))
    }

    /// Returns the table of the first `top` rows of a breakdown of `answer`.
    pub(super) fn breakdown_table(&self, answer: &Answer, breakdown: &Breakdown, top: usize) -> Table {
        let rows = answer.rows(&self.opened.profile, self.analysis);
        breakdown::table::breakdown(breakdown, &|group| row_name(group, rows), top)
    }

    pub(super) fn scopes(&self, query: &Query) -> Result<Scopes, Failure> {
        self.analysis.scopes(&self.opened.profile, query, "", 0.0).map_err(|e| bad_filter(&e))
    }

    pub(super) fn inspect(&self) -> String {
        let notes = self.notes(&self.analysis.notes);
        let view = self.analysis.file_view(&self.opened.profile, &self.opened.files, self.partial);
        let top = self.view.top.unwrap_or(usize::MAX);
        let both = |form: fn(&Table) -> String| {
            let top = self.view.top.unwrap_or(INSPECT_ROWS);
            let planes = if view.planes.is_empty() {
                String::new()
            } else {
                form(&report::files::table::planes(&view, top)) + "\n"
            };
            planes + &form(&report::files::table::programs(&view, top))
        };
        match self.view.output() {
            Output::Json => (self.json)(&report::files::json::inspect(&view, top, &notes)),
            Output::Csv => report::files::table::planes_csv(&view, top).csv(),
            Output::Markdown => both(Table::markdown),
            Output::Text => both(Table::aligned) + &notes_text(&notes),
        }
    }

    pub(super) fn query(&self, by: GroupBy, filter: Filter) -> Result<Query, Failure> {
        let device = self.device()?;
        let step = self.step()?;
        if let StepChoice::Number(n) = step {
            let has = |d: &crate::analysis::base::Device| d.steps.iter().any(|s| s.number == n);
            if !self.analysis.devices.is_empty() && !self.analysis.devices.iter().any(has) {
                let steps: Vec<u64> = self.analysis.devices[0].steps.iter().map(|s| s.number).collect();
                return Err(no_step(n, &steps));
            }
        }
        Ok(Query { device, step, by, filter })
    }

    /// Finds the step of `--step`, `--window` or `--step-kind`.
    fn step(&self) -> Result<StepChoice, Failure> {
        let Some(wanted) = &self.view.step_kind else { return Ok(self.view.step()) };
        let kinds = &self.analysis.kinds;
        match kinds.iter().position(|kind| kind.name == *wanted) {
            Some(kind) => Ok(StepChoice::Kind(kind as u16)),
            None => Err(no_kind(wanted, &kinds.iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>())),
        }
    }

    /// Finds the device of `--device`: `mean`, `all`, a label, a plane name, or the number at the end of a label. Without
    /// `--device`, the usual device is taken.
    pub(super) fn device(&self) -> Result<DeviceChoice, Failure> {
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

    pub(super) fn files(&self) -> Vec<String> {
        self.opened.files.iter().map(|f| f.name.clone()).collect()
    }

    /// Joins the notes of the reader and of the view. Notes that make the result partial are also printed to stderr.
    pub(super) fn notes(&self, of_view: &[Note]) -> Vec<Note> {
        let mut notes: Vec<Note> = self.opened.profile.notes.iter().chain(of_view).cloned().collect();
        // Also views without times say why the result is partial.
        let more: Vec<Note> = self.analysis.partial_notes().filter(|note| !notes.contains(note)).cloned().collect();
        notes.extend(more);
        for note in notes.iter().filter(|n| n.severity == Severity::Partial) {
            (self.warn)(&partial(&note.message));
        }
        notes
    }
}

fn partial(message: &str) -> String {
    format!("partial: {message}")
}

/// Returns the failure for a kind of steps that the capture does not have. `names` are those of its kinds.
pub(super) fn no_kind(wanted: &str, names: &[&str]) -> Failure {
    let message = match names {
        [] => "All steps are of one kind, or there are none.".to_owned(),
        names => format!("Kinds: {}.", names.join(", ")),
    };
    Failure { title: format!("No steps of kind {wanted}"), message }
}

/// Builds the error for a step `n` that does not exist. The message lists the existing `steps`.
pub(super) fn no_step(n: u64, steps: &[u64]) -> Failure {
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

pub(super) fn bad_filter(error: &FilterError) -> Failure {
    Failure { title: "The filter is not a valid regular expression".to_owned(), message: format!("{error}.") }
}

/// Writes the line above the figures: device, step and duration.
pub(super) fn heading(header: &crate::analysis::base::Header) -> String {
    let device = header.device.as_deref().unwrap_or("no device");
    let kind = header.device_type.as_ref().map_or(String::new(), |chip| format!(" ({})", usual_name(chip)));
    let window = header.step_duration.filter(|_| header.range().is_none());
    let window = window.map_or(String::new(), |d| format!(", {}", format::time_text(d)));
    let missing = header.missing_text().map_or(String::new(), |missing| format!("; {missing}"));
    let step = match header.mean.n_steps {
        Some(n) => format!("mean of {n} of {} steps", header.n_steps),
        None if header.step == "all" => "whole capture".to_owned(),
        None if header.range().is_some() => header.step_text(),
        None => format!("step {} (of {})", header.step, header.n_steps),
    };
    TextForm::Terminal.lines([format!("{device}{kind}, {step}{window}{missing}")]) + "\n"
}

/// Writes the number and the time of the rows that match the filter. Without a filter, the text is empty.
fn matched(filter: &Filter, b: &Breakdown) -> String {
    if filter.is_empty() {
        return String::new();
    }
    let share = b.shown.of_step.map_or(String::new(), |f| format!(", {} of the window", format::percent_text(f)));
    let rows = format::counted(b.n_rows(), "row", "rows");
    let looked = if filter.text.is_empty() {
        String::new()
    } else {
        let n_all = format::count(b.shown.n_all.into());
        let elsewhere = b.shown.anywhere.map_or(String::new(), |n| format!("; {n} with --within anywhere"));
        format!(" of {n_all} match “{}” in the {}{elsewhere}", filter.text, filter.within.label())
    };
    TextForm::Terminal.lines([format!("{rows}{looked}: {}{share}", format::time_text(b.shown.total))]) + "\n"
}

pub(super) fn notes_text(notes: &[Note]) -> String {
    notes_as(TextForm::Terminal, notes)
}

/// Writes notes as text or as Markdown, one on each line.
pub(super) fn notes_as(form: TextForm, notes: &[Note]) -> String {
    let line = |note: &Note| {
        let place = note.place.as_ref().map_or(String::new(), |p| format!(" [{p}]"));
        format!("note: {}{place}", note.message)
    };
    let lines = form.lines(notes.iter().map(line));
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}
