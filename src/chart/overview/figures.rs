//! This module writes the figures above the overview, with their formulas.

use crate::analysis::base::DeviceChoice;
use crate::analysis::overview::{
    Figure as Known, FigureId, FigureInput, FigureTexts, Overview, RuleId, Unit, shown_figures,
};
use crate::chart::widgets::figure::{Figure, Formula, Readout, exact, mark_above, share_figure};
use crate::chart::widgets::tip::row;
use crate::chip::usual_name;
use crate::report::overview::text::number;
use crate::table::format;
use xla_profile::units::Picos;

/// Returns which device and steps the overview is about.
pub fn about(overview: &Overview) -> String {
    let steps = match overview.ledger.n_steps {
        _ if !overview.has_steps => overview.header.step_text(),
        1 => "one step".to_owned(),
        n if overview.quality.iter().any(|finding| finding.rule() == RuleId::WarmUp) => format!("mean of {n} steps"),
        n => format!("mean of {n} steady steps"),
    };
    let which = match overview.devices.len() {
        0 | 1 => String::new(),
        n => match slowest(overview) {
            Some(slowest) if slowest == overview.device => ", the slowest device".to_owned(),
            Some(slowest) => format!(", which waits for {slowest}"),
            // The finding about devices without work counts them.
            None if overview.quality.iter().any(|finding| finding.rule() == RuleId::UnusedDevices) => String::new(),
            None => format!(", one of {n} devices"),
        },
    };
    let chip = overview.header.device_type.as_ref().map_or(String::new(), |chip| format!(" ({})", usual_name(chip)));
    let step_is = overview.header.mean.step_is.as_ref().map_or(String::new(), |step_is| format!(". {step_is}"));
    format!("{}{chip}{which}; {steps}{step_is}", overview.device)
}

/// Returns what a view of a session with `n` devices shows, such as "mean of 8 devices". `None` if it shows one device.
pub fn devices_words(device: DeviceChoice, n: usize) -> Option<String> {
    match device {
        DeviceChoice::Mean if n > 1 => Some(format!("mean of {n} devices")),
        DeviceChoice::All if n > 1 => Some(format!("sum of {n} devices")),
        _ => None,
    }
}

/// Returns what the other views show, in a sentence. `None` if they show the device of the overview.
pub fn other_views(overview: &Overview, device: DeviceChoice) -> Option<String> {
    devices_words(device, overview.devices.len()).map(|words| format!("The other views show the {words}."))
}

/// Returns the text beside the picker of the chip. `None` if no picker is needed: the peaks are known, and from the capture.
pub fn chip_text(overview: &Overview, has_chosen_chip: bool) -> Option<String> {
    let text = match (overview.lacks_peaks, has_chosen_chip, &overview.chip_guess) {
        (true, false, Some(guess)) => {
            return Some(format!("{} Until you choose it, compute is not judged.", guess.sentence()));
        }
        (true, false, None) => "The peaks of this device are unknown. Choose its chip, so that compute can be judged.",
        (true, true, _) => "The table of chips has no peak of this chip.",
        (false, true, _) => "You chose this chip.",
        (false, false, _) => return None,
    };
    Some(text.to_owned())
}

/// The share of a step for which a device at least waits for others, if one of them is called the slowest.
const LEAST_WAIT: f64 = 0.01;

/// Returns the device with the shortest wait for others. `None` if no device waits long.
pub(super) fn slowest(overview: &Overview) -> Option<&str> {
    let waits = || overview.devices.iter().filter_map(|device| Some((device.waited?, &*device.label)));
    // The chosen device counts as the slowest if its wait is as short as that of another one.
    let (least, first) = waits().min_by_key(|(wait, _)| *wait)?;
    let own = waits().find(|(wait, label)| *wait == least && *label == overview.device);
    let most = waits().map(|(wait, _)| wait).max()?;
    let is_long = most.fraction_of(overview.period).is_some_and(|share| share >= LEAST_WAIT);
    is_long.then(|| own.map_or(first, |(_, label)| label))
}

/// Returns the figures of the overview. Those that are next to nothing are in [`slight`].
pub fn readout(overview: &Overview) -> Readout {
    let mut main = vec![gain(overview)];
    main.extend(shown(overview, false));
    Readout { hero: hero(overview), main, side: Vec::new() }
}

/// Returns the figures that are too small for any finding. A figure whose rule has found something nevertheless is left out: collectives
/// make all devices take as long as the slowest one, so that its finding says more than "Device spread 0.1 %".
pub fn slight(overview: &Overview) -> Vec<Figure> {
    shown(overview, true).collect()
}

