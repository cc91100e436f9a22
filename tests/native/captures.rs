//! These tests check the list of many captures: which files are one capture, what is read of each, the table, and the changes.

use crate::common::answer_of;
use crate::synth::made;
use rooflight::analysis::captures::{CaptureFigure, CaptureSummary, CapturesView, ChangeCause};
use rooflight::analysis::compare::Verdict;
use rooflight::analysis::overview::{FigureId, OverviewQuery};
use rooflight::protocol::table_query::{ExportQuery, TableAction, TableQuery};
use rooflight::protocol::{CapturesRequest, Export, SessionInfo, ShareQuery, ViewRequest, requests};
use rooflight::session::captures::{explain_change, summarise};
use rooflight::session::{Input, OpenSession};
use rooflight::share::pack;
use rooflight::table::page::{PageQuery, TablePage};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use xla_profile::source::{Source, SourceError};

/// The capture from which on the ops called `fusion` take 30 % longer, and the number of captures.
pub const JUMP: usize = 4;
pub const N: usize = 8;

/// A file in memory that counts the bytes that are read.
pub struct Counting {
    pub bytes: Arc<Vec<u8>>,
    pub n_read: Arc<AtomicU64>,
}

impl Source for Counting {
    fn size(&self) -> u64 {
        self.bytes.size()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<(), SourceError> {
        self.n_read.fetch_add(into.len() as u64, Ordering::Relaxed);
        self.bytes.read_at(offset, into)
    }
}

/// Captures of one night each, with the sum of what the steps of each take longer than those of the first.
pub struct Nights {
    files: Vec<(String, Arc<Vec<u8>>)>,
    longer_ps: u64,
}

/// Returns captures of two hosts, of `N` nights in folders as profilers write them.
pub fn nights() -> Nights {
    let (mut files, mut longer_ps) = (Vec::new(), 0);
    for night in 0..N {
        let (seed, day) = ((night + 1).to_string(), night.to_string());
        let slow: &[&str] = if night >= JUMP { &["--scale", "fusion=1.30"] } else { &[] };
        let options = ["--steps", "4", "--no-trace", "--devices", "2", "--hosts", "2", "--seed", &seed, "--day", &day];
        let (folder, expected) = made(&[&options[..], slow].concat());
        if night == JUMP {
            let scales = expected["scales"].as_array().unwrap();
            longer_ps = scales.iter().map(|scale| scale["injected_ps_per_step"].as_u64().unwrap()).sum();
        }
        for host in 0..2 {
            let bytes = std::fs::read(folder.path().join(format!("worker-{host}.xplane.pb"))).unwrap();
            let path = format!("nightly/plugins/profile/2026_01_{:02}_02_00_00/worker-{host}.xplane.pb", night + 1);
            files.push((path, Arc::new(bytes)));
        }
    }
    Nights { files, longer_ps }
}

impl Nights {
    pub fn inputs(&self, is_input: impl Fn(usize) -> bool) -> Vec<Input> {
        let input = |(_, (path, bytes)): (usize, &(String, Arc<Vec<u8>>))| Input {
            name: path.clone(),
            source: Box::new(Counting { bytes: Arc::clone(bytes), n_read: Arc::default() }),
            from_folder: true,
        };
        self.files.iter().enumerate().filter(|(index, _)| is_input(index / 2)).map(input).collect()
    }

    pub fn summary(&self, night: usize) -> CaptureSummary {
        summarise(self.inputs(|number| number == night), &mut |_| ()).unwrap()
    }

