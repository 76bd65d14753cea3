//! Scenarios to begin with.

use airpath_schema::listed;

/// A scenario file that comes with airpath.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its name, as `airpath new` takes it.
    pub name: &'static str,
    /// Content in a line.
    pub summary: &'static str,
    /// The file, commented.
    pub text: &'static str,
}

const TEMPLATES: &[Template] = &[
    Template {
        name: "lte-6rb",
        summary: "one UE of a small LTE cell, a download and a voice flow on bearers of their own",
        text: include_str!("../../../scenarios/lte-6rb.toml"),
    },
    Template {
        name: "lte-20-ues",
        summary: "twenty UEs spread over an LTE cell, each with a download and a voice flow",
        text: include_str!("../../../scenarios/lte-20-ues.toml"),
    },
    Template {
        name: "lte-upload",
        summary: "one UE that uploads while it talks: requests, grants and the UE's own queue",
        text: include_str!("../../../scenarios/lte-upload.toml"),
    },
    Template {
        name: "lte-tdd",
        summary: "an LTE cell with time division duplex: downloads, an upload and a call",
        text: include_str!("../../../scenarios/lte-tdd.toml"),
    },
    Template {
        name: "lte-3cc",
        summary: "three carriers of 20 MHz of LTE: a page, a download and a call, activation by traffic",
        text: include_str!("../../../scenarios/lte-3cc.toml"),
    },
    Template {
        name: "short-tti",
        summary: "short transmission time intervals, and uplink grants without asking",
        text: include_str!("../../../scenarios/short-tti.toml"),
    },
    Template {
        name: "lte-player",
        summary: "a chunked video player, a slow audio player and a poller in an LTE cell",
        text: include_str!("../../../scenarios/lte-player.toml"),
    },
    Template {
        name: "lte-web",
        summary: "readers of pages with objects, and visitors who come for one file, in an LTE cell",
        text: include_str!("../../../scenarios/lte-web.toml"),
    },
    Template {
        name: "idle-phone",
        summary: "a phone that wakes from idle: promotion, page, DRX, tail, and the energy they take",
        text: include_str!("../../../scenarios/idle-phone.toml"),
    },
    Template {
        name: "changes",
        summary: "a link that slows down, a UE that loses its signal, a download that pauses",
        text: include_str!("../../../scenarios/changes.toml"),
    },
    Template {
        name: "outage",
        summary: "three outages of the radio: one survived, one re-established, one that ends in idle",
        text: include_str!("../../../scenarios/outage.toml"),
    },
    Template {
        name: "lte-proxy",
        summary: "a proxy that splits TCP between an LTE gateway and far servers",
        text: include_str!("../../../scenarios/lte-proxy.toml"),
    },
    Template {
        name: "remote-control",
        summary: "commands and their answers beside game video with SCReAM and L4S in an LTE cell",
        text: include_str!("../../../scenarios/remote-control.toml"),
    },
    Template {
        name: "full-buffer",
        summary: "the radio alone: full buffers of ten UEs, without packets",
        text: include_str!("../../../scenarios/full-buffer.toml"),
    },
    Template {
        name: "controllers",
        summary: "a campaign: a download in a cell with CUBIC, BBR and Prague, twenty seeds each",
        text: include_str!("../../../scenarios/controllers.toml"),
    },
    Template {
        name: "network",
        summary: "21 cells that disturb each other: downloads and calls dropped in a city",
        text: include_str!("../../../scenarios/network.toml"),
    },
    Template {
        name: "l4s-cell",
        summary: "Prague and CUBIC in a cell with DualPI2: markers, a liar, bleaching, L4S on the path",
        text: include_str!("../../../scenarios/l4s-cell.toml"),
    },
    Template {
        name: "l4s-bearers",
        summary: "a bearer for low latency beside a classic one: a game, a camera, keys, downloads",
        text: include_str!("../../../scenarios/l4s-bearers.toml"),
    },
    Template {
        name: "l4s-network",
        summary: "video with L4S among ten times as many users of the web in 21 cells",
        text: include_str!("../../../scenarios/l4s-network.toml"),
    },
    Template {
        name: "drive",
        summary: "calls, a game and downloads in cars that go from cell to cell",
        text: include_str!("../../../scenarios/drive.toml"),
    },
    Template {
        name: "train",
        summary: "200 phones of a train at 250 km/h, which go from cell to cell one soon after another",
        text: include_str!("../../../scenarios/train.toml"),
    },
    Template {
        name: "street-corner",
        summary: "calls of cars that turn at a corner, where a building takes the cell away",
        text: include_str!("../../../scenarios/street-corner.toml"),
    },
    Template {
        name: "hot-spot",
        summary: "downloads of a crowd in one of two cells, which move their offsets by load",
        text: include_str!("../../../scenarios/hot-spot.toml"),
    },
    Template {
        name: "two-carriers",
        summary: "cars between cells at 2.6 GHz and 800 MHz, with measurement gaps",
        text: include_str!("../../../scenarios/two-carriers.toml"),
    },
    Template {
        name: "en-dc",
        summary: "downloads of cars with an anchor of LTE and a leg of NR beside it, as split bearers",
        text: include_str!("../../../scenarios/en-dc.toml"),
    },
    Template {
        name: "cloud-gaming",
        summary: "pictures down and input up in a wide NR carrier: TDD, configured grants, L4S",
        text: include_str!("../../../scenarios/cloud-gaming.toml"),
    },
    Template {
        name: "cloud-gaming-5g",
        summary: "pictures and inputs of players by TR 38.838 in a wide NR carrier, and a call",
        text: include_str!("../../../scenarios/cloud-gaming-5g.toml"),
    },
    Template {
        name: "xr-vr",
        summary: "virtual reality by TR 38.838 in a wide NR carrier beside files of FTP model 3",
        text: include_str!("../../../scenarios/xr-vr.toml"),
    },
    Template {
        name: "xr-ar",
        summary: "augmented reality by TR 38.838 as two streams of one encoder, poses and scene up",
        text: include_str!("../../../scenarios/xr-ar.toml"),
    },
    Template {
        name: "urllc-control",
        summary: "control of machines in NR: short slots, configured grants with repetition, few errors",
        text: include_str!("../../../scenarios/urllc-control.toml"),
    },
    Template {
        name: "nr-100mhz-4x4",
        summary: "100 MHz of NR with two and four layers: downloads to phones with as many antennas",
        text: include_str!("../../../scenarios/nr-100mhz-4x4.toml"),
    },
    Template {
        name: "five-qi",
        summary: "a bearer of each common 5QI in a busy NR cell: voice to messages of vehicles",
        text: include_str!("../../../scenarios/five-qi.toml"),
    },
    Template {
        name: "wires-dualpi2",
        summary: "no radio: a Prague and a CUBIC download share a link with DualPI2",
        text: include_str!("../../../scenarios/wires-dualpi2.toml"),
    },
    Template {
        name: "wires-testbed",
        summary: "no radio: a download over recorded capacity, as in mahimahi, with added delay",
        text: include_str!("../../../scenarios/wires-testbed.toml"),
    },
    #[cfg(feature = "stacks")]
    Template {
        name: "quic-lte",
        summary: "the stack that ships: QUIC and TCP downloads and pages over QUIC in an LTE cell",
        text: include_str!("../../../scenarios/quic-lte.toml"),
    },
    #[cfg(feature = "stacks")]
    Template {
        name: "quic-l4s-nr",
        summary: "the stack that ships: QUIC beside Prague in an NR cell with DualPI2",
        text: include_str!("../../../scenarios/quic-l4s-nr.toml"),
    },
    #[cfg(feature = "stacks")]
    Template {
        name: "webrtc-nr",
        summary: "the stack that ships: a WebRTC call beside SCReAM and GCC in an NR cell",
        text: include_str!("../../../scenarios/webrtc-nr.toml"),
    },
];

