//! These tests open several hosts as one session. Hosts are distinguished, steps are compared by number, and a damaged
//! host does not affect the others.

use crate::common::trace::open_all;
use crate::common::zip::{deflated, zip};
use crate::common::{bytes, make};
use rooflight::analysis::base::{Analysis, DeviceChoice, Query, StepChoice};
use rooflight::analysis::comm::CommQuery;
use rooflight::session::Opened;
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::XSpace;

/// The properties of a host's capture.
#[derive(Clone, Copy, Default)]
struct Host {
    /// Time by which the host's clock is ahead, in ns.
    ahead_ns: i64,
    /// Time by which step 7 takes longer, in ps.
    longer: i64,
    /// Whether the profiler wrote no Steps line.
    no_steps: bool,
    /// Whether only the first step was recorded.
    short: bool,
}

/// Returns a capture of two devices, which have the same names on every host.
fn host(host: Host) -> Vec<u8> {
    let device = |n| {
        let mut plane = make::device(n);
        plane.lines.retain(|line| !(host.no_steps && line.name == "Steps"));
        for line in &mut plane.lines {
            line.timestamp_ns += 1_000_000 + host.ahead_ns;
            if ["Steps", "XLA Modules"].contains(&line.name.as_str()) {
                if host.short {
                    line.events.truncate(1);
                }
                line.events[0].duration_ps -= 100 - host.longer;
            }
        }
        plane
    };
    bytes(&XSpace { planes: vec![device(0), device(1)], ..XSpace::default() })
}

type Files = Vec<(String, Vec<u8>)>;

fn named(hosts: impl IntoIterator<Item = Vec<u8>>) -> Files {
    hosts.into_iter().enumerate().map(|(i, bytes)| (format!("worker-{i:02}.xplane.pb"), bytes)).collect()
}

fn open(files: &Files) -> (Opened, Analysis) {
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let opened = open_all(&files).unwrap();
    let analysis = Analysis::new(&opened.profile);
    (opened, analysis)
}

fn labels(analysis: &Analysis) -> Vec<String> {
    analysis.devices.iter().map(|device| device.label.clone()).collect()
}

fn codes(analysis: &Analysis) -> Vec<&str> {
    // These captures have no host events, which is said of each of them.
    analysis.notes.iter().map(|note| note.code.key()).filter(|code| *code != "host_missing").collect()
}

fn busy(opened: &(Opened, Analysis)) -> Picos {
    let query = Query { device: DeviceChoice::All, step: StepChoice::All, ..Query::busiest() };
    opened.1.breakdown(&opened.0.profile, &query).unwrap().totals.busy
}

#[test]
fn hosts_of_any_number_are_one_session() {
    for n in [2, 8, 64] {
        // Each host takes longer than the one before. By hand, the spread is that of the first and the last host.
        let hosts = (0..n).map(|i| host(Host { longer: i, ..Host::default() }));
        let files = named(hosts);
        let session = open(&files);
        let (opened, analysis) = &session;
        assert_eq!((opened.files.len() as i64, opened.partial.as_ref()), (n, None));
        let expected: Vec<String> =
            (0..n).flat_map(|i| [0, 1].map(|device| format!("worker-{i:02} TPU:{device}"))).collect();
        assert_eq!(labels(analysis), expected);
        assert_eq!(busy(&session), Picos(n as u64 * busy(&open(&named([host(Host::default())]))).0));
        let stats = analysis.step_stats(&opened.profile);
        assert_eq!(stats.spread.iter().map(|step| step.number).collect::<Vec<_>>(), [7, 8]);
        let seven = &stats.spread[0];
        let last = 900 + n as u64 - 1;
        let all: Vec<u64> = (0..n as u64).flat_map(|i| [900 + i; 2]).collect();
        let mean = all.iter().sum::<u64>() / all.len() as u64;
        assert_eq!(
            (seven.n_devices, seven.min, seven.max, seven.mean),
            (2 * n as u32, Picos(900), Picos(last), Picos(mean))
        );
        assert_eq!(seven.slowest, format!("worker-{:02} TPU:0", n - 1));
        assert!(codes(analysis).is_empty(), "{:?}", analysis.notes);

        // In an archive, the files are the same session.
        let entries: Vec<_> = files.iter().map(|(name, bytes)| deflated(&format!("run/{name}"), bytes)).collect();
        let zipped = open(&vec![("run.zip".to_owned(), zip(&entries))]);
        assert_eq!(labels(&zipped.1), expected);
        assert_eq!(zipped.1.step_stats(&zipped.0.profile), stats);
        assert_eq!(busy(&zipped), busy(&session));
    }
}

/// If the file has the same name on every host, folders distinguish the hosts.
#[test]
fn hosts_with_the_same_file_name() {
    // Files of several folders are one session if they record that their hosts differ and their times overlap.
    let named = |name: &str| {
        let mut space = <XSpace as prost::Message>::decode(&*host(Host::default())).unwrap();
        let mut environment = make::Plane::new("Task Environment");
        environment.own("profile_start_time", make::int(1_793_527_200_000_000_000));
        environment.own("profile_stop_time", make::int(1_793_527_201_000_000_000));
        space.planes.push(environment.done());
        space.hostnames = vec![name.to_owned()];
        bytes(&space)
    };
    let files = vec![("a/vm.xplane.pb".to_owned(), named("a")), ("b/vm.xplane.pb".to_owned(), named("b"))];
    assert_eq!(labels(&open(&files).1), ["a/vm TPU:0", "a/vm TPU:1", "b/vm TPU:0", "b/vm TPU:1"]);
}

