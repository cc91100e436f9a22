//! What leaves, before it leaves: every text of a report, by what it is, and how much there is of each table.

use super::error::ShareError;
use super::report::Report;
use super::walk::{self, Done, Number, Text, Visit};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What leaves with a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// Tables: what is told, and what is summed.
    pub tables: Vec<(String, String)>,
    /// Texts, by what they are. All of them are here.
    pub texts: Vec<Section>,
    /// Numbers that are told.
    pub n_numbers: u32,
}

/// The texts of one sort.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Of which: "Names of ops".
    pub title: String,
    /// They can say what the work is: worth a look before they leave.
    pub is_telling: bool,
    /// Each once, in order.
    pub texts: Vec<String>,
}

const SECTIONS: [(Text, &str, bool); 10] = [
    (Text::File, "Files", true),
    (Text::Source, "Lines of source code", true),
    (Text::Sentence, "Notes", true),
    (Text::Program, "Programs", true),
    (Text::Scope, "Scopes and layers", true),
    (Text::Op, "Names of ops", true),
    (Text::Axis, "Axes of meshes", true),
    (Text::Shape, "Shapes", true),
    (Text::Device, "Devices", false),
    (Text::Word, "Words of compilers and chips", false),
];

impl Report {
    /// What leaves with it.
    pub fn preview(&self) -> Preview {
        let mut seen = Seen::default();
        // Looking changes nothing, and does not fail.
        let _ = walk::report(&mut seen, &mut self.clone());
        let section = |(what, title, is_telling): (Text, &str, bool)| {
            let texts: Vec<String> = seen.texts.remove(&what)?.into_iter().collect();
            Some(Section { title: title.to_owned(), is_telling, texts })
        };
        Preview {
            tables: self.tables(),
            texts: SECTIONS.into_iter().filter_map(section).collect(),
            n_numbers: seen.n_numbers,
        }
    }

    /// How much there is of each table, in words.
    fn tables(&self) -> Vec<(String, String)> {
        let of = |n: usize, rest: u32| match rest {
            0 => n.to_string(),
            rest => format!("{n} of {}; the others are summed", n as u64 + u64::from(rest)),
        };
        let roofs = self.rows.iter().filter(|row| row.point.as_ref().is_some_and(|point| point.roof.is_some()));
        let steps: usize = self.steps.devices.iter().map(|device| device.steps.len()).sum();
        let all = self.steps.devices.iter().filter_map(|device| device.all);
        let all = all.fold(0_u32, |sum, all| sum.saturating_add(all.n));
        let comm = &self.comm;
        let mut tables = vec![
            ("Ops".to_owned(), of(self.rows.len(), self.n_cut())),
            ("Ops against roofs".to_owned(), of(roofs.count(), self.roofline.more.0)),
            ("Steps".to_owned(), of(steps, all.saturating_sub(steps as u32))),
            ("Collectives".to_owned(), of(comm.comm.rows.len(), comm.more.0)),
            ("Copies".to_owned(), of(comm.comm.copy_rows.len(), comm.more_copies.0)),
            ("Programs’ memory".to_owned(), self.memory.programs.len().to_string()),
        ];
        for space in &self.memory.spaces {
            let n = space.alive.buffers.len();
            tables.push(("Buffers at the peak".to_owned(), of(n, space.alive.n.saturating_sub(n as u32))));
            tables.push(("Points of the memory’s curve".to_owned(), space.curve.columns.len().to_string()));
        }
        tables
    }
}

#[derive(Default)]
struct Seen {
    texts: BTreeMap<Text, BTreeSet<String>>,
    n_numbers: u32,
}

impl Visit for Seen {
    fn count(&mut self, n: usize, _: usize) -> Result<usize, ShareError> {
        Ok(n)
    }

    fn integer(&mut self, value: &mut Option<u64>, _: Option<u64>, _: Number) -> Done {
        self.n_numbers += u32::from(value.is_some());
        Ok(())
    }

    fn real(&mut self, value: &mut Option<f64>, _: Option<f64>) -> Done {
        self.n_numbers += u32::from(value.is_some());
        Ok(())
    }

    fn text(&mut self, value: &mut Option<String>, _: Option<&str>, what: Text) -> Done {
        if let Some(text) = value.as_ref().filter(|text| !text.is_empty()) {
            self.texts.entry(what).or_default().insert(text.clone());
        }
        Ok(())
    }
}
