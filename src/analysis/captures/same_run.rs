//! This module decides which files with events are of one run.
//!
//! ```text
//!  w-0   ├──────────┤                  two hosts of one run: their times overlap
//!  w-1    ├──────────┤
//!  w-0                    ├────────┤   another run of the first host
//! ```
//!
//! Two files are of one run if their times overlap by half of the shorter one, their hosts or processes differ, and their platforms and
//! versions agree. Files without times are compared by their folders. A run is a connected component of such files.

use super::report::{FileHead, HeadKind};
use super::run_paths::{folder, stem, time_of_folder};
use crate::analysis::base::hosts::rank;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use xla_profile::small_sort::SmallSort;

/// The longest time between the starts of two hosts of one run, if they do not record when they stopped, in ns.
const SAME_START_NS: u64 = 60_000_000_000;
/// The longest time between the names of the folders of two hosts of one run, in ns: each host names its folder when it stops, and clocks
/// differ a little.
const SAME_STOP_NS: u64 = 2_000_000_000;
/// The name of a host that does not know its name.
const UNNAMED: &str = "localhost";

/// Returns the files with events of each run, as indices. In a run, files with times come first, the earliest before the others.
pub fn runs(heads: &[FileHead]) -> Vec<Vec<u32>> {
    let mut runs = Components::new(heads.len());
    let files: Vec<File> = heads.iter().map(File::new).collect();
    let head = |file: u32| &heads[file as usize];
    let events = (0..heads.len() as u32).filter(|file| head(*file).kind.has_events());
    let (mut timed, untimed): (Vec<u32>, Vec<u32>) = events.partition(|file| head(*file).start_ns.is_some());
    timed.small_sort_by_key(|file| (head(*file).start_ns, *file));
    let order: Vec<u32> = timed.iter().chain(&untimed).copied().collect();
    let is_one = |a: &File, b: &File| a.is_copy_of(b) || overlap(a.head, b.head) && a.may_be_of_one_run(b);
    for (n, a) in timed.iter().enumerate() {
        for b in timed.iter().skip(n + 1).take_while(|b| starts_before_end(head(*a), head(**b))) {
            runs.join_if(*a, *b, || is_one(&files[*a as usize], &files[*b as usize]));
        }
    }
    let untimed = join_to_partners(heads, &timed, untimed, &mut runs);
    join_untimed(&files, &timed, &untimed, &mut runs);
    let mut found: IndexMap<u32, Vec<u32>> = IndexMap::new();
    for file in order {
        found.entry(runs.root(file)).or_default().push(file);
    }
    found.into_values().collect()
}

/// Joins files without times to the file of the same name in their folder, such as trace JSON to its XSpace. Returns the other files.
fn join_to_partners(heads: &[FileHead], timed: &[u32], untimed: Vec<u32>, runs: &mut Components) -> Vec<u32> {
    let key = |file: u32| (folder(&heads[file as usize].path), stem(&heads[file as usize].path));
    let mut first: FxHashMap<(&str, &str), u32> = FxHashMap::default();
    let is_space = |file: &&u32| heads[**file as usize].kind == HeadKind::XSpace;
    for file in timed.iter().chain(untimed.iter().filter(is_space)) {
        first.entry(key(*file)).or_insert(*file);
    }
    let mut alone = Vec::new();
    for file in untimed {
        match first.get(&key(file)) {
            Some(partner) if *partner != file => runs.join(*partner, file),
            _ => alone.push(file),
        }
    }
    alone
}

/// Joins files without times: to the only run of their folder, else to files without times in their folder, or in a folder of nearly
/// the same time.
fn join_untimed(files: &[File], timed: &[u32], untimed: &[u32], runs: &mut Components) {
    let folder_of = |file: u32| folder(&files[file as usize].head.path);
    let may_be_one = |a: u32, b: u32| files[a as usize].may_be_of_one_run(&files[b as usize]);
    let mut timed_in: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
    timed.iter().for_each(|file| timed_in.entry(folder_of(*file)).or_default().push(*file));
    let mut alone: Vec<u32> = Vec::new();
    for file in untimed {
        match timed_in.get(folder_of(*file)) {
            None => alone.push(*file),
            Some(of_folder) => {
                let roots: Vec<u32> = of_folder.iter().map(|other| runs.root(*other)).collect();
                let is_one = roots.windows(2).all(|two| two[0] == two[1]);
                if is_one && of_folder.iter().all(|other| may_be_one(*other, *file)) {
                    of_folder.first().into_iter().for_each(|other| runs.join(*other, *file));
                }
            }
        }
    }
    let is_near = |a: u32, b: u32| {
        let times = files[a as usize].folder_time.zip(files[b as usize].folder_time);
        folder_of(a) == folder_of(b) || times.is_some_and(|(a, b)| a.abs_diff(b) <= SAME_STOP_NS)
    };
    runs.join_reached(alone, |a, b| may_be_one(a, b) && is_near(a, b));
}

