//! Quantities of a user: columns of `users.parquet`, their distributions over users in
//! `summary.json`, and their definitions in `docs/results.md`.

use airpath_base::measure::{
    BPS, Column, DB, MS, Measure, PACKETS, PLAIN, RESOURCE_BLOCKS, S, SHARE,
};
use airpath_base::measures;

use super::{Declared, STATISTICS, Statistic, of_times};
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

const MEASURES: &[Measure<Read>] = measures! {
    /// Bits that reached the application, a second of the time that it was active, as goodput is.
    /// Of video these are the payloads of the RTP packets that arrived, without headers; of full
    /// buffers the bytes in decoded blocks.
    #[label = "transmitted rate"]
    #[source = "3.3, transmitted rate (application layer); 5.3.4"]
    transmitted_bps [BPS.more()] = Number(|user| user.transmitted_bps),
    /// Packets of data handed to the network, repeated segments too.
    sent_packets [PACKETS] = Count(|user| user.packets.map(|packets| packets.sent)),
    /// Of these, dropped on the way. What is thrown out of the RTP queue was never sent.
    lost_packets [PACKETS] = Count(|user| user.packets.map(|packets| packets.lost)),
    /// Packets dropped, of those sent. Lost packets count here, and in what the controller makes of
    /// them; in no delay and no rate.
    #[source = "3.3, packet loss rate; 6.3"]
    loss_rate [SHARE.less()] =
        Number(|user| user.packets.and_then(|packets| share(packets.lost, packets.sent))),
    /// Packets that arrived with congestion experienced, of those that arrived.
    #[source = "5.3.3, figure 5.12"]
    ce_share [SHARE] =
        Number(|user| user.packets.and_then(|packets| share(packets.ce, packets.received))),
    /// time of a packet from when it is handed to the network to when it is received.
    #[source = "3.3, IP delay; 6.3"]
    ip_delay [MS.less()] = Times(|user| user.ip_delay.as_ref()),
    /// Frames of video made.
    frames [PLAIN] = Count(|user| user.video.as_ref().map(|video| video.frames[0])),
    /// Of these, arrived whole.
    frames_complete [PLAIN] = Count(|user| user.video.as_ref().map(|video| video.frames[1])),
    /// Of the frames made, those that came whole after their deadline, or had not at the end although it was over. Lost ones
    /// are left out.
    frames_late [PLAIN] = Count(|user| user.video.as_ref().map(|video| video.frames[2])),
    /// Of the frames made, those that never came whole although a later one did, or as a packet was dropped.
    frames_lost [PLAIN.less()] =
        Count(|user| user.video.as_ref().map(|video| video.frames_not_shown[0])),
    /// Of the whole ones, those that came behind a newer one and so are not shown.
    frames_overtaken [PLAIN.less()] =
        Count(|user| user.video.as_ref().map(|video| video.frames_not_shown[1])),
    /// Frames that came whole within `output.within`, or else within their deadline, of those whose time was over at the
    /// end. With `output.within` also RTP packets of flows without frames. Of several flows, the smallest share.
    within_share [SHARE.more()] = Number(|user| user.within_share),
    /// Times without a new picture for at least three means of the 30 intervals before. They are also at least that mean and 150 ms
    /// (W3C, Identifiers for WebRTC's Statistics API, `freezeCount`).
    freezes [PLAIN.less()] = Count(|user| user.video.as_ref()?.frozen.0),
    /// Duration of these intervals, of the time from the first picture to the last.
    frozen_share [SHARE.less()] = Number(|user| user.video.as_ref()?.frozen.1),
    /// time from the making of an input to the picture of a frame that shows it. It is motion to photon of extended reality and
    /// input to frame of games.
    input_to_picture [MS.less()] = Times(|user| user.video.as_ref()?.input_to_picture.as_ref()),
    /// Mean opinion score of voice by the E-model (ITU-T G.107, annex B). Of several flows, the smallest.
    mos [PLAIN.more()] = Number(|user| user.mos),
    /// Mean time until a player first played.
    startup_s [S.less()] = Number(|user| user.playback?.startup_s),
    /// Times that players stood still for want of media.
    stalls [PLAIN.less()] = Count(|user| user.playback.map(|playback| playback.stalls)),
    /// Time that players stood still for want of media, of the time since they first played.
    stalled_share [SHARE.less()] = Number(|user| user.playback?.stalled_share),
    /// Sessions of video that their source ended for a poor rate.
    #[source = "6.2, sessions that end"]
    ended_early [PLAIN] = Count(|user| user.video.as_ref().map(|video| video.ended_early)),
    /// time from the encoder to the picture, of frames that arrived whole: RTP queue, network and
    /// processing.
    #[source = "3.3, video frame delay, equation 3.1; 5.3.1"]
    frame_delay [MS.less()] = Times(|user| user.video.as_ref()?.frame_delay.as_ref()),
    /// time in the RTP queue, from the encoder to the network, of each packet that arrived.
    #[source = "3.3, RTP queue delay; 5.3.2"]
    rtp_queue [MS.less()] = Times(|user| user.video.as_ref()?.rtp_queue.as_ref()),
    /// queue delay in the network as the congestion control estimates it, one value for each
    /// feedback.
    #[source = "3.3, network queue delay; 5.3.3"]
    network_queue [MS.less()] = Times(|user| user.video.as_ref()?.network_queue.as_ref()),
    /// Pages requested, as far as they ended: complete, or open at the end of the run.
    pages_asked [PLAIN] = Count(|user| user.pages.as_ref().map(|pages| pages.asked)),
    /// Of the requested pages, those that came with all their objects before the end of the run,
    /// read or not.
    #[source = "3.3, number of finished pages; 5.3.6"]
    pages_finished [PLAIN.more()] = Count(|user| user.pages.as_ref().map(|pages| pages.complete)),
    /// time from asking for a page to the last byte of its last object, of finished pages.
    #[source = "3.3, page delay; 5.3.6"]
    page_delay [MS.less()] = Times(|user| user.pages.as_ref()?.delay.as_ref()),
    /// time from asking for a page to the last byte of its first object behind the index.
    first_object [MS.less()] = Times(|user| user.pages.as_ref()?.first.as_ref()),
    /// Requests sent.
    requests_asked [PLAIN] = Count(|user| user.requests.as_ref().map(|requests| requests.asked)),
    /// Of these, answered in full.
    requests_answered [PLAIN] =
        Count(|user| user.requests.as_ref().map(|requests| requests.complete)),
    /// time from a request to the last byte of its response.
    request_duration [MS.less()] = Times(|user| user.requests.as_ref()?.delay.as_ref()),
    /// TCP segments sent again.
    retransmissions [PLAIN] = Count(|user| user.repeated.map(|[repeated, _]| repeated)),
    /// Retransmission timeouts of TCP.
    #[source = "5.3.7, 5.3.8, where they are a cause"]
    timeouts [PLAIN.less()] = Count(|user| user.repeated.map(|[_, timeouts]| timeouts)),
    /// Effective SINR of the UE's transmissions in this direction, repeated ones too: mean of the
    /// values in dB. Where nothing is sent there is no value.
    #[source = "3.3, SINR; 5.3.7"]
    sinr_mean_db [DB.more()] = Number(|user| user.sinr.map(|sinr| sinr.mean_db)),
    /// Effective SINR as mean of the ratios, in dB. The source does not say which mean it has.
    #[source = "3.3, SINR; 5.3.7"]
    sinr_linear_mean_db [DB] = Number(|user| user.sinr.map(|sinr| sinr.linear_mean_db)),
    /// Resource blocks of the UE in this direction, of all its applications.
    resource_blocks [RESOURCE_BLOCKS] = Count(|user| user.resource_blocks),
    /// Seconds that the UE was out of range of its cell in this direction (CQI 0: TS 36.213, 7.2.3;
    /// TS 38.214, 5.2.2.1). A UE that never was has no value.
    out_of_range_s [S] = Number(|user| user.out_of_range_s),
    /// 1 for a UE without service: no cell is suitable (TS 36.304, 5.2.3.2; TS 38.304, 5.2.3.2). A
    /// UE with service has no value.
    no_service [PLAIN] = Count(|user| user.no_service.then_some(1)),
};

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
            .map(|(name, (.., of), text)| {
                Column::number(name, measure.scale, text, move |user: &User| read(user).map(of))
            })
            .collect(),
    }
}

/// All columns by name.
pub(crate) fn declared() -> impl Iterator<Item = Declared> {
    MEASURES.iter().flat_map(|measure| match measure.read {
        Number(_) | Count(_) => Declared::of(measure, &[]),
        Times(_) => Declared::of(measure, &STATISTICS),
    })
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
