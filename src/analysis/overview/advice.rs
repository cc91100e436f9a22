//! This module turns the flags that a chip's compiler accepts into advice.

use super::context::Context;
use super::report::Try;
use crate::analysis::base::device_type;
use crate::analysis::comm::Primitive;
use crate::analysis::comm::flags::{Flag, Target, suggested};
use crate::chip::Chip;

/// Returns the flags to try if the device waits for a primitive. Only flags that the compiler of the chip accepts.
pub(super) fn flags(context: &Context<'_>, primitive: Primitive) -> Vec<Try> {
    let device_type = device_type(context.plane());
    let Some(target) = Target::for_device(context.platform(), device_type.as_deref()) else { return Vec::new() };
    let chip = device_type.as_deref().and_then(Chip::named).map(|chip| chip.name.to_owned()).or(device_type);
    suggested(primitive, target).iter().map(|flag| flag_try(flag, chip.as_deref())).collect()
}

/// Returns a flag as advice.
pub(super) fn flag_try(flag: &Flag, chip: Option<&str>) -> Try {
    let default = flag.default.map_or_else(|| "not checked".to_owned(), str::to_owned);
    let is_for = chip.map_or_else(String::new, |chip| format!(" for {chip}"));
    Try {
        text: format!("XLA flag{is_for} ({}; default: {default})", flag.checked_with()),
        code: Some(flag.setting()),
        flag: Some(flag.name.to_owned()),
        value: Some(flag.value.to_owned()),
        default: flag.default.map(str::to_owned),
        chip: chip.map(str::to_owned),
        verified_with: Some(flag.checked_with().to_owned()),
    }
}
