//! These tests read files that are packed, nested or long enough to do harm. Each file must end in one clear sentence,
//! in little memory and time, whatever its name is.
#![cfg(target_os = "linux")]

use crate::common;
use crate::common::trace::{gzip, xz};
use crate::common::{bytes, make};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

/// Address space that is enough for a small capture, in KiB.
const MEMORY: u64 = 300 << 10;

/// Runs the command line with little memory. If the program needed more, a failed allocation would kill it.
fn inspect(path: &Path) -> (Option<i32>, String, Vec<u8>) {
    let script = format!("ulimit -v {MEMORY}; exec timeout 60 \"$0\" inspect --json \"$1\"");
    let before = Instant::now();
    let out = Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_rooflight")]).arg(path).output().unwrap();
    assert!(before.elapsed().as_secs() < 40, "it takes too long");
    let Output { status, stdout, stderr } = out;
    let text = String::from_utf8(stderr).unwrap();
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    (status.code(), text, stdout)
}

fn inspect_content(name: &str, content: &[u8]) -> (Option<i32>, String, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, content).unwrap();
    inspect(&path)
}

/// Asserts that nothing of a file opens: exit code 2, and a message that contains `words`.
fn refused(name: &str, content: &[u8], words: &str) {
    let (code, text, out) = inspect_content(name, content);
    assert!(code == Some(2) && out.is_empty(), "{code:?} {text}");
    assert!(text.contains(words), "{text}");
}

/// Packs the pieces as one gzip stream.
fn packed(pieces: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    pieces.into_iter().for_each(|piece| gzip.write_all(&piece).unwrap());
    gzip.finish().unwrap()
}

fn repeated(piece: u8, mebibytes: usize) -> impl Iterator<Item = Vec<u8>> {
    std::iter::repeat_n(vec![piece; 1 << 20], mebibytes)
}

#[test]
fn bombs() {
    // The first 64 KiB show that a file holds only zeros.
    refused("a.xplane.pb.gz", &packed(repeated(0, 1000)), "It starts with zero bytes");
    // The trace is one long blank, one long text, or one long number. Each trace packs a thousandfold, and is also
    // packed twice.
    for (head, filler) in [("{\"traceEvents\":[", b' '), ("{\"a\":\"", b'x'), ("{\"a\":1", b'0')] {
        let bomb = packed(std::iter::once(head.as_bytes().to_vec()).chain(repeated(filler, 1000)));
        assert!(bomb.len() < 2 << 20);
        refused("a.trace.json.gz", &bomb, "it unpacks to more than 200 times its size, as no profile does");
        refused("a.trace.json.gz", &gzip(&bomb), "it unpacks to more than 200 times its size, as no profile does");
        // xz packs tighter, so fewer bytes are enough.
        let bomb = xz(&[head.as_bytes(), &vec![filler; 80 << 20]].concat());
        assert!(bomb.len() < 32 << 10);
        refused("a.trace.json.xz", &bomb, "it unpacks to more than 200 times its size, as no profile does");
        refused("a.trace.json.gz", &gzip(&bomb), "it unpacks to more than 200 times its size, as no profile does");
    }
    // A capture in front of the bomb is kept.
    let mut head = bytes(&make::small());
    head.push(0x0a);
    prost::encoding::encode_varint(1000 << 20, &mut head);
    let bombs =
        [packed(std::iter::once(head.clone()).chain(repeated(0, 1000))), xz(&[head, vec![0; 80 << 20]].concat())];
    for bomb in bombs {
        let (code, text, out) = inspect_content("a.xplane.pb.gz", &bomb);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("Reading stops early: it unpacks to more than 200 times its size"), "{text}");
        let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert!(json["planes"].as_array().unwrap().iter().any(|plane| plane["name"] == "/device:TPU:1"));
    }
}

