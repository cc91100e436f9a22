//! This module holds the texts of the communication view: suggested XLA flags, stragglers, and the spread of steps. It
//! does not depend on pixels.

use crate::analysis::comm::flags::Flag;
use crate::analysis::comm::{Arrival, ArrivalSpread, Comm, Core, PrimitiveSums};
use crate::report::comm_table;
use crate::table::format::{self, ABSENT};

/// A primitive with its sums and the suggested flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    pub primitive: &'static str,
    /// Sentence with the stall, the number of executions and the hidden share.
    pub text: String,
    /// XLA flags to try; empty if nothing waits, or if no flag is known for the chip.
    pub flags: Vec<Flag>,
}

/// Returns one entry per primitive, the longest stall first.
pub fn advice(comm: &Comm) -> Vec<Advice> {
    let one = |of: &PrimitiveSums| {
        let traffic = &of.traffic;
        let core = if of.core == Core::Sparse { " on a SparseCore" } else { "" };
        let share = comm.header.step_duration.and_then(|step| traffic.stall.fraction_of(step));
        let share = share.map_or_else(String::new, |share| format!(" ({} of the time)", format::percent_text(share)));
        let hidden = traffic.overlap.share().map_or_else(
            || ABSENT.to_owned(),
            |share| format!("{} of what is in flight is hidden", format::percent_text(share)),
        );
        let text = format!(
            "{} in {}{share}{core}; {hidden}.",
            format::time_text(traffic.stall),
            format::counted_executions(traffic.n, "execution", "executions"),
        );
        let flags = of.suggestions(comm.header.device_type.as_deref());
        Advice { primitive: of.primitive.key(), text, flags }
    };
    comm.primitives.iter().map(one).collect()
}

/// Returns the chip that the flags are for and the version they were checked with, and states that the capture does not
/// record flags.
pub fn advice_origin(comm: &Comm, advice: &[Advice]) -> String {
    const UNRECORDED: &str = "The capture does not record which flags were set.";
    let chip = comm.header.device_type.as_deref();
    match (advice.iter().find_map(|of| of.flags.first()), chip) {
        (Some(flag), Some(chip)) => format!(
            "Flags to try on {chip}, checked with {}: those that its compiler accepts and that are not on by default. {UNRECORDED}",
            flag.checked_with()
        ),
        (Some(flag), None) => format!("Flags to try, checked with {}. {UNRECORDED}", flag.checked_with()),
        (None, Some(chip)) => {
            format!("No flag is suggested for {chip}: none was checked for what waits here. {UNRECORDED}")
        }
        (None, None) => format!("No flag is suggested: the capture does not name its chip. {UNRECORDED}"),
    }
}

/// Returns sentences about differences between devices: the straggler, the spread of steps, and collectives that could
/// not be compared. Empty for one device.
pub fn balance(comm: &Comm) -> Vec<String> {
    let Some(of) = &comm.balance else { return Vec::new() };
    let mut lines: Vec<String> = comm_table::straggler(comm).into_iter().collect();
    lines.extend(comm_table::critical(comm));
    if let Some((spread, step)) = of.worst_spread.zip(of.worst_step) {
        let slowest = of.slowest.as_deref().map_or_else(String::new, |name| format!(", {name} slowest"));
        let bad = if spread > 0.05 { ": more than 5 % is high" } else { "" };
        lines.push(format!(
            "Steps of {} devices: at most {} apart, in step {step}{slowest}{bad}.",
            of.devices.len().max(2),
            format::percent_text(spread)
        ));
    }
    if of.n_unmatched > 0 {
        lines.push(format!(
            "{} not compared: their groups are not known, or their executions differ in number between devices.",
            format::counted(of.n_unmatched.into(), "collective is", "collectives are")
        ));
    }
    lines
}

/// Returns the cells of a device: its name, the time that it waits for its peers, the number of executions at which it
/// arrives last, the number of compared executions, and the sum of its delays at those.
pub fn device(of: &Arrival) -> [String; 5] {
    let waited = of.waited.map_or_else(|| ABSENT.to_owned(), format::time_text);
    [of.device.clone(), waited, format::count(of.n_last), format::count(of.n), format::time_text(of.late)]
}

/// Returns the cells of a collective: its name, the number of executions, the sum and the maximum of the arrival
/// spread, and the device that arrives last most often, with the number of these executions.
pub fn collective(of: &ArrivalSpread) -> [String; 5] {
    let straggler = of
        .straggler
        .as_deref()
        .map_or_else(|| ABSENT.to_owned(), |device| format!("{device}, {} of {}", of.n_last, of.n));
    [of.op.clone(), format::count(of.n), format::time_text(of.total), format::time_text(of.max), straggler]
}
