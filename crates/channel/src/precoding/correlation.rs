//! Correlation among the ports of a base station, and among the antennas of a UE. Uniform linear
//! arrays are those of TS 36.101, B.2.3.2, cross-polarised panels those of B.2.3A.
//!
//! The correlation of two pairs of antennas is the product of those at both ends (B.2.3.2), with polarisations
//! times that of matrix Gamma (B.2.3A.1). A panel of several rows has the same correlation over rows as over
//! columns. Left out: the diagonal that B.2.3.2 adds where rounded values leave no positive matrix.

use airpath_base::math;
use airpath_schema::choice;

use super::array::{Array, Position, Scattering};

choice! {
    /// Correlation of antenna ports (TS 36.101, tables B.2.3.2-1 and B.2.3A.3-1).
    #[derive(Hash)]
    pub enum Correlation: Low {
        /// No correlation between ports.
        Low = "low",
        /// Correlation of 0.3 between the outermost ports, of 0.9 between a UE's outermost antennas. With
        /// cross-polarised ports medium correlation A: of 0.6 between a UE's antennas, of 0.2 between
        /// polarisations.
        Medium = "medium",
        /// Correlation of 0.9 between the outermost ports, and between a UE's outermost antennas. With
        /// cross-polarised ports of 0.3 between polarisations.
        High = "high",
        /// Correlation by the median spreads and cross polarisation ratio of the environment (TR 38.901, table
        /// 7.5-6), with columns half a wavelength apart.
        Environment = "environment",
    }
}

impl Correlation {
    /// Correlation alpha of the outermost ports.
    fn alpha(self) -> f64 {
        match self {
            Correlation::Low | Correlation::Environment => 0.0,
            Correlation::Medium => 0.3,
            Correlation::High => 0.9,
        }
    }

    /// Correlation beta of the outermost antennas of a UE.
    fn beta(self) -> f64 {
        match self {
            Correlation::Low | Correlation::Environment => 0.0,
            Correlation::Medium | Correlation::High => 0.9,
        }
    }

    /// Correlation beta of the outermost antennas of a UE, and gamma of polarisations, with cross-polarised
    /// ports (TS 36.101, table B.2.3A.3-1).
    fn crossed(self) -> (f64, f64) {
        match self {
            Correlation::Low | Correlation::Environment => (0.0, 0.0),
            Correlation::Medium => (0.6, 0.2),
            Correlation::High => (0.9, 0.3),
        }
    }

    /// Weights by which independent fading of pairs of antennas becomes that of each pair. Pairs are in
    /// the order of `receivers`, and of `ports` for each of them. Pairs behind those named have weight 0.
    pub(crate) fn weights(
        self,
        (array, scattering): (Array, &Scattering),
        ports: usize,
        receivers: usize,
    ) -> Vec<Vec<f64>> {
        if array == Array::Linear && self != Correlation::Environment {
            return self.linear(ports, receivers);
        }
        let tables = Tables::new(self, (array, scattering), ports, receivers);
        let pair = |n: usize| (array.port(n % ports, ports), array.antenna(n / ports, receivers));
        root(ports * receivers, |one, other| tables.between(pair(one), pair(other)))
    }

