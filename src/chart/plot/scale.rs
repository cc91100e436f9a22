//! This module converts values to pixels and back, on a linear or a logarithmic scale. It does not depend on axes or
//! marks.
//!
//! ```text
//!   domain   lo ─────────── value ──── hi      linear in the value, or in its logarithm
//!               to │  ↑ invert
//!   range    a  ───┴─────── px ─────── b       a > b for an axis that grows upwards
//! ```
//!
//! Invariants: a domain is finite, ascending and not empty (above zero on a log scale), for any input; `invert(to(v))
//! == v` within rounding; zooming keeps the value under the pointer.

/// The domain and the range of a scale. Only [`Scale`] creates it, so that domains are always valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ends {
    domain: (f64, f64),
    range: (f64, f64),
}

/// A mapping from values to pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    Linear(Ends),
    Log(Ends),
}

/// Limit of values: sums and differences of two values within the limit stay finite.
const FAR: f64 = 1e300;
/// Limit of the logarithms of values, in decades.
const FAR_DECADES: f64 = 300.0;
/// Smallest relative size of a domain; a deeper zoom could not distinguish neighbouring pixels.
const FINEST: f64 = 1e-9;

impl Scale {
    /// Creates a linear scale. An empty domain is widened around its value; a domain with NaN becomes 0 to 1.
    pub fn linear(domain: (f64, f64), range: (f64, f64)) -> Self {
        let (lo, hi) = ordered(domain, (0.0, 1.0));
        let (lo, hi) = (lo.max(-FAR), hi.min(FAR));
        let domain = match lo.abs() / 2.0 {
            _ if lo < hi => (lo, hi),
            0.0 => (0.0, 1.0),
            half => (lo - half, lo + half),
        };
        Self::Linear(Ends { domain, range })
    }

    /// Creates a logarithmic scale. A domain that reaches zero starts three decades below its upper end.
    pub fn log(domain: (f64, f64), range: (f64, f64)) -> Self {
        let (lo, hi) = ordered(domain, (1.0, 10.0));
        let (lo, hi) = if hi > 0.0 { (lo, hi.clamp(1.0 / FAR, FAR)) } else { (1.0, 10.0) };
        let lo = if lo > 0.0 { lo.clamp(1.0 / FAR, FAR) } else { hi / 1e3 };
        let half = 10f64.sqrt();
        let domain = if lo < hi { (lo, hi) } else { (lo / half, lo * half) };
        Self::Log(Ends { domain, range })
    }

    /// Creates a logarithmic scale over whole decades around the data.
    pub fn log_around(min: f64, max: f64, range: (f64, f64)) -> Self {
        let (lo, hi) = ordered((min, max), (1.0, 10.0));
        // A single value gets a domain of one decade; widening it on both sides would give two decades.
        let whole = if lo < hi { Self::log((lo, hi), range) } else { Self::log((lo, lo * 1.001), range) };
        let (lo, hi) = whole.span();
        let (lo, hi) = (near_whole(lo).floor(), near_whole(hi).ceil());
        whole.with_ends(lo, if lo < hi { hi } else { lo + 1.0 })
    }

    /// Returns the values at the two ends of the range.
    pub const fn domain(&self) -> (f64, f64) {
        self.ends().domain
    }

    /// Returns the pixels at the two ends of the domain.
    pub const fn range(&self) -> (f64, f64) {
        self.ends().range
    }

    /// Converts a value to a pixel. On a log scale, values without a logarithm are at the low end.
    pub fn to(&self, value: f64) -> f64 {
        let ((lo, hi), (a, b)) = (self.span(), self.range());
        let scaled = match self {
            Self::Linear(_) => value,
            Self::Log(_) if value > 0.0 => value.log10(),
            Self::Log(_) => lo,
        };
        a + (scaled - lo) / (hi - lo) * (b - a)
    }

    /// Converts a pixel to a value.
    pub fn invert(&self, px: f64) -> f64 {
        self.value(self.fraction(px))
    }

    /// Returns a scale with the same range and a domain that is `factor` times smaller (larger if `factor` is below 1).
    /// The value at `px` stays at `px`.
    #[must_use]
    pub fn zoom_about(&self, px: f64, factor: f64) -> Self {
        if !(factor.is_finite() && factor > 0.0) {
            return *self;
        }
        let ((lo, hi), fixed) = (self.span(), self.fraction(px));
        self.with_ends(fixed + (lo - fixed) / factor, fixed + (hi - fixed) / factor)
    }

