//! These tests compare the reader of XSpaces with `prost`'s full decode of the same bytes, on every real sample and on
//! random XSpaces.

use crate::common;
use crate::common::make;
use proptest::prelude::*;
use std::collections::BTreeMap;
use xla_profile::profile::{Builder, Plane, PlaneStat, Profile};
use xla_profile::wire::proto::xspace::x_event::Data;
use xla_profile::wire::proto::xspace::x_stat::Value;
use xla_profile::wire::proto::xspace::{XEvent, XEventMetadata, XLine, XPlane, XSpace, XStat, XStatMetadata};
use xla_profile::wire::xspace::walk;

fn read(bytes: &Vec<u8>) -> Profile {
    let mut progress = |_: xla_profile::profile::ReadProgress<'_>| {};
    let mut builder = Builder::new(&mut progress);
    builder.file("it");
    let outcome = walk(bytes, &mut builder);
    assert_eq!(outcome.damage, []);
    let mut profile = builder.finish();
    if profile.needs_deriving() {
        profile.derive();
    }
    profile
}

/// Checks that everything in the columns equals the values in the messages.
fn compare(bytes: &Vec<u8>, space: &XSpace) {
    let profile = read(bytes);
    // Derived planes are in no file.
    let planes: Vec<&Plane> = profile.planes.iter().filter(|plane| !plane.is_derived()).collect();
    assert_eq!(planes.len(), space.planes.len());
    assert_eq!(profile.hosts, space.hostnames);
    for (plane, expected) in planes.into_iter().zip(&space.planes) {
        compare_plane(&profile, plane, expected);
    }
}

fn compare_plane(profile: &Profile, plane: &Plane, expected: &XPlane) {
    assert_eq!((&plane.name, plane.id), (&expected.name, expected.id));
    assert_eq!(plane.n_metadata, expected.event_metadata.len());
    let lines: Vec<_> = plane.lines.iter().filter(|line| !line.derived).collect();
    assert_eq!(lines.len(), expected.lines.len());
    for (line, expected_line) in lines.into_iter().zip(&expected.lines) {
        assert_eq!(
            (&line.name, line.id, line.timestamp_ns),
            (&expected_line.name, expected_line.id, expected_line.timestamp_ns)
        );
        assert_eq!(line.display_name, expected_line.display_name);
        assert_eq!(line.events.len(), expected_line.events.len());
        let every_device = expected_line.events.iter().all(|e| {
            ["device_offset_ps", "device_duration_ps"].iter().all(|n| number(find(&e.stats, expected, n)).is_some())
        });
        assert_eq!(line.events.has_device_clock(), every_device && !expected_line.events.is_empty(), "{}", line.name);
        for (i, event) in expected_line.events.iter().enumerate() {
            compare_event(profile, plane, line, i, event, expected);
        }
    }
    for stat in &expected.stats {
        let Some(name) = expected.stat_metadata.get(&stat.metadata_id).map(|m| &m.name) else { continue };
        let ours = plane.stats.iter().filter(|(n, _)| n == name).map(|(_, v)| v);
        let text = text(Some(stat), expected);
        let number = number(Some(stat));
        let equal = |v: &PlaneStat| match v {
            PlaneStat::Text(t) => text.as_ref() == Some(t),
            PlaneStat::Number(n) => number.is_some_and(|x| x.to_bits() == n.to_bits() || x == *n),
            PlaneStat::Bytes(n) => matches!(&stat.value, Some(Value::BytesValue(b)) if b.len() as u64 == *n),
        };
        let kept = text.is_some() || number.is_some() || matches!(stat.value, Some(Value::BytesValue(_)));
        assert!(!kept || ours.clone().any(equal), "{name}: {:?}", stat.value);
    }
}

