//! This module encodes a plane: its lines first, then the metadata that they use, as profilers write them. Events are
//! encoded as they are added, so that a plane of millions of events takes no more memory than its bytes.

use super::make;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};
use xla_profile::wire::proto::xspace::{XEvent, XLine, XStat};

/// Field numbers of `xplane.proto`.
const LINES: u32 = 3;
const EVENTS: u32 = 4;
const PLANES: u32 = 1;

/// A plane under construction.
pub struct Plane {
    pub names: make::Plane,
    lines: Vec<u8>,
    n_lines: i64,
}

/// A line under construction.
pub struct Line {
    head: XLine,
    events: Vec<u8>,
}

impl Plane {
    pub fn new(name: &str) -> Self {
        Self { names: make::Plane::new(name), lines: Vec::new(), n_lines: 1 }
    }

    /// Begins a line with the next line id.
    pub fn line(&mut self, name: &str, timestamp_ns: i64) -> Line {
        self.n_lines += 1;
        Line {
            head: XLine { id: self.n_lines, name: name.into(), timestamp_ns, ..XLine::default() },
            events: Vec::new(),
        }
    }

    /// Adds a finished line.
    pub fn close(&mut self, line: Line) {
        let head = line.head.encode_to_vec();
        encode_key(LINES, WireType::LengthDelimited, &mut self.lines);
        encode_varint((head.len() + line.events.len()) as u64, &mut self.lines);
        self.lines.extend(head);
        self.lines.extend(line.events);
    }

    /// Encodes the plane as a field of an XSpace.
    pub fn bytes(self, id: i64) -> Vec<u8> {
        let mut rest = self.names.done();
        let head =
            xla_profile::wire::proto::xspace::XPlane { id, name: std::mem::take(&mut rest.name), ..Default::default() };
        let (head, rest) = (head.encode_to_vec(), rest.encode_to_vec());
        let mut bytes = Vec::with_capacity(head.len() + self.lines.len() + rest.len() + 12);
        encode_key(PLANES, WireType::LengthDelimited, &mut bytes);
        encode_varint((head.len() + self.lines.len() + rest.len()) as u64, &mut bytes);
        bytes.extend(head);
        bytes.extend(self.lines);
        bytes.extend(rest);
        bytes
    }
}

impl Line {
    /// Adds an event from `start` to `end`, in ps.
    pub fn event(&mut self, metadata_id: i64, (start, end): (u64, u64), stats: Vec<XStat>) {
        let mut event: XEvent = make::event(metadata_id, start as i64, (end - start) as i64);
        event.stats = stats;
        encode_key(EVENTS, WireType::LengthDelimited, &mut self.events);
        encode_varint(event.encoded_len() as u64, &mut self.events);
        // `encode_raw` requires enough room, and a `Vec` grows.
        event.encode_raw(&mut self.events);
    }
}
