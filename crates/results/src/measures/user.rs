//! Quantities of a user: columns of `users.parquet`, their distributions over users in
//! `summary.json`, and their definitions in `docs/results.md`.

use airpath_base::measure::{
    BPS, Column, DB, MS, Measure, PACKETS, PLAIN, RESOURCE_BLOCKS, S, SHARE,
};

use super::{STATISTICS, Statistic, of_times};
use crate::DelaySummary;
use crate::users::User;

/// Reader of a measure.
enum Read {
    Number(fn(&User) -> Option<f64>),
    Count(fn(&User) -> Option<u64>),
    /// Several columns: mean, percentiles, largest.
    Times(fn(&User) -> Option<&DelaySummary>),
}

use Read::{Count, Number, Times};

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

const MEASURES: &[Measure<Read>] = &[
    Measure::of_source(
        "transmitted_bps",
        BPS.more(),
        "Bits that reached the application, a second of the time that it was active, as goodput is. Of video these are the payloads of the RTP packets that arrived, without headers; of full buffers the bytes in decoded blocks.",
        "3.3, transmitted rate (application layer); 5.3.4",
        Number(|user| user.transmitted_bps),
    ),
    Measure::new(
        "sent_packets",
        PACKETS,
        "Packets of data handed to the network, repeated segments too.",
        Count(|user| user.packets.map(|packets| packets.sent)),
    ),
    Measure::new(
        "lost_packets",
        PACKETS,
        "Of these, dropped on the way. What is thrown out of the RTP queue was never sent.",
        Count(|user| user.packets.map(|packets| packets.lost)),
    ),
    Measure::of_source(
        "loss_rate",
        SHARE.less(),
        "Packets dropped, of those sent. Lost packets count here, and in what the controller makes of them; in no delay and no rate.",
        "3.3, packet loss rate; 6.3",
        Number(|user| user.packets.and_then(|packets| share(packets.lost, packets.sent))),
    ),
    Measure::of_source(
        "ce_share",
        SHARE,
        "Packets that arrived with congestion experienced, of those that arrived.",
        "5.3.3, figure 5.12",
        Number(|user| user.packets.and_then(|packets| share(packets.ce, packets.received))),
    ),
    Measure::of_source(
        "ip_delay",
        MS.less(),
        "time of a packet from when it is handed to the network to when it is received.",
        "3.3, IP delay; 6.3",
        Times(|user| user.ip_delay.as_ref()),
    ),
    Measure::new(
        "frames",
        PLAIN,
        "Frames of video made.",
        Count(|user| user.video.as_ref().map(|video| video.frames[0])),
    ),
    Measure::new(
        "frames_complete",
        PLAIN,
        "Of these, arrived whole.",
        Count(|user| user.video.as_ref().map(|video| video.frames[1])),
    ),
    Measure::new(
        "frames_late",
        PLAIN,
        "Of the whole ones, later than their deadline.",
        Count(|user| user.video.as_ref().map(|video| video.frames[2])),
    ),
    Measure::of_source(
        "ended_early",
        PLAIN,
        "Sessions of video that their source ended for a poor rate.",
        "6.2, sessions that end",
        Count(|user| user.video.as_ref().map(|video| video.ended_early)),
    ),
    Measure::of_source(
        "frame_delay",
        MS.less(),
        "time from the encoder to the picture, of frames that arrived whole: RTP queue, network and processing.",
        "3.3, video frame delay, equation 3.1; 5.3.1",
        Times(|user| user.video.as_ref()?.frame_delay.as_ref()),
    ),
    Measure::of_source(
        "rtp_queue",
        MS.less(),
        "time in the RTP queue, from the encoder to the network, of each packet that arrived.",
        "3.3, RTP queue delay; 5.3.2",
        Times(|user| user.video.as_ref()?.rtp_queue.as_ref()),
    ),
    Measure::of_source(
        "network_queue",
        MS.less(),
        "queue delay in the network as the controller (SCReAM) estimates it, one value for each feedback.",
        "3.3, network queue delay; 5.3.3",
        Times(|user| user.video.as_ref()?.network_queue.as_ref()),
    ),
    Measure::new(
        "pages_asked",
        PLAIN,
        "Pages asked for, as far as they ended: complete, or open at the end of the run.",
        Count(|user| user.pages.as_ref().map(|pages| pages.asked)),
    ),
    Measure::of_source(
        "pages_finished",
        PLAIN.more(),
        "Of the pages asked for, those that came with all their objects before the end of the run, read or not.",
        "3.3, number of finished pages; 5.3.6",
        Count(|user| user.pages.as_ref().map(|pages| pages.complete)),
    ),
    Measure::of_source(
        "page_delay",
        MS.less(),
        "time from asking for a page to the last byte of its last object, of finished pages.",
        "3.3, page delay; 5.3.6",
        Times(|user| user.pages.as_ref()?.delay.as_ref()),
    ),
    Measure::new(
        "requests_asked",
        PLAIN,
        "Requests sent.",
        Count(|user| user.requests.as_ref().map(|requests| requests.asked)),
    ),
    Measure::new(
        "requests_answered",
        PLAIN,
        "Of these, answered in full.",
        Count(|user| user.requests.as_ref().map(|requests| requests.complete)),
    ),
    Measure::new(
        "request_duration",
        MS.less(),
        "time from a request to the last byte of its response.",
        Times(|user| user.requests.as_ref()?.delay.as_ref()),
    ),
    Measure::new(
        "retransmissions",
        PLAIN,
        "TCP segments sent again.",
        Count(|user| user.repeated.map(|[repeated, _]| repeated)),
    ),
    Measure::of_source(
        "timeouts",
        PLAIN.less(),
        "Retransmission timeouts of TCP.",
        "5.3.7, 5.3.8, where they are a cause",
        Count(|user| user.repeated.map(|[_, timeouts]| timeouts)),
    ),
    Measure::of_source(
        "sinr_mean_db",
        DB.more(),
        "Effective SINR of the UE's transmissions in this direction, repeated ones too: mean of the values in dB. Where nothing is sent there is no value.",
        "3.3, SINR; 5.3.7",
        Number(|user| user.sinr.map(|sinr| sinr.mean_db)),
    ),
    Measure::of_source(
        "sinr_linear_mean_db",
        DB,
        "The same as mean of the ratios, in dB. The source does not say which it means.",
        "3.3, SINR; 5.3.7",
        Number(|user| user.sinr.map(|sinr| sinr.linear_mean_db)),
    ),
    Measure::new(
        "resource_blocks",
        RESOURCE_BLOCKS,
        "Resource blocks of the UE in this direction, of all its applications.",
        Count(|user| user.resource_blocks),
    ),
    Measure::new(
        "out_of_range_s",
        S,
        "Seconds that the UE was out of range of its cell in this direction (CQI 0: TS 36.213, 7.2.3; TS 38.214, 5.2.2.1). A UE that never was has no value.",
        Number(|user| user.out_of_range_s),
    ),
    Measure::new(
        "no_service",
        PLAIN,
        "1 for a UE without service: no cell is suitable (TS 36.304, 5.2.3.2; TS 38.304, 5.2.3.2). A UE with service has no value.",
        Count(|user| user.no_service.then_some(1)),
    ),
];

