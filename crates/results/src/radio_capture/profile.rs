//! A profile of Wireshark for a capture of the radio. MAC calls RLC, RLC calls PDCP, PDCP calls IP;
//! for NR only as far as Wireshark knows the modes of logical channels.
//!
//! Preferences hold for all bearers alike, so PDCP has the sequence numbers of most of them.

use core::fmt::Write;
use std::collections::BTreeMap;

use airpath_wire::radio::{RlcMode, rlc_lte};

use super::RadioLayers;

/// Head of the file.
const HEAD: &str = "# A profile of Wireshark for captures of the radio (capture-mac.pcapng).\n";

/// RLC takes what MAC sends again for known: so it has to see what failed before.
const LTE: &str = "\
mac-lte.lcid_to_drb_mapping_source: From static table
mac-lte.layer_to_show: MAC Info
mac-lte.attempt_to_dissect_crc_failures: TRUE
mac-lte.bsr_warn_threshold: 64
mac-lte.track_sr: FALSE
rlc-lte.do_sequence_analysis_am: Only-MAC-frames
rlc-lte.do_sequence_analysis: Only-MAC-frames
rlc-lte.reassembly: TRUE
pdcp-lte.show_user_plane_as_ip: TRUE
pdcp-lte.check_sequence_numbers: Only-RLC-frames
pdcp-lte.layer_to_show: RLC Info
";

const NR: &str = "\
mac-nr.lcid_to_drb_mapping_source: From static table
rlc-nr.reassemble_am_frames: TRUE
rlc-nr.reassemble_um_frames: TRUE
pdcp-nr.show_user_plane_as_ip: TRUE
pdcp-nr.check_sequence_numbers: Only-RLC-frames
pdcp-nr.layer_to_show: RLC Info
";

/// The files of the profile, by name.
pub fn profile(layers: &RadioLayers) -> Vec<(&'static str, String)> {
    let bits = usual_pdcp_sn(layers);
    let mut preferences = HEAD.to_owned();
    // Writing to a string does not fail.
    let _done = match layers.is_nr {
        false => {
            preferences += LTE;
            writeln!(preferences, "rlc-lte.call_pdcp_for_drb: {bits}-bit SN")
        }
        true => {
            preferences += NR;
            let ways = ["ul", "dl"].map(|way| format!("rlc-nr.call_pdcp_for_{way}_drb"));
            let [up, down] = ways;
            writeln!(preferences, "{up}: {bits}-bit SN\n{down}: {bits}-bit SN")
        }
    };
    let more = match layers.is_nr {
        false => ("drb_logchans", channels(layers)),
        true => ("heuristic_protos", "mac_nr_udp,1\n".to_owned()),
    };
    vec![("preferences", preferences), more]
}

/// The length of PDCP's sequence number that most bearers have.
fn usual_pdcp_sn(layers: &RadioLayers) -> u8 {
    let mut counts: BTreeMap<u8, usize> = BTreeMap::new();
    layers.bearers.iter().for_each(|bearer| *counts.entry(bearer.pdcp_sn).or_default() += 1);
    counts.into_iter().max_by_key(|(_, count)| *count).map_or(12, |(bits, _)| bits)
}

/// Logical channels of LTE with their modes. NR's table has a file of the same name and another
/// form, which Wireshark 4.0 refuses.
fn channels(layers: &RadioLayers) -> String {
    let lcids: BTreeMap<u8, RlcMode> =
        layers.bearers.iter().map(|bearer| (bearer.lcid, bearer.rlc)).collect();
    let mut table = String::new();
    for (n, (lcid, mode)) in (1..).zip(lcids) {
        let mode = match mode {
            RlcMode::Lte(rlc_lte::Mode::Um5) => "UM, SN Len=5",
            RlcMode::Lte(rlc_lte::Mode::Um10) => "UM, SN Len=10",
            RlcMode::Lte(rlc_lte::Mode::Am) => "AM",
            RlcMode::Nr(_) => continue,
        };
        let _done = writeln!(table, "\"LCID {lcid}\",\"{n}\",\"{mode}\"");
    }
    table
}