/// The clocks of hosts may differ. Waits are then reported for one host, and durations are still compared.
#[test]
fn clocks_that_differ() {
    let together = open(&named([host(Host::default()), host(Host { longer: 50, ..Host::default() })]));
    for (ahead_ns, word) in [(5_000_000_000, "later"), (-900_000, "earlier")] {
        let apart = open(&named([host(Host::default()), host(Host { ahead_ns, longer: 50, ..Host::default() })]));
        let note = apart.1.notes.iter().find(|note| note.code == "clock_skew").expect("it is said");
        let by =
            format!("2 common steps begin {:.3e} s {word} on worker-01 than on worker-00", ahead_ns.abs() as f64 / 1e9);
        assert!(note.message.contains(&by), "{}", note.message);
        assert_eq!(apart.1.step_stats(&apart.0.profile), together.1.step_stats(&together.0.profile));
        let balance = |(opened, analysis): &(Opened, Analysis)| {
            let request =
                CommQuery { query: Query { device: DeviceChoice::All, ..Query::busiest() }, ..CommQuery::default() };
            analysis.comm(&opened.profile, &request, None).balance.unwrap()
        };
        let (ours, expected) = (balance(&apart), balance(&together));
        assert_eq!(ours, expected);
        assert!(ours.devices.iter().all(|arrival| arrival.device.starts_with("worker-00")), "{ours:?}");
    }
    assert!(codes(&together.1).is_empty());
    // A difference of less than a step may come from the hosts instead of their clocks.
    let near = open(&named([host(Host::default()), host(Host { ahead_ns: 0, ..Host::default() })]));
    assert!(codes(&near.1).is_empty());
}

#[test]
fn steps_of_some_hosts() {
    let (opened, analysis) = open(&named([host(Host::default()), host(Host { short: true, ..Host::default() })]));
    let spread = analysis.step_stats(&opened.profile).spread;
    assert_eq!(spread.iter().map(|step| (step.number, step.n_devices)).collect::<Vec<_>>(), [(7, 4), (8, 2)]);
    let [_, note] = analysis.notes.as_slice() else { panic!("{:?}", analysis.notes) };
    assert!(note.message.starts_with("1 of 2 steps are not on all 2 hosts (worker-01 has 1)"), "{}", note.message);
}

/// Runs without step numbers are compared if all hosts have the same number of them.
#[test]
fn steps_without_numbers_are_compared_by_count() {
    let counted = Host { no_steps: true, ..Host::default() };
    let (opened, analysis) = open(&named([host(counted), host(Host { longer: 50, ..counted })]));
    assert_eq!(analysis.step_stats(&opened.profile).spread[0].n_devices, 4);
    assert!(!codes(&analysis).contains(&"hosts_not_aligned"));

    let (opened, analysis) = open(&named([host(counted), host(Host { short: true, ..counted })]));
    let note = analysis.notes.iter().find(|note| note.code == "hosts_not_aligned").expect("it is said");
    assert!(note.message.contains("worker-00 has 2 runs of jit_train, worker-01 has 1 runs"), "{}", note.message);
    // Only devices that are known to belong together are compared, which are those of the first host.
    let spread = analysis.step_stats(&opened.profile).spread;
    assert!(spread.iter().all(|step| step.n_devices == 2 && step.slowest.starts_with("worker-00")), "{spread:?}");
}

#[test]
fn a_damaged_host_does_not_affect_others() {
    let files = named((0..8).map(|ahead_ns| host(Host { ahead_ns, ..Host::default() })));
    let whole = open(&files);
    // The file is cut in half. The part before the cut is kept, and the message names the file and the plane.
    let mut cut = files.clone();
    // The cut is not between planes, because a file that ends there is whole.
    let half = cut[3].1.len() / 2 - 50;
    cut[3].1.truncate(half);
    let (opened, analysis) = open(&cut);
    let text = opened.partial.as_deref().unwrap();
    assert!(text.starts_with("worker-03.xplane.pb: The file ends") && text.contains("/device:TPU:"), "{text}");
    let others = |labels: Vec<String>| labels.into_iter().filter(|l| !l.starts_with("worker-03")).collect::<Vec<_>>();
    assert_eq!(others(labels(&analysis)), others(labels(&whole.1)));
    let steps = |analysis: &Analysis, profile| {
        let all = analysis.step_stats(profile).devices;
        all.into_iter().filter(|device| !device.label.starts_with("worker-03")).collect::<Vec<_>>()
    };
    assert_eq!(steps(&analysis, &opened.profile), steps(&whole.1, &whole.0.profile));
    // Nothing of the file can be read, so the file is skipped and named in a note.
    for (noise, words) in
        [(vec![0x99; 5000], "is not an XLA profile"), (vec![0; 5000], "starts with zero bytes"), (vec![], "is empty")]
    {
        let mut damaged = files.clone();
        damaged[3].1 = noise;
        let (opened, analysis) = open(&damaged);
        assert_eq!((opened.files.len(), analysis.devices.len(), opened.partial), (7, 14, None));
        let note = opened.profile.notes.iter().find(|note| note.code == "file_not_read").unwrap();
        assert!(note.message.starts_with("worker-03.xplane.pb") && note.message.contains(words), "{}", note.message);
    }
    // The file starts like an XSpace, but no plane can be read.
    let mut damaged = files;
    damaged[3].1 = [b"\x22\x04host".to_vec(), vec![0x0f; 50]].concat();
    let (opened, analysis) = open(&damaged);
    assert_eq!(analysis.devices.len(), 14);
    assert!(
        opened.partial.as_ref().unwrap().contains("worker-03.xplane.pb: It starts like an XSpace"),
        "{:?}",
        opened.partial
    );
}
