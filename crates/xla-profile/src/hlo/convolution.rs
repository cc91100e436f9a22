//! This module counts the multiply-adds of a convolution. Only positions of the window on an element of the input
//! count.
//!
//! ```text
//!  input, dilated and padded   · x · x · x ·     position of output o and tap k:  p = o·stride + k·dilation − padding
//!  window at one output          ^   ^   ^       the position counts if p ≥ 0, p is a multiple of the dilation of the
//!                                                input, and p ÷ that dilation < size of the input
//! ```
//!
//! Dimensions are independent: multiply-adds = batch × output features × input features of the kernel × Π over spatial
//! dimensions of the number of pairs (o, k) that count. XLA's `HloCostAnalysis` has the same count. A reversed window
//! has the same positions.

use super::{ArrayShape, Instruction};

/// A spatial dimension of a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dimension {
    input: i128,
    kernel: i128,
    output: i128,
    stride: i128,
    /// Padding before the first element; negative if elements are cut off.
    padding: i128,
    /// Distance from one element of the input to the next.
    base_dilation: i128,
    /// Distance from one tap of the window to the next.
    window_dilation: i128,
}

/// Largest number of outputs or taps of a dimension that are examined one by one. A hostile file may have any number.
const MAX_SCANNED_POSITIONS: i128 = 1 << 16;

/// The input, the kernel and the output of a convolution.
pub(super) type Shapes<'a> = [&'a ArrayShape; 3];

/// Returns the FLOPs of a convolution from its `window` and `dim_labels`: two for each multiply-add. Returns `None` if
/// these attributes are absent or do not fit the shapes.
pub(super) fn flops(instruction: &Instruction, shapes: Shapes<'_>) -> Option<f64> {
    let [_, kernel, output] = shapes;
    let [_, kernel_labels, output_labels] = labels(instruction)?;
    let mut product = 2.0;
    for (shape, labels, label) in
        [(output, output_labels, 'b'), (output, output_labels, 'f'), (kernel, kernel_labels, 'i')]
    {
        product *= real(size(shape, labels, label)?);
    }
    for dimension in dimensions(instruction, shapes)? {
        product *= real(dimension.positions()?);
    }
    Some(product)
}

/// Returns whether the window of a convolution slides over its input: an output has several taps, and a tap several outputs.
/// In a matmul that is written as a convolution, a dimension has one tap for each output, or one output. `None` if the
/// attributes are absent or do not fit the shapes.
pub(super) fn slides(instruction: &Instruction, shapes: Shapes<'_>) -> Option<bool> {
    let is_sliding = |dimension: Dimension| Some(dimension.positions()? > dimension.output.max(dimension.kernel));
    dimensions(instruction, shapes)?
        .into_iter()
        .try_fold(false, |slides, dimension| Some(slides | is_sliding(dimension)?))
}

/// Returns the labels of the dimensions of input, kernel and output.
fn labels(instruction: &Instruction) -> Option<[&str; 3]> {
    let (input, rest) = instruction.text("dim_labels")?.split_once('_')?;
    let (kernel, output) = rest.split_once("->")?;
    Some([input, kernel, output])
}

fn size(shape: &ArrayShape, labels: &str, label: char) -> Option<i128> {
    Some(i128::from(*shape.dims.get(labels.chars().position(|other| other == label)?)?))
}

/// Returns the spatial dimensions of a convolution.
fn dimensions(instruction: &Instruction, [input, kernel, output]: Shapes<'_>) -> Option<Vec<Dimension>> {
    let [input_labels, kernel_labels, output_labels] = labels(instruction)?;
    let window = instruction.text("window").unwrap_or_default();
    let dimension = |(index, label): (usize, char)| {
        // A window lists dimensions by their number, while labels have the order of the dimensions of the output.
        let number = usize::try_from(label.to_digit(10)?).unwrap_or(index);
        let value = |key: &str, usual: i128| entry(window, key, number).map_or(Some(usual), |text| text.parse().ok());
        let padding = entry(window, "pad", number).map_or(Some("0"), |pad| Some(pad.split_once('_')?.0))?;
        Some(Dimension {
            input: size(input, input_labels, label)?,
            kernel: size(kernel, kernel_labels, label)?,
            output: size(output, output_labels, label)?,
            stride: value("stride", 1)?,
            padding: padding.parse().ok()?,
            base_dilation: value("lhs_dilate", 1)?,
            window_dilation: value("rhs_dilate", 1)?,
        })
    };
    output_labels.chars().filter(char::is_ascii_digit).enumerate().map(dimension).collect()
}

