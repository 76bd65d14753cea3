//! Accuracy by the time for which a step of fading is held, and gains of precoding: the tables of
//! `docs/models.md`.
//!
//! ```sh
//! cargo run --release -p airpath-channel --example fading
//! ```

use airpath_base::random::Seed;
use airpath_base::{CellId, Db, Direction, Duration, Time, math};
use airpath_channel::fading::{Library, LibraryConfig, Profile, doppler_hz};
use airpath_channel::precoding::{
    Array, Codebook, Correlation, Feedback, Panel, Ports, Precoding, Scattering,
};

/// UMa without line of sight below 6 GHz (TR 38.901, table 7.7.3-2).
const SPREAD_NS: u64 = 363;
/// Samples within a step that is held.
const FINE: usize = 8;

fn main() {
    held();
    println!();
    gains();
    println!();
    panels();
}

/// Error of a held step against samples within it.
fn held() {
    println!("held for   error in dB rms of   a resource block   the band's effective SINR");
    for cycles in [0.002, 0.005, 0.01, 0.02, 0.05, 0.1] {
        let shift = 1.0 / 64.0;
        let config = LibraryConfig::new(Profile::TdlC, Duration::from_nanos(SPREAD_NS), shift);
        let config = LibraryConfig { hold_cycles: cycles / FINE as f64, steps: 1 << 16, ..config };
        let library = Library::new(&config, Seed(1)).expect("the configuration is possible");
        let rows = rows(&library);
        let (mut block, mut band, mut blocks) = (0.0, 0.0, 0);
        for held in rows.chunks_exact(FINE) {
            let middle = held[FINE / 2];
            for row in held {
                band += (effective_db(row) - effective_db(middle)).powi(2);
                let errors = row.iter().zip(middle).map(|(&a, &b)| decibels(a) - decibels(b));
                block += errors.map(|error| error * error).sum::<f64>();
                blocks += row.len();
            }
        }
        let (block, band) = ((block / blocks as f64).sqrt(), (band / rows.len() as f64).sqrt());
        println!("{cycles:8.3} / f {block:36.2} {band:27.2}");
    }
}

/// The SINR that has, in each resource block, the mean capacity of the band, where the mean
/// SINR is 10.
fn effective_db(row: &[f32]) -> f64 {
    let capacity = |&gain: &f32| math::log2(1.0 + 10.0 * f64::from(gain));
    let mean = row.iter().map(capacity).sum::<f64>() / row.len() as f64;
    Db::from_linear(math::exp2(mean) - 1.0).0
}

fn decibels(gain: f32) -> f64 {
    Db::from_linear(f64::from(gain)).0
}

/// All rows that a link reads.
fn rows(library: &Library) -> Vec<&[f32]> {
    let link = library.link(0, CellId(0), Direction::Downlink);
    let hold = library.hold().as_nanos();
    let step = |n: u64| {
        let row = library.matched(link, library.step(Time::from_nanos(n * hold)));
        &row.as_flattened()[..library.resource_blocks()]
    };
    (0..library.period().as_nanos() / hold).map(step).collect()
}

/// Reports each 5 ms, 6 ms late.
fn feedback(subband: Option<u16>) -> Feedback {
    Feedback { delay: Duration::from_millis(6), period: Duration::from_millis(5), subband }
}

/// Mean gain of precoding with reports each 5 ms, 6 ms late, at 2 GHz on 50 resource blocks.
fn gains() {
    let closed =
        |codebook, subband| Precoding::ClosedLoop { codebook, feedback: feedback(subband) };
    let ways = [
        ("diversity over four ports", Precoding::TransmitDiversity(Ports::Four)),
        ("two ports, wideband", closed(Codebook::TwoPorts, None)),
        ("four ports, wideband", closed(Codebook::FourPorts, None)),
        ("four ports, subbands of 6", closed(Codebook::FourPorts, Some(6))),
        ("type I, wideband", closed(Codebook::TypeI, None)),
    ];
    let channels = [
        ("TDL-A 93 ns, 3 km/h", Profile::TdlA, 93, 3.0),
        ("TDL-C 363 ns, 3 km/h", Profile::TdlC, SPREAD_NS, 3.0),
        ("TDL-C 363 ns, 30 km/h", Profile::TdlC, SPREAD_NS, 30.0),
        ("TDL-D 93 ns, 3 km/h", Profile::TdlD, 93, 3.0),
    ];
    let header: String = channels.iter().map(|channel| format!("{:>23}", channel.0)).collect();
    println!("{:26}{header}", "mean gain in dB");
    for (name, precoding) in ways {
        let gain = |(_, profile, spread, kmh)| {
            let shift = doppler_hz(kmh, 0.0, 2e9);
            let config = LibraryConfig::new(profile, Duration::from_nanos(spread), shift);
            format!("{:23.1}", mean_gain(&config.on(50, 0, precoding)).0)
        };
        let gains: String = channels.into_iter().map(gain).collect();
        println!("{name:26}{gains}");
    }
}

fn mean_gain(config: &LibraryConfig) -> Db {
    let library = Library::new(config, Seed(1)).expect("the configuration is possible");
    let rows = rows(&library);
    let sum: f64 = rows.iter().flat_map(|row| row.iter()).map(|&gain| f64::from(gain)).sum();
    Db::from_linear(sum / (rows.len() * library.resource_blocks()) as f64)
}

/// Mean gain of panels, likewise, of TDL-C at 3 km/h.
fn panels() {
    // UMa in buildings at 2 GHz, 250 m from the cell; and half of the azimuth spread, as 60 degrees off the normal.
    let scattering =
        Scattering { azimuth_deg: 17.8, zenith_deg: 2.4, cross_db: 9.0, row_spacing: 2.0 };
    let narrow = Scattering { azimuth_deg: 8.9, ..scattering };
    let cases = [
        ("low", Correlation::Low, scattering),
        ("medium", Correlation::Medium, scattering),
        ("high", Correlation::High, scattering),
        ("environment", Correlation::Environment, scattering),
        ("half of the spread", Correlation::Environment, narrow),
    ];
    let header: String = cases.iter().map(|case| format!("{:>20}", case.0)).collect();
    println!("{:26}{header}", "mean gain in dB");
    for (columns, rows) in [(2, 1), (4, 1), (8, 1), (6, 2), (8, 2), (16, 1)] {
        let panel = Panel::new(columns, rows).expect("a panel of the table");
        let codebook = if columns > 2 { Codebook::Panel(panel) } else { Codebook::TypeI };
        let gain = |(_, correlation, scattering)| {
            let profile = (Profile::TdlC, Duration::from_nanos(SPREAD_NS));
            let config = LibraryConfig::new(profile.0, profile.1, doppler_hz(3.0, 0.0, 2e9));
            let array = Array::CrossPolarised { columns, rows };
            let config = LibraryConfig { correlation, array, scattering, ..config };
            let precoding = Precoding::ClosedLoop { codebook, feedback: feedback(None) };
            format!("{:20.1}", mean_gain(&config.on(50, 0, precoding)).0)
        };
        let gains: String = cases.into_iter().map(gain).collect();
        println!("{:26}{gains}", format!("{columns} columns, {rows} rows"));
    }
}
