//! Search of a UE over the type I codebook of a panel with more than four ports.
//!
//! The UE measures the covariance of the ports: over the carrier for i1, and in each subband for i2. A precoder is
//! a sum of four parts ([`Panel::coefficients`]). Its Gram matrix follows from the products of these parts. Parts
//! are beams, so a product is a Fourier transform of sums of the covariance along its diagonals. That takes one
//! transform for all beams instead of a product of matrices for each.
//!
//! Decision: i1 is that of the mean channel of the carrier. One layer has it by power, several by capacity at a
//! reference of 10 dB. Reason: the search then costs no more with subbands. Price: with subbands another i1 may
//! carry slightly more.

use num_complex::Complex64;

use super::layers::{Hermitian, MOST, REFERENCE};
use super::panel::{Index, Panel, wave};

/// Covariance of ports: conj(h(a)) h(b) by a, then b.
#[derive(Clone, Debug)]
pub(crate) struct Covariance {
    ports: usize,
    entries: Vec<Complex64>,
}

impl Covariance {
    pub(crate) fn zero(ports: usize) -> Covariance {
        Covariance { ports, entries: vec![Complex64::default(); ports * ports] }
    }

    /// Adds the channel to one antenna. Entries before the diagonal follow at the [`end`](Covariance::mirror).
    pub(crate) fn add(&mut self, gains: &[Complex64]) {
        for (a, row) in self.entries.chunks_exact_mut(self.ports).enumerate() {
            let own = gains[a].conj();
            row[a..].iter_mut().zip(&gains[a..]).for_each(|(sum, b)| *sum += own * b);
        }
    }

    /// Fills in the entries before the diagonal and divides by the number of resource blocks.
    pub(crate) fn mirror(&mut self, blocks: usize) {
        let share = 1.0 / blocks as f64;
        for a in 0..self.ports {
            for b in a..self.ports {
                let entry = self.entries[a * self.ports + b] * share;
                self.entries[a * self.ports + b] = entry;
                self.entries[b * self.ports + a] = entry.conj();
            }
        }
    }

    fn at(&self, a: usize, b: usize) -> Complex64 {
        self.entries[a * self.ports + b]
    }

    /// The product x^H R y of two vectors.
    fn between(&self, x: &[Complex64], y: &[Complex64]) -> Complex64 {
        let row = |(row, x): (&[Complex64], &Complex64)| -> Complex64 {
            x.conj() * row.iter().zip(y).map(|(entry, y)| entry * y).sum::<Complex64>()
        };
        self.entries.chunks_exact(self.ports).zip(x).map(row).sum()
    }
}

/// The search over the precoders of up to so many layers.
pub(crate) struct Search {
    panel: Panel,
    /// By number of layers, from one on.
    ranks: Vec<Rank>,
}

/// The precoders of one number of layers.
struct Rank {
    layers: usize,
    transform: Transform,
    /// Coefficients by i1,3, then i2.
    coefficients: Vec<Vec<Vec<[Complex64; 4]>>>,
}

impl Search {
    pub(crate) fn new(panel: Panel, layers: usize) -> Search {
        let rank = |layers: usize| {
            let (thirds, phases) = panel.indices(layers);
            let of = |third| (0..phases).map(|n| panel.coefficients(layers, third, n)).collect();
            let transform = Transform::new(panel.array(layers));
            Rank { layers, transform, coefficients: (0..thirds).map(of).collect() }
        };
        Search { panel, ranks: (1..=layers).map(rank).collect() }
    }

    /// The best index of each number of layers for a channel with this covariance: the first among equals.
    pub(crate) fn choose(&self, covariance: &Covariance) -> Vec<Index> {
        self.ranks.iter().map(|rank| self.best(rank, covariance)).collect()
    }

    /// The best i2 for the covariance of a subband, with i1 as it is.
    pub(crate) fn refine(&self, layers: usize, index: Index, covariance: &Covariance) -> Index {
        let phases = self.panel.indices(layers).1;
        let mut best = (f64::NEG_INFINITY, index);
        for phase in 0..phases {
            let index = Index { phase, ..index };
            let precoders = self.panel.precoders(layers, index);
            let mut gram = Hermitian::default();
            for (row, x) in gram.iter_mut().zip(&precoders) {
                row.iter_mut().zip(&precoders).for_each(|(g, y)| *g = covariance.between(x, y));
            }
            let merit = merit(&gram, layers);
            if merit > best.0 {
                best = (merit, index);
            }
        }
        best.1
    }