    /// Moves the domain, so that the value at pixel 0 is at `px`.
    #[must_use]
    pub fn pan(&self, px: f64) -> Self {
        let ((lo, hi), by) = (self.span(), self.fraction(0.0) - self.fraction(px));
        self.with_ends(lo + by, hi + by)
    }

    /// Returns the nearest value within the domain.
    pub fn clamp(&self, value: f64) -> f64 {
        let (lo, hi) = self.domain();
        // `f64::clamp` would keep NaN; here NaN becomes the low end.
        value.max(lo).min(hi)
    }

    /// Moves the domain into the domain of `outer`, and makes it smaller if it does not fit.
    #[must_use]
    pub fn clamped_to(&self, outer: &Self) -> Self {
        let ((lo, hi), (first, last)) = (self.span(), outer.span());
        let width = (hi - lo).min(last - first);
        let lo = lo.min(last - width).max(first);
        self.with_ends(lo, lo + width)
    }

    const fn ends(&self) -> &Ends {
        match self {
            Self::Linear(ends) | Self::Log(ends) => ends,
        }
    }

    /// Returns the domain in linear units of the scale: values, or decades.
    fn span(&self) -> (f64, f64) {
        let (lo, hi) = self.domain();
        match self {
            Self::Linear(_) => (lo, hi),
            Self::Log(_) => (lo.log10(), hi.log10()),
        }
    }

    /// Converts a pixel to linear units of the scale.
    fn fraction(&self, px: f64) -> f64 {
        let ((lo, hi), (a, b)) = (self.span(), self.range());
        if a == b { lo } else { lo + (px - a) / (b - a) * (hi - lo) }
    }

    fn value(&self, place: f64) -> f64 {
        match self {
            Self::Linear(_) => place,
            Self::Log(_) => 10f64.powf(place),
        }
    }

    /// Replaces the domain, given in linear units of the scale. Returns the scale unchanged if the domain is not valid.
    fn with_ends(&self, lo: f64, hi: f64) -> Self {
        let (far, size) = match self {
            Self::Linear(_) => (FAR, lo.abs().max(hi.abs())),
            Self::Log(_) => (FAR_DECADES, 1.0),
        };
        // This form also rejects NaN.
        if !(hi - lo > size * FINEST && lo >= -far && hi <= far) {
            return *self;
        }
        let ends = Ends { domain: (self.value(lo), self.value(hi)), range: self.range() };
        match self {
            Self::Linear(_) => Self::Linear(ends),
            Self::Log(_) => Self::Log(ends),
        }
    }
}

/// Returns the ends in ascending order, or `otherwise` if an end is NaN.
fn ordered((a, b): (f64, f64), otherwise: (f64, f64)) -> (f64, f64) {
    if a.is_nan() || b.is_nan() { otherwise } else { (a.min(b), a.max(b)) }
}

