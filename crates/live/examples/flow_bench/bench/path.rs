//! Scenario of a flow over a cell, as a file for `airpath emulate`.

use super::draw::Draw;
use super::record::START_MS;

/// Patterns of slots of TDD: configuration 1 of LTE (TS 36.211, 4.2-2), and a common one of NR.
const PATTERNS: [&str; 2] = ["DSUUDDSUUD", "DDDSU"];

/// The file.
pub fn scenario(draw: &Draw) -> String {
    let last_s = (START_MS + draw.lasts_ms) / 1000 + 5;
    let mut text = format!("duration = \"{last_s} s\"\nseed = {}\n", draw.seed);
    text += &wires(draw);
    text += &cell(draw);
    text += &format!("\n[[ue]]\nname = \"a\"\nsnr = \"{:.1} dB\"\n", draw.snr_db);
    if let Some(rrc) = &draw.rrc {
        text += &format!("\n[ue.rrc]\n{rrc}");
    }
    for (at, set) in changes(draw) {
        text += &format!("\n[[change]]\nat = \"{} ms\"\nset = {{ {set} }}\n", START_MS + at);
    }
    let snap = draw.taking.snap;
    text + &format!("\n[output]\npackets = true\npcap = [\"sgi\"]\nsnaplen = \"{snap} B\"\n")
}

/// Changes of the signal, and the end of the path.
fn changes(draw: &Draw) -> Vec<(u64, String)> {
    let dead = draw
        .wires
        .dead_ms
        .iter()
        .map(|[at, _]| (*at, "\"path.sgi.loss\" = 1.0, \"path.sgi.up.loss\" = 1.0".to_owned()));
    draw.changes.iter().cloned().chain(dead).collect()
}

fn wires(draw: &Draw) -> String {
    let Draw { delay_ms, loss, up, .. } = *draw;
    let way = |data: bool| {
        let loss = if data { loss } else { 0.0 };
        format!("rate = \"1 Gbit/s\"\nqueue = \"10000 packets\"\nloss = {loss}\n")
    };
    let (down, up) = (way(!up), way(up));
    format!("\n[path.sgi]\ndelay = \"{delay_ms} ms\"\n{down}\n[path.sgi.up]\n{up}")
}

fn cell(draw: &Draw) -> String {
    let Draw { resource_blocks, queue_packets, nr, tdd, .. } = draw;
    let mut text = "\n[cell]\n".to_owned();
    text += &match nr {
        // Widths of NR whose carriers have as many blocks, roughly, at 15 kHz.
        true => {
            let mhz = [(6, 5), (15, 5), (25, 5), (50, 10)];
            let mhz = mhz.into_iter().find(|(blocks, _)| blocks == resource_blocks);
            let mhz = mhz.map_or(10, |(_, mhz)| mhz);
            format!("technology = \"nr\"\nbandwidth = \"{mhz} MHz\"\nnumerology = 0\n")
        }
        false => format!("resource_blocks = {resource_blocks}\n"),
    };
    if *tdd {
        let pattern = PATTERNS[usize::from(*nr)];
        text += &format!("duplex = \"tdd\"\ntdd_pattern = \"{pattern}\"\n");
        text += "special_slot = \"10:2:2\"\n";
        text += if *nr { "" } else { "\n[cell.harq]\nuplink = \"asynchronous\"\n" };
    }
    text + &format!(
        "\n[[bearer]]\nname = \"default\"\ndefault = true\nqci = 9\n\
         queue = \"{queue_packets} packets\"\nuplink_queue = \"{queue_packets} packets\"\n"
    )
}
