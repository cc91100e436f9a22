//! What is known of each op of a plane before any time is summed: kind, category, result shape, source.

use super::Kind;
use super::classify::{Facts, classify, result_shape};
use super::source_frame::{Frames, Innermost, innermost, majority};
use crate::profile::{Op, OpId, Plane, Profile, StrId};

/// Facts of one op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpFacts {
    /// Its kind.
    pub kind: Kind,
    /// Whether a rule gave the kind.
    pub known: bool,
    /// `hlo_category`.
    pub category: Option<StrId>,
}

/// Facts of a plane's ops.
pub struct PlaneFacts {
    /// By [`OpId`].
    pub ops: Vec<OpFacts>,
    /// Where source stacks have their innermost frame.
    pub innermost: Innermost,
}

impl PlaneFacts {
    /// Looks at a plane.
    pub fn new(profile: &Profile, plane: &Plane) -> Self {
        let of = |op: &Op| {
            let category = op.stats.category;
            let facts = Facts {
                category: category.map(|c| profile.text(c)),
                name: profile.text(op.name),
                text: profile.text(op.text),
            };
            let class = classify(facts);
            OpFacts { kind: class.kind, known: class.known, category }
        };
        let ops = plane.ops.iter().map(of).collect();
        let innermost = majority(plane.ops.iter().map(|op| frames(profile, op)));
        Self { ops, innermost }
    }

    /// Facts of one op of the plane.
    pub fn of(&self, id: OpId) -> OpFacts {
        self.ops[id.0 as usize]
    }

    /// The innermost source frame of an op.
    pub fn source_inner<'p>(&self, profile: &'p Profile, op: &Op) -> Option<&'p str> {
        innermost(frames(profile, op), self.innermost)
    }
}

fn frames<'p>(profile: &'p Profile, op: &Op) -> Frames<'p> {
    let text = |id: Option<StrId>| id.map(|id| profile.text(id));
    Frames { source: text(op.stats.source), stack: text(op.stats.source_stack) }
}

/// The shape of an op's result with its layout: the stat, else the text's.
pub fn shape<'p>(profile: &'p Profile, op: &Op) -> Option<&'p str> {
    op.stats.shape.map(|s| profile.text(s)).or_else(|| result_shape(profile.text(op.text)))
}

/// Element types in a shape, in order of appearance, each once.
pub fn dtypes(shape: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in shape.match_indices('[') {
        let head = &shape[..at];
        let word = head.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        if word.starts_with(|c: char| c.is_ascii_lowercase()) && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn element_types() {
        assert_eq!(dtypes("bf16[8,128]{1,0:T(8,128)(2,1)}"), ["bf16"]);
        assert_eq!(dtypes("(f32[2]{0}, /*index=1*/f8e4m3fn[4], f32[])"), ["f32", "f8e4m3fn"]);
        assert_eq!(dtypes("token[]"), ["token"]);
        assert_eq!(dtypes("s\u{fffd}u8[2]"), ["u8"], "damaged text");
        assert!(dtypes("").is_empty());
    }
}
