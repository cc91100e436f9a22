//! This module writes the ledger as a table for the terminal.

use crate::analysis::ledger::{Ledger, Owner};
use crate::table::format::{TimeUnit, percent};
use crate::table::text::TextForm;
use crate::table::text_columns::{TextColumns, or_absent};
use xla_profile::units::Picos;

/// Writes what the time of the device was spent on, as a mean over the steps.
pub fn ledger(ledger: &Ledger, device: &str) -> String {
    let mean = |time: Picos| Picos(time.0 / u64::from(ledger.n_steps.max(1)));
    let unit = TimeUnit::for_largest(mean(ledger.window));
    let columns = TextColumns::new()
        .text("What the time was spent on", |(owner, _): &(Owner, Picos)| label(*owner))
        .time("Time", unit, |(_, time)| mean(*time))
        .number("Window %", |(_, time)| or_absent(time.fraction_of(ledger.window), percent));
    let table = columns.table(&ledger.owners);
    let scope = match ledger.n_steps {
        0 | 1 => format!("the time of {device} goes"),
        n => format!("the time of a step of {device} goes, mean of {n} steps"),
    };
    format!("{}{}\n", TextForm::Terminal.lines([format!("Where {scope}")]), table.aligned())
}

/// Returns the label of an owner for users.
pub fn label(owner: Owner) -> String {
    match owner {
        Owner::Floor => "Compute at its roofline".to_owned(),
        Owner::Excess => "Compute above its roofline".to_owned(),
        Owner::Slower => "Slower than on other devices".to_owned(),
        Owner::Opaque => "Compute, not judged".to_owned(),
        Owner::Transfer => "Communication, transfer".to_owned(),
        Owner::Late => "Communication, waiting for other devices".to_owned(),
        Owner::Dma => "Waiting for copies and slices".to_owned(),
        Owner::Layout => "Copies and layout changes".to_owned(),
        Owner::Loop => "Loop overhead".to_owned(),
        Owner::Gap(class) => format!("Idle: {}", class.label()),
    }
}
