//! This module reads the paths of captures: their folders, the names of their hosts, and the times that folders of runs are named by.

use crate::table::date::ns_since_1970;

/// Returns the folder of a path. Empty if the path has none.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The endings of the files that hold events. Packed files have one more.
pub const CAPTURE_ENDINGS: [&str; 3] = [".xplane.pb", ".trace.json", ".rooflight"];

/// Returns the name of a file without its folder and its ending.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    CAPTURE_ENDINGS.iter().find_map(|end| Some(name.split_once(end)?.0)).unwrap_or(name)
}

/// Returns the time that a folder of a run is named by, in ns since 1970. `None` if it has another name.
pub fn time_of_folder(folder: &str) -> Option<u64> {
    start_of_name(folder.rsplit('/').next().unwrap_or(folder))
}

/// Returns the time in the name of a run's folder, `YYYY_MM_DD_hh_mm_ss`, in ns since 1970. The zone is unknown and taken as UTC.
pub(super) fn start_of_name(name: &str) -> Option<u64> {
    let parts: Vec<&str> = name.split('_').collect();
    let [year, month, day, hour, minute, second] = <[&str; 6]>::try_from(parts).ok()?;
    let is_number = |text: &str, digits: usize| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text: &str| if is_number(text, 2) { text.parse::<u64>().ok() } else { None };
    let year: u64 = if is_number(year, 4) { year.parse().ok()? } else { return None };
    let time = (number(hour)?, number(minute)?, number(second)?);
    ns_since_1970(year, number(month)?, number(day)?, time)
}