/// Scenarios of measured networks. The first lines of each state its sources, the measurement that it was held against, and
/// its limits.
const PROFILES: &[Template] = &[
    Template {
        name: "4g-train",
        summary: "a phone in a train at 120 km/h: LTE, 20 MHz at 1.8 GHz",
        text: include_str!("../../../scenarios/profiles/4g-train.toml"),
    },
    Template {
        name: "4g-city",
        summary: "a phone in a car in a city: LTE, 10 MHz at 1.8 GHz, other users",
        text: include_str!("../../../scenarios/profiles/4g-city.toml"),
    },
    Template {
        name: "lte-rural",
        summary: "a phone in the country: LTE, 10 MHz at 700 MHz, other users",
        text: include_str!("../../../scenarios/profiles/lte-rural.toml"),
    },
    Template {
        name: "5g-sa-city",
        summary: "a phone in a city: 5G SA, 100 MHz at 3.5 GHz, TDD, other users",
        text: include_str!("../../../scenarios/profiles/5g-sa-city.toml"),
    },
    Template {
        name: "5g-sa-campus",
        summary: "a device near the only cell of a campus: 5G SA, 100 MHz at 3.7 GHz, TDD",
        text: include_str!("../../../scenarios/profiles/5g-sa-campus.toml"),
    },
    Template {
        name: "5g-l4s-home",
        summary: "a home on 5G with a bearer for L4S: 100 MHz at 3.5 GHz, other homes",
        text: include_str!("../../../scenarios/profiles/5g-l4s-home.toml"),
    },
];

/// Names of the templates that need real stacks ([`has_stacks`]).
pub const WITH_STACKS: [&str; 3] = ["quic-lte", "quic-l4s-nr", "webrtc-nr"];

/// True if flows of kind `quic` and `webrtc` can be simulated: the crate has its feature `stacks`.
pub fn has_stacks() -> bool {
    cfg!(feature = "stacks")
}

/// Recordings of capacity that a scenario can name wherever it is: `builtin:` and this.
const RECORDINGS: [(&str, &str); 2] = [
    ("lte-down", include_str!("../../../scenarios/recordings/lte-down.txt")),
    ("lte-up", include_str!("../../../scenarios/recordings/lte-up.txt")),
];

/// The text of a recording that a scenario names instead of a file; none if it names a file.
///
/// # Errors
///
/// If there is no such recording, with those that there are.
pub(crate) fn recording(named: &str) -> Option<Result<&'static str, String>> {
    let name = named.strip_prefix("builtin:")?;
    let found = RECORDINGS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    Some(found.ok_or_else(|| {
        let known = listed(RECORDINGS.iter().map(|(name, _)| *name));
        format!("airpath comes with {known} only")
    }))
}

/// All templates.
pub fn templates() -> &'static [Template] {
    TEMPLATES
}

/// All profiles: scenarios of measured networks, with their sources.
pub fn profiles() -> &'static [Template] {
    PROFILES
}

/// The template or profile of exactly this name.
pub(crate) fn built_in(name: &str) -> Option<&'static Template> {
    TEMPLATES.iter().chain(PROFILES).find(|own| own.name == name)
}

/// The template or profile with this name, with or without `.toml`.
pub fn template(name: &str) -> Option<&'static Template> {
    let name = name.strip_suffix(".toml").unwrap_or(name);
    built_in(name)
}
