//! This module groups files into captures: the files of one run on all of its hosts are one capture.
//!
//! ```text
//!  runs/nightly/plugins/profile/2026_11_01_02_00_00/host0.xplane.pb  ┐ one capture of two hosts
//!  runs/nightly/plugins/profile/2026_11_01_02_00_00/host1.xplane.pb  ┘
//!  runs/nightly/plugins/profile/2026_11_02_02_00_00/host0.xplane.pb  ─ another one
//! ```
//!
//! Which files are of one run follows from their times, hosts and versions (see `same_run`), and not from their folders: each host names
//! its folder by the time at which it stops. Each report is a capture of its own. A single report beside a single capture is not listed: it was made of it.

use super::report::{FileHead, HeadKind};
use super::run_paths::{folder, start_of_name, stem};
use super::same_run::runs;
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use xla_profile::small_sort::SmallSort;

/// The files of one capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureFiles {
    /// Name for users: the folder of the run, or the name of the file without its ending.
    pub name: String,
    /// Indices of the files, those with events first.
    pub files: Vec<u32>,
    /// Number of files with events.
    pub n_hosts: u32,
    /// When the profile was started, in ns since 1970: as the files record it, else as the name of their folder does. `None` if
    /// neither does.
    pub start_ns: Option<u64>,
    /// When the last file was stopped, in ns since 1970. `None` if no file records it.
    pub stop_ns: Option<u64>,
}

/// Groups files into captures, in the order of their first folders. Also returns the number of files that belong to no capture.
pub fn group(heads: &[FileHead]) -> (Vec<CaptureFiles>, u32) {
    let mut runs = runs(heads);
    let mut folders: IndexMap<&str, u32> = IndexMap::new();
    for head in heads {
        let n = folders.len() as u32;
        folders.entry(folder(&head.path)).or_insert(n);
    }
    let first = |files: &[u32]| files.first().map_or("", |file| folder(&heads[*file as usize].path));
    runs.small_sort_by_key(|files| folders.get(first(files)).copied());
    let mut n_in: FxHashMap<&str, u32> = FxHashMap::default();
    runs.iter().for_each(|files| *n_in.entry(first(files)).or_default() += 1);
    let mut captures: Vec<CaptureFiles> =
        runs.iter().map(|files| capture(heads, first(files), files, n_in.get(first(files)) == Some(&1))).collect();
    let reports: Vec<u32> =
        (0..).zip(heads).filter(|(_, head)| head.kind == HeadKind::Report).map(|(file, _)| file).collect();
    let lists_reports = captures.len() > 1 || reports.len() > 1;
    let mut n_left_out = if lists_reports { 0 } else { reports.len() as u32 };
    let folders_of = |files: &Vec<u32>| -> FxHashSet<&str> {
        files.iter().map(|file| folder(&heads[*file as usize].path)).collect()
    };
    let run_folders: Vec<FxHashSet<&str>> = runs.iter().map(folders_of).collect();
    for (file, head) in (0..).zip(heads) {
        if matches!(head.kind, HeadKind::XSpace | HeadKind::Packed | HeadKind::Report | HeadKind::Table) {
            continue;
        }
        // Programs belong to the run in whose folder, or below whose folder, they are.
        let folder = folder(&head.path);
        let is_owner = |folders: &FxHashSet<&str>| folders.iter().any(|owned| is_within(folder, owned));
        let mut owners = captures.iter_mut().zip(&run_folders).filter(|(_, folders)| is_owner(folders));
        match (owners.next(), owners.next()) {
            (Some((owner, _)), None) if head.kind == HeadKind::Program => owner.files.push(file),
            _ => n_left_out += 1,
        }
    }
    let reports = reports.into_iter().filter(|_| lists_reports).map(|file| report(heads, file));
    (captures.into_iter().chain(reports).collect(), n_left_out)
}

/// Returns the capture of a report. Its name is that of the file, or that of its folder if only the folder is named by a time.
fn report(heads: &[FileHead], index: u32) -> CaptureFiles {
    let path = &heads[index as usize].path;
    let (name, last) = (stem(path), folder(path).rsplit('/').next().unwrap_or_default());
    let (name, start_ns) = match (start_of_name(name), start_of_name(last)) {
        (None, Some(start)) => (last, Some(start)),
        (start, _) => (name, start),
    };
    CaptureFiles { name: name.to_owned(), files: vec![index], n_hosts: 1, start_ns, stop_ns: None }
}

fn capture(heads: &[FileHead], folder: &str, files: &[u32], is_single: bool) -> CaptureFiles {
    let head = |file: &u32| &heads[*file as usize];
    let start_ns = files.iter().filter_map(|file| head(file).start_ns).min();
    let stop_ns = files.iter().filter_map(|file| head(file).stop_ns).max();
    let first = files.first().map_or("", |file| &head(file).path);
    let (name, dated) = run_name(folder, first, is_single);
    // Trace JSON beside its XSpace is of the same host.
    let hosts: FxHashSet<(&str, &str)> =
        files.iter().map(|file| (self::folder(&head(file).path), stem(&head(file).path))).collect();
    CaptureFiles { name, n_hosts: hosts.len() as u32, start_ns: start_ns.or(dated), stop_ns, files: files.to_vec() }
}

/// Returns the name for users of the run with the file `first` in `folder`, and the time that the folder is named by. `is_single` says
/// whether the folder holds no other run.
fn run_name(folder: &str, first: &str, is_single: bool) -> (String, Option<u64>) {
    let last = folder.rsplit('/').next().unwrap_or(folder);
    let dated = start_of_name(last);
    let name = match () {
        // `nightly/plugins/profile/2026_11_01_02_00_00` is the run of `nightly` at that time.
        () if dated.is_some() => match folder.split("/plugins/profile/").next().filter(|log| *log != folder) {
            Some(log) => format!("{} {last}", log.rsplit('/').next().unwrap_or(log)),
            None => last.to_owned(),
        },
        () if is_single && !last.is_empty() => last.to_owned(),
        () => stem(first).to_owned(),
    };
    (name, dated)
}