/// All columns in order.
pub(crate) fn columns() -> impl Iterator<Item = Column<User>> {
    MEASURES.iter().flat_map(|measure| of(measure, &STATISTICS))
}

/// Columns whose distribution over users the summary has: of times, the mean and the 99th percentile.
pub(crate) fn summarised() -> impl Iterator<Item = Column<User>> {
    MEASURES.iter().flat_map(|measure| of(measure, &[STATISTICS[0], STATISTICS[3]]))
}

/// The columns of a measure: one, or one for each statistic of times.
fn of(measure: &'static Measure<Read>, statistics: &[Statistic]) -> Vec<Column<User>> {
    let (name, text) = (measure.name.clone(), measure.meaning.clone());
    match measure.read {
        Number(read) => vec![Column::number(name, measure.scale, text, read)],
        Count(read) => vec![Column::optional_count(name, measure.scale, text, read)],
        Times(read) => of_times(measure, statistics)
            .map(|(name, text, of)| {
                Column::number(name, measure.scale, text, move |user: &User| read(user).map(of))
            })
            .collect(),
    }
}

/// Measures that the source has: name, definition and section.
pub(crate) fn definitions() -> impl Iterator<Item = (String, String, &'static str)> {
    MEASURES.iter().filter(|measure| !measure.source.is_empty()).map(|measure| {
        let (name, meaning) = match measure.read {
            Times(_) => {
                let mut letters = measure.meaning.chars();
                let first = letters.next().map(|letter| letter.to_ascii_uppercase());
                let text = first.into_iter().chain(letters).collect();
                (format!("{}_…_ms", measure.name), text)
            }
            _ => (measure.name.to_string(), measure.meaning.to_string()),
        };
        (name, meaning, measure.source)
    })
}