/// The memory that an xz header requests is not allocated before there are data to fill it.
#[test]
fn a_dictionary_of_four_gigabytes() {
    let whole = xz(&bytes(&make::small()));
    // The header of the block follows the 12 bytes of the stream header: its size, no flags, one filter, which is
    // LZMA2, and the one property of the filter, which is the dictionary size.
    assert_eq!(whole[12..16], [2, 0, 0x21, 1]);
    let with = |dictionary: u8| {
        let mut file = whole.clone();
        file[16] = dictionary;
        let mut crc = flate2::Crc::new();
        crc.update(&file[12..20]);
        file[20..24].copy_from_slice(&crc.sum().to_le_bytes());
        file
    };
    refused("a.xplane.pb.xz", &with(40), "its dictionary is larger than 128 MiB, twice that of xz -9");
    // The dictionary size of xz -9 is accepted, and no more is allocated than there is to unpack.
    assert!(common::open("a.xplane.pb.xz", with(28)).unwrap().partial.is_none());
}

#[test]
fn brackets_a_hundred_thousand_deep() {
    for bracket in ["[", "{\"a\":"] {
        let deep = bracket.repeat(100_000);
        let event =
            format!("{{\"traceEvents\":[{{\"ph\":\"X\",\"name\":\"x\",\"ts\":1,\"dur\":1,\"args\":{{\"a\":{deep}");
        for text in [deep.clone(), event] {
            refused("a.trace.json", text.as_bytes(), "brackets are nested a thousand deep, which no trace has");
            refused(
                "a.trace.json.gz",
                &gzip(text.as_bytes()),
                "brackets are nested a thousand deep, which no trace has",
            );
        }
    }
}

/// A length that a file declares is compared with the remaining bytes before memory is reserved, at each depth.
#[test]
fn ten_gigabytes_declared() {
    let declares = |tags: &[u8]| {
        let mut file = Vec::new();
        for tag in tags {
            file.push(*tag);
            prost::encoding::encode_varint(10_000_000_000, &mut file);
        }
        // The name of a plane identifies the file as an XSpace.
        [file, b"\x12\x0d/device:TPU:0".to_vec()].concat()
    };
    for tags in [&[0x0a][..], &[0x0a, 0x1a], &[0x0a, 0x1a, 0x22], &[0x0a, 0x22]] {
        let (code, text, _) = inspect_content("long.xplane.pb", &declares(tags));
        assert!(matches!(code, Some(1 | 2)), "{tags:x?}: {text}");
        assert!(text.contains("The file ends") || text.contains("10,000,000,000 bytes"), "{tags:x?}: {text}");
    }
    // The same holds for a program.
    let mut program = declares(&[0x0a]);
    let length = program.len() - 15;
    program.truncate(length);
    program.extend(b"\x0a\x05jit_f\x12\x04main\x1a\x05\x0a\x03abc");
    refused("long.hlo_proto.pb", &program, "the file ends inside the program");
}

#[test]
fn file_names_do_not_decide_the_format() {
    let capture = bytes(&make::small());
    for name in ["x.json.gz", "x.trace.json", "x.hlo_proto.pb", "x.zip", "x.txt"] {
        for content in [capture.clone(), gzip(&capture), xz(&capture)] {
            let input = rooflight::session::Input { name: name.into(), source: Box::new(content), from_folder: false };
            let opened = rooflight::session::open(vec![input], &mut |_| {}).unwrap();
            assert!(
                opened.files[0].format.starts_with("XSpace")
                    && opened.profile.planes.len() == make::small().planes.len()
            );
        }
    }
    refused("x.xplane.pb", b"a few words\n", "x.xplane.pb is not an XLA profile. It is plain text");
    refused("x.xplane.pb.gz", &gzip(b""), "x.xplane.pb.gz is empty");
    refused("x.xplane.pb.gz", b"\x1f\x8b\x08", "x.xplane.pb.gz could not be unpacked");
    refused("x.xplane.pb.xz", &xz(b""), "x.xplane.pb.xz is empty");
    refused("x.xplane.pb.xz", b"\xfd7zXZ\0", "x.xplane.pb.xz could not be unpacked. It starts like xz, but");
}
