//! This module chooses the step that is shown by default: the longest one, with the same number on all devices, so that
//! a comparison of devices covers one step.

use super::device::{Device, Step};
use std::cmp::Reverse;

/// Sets [`Device::longest`]. The longest step of any device in which ops start gives the number; of several, the first
/// one. Each device gets its step with that number. A device without such a step, or without ops in it, gets the
/// longest of its own steps.
pub fn mark(devices: &mut [Device]) {
    let all = devices.iter().flat_map(|device| &device.steps);
    let number = longest(all).map(|step| step.number);
    for device in devices {
        let position = |number: u64| device.steps.iter().position(|step| step.number == number && step.n_ops > 0);
        let own = || longest(device.steps.iter()).and_then(|step| device.steps.iter().position(|other| other == step));
        device.longest = number.and_then(position).or_else(own);
    }
}

/// Returns the longest step; of several, the first one. Steps without ops come last, because they have nothing to show.
fn longest<'a>(steps: impl Iterator<Item = &'a Step>) -> Option<&'a Step> {
    steps.min_by_key(|step| Reverse((step.n_ops > 0, step.length())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::units::Picos;

    fn step(number: u64, length: u64, n_ops: u32) -> Step {
        let window = (number * 100, number * 100 + length);
        let duration = Picos(length);
        Step {
            number,
            op: None,
            window,
            event_window: window,
            has_period: false,
            not_in_file: Picos::ZERO,
            not_steady: None,
            duration,
            n_ops,
            kind: 0,
        }
    }

    #[test]
    fn the_first_of_the_longest_with_ops() {
        let longest_number = |steps: &[Step]| longest(steps.iter()).map(|step| step.number);
        assert_eq!(longest_number(&[step(0, 5, 9), step(1, 7, 1), step(2, 7, 3)]), Some(1));
        assert_eq!(longest_number(&[step(0, 90, 0), step(1, 7, 1)]), Some(1));
        assert_eq!(longest_number(&[step(0, 5, 0), step(1, 7, 0)]), Some(1));
        assert_eq!(longest_number(&[]), None);
    }
}
