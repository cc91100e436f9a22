//! These tests open zip archives. Members must open like the same files beside each other. Hostile members must take
//! little memory and must not affect the other members.

use crate::common;
use crate::common::trace::{gzip, open_all, planes_by_name, xz};
use crate::common::zip::{Entry, deflated, stored, zip};
use crate::common::{breakdown_page, bytes, make, roofline_query};
use rooflight::analysis::base::{Query, StepChoice};
use rooflight::protocol::{Failure, OpRef, ViewRequest};
use rooflight::session::{Input, OpenSession, Opened};
use rooflight::table::page::{PageQuery, split_row_key};
use std::process::{Command, Output};
use xla_profile::wire::proto::xspace::XSpace;

const V6E: &str = "tpu-v6e-host-offload/host.xplane.pb";

fn device(n: u32) -> Vec<u8> {
    bytes(&XSpace { planes: vec![make::device(n)], ..XSpace::default() })
}

fn open(archive: &[u8]) -> Result<Opened, Failure> {
    common::open("a.zip", archive.to_vec())
}

/// Returns the messages of the notes about the opening of files.
fn summary(opened: &Opened) -> Vec<String> {
    let of_files = ["file_not_read", "files_passed_over", "members_passed_over", "partial_file"];
    let notes = opened.profile.notes.iter().filter(|note| of_files.contains(&note.code.key()));
    notes.map(|note| note.message.clone()).collect()
}

#[test]
fn members_are_files() {
    let trace =
        common::trace::text(&common::trace::events_of(&XSpace { planes: vec![make::device(2)], ..XSpace::default() }));
    let files: [(&str, Vec<u8>); 6] = [
        ("run/a.xplane.pb", device(0)),
        ("run/b.xplane.pb.gz", gzip(&device(1))),
        ("c.trace.json", trace.clone()),
        ("d.trace.json.gz", gzip(&trace)),
        ("e.xplane.pb.xz", xz(&device(3))),
        ("run/notes.txt", b"a few words".to_vec()),
    ];
    let beside: Vec<(String, &[u8])> = files.iter().map(|(name, b)| (format!("a.zip/{name}"), b.as_slice())).collect();
    let beside: Vec<(&str, &[u8])> = beside.iter().map(|(name, b)| (name.as_str(), *b)).collect();
    let expected = open_all(&beside).unwrap();
    type Pack = fn(&str, &[u8]) -> Entry;
    let large: Pack = |name, bytes| Entry { zip64: true, ..deflated(name, bytes) };
    let behind: Pack = |name, bytes| Entry { flags: 0x808, ..deflated(name, bytes) };
    for (pack, n_packed) in [(stored as Pack, 0), (deflated, 18), (large, 18), (behind, 18)] {
        let entries: Vec<Entry> = files.iter().map(|(name, bytes)| pack(name, bytes)).collect();
        let opened = open(&zip(&entries)).unwrap();
        assert_eq!(planes_by_name(&opened.profile), planes_by_name(&expected.profile));
        assert_eq!(opened.profile.notes, expected.profile.notes);
        assert!(opened.partial.is_none());
        for (file, expected) in opened.files.iter().zip(&expected.files) {
            assert_eq!((&file.name, &file.format), (&expected.name, &format!("{}, zip", expected.format)));
            let entry = entries.iter().find(|entry| file.name.ends_with(&entry.name)).unwrap();
            assert_eq!(file.bytes, entry.data.len() as u64 + n_packed);
        }
        assert_eq!(opened.files.len(), expected.files.len());
        assert_eq!(
            summary(&opened),
            ["a.zip/run/notes.txt: neither an XSpace, a trace JSON nor a compiled program, skipped."]
        );
    }
}

/// Programs are read from their place in the archive, also if they are packed twice.
#[test]
#[ignore = "needs captures of other projects"]
fn programs_are_read_from_the_archive() {
    let capture = common::profile(V6E).unwrap();
    let op = |engine: &mut OpenSession| {
        let query = Query { step: StepChoice::All, ..Query::busiest() };
        let page = breakdown_page(engine, &query, PageQuery { count: 1, ..PageQuery::default() });
        let (name, program) = split_row_key(&page.rows[0].key);
        let op = OpRef::new(name, program);
        let request = ViewRequest::Op { query: roofline_query(query), op };
        engine.answer(&request.into()).decode::<rooflight::analysis::op::OpDetail>().unwrap()
    };
    let engine = |name: &str, bytes: Vec<u8>| {
        let input = Input { name: name.into(), source: Box::new(bytes), from_folder: false };
        OpenSession::open(vec![input], &mut |_| {}).unwrap().0
    };
    let expected = op(&mut engine("x", capture.clone()));
    assert_eq!(expected.basis, rooflight::analysis::op::OpBasis::Proto);
    for entry in
        [stored("x", &capture), deflated("x", &capture), deflated("x", &gzip(&capture)), deflated("x", &xz(&capture))]
    {
        assert_eq!(op(&mut engine("a.zip", zip(&[entry]))), expected);
    }
}

