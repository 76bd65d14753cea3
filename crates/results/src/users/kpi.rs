//! The measures of a user, each declared once: name, value, definition, and where the source has
//! it.

use super::User;
use crate::DelaySummary;

/// How a measure is read off a user.
enum Read {
    Number(fn(&User) -> Option<f64>),
    Count(fn(&User) -> Option<u64>),
    /// Several columns: mean, percentiles, largest.
    Times(fn(&User) -> Option<&DelaySummary>),
}

/// A measure.
struct Measure {
    name: &'static str,
    read: Read,
    /// Of several columns, what stands behind "mean of the".
    meaning: &'static str,
    section: &'static str,
}

/// A column of the table of users.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) meaning: String,
    pub(super) whole: bool,
    /// Whether the summary has its distribution over users.
    pub(super) summarised: bool,
    read: &'static Read,
    statistic: fn(&DelaySummary) -> f64,
}

impl Column {
    /// Its value for a user, if there is one.
    pub(super) fn of(&self, user: &User) -> Option<f64> {
        match self.read {
            Read::Number(read) => read(user),
            Read::Count(read) => read(user).map(|n| n as f64),
            Read::Times(read) => read(user).map(self.statistic),
        }
    }
}

/// What a set of times has in the table: ending, words, whether the summary has it, value.
type Statistic = (&'static str, &'static str, bool, fn(&DelaySummary) -> f64);

const STATISTICS: [Statistic; 5] = [
    ("mean", "Mean of the", true, |d| d.mean),
    ("p50", "Median of the", false, |d| d.p50),
    ("p95", "95th percentile of the", false, |d| d.p95),
    ("p99", "99th percentile of the", true, |d| d.p99),
    ("max", "Largest of the", false, |d| d.max),
];

