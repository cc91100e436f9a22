//! This test compares the figures of the landing page's picture with an analysis of the sample that is shipped.

use rooflight::analysis::base::{DeviceChoice, GroupBy, Query};
use rooflight::analysis::classify::Kind;
use rooflight::analysis::overview::{FigureId, Overview, OverviewQuery};
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::chart::landing::{self, Op};
use rooflight::protocol::{RooflineHead, SessionInfo, ViewRequest};
use rooflight::session::{Input, OpenSession};

fn engine() -> (OpenSession, SessionInfo) {
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/sample.xplane.pb.xz")).unwrap();
    let input = Input { name: "sample.xplane.pb.xz".to_owned(), source: Box::new(bytes), from_folder: false };
    OpenSession::open(vec![input], &mut |_| {}).unwrap()
}

/// Returns whether a drawn figure, which has three digits, matches a computed one.
fn close(drawn: f64, found: f64) -> bool {
    (drawn - found).abs() <= 0.006 * found.abs()
}

#[test]
fn the_picture_shows_the_sample() {
    let (mut engine, session) = engine();
    // The device and the steps of the overview, which the page shows first when the sample is opened.
    let overview: Option<Overview> =
        engine.answer(&ViewRequest::Overview(OverviewQuery::default()).into()).decode().unwrap();
    let overview = overview.unwrap();
    assert_eq!(overview.device, landing::DEVICE);
    let index = session.devices.iter().position(|device| device.label == overview.device).unwrap();
    let query = Query { by: GroupBy::Op, device: DeviceChoice::One(index as u32), ..Query::default() };
    let request = RooflineQuery { query, ..RooflineQuery::default() };
    let head: RooflineHead = engine.answer(&ViewRequest::Roofline(request).into()).decode().unwrap();
    let totals = &head.figures.totals;
    for (kind, ms) in landing::KINDS {
        let found = totals.time_of_kind(kind).0 as f64 / 1e9;
        assert!(close(ms, found), "{kind:?}: {ms} is drawn, {found} ms found");
    }
    let drawn: f64 = landing::KINDS.iter().map(|(_, ms)| ms).sum();
    let busy = Kind::ALL
        .into_iter()
        .filter(|kind| *kind != Kind::Container)
        .map(|kind| totals.time_of_kind(kind).0 as f64)
        .sum::<f64>()
        / 1e9;
    assert!((drawn - busy).abs() < 0.2, "{drawn} ms are drawn of {busy}");
    let mut found: Vec<Op> = head
        .points
        .iter()
        .filter_map(|row| {
            let roof = row.roof.as_ref()?;
            let bytes = roof.level_bytes[0];
            let is_matmul = row.op_group.as_deref() == Some("matmul");
            let ms = roof.total.0 as f64 / 1e9;
            (roof.flops > 0.0 && bytes > 0.0).then(|| Op {
                intensity: roof.flops / bytes,
                rate: roof.flops / (ms * 1e9),
                ms,
                is_matmul,
            })
        })
        .collect();
    found.sort_by(|a, b| b.ms.total_cmp(&a.ms));
    for (n, (drawn, op)) in landing::OPS.iter().zip(&found).enumerate() {
        let same = close(drawn.intensity, op.intensity)
            && close(drawn.rate, op.rate)
            && close(drawn.ms, op.ms)
            && drawn.is_matmul == op.is_matmul;
        assert!(same, "op {n}: {drawn:?} is drawn, {op:?} found");
    }
    let shown: f64 = found.iter().take(landing::OPS.len()).map(|op| op.ms).sum();
    let all: f64 = found.iter().map(|op| op.ms).sum();
    assert!(shown / all > 0.75, "{:.1} % of the time", shown / all * 100.0);
    // The mark of the whole step has the HFU and the HBM bandwidth that the overview shows.
    let figure = |id: FigureId| overview.figure(id).and_then(|figure| figure.value).unwrap();
    let (hfu, hbm) = (figure(FigureId::HardwareMfu), figure(FigureId::HbmBandwidth));
    let rate = hfu * landing::PEAK;
    let intensity = rate * 1e3 / (hbm * landing::BANDWIDTH);
    assert!(close(landing::STEP.rate, rate) && close(landing::STEP.intensity, intensity), "{intensity} {rate}");
    assert!(close(landing::STEP.ms, overview.period.0 as f64 / 1e9));
    // The bar has the shares of the overview.
    let all: f64 = landing::KINDS.iter().map(|(_, ms)| ms).sum();
    for (kind, ms) in landing::KINDS {
        let share = overview
            .kinds
            .iter()
            .find(|share| share.kind == Some(kind))
            .unwrap()
            .total
            .fraction_of(overview.period)
            .unwrap();
        assert!((ms / all - share).abs() < 0.0005, "{kind:?}: {} is drawn, {share} found", ms / all);
    }
}