    fn best(&self, rank: &Rank, covariance: &Covariance) -> Index {
        let scale = 1.0 / (rank.layers * self.panel.ports()) as f64;
        let mut best = (f64::NEG_INFINITY, Index::default());
        let parts = Parts::of(self.panel, rank, covariance);
        let (first, second) = rank.transform.beams;
        for (third, phases) in rank.coefficients.iter().enumerate() {
            for beam in (0..first).flat_map(|l| (0..second).map(move |m| (l, m))) {
                let products = parts.products(beam, third);
                for (phase, coefficients) in phases.iter().enumerate() {
                    let gram = gram(&products, coefficients, scale);
                    let merit = merit(&gram, rank.layers);
                    if merit > best.0 {
                        best = (merit, Index { beam, third, phase });
                    }
                }
            }
        }
        best.1
    }
}

/// The power of one layer; of several the determinant of I + c G, whose logarithm is the capacity.
fn merit(gram: &Hermitian, layers: usize) -> f64 {
    if layers == 1 {
        return gram[0][0].re;
    }
    let mut matrix = *gram;
    let mut product = 1.0;
    for (n, row) in matrix.iter_mut().enumerate().take(layers) {
        row.iter_mut().for_each(|entry| *entry *= REFERENCE);
        row[n] += 1.0;
    }
    // The matrix is positive definite: no pivot is below 1.
    for pivot in 0..layers {
        let value = matrix[pivot][pivot].re;
        product *= value;
        let line = matrix[pivot];
        for row in &mut matrix[pivot + 1..layers] {
            let factor = row[pivot] / value;
            for column in pivot..layers {
                row[column] -= factor * line[column];
            }
        }
    }
    product
}

/// Gram matrix C^H Q C of layers with these coefficients.
fn gram(products: &Hermitian, coefficients: &[[Complex64; 4]], scale: f64) -> Hermitian {
    let mut gram = Hermitian::default();
    for (j, other) in coefficients.iter().enumerate() {
        let mut column = [Complex64::default(); MOST];
        for (sum, row) in column.iter_mut().zip(products) {
            *sum = row.iter().zip(other).map(|(q, c)| q * c).sum();
        }
        for (i, one) in coefficients[..=j].iter().enumerate() {
            let sum: Complex64 = one.iter().zip(&column).map(|(c, q)| c.conj() * q).sum();
            gram[i][j] = sum * scale;
            gram[j][i] = gram[i][j].conj();
        }
    }
    gram
}

/// Products of the parts of precoders, for all beams.
enum Parts {
    /// Of four quarters of the ports: both halves of one polarisation, then of the other.
    Halves(Vec<Table>, (usize, usize)),
    /// Of both polarisations, for each second beam: (first, first), (first, second) and the reverse polarisations.
    Seconds(Seconds),
}

/// Products of one beam in two groups of ports, by beam.
type Table = Vec<Complex64>;

struct Seconds {
    /// Polarisations 0 and 0, 0 and 1, 1 and 1 with one beam.
    same: [Table; 3],
    /// Of a beam and its second: polarisations 0 and 0, 0 and 1, 1 and 0, 1 and 1.
    other: Vec<[Table; 4]>,
    seconds: &'static [(usize, usize)],
    beams: (usize, usize),
    array: (usize, usize),
}

impl Parts {
    fn of(panel: Panel, rank: &Rank, covariance: &Covariance) -> Parts {
        let transform = &rank.transform;
        let size = transform.array.0 * transform.array.1;
        let table = |x: usize, y: usize, further| {
            transform.products(covariance, (x * size, y * size), further)
        };
        if panel.is_halved(rank.layers) {
            let pairs = (0..4).flat_map(|x| (x..4).map(move |y| (x, y)));
            let tables = pairs.map(|(x, y)| table(x, y, (0, 0))).collect();
            return Parts::Halves(tables, transform.beams);
        }
        let same = [table(0, 0, (0, 0)), table(0, 1, (0, 0)), table(1, 1, (0, 0))];
        let seconds = panel.seconds(rank.layers);
        let other = match rank.layers {
            1 => Vec::new(),
            _ => {
                let of =
                    |further| [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(x, y)| table(x, y, further));
                seconds.iter().map(|&further| of(further)).collect()
            }
        };
        let (beams, array) = (transform.beams, transform.array);
        Parts::Seconds(Seconds { same, other, seconds, beams, array })
    }

