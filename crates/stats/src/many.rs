//! Corrections of p for several tests at once.

/// The p of "everywhere": a statement holds in each of several cases, each with its own p. It is
/// the largest of them and needs no correction. None without cases or for a p outside 0..=1.
///
/// R. L. Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24
/// (1982).
pub fn everywhere(places: &[f64]) -> Option<f64> {
    if !places.iter().all(|p| (0.0..=1.0).contains(p)) {
        return None;
    }
    places.iter().copied().reduce(f64::max)
}

/// Each p, raised for a common level (Holm). An error in any of the statements is then no more
/// likely than the level. Independence is not needed. None for a p outside 0..=1.
///
/// S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
/// Statistics 6 (1979).
pub fn holm(p: &[f64]) -> Option<Vec<f64>> {
    if !p.iter().all(|p| (0.0..=1.0).contains(p)) {
        return None;
    }
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let (mut adjusted, mut largest) = (vec![0.0; p.len()], 0.0_f64);
    for (done, &place) in order.iter().enumerate() {
        largest = largest.max((p.len() - done) as f64 * p[place]).min(1.0);
        adjusted[place] = largest;
    }
    Some(adjusted)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn as_p_adjust_in_r() {
        // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") is 0.03 0.06 0.06 0.02.
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]).expect("probabilities");
        for (value, expected) in adjusted.into_iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((value - expected).abs() < 1e-12, "{value} is not {expected}");
        }
        assert_eq!((holm(&[]), holm(&[0.5, f64::NAN])), (Some(vec![]), None));
    }

    #[test]
    fn everywhere_is_where_it_is_least_certain() {
        assert_eq!(everywhere(&[0.01, 0.2, 0.03]), Some(0.2));
        assert_eq!((everywhere(&[]), everywhere(&[0.1, 1.5])), (None, None));
    }

    proptest! {
        #[test]
        fn holm_lies_between_nothing_and_bonferroni(p in prop::collection::vec(0.0..=1.0, 1..20)) {
            let adjusted = holm(&p).expect("probabilities");
            for (value, p0) in adjusted.iter().zip(&p) {
                prop_assert!(p0 <= value && *value <= (p0 * p.len() as f64).min(1.0).max(*p0) + 1e-12);
            }
            let mut both: Vec<_> = p.iter().zip(&adjusted).collect();
            both.sort_by(|a, b| a.0.total_cmp(b.0));
            prop_assert!(both.windows(2).all(|pair| pair[0].1 <= pair[1].1), "order is kept");
        }
    }
}
