//! This module defines the events of a trace JSON, and the trait [`Sink`] that receives them from the walk.

/// An event without its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// `ph`, the type of the event; 0 if it is absent.
    pub phase: u8,
    /// `pid`, the process.
    pub process: Id<'a>,
    /// `tid`, the thread.
    pub thread: Id<'a>,
    /// `ts` in ps, on the clock of the writer; `None` if it is absent or not a number.
    pub start_ps: Option<i128>,
    /// `dur` in ps, which complete events (`X`) have; `None` if it is absent or not a number.
    pub duration_ps: Option<i128>,
    /// `name`; it may be invalid UTF-8.
    pub name: &'a [u8],
    /// `id`, which the begin and the end of an asynchronous event share.
    pub id: &'a [u8],
    /// Length of the event's text.
    pub bytes: u64,
}

/// The id of a process or thread, which is a number in nearly all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Id<'a> {
    /// A number, or a text that is one; 0 if the id is absent.
    Number(i64),
    Text(&'a [u8]),
}

/// A receiver of events. The arguments of an event come before the event itself.
pub trait Sink {
    /// Returns whether the arguments of the current event are needed. `phase` is 0 if `ph` has not come yet, and `process`
    /// and `thread` are the number 0 if they have not come yet.
    fn wants_args(&mut self, phase: u8, process: Id<'_>, thread: Id<'_>) -> bool;
    /// Receives the name of an argument, and returns whether its value is needed.
    fn wants(&mut self, name: &[u8]) -> bool;
    /// Receives the value, as text, of the argument whose name came last. Objects and arrays are left out.
    fn arg(&mut self, value: &[u8]);
    /// Receives an event, whose arguments have come before.
    fn event(&mut self, event: &Event<'_>);
    /// Drops the arguments that came last, because their event is cut.
    fn discard(&mut self);
    /// Receives the number of bytes of the source that were read so far.
    fn progress(&mut self, bytes: u64);
}
