//! This target walks any bytes as trace JSON. The target checks that the walk ends, that its result does not depend on
//! the size of the pieces that are read, and that an opened profile can be analysed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rooflight::analysis::base::{Analysis, DeviceChoice, Query, StepChoice};
use rooflight::session::{Input, open};
use xla_profile::source::{GZIP, Packing, Source, SourceError, Stream};
use xla_profile::units::Picos;
use xla_profile::wire::trace::{Event, Id, Outcome, Sink, walk};

/// A source that is read in pieces of the given number of bytes.
struct Pieces<'a>(&'a [u8], u64);

impl Source for Pieces<'_> {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }
    fn stride(&self) -> u64 {
        self.1
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        self.0.read_at(offset, buf)
    }
}

/// A hash of everything that the sink received.
#[derive(Default)]
struct HashSink(u64);

impl HashSink {
    fn add(&mut self, bytes: &[u8]) {
        let fold = |sum: u64, byte: &u8| sum.wrapping_mul(0x0100_0000_01b3) ^ u64::from(*byte);
        self.0 = bytes.iter().chain(b"|").fold(self.0, fold);
    }
}

impl Sink for HashSink {
    fn wants_args(&mut self, phase: u8, _: Id<'_>, _: Id<'_>) -> bool {
        phase != b'C'
    }
    fn wants(&mut self, name: &[u8]) -> bool {
        self.add(name);
        name.len() != 3
    }
    fn arg(&mut self, value: &[u8]) {
        self.add(value);
    }
    fn event(&mut self, event: &Event<'_>) {
        self.add(format!("{event:?}").as_bytes());
    }
    fn discard(&mut self) {
        self.add(b"discard");
    }
    fn progress(&mut self, _: u64) {}
}

fuzz_target!(|bytes: &[u8]| {
    let walked = |stride: u64| {
        let mut sink = HashSink::default();
        let packed = bytes.starts_with(&[0x1f, 0x8b]);
        let packing = if packed { GZIP.into() } else { Packing::default() };
        let outcome = walk(Stream::new(&Pieces(bytes, stride), packing), &mut sink);
        (sink.0, outcome)
    };
    let (whole, pieces) = (walked(1 << 16), walked(7));
    // A damaged gzip file gives more or fewer bytes before the damage, depending on the size of the pieces.
    let broke = |outcome: &Outcome| outcome.damage.as_ref().is_some_and(|damage| damage.source.is_some());
    assert!(whole == pieces || (broke(&whole.1) && broke(&pieces.1)));
    let input = Input { name: "it.trace.json".into(), source: Box::new(bytes.to_vec()), from_folder: false };
    let Ok(opened) = open(vec![input], &mut |_| {}) else { return };
    let analysis = Analysis::new(&opened.profile);
    let query = Query { device: DeviceChoice::All, step: StepChoice::All, ..Query::busiest() };
    let Ok(b) = analysis.breakdown(&opened.profile, &query) else { return };
    let sum = b.groups.iter().map(|group| group.total).sum::<Picos>();
    assert!(b.totals.busy == Picos(u64::MAX) || sum == b.totals.busy);
});