#[test]
fn folders_and_hidden_files_are_not_reported() {
    let entries = [
        stored("run/", b""),
        stored("__MACOSX/run/._a.xplane.pb", b"\0\x05\x16\x07"),
        stored("run/.DS_Store", b"\0\0\0\x01Bud1"),
        stored("run/._b", b"\0\x05\x16\x07"),
        deflated("run/a.xplane.pb", &device(0)),
    ];
    let opened = open(&zip(&entries)).unwrap();
    assert_eq!((opened.files.len(), summary(&opened)), (1, vec![]));
    // An empty file is reported, and an empty file with the name of a capture has a report of its own.
    let entries = [stored("empty.txt", b""), stored("b.xplane.pb", b""), entries[4].clone()];
    let opened = open(&zip(&entries)).unwrap();
    let text = summary(&opened);
    assert!(text[0].starts_with("b.xplane.pb is empty: the profile was larger than 2 GiB. It has 0 bytes"), "{text:?}");
    assert_eq!(text[1..], ["a.zip/empty.txt: neither an XSpace, a trace JSON nor a compiled program, skipped."]);
}

#[test]
fn unreadable_members_are_reported_and_the_others_are_kept() {
    let good = deflated("good.xplane.pb", &device(0));
    let bad = deflated("bad.xplane.pb", &device(1));
    let pairs: [(Vec<Entry>, &str); 10] = [
        (vec![Entry { flags: 0x801, ..bad.clone() }], "bad.xplane.pb is encrypted and skipped"),
        (vec![Entry { method: 99, ..bad.clone() }], "bad.xplane.pb is encrypted"),
        (vec![Entry { method: 14, ..bad.clone() }, Entry { method: 14, ..bad.clone() }], "and 1 more are packed with "),
        (vec![Entry { method: 777, ..bad.clone() }], "packed with an unknown method"),
        (
            vec![Entry { size: 77, ..stored("bad.xplane.pb", &device(1)) }],
            "bad.xplane.pb is not where the archive says",
        ),
        (vec![Entry { offset: Some(5), ..bad.clone() }], "bad.xplane.pb is not where the archive says"),
        (vec![Entry { offset: Some(u32::MAX - 1), ..bad.clone() }], "bad.xplane.pb is not where the archive says"),
        (vec![Entry { name: "x".repeat(5000), ..bad.clone() }], "names of more than 4,096 bytes"),
        (
            vec![stored("bad.zip", &zip(std::slice::from_ref(&good)))],
            "bad.zip was not read. It is a zip archive inside another",
        ),
        (
            vec![deflated("bad.zip", &zip(std::slice::from_ref(&good)))],
            "bad.zip was not read. It is a zip archive inside another",
        ),
    ];
    for (bad, words) in pairs {
        let opened = open(&zip(&[std::slice::from_ref(&good), &bad[..]].concat())).unwrap();
        assert_eq!((opened.files.len(), &*opened.files[0].name), (1, "a.zip/good.xplane.pb"), "{words}");
        let text = summary(&opened);
        assert!(matches!(text.as_slice(), [one] if one.contains(words)), "{words}: {text:?}");
        // Without another member, the reason is in the failure.
        let Err(failure) = open(&zip(&bad)) else { panic!("{words}") };
        assert!(format!("{}. {}", failure.title, failure.message).contains(words), "{failure:?}");
    }
    // These false headers show only when the member is unpacked. The unpacked bytes are kept, and the session is
    // partial.
    for lie in [Entry { crc: 1, ..bad.clone() }, Entry { size: 1 << 20, ..bad.clone() }] {
        let opened = open(&zip(&[good.clone(), lie])).unwrap();
        assert!(
            opened.partial.as_ref().unwrap().starts_with("bad.xplane.pb: Unpacking ends early"),
            "{:?}",
            opened.partial
        );
        assert_eq!(opened.profile.planes.len(), 2);
    }
}

#[test]
fn members_that_share_bytes_are_skipped() {
    let one = deflated("a.xplane.pb", &device(0));
    let entries = [one.clone(), Entry { name: "b.xplane.pb".into(), offset: Some(0), ..one.clone() }];
    // The second member was written after the first, but the directory gives the offset of the first.
    let Err(failure) = open(&zip(&entries)) else { panic!("it is read twice") };
    assert_eq!(failure.title, "Nothing in a.zip could be read");
    assert!(
        failure.message.contains("a.xplane.pb and 1 more: skipped, because they share bytes"),
        "{}",
        failure.message
    );
    let opened = open(&zip(&[&entries[..], &[deflated("c.xplane.pb", &device(2))]].concat())).unwrap();
    assert_eq!((opened.files.len(), summary(&opened).len()), (1, 1));
}

