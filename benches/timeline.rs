//! This benchmark measures the timeline on captures of several sizes: making the lanes, pictures at four zooms, a search, and
//! the sums of a range. The lines are those of all devices, and a picture has 1,500 columns.
//!
//! `cargo xtask bench timeline` makes the captures and starts this program. Times are in milliseconds, with the median and the
//! 95th percentile of 60 random places.

use rooflight::analysis::base::{DeviceChoice, Query, StepChoice, TimeRange};
use rooflight::analysis::timeline::{LineRef, Picture, PictureQuery, SearchQuery, SearchReport, Timeline};
use rooflight::protocol::{TimelineRequest, ViewRequest, requests};
use rooflight::session::{Input, OpenSession};
use rooflight::table::filter::TextFilter;
use std::path::{Path, PathBuf};
use std::time::Instant;
use xla_profile::units::Picos;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const COLUMNS: u32 = 1500;
const PLACES: usize = 60;

/// A session with its timeline.
struct Bench {
    session: OpenSession,
    timeline: Timeline,
    lines: Vec<LineRef>,
    random: fastrand::Rng,
}

fn main() -> Result<()> {
    let folder = PathBuf::from(std::env::var_os("ROOFLIGHT_BENCH").ok_or("`cargo xtask bench timeline` starts this")?);
    let sizes = std::env::var("ROOFLIGHT_MB").unwrap_or_else(|_| "10,100,1000".to_owned());
    println!(
        "capture        events   lines      ns per event (lanes)   whole    step        layer       op          search   range"
    );
    for mb in sizes.split(',') {
        Bench::open(&folder.join(mb))?.run(mb)?;
    }
    Ok(())
}

impl Bench {
    fn open(folder: &Path) -> Result<Self> {
        let path = folder.join("worker-0.xplane.pb");
        let source = Box::new(std::fs::read(&path)?);
        let input = Input { name: "worker-0.xplane.pb".to_owned(), source, from_folder: false };
        let (mut session, _) = OpenSession::open(vec![input], &mut |_| {}).map_err(|failure| failure.message)?;
        let timeline: Timeline = answer(&mut session, TimelineRequest::Tracks { is_aligned: None, step: None })?;
        let devices = timeline.groups.iter().filter(|group| group.device.is_some());
        let lines = devices.flat_map(|group| group.tracks.iter().map(|track| track.line)).collect();
        Ok(Self { session, timeline, lines, random: fastrand::Rng::with_seed(1) })
    }

    fn run(mut self, mb: &str) -> Result<()> {
        let devices = self.timeline.groups.iter().filter(|group| group.device.is_some());
        let events: u64 = devices.flat_map(|group| &group.tracks).map(|track| track.n_events).sum();
        let whole = self.timeline.end.saturating_sub(self.timeline.start);
        // The first picture makes the lanes.
        let first = self.picture(whole)?;
        let step = self.timeline.groups[0].steps.first().map_or(whole, |step| step.end.saturating_sub(step.start));
        print!("{mb:>5} MB {events:>13} {:>7} {:>28.0}", self.lines.len(), first * 1e6 / events as f64);
        print!("   {:>5.1}", self.picture(whole)?);
        for length in [step, Picos(step.0 / 32), Picos(step.0 / 1000)] {
            let mut times = (0..PLACES).map(|_| self.picture(length)).collect::<Result<Vec<f64>>>()?;
            times.sort_by(f64::total_cmp);
            print!("   {:>4.1}/{:<4.1}", times[PLACES / 2], times[PLACES * 95 / 100]);
        }
        let query =
            SearchQuery { filter: TextFilter { text: "fusion".to_owned(), ..TextFilter::default() }, n_columns: 2000 };
        let start = Instant::now();
        let found: SearchReport = answer(&mut self.session, TimelineRequest::Search(query))?;
        assert!(found.n > 0, "the capture has fusions");
        print!("   {:>6.1}", milliseconds(start));
        let range = TimeRange { start: self.timeline.start, end: self.timeline.start + step };
        let query = Query { device: DeviceChoice::One(0), step: StepChoice::Range(range), ..Query::default() };
        let start = Instant::now();
        let sums = self.session.answer(&ViewRequest::Breakdown(query).into()).answer::<requests::Breakdown>();
        assert!(sums.is_ok(), "the first step has sums");
        println!("   {:>5.1}", milliseconds(start));
        Ok(())
    }

    /// Returns the time in ms of a picture of this length at a random place.
    fn picture(&mut self, length: Picos) -> Result<f64> {
        let (start, end) = (self.timeline.start.0, self.timeline.end.0);
        let latest = end.saturating_sub(length.0).max(start);
        let query = PictureQuery {
            lines: self.lines.clone(),
            start: Picos(self.random.u64(start..=latest)),
            column: Picos(length.0 / u64::from(COLUMNS) + 1),
            n_columns: COLUMNS,
            ..PictureQuery::default()
        };
        let begin = Instant::now();
        let picture: Picture = answer(&mut self.session, TimelineRequest::Picture(query))?;
        let time = milliseconds(begin);
        assert_eq!(picture.lines.len(), self.lines.len());
        Ok(time)
    }
}

fn answer<T: serde::de::DeserializeOwned>(session: &mut OpenSession, request: TimelineRequest) -> Result<T> {
    let reply = session.answer(&ViewRequest::Timeline(request).into());
    reply.decode::<T>().map_err(|_| "the session does not answer".into())
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
