//! This module counts allocations and reads the processor time of this process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The allocator of the system, with counts.
struct Counted;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static IN_USE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

fn add(size: usize) {
    ALLOCATIONS.fetch_add(1, Relaxed);
    BYTES.fetch_add(size as u64, Relaxed);
    let now = IN_USE.fetch_add(size as u64, Relaxed).wrapping_add(size as u64);
    PEAK.fetch_max(now, Relaxed);
}

#[expect(unsafe_code, reason = "an allocator is unsafe; this one only passes calls on")]
// SAFETY: All calls are passed on to the allocator of the system as they are.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size() as u64, Relaxed);
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(size);
        IN_USE.fetch_sub(layout.size() as u64, Relaxed);
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static COUNTED: Counted = Counted;

/// The cost of one piece of work.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub allocations: f64,
    pub bytes: f64,
    /// The most bytes in use at a time, without those that were in use before.
    pub peak: f64,
    /// Processor time of all threads outside of the kernel.
    pub seconds: f64,
}

/// Runs `work` and returns its result and its cost.
#[expect(clippy::cast_precision_loss, reason = "counts that are compared as ratios")]
pub fn measure<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let before = IN_USE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let (allocations, bytes, seconds) = (ALLOCATIONS.load(Relaxed), BYTES.load(Relaxed), processor_seconds());
    let result = work();
    let cost = Cost {
        allocations: (ALLOCATIONS.load(Relaxed) - allocations) as f64,
        bytes: (BYTES.load(Relaxed) - bytes) as f64,
        peak: PEAK.load(Relaxed).saturating_sub(before) as f64,
        seconds: processor_seconds() - seconds,
    };
    (result, cost)
}

/// Returns the processor time that this process has used outside of the kernel. What the kernel needs to create files
/// depends on the file system and its other users. The time is always 0 on systems without such a figure, where only
/// allocations are compared.
#[cfg(unix)]
fn processor_seconds() -> f64 {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("the usage of this process");
    #[expect(clippy::cast_precision_loss, reason = "a time of seconds")]
    let seconds = usage.user_time().num_microseconds() as f64 / 1e6;
    seconds
}

#[cfg(not(unix))]
fn processor_seconds() -> f64 {
    0.0
}

#[test]
fn counts_are_those_of_the_work() {
    let (_, cost) = measure(|| std::hint::black_box(vec![0_u8; 1 << 20]));
    assert!(cost.bytes >= f64::from(1 << 20) && cost.peak >= f64::from(1 << 20) && cost.allocations >= 1.0);
}
