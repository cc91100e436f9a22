//! This module tests reports with random content. A visitor makes them, so that no field is forgotten.

use super::codec::visit::{Number, Text, Visit, VisitResult};
use super::envelope::{Limits, decode, encode, read};
use super::error::ShareError;
use super::file::unpack;
use super::level::Level;
use super::link::decode_link;
use super::report::Report;
use super::{VERSION, codec, encode_link};
use proptest::prelude::*;

/// The visitor that fills a report with random values.
struct RandomReport(fastrand::Rng);

impl RandomReport {
    fn optional<T>(&mut self, value: T, needed: bool) -> Option<T> {
        (needed || self.0.bool()).then_some(value)
    }
}

impl Visit for RandomReport {
    fn count(&mut self, _: usize, _: usize) -> Result<usize, ShareError> {
        Ok(self.0.usize(0..4).min(1 + self.0.usize(0..3)))
    }

    fn integer(&mut self, value: &mut Option<u64>, usual: Option<u64>, what: Number) -> VisitResult {
        let bits = if what == Number::Exact { self.0.u32(1..=32) } else { self.0.u32(1..=64) };
        let number = self.0.u64(..) >> (64 - bits);
        *value = if self.0.u8(..) < 60 { usual } else { self.optional(number, usual.is_some()) };
        Ok(())
    }

    fn choice(&mut self, number: &mut Option<u64>, usual: Option<u64>, index: usize) -> VisitResult {
        let place = self.0.u64(..index as u64);
        *number = self.optional(place, usual.is_some());
        Ok(())
    }

    fn real(&mut self, value: &mut Option<f64>, usual: Option<f64>) -> VisitResult {
        let number = match self.0.u8(0..6) {
            0 => f64::from_bits(self.0.u64(..)),
            1 => -0.0,
            2 => f64::MAX,
            3 => 0.1 * f64::from(self.0.i32(..)),
            _ => 1e12 * self.0.f64(),
        };
        // No analysis returns NaN or an infinite number, and NaN does not equal itself. Numbers are limited so that
        // rounding up and dividing by a small number still gives a finite number.
        let number = if number.is_finite() { number.clamp(-1e200, 1e200) } else { 0.0 };
        *value = self.optional(number, usual.is_some());
        Ok(())
    }

    fn text(&mut self, value: &mut Option<String>, usual: Option<&str>, _: Text) -> VisitResult {
        const SOME: [&str; 6] = ["", "fusion.1", "fusion.12", "jit(f)/äöü/dot", "ä", "/src/secret.py:12\n/b.py:3"];
        let text = SOME[self.0.usize(..6)].to_owned() + &"x".repeat(self.0.usize(0..3));
        *value = self.optional(text, usual.is_some());
        Ok(())
    }
}

fn any_report(seed: u64) -> Report {
    let mut report = codec::blank();
    codec::report(&mut RandomReport(fastrand::Rng::with_seed(seed)), &mut report).unwrap();
    report.derive();
    report
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn written_values_round_trip(seed: u64, level in 0_u8..=100) {
        let full = any_report(seed);
        for report in [full.cut_to(Level::from_slider(level)), full.without_sources().cut_to(Level::from_slider(level)), full.anonymise(), full] {
            let bytes = encode(&report);
            prop_assert_eq!(read(&mut bytes.as_slice(), Limits::FILE), Ok(report));
        }
    }

    #[test]
    fn hostile_bytes_are_an_error_at_most(bytes in prop::collection::vec(any::<u8>(), 0..200), text in ".{0,40}") {
        let _ = decode(&bytes);
        let _ = unpack(&bytes);
        let _ = decode_link(&text);
        let mut file = super::file::MAGIC.to_vec();
        file.extend(bytes);
        let _ = unpack(&file);
    }
}

#[test]
fn cut_and_altered_links_are_errors() {
    let report = any_report(7).cut_to(Level::SMALL);
    let text = encode_link(&report);
    assert_eq!(decode_link(&text), Ok(report));
    for end in 0..text.len() {
        let error = decode_link(&text[..end]).unwrap_err();
        assert!(matches!(error, ShareError::Cut { .. } | ShareError::Empty), "{end}: {error}");
    }
    let mut rng = fastrand::Rng::with_seed(1);
    for index in 0..text.len() {
        let mut other = text.clone().into_bytes();
        other[index] = b"ABCDwxyz0189-_"[rng.usize(..14)];
        if other != text.as_bytes() {
            let error = decode_link(std::str::from_utf8(&other).unwrap()).unwrap_err();
            assert!(!matches!(error, ShareError::Broken(_)), "{index}: {error}");
        }
    }
    assert_eq!(decode_link(&format!("{text}AAAA")), Err(ShareError::Damaged));
    assert_eq!(decode_link("AQ%3D"), Err(ShareError::Character { position: 3 }));
    assert_eq!(decode_link(&"A".repeat(64_001)), Err(ShareError::Long(64_001)));
}

#[test]
fn newer_link_version_is_an_error() {
    let mut crc = flate2::Crc::new();
    let version = VERSION + 1;
    crc.update(&version.to_le_bytes());
    crc.update(b"of tomorrow");
    let bytes = [&[u8::try_from(version).unwrap(), 11], &crc.sum().to_le_bytes()[..], b"of tomorrow"].concat();
    assert_eq!(decode(&bytes), Err(ShareError::Newer(version)));
    assert!(ShareError::Newer(version).to_string().starts_with("This page is older than the report"));
}

#[test]
fn a_small_link_takes_little_memory() {
    // A list that claims more rows than there are bytes, and streams that unpack to gigabytes.
    let sealed = |unpacked: &[u8]| {
        use std::io::Write;
        let mut deflate = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        deflate.write_all(unpacked).unwrap();
        let packed = deflate.finish().unwrap();
        let mut out = vec![1];
        super::write::varint(&mut out, packed.len() as u64);
        let mut crc = flate2::Crc::new();
        crc.update(&1_u64.to_le_bytes());
        crc.update(&packed);
        out.extend(crc.sum().to_le_bytes());
        out.extend(packed);
        out
    };
    assert_eq!(decode(&sealed(&vec![0; 64 << 20])), Err(ShareError::Large));
    // The name of a file that claims to share more letters with the text before than memory can hold.
    let shares = [&[1, 0, 12, 1, super::write::TEXT_NEW as u8][..], &[0xff; 9], &[1, 0]].concat();
    assert_eq!(decode(&sealed(&shares)), Err(ShareError::Large));
    assert!(matches!(decode(&sealed(&[5, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f])), Err(ShareError::Broken(_))));
}
