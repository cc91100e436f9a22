//! This module checks features that only a browser has: messages between page and worker, and files that are read in ranges.
//! Only workers have a synchronous reader of files. A check that fails panics.

use js_sys::{Array, Uint8Array};
use rooflight::protocol::table_query::{TableAction, TableQuery};
use rooflight::protocol::{Answer, Call, Progress, Reply, Request, RequestId, Stage, ViewRequest};
use rooflight::table::page::PageQuery;
use rooflight::worker::blob::BlobSource;
use rooflight::worker::message::{decode_message, encode_message};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Blob, File};
use xla_profile::source::{Source, SourceError};

fn progress(bytes: u64) -> Answer {
    let progress = Progress {
        stage: Stage::Read,
        bytes_done: bytes,
        bytes_total: u64::MAX,
        planes: u32::MAX,
        events: bytes,
        place: "ä / \u{0} 🙂".to_owned(),
        memory: Some(bytes),
        notes: Vec::new(),
        can_stop: false,
    };
    Answer { id: RequestId(u32::MAX), reply: Reply::Progress(progress) }
}

#[wasm_bindgen]
pub fn check_every_u64_value_survives_a_round_trip() {
    for bytes in [0, 1, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, 1 << 63, u64::MAX - 1, u64::MAX] {
        let message = encode_message(&progress(bytes), &[]).expect("packed");
        let (back, files) = decode_message::<Answer>(message).expect("unpacked");
        assert_eq!(back, progress(bytes));
        assert!(files.is_empty());
    }
}

#[wasm_bindgen]
pub fn check_a_request_and_its_files_survive_a_round_trip() {
    use rooflight::analysis::base::{DeviceChoice, GroupBy, Query, StepChoice};
    let query = Query {
        by: GroupBy::Source,
        step: StepChoice::Number(u64::MAX),
        device: DeviceChoice::One(u32::MAX),
        ..Query::busiest()
    };
    let page = PageQuery { first: u32::MAX, ..PageQuery::default() };
    let rows = ViewRequest::Table { table: TableQuery::Breakdown(query.clone()), action: TableAction::Rows(page) };
    let parts = Array::of1(&"abc".into());
    let file = File::new_with_str_sequence(&parts, "host.xplane.pb").expect("a file");
    for request in [rows.into(), ViewRequest::Breakdown(query).into(), Request::Cancel(RequestId(7))] {
        let call = Call { id: RequestId(1), request };
        let message = encode_message(&call, std::slice::from_ref(&file)).expect("packed");
        let message = clone(&message);
        let (back, files) = decode_message::<Call>(message).expect("unpacked");
        assert_eq!(back, call);
        assert_eq!(files.iter().map(File::name).collect::<Vec<_>>(), ["host.xplane.pb"]);
    }
}

/// Returns a copy of `value`, made by the algorithm that `postMessage` uses.
fn clone(value: &JsValue) -> JsValue {
    let global = js_sys::global();
    let clone = js_sys::Reflect::get(&global, &"structuredClone".into()).expect("structuredClone");
    js_sys::Function::from(clone).call1(&global, value).expect("cloned")
}

#[wasm_bindgen]
pub fn check_a_value_that_is_not_a_message_is_rejected() {
    for value in
        [JsValue::NULL, JsValue::from(1.5), "text".into(), Array::new().into(), Array::of1(&JsValue::from(1)).into()]
    {
        assert!(decode_message::<Call>(value.clone()).is_err(), "{value:?}");
    }
}

fn blob(parts: &[&[u8]]) -> Blob {
    let parts: Array = parts.iter().map(|part| Uint8Array::from(*part)).collect();
    Blob::new_with_u8_array_sequence(&parts).expect("a blob")
}

#[wasm_bindgen]
pub fn check_reads_reach_the_end_of_a_blob_and_fail_beyond_it() {
    let bytes: Vec<u8> = (0..=255).collect();
    let source = BlobSource::new(blob(&[&bytes[..100], &bytes[100..]])).expect("a worker");
    assert_eq!(source.size(), 256);
    for (offset, len) in [(0, 256), (0, 0), (256, 0), (0, 1), (255, 1), (90, 20), (100, 156)] {
        let mut read = vec![0; len];
        source.read_at(offset, &mut read).expect("within");
        let from = usize::try_from(offset).expect("small");
        assert_eq!(read, bytes[from..from + len], "{len} bytes at {offset}");
    }
    for (offset, len) in [(0, 257), (255, 2), (256, 1), (257, 0), (u64::MAX, 1), (1 << 53, 1)] {
        let read = source.read_at(offset, &mut vec![0; len]);
        assert!(read.is_err(), "{len} bytes at {offset} are beyond the end");
    }
}

#[wasm_bindgen]
pub fn check_an_empty_blob_is_an_empty_source() {
    let source = BlobSource::new(blob(&[])).expect("a worker");
    assert_eq!(source.size(), 0);
    source.read_at(0, &mut []).expect("a read of 0 bytes succeeds");
    assert!(source.read_at(0, &mut [0]).is_err());
}

#[wasm_bindgen]
pub fn check_offsets_beyond_2_gib_do_not_wrap() {
    // The blob repeats one mebibyte, because a Blob of Blobs copies no bytes.
    const PART: usize = 1 << 20;
    let mut bytes = vec![0_u8; PART];
    bytes[..8].copy_from_slice(b"the head");
    let part = blob(&[&bytes]);
    let many = |one: &Blob, n: u32| {
        let parts: Array = (0..n).map(|_| one.clone()).collect();
        Blob::new_with_blob_sequence(&parts).expect("a blob of blobs")
    };
    let large = many(&many(&part, 64), 80); // 5 GiB
    let tail = blob(&[b"the tail"]);
    let source =
        BlobSource::new(Blob::new_with_blob_sequence(&Array::of2(&large, &tail)).expect("a blob")).expect("a worker");
    let end = 80 * 64 * PART as u64;
    assert_eq!(source.size(), end + 8);
    let mut read = [0; 8];
    for offset in [0, (1 << 31) - PART as u64, 1 << 31, 1 << 32, end - PART as u64] {
        source.read_at(offset, &mut read).expect("within");
        assert_eq!(&read, b"the head", "at {offset}");
    }
    source.read_at((1 << 31) - 4, &mut read).expect("across 2 GiB");
    assert_eq!(&read, b"\0\0\0\0the ");
    source.read_at(end, &mut read).expect("the end");
    assert_eq!(&read, b"the tail");
    assert!(matches!(source.read_at(end + 1, &mut read), Err(SourceError::PastEnd { .. })), "one byte too far");
}