/// Returns whether two files have the same host, process and times, so that both are of one capture, such as a packed copy beside the
/// capture.
pub fn is_copy(a: &FileHead, b: &FileHead) -> bool {
    File::new(a).is_copy_of(&File::new(b))
}

/// Returns whether `b`, which does not start before `a`, starts before `a` ends.
fn starts_before_end(a: &FileHead, b: &FileHead) -> bool {
    let start = a.start_ns.unwrap_or_default();
    let end = a.stop_ns.unwrap_or_default().max(start.saturating_add(SAME_START_NS));
    b.start_ns.is_some_and(|start| start <= end)
}

/// Returns whether the times of two files overlap by at least half of the shorter one. Without the time at which both were stopped,
/// their starts are compared.
fn overlap(a: &FileHead, b: &FileHead) -> bool {
    let (Some(start_a), Some(start_b)) = (a.start_ns, b.start_ns) else { return false };
    let (Some(stop_a), Some(stop_b)) = (a.stop_ns, b.stop_ns) else {
        return start_a.abs_diff(start_b) <= SAME_START_NS;
    };
    let shorter = stop_a.saturating_sub(start_a).min(stop_b.saturating_sub(start_b));
    let (start, stop) = (start_a.max(start_b), stop_a.min(stop_b));
    start <= stop && u128::from(stop - start) * 2 >= u128::from(shorter)
}

/// A file and whose it is.
struct File<'h> {
    head: &'h FileHead,
    /// The time in the name of its folder.
    folder_time: Option<u64>,
    identity: Identity<'h>,
}

impl<'h> File<'h> {
    fn new(head: &'h FileHead) -> Self {
        Self { head, folder_time: time_of_folder(folder(&head.path)), identity: Identity::new(head) }
    }

    fn is_copy_of(&self, other: &Self) -> bool {
        let times = |file: &Self| file.head.start_ns.zip(file.head.stop_ns);
        times(self).is_some()
            && times(self) == times(other)
            && !self.has_other_identity(other)
            && is_alike(self.head, other.head)
    }

    /// Returns whether two files can be of one run by what they say beside their times.
    fn may_be_of_one_run(&self, other: &Self) -> bool {
        self.has_other_identity(other) && is_alike(self.head, other.head)
    }

    /// Returns whether two files are of different hosts, or of different processes of one host.
    fn has_other_identity(&self, other: &Self) -> bool {
        let (a, b) = (&self.identity, &other.identity);
        let differ = |a: Option<u64>, b: Option<u64>| a.zip(b).is_some_and(|(a, b)| a != b);
        a.host != b.host
            || differ(a.rank, b.rank)
            || differ(a.port, b.port)
            || differ(self.head.process, other.head.process)
    }
}

/// Returns whether the platforms and the versions of two files agree. What one of them does not say agrees with everything: a host
/// without devices belongs to every run.
fn is_alike(a: &FileHead, b: &FileHead) -> bool {
    let agree = |a: &Option<String>, b: &Option<String>| a.is_none() || b.is_none() || a == b;
    agree(&a.platform, &b.platform) && agree(&a.device_type, &b.device_type) && agree(&a.jaxlib, &b.jaxlib)
}

/// What the name of a file and its host tell of the process that was profiled.
struct Identity<'h> {
    host: &'h str,
    /// The rank in `dp1_<host>.xplane.pb`, as servers name the files of their data-parallel ranks.
    rank: Option<u64>,
    /// The port in `<host>_8466.xplane.pb`.
    port: Option<u64>,
}