fn compare_event(
    profile: &Profile,
    plane: &Plane,
    line: &xla_profile::profile::Line,
    i: usize,
    event: &XEvent,
    expected: &XPlane,
) {
    let offset = match event.data {
        Some(Data::OffsetPs(ps)) => ps,
        _ => 0,
    };
    let clamp = |ps: i64| u64::try_from(ps).unwrap_or(0);
    assert_eq!(line.events.time(i), (clamp(offset), clamp(event.duration_ps)));
    if let Some((start, duration)) = line.events.device_time(i) {
        let stat = |name| number(find(&event.stats, expected, name)).unwrap().max(0.0);
        #[expect(clippy::cast_precision_loss, reason = "the oracle's own numbers are compared as doubles")]
        let ours = (start as f64, duration as f64);
        assert_eq!(ours, (stat("device_offset_ps"), stat("device_duration_ps")));
    }
    let op = plane.op(line.events.op(i));
    let metadata = expected.event_metadata.get(&event.metadata_id);
    assert_eq!(op.resolved, metadata.is_some());
    let Some(metadata) = metadata else { return };
    assert_eq!(profile.text(op.text), metadata.name);
    // A stat of the event takes precedence over one of the metadata. An unusable stat (absent, empty, -1) hides
    // nothing.
    let merged_text = |name: &str| {
        let usable = |stats: &[XStat]| {
            last_usable(stats, expected, name, |s| text_or_number(s, expected).filter(|t| !t.is_empty()))
        };
        usable(&event.stats).or_else(|| usable(&metadata.stats))
    };
    let ours = |id: Option<xla_profile::profile::StrId>| id.map(|id| profile.text(id).to_owned());
    if op.stats.kernel.is_some() {
        // A stat that a kernel lacks may come from its launch. A stat of the kernel itself stays.
        assert_eq!(ours(op.stats.kernel).as_ref(), Some(&metadata.name));
        for (ours, name) in [(ours(op.stats.hlo_op), "hlo_op"), (ours(op.stats.hlo_module), "hlo_module")] {
            let text = merged_text(name);
            assert!(text.is_none() || ours == text, "{name}");
        }
    } else {
        assert_eq!(ours(op.stats.category), merged_text("hlo_category"));
        assert_eq!(ours(op.stats.tf_op), merged_text("tf_op").filter(|path| path != "XlaModule:"));
        assert_eq!(ours(op.stats.hlo_op), merged_text("hlo_op"));
        assert_eq!(ours(op.stats.hlo_module), merged_text("hlo_module"));
    }
    assert_eq!(ours(op.stats.source), merged_text("source"));
    assert_eq!(ours(op.stats.shape), merged_text("shape_with_layout"));
    let merged_cost = |name: &str| {
        let usable = |stats: &[XStat]| last_usable(stats, expected, name, |s| cost(s, expected).filter(|v| *v >= 0.0));
        usable(&event.stats).or_else(|| usable(&metadata.stats))
    };
    assert_eq!(op.stats.flops, merged_cost("flops"));
    assert_eq!(op.stats.bytes_accessed, merged_cost("bytes_accessed"));
}

fn find<'s>(stats: &'s [XStat], plane: &XPlane, name: &str) -> Option<&'s XStat> {
    stats.iter().rev().find(|s| plane.stat_metadata.get(&s.metadata_id).is_some_and(|m| m.name == name))
}

fn last_usable<T>(stats: &[XStat], plane: &XPlane, name: &str, usable: impl Fn(&XStat) -> Option<T>) -> Option<T> {
    let named = |s: &&XStat| plane.stat_metadata.get(&s.metadata_id).is_some_and(|m| m.name == name);
    stats.iter().filter(named).rev().find_map(usable)
}

#[expect(clippy::cast_precision_loss, reason = "as the columns have it")]
fn number(stat: Option<&XStat>) -> Option<f64> {
    match stat?.value.as_ref()? {
        Value::DoubleValue(v) => Some(*v),
        Value::Uint64Value(v) => Some(*v as f64),
        Value::Int64Value(v) => Some(*v as f64),
        _ => None,
    }
}

fn text(stat: Option<&XStat>, plane: &XPlane) -> Option<String> {
    match stat?.value.as_ref()? {
        Value::StrValue(t) => Some(t.clone()),
        Value::RefValue(id) => plane.stat_metadata.get(&id.cast_signed()).map(|m| m.name.clone()),
        Value::CompressedStrValue(b) => {
            let out = xla_profile::source::inflate_slice(b, 1 << 20);
            Some(String::from_utf8_lossy(&out.bytes).into_owned())
        }
        _ => None,
    }
}

fn text_or_number(stat: &XStat, plane: &XPlane) -> Option<String> {
    text(Some(stat), plane).or(match stat.value.as_ref()? {
        Value::DoubleValue(v) => Some(v.to_string()),
        Value::Uint64Value(v) => Some(v.to_string()),
        Value::Int64Value(v) => Some(v.to_string()),
        _ => None,
    })
}

