//! This module holds the arguments of the current trace event until the op and the line of the event are known.

use super::super::Strings;
use super::super::allocator::{self, AllocatorStat};
use super::super::correlation_ids::{self, Role};
use super::super::counters::PendingCounters;
use super::super::event_links::PendingLinks;
use super::super::stats::{OpStat, WantedStat, wanted_stat};
use crate::profile::value::Value;
use crate::wire::trace::scaled;
use rustc_hash::FxHashMap;

/// The arguments of one event.
#[derive(Default)]
pub(super) struct EventArgs {
    /// `long_name`, the whole HLO text of the op.
    pub(super) text: Option<Value>,
    /// The stats of the op, at the index of their [`OpStat`]. The key of the op has them in this order.
    pub(super) stats: [Option<Value>; OpStat::COUNT],
    pub(super) device_start: Option<u64>,
    pub(super) device_duration: Option<u64>,
    pub(super) flow: Option<u64>,
    pub(super) allocator: allocator::Pending,
    /// The arguments that are values of counters.
    pub(super) counter_args: CounterArgs,
    pub(super) counters: PendingCounters,
    /// Ids that join the event to events of other planes.
    pub(super) correlation_ids: correlation_ids::Pending,
    /// Links to other events.
    pub(super) links: PendingLinks,
    /// Indices of the first [`MAX_ARGS`] arguments in [`Names`].
    pub(super) names: Vec<usize>,
}

/// The arguments of an event that are values of counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CounterArgs {
    #[default]
    None,
    /// The arguments that have no other meaning.
    Others,
    All,
}

/// Largest number of arguments of an event that are counted.
const MAX_ARGS: usize = 256;

/// The names of arguments, and their meanings.
#[derive(Default)]
pub(super) struct Names {
    pub(super) names: Vec<String>,
    means: Vec<Option<ArgKind>>,
    by_name: FxHashMap<Box<[u8]>, usize>,
    /// Meaning of the argument whose value comes next.
    last: Option<ArgKind>,
}

#[derive(Clone, Copy)]
enum ArgKind {
    Text,
    /// A value of a counter, with the index of its name in [`Names`].
    Counter(usize),
    Stat(WantedStat),
}

impl Names {
    /// Receives the name of an argument. Returns whether its value is needed.
    pub(super) fn take(&mut self, name: &[u8], args: &mut EventArgs) -> bool {
        let index = match self.by_name.get(name) {
            Some(index) => *index,
            None => {
                let text = String::from_utf8_lossy(name).into_owned();
                self.means.push(means(&text));
                self.names.push(text);
                self.by_name.insert(name.into(), self.names.len() - 1);
                self.names.len() - 1
            }
        };
        if args.names.len() < MAX_ARGS {
            args.names.push(index);
        }
        self.last = match args.counter_args {
            CounterArgs::All => Some(ArgKind::Counter(index)),
            CounterArgs::Others => self.means[index].or(Some(ArgKind::Counter(index))),
            CounterArgs::None => self.means[index],
        };
        self.last.is_some()
    }

    /// Stores the value of the argument whose name came last. Values are texts. The text of a numeric stat is parsed,
    /// and counts as absent if it is not a number (`<opaque bytes>`).
    pub(super) fn value(&self, value: &[u8], args: &mut EventArgs, strings: &mut Strings) {
        let whole = || scaled(value, 0).and_then(|n| u64::try_from(n).ok());
        let mut text = || Value::Text(strings.intern(&String::from_utf8_lossy(value)));
        match self.last {
            Some(ArgKind::Text) => args.text = Some(text()),
            Some(ArgKind::Counter(name)) => args.counters.add(strings.intern(&self.names[name]), number(value)),
            Some(ArgKind::Stat(WantedStat::Op(which))) => {
                args.stats[which as usize] = match which {
                    OpStat::Flops | OpStat::ModelFlops | OpStat::BytesAccessed => {
                        scaled(value, 0).and_then(|n| i64::try_from(n).ok()).map(Value::Int)
                    }
                    // The value is a message, which the writer of trace JSON leaves out.
                    OpStat::Memory => None,
                    _ => Some(text()),
                };
            }
            Some(ArgKind::Stat(WantedStat::DeviceOffset)) => args.device_start = whole(),
            Some(ArgKind::Stat(WantedStat::DeviceDuration)) => args.device_duration = whole(),
            Some(ArgKind::Stat(WantedStat::Flow)) => args.flow = whole(),
            Some(ArgKind::Stat(WantedStat::Allocator(AllocatorStat::Name))) => {
                args.allocator.name(strings.intern(&String::from_utf8_lossy(value)));
            }
            Some(ArgKind::Stat(WantedStat::Allocator(which))) => {
                if let Some(number) = number(value) {
                    args.allocator.number(which, number);
                }
            }
            Some(ArgKind::Stat(WantedStat::Correlation(which))) => {
                if let Some(number) = whole() {
                    args.correlation_ids.set(which, Value::Uint(number), strings);
                }
            }
            Some(ArgKind::Stat(WantedStat::Link(which))) => {
                if let Some(number) = whole() {
                    args.links.set(which, Value::Uint(number));
                }
            }
            Some(ArgKind::Stat(WantedStat::HloProto)) | None => {}
        }
    }
}

/// Returns the meaning of a name on any plane, because `pid` may come after the arguments.
fn means(name: &str) -> Option<ArgKind> {
    if name == "long_name" {
        return Some(ArgKind::Text);
    }
    wanted_stat(name, Role::Gpu).or_else(|| wanted_stat(name, Role::Host)).map(ArgKind::Stat)
}

/// Returns the number in a text, to nine decimals. `None` if the text is not a number.
#[expect(clippy::cast_precision_loss, reason = "whole numbers below 2⁵³ are exact")]
fn number(text: &[u8]) -> Option<f64> {
    const ONE: i128 = 1_000_000_000;
    let billionths = scaled(text, 9)?;
    Some(if billionths % ONE == 0 { (billionths / ONE) as f64 } else { billionths as f64 / ONE as f64 })
}

impl EventArgs {
    /// Drops the arguments that do not count on a plane of this role.
    pub(super) fn keep_for_role(&mut self, role: Role) {
        if role != Role::Gpu {
            self.stats[OpStat::Annotation as usize] = None;
        }
    }

    /// Clears the arguments for the next event.
    pub(super) fn clear(&mut self) {
        let names = std::mem::take(&mut self.names);
        *self = Self { names, ..Self::default() };
        self.names.clear();
    }
}
