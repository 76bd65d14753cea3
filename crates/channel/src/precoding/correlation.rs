//! Correlation among the ports of a base station: a uniform linear array of TS 36.101,
//! B.2.3.2.

use airpath_base::math;
use airpath_schema::choice;

choice! {
    /// Correlation of antenna ports (TS 36.101, table B.2.3.2-1).
    #[derive(Hash)]
    pub enum Correlation: Low {
        /// No correlation between ports.
        Low = "low",
        /// Correlation of 0.3 between the outermost ports.
        Medium = "medium",
        /// Correlation of 0.9 between the outermost ports.
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

    /// Correlation of ports `a` and `b` among `ports` (TS 36.101, table B.2.3.1-1): alpha to
    /// the square of their distance, which is 1 between the outermost.
    fn between(self, a: usize, b: usize, ports: usize) -> f64 {
        if a == b {
            return 1.0;
        }
        let distance = a.abs_diff(b) as f64 / (ports - 1) as f64;
        math::pow(self.alpha(), distance * distance)
    }

    /// The lower triangle L, row by row, with L L^T the correlation among `ports`: it turns
    /// independent fading into correlated.
    pub(crate) fn root(self, ports: usize) -> Vec<Vec<f64>> {
        let mut root: Vec<Vec<f64>> = Vec::with_capacity(ports);
        for row in 0..ports {
            let mut line = vec![0.0; row + 1];
            for column in 0..=row {
                let above = if column == row { &line } else { &root[column] };
                let known: f64 = (0..column).map(|k| line[k] * above[k]).sum();
                let rest = self.between(row, column, ports) - known;
                line[column] =
                    if column == row { rest.sqrt() } else { rest / root[column][column] };
            }
            root.push(line);
        }
        root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medium_correlation_of_four_ports() {
        // TS 36.101, table B.2.3.1-1, row of four antennas: 1, a^(1/9), a^(4/9), a.
        let row = [1.0, 0.874_8, 0.585_6, 0.3];
        for (port, expected) in row.iter().enumerate() {
            assert!((Correlation::Medium.between(0, port, 4) - expected).abs() < 1e-4);
        }
    }

    #[test]
    fn the_root_gives_the_correlation_again() {
        for correlation in [Correlation::Low, Correlation::Medium, Correlation::High] {
            for ports in [1, 2, 4] {
                let root = correlation.root(ports);
                for a in 0..ports {
                    for b in 0..=a {
                        let sum: f64 = root[a].iter().zip(&root[b]).map(|(x, y)| x * y).sum();
                        let expected = correlation.between(a, b, ports);
                        assert!((sum - expected).abs() < 1e-12, "{correlation:?} {a} {b}");
                    }
                }
            }
        }
    }
}
