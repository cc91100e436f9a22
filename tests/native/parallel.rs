//! These tests compare a capture that several threads or workers read with the same capture read by one thread.

use crate::common;
use crate::synth::{files, made};
use xla_profile::profile::{Builder, Profile, ProfilePart};
use xla_profile::wire::Span;
use xla_profile::wire::xspace::{Outcome, outline, walk};

/// Reads a capture with a number of threads. Also returns how often the reader reported progress.
pub(crate) fn read(bytes: &[u8], n_threads: usize) -> (Profile, Outcome, u64) {
    let (mut n_reports, mut last) = (0, (0, 0));
    let mut on_progress = |progress: xla_profile::profile::ReadProgress<'_>| {
        n_reports += 1;
        last = (progress.bytes, progress.events);
    };
    let mut builder = Builder::new(&mut on_progress);
    builder.file("before.xplane.pb");
    walk(&&b""[..], &mut builder);
    builder.file("it.xplane.pb");
    let outcome = builder.walk_with_threads(&bytes, n_threads);
    let profile = builder.finish();
    assert!(last.0 <= bytes.len() as u64, "{last:?}");
    (profile, outcome, n_reports)
}

/// Reads each plane of a capture apart from the others, and passes it on as bytes, as the workers of the page do. `divide` returns
/// the ranges of bytes into which a plane is divided.
pub(crate) fn read_apart(bytes: &[u8], divide: impl Fn(Span) -> Vec<Span>) -> Profile {
    let mut on_progress = |_: xla_profile::profile::ReadProgress<'_>| ();
    let source = &bytes;
    let part = |span: Span, events: Span| {
        let part = ProfilePart::read(source, span, events, &mut |_| ()).unwrap();
        postcard::from_bytes::<ProfilePart>(&postcard::to_allocvec(&part).unwrap()).unwrap()
    };
    let mut builder = Builder::new(&mut on_progress);
    builder.file("before.xplane.pb");
    walk(&&b""[..], &mut builder);
    builder.file("it.xplane.pb");
    let found = outline(source, usize::MAX).unwrap();
    let spans = found.planes.into_iter().map(|(span, _)| span);
    let parts = spans.flat_map(|span| divide(span).into_iter().map(move |events| (span, events)));
    assert!(builder.join(parts.map(|(span, events)| part(span, events)).collect()));
    builder.add_fields(found.fields);
    builder.finish()
}

/// Divides a range of bytes into parts of about the same length.
pub(crate) fn equal_parts(span: Span, n: u64) -> Vec<Span> {
    let bound = |part: u64| span.start + span.len() * part / n;
    (0..n).map(|part| Span { start: bound(part), end: bound(part + 1) }).collect()
}

/// Asserts that profiles are equal: planes with all events, ids of texts, values, programs and notes.
pub(crate) fn assert_same(name: &str, one: &Profile, many: &Profile) {
    assert_eq!(one.planes.len(), many.planes.len(), "{name}");
    for (one_plane, plane) in one.planes.iter().zip(&many.planes) {
        assert!(one_plane == plane, "{name}: {} differs", plane.name);
        for op in &plane.ops {
            assert_eq!((one.text(op.name), one.text(op.text)), (many.text(op.name), many.text(op.text)), "{name}");
        }
        for line in &plane.lines {
            for op in line.events.ops() {
                assert_eq!(one.memory(one_plane, op), many.memory(plane, op), "{name}");
            }
        }
    }
    assert_eq!(one.strings.bytes(), many.strings.bytes(), "{name}");
    assert_eq!((&one.hlo, &one.notes, &one.hosts), (&many.hlo, &many.notes, &many.hosts), "{name}");
    assert_eq!((&one.programs, &one.files), (&many.programs, &many.files), "{name}");
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let (folder, _) = made(&["--steps", "12", "--no-trace", "--fault", "lost-events"]);
    let mut captures = vec![("simulated".to_owned(), files(folder.path()).remove("worker-0.xplane.pb").unwrap())];
    captures.extend(common::xspaces().into_iter().map(|(name, bytes)| (name.to_owned(), bytes)));
    // Captures one after another are one capture, here of TPUs, GPUs and CPUs.
    let all: Vec<u8> = captures.iter().skip(1).flat_map(|(_, bytes)| bytes.iter().copied()).collect();
    captures.push(("all real captures".to_owned(), all.repeat(2)));
    let mut n_parallel = 0;
    for (name, bytes) in captures {
        let (one, outcome, _) = read(&bytes, 1);
        assert_eq!(outcome.n_damage, 0, "{name}");
        for n_threads in [2, 3, 8] {
            let (many, of_many, n_reports) = read(&bytes, n_threads);
            assert_same(&format!("{name}, {n_threads} threads"), &one, &many);
            assert_eq!(outcome, of_many, "{name}");
            assert!(n_reports > 0, "{name}");
            n_parallel += u32::from(bytes.len() > 4 << 20);
        }
        assert_same(&format!("{name}, planes apart"), &one, &read_apart(&bytes, |span| vec![span]));
        for n in [2, 3, 7] {
            assert_same(
                &format!("{name}, planes in {n} parts"),
                &one,
                &read_apart(&bytes, |span| equal_parts(span, n)),
            );
        }
    }
    assert!(n_parallel >= 3, "no capture is large enough for several threads");
}

/// A damaged capture is read by one thread, and has the same planes and the same damage.
#[test]
fn damage_is_reported_as_by_one_thread() {
    let (folder, _) = made(&["--steps", "12", "--no-trace"]);
    let whole = files(folder.path()).remove("worker-0.xplane.pb").unwrap();
    let mut zeros = whole.clone();
    let middle = whole.len() / 2;
    zeros[middle..middle + 64].fill(0xff);
    for (name, bytes) in [("cut", &whole[..whole.len() - 1_000]), ("overwritten", &zeros)] {
        let (one, outcome, _) = read(bytes, 1);
        let (many, of_many, _) = read(bytes, 2);
        assert!(outcome.n_damage > 0, "{name}");
        assert_eq!(outcome, of_many, "{name}");
        assert_same(name, &one, &many);
    }
}
