//! The events of a trace JSON as the walk hands them over, and the trait that takes them.

/// An event without its arguments. Times are picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// `ph`: what sort of event it is; 0 where it does not say.
    pub phase: u8,
    /// `pid`: whose it is.
    pub process: Id<'a>,
    /// `tid`: of which line.
    pub thread: Id<'a>,
    /// `ts`, since whatever the writer's clock counts from; `None` where it is no number.
    pub start_ps: Option<i128>,
    /// `dur`, of complete events.
    pub duration_ps: Option<i128>,
    /// `name`; not checked to be UTF-8.
    pub name: &'a [u8],
    /// `id`: joins the begin and the end of what is asynchronous.
    pub id: &'a [u8],
    /// Bytes of its text.
    pub bytes: u64,
}

/// A process or thread: a number, nearly always.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Id<'a> {
    /// A number, or text that spells one; 0 where there is none.
    Number(i64),
    /// Other text.
    Text(&'a [u8]),
}

/// Takes events. Of each its arguments come first.
pub trait Sink {
    /// Whether the arguments of the current event matter. `phase` is 0 where the event has not said it yet.
    fn wants_args(&self, phase: u8) -> bool;
    /// An argument's name comes; whether its value matters.
    fn wants(&mut self, name: &[u8]) -> bool;
    /// The value of the argument whose name came last, as text; objects and arrays are left out.
    fn arg(&mut self, value: &[u8]);
    /// An event.
    fn event(&mut self, event: &Event<'_>);
    /// The event whose arguments came last is cut and will not come.
    fn discard(&mut self);
    /// Now and then: the byte of the source up to which it was read.
    fn progress(&mut self, at: u64);
}
