//! These tests compare lanes and pictures with sums over all events.

use super::*;
use crate::profile::OpId;
use proptest::prelude::*;

/// An event of a test: start and duration in ps, and its class, which is also its op.
type Event = (u64, u64, u8);

const OFFSET: u64 = 5_000;
const CLASSES: [u8; N_CLASSES] = [0, 1, 2, 3, 4, 5, 6, 7];

fn line(all: &[Event]) -> Events {
    let mut events = Events::default();
    all.iter().for_each(|(start, duration, class)| events.push(OpId((*class).into()), (*start, *duration), None));
    events.close();
    events
}

fn times(events: &Events) -> LineTimes<'_> {
    LineTimes { events, offset: OFFSET }
}

/// Returns the events of each lane, in their order.
fn by_lane(lanes: &Lanes) -> Vec<(Vec<usize>, bool)> {
    let events = |lane_index: usize| {
        let (lane, overlaps) = lanes.lane(lane_index).unwrap();
        ((0..lane.len()).map(|position| lane.event(position)).collect(), overlaps)
    };
    (0..lanes.len()).map(events).collect()
}

/// The greatest number of events at the same time. An event without duration takes a moment of its own.
fn greatest_overlap(all: &[Event]) -> usize {
    let open_at =
        |time: u64| all.iter().filter(|(start, duration, _)| *start <= time && time < start + duration).count();
    all.iter().filter(|(_, duration, _)| *duration > 0).map(|(start, ..)| open_at(*start)).max().unwrap_or(0)
}

/// Events of an asynchronous line, in the order of the file.
fn overlapping() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec((0_u64..4_000, 0_u64..300, 0_u8..8), 0..300)
}

/// Many events of an asynchronous line at the same time.
fn dense() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec((0_u64..400, 1_u64..300, 0_u8..8), 0..200)
}

/// Events that follow each other, so that lanes have many blocks.
fn serial() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec((0_u64..9, 0_u64..30, 0_u8..3), 0..600).prop_map(|steps| {
        let mut end = 0;
        let event = |(gap, duration, class): (u64, u64, u8)| {
            let start = end + gap;
            end = start + duration;
            (start, duration, class)
        };
        steps.into_iter().map(event).collect()
    })
}

