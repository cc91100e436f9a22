//! This module formats the progress of a load: rate, time left, and the result of each stage. Callers pass the clock
//! in; this module does not depend on timers or a screen.

use crate::protocol::{DevicesRead, Progress, Stage};
use crate::table::format;

/// The page shows the progress of a load only if the load takes longer than this.
pub const SHOWN_AFTER_MS: u32 = 200;
/// No estimate of the time left is shown before this time, because the rate is not yet reliable.
const LEFT_AFTER_MS: f64 = 1000.0;

/// The button that stops reading and opens what has been read, while nothing is open.
pub const OPEN_SO_FAR: &str = "Open with what is read so far";
/// The same button while the first device is open.
pub const STOP: &str = "Stop reading";

/// Returns a text such as "1 of 8 devices read".
pub fn devices_read(devices: DevicesRead) -> String {
    format!("{} of {} devices read", devices.read, devices.total)
}

/// State of a load that is in progress.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    pub name: String,
    /// Sum of the sizes of the files. 0 if the size is not known.
    pub bytes: u64,
    started: f64,
    now: f64,
    stages: [Option<StageProgress>; 5],
    last: Option<Progress>,
}

#[derive(Clone, Debug, PartialEq)]
struct StageProgress {
    from: f64,
    found: Progress,
}

/// State of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Done,
    Now,
    Waiting,
    /// The files do not need this stage.
    Skipped,
}

/// One line of the list of stages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub name: &'static str,
    pub state: State,
    /// Result of the stage so far: a file or a plane, or counts of planes and events.
    pub found: String,
    /// Time that the stage took, or has taken so far.
    pub time: String,
}

impl Load {
    /// Starts the progress of a load of `name` at time `now`, in milliseconds of any clock.
    pub fn new(name: String, bytes: u64, now: f64) -> Self {
        Self { name, bytes, started: now, now, stages: [const { None }; 5], last: None }
    }

    /// Starts the progress of opening the files that this load fetched, and keeps the time of the stage Fetch in the
    /// list.
    #[must_use]
    pub fn of_fetched(self, name: String, bytes: u64, now: f64) -> Self {
        let mut stages = [const { None }; 5];
        if let (Some(stage), Some(fetched)) = (stages.first_mut(), self.stages.into_iter().next()) {
            *stage = fetched;
        }
        Self { name, bytes, started: now, now, stages, last: None }
    }

    /// Applies a progress message that arrived at time `now`, in ms.
    pub fn update(&mut self, progress: Progress, now: f64) {
        self.now = now;
        let index = progress.stage as usize;
        if let Some(stage) = self.stages.get_mut(index) {
            let from = stage.as_ref().map_or(now, |stages| stages.from);
            *stage = Some(StageProgress {
                from: if self.last.is_none() { self.started } else { from },
                found: progress.clone(),
            });
        }
        self.last = Some(progress);
    }

    /// Moves the current time to `now`, in ms.
    pub fn tick(&mut self, now: f64) {
        self.now = now;
    }

    /// Returns the bytes read so far and the bytes of the session.
    fn bytes_read(&self) -> (u64, u64) {
        self.last.as_ref().map_or((0, self.bytes), |last| {
            (last.bytes_done.min(if last.bytes_total == 0 { u64::MAX } else { last.bytes_total }), last.bytes_total)
        })
    }

    /// Returns the part of the bytes that has been read, 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a bar's length")]
    pub fn fraction(&self) -> f64 {
        let (done, total) = self.bytes_read();
        if total == 0 { 0.0 } else { done as f64 / total as f64 }
    }

    /// Returns [`Self::fraction`] in whole percent, rounded down.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
    pub fn percent(&self) -> u8 {
        (self.fraction() * 100.0).floor() as u8
    }

    /// Returns the part that has been read, such as "43 %".
    pub fn percent_text(&self) -> String {
        format!("{} %", self.percent())
    }

