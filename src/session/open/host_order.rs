//! This module orders names with the numbers in them: `w-2` comes before `w-10`, as replica groups number hosts.

use std::cmp::Ordering;

/// Compares names part by part: numbers by their values, and other bytes as they are. Names that differ only in leading zeros are
/// compared as texts.
pub(crate) fn by_numbers(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    loop {
        let (number_a, rest_a) = number(left);
        let (number_b, rest_b) = number(right);
        let order = match (number_a.is_empty(), number_b.is_empty()) {
            (false, false) => {
                (left, right) = (rest_a, rest_b);
                number_a.len().cmp(&number_b.len()).then_with(|| number_a.cmp(number_b))
            }
            _ => match (left.split_first(), right.split_first()) {
                (Some((first_a, rest_a)), Some((first_b, rest_b))) => {
                    (left, right) = (rest_a, rest_b);
                    first_a.cmp(first_b)
                }
                (first_a, first_b) => return first_a.is_some().cmp(&first_b.is_some()).then_with(|| a.cmp(b)),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Returns the digits at the start without leading zeros, and the bytes after them. A zero alone is a digit.
fn number(text: &[u8]) -> (&[u8], &[u8]) {
    let n = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(n);
    let zeros = digits.iter().take(n.saturating_sub(1)).take_while(|digit| **digit == b'0').count();
    (digits.get(zeros..).unwrap_or_default(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_their_order() {
        let mut names = ["w-10", "w-2", "w-1.b", "v", "w-02", "w-", "w-1", "w-100000000000000000000"];
        names.sort_by(|a, b| by_numbers(a, b));
        assert_eq!(names, ["v", "w-", "w-1", "w-1.b", "w-02", "w-2", "w-10", "w-100000000000000000000"]);
    }
}
