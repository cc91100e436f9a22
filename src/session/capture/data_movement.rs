//! This module answers requests about data movement: for each category, some sources and the sums over all others. It
//! depends on reports, not on a browser.

use super::CaptureSession;
use crate::analysis::base::{Analysis, GroupBy, Query};
use crate::analysis::data_movement::DataMovement;
use crate::protocol::{DataMovementView, Export, OmittedSum};
use crate::report::{data_movement, json};
use crate::session::programs::{Programs, QueryPrograms};
use xla_profile::profile::Profile;

/// Largest number of sources per category that have rows of their own.
const SOURCES: usize = 40;

/// Keeps the first `limit` sources of each category, and sums the others.
fn brief(mut data_movement: DataMovement, limit: usize) -> DataMovementView {
    let mut rows = Vec::new();
    let mut rest = Vec::new();
    for category in &data_movement.by_category {
        let sources = data_movement.sources_of(category);
        let (first, others) = sources.split_at(sources.len().min(limit));
        rows.extend_from_slice(first);
        rest.push(OmittedSum {
            n: others.len() as u32,
            total: others.iter().map(|row| row.total).sum(),
            n_executions: others.iter().map(|row| row.n_executions).sum(),
        });
    }
    data_movement.by_source = rows;
    DataMovementView { data_movement, rest }
}

/// Returns all data movement. A program is read when its first op needs it, and stays in memory until all ops are
/// classified.
pub fn data_movement(analysis: &Analysis, profile: &Profile, programs: &mut Programs, query: &Query) -> DataMovement {
    let query_programs = QueryPrograms::new(profile, programs);
    analysis.data_movement(profile, query, Some(&|id| query_programs.module(id)))
}

/// Returns all data movement as [`data_movement()`] does, with the instructions in the bodies of fusions and calls. Their programs
/// are read one after the other, because all of them together may take gigabytes.
pub fn data_movement_with_bodies(
    analysis: &Analysis,
    profile: &Profile,
    programs: &mut Programs,
    query: &Query,
) -> DataMovement {
    let (mut found, executed) = {
        let query_programs = QueryPrograms::new(profile, programs);
        analysis.data_movement_and_ops(profile, query, Some(&|id| query_programs.module(id)))
    };
    for id in executed.programs_with_bodies() {
        let query_programs = QueryPrograms::new(profile, programs);
        if let Some(module) = query_programs.module(id) {
            found.count_bodies(profile, &executed, id, module);
        }
    }
    found
}

impl CaptureSession {
    fn whole_data_movement(&mut self, query: &Query) -> DataMovement {
        data_movement(&self.analysis, &self.profile, &mut self.programs, query)
    }

    /// Returns data movement in the form that the page shows.
    pub(crate) fn data_movement(&mut self, query: &Query) -> DataMovementView {
        brief(self.whole_data_movement(query), SOURCES)
    }

    /// Returns data movement in the form that `rooflight non-compute` writes.
    pub(crate) fn export_data_movement(&mut self, query: &Query, format: Export) -> String {
        let query = Query { by: GroupBy::Category, filter: crate::analysis::base::Filter::default(), ..query.clone() };
        let data_movement = data_movement_with_bodies(&self.analysis, &self.profile, &mut self.programs, &query);
        if format == Export::Csv {
            return data_movement::table::data_movement_csv(&data_movement, usize::MAX).csv();
        }
        let notes = self.notes_and(&data_movement.notes);
        let names = self.file_names();
        let head = json::head_of("non-compute", &names, self.partial, &data_movement.header, &data_movement.totals);
        json::text(&data_movement::json::data_movement(head, &data_movement, usize::MAX, &notes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::base::{Header, Peaks, Status, Totals};
    use crate::analysis::classify::Kind;
    use crate::analysis::data_movement::DataMovementRow;
    use xla_profile::units::{Count, Picos};

    fn row(key: &str, category: &str, total: u64) -> DataMovementRow {
        DataMovementRow {
            key: key.to_owned(),
            key_kind: "category".to_owned(),
            category: category.to_owned(),
            kind: Kind::DataMovement,
            n_executions: 2.into(),
            total: Picos(total),
            stall: Picos::ZERO,
            of_step: None,
            bytes: None,
            n_bytes: Count::ZERO,
            changes: Default::default(),
            undetectable: Default::default(),
            space_moves: Vec::new(),
            shapes_in: Vec::new(),
            shapes_out: Vec::new(),
            source_inner: None,
            tf_op: None,
            example: None,
            example_program: None,
        }
    }

    #[test]
    fn omitted_rows_are_summed_per_category() {
        let data_movement = DataMovement {
            header: Header {
                status: Status::Ok,
                device: None,
                n_devices: 1,
                device_type: None,
                step: "all".to_owned(),
                mean: crate::analysis::base::Mean::default(),
                n_steps: 0,
                window: None,
                step_duration: None,
                not_in_file: None,
                peaks: Peaks::default(),
            },
            totals: Totals::default(),
            total: Picos(16),
            stall: Picos::ZERO,
            exposed_comm: Picos::ZERO,
            by_category: vec![row("copy", "copy", 15), row("none", "none", 1)],
            by_source: vec![
                row("a", "copy", 8),
                row("b", "copy", 4),
                row("c", "copy", 2),
                row("d", "copy", 1),
                row("e", "none", 1),
            ],
            opcodes: Vec::new(),
            notes: Vec::new(),
        };
        let view = brief(data_movement, 2);
        let keys: Vec<&str> = view.data_movement.by_source.iter().map(|row| &*row.key).collect();
        assert_eq!(keys, ["a", "b", "e"]);
        let none = OmittedSum { n: 0, total: Picos::ZERO, n_executions: Count::ZERO };
        assert_eq!(view.rest, [OmittedSum { n: 2, total: Picos(3), n_executions: 4.into() }, none]);
    }
}