#[test]
fn archives_that_are_cut_or_hold_nothing() {
    let whole = zip(&[deflated("a.xplane.pb", &device(0)), stored("b.xplane.pb", &device(1))]);
    for n in 4..whole.len() {
        let Err(failure) = open(&whole[..n]) else { panic!("{n}") };
        assert!(failure.message.contains("copy the file again"), "{n}: {failure:?}");
    }
    assert_eq!(
        open(&whole[..whole.len() / 2]).err().unwrap().message.split(". ").next(),
        Some("It starts like a zip archive, but its end, where its table of contents is, is missing")
    );
    let nothing = open(&zip(&[stored("x/", b""), stored("x/y.txt", b"words")])).err().unwrap();
    assert_eq!(nothing.title, "No capture in a.zip");
    assert!(nothing.message.starts_with("Looked at 1 file (a.zip/x/y.txt)"), "{}", nothing.message);
    assert_eq!(open(&zip(&[])).err().unwrap().title, "No capture in a.zip");
    let within = open(&gzip(&whole)).err().unwrap();
    assert!(within.message.contains("It is a zip archive inside gzip."), "{}", within.message);
    // Files that are packed three times are not read.
    let thrice = gzip(&gzip(&gzip(&device(0))));
    assert!(
        open(&thrice)
            .err()
            .unwrap()
            .message
            .contains("starts like gzip, but unpacking fails: what it holds is packed again, and that once more")
    );
    assert!(open(&xz(&gzip(&xz(&device(0))))).err().unwrap().message.contains("starts like xz, but"));
    assert!(open(&gzip(&gzip(&device(0)))).is_ok());
}

#[test]
fn more_members_than_a_session_has() {
    let mut entries: Vec<Entry> = (0..10_500).map(|i| stored(&format!("{i}.txt"), b"x")).collect();
    entries[3] = stored("3.xplane.pb", &device(0));
    let opened = open(&zip(&entries)).unwrap();
    assert_eq!(opened.files.len(), 1);
    assert!(summary(&opened)[0].starts_with("Only the first 10,000 files of the archive are read; 500 more"));
}

/// Flips bits of every byte. Nothing may panic or take long.
#[test]
fn flipped_bits() {
    let whole = zip(&[deflated("a.xplane.pb", &device(0)), stored("b.pb", &gzip(&device(1)))]);
    for i in 0..whole.len() {
        for bit in [0, 3, 7] {
            let mut bytes = whole.clone();
            bytes[i] ^= 1 << bit;
            if let Err(failure) = open(&bytes) {
                assert!(failure.message.len() > 20, "{failure:?}");
            }
        }
    }
}

/// Runs the command line on a file with `kib` KiB of address space. If the program needed more, a failed allocation
/// would kill it.
#[cfg(target_os = "linux")]
fn limited(name: &str, content: &[u8], kib: u64) -> Output {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, content).unwrap();
    let script = format!("ulimit -v {kib}; exec timeout 60 \"$0\" inspect --json \"$1\"");
    Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_rooflight")]).arg(path).output().unwrap()
}

/// Returns a capture and, after it, a plane of `n` MiB with its true length, in pieces.
fn long(n: u64) -> impl Iterator<Item = Vec<u8>> {
    let mut head = device(0);
    head.extend([0x0a]);
    prost::encoding::encode_varint(n << 20, &mut head);
    std::iter::once(head).chain((0..n).map(|_| vec![0; 1 << 20]))
}

#[cfg(target_os = "linux")]
#[test]
fn bombs_take_neither_memory_nor_time() {
    use std::io::Write;
    let mut bomb = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    let mut crc = flate2::Crc::new();
    for piece in long(1500) {
        bomb.write_all(&piece).unwrap();
        crc.update(&piece);
    }
    let data = bomb.finish().unwrap();
    assert!(data.len() < 2 << 20);
    let entry = Entry { data, crc: crc.sum(), size: 1500 << 20, ..deflated("bomb.xplane.pb", b"") };
    let out = limited("a.zip", &zip(&[entry, deflated("good.xplane.pb", &device(1))]), 400 << 10);
    let words = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(1), "{words}");
    assert!(
        words.contains("bomb.xplane.pb: Reading stops early: it unpacks to more than 200 times its size"),
        "{words}"
    );
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let devices = json["planes"].as_array().unwrap().iter().filter(|plane| plane["role"] == "device").count();
    assert_eq!((json["files"].as_array().unwrap().len(), devices), (2, 2), "{json:#}");
}
