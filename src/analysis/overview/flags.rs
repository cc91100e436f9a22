//! This module checks the XLA flags that the user gives, and turns the flags that a chip's compiler accepts into advice.

use super::context::Context;
use super::figures::Unit;
use super::report::{Confidence, Group, SeeView, Suggestion};
use super::rule::{Draft, Outcome, Rule, unknown};
use super::rule_id::RuleId;
use crate::analysis::base::device_type;
use crate::analysis::comm::Primitive;
use crate::analysis::comm::suggested_flags::{Flag, Target, suggested};
use crate::analysis::flags::{FlagRow, Verdict};
use crate::chip::Chip;

/// The rule about the flags. It is about the whole run and claims no time.
pub(super) const RULES: [Rule; 1] = [Rule {
    id: RuleId::XlaFlags,
    group: Group::Quality,
    name: "XLA flags",
    title: "XLA flags are refused or in conflict",
    threshold: 1.0,
    unit: Unit::Count,
    confidence: Confidence::Likely,
    basis: "rests on the flags that you gave",
    why: "The compiler stops at such a flag, or one of two flags has no effect.",
    worked_if: "no flag is refused or in conflict",
    formula: "number of flags that the chip’s compiler refuses, and of flags that exclude each other",
    view: SeeView::Comm,
    overlaps: &[],
    tries: &[super::rule::Advice::words("Change the flags as the communication view suggests, under “Flags”.")],
    check: flags_in_conflict,
}];

/// The largest number of flags in the text of the finding.
const LISTED: usize = 3;

fn flags_in_conflict(context: &mut Context<'_>, _: &Rule) -> Vec<Outcome> {
    let Some(flags) = context.flags else {
        return unknown("A capture does not record XLA flags, and none are given.");
    };
    let is_wrong = |row: &&FlagRow| matches!(row.verdict, Verdict::Refused | Verdict::Conflict);
    let wrong: Vec<&FlagRow> = flags.rows.iter().filter(is_wrong).collect();
    if wrong.is_empty() {
        return vec![Outcome::Below { measured: 0.0, at_stake: None }];
    }
    let sentence = |row: &&FlagRow| format!("{}: {}", row.flags.join(", "), row.text);
    let detail: Vec<String> = wrong.iter().take(LISTED).map(sentence).collect();
    let draft =
        Draft { detail: detail.join(" "), inputs: vec![("flags", f64::from(wrong.len() as u32))], ..Draft::default() };
    vec![Outcome::Found(Box::new(draft))]
}

/// Returns the flags to try if the device waits for a primitive. Only flags that the compiler of the chip accepts. Each
/// has the value that the user's flags give it now.
pub(super) fn flags_to_try(context: &Context<'_>, primitive: Primitive) -> Vec<Suggestion> {
    let device_type = device_type(context.plane());
    let Some(target) = Target::for_device(context.platform(), device_type.as_deref()) else { return Vec::new() };
    let chip = device_type.as_deref().and_then(Chip::named).map(|chip| chip.name.to_owned()).or(device_type);
    let set = |name: &str| context.flags.and_then(|flags| flags.value(name)).map(str::to_owned);
    let flag = |flag: &Flag| Suggestion { set: set(flag.name), ..flag_try(flag, chip.as_deref()) };
    suggested(primitive, target).iter().map(flag).collect()
}

/// Returns a flag as advice.
pub(super) fn flag_try(flag: &Flag, chip: Option<&str>) -> Suggestion {
    let is_for = chip.map_or_else(String::new, |chip| format!(" for {chip}"));
    Suggestion {
        text: format!("XLA flag{is_for} ({}; default: {})", flag.checked_with(), flag.default),
        code: Some(flag.setting()),
        flag: Some(flag.name.to_owned()),
        value: Some(flag.value.to_owned()),
        default: Some(flag.default.to_owned()),
        set: None,
        chip: chip.map(str::to_owned),
        verified_with: Some(flag.checked_with().to_owned()),
    }
}
