//! The roofline with the programs at hand. Knows reports; no browser.

use super::Programs;
use super::programs::AtHand;
use crate::analysis::roofline::{RooflineAnswer, RooflineQuery, StepRoof};
use crate::analysis::{Analysis, FilterError};
use crate::profile::Profile;

/// Holds ops against their roofs, with the programs at hand.
///
/// # Errors
/// [`FilterError`] where the filter's text is to be a regular expression and is none.
pub fn roofline(
    analysis: &Analysis,
    profile: &Profile,
    programs: &mut Programs,
    ask: &RooflineQuery,
) -> Result<RooflineAnswer, FilterError> {
    let at_hand = AtHand::new(profile, programs);
    analysis.roofline(profile, ask, Some(&|id| at_hand.module(id)))
}

/// Every step against the roofs, with the programs at hand.
///
/// # Errors
/// [`FilterError`] where the filter's text is to be a regular expression and is none.
pub fn roofline_steps(
    analysis: &Analysis,
    profile: &Profile,
    programs: &mut Programs,
    ask: &RooflineQuery,
) -> Result<Vec<StepRoof>, FilterError> {
    let at_hand = AtHand::new(profile, programs);
    analysis.roofline_steps(profile, ask, Some(&|id| at_hand.module(id)))
}
