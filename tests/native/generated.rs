//! These tests check some 200 random captures, the same in each run. The rules that hold for every capture must hold
//! for these captures in every view.

use crate::common::checked::check;
use crate::common::generated::capture;

/// Returns the choices of the `n`th capture.
fn choices(n: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(n);
    (0..200 + random.usize(..1400)).map(|_| random.u8(..)).collect()
}

#[test]
fn random_captures_keep_their_sums() {
    // `ROOFLIGHT_CAPTURES=100000 cargo test --test native generated::` checks more captures.
    let requested = std::env::var("ROOFLIGHT_CAPTURES").ok().and_then(|n| n.parse().ok());
    let n = requested.unwrap_or(160_u64);
    let opened = (0..n).filter(|n| check(&[("it.xplane.pb", &capture(&choices(*n)))])).count() as u64;
    assert!(opened > n / 3 * 2, "{opened} of {n}");
}

#[test]
fn several_random_captures_form_a_session() {
    for n in 0..16 {
        let (a, b) = (capture(&choices(1000 + n)), capture(&choices(2000 + n)));
        check(&[("a.xplane.pb", &a), ("b.xplane.pb", &b)]);
    }
}

/// Too few choices still make a capture.
#[test]
fn no_choices() {
    for bytes in [&[][..], &[0], &[255; 40]] {
        check(&[("it.xplane.pb", &capture(bytes))]);
    }
}
