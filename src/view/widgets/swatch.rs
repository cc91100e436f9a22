//! This module renders the patterns of the parts of time, once for each page, and the swatch beside a name. A pattern
//! distinguishes a part where a colour alone would not.

use crate::chart::plot::time_part::TimePart;
use crate::view::type_erasure::EraseType;
use leptos::prelude::*;

/// Returns the class that fills a shape of a part, with a pattern if the part has one.
pub(crate) fn fill(time_part: TimePart) -> String {
    format!("mark-{}", time_part.class())
}

/// Renders the patterns, in an image of no size.
pub(crate) fn patterns() -> AnyView {
    view! {
        <svg class="patterns" width="0" height="0" aria-hidden="true">
            <defs>
                <pattern id="p-idle" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect class="p-ground" width="6" height="6" />
                    <rect class="p-idle" width="2" height="6" />
                </pattern>
                <pattern id="p-container" width="5" height="5" patternUnits="userSpaceOnUse">
                    <rect class="p-ground" width="5" height="5" />
                    <path class="p-container" d="M0 0L5 5M5 0L0 5" />
                </pattern>
                <pattern id="p-fused" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect class="p-fused" width="6" height="6" />
                    <rect class="p-compute" width="1.2" height="6" />
                </pattern>
                <pattern id="p-other" width="4" height="4" patternUnits="userSpaceOnUse">
                    <rect class="p-other" width="4" height="4" />
                    <circle class="p-ground" cx="2" cy="2" r=".9" />
                </pattern>
                <pattern id="p-lost" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect class="p-ground" width="5" height="5" />
                    <rect class="p-lost" width="1.4" height="5" />
                </pattern>
                <pattern id="p-not-judged" width="5" height="5" patternUnits="userSpaceOnUse">
                    <rect class="p-ground" width="5" height="5" />
                    <circle class="p-lost" cx="2.5" cy="2.5" r=".8" />
                </pattern>
                <pattern id="p-wall" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(-25)">
                    <rect class="p-wall" width="1.2" height="6" />
                </pattern>
            </defs>
        </svg>
    }
    .any()
}

/// Renders the small square beside the name of a part.
pub(crate) fn swatch(time_part: TimePart) -> AnyView {
    class_swatch(time_part.class())
}

/// Renders the small square for the last part of its class name.
pub(crate) fn class_swatch(class: &str) -> AnyView {
    view! {
        <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
            <rect class=format!("mark-{class}") x=".5" y=".5" width="9" height="9" rx="1.5" />
        </svg>
    }
    .any()
}
