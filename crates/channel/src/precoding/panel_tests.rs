//! The codebook of panels against tables of TS 38.214 and precoders by hand.

use super::*;

fn product(a: &Precoder, b: &Precoder) -> Complex64 {
    a.iter().zip(b).map(|(a, b)| a.conj() * b).sum()
}

fn all() -> impl Iterator<Item = Panel> {
    PANELS.iter().map(|&(columns, rows)| Panel { columns, rows })
}

#[test]
fn panels_are_those_of_the_table() {
    // TS 38.214, table 5.2.2.2.1-2: panels by number of ports.
    let counts = [4, 8, 12, 16, 24, 32].map(|ports| Panel::of_ports(ports).count());
    assert_eq!(counts, [1, 2, 2, 2, 3, 3]);
    assert_eq!(Panel::of_ports(6).count() + Panel::of_ports(20).count(), 0);
    assert_eq!((Panel::new(16, 1).map(Panel::ports), Panel::new(2, 3)), (Some(32), None));
    let usual = [8, 12, 16, 24, 32].map(|ports| Panel::usual(ports).unwrap());
    let sizes = usual.map(|panel| (panel.columns(), panel.rows()));
    assert_eq!(sizes, [(4, 1), (6, 1), (8, 1), (6, 2), (8, 2)]);
}

#[test]
fn numbers_of_precoders() {
    // i1,1 times i1,2 times i1,3 times i2 by the heads of tables 5.2.2.2.1-5 to -8.
    for (columns, rows, expected) in [
        (2, 1, [8 * 4, 8 * 2 * 2, 8 * 2, 8 * 2]),
        (2, 2, [64 * 4, 64 * 4 * 2, 64 * 3 * 2, 64 * 3 * 2]),
        (4, 1, [16 * 4, 16 * 4 * 2, 16 * 3 * 2, 16 * 3 * 2]),
        (3, 2, [96 * 4, 96 * 4 * 2, 96 * 4 * 2, 96 * 4 * 2]),
        (6, 1, [24 * 4, 24 * 4 * 2, 24 * 4 * 2, 24 * 4 * 2]),
        (8, 1, [32 * 4, 32 * 4 * 2, 16 * 4 * 2, 16 * 4 * 2]),
        (4, 4, [256 * 4, 256 * 4 * 2, 128 * 4 * 2, 128 * 4 * 2]),
        (8, 2, [256 * 4, 256 * 4 * 2, 128 * 4 * 2, 128 * 4 * 2]),
        (16, 1, [64 * 4, 64 * 4 * 2, 32 * 4 * 2, 32 * 4 * 2]),
    ] {
        let panel = Panel::new(columns, rows).unwrap();
        let found = [1, 2, 3, 4].map(|layers| panel.groups(layers).iter().flatten().count());
        assert_eq!(found, expected, "{columns} {rows}");
    }
}

#[test]
fn layers_are_orthogonal_and_share_the_power() {
    for panel in all() {
        for layers in 1..=4 {
            for precoders in panel.groups(layers).iter().flatten() {
                assert_eq!(precoders.len(), layers);
                for (n, a) in precoders.iter().enumerate() {
                    assert_eq!(a.len(), panel.ports());
                    for (m, b) in precoders.iter().enumerate() {
                        let expected = if n == m { 1.0 / layers as f64 } else { 0.0 };
                        assert!((product(a, b) - expected).l1_norm() < 1e-12, "{panel:?} {layers}");
                    }
                }
            }
        }
    }
}

#[test]
fn weights_have_equal_amplitude() {
    for panel in all() {
        for layers in 1..=4 {
            let expected = 1.0 / (layers * panel.ports()) as f64;
            let weights = panel.groups(layers).into_iter().flatten().flatten().flatten();
            assert!(weights.map(|w| w.norm_sqr()).all(|power| (power - expected).abs() < 1e-12));
        }
    }
}

/// Precoders with these weights, times a scale.
fn by_hand(scale: f64, columns: &[&[Complex64]]) -> Precoders {
    columns.iter().map(|one| one.iter().map(|w| w * scale).collect()).collect()
}

