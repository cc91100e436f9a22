//! This module holds the arguments of the current trace event until the op and the line of the event are known.

use super::super::Strings;
use super::super::allocator::{self, AllocatorStat};
use super::super::correlation_ids::{self, Role};
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
    /// Ids that join the event to events of other planes.
    pub(super) correlation_ids: correlation_ids::Pending,
    /// Links to other events.
    pub(super) links: PendingLinks,
    /// Indices of the first [`MAX_ARGS`] arguments in [`Names`].
    pub(super) names: Vec<usize>,
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
    Stat(WantedStat),
}

impl Names {
    /// Receives the name of an argument. Returns whether its value is needed.
    pub(super) fn take(&mut self, name: &[u8], args: &mut EventArgs) -> bool {
        let at = match self.by_name.get(name) {
            Some(at) => *at,
            None => {
                let text = String::from_utf8_lossy(name).into_owned();
                self.means.push(means(&text));
                self.names.push(text);
                self.by_name.insert(name.into(), self.names.len() - 1);
                self.names.len() - 1
            }
        };
        if args.names.len() < MAX_ARGS {
            args.names.push(at);
        }
        self.last = self.means[at];
        self.last.is_some()
    }

    /// Stores the value of the argument whose name came last. Values are texts. The text of a numeric stat is parsed,
    /// and counts as absent if it is not a number (`<opaque bytes>`).
    pub(super) fn value(&self, value: &[u8], args: &mut EventArgs, strings: &mut Strings) {
        let whole = || scaled(value, 0).and_then(|n| u64::try_from(n).ok());
        let mut text = || Value::Text(strings.intern(&String::from_utf8_lossy(value)));
        match self.last {
            Some(ArgKind::Text) => args.text = Some(text()),
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
            #[expect(clippy::cast_precision_loss, reason = "bytes below 2⁵³, and a fraction")]
            Some(ArgKind::Stat(WantedStat::Allocator(which))) => {
                if let Some(billionths) = scaled(value, 9) {
                    args.allocator.number(which, billionths as f64 / 1e9);
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
