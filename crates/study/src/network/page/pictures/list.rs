//! Which pictures there are: the published figures, those that are read together in one.

use super::lines::{Line, Part, Picture};
use super::measure::{Measure, Users, mean, p5, p99};
use crate::network::Of;

const fn line(name: &'static str, arm: &'static str, colour: usize, shape: usize) -> Line {
    Line { name, arm, colour, shape }
}

const fn part(title: &'static str, measure: Measure, lines: &'static [Line]) -> Part {
    Part { title, measure, lines }
}

/// The p99 of the frame delay over some users.
const fn p99_of(users: Users) -> Measure {
    Measure { kpi: "frame_delay", of: Of::P99, users }
}

const RR: Line = line("RR, L4S", "RR/L4S", 0, 0);
const RR_NONE: Line = line("RR, none", "RR/none", 0, 1);
const DBS: Line = line("DBS, L4S", "DBS/L4S", 1, 0);
const DBS_NONE: Line = line("DBS, none", "DBS/none", 1, 1);
const RR_PRIO: Line = line("RR+prio, L4S", "RR+prio/L4S", 2, 0);
const RR_PRIO_NONE: Line = line("RR+prio, none", "RR+prio/none", 2, 1);
const DBS_PRIO: Line = line("DBS+prio, L4S", "DBS+prio/L4S", 3, 0);
const DBS_PRIO_NONE: Line = line("DBS+prio, none", "DBS+prio/none", 3, 1);

const DEFAULT: &[Line] = &[RR, RR_NONE, DBS, DBS_NONE];
const PRIORITY: &[Line] = &[RR_PRIO, RR_PRIO_NONE, DBS_PRIO, DBS_PRIO_NONE];
/// Their titles.
const LEFT: &str = "RR and DBS";
const RIGHT: &str = "with absolute priority";

/// Both pairs of schedulers.
const fn halves(measure: Measure) -> [Part; 2] {
    [part(LEFT, measure, DEFAULT), part(RIGHT, measure, PRIORITY)]
}

/// Both pairs, of two measures.
const fn rows(first: Measure, second: Measure) -> [Part; 4] {
    let ([a, b], [c, d]) = (halves(first), halves(second));
    [a, b, c, d]
}

/// What is compared of a few arms.
const fn overview(lines: &'static [Line]) -> [Part; 6] {
    [
        part("", mean("frame_delay"), lines),
        part("", p99("frame_delay"), lines),
        part("", mean("rate"), lines),
        part("", p5("rate"), lines),
        part("", mean("network_queue"), lines),
        part("", p99("network_queue"), lines),
    ]
}

const ALPHA_DBS: &[Line] = &[
    line("DBS, alpha 0.5", "DBS/L4S, alpha 0.5", 0, 0),
    line("DBS, alpha 0.25", "DBS/L4S", 1, 1),
    line("DBS, alpha 0.125", "DBS/L4S, alpha 0.125", 2, 2),
];
const ALPHA_RR: &[Line] = &[
    line("RR, alpha 0.5", "RR/L4S, alpha 0.5", 0, 0),
    line("RR, alpha 0.25", "RR/L4S", 1, 1),
    line("RR, alpha 0.125", "RR/L4S, alpha 0.125", 2, 2),
];
const SPAN_DBS: &[Line] =
    &[line("5 to 10 ms", "DBS/L4S", 0, 0), line("7 to 15 ms", "DBS/L4S, 7-15 ms", 1, 1)];
const SPAN_PRIO: &[Line] =
    &[line("5 to 10 ms", "RR+prio/L4S", 0, 0), line("7 to 15 ms", "RR+prio/L4S, 7-15 ms", 1, 1)];
