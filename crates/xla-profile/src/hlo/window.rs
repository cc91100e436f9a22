//! This module prints the window and the dimension labels of a convolution, as HLO text has them.
//!
//! ```text
//! window={size=4x1 stride=2x1 pad=1_0x0_0 lhs_dilate=… rhs_dilate=… rhs_reversal=…}    defaults are left out
//! dim_labels=b01f_01io->b01f                        b is batch, f is feature, i and o are the features of the kernel
//! ```

use crate::small_sort::SmallSort;
use crate::wire::proto::hlo::window::Dimension;
use crate::wire::proto::hlo::{ConvolutionDimensionNumbers, Window};

/// Returns the text of a window, which is empty for a window without dimensions.
pub(super) fn window(window: &Window) -> String {
    let dims = &window.dimensions;
    if dims.is_empty() {
        return String::new();
    }
    let mut parts = Vec::new();
    let mut part = |key: &str, is_set: fn(&Dimension) -> bool, write: fn(&Dimension) -> String| {
        if dims.iter().any(is_set) {
            let values: Vec<String> = dims.iter().map(write).collect();
            parts.push(format!("{key}={}", values.join("x")));
        }
    };
    part("size", |_| true, |d| d.size.to_string());
    part("stride", |d| d.stride != 1, |d| d.stride.to_string());
    part("pad", |d| d.padding_low != 0 || d.padding_high != 0, |d| format!("{}_{}", d.padding_low, d.padding_high));
    part("lhs_dilate", |d| d.base_dilation != 1, |d| d.base_dilation.to_string());
    part("rhs_dilate", |d| d.window_dilation != 1, |d| d.window_dilation.to_string());
    part("rhs_reversal", |d| d.window_reversal, |d| i32::from(d.window_reversal).to_string());
    format!("{{{}}}", parts.join(" "))
}

/// Returns the text of `dim_labels`.
pub(super) fn dim_labels(dims: &ConvolutionDimensionNumbers) -> String {
    let labels = |letters: [(i64, char); 2], spatial: &[i64]| {
        let mut all: Vec<(i64, String)> = letters.into_iter().map(|(place, c)| (place, c.to_string())).collect();
        all.extend(spatial.iter().enumerate().map(|(i, place)| (*place, i.to_string())));
        all.small_sort_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, label)| label).collect::<String>()
    };
    let input = labels(
        [(dims.input_batch_dimension, 'b'), (dims.input_feature_dimension, 'f')],
        &dims.input_spatial_dimensions,
    );
    let kernel = labels(
        [(dims.kernel_input_feature_dimension, 'i'), (dims.kernel_output_feature_dimension, 'o')],
        &dims.kernel_spatial_dimensions,
    );
    let output = labels(
        [(dims.output_batch_dimension, 'b'), (dims.output_feature_dimension, 'f')],
        &dims.output_spatial_dimensions,
    );
    format!("{input}_{kernel}->{output}")
}
