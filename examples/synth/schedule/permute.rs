//! This module changes the order of what has none: the planes of a capture, and the lines of a plane.

use fastrand::Rng;
use xla_profile::wire::proto::xspace::XSpace;

/// Shuffles the planes of a capture, and the lines of each.
pub fn permute(space: &mut XSpace, random: &mut Rng) {
    random.shuffle(&mut space.planes);
    for plane in &mut space.planes {
        random.shuffle(&mut plane.lines);
    }
}
