//! This module estimates the number of MoE layers of a step from the number of calls of grouped matmuls.
//!
//! A layer with two expert matmuls calls GMM four times (forward, and the gradient by the input) and TGMM twice (the
//! gradient by the weights). A layer with a gated three calls them six and three times. The ratio is the same, so the
//! hint gives both numbers of layers.

use xla_profile::profile::{Note, NoteCode, Severity};

/// The type of a grouped matmul.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouped {
    /// Activations × weights.
    Gmm,
    /// Activationsᵀ × gradient.
    Tgmm,
}

/// Returns the type of a grouped matmul by the name of its kernel, such as `gmm.3` or `jit_tgmm_.1`; `None` for other
/// kernels.
pub fn grouped(name: &str) -> Option<Grouped> {
    let is = |word: &str| name.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == word);
    if is("tgmm") {
        return Some(Grouped::Tgmm);
    }
    is("gmm").then_some(Grouped::Gmm)
}

/// Returns the note on the likely number of layers, by the calls in one step of one device. `None` if the numbers of
/// calls do not fit.
pub fn hint(gmm: u64, tgmm: u64) -> Option<Note> {
    if tgmm == 0 || gmm != tgmm * 2 {
        return None;
    }
    let layers = |calls: u64, with: &str| gmm.is_multiple_of(calls).then(|| format!("{} with {with}", gmm / calls));
    let both = [layers(4, "two expert matmuls each"), layers(6, "a gated three each")];
    let both: Vec<String> = both.into_iter().flatten().collect();
    let message = format!("{gmm} GMM and {tgmm} TGMM calls: MoE layers per step are likely {}.", both.join(", or "));
    (!both.is_empty()).then(|| Note::new(Severity::Info, NoteCode::MoeLayers, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints() {
        let message = |gmm, tgmm| hint(gmm, tgmm).map(|n| n.message);
        let both = "24 GMM and 12 TGMM calls: MoE layers per step are likely 6 with two expert matmuls each, or 4 with a gated three each.";
        assert_eq!(message(24, 12).as_deref(), Some(both));
        let one = "8 GMM and 4 TGMM calls: MoE layers per step are likely 2 with two expert matmuls each.";
        assert_eq!(message(8, 4).as_deref(), Some(one));
        assert_eq!((message(8, 3), message(8, 0), message(2, 1)), (None, None, None));
    }

    #[test]
    fn kernels() {
        assert_eq!(grouped("gmm.3"), Some(Grouped::Gmm));
        assert_eq!(grouped("jit_tgmm_.1"), Some(Grouped::Tgmm));
        assert_eq!(grouped("hgmma.1"), None);
    }
}
