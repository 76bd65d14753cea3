//! Correlation among the ports of a base station, and among the antennas of a UE: uniform linear
//! arrays of TS 36.101, B.2.3.2.
//!
//! The correlation of two pairs of antennas is the product of those at both ends (B.2.3.2). Left out:
//! the diagonal that B.2.3.2 adds where rounded values leave no positive matrix.

use airpath_base::math;
use airpath_schema::choice;

choice! {
    /// Correlation of antenna ports (TS 36.101, table B.2.3.2-1).
    #[derive(Hash)]
    pub enum Correlation: Low {
        /// No correlation between ports.
        Low = "low",
        /// Correlation of 0.3 between the outermost ports, of 0.9 between a UE's outermost antennas.
        Medium = "medium",
        /// Correlation of 0.9 between the outermost ports, and between a UE's outermost antennas.
        High = "high",
    }
}

impl Correlation {
    /// Correlation alpha of the outermost ports.
    fn alpha(self) -> f64 {
        match self {
            Correlation::Low => 0.0,
            Correlation::Medium => 0.3,
            Correlation::High => 0.9,
        }
    }

    /// Correlation beta of the outermost antennas of a UE.
    fn beta(self) -> f64 {
        match self {
            Correlation::Low => 0.0,
            Correlation::Medium | Correlation::High => 0.9,
        }
    }

    /// Weights by which independent fading of pairs of antennas becomes that of each pair. Pairs are in
    /// the order of `receivers`, and of `ports` for each of them. Pairs behind those named have weight 0.
    pub(crate) fn weights(self, ports: usize, receivers: usize) -> Vec<Vec<f64>> {
        let (at_cell, at_ue) = (root(self.alpha(), ports), root(self.beta(), receivers));
        let pairs = at_ue.iter().flat_map(|ue| at_cell.iter().map(move |cell| (ue, cell)));
        let padded = |cell: &[f64]| [cell, &vec![0.0; ports - cell.len()]].concat();
        let weights = |(ue, cell): (&Vec<f64>, &Vec<f64>)| {
            let (last, before) = ue.split_last().expect("an antenna has a weight");
            let before =
                before.iter().flat_map(|own| padded(cell).into_iter().map(move |w| own * w));
            before.chain(cell.iter().map(|weight| last * weight)).collect()
        };
        pairs.map(weights).collect()
    }
}

/// Share of an antenna's power that must be independent of those before it. Less is rounding, as in
/// large arrays of high correlation.
const INDEPENDENT: f64 = 1e-9;

/// Correlation of antennas `a` and `b` of an array (TS 36.101, tables B.2.3.1-1 and -2). It is that of
/// the outermost antennas to the square of the distance, where the outermost have distance 1.
fn between(outermost: f64, a: usize, b: usize, count: usize) -> f64 {
    if a == b {
        return 1.0;
    }
    let distance = a.abs_diff(b) as f64 / (count - 1) as f64;
    math::pow(outermost, distance * distance)
}

/// The lower triangle L, row by row, with L L^T the correlation of an array: it turns independent
/// fading into correlated.
fn root(outermost: f64, count: usize) -> Vec<Vec<f64>> {
    let mut root: Vec<Vec<f64>> = Vec::with_capacity(count);
    for row in 0..count {
        let mut line = vec![0.0; row + 1];
        for column in 0..=row {
            let above = if column == row { &line } else { &root[column] };
            let known: f64 = (0..column).map(|k| line[k] * above[k]).sum();
            let rest = between(outermost, row, column, count) - known;
            line[column] = match column == row {
                true if rest > INDEPENDENT => rest.sqrt(),
                false if root[column][column] > 0.0 => rest / root[column][column],
                _ => 0.0,
            };
        }
        root.push(line);
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medium_correlation_of_four_ports() {
        // TS 36.101, table B.2.3.1-1, row of four antennas: 1, a^(1/9), a^(4/9), a.
        let row = [1.0, 0.874_8, 0.585_6, 0.3];
        for (port, expected) in row.iter().enumerate() {
            assert!((between(0.3, 0, port, 4) - expected).abs() < 1e-4);
        }
    }

    #[test]
    fn weights_give_the_product_of_both_correlations() {
        for correlation in [Correlation::Low, Correlation::Medium, Correlation::High] {
            for (ports, receivers) in
                [(1, 1), (2, 1), (4, 1), (2, 2), (4, 2), (4, 4), (8, 1), (32, 1)]
            {
                let weights = correlation.weights(ports, receivers);
                for (one, a) in weights.iter().enumerate() {
                    for (other, b) in weights.iter().enumerate() {
                        let sum: f64 = a.iter().zip(b).map(|(x, y)| x * y).sum();
                        let at_cell =
                            between(correlation.alpha(), one % ports, other % ports, ports);
                        let at_ue =
                            between(correlation.beta(), one / ports, other / ports, receivers);
                        assert!(
                            (sum - at_cell * at_ue).abs() < 1e-4,
                            "{correlation:?} {one} {other}"
                        );
                    }
                }
            }
        }
    }
}
