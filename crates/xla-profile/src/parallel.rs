//! This module applies a function to many items, with a thread for each core. In a browser, one thread does all.

/// Applies `f` to each item, in any order. Returns the results in the order of the items.
///
/// # Panics
/// Panics if `f` panics.
pub fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_with(items, || (), |(), item| f(item))
}

/// Applies `f` to each item, as [`map`] does. Each thread has a buffer of its own, which `f` may use again for the next item:
/// fresh memory can cost more time than filling it.
///
/// # Panics
/// Panics if `f` or `buffer` panics.
#[cfg(not(target_arch = "wasm32"))]
pub fn map_with<T: Sync, B, R: Send>(
    items: &[T],
    buffer: impl Fn() -> B + Sync,
    f: impl Fn(&mut B, &T) -> R + Sync,
) -> Vec<R> {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let n_cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let n_threads = n_cores.min(items.len());
    if n_threads < 2 {
        let mut buffer = buffer();
        return items.iter().map(|item| f(&mut buffer, item)).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let mut buffer = buffer();
        let mut found: Vec<(usize, R)> = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return found };
            found.push((index, f(&mut buffer, item)));
        }
    };
    let mut all: Vec<(usize, R)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..n_threads).map(|_| scope.spawn(take)).collect();
        let mut all = take();
        for thread in others {
            match thread.join() {
                Ok(found) => all.extend(found),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_unstable_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, result)| result).collect()
}

/// Applies `f` to each item in order, with one buffer. Returns the results in the order of the items.
#[cfg(target_arch = "wasm32")]
pub fn map_with<T: Sync, B, R: Send>(
    items: &[T],
    buffer: impl Fn() -> B + Sync,
    f: impl Fn(&mut B, &T) -> R + Sync,
) -> Vec<R> {
    let mut buffer = buffer();
    items.iter().map(|item| f(&mut buffer, item)).collect()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..1_000).collect();
        assert_eq!(map(&items, |n| n * n), items.iter().map(|n| n * n).collect::<Vec<u64>>());
        assert_eq!(map(&[7], |n| n + 1), [8]);
        assert!(map(&[], |n: &u64| *n).is_empty());
    }
}
