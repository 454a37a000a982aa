//! What two sequences have in common, in order.

/// Pairs of places at which two sequences have the same item, both rising, as many as there can be; of several ways the
/// one with the fewest gaps.
///
/// Takes time and memory of the product of the lengths.
#[must_use]
pub fn common_places(one: &[u32], other: &[u32]) -> Vec<(usize, usize)> {
    // A match is worth more than any number of gaps that it may open.
    let worth = u32::try_from(one.len().min(other.len()) + 1).unwrap_or(u32::MAX);
    let width = other.len() + 1;
    // Best worth of the heads up to a place; of those that end with a match there.
    let mut best = vec![0_u32; (one.len() + 1) * width];
    let mut ending = vec![0_u32; (one.len() + 1) * width];
    for i in 1..=one.len() {
        for j in 1..=other.len() {
            let at = i * width + j;
            let before = (i - 1) * width + j - 1;
            if one[i - 1] == other[j - 1] {
                let run = if ending[before] > 0 { ending[before] + 1 } else { 0 };
                ending[at] = worth.saturating_add(run.max(best[before]));
            }
            best[at] = ending[at].max(best[at - 1]).max(best[at - width]);
        }
    }
    let mut pairs = Vec::new();
    let (mut i, mut j) = (one.len(), other.len());
    let mut bound = false;
    while i > 0 && j > 0 {
        let at = i * width + j;
        if ending[at] > 0 && (bound || ending[at] == best[at]) {
            pairs.push((i - 1, j - 1));
            let before = (i - 1) * width + j - 1;
            bound = ending[before] > 0 && ending[before] + 1 >= best[before];
            (i, j) = (i - 1, j - 1);
        } else if best[at] == best[at - 1] {
            j -= 1;
        } else {
            i -= 1;
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::common_places;

    #[test]
    fn matches_that_stand_together_are_preferred() {
        // The second 1 of the longer one stands beside 2.
        assert_eq!(common_places(&[1, 2], &[1, 3, 1, 2]), [(0, 2), (1, 3)]);
        assert_eq!(common_places(&[1, 2, 3], &[1, 9, 3]), [(0, 0), (2, 2)]);
        assert_eq!(common_places(&[], &[1]), []);
    }

    /// Length of the longest common subsequence by plain recursion.
    fn longest(one: &[u32], other: &[u32]) -> usize {
        match (one, other) {
            ([a, one_rest @ ..], [b, other_rest @ ..]) if a == b => 1 + longest(one_rest, other_rest),
            ([_, one_rest @ ..], [_, other_rest @ ..]) => longest(one_rest, other).max(longest(one, other_rest)),
            _ => 0,
        }
    }

    proptest! {
        #[test]
        fn it_is_a_longest_common_subsequence(one in prop::collection::vec(0_u32..4, 0..8), other in prop::collection::vec(0_u32..4, 0..8)) {
            let pairs = common_places(&one, &other);
            prop_assert!(pairs.iter().all(|&(i, j)| one[i] == other[j]));
            prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            prop_assert_eq!(pairs.len(), longest(&one, &other));
        }
    }
}
