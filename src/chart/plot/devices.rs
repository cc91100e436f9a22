//! This module draws one bar per device: the mean step, divided by kind of time, with a line from the shortest to the
//! longest step. The spread over devices and its threshold come from the analysis.

use super::label;
use super::paint::{Paint, Tone};
use super::scale::Scale;
use super::scene::{Anchor, Mark, Scene, SceneTable, Shape, Size};
use super::time_part::TimePart;
use crate::analysis::classify::Kind;
use crate::table::format::{self, TimeUnit};
use xla_profile::units::Picos;

/// The steps of one device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    pub name: String,
    /// Mean duration of a step.
    pub mean: Picos,
    pub min: Picos,
    pub max: Picos,
    /// Time by [`Kind::index`], summed over all steps. The rest of `total` is idle.
    pub by_kind: [Picos; 7],
    /// Duration of all steps together.
    pub total: Picos,
}

const ROW: f64 = 24.0;
const BAR: f64 = 10.0;
/// Height above the rows, for the unit, in px.
const TOP: f64 = 18.0;
/// Height below the rows, for the spread, in px.
const FOOT: f64 = 20.0;
const ROOM: f64 = 8.0;
/// Largest number of letters of a name; longer names would leave too little width for the bars.
const NAME: usize = 24;

/// Draws the devices in the given order. `spread` is a fraction; `width` is in px; the id of a mark is an index in
/// `devices`.
pub fn devices_scene(devices: &[Device], spread: Option<f64>, selected: Option<u32>, width: f64) -> Scene {
    let longest = devices.iter().map(|device| device.max.max(device.mean)).max().unwrap_or_default();
    let unit = TimeUnit::for_largest(longest);
    let value = |device: &Device| format::time(device.mean, unit);
    let name = |device: &Device| format::middle_cut(&device.name, NAME);
    let widest = |text: &dyn Fn(&Device) -> String| {
        devices.iter().map(|device| label::width(&text(device), Size::Dense.px())).fold(0.0, f64::max)
    };
    let left = ROOM + widest(&name) + ROOM;
    let right = (width - widest(&value) - ROOM * 2.0).max(left + 1.0);
    let x = Scale::linear((0.0, longest.as_f64()), (left, right));
    let mut marks = Vec::with_capacity(devices.len() * 7 + 2);
    let small = |x, y, anchor, text| Mark::new(Shape::text(x, y, anchor, text), Paint::fill(Tone::Ink3));
    marks.push(small(width - ROOM, TOP - 5.0, Anchor::End, unit.symbol().to_owned()));
    let mut top = TOP;
    for (id, device) in (0u32..).zip(devices) {
        row(&mut marks, &x, (top, width), device, selected == Some(id));
        let dense = |x, anchor, text| {
            let (y, size) = (top + ROW / 2.0 + 4.0, Size::Dense);
            let shape = Shape::Text { x, y, text, anchor, size, mono: false, halo: false };
            Mark::new(shape, Paint::fill(Tone::Ink))
        };
        marks.push(dense(ROOM, Anchor::Start, name(device)));
        marks.push(dense(width - ROOM, Anchor::End, value(device)));
        marks.push(Mark::for_datum(id, words(device), Shape::rect(0.0, top, width, ROW), Paint::NONE));
        top += ROW;
    }
    if let Some(spread) = spread {
        let text = format!("Spread {}", format::percent_text(spread));
        marks.push(small(ROOM, top + 14.0, Anchor::Start, text));
        top += FOOT;
    }
    Scene { width, height: top, marks, title: sentence(devices, spread), table: table(devices, unit) }
}

fn row(marks: &mut Vec<Mark>, x: &Scale, (top, width): (f64, f64), device: &Device, chosen: bool) {
    if chosen {
        marks.push(Mark::new(Shape::rect(0.0, top, width, ROW), Paint::fill(Tone::Select)));
        marks.push(Mark::new(Shape::rect(0.0, top, 3.0, ROW), Paint::fill(Tone::AccentLine)));
    }
    let (left, middle) = (x.range().0, top + ROW / 2.0);
    let to = |time: Picos| x.to(time.as_f64());
    let bar = Shape::rect(left, middle - BAR / 2.0, to(device.mean) - left, BAR);
    marks.push(Mark::new(bar, Paint::fill(Tone::Ink3)));
    kinds(marks, (left, to(device.mean)), middle, device);
    let (min, max) = (to(device.min), to(device.max));
    for (x1, y1, x2, y2) in
        [(min, middle, max, middle), (min, middle - 4.0, min, middle + 4.0), (max, middle - 4.0, max, middle + 4.0)]
    {
        marks.push(Mark::new(Shape::line(x1, y1, x2, y2), Paint::stroke(Tone::Ink, 1.5)));
    }
}

/// Draws the kinds of time over the bar; the uncovered rest is idle time. Ops that run side by side can be busy for
/// longer than the step; then the busy time fills the bar.
fn kinds(marks: &mut Vec<Mark>, (left, right): (f64, f64), middle: f64, device: &Device) {
    let busy: Picos = device.by_kind.iter().copied().sum();
    let whole = busy.max(device.total);
    let mut x = left;
    for kind in Kind::ALL {
        let width = device.by_kind[kind.index()].fraction_of(whole).unwrap_or(0.0) * (right - left);
        let width = width.min(right - x);
        if width > 0.0 {
            let shape = Shape::rect(x, middle - BAR / 2.0, width, BAR);
            marks.push(Mark::new(shape, Paint::time_part(TimePart::Kind(kind))));
            x += width;
        }
    }
}