/// Rounds a logarithm that is within 1e-9 of a whole number.
fn near_whole(decades: f64) -> f64 {
    if (decades - decades.round()).abs() < 1e-9 { decades.round() } else { decades }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1e-6)
    }

    #[test]
    fn values_become_pixels() {
        let up = Scale::linear((0.0, 200.0), (100.0, 0.0));
        assert_eq!([up.to(0.0), up.to(50.0), up.to(200.0), up.invert(25.0)], [100.0, 75.0, 0.0, 150.0]);
        let log = Scale::log((0.1, 1000.0), (0.0, 400.0));
        assert!(near(log.to(1.0), 100.0) && near(log.to(100.0), 300.0) && near(log.invert(200.0), 10.0));
        assert_eq!([log.to(0.0), log.to(-3.0)], [0.0, 0.0]);
    }

    #[test]
    fn decades_are_whole() {
        let around = |min, max| {
            let (lo, hi) = Scale::log_around(min, max, (0.0, 1.0)).domain();
            (lo.log10().round(), hi.log10().round())
        };
        assert_eq!([around(0.3, 233.0), around(1.0, 1000.0)], [(-1.0, 3.0), (0.0, 3.0)]);
        assert_eq!([around(5.0, 5.0), around(10.0, 10.0)], [(0.0, 1.0), (1.0, 2.0)]);
        assert_eq!(
            [around(0.0, 50.0), around(-1.0, -2.0), around(f64::NAN, 1.0)],
            [(-2.0, 2.0), (0.0, 1.0), (0.0, 1.0)]
        );
    }

    #[test]
    fn domains_that_cannot_be_drawn_are_mended() {
        assert_eq!(Scale::linear((0.0, 0.0), (0.0, 1.0)).domain(), (0.0, 1.0));
        assert_eq!(Scale::linear((8.0, 8.0), (0.0, 1.0)).domain(), (4.0, 12.0));
        assert_eq!(Scale::linear((3.0, 1.0), (0.0, 1.0)).domain(), (1.0, 3.0));
        assert_eq!(Scale::linear((f64::NAN, 1.0), (0.0, 1.0)).domain(), (0.0, 1.0));
        assert!(Scale::linear((f64::NEG_INFINITY, f64::INFINITY), (0.0, 9.0)).to(0.0).is_finite());
        assert_eq!(Scale::log((0.0, 1e3), (0.0, 1.0)).domain(), (1.0, 1e3));
        assert_eq!(Scale::log((-2.0, 0.0), (0.0, 1.0)).domain(), (1.0, 10.0));
        assert_eq!(Scale::linear((1.0, 2.0), (5.0, 5.0)).invert(5.0), 1.0);
    }

    #[test]
    fn windows_outside_the_domain_are_moved_inside() {
        let whole = Scale::linear((0.0, 100.0), (0.0, 10.0));
        assert_eq!(whole.pan(3.0).clamped_to(&whole).domain(), (0.0, 100.0));
        assert_eq!(whole.zoom_about(5.0, 2.0).pan(-100.0).clamped_to(&whole).domain(), (50.0, 100.0));
        assert_eq!(whole.zoom_about(5.0, 0.1).clamped_to(&whole).domain(), (0.0, 100.0));
        assert_eq!([whole.clamp(-1.0), whole.clamp(7.0), whole.clamp(f64::NAN)], [0.0, 7.0, 0.0]);
    }

    #[test]
    fn a_zoom_ends_before_pixels_fall_together() {
        let mut scale = Scale::linear((0.0, 1.0), (0.0, 100.0));
        for _ in 0..200 {
            scale = scale.zoom_about(50.0, 10.0);
        }
        let (lo, hi) = scale.domain();
        assert!(lo < hi && scale.to(hi).is_finite());
        assert_eq!([scale.zoom_about(1.0, 0.0), scale.zoom_about(1.0, f64::NAN)], [scale, scale]);
    }

    proptest! {
        #[test]
        fn there_and_back(
            lo in -1e6f64..1e6, width in 1e-3f64..1e6, low in -12f64..12.0, decades in 0.1f64..12.0,
            part in 0.0f64..1.0, factor in 0.2f64..5.0, move_by in -50.0f64..50.0,
        ) {
            let linear = Scale::linear((lo, lo + width), (300.0, 0.0));
            let log = Scale::log((10f64.powf(low), 10f64.powf(low + decades)), (0.0, 300.0));
            let px = part * 300.0;
            for scale in [linear, log] {
                prop_assert!((scale.to(scale.invert(px)) - px).abs() < 1e-3);
                let zoomed = scale.zoom_about(px, factor);
                prop_assert!((zoomed.to(scale.invert(px)) - px).abs() < 1e-3);
                prop_assert!((scale.pan(move_by).to(scale.invert(px)) - px - move_by).abs() < 1e-3);
                let inside = zoomed.pan(move_by).clamped_to(&scale);
                let ((a, b), (first, last)) = (inside.domain(), scale.domain());
                let slack = (first.abs() + last.abs()) * 1e-9;
                prop_assert!(a >= first - slack && b <= last + slack);
            }
        }

        #[test]
        fn any_domain_can_be_drawn(a in any::<f64>(), b in any::<f64>(), value in -1e9f64..1e9) {
            for scale in [Scale::linear((a, b), (0.0, 9.0)), Scale::log((a, b), (0.0, 9.0)), Scale::log_around(a, b, (0.0, 9.0))] {
                let (lo, hi) = scale.domain();
                prop_assert!(lo < hi && lo.is_finite() && hi.is_finite(), "{scale:?}");
                prop_assert!(!scale.to(scale.clamp(value)).is_nan());
            }
        }
    }
}