/// Returns the value of one key and one dimension in `{size=3x3 pad=0_1x0_1}`.
fn entry<'a>(window: &'a str, key: &str, dimension: usize) -> Option<&'a str> {
    let parts = window.trim_start_matches('{').trim_end_matches('}').split(' ');
    let list = parts.filter_map(|part| part.split_once('=')).find(|(name, _)| *name == key)?.1;
    list.split('x').nth(dimension)
}

#[expect(clippy::cast_precision_loss, reason = "costs are estimates in doubles")]
const fn real(n: i128) -> f64 {
    n as f64
}

impl Dimension {
    /// Returns the number of pairs of an output and a tap that meet an element of the input. Returns `None` if a size
    /// is invalid, or if both outputs and taps are more than [`MAX_SCANNED_POSITIONS`].
    fn positions(self) -> Option<i128> {
        let Self { input, kernel, output, stride, padding, base_dilation, window_dilation } = self;
        let makes_sense = [input, kernel, output].into_iter().all(|size| size >= 0)
            && [stride, base_dilation, window_dilation].into_iter().all(|step| step > 0);
        if !makes_sense {
            return None;
        }
        // The shorter one of outputs and taps is examined one by one, the longer one at once.
        let ((few, few_step), (many, many_step)) = if kernel <= output {
            ((kernel, window_dilation), (output, stride))
        } else {
            ((output, stride), (kernel, window_dilation))
        };
        if few > MAX_SCANNED_POSITIONS {
            return None;
        }
        let last = input.checked_sub(1)?.checked_mul(base_dilation)?;
        let along = Progression::new(many_step, base_dilation)?;
        (0..few).try_fold(0_i128, |sum, position| {
            let offset = position.checked_mul(few_step)?.checked_sub(padding)?;
            sum.checked_add(along.count(many, offset, last)?)
        })
    }
}

/// The progression offset, offset + step, offset + 2·step …, for the search of multiples of a modulus in it.
struct Progression {
    step: i128,
    gcd: i128,
    /// Number of terms from one multiple of the modulus to the next.
    period: i128,
    /// The inverse of step ÷ gcd modulo the period.
    inverse: i128,
}

impl Progression {
    /// Creates a progression. `step` and `modulus` must be positive.
    fn new(step: i128, modulus: i128) -> Option<Self> {
        // Extended Euclid: gcd = step · s + modulus · t.
        let (mut r, mut next) = (step, modulus);
        let (mut s, mut next_s) = (1_i128, 0_i128);
        while next != 0 {
            let quotient = r.checked_div(next)?;
            (r, next) = (next, r.checked_sub(quotient.checked_mul(next)?)?);
            (s, next_s) = (next_s, s.checked_sub(quotient.checked_mul(next_s)?)?);
        }
        let period = modulus.checked_div(r)?;
        Some(Self { step, gcd: r, period, inverse: s.checked_rem_euclid(period)? })
    }