fn check_picture(all: &[Event], view: &View) -> Result<(), TestCaseError> {
    let events = line(all);
    let lanes = Lanes::new(&events, false, &CLASSES);
    for (lane_index, (members, overlaps)) in by_lane(&lanes).into_iter().enumerate() {
        let (mut boxes, mut cells) = (Vec::new(), vec![Cell::default(); view.n_columns as usize]);
        let mut last = None;
        lanes.draw(lane_index, times(&events), &CLASSES, view, &mut |part| match part {
            PicturePart::Box { event, start, end } => boxes.push((event, start, end)),
            PicturePart::Cell(cell) => {
                assert!(last.is_none_or(|last| last < cell.column), "the columns of a lane come once, and in order");
                last = Some(cell.column);
                cells[cell.column as usize] = cell;
            }
        });
        let time = |event: usize| {
            let (start, duration, class) = all[event];
            (start + OFFSET, start + OFFSET + duration, class)
        };
        let touches = |(start, end): (u64, u64)| start < view.end() && (end > view.start || start >= view.start);
        let is_wide = |(start, end): (u64, u64)| !overlaps && end - start >= view.box_from;
        let wide = members.iter().copied().filter_map(|event| {
            let (start, end, _) = time(event);
            (touches((start, end)) && is_wide((start, end))).then_some((event, start, end))
        });
        prop_assert_eq!(boxes, wide.collect::<Vec<_>>());
        for (column, cell) in cells.iter().enumerate() {
            let from = view.start + view.column * column as u64;
            let to = from + view.column;
            let (mut n, mut busy) = (0, [0; N_CLASSES]);
            for event in &members {
                let (start, end, class) = time(*event);
                if !touches((start, end)) || is_wide((start, end)) {
                    continue;
                }
                let starts = start.max(view.start);
                n += u32::from(from <= starts && starts < to);
                busy[usize::from(class)] += end.min(to).saturating_sub(start.max(from));
            }
            prop_assert_eq!((cell.n, cell.busy), (n, busy), "lane {}, column {}", lane_index, column);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn lanes_hold_every_event_once_and_none_overlap(all in prop_oneof![overlapping(), dense(), serial()]) {
        let events = line(&all);
        let lanes = Lanes::new(&events, false, &CLASSES);
        let by_lane = by_lane(&lanes);
        let mut known: Vec<usize> = by_lane.iter().flat_map(|(events, _)| events.clone()).collect();
        known.sort_unstable();
        prop_assert!(known.into_iter().eq(0..all.len()));
        for (events, overlaps) in &by_lane {
            for pair in events.windows(2) {
                let ((a, duration, _), (b, ..)) = (all[pair[0]], all[pair[1]]);
                prop_assert!(a <= b && (*overlaps || a + duration <= b), "{:?}", pair);
            }
        }
        let greatest = greatest_overlap(&all);
        // An event without duration inside of others needs a lane, too.
        prop_assert!(lanes.depth() == greatest || lanes.depth() == greatest + 1, "{} for {}", lanes.depth(), greatest);
        prop_assert_eq!(lanes.n_overlapping() > 0, lanes.depth() > MAX_LANES);
    }

    #[test]
    fn a_picture_shows_every_event(
        all in prop_oneof![overlapping(), dense(), serial()],
        start in 0_u64..12_000,
        column in 1_u64..400,
        n_columns in 1_u32..40,
        box_columns in 1_u64..5,
    ) {
        check_picture(&all, &View { start, column, n_columns, box_from: column * box_columns })?;
    }

    #[test]
    fn an_event_is_found_at_its_time(all in prop_oneof![overlapping(), dense()], time in 4_000_u64..10_000, tolerance in 0_u64..50) {
        let events = line(&all);
        let lanes = Lanes::new(&events, false, &CLASSES);
        for (lane_index, (members, _)) in by_lane(&lanes).into_iter().enumerate() {
            let distance = |event: &usize| {
                let (start, duration, _) = all[*event];
                let (start, end) = (start + OFFSET, start + OFFSET + duration);
                start.saturating_sub(time).max(time.saturating_sub(end))
            };
            let nearest = members.iter().map(distance).min().filter(|nearest| *nearest <= tolerance);
            let found = lanes.event_at(lane_index, times(&events), time, tolerance);
            prop_assert_eq!(found.as_ref().map(distance), nearest);
        }
    }
}

#[test]
fn a_nested_event_is_below_the_event_around_it() {
    // A loop with two ops, the second of which ends with the loop, and an op after it that starts 1 ps too early.
    let events = line(&[(0, 10_000, 5), (0, 4_000, 0), (4_000, 6_000, 1), (9_999, 2_000, 2)]);
    let lanes = Lanes::new(&events, true, &CLASSES);
    assert_eq!(by_lane(&lanes), [(vec![0, 3], false), (vec![1, 2], false)]);
    // Without rounding, the last event overlaps the loop.
    let lanes = Lanes::new(&events, false, &CLASSES);
    assert_eq!(by_lane(&lanes), [(vec![0], false), (vec![1, 2], false), (vec![3], false)]);
}

#[test]
fn a_short_event_at_the_end_of_another_one_is_nested() {
    let events = line(&[(0, 10_000, 5), (9_500, 500, 0)]);
    assert_eq!(by_lane(&Lanes::new(&events, true, &CLASSES)), [(vec![0], false), (vec![1], false)]);
}

#[test]
fn a_million_events_at_the_same_time_need_bounded_memory() {
    let all: Vec<Event> = (0..1_000_000).map(|start| (start, 2_000_000, 0)).collect();
    let events = line(&all[..100_000]);
    let lanes = Lanes::new(&events, false, &CLASSES);
    assert_eq!((lanes.len(), lanes.depth(), lanes.n_overlapping()), (MAX_LANES + 1, 100_000, 100_000 - MAX_LANES));
    assert!(lanes.bytes() < 3 * 100_000, "{}", lanes.bytes());
}

#[test]
fn lanes_take_little_memory() {
    // A loop of a hundred ops, again and again.
    let mut all = Vec::new();
    for turn in 0..1_000 {
        all.push((turn * 101_000, 100_000, 5));
        all.extend((0..100).map(|op| (turn * 101_000 + op * 1_000, 900, (op % 3) as u8)));
    }
    let lanes = Lanes::new(&line(&all), true, &CLASSES);
    assert_eq!(lanes.len(), 2);
    assert!(lanes.bytes() * 2 < 3 * all.len(), "{} bytes for {} events", lanes.bytes(), all.len());
}
