//! This module aligns two sequences of ops with the same key by what runs beside them, as a patience diff does.
//!
//! ```text
//!  a  u v w x      u and x are unique in both: anchors
//!  b  u w v w x    between the anchors: v and w, of which one order is kept
//! ```

use rustc_hash::FxHashMap;

/// What runs beside an op: the digests of the keys of the op before it and of the op after it.
pub(super) type Context = [u64; 2];

/// Aligns two sequences: returns pairs of indices with the same context, in the order of both. First the ops whose
/// context is unique in both sequences are aligned, then between these those whose op before, or else whose op after,
/// is unique, and then those with the same context in order of occurrence. If the sequences are swapped, the pairs are
/// swapped.
pub(super) fn align(a: &[Context], b: &[Context]) -> Vec<(usize, usize)> {
    // Several longest chains may exist. The order of the sequences decides which one is taken, whichever comes first.
    if b < a {
        return align(b, a).into_iter().map(|(b, a)| (a, b)).collect();
    }
    type KeyOf = fn(&Context) -> u64;
    let keys: [(KeyOf, bool); 4] = [
        (|context| super::digest::digest(context), false),
        (|context| context[0], false),
        (|context| context[1], false),
        (|context| super::digest::digest(context), true),
    ];
    let mut anchors: Vec<(usize, usize)> = Vec::new();
    for (key, repeats) in keys {
        let mut all = Vec::new();
        for ((a_from, a_to), (b_from, b_to)) in gaps(&anchors, a.len(), b.len()) {
            let digests = |contexts: &[Context]| contexts.iter().map(key).collect::<Vec<u64>>();
            let chain = longest_chain(&common(&digests(&a[a_from..a_to]), &digests(&b[b_from..b_to]), repeats));
            all.extend(chain.into_iter().map(|(at_a, at_b)| (a_from + at_a, b_from + at_b)));
        }
        anchors.extend(all);
        anchors.sort_unstable();
    }
    anchors
}

/// A half-open range of indices.
pub(super) type Span = (usize, usize);

/// Returns the ranges between anchors that hold elements of both sequences, which have `n_a` and `n_b` elements.
pub(super) fn gaps(anchors: &[(usize, usize)], n_a: usize, n_b: usize) -> Vec<(Span, Span)> {
    let ends = anchors.iter().copied().chain([(n_a, n_b)]);
    let starts = [(0, 0)].into_iter().chain(anchors.iter().map(|(a, b)| (a + 1, b + 1)));
    let spans = starts.zip(ends).map(|((a_from, b_from), (a_to, b_to))| ((a_from, a_to), (b_from, b_to)));
    spans.filter(|((a_from, a_to), (b_from, b_to))| a_from < a_to && b_from < b_to).collect()
}

/// Returns the indices of elements that are in both sequences, in the order of `a`. With `repeats`, the n-th element
/// of a value belongs to the n-th of the other sequence; without, only values count that are unique in both.
fn common(a: &[u64], b: &[u64], repeats: bool) -> Vec<(usize, usize)> {
    let mut places: FxHashMap<u64, (Vec<usize>, Vec<usize>)> = FxHashMap::default();
    a.iter().enumerate().for_each(|(index, value)| places.entry(*value).or_default().0.push(index));
    b.iter().enumerate().for_each(|(index, value)| places.entry(*value).or_default().1.push(index));
    let is_chosen = |(a, b): &&(Vec<usize>, Vec<usize>)| repeats || (a.len() == 1 && b.len() == 1);
    let chosen = places.values().filter(is_chosen);
    let mut pairs: Vec<(usize, usize)> = chosen.flat_map(|(a, b)| a.iter().copied().zip(b.iter().copied())).collect();
    pairs.sort_unstable();
    pairs
}

/// Returns a longest chain of pairs that ascends in both numbers. `pairs` ascend in the first number.
pub fn longest_chain(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends[n]` is the pair with the smallest second number that ends a chain of n + 1 pairs.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (index, (_, second)) in pairs.iter().enumerate() {
        let n = ends.partition_point(|end| pairs[*end].1 < *second);
        before[index] = n.checked_sub(1).map(|n| ends[n]);
        if n == ends.len() {
            ends.push(index);
        } else {
            ends[n] = index;
        }
    }
    let mut chain: Vec<(usize, usize)> =
        std::iter::successors(ends.last().copied(), |index| before[*index]).map(|index| pairs[index]).collect();
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contexts of the letters of a text, with a blank before and after it.
    fn contexts(text: &str) -> Vec<Context> {
        let bytes = [b" ", text.as_bytes(), b" "].concat();
        bytes.windows(3).map(|w| [w[0].into(), w[2].into()]).collect()
    }

    #[test]
    fn chains() {
        assert_eq!(longest_chain(&[(0, 3), (1, 1), (2, 2), (3, 0), (4, 4)]), [(1, 1), (2, 2), (4, 4)]);
        assert_eq!(longest_chain(&[]), []);
    }

    #[test]
    fn an_op_that_was_added_has_no_partner() {
        let all: Vec<Context> = (0..6).map(|i| [i, i + 10]).collect();
        let less: Vec<Context> = [0, 1, 3, 4, 5].map(|i| all[i]).to_vec();
        let pairs = [(0, 0), (1, 1), (3, 2), (4, 3), (5, 4)];
        assert_eq!(align(&all, &less), pairs);
        assert_eq!(align(&less, &all), pairs.map(|(a, b)| (b, a)));
    }

    #[test]
    fn repeats_are_aligned_in_order() {
        let [three, five] = [3, 5].map(|n| vec![[1, 2]; n]);
        assert_eq!(align(&three, &five), [(0, 0), (1, 1), (2, 2)]);
        assert!(align(&three, &[[8, 9]]).is_empty());
    }

    #[test]
    fn swapped_sequences_give_swapped_pairs() {
        for (a, b) in [("abcabc", "bcabca"), ("xyxyz", "yxzyx"), ("aab", "baa"), ("", "a")] {
            let (a, b) = (contexts(a), contexts(b));
            let swapped: Vec<(usize, usize)> = align(&b, &a).into_iter().map(|(b, a)| (a, b)).collect();
            assert_eq!(align(&a, &b), swapped);
        }
    }
}