impl<'h> Identity<'h> {
    fn new(head: &'h FileHead) -> Self {
        let name = stem(&head.path);
        let (rank, name) = match rank(name) {
            Some((rank, host)) => (Some(rank), host),
            None => (None, name),
        };
        let is_port = |text: &str| (4..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        let (host, port) = match name.rsplit_once('_').filter(|(host, port)| !host.is_empty() && is_port(port)) {
            Some((host, port)) => (host, port.parse().ok()),
            None => (name, None),
        };
        let recorded = head.hosts.first().map(String::as_str).filter(|host| !host.is_empty() && *host != UNNAMED);
        Self { host: recorded.unwrap_or(host), rank, port }
    }
}

/// Sets of files that are joined.
struct Components {
    parents: Vec<u32>,
}

impl Components {
    fn new(n: usize) -> Self {
        Self { parents: (0..n as u32).collect() }
    }

    fn root(&mut self, mut index: u32) -> u32 {
        while self.parents[index as usize] != index {
            self.parents[index as usize] = self.parents[self.parents[index as usize] as usize];
            index = self.parents[index as usize];
        }
        index
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// Joins two files if `is_one`, which is asked only of files that are not joined yet.
    fn join_if(&mut self, a: u32, b: u32, is_one: impl FnOnce() -> bool) {
        if self.root(a) != self.root(b) && is_one() {
            self.join(a, b);
        }
    }

    /// Joins the files that `is_one` connects. A file that is reached is not compared with those that reached it, so that the files of
    /// one run take a time that grows with their number, not with its square.
    fn join_reached(&mut self, mut left: Vec<u32>, is_one: impl Fn(u32, u32) -> bool) {
        while let Some(first) = left.pop() {
            let mut reached = vec![first];
            while let Some(a) = reached.pop() {
                for b in left.extract_if(.., |b| is_one(a, *b)) {
                    self.join(a, b);
                    reached.push(b);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const S: u64 = 1_000_000_000;

    /// Returns the head of an XSpace that was profiled from `start` to `stop`, in ms.
    fn head(path: &str, start: u64, stop: u64) -> FileHead {
        let ns = |ms: u64| Some(1_793_527_200 * S + ms * 1_000_000);
        FileHead {
            path: path.to_owned(),
            kind: HeadKind::XSpace,
            start_ns: ns(start),
            stop_ns: ns(stop),
            platform: Some("TPU".to_owned()),
            ..FileHead::default()
        }
    }

    fn undated(path: &str) -> FileHead {
        FileHead { path: path.to_owned(), kind: HeadKind::XSpace, ..FileHead::default() }
    }

    #[test]
    fn hosts_of_one_run_overlap_in_time() {
        let (a, b) =
            (head("p/2026_11_01_10_00_00/w-0.xplane.pb", 0, 100), head("p/2026_11_01_10_00_02/w-1.xplane.pb", 2, 101));
        assert_eq!(runs(&[a.clone(), b]), [[0, 1]], "each host names its folder when it stops");
        let later = |start| head("p/2026_11_01_10_00_00/w-1.xplane.pb", start, start + 60);
        assert_eq!(runs(&[a.clone(), later(70)]), [[0, 1]], "half of the shorter one");
        assert_eq!(runs(&[a.clone(), later(71)]), [[0], [1]]);
        assert_eq!(runs(&[later(71), a.clone()]), [[1], [0]], "the earlier one is first");
        // A short capture of another host within a long one.
        assert_eq!(runs(&[a, later(20)]), [[0, 1]]);
    }

    #[test]
    fn one_host_has_one_file_of_a_run() {
        let named = |path: &str, host: &str| FileHead { hosts: vec![host.to_owned()], ..head(path, 0, 100) };
        let shifted = |file: FileHead| FileHead { start_ns: file.start_ns.map(|ns| ns + S / 100), ..file };
        assert_eq!(runs(&[named("a/x.xplane.pb", "h"), shifted(named("b/y.xplane.pb", "h"))]).len(), 2);
        assert_eq!(runs(&[named("a/x.xplane.pb", "h"), named("b/y.xplane.pb", "g")]).len(), 1);
        assert_eq!(runs(&[named("a/x.xplane.pb", "localhost"), named("b/y.xplane.pb", "localhost")]).len(), 1);
        // Processes of one host.
        for (a, b) in [("dp0_h", "dp1_h"), ("h_8466", "h_8467")] {
            let files = [a, b].map(|name| named(&format!("p/{name}.xplane.pb"), "h"));
            assert_eq!(runs(&files).len(), 1, "{a}, {b}");
        }
        let process = |id| shifted(FileHead { process: Some(id), ..named("p/h.xplane.pb", "h") });
        assert_eq!(runs(&[process(1), process(2)]).len(), 1);
        // A copy is the same run.
        assert_eq!(runs(&[named("a/h.xplane.pb", "h"), named("b/h.xplane.pb.gz", "h")]).len(), 1);
    }

    #[test]
    fn platforms_and_versions_of_a_run_agree() {
        let head = |name: &str, platform: Option<&str>, jaxlib: Option<&str>| FileHead {
            platform: platform.map(str::to_owned),
            jaxlib: jaxlib.map(str::to_owned),
            ..head(&format!("p/{name}.xplane.pb"), 0, 100)
        };
        let n_runs = |a: (Option<&str>, Option<&str>), b: (Option<&str>, Option<&str>)| {
            runs(&[head("a", a.0, a.1), head("b", b.0, b.1)]).len()
        };
        assert_eq!(n_runs((Some("TPU"), Some("0.9.0")), (Some("TPU"), Some("0.9.0"))), 1);
        assert_eq!(n_runs((Some("TPU"), None), (None, Some("0.9.0"))), 1, "a coordinator without devices");
        assert_eq!(n_runs((Some("TPU"), None), (Some("GPU"), None)), 2);
        assert_eq!(n_runs((Some("TPU"), Some("0.9.0")), (Some("TPU"), Some("0.9.1"))), 2);
    }

    #[test]
    fn files_without_times_are_compared_by_their_folders() {
        let n_runs = |paths: &[&str]| runs(&paths.iter().map(|path| undated(path)).collect::<Vec<_>>()).len();
        assert_eq!(n_runs(&["p/a.xplane.pb", "p/b.xplane.pb"]), 1);
        assert_eq!(n_runs(&["p/a.xplane.pb", "q/b.xplane.pb"]), 2);
        assert_eq!(n_runs(&["p/2026_11_01_10_00_00/a.xplane.pb", "p/2026_11_01_10_00_02/b.xplane.pb"]), 1);
        assert_eq!(n_runs(&["p/2026_11_01_10_00_00/a.xplane.pb", "p/2026_11_01_10_00_03/b.xplane.pb"]), 2);
        assert_eq!(n_runs(&["p/2026_11_01_10_00_00/a.xplane.pb", "p/2026_11_01_10_00_02/a.xplane.pb"]), 2);
    }

    proptest! {
        /// The order of files changes neither the runs nor the files of each.
        #[test]
        fn runs_do_not_depend_on_the_order_of_files(
            files in prop::collection::vec((0..3_u8, 0..4_u64, 0..3_u8, prop::option::of(0..300_u64), 0..3_u8), 1..12),
            seed in any::<u64>(),
        ) {
            let heads: Vec<FileHead> = files.iter().enumerate().map(|(index, (folder, host, kind, start, platform))| {
                let ending = if *kind == 2 { "trace.json.gz" } else { "xplane.pb" };
                let path = format!("p/2026_11_01_10_00_0{folder}/w-{host}.{index}.{ending}");
                let times = start.map(|start| head("", start, start + 100));
                FileHead {
                    path,
                    kind: if *kind == 2 { HeadKind::Packed } else { HeadKind::XSpace },
                    start_ns: times.as_ref().and_then(|known| known.start_ns),
                    stop_ns: times.as_ref().and_then(|known| known.stop_ns),
                    hosts: if *kind == 0 { vec![format!("w-{host}")] } else { Vec::new() },
                    platform: [None, Some("TPU"), Some("GPU")][usize::from(*platform)].map(str::to_owned),
                    ..FileHead::default()
                }
            }).collect();
            let mut order: Vec<usize> = (0..heads.len()).collect();
            order.sort_by_key(|index| (*index as u64 + 1).wrapping_mul(seed | 1).rotate_left(17));
            let shuffled: Vec<FileHead> = order.iter().map(|index| heads[*index].clone()).collect();
            let named = |heads: &[FileHead]| {
                let names = |files: Vec<u32>| {
                    let mut names: Vec<String> = files.iter().map(|index| heads[*index as usize].path.clone()).collect();
                    names.sort();
                    names
                };
                let mut all: Vec<Vec<String>> = runs(heads).into_iter().map(names).collect();
                all.sort();
                all
            };
            prop_assert_eq!(named(&heads), named(&shuffled));
            // Each file is in one run.
            prop_assert_eq!(runs(&heads).iter().map(Vec::len).sum::<usize>(), heads.len());
        }
    }
}