    fn cause(&self, before: usize, after: usize) -> Option<ChangeCause> {
        explain_change(self.inputs(|number| number == before), self.inputs(|number| number == after), &mut |_| ())
            .unwrap()
    }
}

pub fn answer<T: serde::de::DeserializeOwned>(session: &mut OpenSession, request: CapturesRequest) -> T {
    session.answer(&ViewRequest::Captures(request).into()).decode().unwrap()
}

pub fn view(session: &mut OpenSession, figure: CaptureFigure) -> CapturesView {
    answer(session, CapturesRequest::View(figure))
}

pub fn set(session: &mut OpenSession, capture: usize, read: Result<CaptureSummary, String>) {
    answer::<()>(session, CapturesRequest::Set { capture: capture as u32, read: read.map(Box::new) });
}

pub fn table(session: &mut OpenSession) -> TablePage {
    let query = PageQuery { count: 100, ..PageQuery::default() };
    let request = ViewRequest::Table { table: TableQuery::Captures { revision: 0 }, action: TableAction::Rows(query) };
    session.answer(&request.into()).decode().unwrap()
}

pub fn open(inputs: &[Input]) -> (OpenSession, SessionInfo) {
    OpenSession::open_folder(inputs, &mut |_| ()).unwrap().expect("several captures")
}

#[test]
fn a_change_is_found_where_it_was_made_and_named() {
    let nights = nights();
    let (mut session, info) = open(&nights.inputs(|_| true));
    assert_eq!(info.captures.len(), N);
    assert!(
        (0..).zip(&info.captures).all(|(index, files)| *files == [2 * index, 2 * index + 1]),
        "{:?}",
        info.captures
    );
    let before = view(&mut session, CaptureFigure::StepTime);
    assert_eq!((before.n_captures, before.n_read, before.latest), (N as u32, 0, None));
    assert!(before.series.is_by_time && before.series.changes.is_empty());
    assert_eq!(before.captures[1].name, "nightly 2026_01_02_02_00_00");
    assert_eq!((before.captures[1].n_devices, before.captures[1].n_hosts), (Some(2), Some(2)));
    // The newest first.
    for night in (0..N).rev() {
        set(&mut session, night, Ok(nights.summary(night)));
    }
    let list = view(&mut session, CaptureFigure::StepTime);
    assert_eq!((list.n_read, list.n_failed, list.n_other, list.latest), (N as u32, 0, 0, Some(N as u32 - 1)));
    let [change] = list.series.changes.as_slice() else { panic!("{:?}", list.series.changes) };
    assert_eq!(
        (change.first_after as usize, change.last_before as usize, change.cause.as_ref()),
        (JUMP, JUMP - 1, None)
    );
    let longer = change.after - change.before;
    let expected = nights.longer_ps as f64;
    assert!((longer - expected).abs() < 0.03 * expected, "{longer} ps, made {expected}");
    // The same change as a difference of neighbours, and noise elsewhere.
    for (night, row) in list.captures.iter().enumerate() {
        let verdict = row.change.and_then(|(_, verdict)| verdict);
        let right = if night == 0 {
            None
        } else if night == JUMP {
            Some(Verdict::Regression)
        } else {
            Some(Verdict::WithinNoise)
        };
        assert_eq!(verdict, right, "night {night}");
    }
    let cause = nights.cause(JUMP - 1, JUMP).unwrap();
    assert!(cause.label.starts_with("fusion, "), "{}", cause.label);
    assert!((cause.delta_ps as f64 - expected).abs() < 0.03 * expected, "{cause:?}, made {expected}");
    let between = (JUMP as u32 - 1, JUMP as u32);
    answer::<()>(&mut session, CapturesRequest::SetCause { between, cause: cause.clone() });
    assert_eq!(view(&mut session, CaptureFigure::StepTime).series.changes[0].cause, Some(cause));
}

#[test]
fn a_row_has_the_figures_of_the_overview_and_a_failed_capture_costs_one_row() {
    let nights = nights();
    let (mut session, _) = open(&nights.inputs(|_| true));
    set(&mut session, 2, Ok(nights.summary(2)));
    set(&mut session, 5, Err("It is damaged.".to_owned()));
    let list = view(&mut session, CaptureFigure::Mfu);
    assert_eq!((list.n_read, list.n_failed), (1, 1));
    // The overview of the same files, opened alone.
    let (mut alone, _) = OpenSession::open(nights.inputs(|number| number == 2), &mut |_| ()).unwrap();
    let request = ViewRequest::Overview(OverviewQuery::default());
    let overview: Option<rooflight::analysis::overview::Overview> = alone.answer(&request.into()).decode().unwrap();
    let overview = overview.unwrap();
    let row = nights.summary(2);
    let shown = list.captures[2].summary().unwrap();
    assert!(shown.point.figures.is_empty() && shown.point.head.periods_ps.is_empty(), "the page needs no steps");
    assert_eq!(shown.point.head.n_steps, row.point.head.n_steps);
    assert_eq!(row.point.figures, overview.figures);
    assert_eq!((row.period, &row.verdict), (Some(overview.period), &overview.verdict));
    assert_eq!(
        row.top_finding.as_ref().map(|finding| &finding.title),
        overview.findings.first().map(|finding| &finding.title)
    );
    let sum: u64 = row.kinds.iter().map(|(_, time)| time.0).sum();
    assert!(sum.abs_diff(row.period.unwrap().0) <= row.kinds.len() as u64, "kinds sum to the step");
    let mark = list.series.marks.iter().find(|mark| mark.capture == 2).unwrap();
    let mfu = overview.figure(FigureId::ModelMfu).unwrap().value;
    assert!(mfu.is_some() && mark.value == mfu);

    let page = table(&mut session);
    assert_eq!(page.n_rows as usize, N);
    let failed = page.rows.iter().find(|row| row.title.ends_with("2026_01_06_02_00_00")).unwrap();
    assert!(failed.tips[0].iter().any(|(_, text)| text == "It is damaged."), "{:?}", failed.tips);
    let exported = |session: &mut OpenSession, format| {
        answer_of(session, requests::ExportRows { rows: ExportQuery::Captures, format })
    };
    let json: Value = serde_json::from_str(&exported(&mut session, Export::Json)).unwrap();
    let rows = json["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[5]["status"], &rows[0]["status"]), (N, &"failed".into(), &"not read".into()));
    assert_eq!(rows[2]["period_ps"], overview.period.0);
    assert_eq!(exported(&mut session, Export::Csv).lines().count(), N + 1);
}

#[test]
fn only_the_starts_of_files_are_read() {
    let of_day = |day: &str| {
        let (folder, _) = made(&["--steps", "30", "--no-trace", "--devices", "4", "--day", day]);
        Arc::new(std::fs::read(folder.path().join("worker-0.xplane.pb")).unwrap())
    };
    let days = [of_day("0"), of_day("1")];
    let bytes = &days[0];
    let counts: Vec<Arc<AtomicU64>> = (0..2).map(|_| Arc::default()).collect();
    let input = |(index, n_read): (usize, &Arc<AtomicU64>)| Input {
        name: format!("run-{index}/a.xplane.pb"),
        source: Box::new(Counting { bytes: Arc::clone(&days[index]), n_read: Arc::clone(n_read) }),
        from_folder: true,
    };
    let inputs: Vec<Input> = counts.iter().enumerate().map(input).collect();
    let (_, info) = open(&inputs);
    assert_eq!(info.captures, [[0], [1]]);
    let n_read = counts[0].load(Ordering::Relaxed);
    assert!(bytes.len() > 8 << 20 && n_read < 1 << 20, "{n_read} of {} bytes", bytes.len());
}

/// A folder of reports is a list with the figures of the captures that they were made of, and a capture beside them is compared with
/// them.
#[test]
fn reports_are_listed_as_their_captures_are() {
    let nights = nights();
    let report = |night: usize| {
        let (mut session, info) = OpenSession::open(nights.inputs(|number| number == night), &mut |_| ()).unwrap();
        let mut query = ShareQuery { level: 100, with_sources: true, ..ShareQuery::default() };
        query.roofline.query.device = info.usual_query.device;
        query.comm.query.device = info.usual_query.device;
        pack(&session.report(&query).unwrap(), &[])
    };
    let reports: Vec<Vec<u8>> = (0..N).map(report).collect();
    let input = |night: usize| Input {
        name: format!("nightly/2026_01_{:02}_02_00_00.rooflight", night + 1),
        source: Box::new(reports[night].clone()),
        from_folder: true,
    };
    let (mut session, info) = open(&(0..N).map(input).collect::<Vec<Input>>());
    assert_eq!((info.captures.len(), &*info.files[0].format), (N, "report"));
    let (mut of_captures, _) = open(&nights.inputs(|_| true));
    for night in 0..N {
        set(&mut session, night, summarise(vec![input(night)], &mut |_| ()).map_err(|failure| failure.message));
        set(&mut of_captures, night, Ok(nights.summary(night)));
    }
    let (found, expected) =
        (view(&mut session, CaptureFigure::StepTime), view(&mut of_captures, CaptureFigure::StepTime));
    assert_eq!((found.n_read, found.n_failed, found.n_partial), (N as u32, 0, 0));
    for (found, expected) in found.captures.iter().zip(&expected.captures) {
        assert_eq!((found.median_ps, found.change), (expected.median_ps, expected.change));
        assert_eq!((&found.device_type, found.n_devices), (&expected.device_type, expected.n_devices));
        assert_eq!(found.name, expected.name.split_once(' ').unwrap().1);
    }
    assert_eq!(found.series, expected.series);
    let cause = explain_change(vec![input(JUMP - 1)], vec![input(JUMP)], &mut |_| ()).unwrap().unwrap();
    let longer = nights.longer_ps as f64;
    assert!((cause.delta_ps as f64 - longer).abs() < 0.03 * longer, "{cause:?}, made {longer}");
    // A capture among the reports is one of them. A report beside the capture that it was made of is no list.
    let mixed: Vec<Input> = nights.inputs(|number| number == N - 1).into_iter().chain((0..N - 1).map(input)).collect();
    let (mut session, info) = open(&mixed);
    assert_eq!((info.captures.len(), &info.captures[0]), (N, &vec![0, 1]));
    set(&mut session, 0, Ok(nights.summary(N - 1)));
    for night in 0..N - 1 {
        set(&mut session, night + 1, summarise(vec![input(night)], &mut |_| ()).map_err(|failure| failure.message));
    }
    assert_eq!(view(&mut session, CaptureFigure::StepTime).n_other, 0);
    let pair: Vec<Input> = nights.inputs(|number| number == 0).into_iter().chain([input(0)]).collect();
    assert!(OpenSession::open_folder(&pair, &mut |_| ()).unwrap().is_none());
}

#[test]
fn files_of_one_run_are_no_list() {
    let nights = nights();
    assert!(OpenSession::open_folder(&nights.inputs(|number| number == 0), &mut |_| ()).unwrap().is_none());
    assert!(OpenSession::open_folder(&[], &mut |_| ()).unwrap().is_none());
}

#[test]
fn other_devices_are_no_part_of_the_levels() {
    let nights = nights();
    let (mut session, _) = open(&nights.inputs(|_| true));
    for night in 0..N {
        let mut summary = nights.summary(night);
        if night == 6 {
            summary.point.head.device_type = Some("TPU v6e".to_owned());
            summary.point.head.periods_ps.iter_mut().for_each(|period| *period /= 2);
        }
        summary.is_partial = night == 1;
        set(&mut session, night, Ok(summary));
    }
    let list = view(&mut session, CaptureFigure::StepTime);
    assert_eq!((list.n_other, list.n_partial, list.best.is_some_and(|best| best != 6)), (1, 1, true));
    assert_eq!(list.series.changes.iter().map(|change| change.first_after as usize).collect::<Vec<_>>(), [JUMP]);
    assert!(!list.series.marks[6].is_comparable && list.captures[6].change.is_none());
    // The capture after it is compared with the last comparable one.
    assert!(list.captures[7].change.is_some_and(|(_, verdict)| verdict == Some(Verdict::WithinNoise)));
}

/// The median of two captures is the value of neither, so it is not drawn.
#[test]
fn a_level_needs_three_captures() {
    let nights = nights();
    for n in [2, 3] {
        let (mut session, _) = open(&nights.inputs(|number| number < n));
        for night in 0..n {
            set(&mut session, night, Ok(nights.summary(night)));
        }
        let drawn = rooflight::chart::captures::picture(&view(&mut session, CaptureFigure::StepTime)).unwrap();
        assert_eq!((drawn.marks.len(), drawn.levels.len()), (n, usize::from(n == 3)));
    }
}

/// Packed captures of one folder are told apart by the times and hosts that they record.
#[test]
fn packed_captures_of_one_folder_are_a_list() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/gpu");
    let names = ["xla", "again", "batch2", "cudnn", "f32"];
    let inputs: Vec<Input> = names
        .iter()
        .map(|name| {
            let name = format!("{name}.graphs.xplane.pb.xz");
            let bytes = std::fs::read(folder.join(&name)).unwrap();
            Input { name: format!("gpu/{name}"), source: Box::new(bytes), from_folder: true }
        })
        .collect();
    let (_, mut info) = OpenSession::open_folder(&inputs, &mut |_| {}).unwrap().unwrap();
    // The captures of a folder are in the order of their times.
    info.captures.sort_unstable();
    assert_eq!(info.captures, (0..names.len() as u32).map(|index| vec![index]).collect::<Vec<_>>());
    assert!(info.files.iter().all(|file| file.format == "XSpace"), "{:?}", info.files);
}
