//! This module draws the idle time of a device: each gap between ops as boxes that tell what the device waited for. Gaps that are
//! narrower than a column are drawn together.

use super::TimelineIndex;
use super::report::{IdleBox, IdlePicture, PictureQuery};
use crate::analysis::base::Analysis;
use crate::analysis::gaps::{GapClass, GapPart};
use xla_profile::profile::Profile;
use xla_profile::units::Picos;

impl TimelineIndex {
    /// Draws the idle time of the devices of a query. The gaps of a device are found when they are first drawn.
    pub(super) fn idle(&mut self, profile: &Profile, analysis: &Analysis, query: &PictureQuery) -> Vec<IdlePicture> {
        let mut pictures = Vec::new();
        for device in query.idle.iter().copied() {
            let Some(info) = analysis.devices.get(device as usize) else { continue };
            let offset = self.axis.offset(profile.planes[info.plane].file);
            let displayed = |part: GapPart| {
                let (start, end) = part.time;
                GapPart { time: (Picos(start).moved(offset).0, Picos(end).moved(offset).0), ..part }
            };
            let parts = self
                .idle
                .entry(device)
                .or_insert_with(|| analysis.gap_parts(profile, device as usize).into_iter().map(displayed).collect());
            pictures.push(IdlePicture { device, boxes: boxes(parts, query) });
        }
        pictures
    }
}

/// Gaps that are drawn together.
struct Merged {
    column: u64,
    shown: IdleBox,
    /// Idle time by class.
    classes: [u64; GapClass::ALL.len()],
}

impl Merged {
    fn new(column: u64, shown: IdleBox) -> Self {
        let mut classes = [0; GapClass::ALL.len()];
        classes[shown.class as usize] = shown.time.0;
        Self { column, shown, classes }
    }

    fn add(&mut self, part: &GapPart, gap: (Picos, Picos)) {
        let length = part.time.1 - part.time.0;
        self.shown.end = Picos(part.time.1);
        self.shown.time += Picos(length);
        if self.shown.gap.1 < gap.1 {
            self.shown.gap.1 = gap.1;
            self.shown.n_gaps += 1;
        }
        self.classes[part.class as usize] += length;
    }

    fn finish(self) -> IdleBox {
        // Of equal times, the first class counts.
        let most = GapClass::ALL.into_iter().rev().max_by_key(|class| self.classes[*class as usize]);
        IdleBox { class: most.unwrap_or(self.shown.class), ..self.shown }
    }
}

/// Draws the parts of gaps that touch a picture. `parts` is in order of time, and the parts of a gap follow each other without
/// a space.
fn boxes(parts: &[GapPart], query: &PictureQuery) -> Vec<IdleBox> {
    let (from, to, column) = (query.start.0, query.end().0, query.column.0.max(1));
    let (mut boxes, mut merged): (Vec<IdleBox>, Option<Merged>) = (Vec::new(), None);
    let first = parts.partition_point(|part| part.time.1 <= from);
    let mut gap = gap_around(parts, first);
    for (index, part) in parts.iter().enumerate().skip(first).take_while(|(_, part)| part.time.0 < to) {
        let (start, end) = part.time;
        if Picos(start) >= gap.1 {
            gap = gap_around(parts, index);
        }
        let (class, time) = (part.class, Picos(end - start));
        let shown = IdleBox { start: Picos(start), end: Picos(end), class, time, gap, n_gaps: 1 };
        let place = start.saturating_sub(from) / column;
        match &mut merged {
            Some(open) if open.column == place && time.0 < column => open.add(part, gap),
            _ => {
                boxes.extend(merged.take().map(Merged::finish));
                if time.0 < column {
                    merged = Some(Merged::new(place, shown));
                } else {
                    boxes.push(shown);
                }
            }
        }
    }
    boxes.extend(merged.map(Merged::finish));
    boxes
}

/// Returns the start and the end of the gap of a part.
fn gap_around(parts: &[GapPart], index: usize) -> (Picos, Picos) {
    let Some(part) = parts.get(index) else { return Default::default() };
    let (mut start, mut end) = part.time;
    for before in parts[..index].iter().rev() {
        if before.time.1 < start {
            break;
        }
        start = before.time.0;
    }
    for after in &parts[index + 1..] {
        if after.time.0 > end {
            break;
        }
        end = after.time.1;
    }
    (Picos(start), Picos(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(class: GapClass, start: u64, end: u64) -> GapPart {
        GapPart { class, time: (start, end) }
    }

    fn picture(start: u64, column: u64, n_columns: u32) -> PictureQuery {
        PictureQuery { start: Picos(start), column: Picos(column), n_columns, ..PictureQuery::default() }
    }

    #[test]
    fn wide_parts_are_boxes_and_narrow_ones_are_drawn_together() {
        let parts = [
            part(GapClass::Sync, 0, 400),
            part(GapClass::Launch, 400, 410),
            part(GapClass::Launch, 420, 450),
            part(GapClass::Host, 455, 460),
            part(GapClass::Host, 505, 510),
        ];
        let drawn = boxes(&parts, &picture(0, 100, 10));
        let shape: Vec<_> = drawn
            .iter()
            .map(|idle_box| (idle_box.start.0, idle_box.end.0, idle_box.class, idle_box.time.0, idle_box.n_gaps))
            .collect();
        assert_eq!(
            shape,
            [(0, 400, GapClass::Sync, 400, 1), (400, 460, GapClass::Launch, 45, 3), (505, 510, GapClass::Host, 5, 1)]
        );
        assert_eq!(drawn[0].gap, (Picos(0), Picos(410)), "the whole gap");
        assert_eq!(drawn[1].gap, (Picos(0), Picos(460)), "from the start of the first gap to the end of the last one");
    }

    #[test]
    fn a_picture_has_the_gaps_that_touch_it() {
        let parts = [part(GapClass::Sync, 0, 50), part(GapClass::Sync, 60, 300), part(GapClass::Sync, 400, 500)];
        let drawn = boxes(&parts, &picture(100, 10, 30));
        assert_eq!(drawn.iter().map(|idle_box| (idle_box.start.0, idle_box.end.0)).collect::<Vec<_>>(), [(60, 300)]);
    }

    #[test]
    fn no_idle_time_is_lost_at_any_scale() {
        let parts: Vec<GapPart> =
            (0..500).map(|i| part(GapClass::ALL[i as usize % 10], i * 17, i * 17 + 1 + i % 13)).collect();
        let sum: u64 = parts.iter().map(|part| part.time.1 - part.time.0).sum();
        for column in [1, 7, 100, 5000] {
            let drawn = boxes(&parts, &picture(0, column, 10_000));
            assert_eq!(drawn.iter().map(|idle_box| idle_box.time.0).sum::<u64>(), sum, "{column}");
        }
    }
}
