//! This program makes small captures of many runs of one training job, with a list of them: the input of the recipes and
//! queries in `samples/fleet`.
//!
//! ```text
//!  fleet_captures DIR 1000 ─► DIR/c0000/0000.xplane.pb …   one folder for each commit
//!                             DIR/captures.tsv             path, commit and version of libtpu of each run
//!                             DIR/expected.json            the faults that queries have to find
//! ```

#[path = "../tests/native/common/fleet.rs"]
mod fleet;
#[path = "../tests/native/common/make.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod make;

use fleet::Run;
use std::fmt::Write as _;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args_os().skip(1);
    let folder = PathBuf::from(args.next().ok_or("fleet_captures DIR N")?);
    let n_runs: usize = args.next().and_then(|n| n.to_str()?.parse().ok()).ok_or("fleet_captures DIR N")?;
    let mut list = String::new();
    for number in 0..n_runs {
        let run = Run { number, index: n_runs };
        let path = folder.join(run.commit()).join(format!("{number:04}.xplane.pb"));
        std::fs::create_dir_all(folder.join(run.commit()))?;
        std::fs::write(&path, run.capture())?;
        writeln!(list, "{}\t{}\t{}", path.display(), run.commit(), run.libtpu())?;
    }
    std::fs::write(folder.join("captures.tsv"), list)?;
    let odd = (0..n_runs).find(|number| Run { number: *number, index: n_runs }.is_odd()).ok_or("there are no runs")?;
    let expected = format!(
        "{{\"slow_commit\": \"{}\", \"odd_file\": \"{odd:04}.xplane.pb\", \"op\": \"fusion.2\", \"libtpu\": [\"0.0.51\", \"0.0.52\"]}}\n",
        Run::slow_commit(n_runs)
    );
    std::fs::write(folder.join("expected.json"), expected)?;
    Ok(())
}
