//! Options of video flows as the models take them.

use airpath_base::Duration;
use airpath_media::scream;
use airpath_media::video::{FrameList, FrameModel, FrameSizes, VideoConfig};
use airpath_media::{MediaConfig, MediaSink, MediaSource};
use airpath_net::Node;
use airpath_schema::units::Phase;
use airpath_wire::Ecn;

use super::traffic::Draws;
use crate::file::{MediaControl, Rtp, Scream, Video};

/// Source and sink of a video flow, whose ends and times `base` has.
pub(super) fn nodes(
    rtp: &Rtp,
    video: &Video,
    base: MediaConfig,
    draws: &Draws,
) -> Result<[Box<dyn Node>; 2], String> {
    let scream = rtp.scream.as_ref().filter(|_| rtp.congestion_control == MediaControl::Scream);
    let source = encoder(video);
    let phase = match video.phase {
        Some(Phase::Random) => {
            let cycle = source.cycle().as_nanos();
            Duration::from_nanos(draws.stream("phase").below(cycle))
        }
        Some(Phase::At(phase)) => phase,
        None => Duration::ZERO,
    };
    let config = MediaConfig {
        ecn: scream.map_or(Ecn::NotEct, |scream| scream.ecn.code_point()),
        payload: u32::try_from(video.packet.0).unwrap_or(u32::MAX),
        give_up: video.give_up,
        video: source,
        phase,
        control: scream.map(|scream| control(scream, video)),
        processing: video.processing,
        deadline: video.deadline,
        ..base
    };
    let draws = draws.stream("video");
    let source = MediaSource::new(config.clone(), draws).map_err(|error| error.to_string())?;
    Ok([Box::new(source), Box::new(MediaSink::new(config))])
}

fn encoder(video: &Video) -> VideoConfig {
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

fn control(scream: &Scream, video: &Video) -> scream::Config {
    scream::Config {
        options: *scream,
        min_bitrate: video.min_rate.as_bps() as f64,
        start_bitrate: scream.start_rate.unwrap_or(video.min_rate).as_bps() as f64,
        max_bitrate: video.max_rate.as_bps() as f64,
    }
}
