//! This target unpacks any bytes, both as they are and packed with gzip once or twice. The target checks that unpacking
//! ends, that it returns the packed bytes, and that a range of the result equals that range of the whole.
#![no_main]

mod unpacked;

use libfuzzer_sys::fuzz_target;
use rooflight::session::{Input, open};
use xla_profile::source::{GZIP, Packing};
use unpacked::check;

fuzz_target!(|bytes: &[u8]| {
    let bytes = bytes.to_vec();
    let (one, two) = (Packing::from(GZIP), Packing::from(GZIP).with_layer(GZIP).expect("two layers are read"));
    check(&bytes, one);
    check(&bytes, two);
    let pack = |bytes: &[u8]| {
        let mut packed = Vec::new();
        // The file has stored blocks of at most 64 KiB. Such a gzip file is simple enough to need no other crate.
        packed.extend([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
        let mut chunks = bytes.chunks(0xffff).peekable();
        if chunks.peek().is_none() {
            packed.extend([1, 0, 0, 0xff, 0xff]);
        }
        while let Some(chunk) = chunks.next() {
            let n = chunk.len() as u16;
            packed.push(u8::from(chunks.peek().is_none()));
            packed.extend([n.to_le_bytes(), (!n).to_le_bytes()].concat());
            packed.extend(chunk);
        }
        let crc = bytes.iter().fold(!0u32, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| crc >> 1 ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
        });
        packed.extend([(!crc).to_le_bytes(), (bytes.len() as u32).to_le_bytes()].concat());
        packed
    };
    let once = pack(&bytes);
    assert!(check(&once, one) == bytes);
    assert!(check(&pack(&once), two) == bytes);
    for source in [bytes, once] {
        let input = Input { name: "it.gz".into(), source: Box::new(source), from_folder: false };
        let _ = open(vec![input], &mut |_| {});
    }
});
