//! This target unpacks any bytes, both as they are and packed with xz, with gzip inside or around. The target checks
//! that unpacking ends, that it returns the packed bytes, and that a range of the result equals that range of the
//! whole.
#![no_main]

mod unpacked;

use flate2::write::GzEncoder;
use flate2::{Compression, Crc};
use libfuzzer_sys::fuzz_target;
use lzma_rust2::{XzOptions, XzWriter};
use rooflight::session::{Input, open};
use std::io::Write;
use unpacked::check;
use xla_profile::source::{GZIP, Packing, XZ};

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut xz = XzWriter::new(Vec::new(), XzOptions::with_preset(0)).expect("a preset is valid");
    xz.write_all(bytes).and_then(|()| xz.finish()).expect("memory takes all")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).and_then(|()| gzip.finish()).expect("memory takes all")
}

/// Returns `bytes` as an xz file with valid checksums of the stream header and the first block header. With invalid
/// checksums, hardly any input would be read further.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let crc = |data: &[u8]| {
        let mut crc = Crc::new();
        crc.update(data);
        crc.sum().to_le_bytes()
    };
    let check = [0, bytes.first().map_or(0, |byte| [0, 1, 4, 10][usize::from(byte % 4)])];
    let mut file = [b"\xfd7zXZ\0".as_slice(), &check, &crc(&check)].concat();
    let mut rest = bytes.get(1..).unwrap_or_default().to_vec();
    let end = rest.first().map_or(0, |size| (usize::from(*size) + 1) * 4);
    if let Some(header) = rest.get_mut(..end).filter(|header| header.len() >= 8) {
        let (said, sum) = header.split_at_mut(end - 4);
        sum.copy_from_slice(&crc(said));
    }
    file.extend(rest);
    file
}

fuzz_target!(|bytes: &[u8]| {
    let bytes = bytes.to_vec();
    let within = |outer: Packing, inner| outer.with_layer(inner).expect("two layers are read");
    check(&bytes, XZ.into());
    let sealed = sealed(&bytes);
    check(&sealed, XZ.into());
    check(&gzip(&sealed), within(GZIP.into(), XZ));
    let once = xz(&bytes);
    assert!(check(&once, XZ.into()) == bytes);
    assert!(check(&xz(&gzip(&bytes)), within(XZ.into(), GZIP)) == bytes);
    for source in [sealed, once] {
        let input = Input { name: "it.xz".into(), source: Box::new(source), from_folder: false };
        let _ = open(vec![input], &mut |_| {});
    }
});
