//! This example prints the planes of a capture, with their numbers of lines, events and ops:
//! `cargo run -p xla-profile --example planes -- host.xplane.pb`.

use std::error::Error;
use xla_profile::profile::{Builder, ReadProgress};
use xla_profile::source::FileSource;
use xla_profile::wire::xspace::walk;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: planes host.xplane.pb")?;
    let source = FileSource::open(path.as_ref())?;
    let mut progress = |_: ReadProgress<'_>| {};
    let mut builder = Builder::new(&mut progress);
    builder.file(&path);
    walk(&source, &mut builder);
    let profile = builder.finish();
    for plane in &profile.planes {
        let n_events: usize = plane.lines.iter().map(|line| line.events.len()).sum();
        println!("{}: {} lines, {n_events} events, {} ops", plane.name, plane.lines.len(), plane.ops.len());
    }
    Ok(())
}