    /// Returns whether the planes that have been read so far can be opened.
    pub fn can_stop(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.can_stop)
    }

    /// Returns the size of the files as text; empty if the size is not known.
    pub fn size(&self) -> String {
        if self.bytes == 0 { String::new() } else { format::bytes_text(self.bytes) }
    }

    /// Returns the bytes read, and the text after them: "668.0 MiB" and " of 1.1 GiB, 331.0 MiB/s". Without a known
    /// total, the text is " so far" and the rate. Before the first byte, the pair is the total and " to read".
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes per second, for display")]
    pub fn read(&self) -> (String, String) {
        let (done, total) = self.bytes_read();
        match (done, total) {
            (0, 0) => return ("Waiting for the first bytes".to_owned(), String::new()),
            (0, total) => return (format::bytes_text(total), " to read".to_owned()),
            _ => {}
        }
        let rate = self.rate().map_or(String::new(), |rate| format!(", {}/s", format::bytes_text(rate as u64)));
        let of_total = if total == 0 { " so far".to_owned() } else { format!(" of {}", format::bytes_text(total)) };
        (format::bytes_text(done), of_total + &rate)
    }

    /// Returns bytes per second since the start. `None` before the first byte and in the first 0.1 s.
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    fn rate(&self) -> Option<f64> {
        let seconds = (self.now - self.started) / 1000.0;
        let done = self.bytes_read().0;
        (done > 0 && seconds > 0.1).then(|| done as f64 / seconds)
    }

    /// Returns an estimate such as "about 3 s left". `None` in the first second, and after the last byte has been read.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn left(&self) -> Option<String> {
        let (done, total) = self.bytes_read();
        let rate = self.rate().filter(|_| self.now - self.started >= LEFT_AFTER_MS && done < total)?;
        let seconds = total.saturating_sub(done) as f64 / rate;
        Some(match seconds {
            s if s < 1.0 => "less than 1 s left".to_owned(),
            s if s < 90.0 => format!("about {} s left", format::decimal(s.ceil(), 0)),
            s => format!("about {} min left", format::decimal((s / 60.0).ceil(), 0)),
        })
    }

    /// Returns the notes about the files so far.
    pub fn notes(&self) -> &[String] {
        self.last.as_ref().map_or(&[], |last| &last.notes)
    }

    /// Returns the WebAssembly memory in use as text. `None` if the size is not known.
    pub fn memory(&self) -> Option<String> {
        let memory = self.last.as_ref()?.memory?;
        Some(format!("{} of memory in use", format::bytes_text(memory)))
    }

    /// Returns the stages in order. The stage Fetch is left out if nothing was fetched, because most files are local.
    pub fn lines(&self) -> Vec<Line> {
        let is_fetched = self.stages.first().is_some_and(Option::is_some);
        let stages = Stage::ALL.into_iter().filter(|stage| *stage != Stage::Fetch || is_fetched);
        stages.map(|stage| self.line(stage)).collect()
    }

    fn line(&self, stage: Stage) -> Line {
        let stages = self.stages.get(stage as usize).and_then(Option::as_ref);
        let current = self.last.as_ref().map(|last| last.stage);
        let state = match (stages, current) {
            (_, Some(current)) if current == stage => State::Now,
            (Some(_), _) => State::Done,
            (None, Some(current)) if current > stage => State::Skipped,
            (None, None) if stage == Stage::Detect => State::Now,
            (None, _) => State::Waiting,
        };
        let next = self.stages.iter().skip(stage as usize + 1).flatten().next().map_or(self.now, |next| next.from);
        let time = match (stages, state) {
            (None, State::Now) => duration(self.now - self.started),
            (Some(stages), _) => duration(if state == State::Now { self.now } else { next } - stages.from),
            (None, State::Skipped) => "not needed".to_owned(),
            (None, _) => format::ABSENT.to_owned(),
        };
        let found = match (stages, state) {
            (Some(stages), _) => stage_result(stage, &stages.found),
            // No message has come yet: the worker detects the format.
            (None, State::Now) => self.name.clone(),
            (None, _) => String::new(),
        };
        Line { name: name(stage), state, found, time }
    }

    /// Returns the text for screen readers. The text changes with each stage, and at each quarter of the bytes.
    pub fn announcement(&self) -> String {
        let stage = self.last.as_ref().map_or(Stage::Detect, |last| last.stage);
        format!("{}, {} %", name(stage), self.percent() / 25 * 25)
    }
}

const fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Fetch => "Fetch",
        Stage::Detect => "Detect format",
        Stage::Inflate => "Unpack",
        Stage::Read => "Read planes",
        Stage::Analyse => "Steps, self time, kinds",
    }
}

fn stage_result(stage: Stage, progress: &Progress) -> String {
    match stage {
        Stage::Fetch | Stage::Detect | Stage::Inflate | Stage::Analyse => progress.place.clone(),
        Stage::Read => {
            let planes = format::counted(progress.planes.into(), "plane", "planes");
            format!("{planes}, {}", format::counted(progress.events, "event", "events"))
        }
    }
}

fn duration(ms: f64) -> String {
    if ms < 1000.0 {
        format!("{} ms", format::decimal(ms.max(0.0).round(), 0))
    } else {
        format!("{} s", format::decimal(ms / 1000.0, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(stage: Stage, mib: u64) -> Progress {
        Progress {
            stage,
            bytes_done: mib << 20,
            bytes_total: 1000 << 20,
            planes: 7,
            events: 9_412_806,
            place: "TPU:5".to_owned(),
            memory: Some(214 << 20),
            notes: vec!["a note".to_owned()],
            can_stop: false,
        }
    }

    #[test]
    fn load_progress_has_bytes_rate_and_remaining_time() {
        let mut load = Load::new("a.xplane.pb".to_owned(), 1000 << 20, 5_000.0);
        assert_eq!((load.percent(), load.left(), load.memory()), (0, None, None));
        let text = |load: &Load| {
            let (done, of_total) = load.read();
            done + &of_total
        };
        assert_eq!([text(&load), load.size()], ["1,000.0 MiB to read", "1,000.0 MiB"]);
        let line = &load.lines()[0];
        assert_eq!((line.state, line.found.as_str(), line.time.as_str()), (State::Now, "a.xplane.pb", "0 ms"));
        assert!(load.notes().is_empty());
        load.update(progress(Stage::Detect, 0), 5_004.0);
        load.update(progress(Stage::Read, 100), 5_500.0);
        assert_eq!((load.left(), load.notes()), (None, &["a note".to_owned()][..]));
        load.update(progress(Stage::Read, 600), 7_000.0);
        assert_eq!(load.percent(), 60);
        assert_eq!(load.read(), ("600.0 MiB".to_owned(), " of 1,000.0 MiB, 300.0 MiB/s".to_owned()));
        assert_eq!(load.left().as_deref(), Some("about 2 s left"));
        assert_eq!(load.memory().as_deref(), Some("214.0 MiB of memory in use"));
        assert_eq!(load.announcement(), "Read planes, 50 %");
    }

    #[test]
    fn no_load_says_that_there_are_no_bytes() {
        let mut load = Load::new("a".to_owned(), 0, 0.0);
        assert_eq!(load.read(), ("Waiting for the first bytes".to_owned(), String::new()));
        assert_eq!(load.size(), "");
        load.update(Progress { bytes_total: 0, ..progress(Stage::Fetch, 3) }, 10.0);
        assert_eq!(load.read(), ("3.0 MiB".to_owned(), " so far".to_owned()));
    }

    #[test]
    fn stages_are_done_skipped_under_way_or_to_come() {
        let mut load = Load::new("a".to_owned(), 0, 0.0);
        assert_eq!(load.lines()[0].state, State::Now);
        load.update(progress(Stage::Detect, 0), 4.0);
        load.update(progress(Stage::Read, 100), 10.0);
        load.tick(2_110.0);
        let lines = load.lines();
        let states: Vec<_> = lines.iter().map(|line| line.state).collect();
        assert_eq!(states, [State::Done, State::Skipped, State::Now, State::Waiting]);
        assert_eq!([lines[0].time.as_str(), lines[1].time.as_str()], ["10 ms", "not needed"]);
        assert_eq!([lines[2].time.as_str(), lines[2].found.as_str()], ["2.1 s", "7 planes, 9,412,806 events"]);
    }
}