const fn measure(
    name: &'static str,
    read: Read,
    meaning: &'static str,
    section: &'static str,
) -> Measure {
    Measure { name, read, meaning, section }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

use Read::{Count, Number, Times};

const MEASURES: &[Measure] = &[
    measure(
        "transmitted_bps",
        Number(|user| user.transmitted_bps),
        "Bits that reached the application, a second of the time that it was active, as goodput is. Of video these are the payloads of the RTP packets that arrived, without headers; of full buffers the bytes in decoded blocks.",
        "3.3, transmitted rate (application layer); 5.3.4",
    ),
    measure(
        "sent_packets",
        Count(|user| user.packets.map(|packets| packets.sent)),
        "Packets of data handed to the network, repeated segments too.",
        "",
    ),
    measure(
        "lost_packets",
        Count(|user| user.packets.map(|packets| packets.lost)),
        "Of these, dropped on the way. What is thrown out of the RTP queue was never sent.",
        "",
    ),
    measure(
        "loss_rate",
        Number(|user| user.packets.and_then(|packets| share(packets.lost, packets.sent))),
        "Packets dropped, of those sent. Lost packets count here, and in what the controller makes of them; in no delay and no rate.",
        "3.3, packet loss rate; 6.3",
    ),
    measure(
        "ce_share",
        Number(|user| user.packets.and_then(|packets| share(packets.ce, packets.received))),
        "Packets that arrived with congestion experienced, of those that arrived.",
        "5.3.3, figure 5.12",
    ),
    measure(
        "ip_delay",
        Times(|user| user.ip_delay.as_ref()),
        "time of a packet from when it is handed to the network to when it is received.",
        "3.3, IP delay; 6.3",
    ),
    measure(
        "frames",
        Count(|user| user.video.as_ref().map(|video| video.frames[0])),
        "Frames of video made.",
        "",
    ),
    measure(
        "frames_complete",
        Count(|user| user.video.as_ref().map(|video| video.frames[1])),
        "Of these, arrived whole.",
        "",
    ),
    measure(
        "frames_late",
        Count(|user| user.video.as_ref().map(|video| video.frames[2])),
        "Of the whole ones, later than their deadline.",
        "",
    ),
    measure(
        "ended_early",
        Count(|user| user.video.as_ref().map(|video| video.ended_early)),
        "Sessions of video that their source ended for a poor rate.",
        "6.2, sessions that end",
    ),
    measure(
        "frame_delay",
        Times(|user| user.video.as_ref()?.frame_delay.as_ref()),
        "time from the encoder to the picture, of frames that arrived whole: RTP queue, network and processing.",
        "3.3, video frame delay, equation 3.1; 5.3.1",
    ),
    measure(
        "rtp_queue",
        Times(|user| user.video.as_ref()?.rtp_queue.as_ref()),
        "time in the RTP queue, from the encoder to the network, of each packet that arrived.",
        "3.3, RTP queue delay; 5.3.2",
    ),
    measure(
        "network_queue",
        Times(|user| user.video.as_ref()?.network_queue.as_ref()),
        "queue delay in the network as the controller (SCReAM) estimates it, one value for each feedback.",
        "3.3, network queue delay; 5.3.3",
    ),
    measure(
        "pages_asked",
        Count(|user| user.pages.as_ref().map(|pages| pages.asked)),
        "Pages asked for, as far as they ended: complete, or open at the end of the run.",
        "",
    ),
    measure(
        "pages_finished",
        Count(|user| user.pages.as_ref().map(|pages| pages.complete)),
        "Of the pages asked for, those that came with all their objects before the end of the run, read or not.",
        "3.3, number of finished pages; 5.3.6",
    ),
    measure(
        "page_delay",
        Times(|user| user.pages.as_ref()?.delay.as_ref()),
        "time from asking for a page to the last byte of its last object, of finished pages.",
        "3.3, page delay; 5.3.6",
    ),
    measure(
        "requests_asked",
        Count(|user| user.requests.as_ref().map(|requests| requests.asked)),
        "Requests sent.",
        "",
    ),
    measure(
        "requests_answered",
        Count(|user| user.requests.as_ref().map(|requests| requests.complete)),
        "Of these, answered in full.",
        "",
    ),
    measure(
        "request_duration",
        Times(|user| user.requests.as_ref()?.delay.as_ref()),
        "time from a request to the last byte of its response.",
        "",
    ),
    measure(
        "retransmissions",
        Count(|user| user.repeated.map(|[repeated, _]| repeated)),
        "TCP segments sent again.",
        "",
    ),
    measure(
        "timeouts",
        Count(|user| user.repeated.map(|[_, timeouts]| timeouts)),
        "Retransmission timeouts of TCP.",
        "5.3.7, 5.3.8, where they are a cause",
    ),
    measure(
        "sinr_mean_db",
        Number(|user| user.sinr.map(|sinr| sinr.mean_db)),
        "Effective SINR of the UE's transmissions in this direction, repeated ones too: mean of the values in dB. Where nothing is sent there is no value.",
        "3.3, SINR; 5.3.7",
    ),
    measure(
        "sinr_linear_mean_db",
        Number(|user| user.sinr.map(|sinr| sinr.linear_mean_db)),
        "The same as mean of the ratios, in dB. The source does not say which it means.",
        "3.3, SINR; 5.3.7",
    ),
    measure(
        "resource_blocks",
        Count(|user| user.resource_blocks),
        "Resource blocks of the UE in this direction, of all its applications.",
        "",
    ),
    measure(
        "out_of_range_s",
        Number(|user| user.out_of_range_s),
        "Seconds that the UE was out of range of its cell in this direction (CQI 0: TS 36.213, 7.2.3; TS 38.214, 5.2.2.1). A UE that never was has no value.",
        "",
    ),
    measure(
        "no_service",
        Count(|user| user.no_service.then_some(1)),
        "1 for a UE without service: no cell is suitable (TS 36.304, 5.2.3.2; TS 38.304, 5.2.3.2). A UE with service has no value.",
        "",
    ),
];

/// All columns in order.
pub(super) fn columns() -> impl Iterator<Item = Column> {
    MEASURES.iter().flat_map(|measure| {
        let several = matches!(measure.read, Read::Times(_));
        let own = if several { &STATISTICS[..] } else { &STATISTICS[..1] };
        own.iter().map(move |(ending, words, summarised, statistic)| {
            let (name, meaning) = match several {
                true => (
                    format!("{}_{ending}_ms", measure.name),
                    format!("{words} {}", measure.meaning),
                ),
                false => (measure.name.to_owned(), measure.meaning.to_owned()),
            };
            let whole = matches!(measure.read, Read::Count(_));
            let (summarised, statistic) = (*summarised, *statistic);
            Column { name, meaning, whole, summarised, read: &measure.read, statistic }
        })
    })
}

/// Measures that the source has: name, definition and section.
pub(crate) fn definitions() -> impl Iterator<Item = (String, String, &'static str)> {
    MEASURES.iter().filter(|measure| !measure.section.is_empty()).map(|measure| {
        let (name, meaning) = match measure.read {
            Read::Times(_) => {
                let mut letters = measure.meaning.chars();
                let first = letters.next().map(|letter| letter.to_ascii_uppercase());
                let text = first.into_iter().chain(letters).collect();
                (format!("{}_…_ms", measure.name), text)
            }
            _ => (measure.name.to_owned(), measure.meaning.to_owned()),
        };
        (name, meaning, measure.section)
    })
}
