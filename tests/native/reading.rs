//! These tests check the walk over an XSpace: each byte is read about once, and a line's own fields may come in any
//! order.

use crate::common;
use crate::common::bytes;
use crate::common::trace::planes_by_name;
use prost::Message;
use rooflight::session::{Input, open};
use std::cell::Cell;
use std::rc::Rc;
use xla_profile::profile::Profile;
use xla_profile::source::{Source, SourceError};
use xla_profile::wire::proto::xspace::x_event::Data;
use xla_profile::wire::proto::xspace::x_stat::Value;
use xla_profile::wire::proto::xspace::{XEvent, XEventMetadata, XLine, XPlane, XSpace, XStat, XStatMetadata};

/// A source that counts the bytes that are read from it, and the reads.
struct Counted {
    bytes: Vec<u8>,
    stride: u64,
    read: Rc<Cell<(u64, u64)>>,
}

impl Source for Counted {
    fn size(&self) -> u64 {
        self.bytes.size()
    }
    fn stride(&self) -> u64 {
        self.stride
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        let (read, times) = self.read.get();
        self.read.set((read + buf.len() as u64, times + 1));
        self.bytes.read_at(offset, buf)
    }
}

fn stat(metadata_id: i64, value: u64) -> XStat {
    XStat { metadata_id, value: Some(Value::Uint64Value(value)) }
}

/// Returns a line of `n` events with flows and with times on the device's clock.
fn line(name: &str, n: u64) -> XLine {
    let event = |i: u64| XEvent {
        metadata_id: 1,
        duration_ps: 5_000 + (i % 9).cast_signed(),
        stats: vec![stat(1, i * 10_000 + 777), stat(2, 5_000), stat(3, i / 2)],
        data: Some(Data::OffsetPs((i * 10_000).cast_signed())),
    };
    let events = (0..n).map(event).collect();
    XLine {
        id: 7,
        display_name: format!("{name}!"),
        name: name.into(),
        timestamp_ns: 1_000,
        events,
        ..XLine::default()
    }
}

fn plane(lines: Vec<XLine>) -> XPlane {
    let names = ["device_offset_ps", "device_duration_ps", "flow"];
    let named = |(id, name): (i64, &str)| (id, XStatMetadata { id, name: name.into(), ..XStatMetadata::default() });
    XPlane {
        name: "/device:TPU:0".into(),
        lines,
        event_metadata: [(1, XEventMetadata { id: 1, name: "copy-start.1".into(), ..XEventMetadata::default() })]
            .into(),
        stat_metadata: (1..).zip(names).map(named).collect(),
        ..XPlane::default()
    }
}

fn read(bytes: Vec<u8>) -> Profile {
    common::open("a.xplane.pb", bytes).unwrap().profile
}

#[test]
fn each_byte_is_read_about_once() {
    // The names are as long as HLO texts, so that the metadata takes several reads, too.
    let metadata =
        (1..2_000).map(|id| (id, XEventMetadata { id, name: "%copy".repeat(40), ..XEventMetadata::default() }));
    let lines = || ["XLA Ops", "Async XLA Ops", "Steps"].map(|name| line(name, 100_000)).into();
    let plane = || XPlane { event_metadata: metadata.clone().collect(), ..plane(lines()) };
    let all = bytes(&XSpace { planes: vec![plane(), plane()], ..XSpace::default() });
    for stride in [1 << 20, 4 << 20] {
        let (size, read) = (all.len() as u64, Rc::<Cell<(u64, u64)>>::default());
        let source = Box::new(Counted { bytes: all.clone(), stride, read: Rc::clone(&read) });
        let opened = open(vec![Input { name: "a.xplane.pb".into(), source, from_folder: false }], &mut |_| {}).unwrap();
        assert_eq!(opened.profile.n_events(), 600_000);
        let (bytes, times) = read.get();
        // At the ends of lines and metadata, some more is read than is needed.
        assert!(bytes < size + size / 8, "{bytes} of {size} by {stride}");
        assert!(times < size / stride + 40, "{times} times by {stride}");
    }
}

/// Encodes a field of wire type 2.
fn field(number: u8, inside: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    prost::encoding::encode_varint(inside.len() as u64, &mut field);
    field.extend_from_slice(inside);
    field
}

/// Protobuf fields may come in any order: a line's own fields may follow its events, or occur twice.
#[test]
fn fields_of_a_line_may_come_last() {
    for name in ["Async XLA Ops", "XLA Ops"] {
        let whole = line(name, 1_000);
        let usual = read(bytes(&XSpace { planes: vec![plane(vec![whole.clone()])], ..XSpace::default() }));
        let events: Vec<Vec<u8>> = whole.events.iter().map(|event| field(4, &event.encode_to_vec())).collect();
        let (first, last) = events.split_at(400);
        let own = XLine { events: Vec::new(), ..whole.clone() }.encode_to_vec();
        let earlier = XLine { id: 3, timestamp_ns: 9, display_name: "?".into(), ..XLine::default() }.encode_to_vec();
        for parts in [
            [events.concat(), Vec::new(), own.clone()],
            [first.concat(), own.clone(), last.concat()],
            [earlier, events.concat(), own],
        ] {
            let line = field(3, &parts.concat());
            let plane = [line, plane(Vec::new()).encode_to_vec()].concat();
            let other = read(field(1, &plane));
            assert_eq!(planes_by_name(&other), planes_by_name(&usual));
            let (other, usual) = (&other.planes[0].lines[0], &usual.planes[0].lines[0]);
            assert_eq!((&other.flows, other.id, other.timestamp_ns), (&usual.flows, 7, 1_000));
            assert_eq!((&other.name, &other.display_name), (&whole.name, &whole.display_name));
            assert_eq!(other.flows.len(), if name.contains("Async") { 1_000 } else { 0 });
            assert!(other.events.has_device_clock());
        }
    }
}
