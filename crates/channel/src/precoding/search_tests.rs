//! The search against all precoders tried one by one.

use airpath_base::math;
use airpath_base::random::Seed;

use super::*;

/// Channels of so many antennas and ports, complex normal.
fn channels(ports: usize, antennas: usize, seed: u64) -> Vec<Vec<Complex64>> {
    let mut stream = Seed(seed).stream("normals");
    let mut normal = || {
        let radius = (-math::ln(1.0 - stream.uniform())).sqrt();
        wave(stream.uniform()) * radius
    };
    (0..antennas).map(|_| (0..ports).map(|_| normal()).collect()).collect()
}

fn covariance(channels: &[Vec<Complex64>], ports: usize) -> Covariance {
    let mut covariance = Covariance::zero(ports);
    channels.iter().for_each(|gains| covariance.add(gains));
    covariance.mirror(1);
    covariance
}

/// det(I + 10 G), or the power of one layer, by the received layers themselves.
fn by_channel(channels: &[Vec<Complex64>], precoders: &[Vec<Complex64>]) -> f64 {
    let received = |w: &Vec<Complex64>| -> Vec<Complex64> {
        channels.iter().map(|h| h.iter().zip(w).map(|(h, w)| h * w).sum()).collect()
    };
    let received: Vec<Vec<Complex64>> = precoders.iter().map(received).collect();
    let entry = |a: &Vec<Complex64>, b: &Vec<Complex64>| -> Complex64 {
        a.iter().zip(b).map(|(a, b)| a.conj() * b).sum()
    };
    let gram: Vec<Vec<Complex64>> =
        received.iter().map(|a| received.iter().map(|b| entry(a, b)).collect()).collect();
    if precoders.len() == 1 {
        return gram[0][0].re;
    }
    determinant(&gram)
}

/// det(I + 10 G) by Laplace's expansion.
fn determinant(gram: &[Vec<Complex64>]) -> f64 {
    fn expand(rows: &[Vec<Complex64>]) -> Complex64 {
        if rows.is_empty() {
            return Complex64::new(1.0, 0.0);
        }
        let term = |(n, entry): (usize, &Complex64)| {
            let below = |row: &Vec<Complex64>| [&row[..n], &row[n + 1..]].concat();
            let rest: Vec<Vec<Complex64>> = rows[1..].iter().map(below).collect();
            let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
            entry * sign * expand(&rest)
        };
        rows[0].iter().enumerate().map(term).sum()
    }
    let matrix: Vec<Vec<Complex64>> = gram
        .iter()
        .enumerate()
        .map(|(i, row)| {
            let one = |j: usize| if i == j { 1.0 } else { 0.0 };
            row.iter().enumerate().map(|(j, entry)| entry * 10.0 + one(j)).collect()
        })
        .collect();
    expand(&matrix).re
}

#[test]
fn finds_the_best_of_all_precoders() {
    for (columns, rows) in [(2, 2), (4, 1), (3, 2), (6, 1), (4, 2), (8, 1), (4, 3), (4, 4), (8, 2)]
    {
        let panel = Panel::new(columns, rows).unwrap();
        let channels = channels(panel.ports(), 4, u64::from(columns) * 100 + u64::from(rows));
        let covariance = covariance(&channels, panel.ports());
        let found = Search::new(panel, 4).choose(&covariance);
        for (layers, index) in (1..=4).zip(found) {
            let own = by_channel(&channels, &panel.precoders(layers, index));
            let all = panel.groups(layers).into_iter().flatten();
            let best = all.map(|one| by_channel(&channels, &one)).fold(0.0, f64::max);
            assert!((own / best - 1.0).abs() < 1e-9, "{columns} {rows} {layers}: {own} {best}");
        }
    }
}

#[test]
fn a_subband_has_the_best_phase() {
    let panel = Panel::new(8, 2).unwrap();
    let search = Search::new(panel, 4);
    let wide = covariance(&channels(32, 4, 1), 32);
    let own = channels(32, 4, 2);
    let chosen = search.choose(&wide);
    for (layers, index) in (1..=4).zip(chosen) {
        let refined = search.refine(layers, index, &covariance(&own, 32));
        assert_eq!((refined.beam, refined.third), (index.beam, index.third));
        let merit = |phase| by_channel(&own, &panel.precoders(layers, Index { phase, ..index }));
        let best = (0..panel.indices(layers).1).map(merit).fold(0.0, f64::max);
        assert!((merit(refined.phase) / best - 1.0).abs() < 1e-9, "{layers}");
    }
}
