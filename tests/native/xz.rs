//! These tests open files packed with xz. Packed files must open like the unpacked ones, and the part before a cut or
//! damage must be kept.

use crate::common::trace::{events_of, gzip, open_all, planes_by_name, text, xz};
use crate::common::{bytes, make};
use std::io::Read;
use std::process::Command;
use xla_profile::source::{GZIP, Packing, Stream, Truncation, XZ, inflate, inflate_range};
use xla_profile::wire::proto::xspace::XSpace;

const WHOLE: u64 = u64::MAX;

/// Returns bytes that can be packed, but not very well.
fn lines(n: u32) -> Vec<u8> {
    (0..n).flat_map(|i| format!("{i} of {}\n", i.wrapping_mul(2_654_435_761)).into_bytes()).collect()
}

type Pack = fn(&[u8]) -> Vec<u8>;

fn packed_by(packs: &[Pack], bytes: &[u8]) -> Vec<u8> {
    packs.iter().fold(bytes.to_vec(), |bytes, pack| pack(&bytes))
}

#[test]
fn captures_and_traces_are_the_same_in_every_packing() {
    let space = XSpace { planes: (0..3).map(make::device).collect(), ..XSpace::default() };
    let (capture, trace) = (bytes(&space), text(&events_of(&space)));
    for (plain, words) in [(&capture, "XSpace"), (&trace, "trace JSON")] {
        let expected = open_all(&[("a", plain)]).unwrap();
        let packs: [(&[Pack], &str); 6] = [
            (&[gzip], ", gzip"),
            (&[xz], ", xz"),
            (&[gzip, gzip], ", gzip"),
            (&[xz, xz], ", xz"),
            (&[gzip, xz], ", gzip, xz"),
            (&[xz, gzip], ", xz, gzip"),
        ];
        for (packs, and) in packs {
            let opened = open_all(&[("a", &packed_by(packs, plain))]).unwrap();
            assert_eq!(opened.files[0].format, format!("{words}{and}"));
            assert_eq!(planes_by_name(&opened.profile), planes_by_name(&expected.profile), "{and}");
            assert_eq!((opened.profile.notes, opened.partial), (expected.profile.notes.clone(), None));
        }
    }
}

#[test]
fn several_streams_and_blocks_are_one_file() {
    let (one, two) = (lines(10_000), lines(20_000));
    let whole = [one.clone(), two.clone()].concat();
    let mut blocks = lzma_rust2::XzOptions::with_preset(0);
    blocks.block_size = std::num::NonZeroU64::new(100_000);
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), blocks).unwrap();
    std::io::Write::write_all(&mut writer, &whole).unwrap();
    // Between streams there may be zeros, in multiples of four.
    for file in [[xz(&one), xz(&two)].concat(), [xz(&one), vec![0; 8], xz(&two)].concat(), writer.finish().unwrap()] {
        let out = inflate(&file, XZ.into(), WHOLE, &mut |_| {});
        assert!(out.stopped.is_none() && out.bytes == whole);
        let mut streamed = Vec::new();
        Stream::new(&file, XZ.into()).read_to_end(&mut streamed).unwrap();
        assert!(streamed == whole);
        assert_eq!(inflate_range(&file, XZ.into(), 100_000, 1000).unwrap(), whole[100_000..101_000]);
        assert!(inflate_range(&file, XZ.into(), whole.len() as u64 - 1, 2).is_err());
    }
    let out = inflate(&[xz(&one), b"and more".to_vec()].concat(), XZ.into(), WHOLE, &mut |_| {});
    assert!(out.bytes == one && matches!(out.stopped, Some(Truncation::Damaged(_))));
}

#[test]
fn a_cut_keeps_what_came_before() {
    let whole = lines(200_000);
    for (packing, file) in [(XZ.into(), xz(&whole)), (Packing::from(GZIP).with_layer(XZ).unwrap(), gzip(&xz(&whole)))] {
        let mut before = 0;
        for tenths in 1..10 {
            let out = inflate(&file[..file.len() * tenths / 10].to_vec(), packing, WHOLE, &mut |_| {});
            assert!(matches!(out.stopped, Some(Truncation::Damaged(_))) && whole.starts_with(&out.bytes));
            // Nearly the same share is unpacked as the share of the file that is left.
            assert!(out.bytes.len() > before && out.bytes.len() * 11 > whole.len() * tenths, "{tenths}");
            before = out.bytes.len();
        }
    }
}

#[test]
fn damage_keeps_what_came_before() {
    let whole = lines(200_000);
    let mut file = xz(&whole);
    let middle = file.len() / 2;
    file[middle..middle + 40].fill(0x55);
    let out = inflate(&file, XZ.into(), WHOLE, &mut |_| {});
    assert!(matches!(out.stopped, Some(Truncation::Damaged(_))));
    let same = out.bytes.iter().zip(&whole).take_while(|(a, b)| a == b).count();
    assert!(same > whole.len() * 4 / 10, "{same} of {}", whole.len());
}

#[test]
fn the_command_line_opens_packed_captures() {
    let dir = tempfile::tempdir().unwrap();
    let breakdown = |name: &str, content: &[u8]| {
        let path = dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        let mut rooflight = Command::new(env!("CARGO_BIN_EXE_rooflight"));
        let out = rooflight.args(["breakdown", "--json"]).arg(&path).output().unwrap();
        (out.status.code(), String::from_utf8(out.stdout).unwrap().replace(name, "x"), out.stderr)
    };
    let capture = bytes(&make::small());
    let (code, plain, _) = breakdown("a.xplane.pb", &capture);
    assert!(code == Some(0) && plain.contains("\"groups\""), "{plain}");
    assert_eq!(breakdown("a.xplane.pb.gz", &gzip(&capture)).1, plain);
    assert_eq!(breakdown("a.xplane.pb.xz", &xz(&capture)).1, plain);
    // Without the end of the file, the part before is kept, and the exit code is 1.
    let file = xz(&capture);
    let (code, _, text) = breakdown("b.xplane.pb.xz", &file[..file.len() - 30]);
    assert_eq!(code, Some(1), "{}", String::from_utf8_lossy(&text));
}
