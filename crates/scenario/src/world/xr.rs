//! Options of flows of extended reality as the models take them.

use airpath_base::Duration;
use airpath_media::frames::{
    Arrivals, FrameDraws, FrameSource, FramesConfig, Part, TruncatedNormal,
};
use airpath_media::{MediaConfig, MediaSink};
use airpath_net::Node;
use airpath_schema::units::Phase;

use super::traffic::{Draws, OneFlow};
use crate::file::{Xr, XrPart};

/// Source and sink of a flow; `encoder` has the draws that streams of one encoder share.
pub(super) fn nodes(
    flow: &OneFlow<'_>,
    base: MediaConfig,
    draws: &Draws,
    encoder: &Draws,
) -> Result<[Box<dyn Node>; 2], String> {
    let xr = flow.flow.xr.as_ref().ok_or("a flow of kind xr lacks its options")?;
    let mean = xr.mean_size();
    let config = FramesConfig {
        flow: base.flow,
        source: base.source,
        sink: base.sink,
        dscp: base.dscp.0,
        ssrc: base.ssrc,
        start: base.start,
        stop: base.stop,
        arrivals: arrivals(xr, encoder),
        size: TruncatedNormal {
            mean,
            deviation: mean * xr.deviation.unwrap_or(0.0),
            min: mean * xr.min,
            max: mean * xr.max,
        },
        part: part(xr),
        packet: u32::try_from(xr.packet.0).unwrap_or(u32::MAX),
        importance: xr.importance.unwrap_or(1),
        processing: xr.processing,
        deadline: xr.deadline.unwrap_or(Duration::from_secs(3_600)),
    };
    let keyed =
        FrameDraws { times: encoder.keyed("frame times"), sizes: draws.keyed("frame sizes") };
    let source = FrameSource::new(config, keyed).map_err(|error| error.to_string())?;
    Ok([Box::new(source), Box::new(MediaSink::new(base))])
}

fn arrivals(xr: &Xr, encoder: &Draws) -> Arrivals {
    let period = xr.period();
    if !xr.is_periodic() {
        return Arrivals::Poisson { mean: period };
    }
    let cycle = period * u64::from(part(xr).cycle());
    let phase = match xr.phase {
        Some(Phase::Random) => {
            Duration::from_nanos(encoder.stream("phase").below(cycle.as_nanos()))
        }
        Some(Phase::At(phase)) => phase,
        None => Duration::ZERO,
    };
    let jitter = xr.jitter.unwrap_or(Duration::ZERO);
    Arrivals::Periodic { period, phase, jitter, jitter_range: xr.range() }
}

fn part(xr: &Xr) -> Part {
    let (slices, pictures, ratio) = (xr.slices, xr.group, xr.ratio);
    match xr.part {
        XrPart::Whole => Part::Whole,
        XrPart::ISlice => Part::ISlice { slices, ratio },
        XrPart::PSlices => Part::PSlices { slices, ratio },
        XrPart::IFrames => Part::IFrames { pictures, ratio },
        XrPart::PFrames => Part::PFrames { pictures, ratio },
    }
}