fn words(device: &Device) -> String {
    let time = format::time_text;
    format!("{}: mean step {}, {} to {}", device.name, time(device.mean), time(device.min), time(device.max))
}

fn sentence(devices: &[Device], spread: Option<f64>) -> String {
    let n = format::counted(devices.len() as u64, "device", "devices");
    let slow = devices.iter().rev().max_by_key(|device| device.mean);
    let fast = devices.iter().min_by_key(|device| device.mean);
    let (Some(slow), Some(fast)) = (slow, fast) else { return "No devices.".to_owned() };
    let named = |device: &Device| format!("{} ({})", format::time_text(device.mean), device.name);
    let spread = spread.map_or_else(String::new, |spread| format!(", spread {}", format::percent_text(spread)));
    format!("Mean step of {n}: fastest {}, slowest {}{spread}.", named(fast), named(slow))
}

fn table(devices: &[Device], unit: TimeUnit) -> SceneTable {
    let head = |name: &str| format!("{name}, {}", unit.symbol());
    let row = |device: &Device| {
        let times = [device.mean, device.min, device.max].map(|time| format::time(time, unit));
        [device.name.clone()].into_iter().chain(times).collect::<Vec<_>>()
    };
    let heads = ["Device".to_owned(), head("Mean step"), head("Shortest"), head("Longest")];
    SceneTable::new(heads, devices.iter().map(row))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::chart::plot::hit_test;
    use proptest::prelude::*;

    fn device(name: &str, mean: u64) -> Device {
        let ms = |n: u64| Picos(n * 1_000_000_000);
        Device { name: name.to_owned(), mean: ms(mean), min: ms(mean - 10), max: ms(mean + 10), ..Device::default() }
    }

    #[test]
    fn bars_start_at_zero_and_lines_go_from_shortest_to_longest() {
        let scene = devices_scene(&[device("TPU:0", 90), device("TPU:1", 45)], Some(0.5), Some(1), 600.0);
        let bars: Vec<_> = scene.marks.iter().filter(|mark| mark.paint.fill == Some(Tone::Ink3)).collect();
        let boxes: Vec<_> =
            bars.iter().filter(|m| matches!(m.shape, Shape::Rect { .. })).map(|m| m.shape.bounds()).collect();
        assert_eq!(boxes[0].x, boxes[1].x);
        assert!((boxes[0].width / boxes[1].width - 2.0).abs() < 1e-9);
        assert_eq!(scene.height, TOP + 2.0 * ROW + FOOT);
        assert_eq!(
            [hit_test::mark_at(&scene.marks, 300.0, TOP + 2.0), hit_test::mark_at(&scene.marks, 5.0, TOP + ROW + 2.0)],
            [Some(0), Some(1)]
        );
        assert_eq!(scene.marks.iter().filter(|mark| mark.paint.fill == Some(Tone::Select)).count(), 1);
    }

    #[test]
    fn bars_are_divided_by_kind() {
        let mut by_kind = [Picos::ZERO; 7];
        by_kind[Kind::Compute.index()] = Picos(60);
        by_kind[Kind::Communication.index()] = Picos(20);
        let widths = |total| {
            let device = Device { by_kind, total: Picos(total), ..device("TPU:0", 90) };
            let scene = devices_scene(&[device], None, None, 600.0);
            let length = |fill: Paint| {
                let is = |mark: &&Mark| mark.paint.fill == fill.fill && matches!(mark.shape, Shape::Rect { .. });
                scene.marks.iter().find(is).unwrap().shape.bounds().width
            };
            let bar = length(Paint::fill(Tone::Ink3));
            [Kind::Compute, Kind::Communication]
                .map(|kind| (length(Paint::time_part(TimePart::Kind(kind))) / bar * 1000.0).round())
        };
        assert_eq!(widths(100), [600.0, 200.0], "the rest is idle");
        assert_eq!(widths(40), [750.0, 250.0], "side by side");
    }

    #[test]
    fn it_says_who_is_slow() {
        let scene = devices_scene(&[device("TPU:0", 90), device("TPU:1", 45)], Some(0.5), None, 600.0);
        let text = "Mean step of 2 devices: fastest 45.00 ms (TPU:1), slowest 90.00 ms (TPU:0), spread 50.0 %.";
        assert_eq!(scene.title, text);
        assert_eq!(scene.table.heads[1], "Mean step, ms");
        assert_eq!(scene.table.rows[1], ["TPU:1", "45.000", "35.000", "55.000"]);
        assert_eq!(devices_scene(&[], None, None, 600.0).title, "No devices.");
    }

    proptest! {
        #[test]
        fn nothing_leaves_the_picture(
            times in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 0..20), width in 300.0f64..2000.0,
        ) {
            let device = |(a, b, c): (u64, u64, u64)| {
                let by_kind = [a, b, c, a, 0, b, 1].map(Picos);
                let (mean, min, max) = (Picos(a), Picos(b.min(c)), Picos(b.max(c)));
                Device { name: "TPU:0".to_owned(), mean, min, max, by_kind, total: Picos(c) }
            };
            let devices: Vec<_> = times.into_iter().map(device).collect();
            let scene = devices_scene(&devices, None, None, width);
            for mark in &scene.marks {
                let bounds = mark.shape.bounds();
                prop_assert!(bounds.x >= -1e-9 && bounds.x + bounds.width <= width + 1e-6, "{mark:?}");
                prop_assert!(bounds.y >= 0.0 && bounds.y + bounds.height <= scene.height, "{mark:?}");
            }
        }
    }
}