    /// Returns the number of i in 0..n for which i · step + offset is in 0..=last and a multiple of the modulus.
    fn count(&self, n: i128, offset: i128, last: i128) -> Option<i128> {
        if offset.checked_rem_euclid(self.gcd)? != 0 {
            return Some(0);
        }
        let opposite = offset.checked_neg()?;
        let first = opposite.checked_add(self.step.checked_sub(1)?)?.checked_div_euclid(self.step)?.max(0);
        let end = last.checked_sub(offset)?.checked_div_euclid(self.step)?.min(n.checked_sub(1)?);
        let residue = opposite.checked_div_euclid(self.gcd)?.checked_rem_euclid(self.period)?;
        let residue = residue.checked_mul(self.inverse)?.checked_rem_euclid(self.period)?;
        // The first term from `first` on that is a multiple.
        let skipped = residue.checked_sub(first)?.checked_rem_euclid(self.period)?;
        let first = first.checked_add(skipped)?;
        if first > end { Some(0) } else { end.checked_sub(first)?.checked_div(self.period)?.checked_add(1) }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::hlo::text;
    use proptest::prelude::*;

    /// Counts the pairs of every output and every tap.
    fn one_by_one(d: Dimension) -> i128 {
        let mut n = 0;
        for o in 0..d.output {
            for k in 0..d.kernel {
                let p = o * d.stride + k * d.window_dilation - d.padding;
                n += i128::from(p >= 0 && p % d.base_dilation == 0 && p / d.base_dilation < d.input);
            }
        }
        n
    }

    proptest! {
        #[test]
        fn positions_are_those_counted_one_by_one(
            sizes in (0i128..12, 0i128..12, 0i128..30),
            steps in (1i128..6, 1i128..7, 1i128..6),
            padding in -6i128..20,
        ) {
            let ((input, kernel, output), (stride, base_dilation, window_dilation)) = (sizes, steps);
            let d = Dimension { input, kernel, output, stride, padding, base_dilation, window_dilation };
            prop_assert_eq!(d.positions(), Some(one_by_one(d)), "{:?}", d);
        }

        #[test]
        fn any_numbers_end(sizes in any::<(u64, u64, u64)>(), steps in any::<(i64, i64, i64)>(), padding in any::<i64>()) {
            let _ = Dimension {
                input: sizes.0.into(),
                kernel: sizes.1.into(),
                output: (sizes.2 % 40).into(),
                stride: steps.0.into(),
                padding: padding.into(),
                base_dilation: steps.1.into(),
                window_dilation: steps.2.into(),
            }
            .positions();
        }
    }

    fn convolution(input: &str, kernel: &str, output: &str, attributes: &str) -> Option<f64> {
        let hlo = format!(
            "HloModule m\n\nENTRY %e {{\n  %a = f32{input} parameter(0)\n  %b = f32{kernel} parameter(1)\n  ROOT %c = f32{output} \
             convolution(%a, %b), {attributes}\n}}\n"
        );
        let (module, _) = text::module(&hlo).unwrap();
        module.cost(module.instruction_named("c").unwrap()).flops
    }

    #[test]
    fn by_hand() {
        // The output has the size of the input and the window has size 3, so one tap of the first output and one of the
        // last lie on the padding: 3·8 − 2 positions in each dimension.
        let same = "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f";
        assert_eq!(
            convolution("[2,8,8,4]", "[3,3,4,16]", "[2,8,8,16]", same),
            Some(2.0 * 2.0 * 4.0 * 16.0 * 22.0 * 22.0)
        );
        // The gradient of a convolution of stride 2: three of four positions are holes of the dilated input.
        let gradient = "window={size=2x2 pad=1_1x1_1 lhs_dilate=2x2 rhs_reversal=1x1}, dim_labels=b01f_01oi->b01f";
        let forward = "window={size=2x2 stride=2x2}, dim_labels=b01f_01io->b01f";
        assert_eq!(
            convolution("[1,4,4,8]", "[2,2,3,8]", "[1,8,8,3]", gradient),
            convolution("[1,8,8,3]", "[2,2,3,8]", "[1,4,4,8]", forward),
            "as many as forward"
        );
        // Two groups: the kernel has half of the features of the input.
        let groups = "window={size=1}, dim_labels=b0f_0io->b0f, feature_group_count=2";
        assert_eq!(convolution("[1,5,4]", "[1,2,6]", "[1,5,6]", groups), Some(2.0 * 5.0 * 2.0 * 6.0));
        // Three dimensions whose labels are not in the order of their numbers.
        let mixed = "window={size=1x2x3 pad=0_0x0_0x2_0}, dim_labels=bf210_io210->bf210";
        let cost = convolution("[1,1,4,5,6]", "[1,1,3,2,1]", "[1,1,4,4,6]", mixed);
        assert_eq!(cost, Some(2.0 * 6.0 * 8.0 * (4.0 * 3.0 - 3.0)));
        assert_eq!(
            convolution("[1,4,1]", "[3,1,1]", "[1,4,1]", "window={size=3 pad=x}, dim_labels=b0f_0io->b0f"),
            None
        );
    }
}