const L4S_LEFT: &[Line] = &[RR, DBS];
const L4S_RIGHT: &[Line] = &[RR_PRIO, DBS_PRIO];
const SCHEDULERS: &[Line] = &[RR_NONE, RR, RR_PRIO, DBS, DBS_PRIO];
const NONE_AQM: Line = line("RR, none, AQM", "RR/none, AQM", 4, 1);
const RR_AQM: Line = line("RR, L4S, AQM", "RR/L4S, AQM", 4, 0);
const WITHOUT: &[Line] = &[RR_NONE, NONE_AQM];
const WITH: &[Line] = &[RR, RR_AQM];
const PRIORITY_AQM: &[Line] = &[
    line("RR+prio, L4S, AQM", "RR+prio/L4S, AQM", 2, 0),
    line("DBS, L4S, AQM", "DBS/L4S, AQM", 1, 0),
    line("DBS+prio, L4S, AQM", "DBS+prio/L4S, AQM", 3, 0),
];
const L4S_AQM: &[Line] = &[RR_AQM, PRIORITY_AQM[0], PRIORITY_AQM[1], PRIORITY_AQM[2]];
const AQM: &[Line] = &[NONE_AQM, RR_AQM, PRIORITY_AQM[0], PRIORITY_AQM[1], PRIORITY_AQM[2]];
const FIXED: &[Line] = &[
    line("adaptive", "DBS/L4S", 0, 0),
    line("2 Mbit/s", "DBS/fixed 2 Mbit/s", 1, 1),
    line("5 Mbit/s", "DBS/fixed 5 Mbit/s", 2, 2),
    line("10 Mbit/s", "DBS/fixed 10 Mbit/s", 3, 3),
    line("20 Mbit/s", "DBS/fixed 20 Mbit/s", 4, 1),
    line("40 Mbit/s", "DBS/fixed 40 Mbit/s", 5, 2),
];
const RTT: &[Line] = &[
    line("L4S, 50 ms", "DBS/L4S", 0, 0),
    line("none, 50 ms", "DBS/none", 0, 1),
    line("L4S, 5 ms", "DBS/L4S, RTT 5 ms", 1, 0),
    line("none, 5 ms", "DBS/none, RTT 5 ms", 1, 1),
];

/// The six panels of an overview and two more.
const fn with_loss(lines: &'static [Line], aqm: &'static [Line]) -> [Part; 8] {
    let [a, b, c, d, e, f] = overview(lines);
    [a, b, c, d, e, f, part("", mean("loss"), aqm), part("", p99("loss"), aqm)]
}

