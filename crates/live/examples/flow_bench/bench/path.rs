//! The scenario of a flow: its path, as a file for `airpath emulate`.

use super::draw::{Draw, Kind};

/// Begin of the transfer, in milliseconds of the world: clients are there then for certain.
pub const START_MS: u64 = 5_000;

/// The file.
pub fn scenario(draw: &Draw) -> String {
    let last_s = (START_MS + draw.lasts_ms) / 1000 + 5;
    let mut text = format!("duration = \"{last_s} s\"\nseed = {}\n", draw.seed);
    text += if draw.cell { "" } else { "radio = \"none\"\n" };
    text += &wires(draw);
    if draw.cell {
        text += &cell(draw);
    }
    for (name, signal) in names(draw).iter().zip([draw.snr_db, draw.snr_db]) {
        text += &format!("\n[[ue]]\nname = \"{name}\"\n");
        if draw.cell {
            text += &format!("snr = \"{signal:.1} dB\"\n");
        }
        if let Some(rrc) = &draw.rrc {
            text += &format!("\n[ue.rrc]\n{rrc}");
        }
    }
    for (at, set) in &draw.changes {
        text += &format!("\n[[change]]\nat = \"{} ms\"\nset = {{ {set} }}\n", START_MS + at);
    }
    text + "\n[output]\npackets = true\n"
}

/// Names of the UEs.
pub fn names(draw: &Draw) -> &'static [&'static str] {
    if draw.kind == Kind::Shared { &["a", "b"] } else { &["a"] }
}

fn wires(draw: &Draw) -> String {
    let Draw { rate_kbps, delay_ms, queue_packets, loss, up, .. } = *draw;
    let way = |data: bool| {
        let slow = data && !draw.cell;
        let rate = if slow { rate_kbps } else { 1_000_000 };
        let queue = if slow { queue_packets } else { 10_000 };
        let loss = if data { loss } else { 0.0 };
        format!("rate = \"{rate} kbit/s\"\nqueue = \"{queue} packets\"\nloss = {loss}\n")
    };
    let (down, up) = (way(!up), way(up));
    format!("\n[path.sgi]\ndelay = \"{delay_ms} ms\"\n{down}\n[path.sgi.up]\n{up}")
}

fn cell(draw: &Draw) -> String {
    let Draw { resource_blocks, queue_packets, .. } = draw;
    format!(
        "\n[cell]\nresource_blocks = {resource_blocks}\n\n[[bearer]]\nname = \"default\"\n\
         default = true\nqci = 9\nqueue = \"{queue_packets} packets\"\n\
         uplink_queue = \"{queue_packets} packets\"\n"
    )
}
