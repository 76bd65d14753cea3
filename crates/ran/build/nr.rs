//! The tables of NR: schemes with their error curves, channel quality indicators, sizes of
//! small transport blocks, maps of mutual information.

use std::fmt::Write as _;

use super::{column, rows};

/// The rows of nr_curves.csv that belong to a set, a modulation, a code rate, a base graph.
fn of_scheme(
    curves: &[Vec<f64>],
    (set, modulation, rate, graph): (f64, f64, f64, f64),
) -> Vec<&Vec<f64>> {
    let belongs = |row: &&Vec<f64>| {
        (row[0], row[1], row[2]) == (set, modulation, rate) && [0.0, graph].contains(&row[3])
    };
    curves.iter().filter(belongs).collect()
}

/// The least code rate of the curves, times 1024.
const LEAST_RATE: f64 = 120.0;
/// Code rates below it, times 1024, and ten times the decimal logarithm of their ratio to it.
const REPEATED_DB: [(f64, f64); 6] = [
    (30.0, -6.0206),
    (40.0, -4.7712),
    (50.0, -3.8021),
    (64.0, -2.73),
    (78.0, -1.8709),
    (99.0, -0.8355),
];

/// The curves of a scheme as a constant: by set and base graph, in the order of sizes. A code rate
/// below all curves repeats the bits of the least one: the least rate of base graph 2 is 1/5 (TS 38.212,
/// 5.3.2 and 5.4.2.1). So it needs as much less SNR.
fn curves_of(curves: &[Vec<f64>], modulation: f64, rate: f64) -> String {
    let repeated = REPEATED_DB.iter().find(|(of, _)| *of == rate).map_or(0.0, |(_, db)| *db);
    assert!(repeated < 0.0 || rate >= LEAST_RATE, "{rate} is repeated");
    let list = |set: f64, graph: f64| {
        let found = of_scheme(curves, (set, modulation, rate.max(LEAST_RATE), graph));
        // Up to a quarter, base graph 1 is not used (TS 38.212, 6.2.2).
        assert!(!found.is_empty() || (graph == 1.0 && rate <= 256.0), "{modulation} {rate}");
        assert!(found.windows(2).all(|pair| pair[0][4] < pair[1][4]), "sizes rise");
        let curve = |row: &&Vec<f64>| {
            let place = 1.0 / row[4].sqrt();
            let centre = row[5] + repeated;
            format!("Curve {{ place: {place:?}, centre_db: {centre:?}, spread: {:?} }}", row[6])
        };
        format!("&[{}]", found.iter().map(curve).collect::<Vec<_>>().join(", "))
    };
    let set = |set: f64| format!("[{}, {}]", list(set, 1.0), list(set, 2.0));
    format!("[{}, {}]", set(0.0), set(1.0))
}

/// The schemes of an MCS table, and the one of each CQI, from 0.
fn schemes(out: &mut String, curves: &[Vec<f64>], table: u8, count: usize) {
    let mcs = rows(&format!("nr_mcs_table{table}.csv"));
    let betas = column(&rows(&format!("nr_eesm_beta_mcs_table{table}.csv")), 1, |cell| cell);
    let cqi = column(&rows(&format!("nr_cqi_table{table}.csv")), 1, |cell| cell);
    assert!(mcs.len() == count && betas.len() == count && cqi.len() == 15, "table {table}");
    writeln!(out, "static SCHEMES_{table}: [Scheme; {count}] = [").expect("a string takes all");
    for (row, beta) in mcs.iter().zip(betas) {
        let (modulation, rate, efficiency) = (row[1], row[2], row[3]);
        let of = curves_of(curves, modulation, rate);
        writeln!(
            out,
            "Scheme {{ modulation_bits: {modulation}, rate_x2048: {}, efficiency: {efficiency:?}, \
             beta: {beta:?}, curves: {of} }},",
            rate * 2.0
        )
        .expect("a string takes all");
    }
    out.push_str("];\n");
    let efficiencies: Vec<f64> = [0.0].into_iter().chain(cqi).collect();
    writeln!(out, "static CQI_{table}: [f64; 16] = {efficiencies:?};").expect("a string takes all");
    let suits = |efficiency: &f64| mcs.iter().rposition(|row| row[3] <= *efficiency).unwrap_or(0);
    let of_cqi: Vec<usize> = efficiencies.iter().map(suits).collect();
    writeln!(out, "static MCS_OF_CQI_{table}: [u8; 16] = {of_cqi:?};").expect("a string takes all");
}

pub(super) fn tables() -> String {
    let mut out = String::new();
    let curves = rows("nr_curves.csv");
    schemes(&mut out, &curves, 1, 29);
    schemes(&mut out, &curves, 2, 28);
    schemes(&mut out, &curves, 3, 29);
    let sizes = column(&rows("nr_tbs_small.csv"), 1, |bits| bits as u16);
    assert!(sizes.len() == 93 && sizes.is_sorted(), "93 sizes");
    writeln!(out, "static SMALL_BITS: [u16; 93] = {sizes:?};").expect("a string takes all");
    out
}

/// Points of `phy::grid`.
fn grid_points() -> Vec<f64> {
    let part = |n: i32| 1.0 + f64::from(n % 32) / 32.0;
    (0..=640).map(|n| 2f64.powi(n / 32 - 8) * part(n)).collect()
}

pub(super) fn maps() -> String {
    let rows = rows("nr_maps.csv");
    let close = |(row, point): (&Vec<f64>, f64)| (row[0] / point - 1.0).abs() < 1e-8;
    let points = grid_points();
    assert!(rows.len() == points.len() && rows.iter().zip(points).all(close), "points of the grid");
    let mut out = String::new();
    for (constant, at) in [("QPSK", 1), ("QAM16", 2), ("QAM64", 3), ("QAM256", 4)] {
        let values = column(&rows, at, |lacking| 1.0 - lacking);
        assert!(values.is_sorted(), "{constant} rises");
        writeln!(out, "static {constant}: Grid = Grid {{ values: {values:?} }};")
            .expect("a string takes all");
    }
    out
}
