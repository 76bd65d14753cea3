//! Turns the tables in `data/` into static arrays, so that nothing is read or parsed
//! when the program runs. What a table must hold is checked here, at build time.

#[path = "build/nr.rs"]
mod nr;

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

const CODE_BLOCK_SIZES: usize = 9;

/// The rows of a table, its header left out.
fn rows(name: &str) -> Vec<Vec<f64>> {
    let path = Path::new("data").join(name);
    println!("cargo::rerun-if-changed={}", path.display());
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let number = |cell: &str| -> f64 {
        cell.trim().parse().unwrap_or_else(|e| panic!("{name}: {cell:?}: {e}"))
    };
    text.lines().skip(1).map(|line| line.split(',').map(number).collect()).collect()
}

fn column<T>(rows: &[Vec<f64>], index: usize, cell: impl Fn(f64) -> T) -> Vec<T> {
    rows.iter().map(|row| cell(row[index])).collect()
}

/// Transport block sizes: bits, by resource blocks less one and I_TBS.
fn block_sizes(out: &mut String) {
    let rows = rows("lte_tbs.csv");
    assert!(rows.len() == 110 && rows.iter().all(|row| row.len() == 28), "110 x 27 sizes");
    out.push_str("static BLOCK_BITS: [[u32; 27]; 110] = [\n");
    for row in &rows {
        let bits: Vec<u32> = row[1..].iter().map(|&bits| bits as u32).collect();
        assert!(bits.iter().all(|bits| bits % 8 == 0), "whole bytes");
        writeln!(out, "{bits:?},").expect("a string takes all");
    }
    out.push_str("];\n");
}

/// The curves of all MCS; where nothing was simulated, the next larger size that was.
fn curves(out: &mut String, curve_of_mcs: &[u32]) {
    let rows = rows("lte_bler_curves.csv");
    let sizes = column(&rows[..CODE_BLOCK_SIZES], 3, |size| size as u32);
    writeln!(out, "static CURVE_SIZES: [u32; {CODE_BLOCK_SIZES}] = {sizes:?};")
        .expect("a string takes all");
    let lint = "#[expect(clippy::approx_constant, reason = \"0.3927 is a figure, not pi / 8\")]";
    writeln!(out, "{lint}\nstatic CURVES: [[(f64, f64); {CODE_BLOCK_SIZES}]; 29] = [")
        .expect("a string takes all");
    for &curve in curve_of_mcs {
        let of_curve: Vec<&Vec<f64>> = rows.iter().filter(|r| r[0] as u32 == curve).collect();
        assert_eq!(of_curve.len(), CODE_BLOCK_SIZES, "sizes of curve {curve}");
        let filled: Vec<(f64, f64)> = (0..CODE_BLOCK_SIZES)
            .map(|at| {
                let row = of_curve[at..].iter().find(|row| row[5] > 0.0);
                let row = row.expect("the largest size is simulated for every curve");
                (row[4], row[5])
            })
            .collect();
        writeln!(out, "{filled:?},").expect("a string takes all");
    }
    out.push_str("];\n");
}

/// A map from SINR to mutual information, at equal steps of SINR.
fn mutual_information(out: &mut String, constant: &str, name: &str) {
    let rows = rows(name);
    let (first, step) = (rows[0][0], rows[1][0] - rows[0][0]);
    for (index, pair) in rows.windows(2).enumerate() {
        let expected = first + step * (index + 1) as f64;
        assert!((pair[1][0] - expected).abs() < 1e-6 * expected.max(1.0), "{name}: equal steps");
        assert!(pair[1][1] > pair[0][1], "{name}: rises");
    }
    let last = rows[rows.len() - 1][0];
    let step = (last - first) / (rows.len() - 1) as f64;
    let values = column(&rows, 1, |value| value);
    writeln!(
        out,
        "static {constant}: Map = Map {{ first: {first:?}, step: {step:?}, last: {last:?}, \
         values: &{values:?} }};"
    )
    .expect("a string takes all");
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/nr.rs");
    let mcs = rows("lte_mcs.csv");
    let cqi = rows("lte_cqi.csv");
    assert!(mcs.len() == 29 && cqi.len() == 15, "29 MCS, 15 CQI");

    let mut tables = String::new();
    block_sizes(&mut tables);
    for (constant, at) in [("MODULATION", 1), ("ITBS_DL", 2), ("ITBS_UL", 3)] {
        let cells = column(&mcs, at, |cell| cell as u8);
        writeln!(tables, "static {constant}: [u8; 29] = {cells:?};").expect("a string takes all");
    }
    let of_mcs = column(&mcs, 4, |cell| cell);
    writeln!(tables, "const MCS_EFFICIENCY: [f64; 29] = {of_mcs:?};").expect("a string takes all");
    let of_cqi = column(&cqi, 3, |cell| cell);
    writeln!(tables, "const CQI_EFFICIENCY: [f64; 15] = {of_cqi:?};").expect("a string takes all");

    let mut errors = String::new();
    curves(&mut errors, &column(&mcs, 6, |cell| cell as u32));

    let mut maps = String::new();
    mutual_information(&mut maps, "QPSK", "mi_map_qpsk.csv");
    mutual_information(&mut maps, "QAM16", "mi_map_16qam.csv");
    mutual_information(&mut maps, "QAM64", "mi_map_64qam.csv");

    let folder = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    for (name, text) in [
        ("lte_tables.rs", tables),
        ("lte_curves.rs", errors),
        ("lte_maps.rs", maps),
        ("nr_tables.rs", nr::tables()),
        ("nr_maps.rs", nr::maps()),
    ] {
        fs::write(Path::new(&folder).join(name), text)
            .unwrap_or_else(|e| panic!("{folder}/{name}: {e}"));
    }
}