/// Returns the names for users of captures that a table lists, and the times that their folders are named by. Each capture is given by
/// the path of one of its files, or by that of its folder.
pub fn names_of_paths(paths: &[String]) -> Vec<(String, Option<u64>)> {
    let folder = |path: &str| {
        let is_dated = start_of_name(path.rsplit('/').next().unwrap_or_default()).is_some();
        if is_dated { path.to_owned() } else { folder(path).to_owned() }
    };
    let folders: Vec<String> = paths.iter().map(|path| folder(path)).collect();
    let mut n_in: IndexMap<&str, usize> = IndexMap::new();
    for folder in &folders {
        *n_in.entry(folder).or_default() += 1;
    }
    let name = |(folder, path): (&String, &String)| run_name(folder, path, n_in.get(folder.as_str()) == Some(&1));
    folders.iter().zip(paths).map(name).collect()
}

fn is_within(folder: &str, other: &str) -> bool {
    folder == other || folder.strip_prefix(other).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-02 02:00:00 UTC.
    const SECOND_NIGHT: u64 = 1_793_584_800_000_000_000;
    const MINUTE: u64 = 60_000_000_000;

    fn head(path: &str, start_ns: Option<u64>) -> FileHead {
        let kind = if path.contains(".xplane.pb") && !path.ends_with(".gz") {
            HeadKind::XSpace
        } else if path.ends_with(".gz") {
            HeadKind::Packed
        } else if path.ends_with(".hlo") {
            HeadKind::Program
        } else {
            HeadKind::Other
        };
        FileHead { path: path.to_owned(), bytes: 1, kind, start_ns, ..FileHead::default() }
    }

    fn groups(heads: &[FileHead]) -> Vec<(String, Vec<u32>)> {
        group(heads).0.into_iter().map(|capture| (capture.name, capture.files)).collect()
    }

    fn named(name: &str, files: &[u32]) -> (String, Vec<u32>) {
        (name.to_owned(), files.to_vec())
    }

    #[test]
    fn each_run_is_a_capture_with_all_its_hosts() {
        let run = |time: &str, host: &str| format!("logs/nightly/plugins/profile/{time}/{host}");
        let (first, second) = ("2026_11_01_02_00_00", "2026_11_02_02_00_00");
        let files = [
            head(&run(first, "a.xplane.pb"), Some(100 * MINUTE)),
            head(&run(first, "a.trace.json.gz"), None),
            head(&run(first, "b.xplane.pb"), Some(100 * MINUTE + 5)),
            head(&run(second, "a.xplane.pb"), None),
            head("logs/nightly/notes.txt", None),
        ];
        let (captures, n_left_out) = group(&files);
        assert_eq!(
            groups(&files),
            [named(&format!("nightly {first}"), &[0, 2, 1]), named(&format!("nightly {second}"), &[3])]
        );
        assert_eq!((captures[0].n_hosts, n_left_out), (2, 1), "trace JSON is of the host beside it");
        assert_eq!(captures[0].start_ns, Some(100 * MINUTE), "what the files record");
        assert_eq!(captures[1].start_ns, Some(SECOND_NIGHT), "what the name of the folder records");
    }

    #[test]
    fn files_of_one_folder_are_divided_by_time_and_host() {
        let files = [
            head("n/1.xplane.pb", Some(0)),
            head("n/2.xplane.pb", Some(10 * MINUTE)),
            head("n/3.xplane.pb", Some(10 * MINUTE + 1)),
            head("n/2.trace.json.gz", None),
            head("n/4.xplane.pb.gz", None),
        ];
        assert_eq!(groups(&files), [named("1", &[0]), named("2", &[1, 2, 3]), named("4", &[4])]);
        // Two captures of one host within a minute.
        let mut files = [head("n/1.xplane.pb", Some(1)), head("n/2.xplane.pb", Some(2))];
        assert_eq!(groups(&files), [named("n", &[0, 1])]);
        files.iter_mut().for_each(|file| file.hosts = vec!["worker-0".to_owned()]);
        assert_eq!(groups(&files), [named("1", &[0]), named("2", &[1])]);
    }

    #[test]
    fn without_times_the_files_of_a_folder_are_one_capture() {
        assert_eq!(groups(&[head("a.xplane.pb", None), head("b.xplane.pb.gz", None)]), [named("a", &[0, 1])]);
        assert_eq!(groups(&[head("r/a.xplane.pb", None), head("s/b.xplane.pb", None)]).len(), 2);
        assert_eq!(group(&[head("a.txt", None)]), (Vec::new(), 1));
    }

    #[test]
    fn programs_belong_to_the_run_above_them() {
        let files = [
            head("a/x.xplane.pb", Some(0)),
            head("b/x.xplane.pb", Some(MINUTE)),
            head("b/dump/module.hlo", None),
            head("dump/module.hlo", None),
            head("ab/module.hlo", None),
        ];
        assert_eq!(group(&files).1, 2);
        assert_eq!(groups(&files), [named("a", &[0]), named("b", &[1, 2])]);
    }

    #[test]
    fn folders_of_runs_are_named_by_their_time() {
        assert_eq!(start_of_name("2026_11_02_02_00_00"), Some(SECOND_NIGHT));
        for wrong in ["2026_11_02", "2026_13_02_02_00_00", "host", "2026_1_02_02_00_00", "20+6_11_02_02_00_00"] {
            assert_eq!(start_of_name(wrong), None, "{wrong}");
        }
    }
}