fn assert_near(found: &Precoders, expected: &Precoders) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((a - b).l1_norm() < 1e-12, "{found:?} is not {expected:?}");
    }
}

#[test]
fn eight_ports_by_hand() {
    let minus = -ONE;
    // Table 5.2.2.2.1-5, (N1, N2) = (4, 1), l = 4, i2 = 1: v = (1, i, -1, -i), and i times that.
    let panel = Panel::new(4, 1).unwrap();
    let found = panel.precoders(1, Index { beam: (4, 0), third: 0, phase: 1 });
    let scale = 1.0 / 8.0_f64.sqrt();
    assert_near(&found, &by_hand(scale, &[&[ONE, I, minus, -I, I, minus, -I, ONE]]));
    // Table 5.2.2.2.1-6, i1,3 = 2: k1 = 2 O1. l = 4 and l' = 12: v' = (1, -i, -1, i), i2 = 0.
    let found = panel.precoders(2, Index { beam: (4, 0), third: 2, phase: 0 });
    let first = [ONE, I, minus, -I, ONE, I, minus, -I];
    let second = [ONE, -I, minus, I, minus, I, ONE, -I];
    assert_near(&found, &by_hand(0.25, &[&first, &second]));
    // Table 5.2.2.2.1-4, (2, 2), i1,3 = 1: k2 = O2. l = m = 0 and m' = 4: v' = (1, -1, 1, -1).
    let panel = Panel::new(2, 2).unwrap();
    let found = panel.precoders(3, Index { beam: (0, 0), third: 1, phase: 1 });
    let first = [ONE, ONE, ONE, ONE, I, I, I, I];
    let second = [ONE, minus, ONE, minus, I, -I, I, -I];
    let third = [ONE, ONE, ONE, ONE, -I, -I, -I, -I];
    assert_near(&found, &by_hand(1.0 / 24.0_f64.sqrt(), &[&first, &second, &third]));
}

#[test]
fn sixteen_ports_by_hand() {
    // Table 5.2.2.2.1-8, (4, 2), l = 2, m = 4, p = 2, n = 1: the half beam has two columns of two rows, and
    // v = (1, -1) by row. Columns differ by e^(j 4 pi l / (O1 N1)) = e^(j pi / 2) = i. theta = phi = i.
    let panel = Panel::new(4, 2).unwrap();
    let found = panel.precoders(4, Index { beam: (2, 4), third: 2, phase: 1 });
    let beam = [ONE, -ONE, I, -I];
    // Rows of the table: (1, 1, 1, 1), theta (1, -1, 1, -1), phi (1, 1, -1, -1), phi theta (1, -1, -1, 1).
    let signs = [
        [1.0, 1.0, 1.0, 1.0],
        [1.0, -1.0, 1.0, -1.0],
        [1.0, 1.0, -1.0, -1.0],
        [1.0, -1.0, -1.0, 1.0],
    ];
    let factors = [ONE, I, I, -ONE];
    let column = |layer: usize| -> Vec<Complex64> {
        let quarter = |n: usize| beam.iter().map(move |v| v * factors[n] * signs[n][layer]);
        (0..4).flat_map(quarter).collect()
    };
    let columns: Vec<Vec<Complex64>> = (0..4).map(column).collect();
    let columns: Vec<&[Complex64]> = columns.iter().map(|column| &column[..]).collect();
    assert_near(&found, &by_hand(1.0 / 8.0, &columns));
    // Table 5.2.2.2.1-7: three layers have the first three columns, and p = 1 an eighth of a turn.
    let found = panel.precoders(3, Index { beam: (2, 4), third: 1, phase: 0 });
    let eighth = Complex64::new(0.5_f64.sqrt(), 0.5_f64.sqrt());
    assert!((found[0][4] / found[0][0] - eighth).l1_norm() < 1e-12);
    assert!((found[1][4] / found[1][0] + eighth).l1_norm() < 1e-12);
    assert!((found[2][12] / found[2][0] + eighth).l1_norm() < 1e-12);
}
