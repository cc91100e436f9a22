//! This module finds the class of each event of a host thread.

use super::class_line::CausePart;
use super::host_class::{host_class, loads_data, moves_to_device, sleeps};
use super::report::GapClass;
use crate::analysis::base::Interval;
use crate::analysis::base::host_links::HostThread;
use xla_profile::profile::{OpId, Profile};

/// The least length in ps of a transfer to the device for which the host is taken to wait.
const LONG_TRANSFER: u64 = 1_000_000_000;

/// The classes of the ops of a host plane.
pub(super) struct OpClasses {
    /// The class by the name of each op; `None` if the name says nothing.
    classes: Vec<Option<GapClass>>,
    /// Whether the name of each op is that of an annotation that loads data.
    loads: Vec<bool>,
    /// Whether each op is a frame of Python.
    frames: Vec<bool>,
    /// Whether each op moves data to the device. Empty if none does.
    transfers: Vec<bool>,
    /// What each op does with a batch in a function of TensorFlow. Empty if no op takes one.
    tensorflow: Vec<Option<TensorFlow>>,
}

/// Parts of a function of TensorFlow that takes its batch itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TensorFlow {
    /// The call of the function.
    Call,
    /// The operation that takes the next batch of tf.data, on a thread of its own.
    Fetch,
}

impl TensorFlow {
    fn of_name(name: &str) -> Option<Self> {
        match () {
            () if name.starts_with("EagerExecute") => Some(Self::Call),
            () if name.starts_with("IteratorGetNext") => Some(Self::Fetch),
            () => None,
        }
    }
}

impl OpClasses {
    /// `serves` tells whether the program serves a model.
    pub fn new(profile: &Profile, plane: usize, serves: bool) -> Self {
        let names = || profile.planes[plane].ops.iter().map(|op| profile.text(op.name));
        let tensorflow: Vec<Option<TensorFlow>> = names().map(TensorFlow::of_name).collect();
        let class = |name: &str| host_class(name).or_else(|| (serves && sleeps(name)).then_some(GapClass::Requests));
        let takes_batches = tensorflow.contains(&Some(TensorFlow::Fetch));
        let transfers: Vec<bool> = names().map(moves_to_device).collect();
        Self {
            transfers: if transfers.contains(&true) { transfers } else { Vec::new() },
            classes: names().map(class).collect(),
            loads: names().map(loads_data).collect(),
            frames: names().map(|name| name.starts_with('$')).collect(),
            tensorflow: if takes_batches { tensorflow } else { Vec::new() },
        }
    }

    /// Returns the class of an op by its name alone.
    pub fn class(&self, op: OpId) -> Option<GapClass> {
        self.classes.get(op.0 as usize).copied().flatten()
    }

    /// Iterates over the times of at least [`LONG_TRANSFER`] in which a thread moves data to the device.
    pub fn transfers<'a>(&'a self, thread: &'a HostThread<'_>) -> impl Iterator<Item = Interval> + 'a {
        let is = |event: &u32| self.transfers.get(thread.line.events.op(*event as usize).0 as usize) == Some(&true);
        let events = (!self.transfers.is_empty()).then(|| thread.in_order()).into_iter().flatten();
        events.filter(is).map(|event| thread.times[event as usize]).filter(|(start, end)| end - start >= LONG_TRANSFER)
    }

    /// Iterates over the times in which a thread runs a part of a function of TensorFlow that takes its batch itself.
    pub fn tensorflow<'a>(
        &'a self,
        thread: &'a HostThread<'_>,
        part: TensorFlow,
    ) -> impl Iterator<Item = Interval> + 'a {
        let is = move |event: &u32| {
            let op = thread.line.events.op(*event as usize);
            self.tensorflow.get(op.0 as usize) == Some(&Some(part))
        };
        // Most captures have no such op, and then no event is read.
        let events = (!self.tensorflow.is_empty()).then(|| thread.in_order()).into_iter().flatten();
        events.filter(is).map(|event| thread.times[event as usize])
    }

    /// Iterates over the classes and the times of the events of a thread that have a class. If the thread is one of the
    /// program, an annotation loads data if its name has a word for data, and if it is in no other event but marks of
    /// steps and frames of Python.
    pub fn events<'a>(
        &'a self,
        thread: &'a HostThread<'_>,
        is_of_program: bool,
    ) -> impl Iterator<Item = CausePart> + 'a {
        let mut reached = 0;
        thread.in_order().filter(|event| !thread.is_mark(*event)).filter_map(move |event| {
            let time = thread.times[event as usize];
            let op = thread.line.events.op(event as usize);
            let index = op.0 as usize;
            let is_outermost = is_of_program && time.0 >= reached;
            if !self.frames.get(index).is_some_and(|is_frame| *is_frame) {
                reached = reached.max(time.1);
            }
            let loads = is_outermost && self.loads.get(index).is_some_and(|loads| *loads);
            Some((self.class(op).or(loads.then_some(GapClass::Input))?, time))
        })
    }
}
