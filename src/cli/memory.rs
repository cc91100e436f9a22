//! This module runs `rooflight memory`: it declares the arguments and selects the output. Figures and texts come from
//! the library.

use super::open_capture::{OpenCapture, notes_text};
use super::view_args::Output;
use crate::analysis::base::{Filter, GroupBy, Status};
use crate::analysis::memory::{FIT_UNKNOWN, MemoryQuery, ProgramPeaks, RequestedSizes, WholeMemory, parse_size};
use crate::chip::{CHIPS, Chip};
use crate::protocol::Failure;
use crate::report::{json, memory};
use crate::session;
use crate::table::text::TextForm;

/// The programs and memory spaces to print, and the capacity to compare with.
#[derive(clap::Args)]
pub struct MemoryArgs {
    /// The memory space: 0 is HBM, 1 is the VMEM of a TPU. Default: all spaces in JSON and CSV, 0 in text.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    color: Option<i64>,
    /// Selects programs by name or id.
    #[arg(long, value_name = "NAME|ID")]
    program: Option<String>,
    /// Treats a dimension of at least this size as the vocabulary.
    #[arg(long, value_name = "N", default_value_t = MemoryQuery::VOCABULARY)]
    vocabulary: u64,
    /// The number of model parameters on one device, for the estimate of the training state. Default: the count of the weights.
    #[arg(long, value_name = "N")]
    parameters: Option<u64>,
    /// Estimates the memory of a model with this many parameters, such as 8B.
    #[arg(long, value_name = "N", value_parser = size)]
    fit_parameters: Option<u64>,
    /// Estimates the memory if this many devices share the parameters.
    #[arg(long, value_name = "N", value_parser = size)]
    fit_devices: Option<u64>,
    /// Estimates the memory with this many sequences on a device.
    #[arg(long, value_name = "N", value_parser = size)]
    fit_sequences: Option<u64>,
    /// Estimates the memory with this many tokens in a sequence.
    #[arg(long, value_name = "N", value_parser = size)]
    fit_length: Option<u64>,
    /// Takes the capacity of this chip if no allocator reports one.
    #[arg(long, value_name = "NAME", value_parser = chip)]
    chip: Option<&'static Chip>,
}

fn chip(name: &str) -> Result<&'static Chip, String> {
    let names = || CHIPS.iter().map(|chip| chip.name).collect::<Vec<_>>().join(", ");
    Chip::meant(name).ok_or_else(|| format!("known chips: {}", names()))
}

fn size(text: &str) -> Result<u64, String> {
    parse_size(text).ok_or_else(|| "a number from 1 on, such as 8.03B, 2048 or 4k".to_owned())
}

impl MemoryArgs {
    const fn requested_sizes(&self) -> RequestedSizes {
        RequestedSizes {
            n_parameters: self.fit_parameters,
            n_sharing: self.fit_devices,
            sequences: self.fit_sequences,
            length: self.fit_length,
        }
    }

    fn is_asked(&self, program: &ProgramPeaks) -> bool {
        let Some(name) = &self.program else { return true };
        program.name == *name || program.program_id.is_some_and(|id| id.to_string() == *name)
    }
}

impl OpenCapture<'_> {
    pub(super) fn memory(&self, args: &MemoryArgs) -> Result<String, Failure> {
        let query = MemoryQuery {
            buffers: u32::MAX,
            vocabulary: args.vocabulary,
            n_parameters: args.parameters,
            ..MemoryQuery::default()
        };
        let is_text = matches!(self.view.output(), Output::Text | Output::Markdown);
        let color = args.color.or(is_text.then_some(0));
        let profile = &self.opened.profile;
        let programs = &mut self.programs.borrow_mut();
        let is_asked = |program: &ProgramPeaks| args.is_asked(program);
        let whole = session::whole_memory(self.analysis, profile, programs, &query, color, &is_asked, args.chip);
        if whole.programs.is_empty()
            && let Some(name) = &args.program
        {
            let all = self.analysis.programs(profile).into_iter().map(|program| program.name);
            let known = all.take(20).collect::<Vec<_>>().join(", ");
            return Err(Failure { title: format!("No program {name}"), message: format!("Programs: {known}.") });
        }
        let notes = self.notes(&whole.notes);
        let top = self.view.top.unwrap_or(usize::MAX);
        Ok(match self.view.output() {
            Output::Json => {
                let kinds = self.query_breakdown(&self.query(GroupBy::Kind, Filter::default())?)?;
                let status = if whole.is_empty() { Status::Absent } else { Status::Ok };
                let header = crate::analysis::base::Header { status, ..kinds.header };
                let files = self.files();
                let head = json::head_of("memory", &files, self.partial, &header, &kinds.totals);
                (self.json)(&memory::json::memory(head, &whole, top, args.requested_sizes(), &notes))
            }
            Output::Csv => memory::table::csv(&whole, top).csv(),
            Output::Markdown => tables(&whole, TextForm::Markdown, self.view.top.unwrap_or(20), args.requested_sizes()),
            Output::Text if whole.is_empty() => notes_text(&notes),
            Output::Text => {
                tables(&whole, TextForm::Terminal, self.view.top.unwrap_or(20), args.requested_sizes())
                    + &notes_text(&notes)
            }
        })
    }
}

/// Writes the table of all programs, then the findings, classes and live buffers of the heaviest program, then the
/// table that compares the peaks of each device.
fn tables(whole: &WholeMemory, form: TextForm, top: usize, requested: RequestedSizes) -> String {
    let mut parts = Vec::new();
    if !whole.programs.is_empty() {
        parts.push(form.table(&memory::table::programs(whole)));
    }
    let heaviest = whole.programs.iter().find_map(|program| Some((&program.peaks.name, program.spaces.first()?)));
    if let Some((name, space)) = heaviest {
        let space = &space.memory;
        let findings = form.lines(memory::table::findings(name, space));
        let (classes, alive) = (memory::table::classes(space), memory::table::alive(space, top));
        parts.push(format!("{findings}\n{}\n{}", form.table(&classes), form.table(&alive)));
        if requested != RequestedSizes::default() {
            parts.push(match memory::table::fit(space, whole, requested) {
                Some((lines, table)) => form.lines(lines) + "\n" + &form.table(&table),
                None => form.lines([format!("Will it fit? {FIT_UNKNOWN}")]),
            });
        }
    }
    if !whole.checks.is_empty() {
        parts.push(form.table(&memory::table::checks(whole)));
    }
    parts.join("\n")
}