/// All pictures of lines, in the order of the thesis.
pub(super) const LINES: &[Picture] = &[
    Picture {
        name: "alpha-dbs",
        title: "Weights of the present queue, DBS",
        figures: "figure 5.1",
        needs: "DBS/L4S, alpha 0.5",
        parts: &overview(ALPHA_DBS),
    },
    Picture {
        name: "alpha-rr",
        title: "Weights of the present queue, RR",
        figures: "figure 5.2",
        needs: "RR/L4S, alpha 0.5",
        parts: &overview(ALPHA_RR),
    },
    Picture {
        name: "thresholds-dbs",
        title: "Thresholds, DBS",
        figures: "figure 5.4",
        needs: "DBS/L4S, 7-15 ms",
        parts: &overview(SPAN_DBS),
    },
    Picture {
        name: "thresholds-low-rate",
        title: "Video users below 2 Mbit/s by thresholds",
        figures: "figure 5.5",
        needs: "DBS/L4S, 7-15 ms",
        parts: &[
            part("DBS", mean("low_rate"), SPAN_DBS),
            part("RR with absolute priority", mean("low_rate"), SPAN_PRIO),
        ],
    },
    Picture {
        name: "thresholds-rr-prio",
        title: "Thresholds, RR with absolute priority",
        figures: "figure 5.6",
        needs: "RR+prio/L4S, 7-15 ms",
        parts: &overview(SPAN_PRIO),
    },
    Picture {
        name: "frame-delay",
        title: "Video frame delay",
        figures: "figures 5.7 and 5.8",
        needs: "RR/L4S",
        parts: &rows(mean("frame_delay"), p99("frame_delay")),
    },
    Picture {
        name: "rtp-delay",
        title: "RTP delay",
        figures: "figures 5.9 and 5.10",
        needs: "RR/L4S",
        parts: &rows(mean("rtp_delay"), p99("rtp_delay")),
    },
    Picture {
        name: "network-queue",
        title: "Network queue delay",
        figures: "figure 5.11",
        needs: "RR/L4S",
        parts: &rows(mean("network_queue"), p99("network_queue")),
    },
    Picture {
        name: "marks",
        title: "Packets marked CE",
        figures: "figure 5.12",
        needs: "RR/L4S",
        parts: &[
            part(LEFT, mean("ce"), L4S_LEFT),
            part(RIGHT, mean("ce"), L4S_RIGHT),
            part(LEFT, p99("ce"), L4S_LEFT),
            part(RIGHT, p99("ce"), L4S_RIGHT),
        ],
    },
    Picture {
        name: "rate",
        title: "Transmitted rate",
        figures: "figure 5.13",
        needs: "RR/L4S",
        parts: &rows(mean("rate"), p5("rate")),
    },
    Picture {
        name: "web",
        title: "Users of the web",
        figures: "figures 5.17 and 5.18",
        needs: "RR/L4S",
        parts: &rows(mean("pages"), mean("page_delay")),
    },
    Picture {
        name: "sinr",
        title: "SINR",
        figures: "figure 5.19",
        needs: "RR/L4S",
        parts: &halves(mean("sinr")),
    },
    Picture {
        name: "pdsch",
        title: "PDSCH utilisation by video, by the web, and by both",
        figures: "figures 5.20 to 5.22",
        needs: "RR/L4S",
        parts: &{
            let ([a, b, c, d], [e, f]) =
                (rows(mean("pdsch_video"), mean("pdsch_web")), halves(mean("pdsch")));
            [a, b, c, d, e, f]
        },
    },
    Picture {
        name: "schedulers",
        title: "Schedulers with L4S, and RR without",
        figures: "figure 6.1",
        needs: "RR/L4S",
        parts: &overview(SCHEDULERS),
    },
    Picture {
        name: "low-rate",
        title: "Frame delay and users with a low rate",
        figures: "figure 6.3",
        needs: "RR/L4S",
        parts: &[
            part("all users", p99("frame_delay"), SCHEDULERS),
            part("without the 5% with the lowest rate", p99_of(Users::WithoutWorst), SCHEDULERS),
            part("without users below 2 Mbit/s", p99_of(Users::Served), SCHEDULERS),
            part("those users", mean("low_rate"), SCHEDULERS),
        ],
    },
    Picture {
        name: "aqm-none",
        title: "Drops by age, RR without L4S",
        figures: "figures 6.4 and 6.5",
        needs: "RR/none, AQM",
        parts: &with_loss(WITHOUT, &[NONE_AQM]),
    },
    Picture {
        name: "aqm-l4s",
        title: "Drops by age, RR with L4S",
        figures: "figures 6.6 and 6.7",
        needs: "RR/L4S, AQM",
        parts: &with_loss(WITH, &[RR_AQM]),
    },
    Picture {
        name: "aqm-schedulers",
        title: "Schedulers with drops by age",
        figures: "figures 6.8 and 6.9",
        needs: "DBS/L4S, AQM",
        parts: &[
            part("", mean("frame_delay"), AQM),
            part("", p99("frame_delay"), AQM),
            part("", mean("rate"), AQM),
            part("", mean("network_queue"), AQM),
            part("all", p99("loss"), AQM),
            part("L4S with a scheduler that prefers video", p99("loss"), PRIORITY_AQM),
            part("", mean("ip_delay"), AQM),
            part("", p99("ip_delay"), L4S_AQM),
        ],
    },
    Picture {
        name: "fixed-rate",
        title: "Video of a fixed and of an adaptive rate, DBS",
        figures: "figure 6.10",
        needs: "DBS/fixed 2 Mbit/s",
        parts: &[
            part("", mean("frame_delay"), FIXED),
            part("", p99("frame_delay"), FIXED),
            part("", mean("rate"), FIXED),
            part("", mean("queue"), FIXED),
        ],
    },
    Picture {
        name: "rtt",
        title: "A server near by: 5 and 50 ms there and back, DBS",
        figures: "figures B.1 to B.8",
        needs: "DBS/L4S, RTT 5 ms",
        parts: &[
            part("", mean("frame_delay"), RTT),
            part("", p99("frame_delay"), RTT),
            part("", p99_of(Users::Served), RTT),
            part("", mean("low_rate"), RTT),
            part("", mean("rate"), RTT),
            part("", mean("network_queue"), RTT),
            part("", mean("pages"), RTT),
            part("", mean("page_delay"), RTT),
        ],
    },
    Picture {
        name: "control",
        title: "PDCCH and PUSCH utilisation",
        figures: "figures C.1 and C.2",
        needs: "RR/L4S",
        parts: &rows(mean("pdcch"), mean("pusch")),
    },
];
