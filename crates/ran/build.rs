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
    assert!(rows.len() == 110 && rows.iter().all(|row| row.len() == 35), "110 x 34 sizes");
    out.push_str("static BLOCK_BITS: [[u32; 34]; 110] = [\n");
    for row in &rows {
        let bits: Vec<u32> = row[1..].iter().map(|&bits| bits as u32).collect();
        assert!(bits.iter().all(|bits| bits % 8 == 0), "whole bytes");
        writeln!(out, "{bits:?},").expect("a string takes all");
    }
    out.push_str("];\n");
}

/// Sizes on two layers: bits on one layer, and on two, rising.
fn two_layer_sizes(out: &mut String) {
    let rows = rows("lte_tbs_two_layers.csv");
    let pairs: Vec<(u32, u32)> = rows.iter().map(|row| (row[0] as u32, row[1] as u32)).collect();
    assert!(pairs.is_sorted() && pairs.iter().all(|(_, two)| two % 8 == 0), "rising whole bytes");
    writeln!(out, "static TWO_LAYER_BITS: [(u32, u32); {}] = {pairs:?};", pairs.len())
        .expect("a string takes all");
}

/// The curve of a number by size; where nothing was simulated, the next larger size that was.
fn curve(rows: &[Vec<f64>], number: u32) -> Vec<(f64, f64)> {
    let of_curve: Vec<&Vec<f64>> = rows.iter().filter(|r| r[0] as u32 == number).collect();
    assert_eq!(of_curve.len(), CODE_BLOCK_SIZES, "sizes of curve {number}");
    let filled = (0..CODE_BLOCK_SIZES).map(|at| {
        let row = of_curve[at..].iter().find(|row| row[5] > 0.0);
        let row = row.expect("the largest size is simulated for every curve");
        (row[4], row[5])
    });
    filled.collect()
}

/// The curves of all MCS of both tables.
fn curves(out: &mut String, curves_of_mcs: [Vec<u32>; 2]) {
    let rows = [rows("lte_bler_curves.csv"), rows("lte_bler_curves_256qam.csv")].concat();
    let sizes = column(&rows[..CODE_BLOCK_SIZES], 3, |size| size as u32);
    writeln!(out, "static CURVE_SIZES: [u32; {CODE_BLOCK_SIZES}] = {sizes:?};")
        .expect("a string takes all");
    let lint = "#[expect(clippy::approx_constant, reason = \"0.3927 is a figure, not pi / 8\")]";
    let all = curves_of_mcs
        .map(|table| -> Vec<_> { table.iter().map(|&number| curve(&rows, number)).collect() });
    let [small, large] = all;
    writeln!(
        out,
        "{lint}\nstatic CURVES: [&[[(f64, f64); {CODE_BLOCK_SIZES}]]; 2] = [&{small:?}, &{large:?}];"
    )
    .expect("a string takes all");
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
    let mcs = [rows("lte_mcs.csv"), rows("lte_mcs_table2.csv")];
    let cqi = [rows("lte_cqi.csv"), rows("lte_cqi_table2.csv")];
    assert!(mcs[0].len() == 29 && mcs[1].len() == 28, "29 and 28 MCS");
    assert!(cqi.iter().all(|table| table.len() == 15), "15 CQI");

    let mut tables = String::new();
    block_sizes(&mut tables);
    two_layer_sizes(&mut tables);
    let [small, large] = &mcs;
    let itbs_up = column(small, 3, |cell| cell as u8);
    writeln!(tables, "static ITBS_UL: [u8; 29] = {itbs_up:?};").expect("a string takes all");
    for (constant, at) in [("MODULATION", 1), ("ITBS_DL", 2)] {
        let [small, large] = [small, large].map(|table| column(table, at, |cell| cell as u8));
        writeln!(tables, "static {constant}: [&[u8]; 2] = [&{small:?}, &{large:?}];")
            .expect("a string takes all");
    }
    let [first, second] = [column(small, 4, |cell| cell), column(large, 3, |cell| cell)];
    writeln!(tables, "const MCS_EFFICIENCY: [&[f64]; 2] = [&{first:?}, &{second:?}];")
        .expect("a string takes all");
    let of_cqi = cqi.map(|table| column(&table, 3, |cell| cell));
    writeln!(tables, "const CQI_EFFICIENCY: [[f64; 15]; 2] = {of_cqi:?};")
        .expect("a string takes all");

    let mut errors = String::new();
    let curve_of = |table, at| column(table, at, |cell| cell as u32);
    curves(&mut errors, [curve_of(small, 6), curve_of(large, 5)]);

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
