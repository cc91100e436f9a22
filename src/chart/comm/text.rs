//! This module holds the texts of the communication view about devices: stragglers, and the spread of steps. It
//! does not depend on pixels.

use crate::analysis::comm::{Arrival, ArrivalSpread, Comm};
use crate::report::comm;
use crate::table::format::{self, ABSENT};

/// Returns sentences about differences between devices: the straggler, the spread of steps, and collectives that could
/// not be compared. Empty for one device.
pub fn balance(comm: &Comm) -> Vec<String> {
    let Some(balance) = &comm.balance else { return Vec::new() };
    let mut lines: Vec<String> = comm::table::straggler(comm).into_iter().collect();
    lines.extend(comm::table::critical(comm));
    if let Some((spread, step)) = balance.worst_spread.zip(balance.worst_step) {
        let slowest = balance.slowest.as_deref().map_or_else(String::new, |name| format!(", {name} slowest"));
        let bad = if spread > 0.05 { ": more than 5 % is high" } else { "" };
        lines.push(format!(
            "Steps of {} devices: at most {} apart, in step {step}{slowest}{bad}.",
            balance.devices.len().max(2),
            format::percent_text(spread)
        ));
    }
    if balance.n_unmatched > 0 {
        lines.push(format!(
            "{} not compared: their groups are not known, or their executions differ in number between devices.",
            format::counted(balance.n_unmatched.into(), "collective is", "collectives are")
        ));
    }
    lines
}

/// Returns the cells of a device: its name, the time that it waits for its peers, the number of executions at which it
/// arrives last, the number of compared executions, and the sum of its delays at those.
pub fn device(arrival: &Arrival) -> [String; 5] {
    let waited = arrival.waited.map_or_else(|| ABSENT.to_owned(), format::time_text);
    [
        arrival.device.clone(),
        waited,
        format::count(arrival.n_last),
        format::count(arrival.n),
        format::time_text(arrival.late),
    ]
}

/// Returns the cells of a collective: its name, the number of executions, the sum and the maximum of the arrival
/// spread, and the device that arrives last most often, with the number of these executions.
pub fn collective(spread: &ArrivalSpread) -> [String; 5] {
    let straggler = spread
        .straggler
        .as_deref()
        .map_or_else(|| ABSENT.to_owned(), |device| format!("{device}, {} of {}", spread.n_last, spread.n));
    [
        spread.op.clone(),
        format::count(spread.n),
        format::time_text(spread.total),
        format::time_text(spread.max),
        straggler,
    ]
}