/// Iterates over the figures that have a value or lack only the chip, and are next to nothing or not.
fn shown(overview: &Overview, is_slight: bool) -> impl Iterator<Item = Figure> {
    let known = |(id, texts): (FigureId, FigureTexts)| Some((overview.figure(id)?, texts));
    let all = shown_figures().filter_map(known).filter(|(known, _)| known.value.is_some() || known.lacks_peaks());
    let of_size = all.filter(move |(known, _)| known.is_slight() == is_slight);
    let is_contradicted =
        move |texts: &FigureTexts| is_slight && texts.rule.is_some_and(|rule| overview.has_found(rule));
    of_size.filter(move |(_, texts)| !is_contradicted(texts)).map(|(known, texts)| share(known, texts))
}

fn hero(overview: &Overview) -> Figure {
    let (value, unit) = format::figure_time(overview.period);
    let mut rows = vec![row("Device and steps", about(overview))];
    if let Some(known) = overview.figure(FigureId::StepTime) {
        rows.extend(known.value.map(|median| row("Median", number(median, Unit::Ps))));
        rows.extend(inputs(known));
    }
    rows.push(row("Result", exact(overview.period)));
    rows.extend(overview.header.not_in_file.map(|time| row("Not in the file", exact(time))));
    let (label, formula) = if overview.has_steps {
        ("Time per step", "mean over steady steps of (start of the next step − start of the step)")
    } else if overview.header.range().is_some() {
        ("Range", "its end − its start")
    } else {
        ("Whole capture", "end of the last op − start of the first")
    };
    let (label, formula) = match overview.header.not_in_file {
        Some(_) if overview.has_steps => {
            ("Step, up to the end of the file", "end of the last op in the file − start of the step")
        }
        _ => (label, formula),
    };
    let scope = overview.header.missing_text();
    let how = Formula { formula: formula.to_owned(), rows };
    Figure { label: label.to_owned(), value, unit, scope, how, ..Figure::default() }
}

/// The time that could at most be gained.
fn gain(overview: &Overview) -> Figure {
    let gain = overview.gain();
    let (value, unit) = format::figure_time(gain.most);
    // What is not judged may be most of the step.
    let is_part = gain.opaque() > gain.most;
    let value = if is_part { format!("≥ {value}") } else { value };
    let mut rows = vec![
        row("Needed", exact(gain.needed)),
        row("At most to gain", exact(gain.most)),
        row("Not judged", exact(gain.not_judged)),
    ];
    if gain.requests > Picos::ZERO {
        rows.push(row("of it, waits for requests", exact(gain.requests)));
    }
    rows.extend(gain.idle_outside.map(|time| row("Idle outside of the steps", exact(time))));
    rows.push(row("Attainable", format!("{} of the roofline", format::percent_text(overview.ledger.attainable))));
    rows.push(row("Findings", overview.findings_sum_text()));
    Figure {
        label: if is_part { "To gain, not all is judged" } else { "At most to gain" }.to_owned(),
        value,
        unit,
        scope: gain.most.fraction_of(overview.period).map(format::percent_text),
        note: Some(overview.gain_assumption()),
        how: Formula { formula: "step time − roofline time ÷ attainable − not judged".to_owned(), rows },
    }
}

fn share(known: &Known, texts: FigureTexts) -> Figure {
    let (value, unit) = share_figure(known.value);
    let value = if known.value.is_some() && known.is_at_least() { format!("≥ {value}") } else { value };
    let mut rows = inputs(known);
    rows.extend(known.coverage.map(|coverage| row("Coverage", format::percent_text(coverage))));
    rows.extend(known.absent.as_ref().map(|reason| row("Unknown", reason.clone())));
    if let Some(other) = known.by_other_peak() {
        let source = if other.is_published { "By the capture" } else { "By the data sheet" };
        rows.push(row(source, format::percent_text(other.value)));
    }
    rows.extend(known.finding_from.clone().map(|from| row("A finding", from)));
    let how = Formula { formula: texts.formula.to_owned(), rows };
    let scope = known.lacks_peaks().then(|| "needs the chip".to_owned());
    let figure = Figure { label: texts.label.to_owned(), value, unit, scope, how, ..Figure::default() };
    match known.exceeded_limit() {
        Some(limit) => mark_above(figure, limit),
        None => figure,
    }
}

/// Returns the inputs of a figure as rows.
fn inputs(known: &Known) -> Vec<(String, String)> {
    let text = |input: &FigureInput| input.text().unwrap_or_else(|| number(input.value, input.unit));
    let line = |input: &FigureInput| (input.label(), text(input));
    known.inputs.iter().map(line).collect()
}
