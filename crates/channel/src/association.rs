//! Association of a UE: its serving cell, and its interferers.

/// The cell of the strongest signal, and how it stands against all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Association {
    /// Index of the serving cell among the network's cells.
    pub cell: usize,
    /// Its gain as a factor, antennas included.
    pub gain: f64,
    /// Sum of the gains of all others.
    pub others: f64,
}

impl Association {
    /// The strongest of these gains; of equals the first. None if there is no cell.
    pub fn strongest(gains: &[f64]) -> Option<Association> {
        let best = gains.iter().copied().enumerate();
        let (cell, _) = best.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
        Some(Association::of(gains, cell))
    }

    /// A cell with one of these gains, which need not be the strongest.
    pub fn of(gains: &[f64], cell: usize) -> Association {
        let others = gains.iter().enumerate().filter(|&(other, _)| other != cell);
        Association { cell, gain: gains[cell], others: others.map(|(_, gain)| gain).sum() }
    }

    /// Signal over interference and noise as a factor; `noise` is the noise over the power
    /// of a cell. All cells send.
    pub fn geometry(&self, noise: f64) -> f64 {
        self.gain / (self.others + noise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_serves() {
        let one = Association::strongest(&[1.0, 4.0, 4.0, 2.0]).expect("cells");
        assert_eq!(one, Association { cell: 1, gain: 4.0, others: 7.0 });
        assert_eq!(one.geometry(1.0), 0.5);
        assert_eq!(Association::strongest(&[]), None);
    }
}
