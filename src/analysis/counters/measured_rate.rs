//! This module reads the rates of what counters of the profiler sampled: the traffic of a device's memory, and the cycles
//! in which its units were active.

use super::{counters, values};
use crate::analysis::base::{Analysis, Interval};
use xla_profile::profile::Profile;

/// The counters of CUPTI of the bytes that a GPU reads from its memory and writes to it.
pub const MEMORY_TRAFFIC: [&str; 2] = ["dram__bytes_read.sum", "dram__bytes_write.sum"];

/// The counter of CUPTI of the cycles in which a multiprocessor was active, as the mean over multiprocessors.
pub const SM_CYCLES: [&str; 1] = ["sm__cycles_active.avg"];

/// The least share of the time that samples must cover.
const LEAST_COVERED: f64 = 0.8;

impl Analysis {
    /// Returns the sum of the mean rates of counters in windows of a device's event clock: what they count per second.
    /// `None` if the capture lacks one of them, or if its samples cover less than 80 % of the time.
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    pub(in crate::analysis) fn measured_rate(
        &self,
        profile: &Profile,
        device: usize,
        names: &[&str],
        windows: &[Interval],
    ) -> Option<f64> {
        let info = &self.devices[device];
        let plane = &profile.planes[info.plane];
        let on_axis = |time: u64| time.saturating_add(info.axis_offset);
        let end = windows.iter().map(|(_, end)| on_axis(*end)).max()?;
        let length: u64 = windows.iter().map(|(start, end)| end.saturating_sub(*start)).sum();
        let rate_of = |name: &str| {
            let lines = plane.lines.iter().filter(|line| line.has_counters());
            let mut found = lines.flat_map(|line| counters(plane, line).map(move |(counter, _)| (line, counter)));
            let (line, counter) = found.find(|(_, counter)| profile.text(counter.event) == name)?;
            let samples = values(plane, line, self.axis.times(line)?, counter, (end, true));
            let (mut integral, mut covered) = (0.0, 0_u64);
            for (start, end) in windows {
                let summary = samples.summary((on_axis(*start), on_axis(*end)));
                integral += summary.integral;
                covered += summary.covered;
            }
            (covered as f64 >= LEAST_COVERED * length as f64 && covered > 0).then(|| integral / covered as f64)
        };
        names.iter().map(|name| rate_of(name)).sum()
    }
}
