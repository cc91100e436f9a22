//! This module makes the preview of a report before it is shared: every text of the report by its kind, and the number
//! of rows of each table.

use super::codec;
use super::codec::visit::{Number, Text, Visit, VisitResult};
use super::comparison::SharedComparison;
use super::error::ShareError;
use super::opcodes::{is_allocator, is_category, is_chip};
use super::report::Report;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The content of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// Number of rows of each table.
    pub tables: Vec<Table>,
    /// All texts of the report, by kind.
    pub texts: Vec<Section>,
    /// Number of all numbers in the report.
    pub n_numbers: u32,
}

/// The number of rows of a table. The rows that are left out are summed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Title, such as "Ops".
    pub title: String,
    /// Rows in the report.
    pub shown: u64,
    /// Rows in the session.
    pub total: u64,
}

/// The texts of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Title, such as "Names of ops".
    pub title: String,
    /// Whether the texts can reveal the work, so that the user should check them.
    pub is_telling: bool,
    /// Each text once, in order.
    pub texts: Vec<String>,
}

const SECTIONS: [(Text, &str, bool); 13] = [
    (Text::File, "Files", true),
    (Text::Source, "Lines of source code", true),
    (Text::Sentence, "Notes", true),
    (Text::Program, "Programs", true),
    (Text::Scope, "Scopes and layers", true),
    (Text::Op, "Names of ops", true),
    (Text::Axis, "Axes of meshes", true),
    (Text::Shape, "Shapes", true),
    (Text::Device, "Devices", false),
    (Text::Category, "HLO categories and opcodes", false),
    (Text::Chip, "Chips", false),
    (Text::Allocator, "Allocators", false),
    (Text::Word, "Words of compilers", false),
];

impl Report {
    /// Returns the preview of the report.
    pub fn preview(&self) -> Preview {
        let mut collected = PreviewTexts::default();
        // The visitor changes nothing, and does not fail.
        let _ = codec::report(&mut collected, &mut self.clone());
        let section = |(what, title, is_telling): (Text, &str, bool)| {
            let texts: Vec<String> = collected.texts.remove(&what)?.into_iter().collect();
            // Most of these texts are common words, but a capture can hold any other text.
            let is_known: Option<fn(&str) -> bool> = match what {
                Text::Category => Some(is_category),
                Text::Chip => Some(is_chip),
                Text::Allocator => Some(is_allocator),
                _ => None,
            };
            let is_telling = is_telling || is_known.is_some_and(|known| !texts.iter().all(|text| known(text)));
            Some(Section { title: title.to_owned(), is_telling, texts })
        };
        Preview {
            tables: self.tables(),
            texts: SECTIONS.into_iter().filter_map(section).collect(),
            n_numbers: collected.n_numbers,
        }
    }

    /// Returns the number of rows of each table.
    pub(super) fn tables(&self) -> Vec<Table> {
        if let Some(comparison) = &self.comparison {
            return comparison_tables(comparison);
        }
        let table =
            |title: &str, shown: usize, total: u64| Table { title: title.to_owned(), shown: shown as u64, total };
        let cut = |title: &str, shown: usize, cut: u32| table(title, shown, shown as u64 + u64::from(cut));
        let roofs = self.rows.iter().filter(|row| row.point.as_ref().is_some_and(|point| point.roof.is_some()));
        let steps: usize = self.steps.devices.iter().map(|device| device.steps.len()).sum();
        let all = self.steps.devices.iter().filter_map(|device| device.all).map(|all| u64::from(all.n)).sum::<u64>();
        let comm = &self.comm;
        let n_programs = self.memory.programs.len();
        let spaces = &self.memory.spaces;
        let buffers: usize = spaces.iter().map(|space| space.alive.buffers.len()).sum();
        let alive: u64 = spaces.iter().map(|space| u64::from(space.alive.n)).sum();
        let points: usize = spaces.iter().map(|space| space.curve.columns.len()).sum();
        vec![
            cut("Ops", self.rows.len(), self.n_cut()),
            cut("Roofline points", roofs.count(), self.roofline.more.0),
            table("Steps", steps, all.max(steps as u64)),
            cut("Collectives", comm.comm.rows.len(), comm.more.0),
            cut("Copies", comm.comm.copy_rows.len(), comm.more_copies.0),
            table("Programs’ memory", n_programs, n_programs as u64),
            table("Buffers at the peak", buffers, alive.max(buffers as u64)),
            table("Memory samples", points, points as u64),
        ]
    }
}

/// Returns the number of rows of each table of a comparison. The ops that are left out are summed; the others are not.
fn comparison_tables(shared: &SharedComparison) -> Vec<Table> {
    let table = |title: &str, shown: usize, all_rows: u32| Table {
        title: title.to_owned(),
        shown: shown as u64,
        total: u64::from(all_rows).max(shown as u64),
    };
    let all = &shared.comparison;
    let steps = all.a.periods_ps.len() + all.b.periods_ps.len();
    vec![
        table("Ops", shared.n_rows.saturating_sub(shared.n_cut) as usize, shared.n_rows),
        table("Parts of the difference", all.parts.len(), 0),
        table("Steps", steps, all.a.n_steps.saturating_add(all.b.n_steps)),
        table("Scopes", all.scopes.len(), shared.n_scopes),
        table("Changes of programs", all.program_changes.changes.len(), shared.n_changes),
        table("Collectives", all.comm.rows.len(), shared.n_collectives),
    ]
}

#[derive(Default)]
struct PreviewTexts {
    texts: BTreeMap<Text, BTreeSet<String>>,
    n_numbers: u32,
}

impl Visit for PreviewTexts {
    fn count(&mut self, n: usize, _: usize) -> Result<usize, ShareError> {
        Ok(n)
    }

    fn integer(&mut self, value: &mut Option<u64>, _: Option<u64>, _: Number) -> VisitResult {
        self.n_numbers += u32::from(value.is_some());
        Ok(())
    }

    fn real(&mut self, value: &mut Option<f64>, _: Option<f64>) -> VisitResult {
        self.n_numbers += u32::from(value.is_some());
        Ok(())
    }

    fn text(&mut self, value: &mut Option<String>, _: Option<&str>, what: Text) -> VisitResult {
        if let Some(text) = value.as_ref().filter(|text| !text.is_empty()) {
            self.texts.entry(what).or_default().insert(text.clone());
        }
        Ok(())
    }
}
