//! This target opens any bytes as a report file. The target checks that opening ends, and that embedded captures lie
//! inside the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rooflight::session::{Input, OpenSession};
use rooflight::share::{MAGIC, decode, encode, pack, unpack};

fuzz_target!(|bytes: &[u8]| {
    let check = |file: &[u8]| {
        let Ok(report) = unpack(&file) else { return };
        assert!(report.captures.iter().all(|capture| capture.start + capture.size <= file.len() as u64));
        let input = Input { name: "it.rooflight".into(), source: Box::new(file.to_vec()), from_folder: false };
        let _ = OpenSession::open(vec![input], &mut |_| {});
    };
    check(bytes);
    let mut behind = MAGIC.to_vec();
    behind.extend(bytes);
    check(&behind);
    // The input follows a valid report, in place of the list of captures and the rest of the file.
    let mut list = pack(&empty(), &[]);
    list.pop();
    list.extend(bytes);
    check(&list);
});

/// Returns a report of an empty capture.
fn empty() -> rooflight::share::Report {
    let input = Input {
        name: "it.pb".into(),
        source: Box::new(b"\x0a\x10\x12\x0e/device:TPU:00".to_vec()),
        from_folder: false,
    };
    let Ok((mut engine, _)) = OpenSession::open(vec![input], &mut |_| {}) else { panic!("a plane opens") };
    let report = engine.report(&Default::default()).expect("a report is made");
    decode(&encode(&report)).expect("and read")
}
