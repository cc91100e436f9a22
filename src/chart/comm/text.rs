//! Words of communication beside pictures: flags worth a look, devices that come last. This module knows reports; no pixel.

use crate::analysis::comm::flags::Flag;
use crate::analysis::comm::{Arrival, ArrivalSpread, Comm, Core, PrimitiveSums};
use crate::report::comm_table;
use crate::table::format::{self, ABSENT};

/// A primitive with its sums and the flags worth a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The primitive.
    pub primitive: &'static str,
    /// What it costs, in a sentence.
    pub says: String,
    /// XLA's flags; empty where nothing waits, or none is known for the chip.
    pub flags: Vec<Flag>,
}

/// Primitives, the longest stall first.
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
        let says = format!(
            "{} in {}{share}{core}; {hidden}.",
            format::time_text(traffic.stall),
            format::counted(traffic.n, "execution", "executions"),
        );
        let flags = of.suggestions(comm.header.device_type.as_deref());
        Advice { primitive: of.primitive.key(), says, flags }
    };
    comm.primitives.iter().map(one).collect()
}

/// For which chip the flags are, with what they were checked, and what the capture does not say.
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

/// How devices differ, in sentences.
pub fn balance(comm: &Comm) -> Vec<String> {
    let Some(of) = &comm.balance else { return Vec::new() };
    let mut says: Vec<String> = comm_table::straggler(comm).into_iter().collect();
    if let Some((spread, step)) = of.worst_spread.zip(of.worst_step) {
        let slowest = of.slowest.as_deref().map_or_else(String::new, |name| format!(", {name} slowest"));
        let bad = if spread > 0.05 { ": more than 5 % is high" } else { "" };
        says.push(format!(
            "Steps of {} devices: at most {} apart, in step {step}{slowest}{bad}.",
            of.devices.len().max(2),
            format::percent_text(spread)
        ));
    }
    if of.n_unmatched > 0 {
        says.push(format!(
            "{} not compared: their groups are not known, or their executions differ in number between devices.",
            format::counted(of.n_unmatched.into(), "collective is", "collectives are")
        ));
    }
    says
}

/// A device: its name, how long it waits for its peers, how often it arrives last, of how many, how late it then is in all.
pub fn device(of: &Arrival) -> [String; 5] {
    let waited = of.waited.map_or_else(|| ABSENT.to_owned(), format::time_text);
    [of.device.clone(), waited, format::count(of.n_last), format::count(of.n), format::time_text(of.late)]
}

/// A collective: its name, executions, Σ spread, the largest, who comes last and how often.
pub fn collective(of: &ArrivalSpread) -> [String; 5] {
    let straggler = of
        .straggler
        .as_deref()
        .map_or_else(|| ABSENT.to_owned(), |device| format!("{device}, {} of {}", of.n_last, of.n));
    [of.op.clone(), format::count(of.n), format::time_text(of.total), format::time_text(of.max), straggler]
}