    /// Products of the four parts for a beam and i1,3.
    fn products(&self, (l, m): (usize, usize), third: usize) -> Hermitian {
        let mut products = Hermitian::default();
        let mut set = |i: usize, j: usize, value: Complex64| {
            products[i][j] = value;
            products[j][i] = value.conj();
        };
        match self {
            Parts::Halves(tables, beams) => {
                let pairs = (0..4).flat_map(|x| (x..4).map(move |y| (x, y)));
                pairs.zip(tables).for_each(|((x, y), table)| set(x, y, table[l * beams.1 + m]));
            }
            Parts::Seconds(seconds) => seconds.products((l, m), third, &mut set),
        }
        products
    }
}

impl Seconds {
    fn products(
        &self,
        (l, m): (usize, usize),
        third: usize,
        set: &mut impl FnMut(usize, usize, Complex64),
    ) {
        let (first, second) = self.beams;
        let at = l * second + m;
        set(0, 0, self.same[0][at]);
        set(0, 1, self.same[1][at]);
        set(1, 1, self.same[2][at]);
        let Some(other) = self.other.get(third) else { return };
        let (k1, k2) = self.seconds[third];
        let (l, m) = (l + k1 * (first / self.array.0), m + k2 * (second / self.array.1));
        let beside = l % first * second + m % second;
        set(2, 2, self.same[0][beside]);
        set(2, 3, self.same[1][beside]);
        set(3, 3, self.same[2][beside]);
        for (n, table) in other.iter().enumerate() {
            set(n / 2, 2 + n % 2, table[at]);
        }
    }
}

/// Transforms of sums along diagonals to products of beams.
struct Transform {
    /// Columns and rows.
    array: (usize, usize),
    beams: (usize, usize),
    /// Waves by beam, then difference of columns; and by beam, then difference of rows.
    waves: [Vec<Complex64>; 2],
}

impl Transform {
    fn new(array: (usize, usize)) -> Transform {
        let beams = Panel::beams(array);
        let waves = |beams: usize, antennas: usize| {
            let wave = move |beam: usize, n: usize| {
                let distance = n as f64 - (antennas - 1) as f64;
                wave(beam as f64 * distance / beams as f64)
            };
            let of = move |beam| (0..2 * antennas - 1).map(move |n| wave(beam, n));
            (0..beams).flat_map(of).collect()
        };
        Transform { array, beams, waves: [waves(beams.0, array.0), waves(beams.1, array.1)] }
    }

    /// Products v^H R w for each beam v. Beam v is at the ports from the first of `at` on. Beam w, `further`
    /// orthogonal beams away, is at the ports from the second on.
    fn products(
        &self,
        covariance: &Covariance,
        at: (usize, usize),
        further: (usize, usize),
    ) -> Table {
        let ((columns, rows), (first, second)) = (self.array, self.beams);
        let (wide, high) = (2 * columns - 1, 2 * rows - 1);
        let sums = self.sums(covariance, at, further);
        let mut table = Vec::with_capacity(first * second);
        let mut by_row = vec![Complex64::default(); high];
        for waves in self.waves[0].chunks_exact(wide).take(first) {
            by_row.fill(Complex64::default());
            for (wave, sums) in waves.iter().zip(sums.chunks_exact(high)) {
                by_row.iter_mut().zip(sums).for_each(|(sum, one)| *sum += wave * one);
            }
            let product = |waves: &[Complex64]| -> Complex64 {
                waves.iter().zip(&by_row).map(|(wave, sum)| wave * sum).sum()
            };
            table.extend(self.waves[1].chunks_exact(high).take(second).map(product));
        }
        table
    }

    /// Sums of entries of equal difference of columns, then rows.
    fn sums(
        &self,
        covariance: &Covariance,
        (x, y): (usize, usize),
        (k1, k2): (usize, usize),
    ) -> Table {
        let (columns, rows) = self.array;
        let high = 2 * rows - 1;
        let mut sums = vec![Complex64::default(); (2 * columns - 1) * high];
        for (pair, turn) in self.turns(k1, k2).into_iter().enumerate() {
            let (column, row) = (pair / rows, pair % rows);
            for from in 0..columns * rows {
                let (own_column, own_row) = (from / rows, from % rows);
                let difference =
                    (column + columns - 1 - own_column) * high + row + rows - 1 - own_row;
                sums[difference] += covariance.at(x + from, y + pair) * turn;
            }
        }
        sums
    }

    /// Turns from a beam to one that is so many orthogonal beams away, by antenna.
    fn turns(&self, k1: usize, k2: usize) -> Vec<Complex64> {
        let (columns, rows) = self.array;
        let turn = |column: usize, row: usize| {
            let by_column = (k1 * column % columns) as f64 / columns as f64;
            wave(by_column + (k2 * row % rows) as f64 / rows as f64)
        };
        (0..columns).flat_map(|column| (0..rows).map(move |row| turn(column, row))).collect()
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
