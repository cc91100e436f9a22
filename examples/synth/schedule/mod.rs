//! This module makes small captures of whole training runs and servers, with the steps that are in them: which programs
//! ran in which step of the host, what was recorded of it, and what was lost.
//!
//! ```text
//!  scenario, seed ─► plan ──────► trace ──────► loss ─────► xspace ─► plugins/profile/…/vm.xplane.pb
//!                    programs,    host events,  what the              the true steps ─► expected.json
//!                    blocks       runs          capture lacks
//! ```
//!
//! The rest of this program simulates one step of one program op by op. Here a program is a name and a duration, so
//! that what a step is, and not what its ops do, is in question.

mod events;
mod loss;
mod permute;
mod plan;
mod scenarios;
mod serving;
mod trace;
mod training;
pub mod truth;
mod xspace;

pub use permute::permute;
pub use scenarios::Scenario;
pub use truth::{CaptureTruth, Truth};

use fastrand::Rng;
use std::io::Write;
use std::path::Path;
use xla_profile::wire::proto::xspace::XSpace;

/// Captures of one scenario, with what is true of them.
pub struct Made {
    /// Each capture with its path in the folder of profiles.
    pub files: Vec<(String, XSpace)>,
    pub truth: Truth,
}

/// The most plans of one seed that are tried. Most scenarios take the first one.
const MAX_PLANS: u64 = 2000;

/// Makes the captures of a scenario. The same seed makes the same captures.
///
/// A plan whose steps are in doubt, because a share is near a limit of the rules for steps, is replaced by the next one.
pub fn captures(scenario: Scenario, seed: u64) -> Made {
    let mut random = Rng::with_seed(seed ^ (scenario as u64) << 32);
    let n_captures = if scenario == Scenario::TwoRuns { 2 } else { 1 };
    let began_ns = 1_767_225_600_000_000_000 + random.u64(0..3_000_000) * 1_000_000_000;
    let kind = if scenario == Scenario::TwoRuns { Scenario::of_two_runs(&mut random) } else { scenario };
    let mut files = Vec::new();
    let mut captures = Vec::new();
    for number in 0..n_captures {
        let began_ns = began_ns + number * 7_200_000_000_000;
        let path = format!("plugins/profile/{}/vm.xplane.pb", session(began_ns));
        let (space, truth) = capture(kind, &mut random, began_ns, &path);
        captures.push(truth);
        files.push((path, space));
    }
    let opened = files.last().map_or_else(String::new, |(path, _)| path.clone());
    let what = "Simulated runs: the steps that a reader has to find. Times are on the event clock, in picoseconds since the start of \
                the profile.";
    Made { files, truth: Truth { what, scenario: scenario.name(), seed, opened, captures } }
}

fn capture(scenario: Scenario, random: &mut Rng, began_ns: u64, path: &str) -> (XSpace, CaptureTruth) {
    for _ in 0..MAX_PLANS {
        let plan = scenarios::plan(scenario, random);
        let mut trace = trace::trace(&plan, random);
        let lost = loss::lose(&plan, &mut trace, random);
        let truth = truth::truth(&plan, &trace, lost, path);
        if truth::is_clear(&plan, &trace, &truth) {
            let mut space = xspace::write(&plan, &trace, &truth.lost, began_ns, random);
            permute(&mut space, random);
            return (space, truth);
        }
    }
    panic!("no plan of {} is clear", scenario.name());
}

/// Returns the name of a session's folder: its start in UTC, as JAX writes it.
fn session(began_ns: u64) -> String {
    let seconds = began_ns / 1_000_000_000 - 1_767_225_600;
    // Profiles begin within the first five weeks of 2026.
    let (day, second) = (seconds / 86_400, seconds % 86_400);
    let (month, day) = if day < 31 { (1, day + 1) } else { (2, day - 30) };
    format!("2026_{month:02}_{day:02}_{:02}_{:02}_{:02}", second / 3600, second / 60 % 60, second % 60)
}

/// Writes the captures of a scenario and `expected.json` into a folder.
///
/// # Errors
/// Returns an error if a file cannot be written.
pub fn write(scenario: Scenario, seed: u64, out: &Path) -> Result<(), super::Failure> {
    let made = captures(scenario, seed);
    for (path, space) in &made.files {
        let path = out.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(out))?;
        std::fs::write(&path, prost::Message::encode_to_vec(space))?;
        eprintln!("{}", path.display());
    }
    let path = out.join("expected.json");
    let mut file = std::fs::File::create(&path)?;
    serde_json::to_writer_pretty(&mut file, &made.truth)?;
    writeln!(file)?;
    eprintln!("{}", path.display());
    Ok(())
}