    fn linear(self, ports: usize, receivers: usize) -> Vec<Vec<f64>> {
        let of = |outermost, count| root(count, |a, b| between(outermost, a, b, count));
        let (at_cell, at_ue) = (of(self.alpha(), ports), of(self.beta(), receivers));
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

/// Correlation by difference of positions.
struct Tables {
    /// Of ports by columns, then rows apart.
    cell: Vec<Vec<f64>>,
    /// Of a UE's antennas by columns apart.
    ue: Vec<f64>,
    gamma: f64,
}

impl Tables {
    fn new(
        correlation: Correlation,
        (array, scattering): (Array, &Scattering),
        ports: usize,
        receivers: usize,
    ) -> Tables {
        let (columns, rows) = array.size(ports);
        let by_environment = correlation == Correlation::Environment;
        let (beta, gamma) = correlation.crossed();
        let cell = |column: usize, row: usize| match by_environment {
            true => scattering.at_cell(column, row),
            false => {
                let of = |distance, count| between(correlation.alpha(), 0, distance, count);
                of(column, columns) * of(row, rows)
            }
        };
        let antennas = match array {
            Array::Linear => receivers,
            Array::CrossPolarised { .. } => receivers.div_ceil(2),
        };
        let ue = |distance| match by_environment {
            true => Scattering::at_ue(distance),
            false => between(beta, 0, distance, antennas),
        };
        Tables {
            cell: (0..columns).map(|n| (0..rows).map(|m| cell(n, m)).collect()).collect(),
            ue: (0..antennas).map(ue).collect(),
            gamma: if by_environment { scattering.gamma() } else { gamma },
        }
    }

    /// Correlation of two pairs of a port and an antenna of a UE.
    fn between(&self, (port, antenna): (Position, Position), other: (Position, Position)) -> f64 {
        let polarisations = match (antenna.polarisation, other.1.polarisation) {
            (own, others) if own != others => return 0.0,
            _ if port.polarisation == other.0.polarisation => 1.0,
            (0, _) => -self.gamma,
            _ => self.gamma,
        };
        let columns = port.column.abs_diff(other.0.column);
        let at_cell = self.cell[columns][port.row.abs_diff(other.0.row)];
        at_cell * self.ue[antenna.column.abs_diff(other.1.column)] * polarisations
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

/// The lower triangle L, row by row, with L L^T the correlation of so many: it turns independent
/// fading into correlated.
fn root(count: usize, correlation: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    let mut root: Vec<Vec<f64>> = Vec::with_capacity(count);
    for row in 0..count {
        let mut line = vec![0.0; row + 1];
        for column in 0..=row {
            let above = if column == row { &line } else { &root[column] };
            let known: f64 = (0..column).map(|k| line[k] * above[k]).sum();
            let rest = correlation(row, column) - known;
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
                let linear = (Array::Linear, &Scattering::default());
                let weights = correlation.weights(linear, ports, receivers);
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

    /// Products of weights: the correlation of pairs.
    fn correlations(weights: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let product = |a: &Vec<f64>, b: &Vec<f64>| a.iter().zip(b).map(|(x, y)| x * y).sum();
        weights.iter().map(|a| weights.iter().map(|b| product(a, b)).collect()).collect()
    }

    #[test]
    fn cross_polarised_ports_have_the_matrices_of_the_standard() {
        // TS 36.101, table B.2.3A.3-1 and B.2.3A.1: two columns of pairs, two antennas of a UE. High: 0.9 between
        // columns, -0.3 between polarisations at the first antenna, 0.3 at the second.
        let array = (Array::CrossPolarised { columns: 2, rows: 1 }, &Scattering::default());
        let found = correlations(&Correlation::High.weights(array, 4, 2));
        // Ports: columns 0 and 1 of one polarisation, then of the other; then the second antenna.
        let first = [1.0, 0.9, -0.3, -0.27, 0.0, 0.0, 0.0, 0.0];
        let sixth = [0.0, 0.0, 0.0, 0.0, 0.9, 1.0, 0.27, 0.3];
        for (row, expected) in [(0, first), (5, sixth)] {
            for (found, expected) in found[row].iter().zip(expected) {
                assert!((found - expected).abs() < 1e-9, "{row} {found} {expected}");
            }
        }
        // Medium A: four antennas of a UE are two of each polarisation, 0.6 apart.
        let found = correlations(&Correlation::Medium.weights(array, 4, 4));
        assert!((found[0][4] - 0.6).abs() < 1e-9 && (found[0][6] + 0.12).abs() < 1e-9);
        assert!(found[0][8].abs() < 1e-9, "another polarisation of the UE");
    }

    #[test]
    fn an_environment_correlates_neighbours_and_polarisations() {
        let scattering =
            Scattering { azimuth_deg: 10.0, zenith_deg: 2.0, cross_db: 7.0, row_spacing: 0.5 };
        let array = Array::CrossPolarised { columns: 8, rows: 2 };
        let found = correlations(&Correlation::Environment.weights((array, &scattering), 32, 4));
        for (one, row) in found.iter().enumerate() {
            assert!((row[one] - 1.0).abs() < 1e-9);
        }
        // A column further (two ports), the other polarisation (16), and the next antenna of the UE (32).
        let next = scattering.at_cell(1, 0);
        assert!((found[0][2] - next).abs() < 1e-6 && next > 0.8 && next < 0.9);
        assert!((found[0][16] + 0.667_3).abs() < 1e-3);
        assert!((found[64][80] - 0.667_3).abs() < 1e-3, "antennas of the other polarisation");
        assert!((found[0][32] + 0.304_2).abs() < 1e-3);
    }
}