fn cost(stat: &XStat, plane: &XPlane) -> Option<f64> {
    number(Some(stat)).or_else(|| text(Some(stat), plane)?.parse().ok())
}

#[test]
fn every_real_sample() {
    for (_, bytes) in common::xspaces() {
        let space: XSpace = prost::Message::decode(bytes.as_slice()).unwrap();
        compare(&bytes, &space);
    }
}

#[test]
fn two_concatenated_xspaces_are_one() {
    let one = common::bytes(&make::small());
    let two = [one.clone(), one.clone()].concat();
    let space: XSpace = prost::Message::decode(two.as_slice()).unwrap();
    compare(&two, &space);
    assert_eq!(read(&two).planes.len(), 2 * read(&one).planes.len());
}

// Random XSpaces have names from a small set, so that they match the stats that the reader keeps, and ids of any value.

fn any_id() -> impl Strategy<Value = i64> {
    prop_oneof![0i64..12, 60_000i64..70_000, any::<i64>()]
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "hlo_category",
            "tf_op",
            "source",
            "flops",
            "bytes_accessed",
            "device_offset_ps",
            "device_duration_ps",
            "program_id",
            "hlo_op",
            "hlo_module",
            "shape_with_layout",
            "model_flops",
            "other",
            "",
        ])
        .prop_map(str::to_owned),
        "[a-z%=() é]{0,12}",
    ]
}

fn any_stat() -> impl Strategy<Value = XStat> {
    let value = prop_oneof![
        any::<i32>().prop_map(|v| Value::DoubleValue(f64::from(v) / 8.0)),
        any::<u64>().prop_map(|v| Value::Uint64Value(v >> 12)),
        (-1i64..1 << 50).prop_map(Value::Int64Value),
        any_name().prop_map(Value::StrValue),
        prop::collection::vec(any::<u8>(), 0..300).prop_map(Value::BytesValue),
        any_id().prop_map(|v| Value::RefValue(v.cast_unsigned())),
        any_name().prop_map(|t| Value::CompressedStrValue(gzip(t.as_bytes()))),
    ];
    (any_id(), prop::option::weighted(0.95, value)).prop_map(|(metadata_id, value)| XStat { metadata_id, value })
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn stats() -> impl Strategy<Value = Vec<XStat>> {
    prop::collection::vec(any_stat(), 0..5)
}

fn any_event() -> impl Strategy<Value = XEvent> {
    let data = prop_oneof![
        4 => (-5i64..1 << 50).prop_map(Data::OffsetPs),
        1 => (0i64..99).prop_map(Data::NumOccurrences),
    ];
    (any_id(), prop::option::weighted(0.95, data), -2i64..1 << 50, stats())
        .prop_map(|(metadata_id, data, duration_ps, stats)| XEvent { metadata_id, data, duration_ps, stats })
}

fn any_plane() -> impl Strategy<Value = XPlane> {
    let line = (any::<i64>(), any_name(), any::<i64>(), prop::collection::vec(any_event(), 0..8), any_name()).prop_map(
        |(id, name, timestamp_ns, events, display_name)| XLine {
            id,
            name,
            timestamp_ns,
            events,
            display_name,
            duration_ps: 7,
            display_id: 3,
        },
    );
    let metadata = (any_id(), any_name(), any_name(), stats()).prop_map(|(id, name, display_name, stats)| {
        (id, XEventMetadata { id, name, display_name, stats, metadata: vec![1, 2, 3], child_id: vec![4] })
    });
    let name = (any_id(), any_name()).prop_map(|(id, name)| (id, XStatMetadata { id, name, description: "d".into() }));
    (
        any::<i64>(),
        any_name(),
        prop::collection::vec(line, 0..4),
        prop::collection::vec(metadata, 0..12),
        prop::collection::vec(name, 0..16),
        stats(),
    )
        .prop_map(|(id, name, lines, metadata, names, stats)| XPlane {
            id,
            name,
            lines,
            event_metadata: metadata.into_iter().collect::<BTreeMap<_, _>>(),
            stat_metadata: names.into_iter().collect::<BTreeMap<_, _>>(),
            stats,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_xspaces(planes in prop::collection::vec(any_plane(), 0..4), hosts in prop::collection::vec("[a-z]{0,5}", 0..3)) {
        let space = XSpace { planes, hostnames: hosts, ..Default::default() };
        compare(&common::bytes(&space), &space);
    }
}
