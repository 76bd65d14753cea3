//! Options of video flows as the models take them.

use airpath_base::random::Stream;
use airpath_base::{BitRate, Duration};
use airpath_media::scream;
use airpath_media::video::{FrameList, FrameModel, FrameSizes, VideoConfig};
use airpath_media::{Control, MediaConfig, MediaSink, MediaSource, Rates};
use airpath_net::Node;
use airpath_schema::units::Phase;
use airpath_wire::Ecn;

use super::traffic::Draws;
use crate::file::{MediaControl, Rtp, Video};

/// Source and sink of a video flow, whose ends and times `base` has.
pub(super) fn nodes(
    rtp: &Rtp,
    video: &Video,
    base: MediaConfig,
    draws: &Draws,
) -> Result<[Box<dyn Node>; 2], String> {
    let control = control(rtp, video);
    let source = encoder(video);
    let phase = phase(video, &source, || draws.stream("phase"));
    let config = MediaConfig {
        ecn: control.map_or(Ecn::NotEct, |(_, ecn)| ecn),
        payload: u32::try_from(video.packet.0).unwrap_or(u32::MAX),
        give_up: video.give_up,
        video: source,
        phase,
        control: control.map(|(control, _)| control),
        processing: video.processing,
        deadline: video.deadline,
        ..base
    };
    let draws = draws.stream("video");
    let source = MediaSource::new(config.clone(), draws).map_err(|error| error.to_string())?;
    Ok([Box::new(source), Box::new(MediaSink::new(config))])
}

/// Position in the encoder's cycle at its start.
pub(super) fn phase(
    video: &Video,
    encoder: &VideoConfig,
    draws: impl FnOnce() -> Stream,
) -> Duration {
    match video.phase {
        Some(Phase::Random) => Duration::from_nanos(draws().below(encoder.cycle().as_nanos())),
        Some(Phase::At(phase)) => phase,
        None => Duration::ZERO,
    }
}

/// Options of an encoder.
pub(super) fn encoder(video: &Video) -> VideoConfig {
    let sizes = match video.frame_sizes.as_ref().and_then(|file| file.sizes()) {
        Some(sizes) => {
            FrameSizes::List(FrameList { sizes: sizes.clone(), gain: video.frame_sizes_gain })
        }
        None => FrameSizes::Model(FrameModel {
            key_interval: video.key_frames.quantity(),
            key_scale: video.key_frame_scale,
            scene_interval: video.scene_changes.quantity(),
            variation: video.variation,
            correlation: video.correlation,
        }),
    };
    VideoConfig {
        frame_rate: video.frame_rate,
        bitrate: (video.min_rate.as_bps() as f64, video.max_rate.as_bps() as f64),
        lag: video.lag,
        sizes,
    }
}

/// Congestion control of a flow, and the ECN field of its packets.
fn control(rtp: &Rtp, video: &Video) -> Option<(Control, Ecn)> {
    let rates = |start: Option<BitRate>| Rates {
        min: video.min_rate.as_bps() as f64,
        start: start.unwrap_or(video.min_rate).as_bps() as f64,
        max: video.max_rate.as_bps() as f64,
    };
    match rtp.congestion_control {
        MediaControl::None => None,
        MediaControl::Scream => {
            let options = rtp.scream?;
            let Rates { min, start, max } = rates(options.start_rate);
            let config = scream::Config {
                options,
                min_bitrate: min,
                start_bitrate: start,
                max_bitrate: max,
            };
            Some((Control::Scream(config), options.ecn.code_point()))
        }
        MediaControl::Gcc => {
            let options = rtp.gcc?;
            Some((Control::Gcc(options, rates(options.start_rate)), Ecn::NotEct))
        }
        MediaControl::Nada => {
            let options = rtp.nada?;
            let ecn = if options.ecn { Ecn::Ect0 } else { Ecn::NotEct };
            let rates = rates(options.start_rate);
            Some((Control::Nada(options, rates, video.frame_rate), ecn))
        }
    }
}
