//! This module turns findings about memory into sentences with their buffers: ways to lower the peak, large buffers,
//! and padding. It does not depend on page elements.

use super::size::text;
use crate::analysis::memory::{Buffer, BufferId, Estimate, Padded, SpaceMemory};
use crate::table::format::{self, ABSENT};

/// A finding about the memory of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub head: String,
    pub message: String,
    /// Buffers as rows: name, size, and a detail.
    pub rows: Vec<[String; 3]>,
    /// Ids of the buffers, for the what-if; empty if the what-if has no meaning for the finding.
    pub buffers: Vec<BufferId>,
}

/// Largest number of buffers per finding.
const ROWS: usize = 8;

fn rows(buffers: &[Buffer], what: impl Fn(&Buffer) -> String) -> Vec<[String; 3]> {
    buffers.iter().take(ROWS).map(|buffer| [buffer.label(), text(buffer.size), what(buffer)]).collect()
}

/// Returns all findings, the most useful first.
pub fn findings(space: &SpaceMemory) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Some(vocabulary) = &space.vocabulary {
        let dims: Vec<String> = vocabulary.dims.iter().map(|n| format::count(*n)).collect();
        let message = if vocabulary.saves > 0 {
            format!(
                "{} alive at the peak have a dimension of the vocabulary’s size ({}). The loss in {} pieces (chunked cross-entropy) \
                 would lower the peak by {}, to {}: replayed.",
                text(vocabulary.size),
                dims.join(", "),
                vocabulary.chunks,
                text(vocabulary.saves),
                text(vocabulary.peak)
            )
        } else {
            format!(
                "{} alive at the peak have a dimension of the vocabulary’s size ({}); computing the loss in pieces would not lower the peak.",
                text(vocabulary.size),
                dims.join(", ")
            )
        };
        found.push(Finding {
            head: "Buffers of vocabulary size".to_owned(),
            message,
            rows: rows(&vocabulary.buffers, |buffer| buffer.shape.clone()),
            buffers: vocabulary.buffers.iter().map(|buffer| buffer.id).collect(),
        });
    }
    if !space.long_lived.is_empty() {
        let size = space.long_lived.iter().fold(0, |sum: u64, buffer| sum.saturating_add(buffer.size));
        let n = format::counted(space.long_lived.len() as u64, "temporary", "temporaries");
        found.push(Finding {
            head: "Long-lived temporaries".to_owned(),
            message: format!("{n} of more than 100 MiB each live for more than half of the schedule, {} together: rematerialisation or offloading would free them.", text(size)),
            rows: rows(&space.long_lived, |buffer| format!("{} to {}", format::count(buffer.first.into()), format::count(buffer.last.into()))),
            buffers: space.long_lived.iter().map(|buffer| buffer.id).collect(),
        });
    }
    if !space.jumps.is_empty() {
        let row = |jump: &crate::analysis::memory::Jump| {
            [
                jump.buffer.label(),
                format!("+{}", text(jump.size)),
                format!("at {}, then {}", format::count(jump.position.into()), text(jump.after)),
            ]
        };
        found.push(Finding {
            head: "Largest increases".to_owned(),
            message: "These allocations raise the memory most: size, position, and the memory after it.".to_owned(),
            rows: space.jumps.iter().take(ROWS).map(row).collect(),
            buffers: Vec::new(),
        });
    }
    found.push(estimate(&space.estimate));
    found
}

fn estimate(estimate: &Estimate) -> Finding {
    let per = estimate.per_parameter;
    let rule = format!(
        "By rule of thumb a parameter takes {} B of weights, {} B of gradients, and with Adam {} B for m, {} B for v and {} B of a master copy.",
        per.weights, per.gradients, per.m, per.v, per.master
    );
    let message = match estimate.n_parameters {
        Some(n) if estimate.counted => {
            format!("{rule} This device holds {} of them, counted from its weights.", format::count(n))
        }
        Some(n) => format!("{rule} For {} of them:", format::count(n)),
        None => format!("{rule} No buffer here is known to be a weight, so they cannot be counted."),
    };
    let row = |row: &crate::analysis::memory::EstimateRow| {
        [
            row.class.label().to_owned(),
            text(row.measured),
            row.expected.map_or_else(|| ABSENT.to_owned(), |bytes| format!("{} expected", text(bytes))),
        ]
    };
    Finding {
        head: "Compared with the parameters".to_owned(),
        message,
        rows: estimate.rows.iter().map(row).collect(),
        buffers: Vec::new(),
    }
}

/// One row of the list of padded buffers.
#[derive(Clone, Debug, PartialEq)]
pub struct PaddingRow {
    pub name: String,
    pub shape: String,
    /// Size, padding, and size divided by the size without padding.
    pub figures: [String; 3],
}

/// Returns the padded buffers with the most padding, the worst first.
pub fn padding(space: &SpaceMemory) -> Vec<PaddingRow> {
    let row = |padded: &Padded| PaddingRow {
        name: padded.buffer.label(),
        shape: padded.buffer.shape.clone(),
        figures: [
            text(padded.buffer.size),
            text(padded.wasted),
            padded
                .overhead
                .map_or_else(|| ABSENT.to_owned(), |overhead| format!("{} ×", format::decimal(overhead + 1.0, 2))),
        ],
    };
    space.padding.worst.iter().map(row).collect()
}
