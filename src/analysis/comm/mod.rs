//! Communication: what the compute waits for.
//!
//! ```text
//!  ops line ──which op is what──► links: start, done, whole ─┐
//!  async line ──flows──────────► spans in flight ────────────┼─► by op ─► union − compute = exposed ──► rows, steps
//!  ops line ──kind compute─────► merged stretches ───────────┘
//! ```
//!
//! stall = self time of waits; in flight = union of spans; exposed = in flight without compute; overlapped = the rest. Stall and
//! exposed differ by idle time and by dones that come late: both are told. Knows ops, programs and chips; knows no pages.

mod ask;
mod interval;
mod report;
mod words;

pub use ask::{CommBy, CommQuery, LaneQuery, Topology};
pub use report::{
    Arrival, ArrivalSpread, Balance, Comm, CommLanes, CommRow, DeviceGroup, LaneSpan, LinkPeak, Overlap, Pairing,
    PrimitiveSums, StepComm, Traffic,
};
pub use words::{Core, Primitive, Role, Way};
