//! Checks of video flows; files with frame sizes are read here.

use airpath_base::Bytes;
use airpath_schema::{Draft, Field, Node};

use super::Checker;
use crate::file::{MediaControl, Rtp, Scenario, Video, Webrtc, WebrtcEcn};
use crate::load::Files;

pub(super) fn check(rtp: &Rtp, path: &str, checker: &mut Checker<'_>) {
    if let Some(video) = &rtp.video {
        check_video(video, &format!("{path}.video"), checker);
        if rtp.count.is_some() {
            let allowed = "say stop, or leave video out";
            checker.fail(&format!("{path}.count"), "is not for video", allowed);
        }
        if rtp.answer.is_some() {
            let allowed = "leave one of them out: equal packets are answered";
            checker.fail(&format!("{path}.answer"), "is not for video", allowed);
        }
    }
    check_codec(rtp, path, checker);
    check_options(rtp, path, checker);
    if rtp.congestion_control == MediaControl::None {
        if rtp.video.as_ref().is_some_and(|video| video.give_up.is_some()) {
            let is_wrong =
                "is for a flow with congestion control: without it a source always sends its rate";
            let allowed = "set congestion_control, or leave it out";
            checker.fail(&format!("{path}.video.give_up"), is_wrong, allowed);
        }
        return;
    }
    let Some(video) = &rtp.video else {
        let allowed = "add [flow.rtp.video], an encoder whose rate can be controlled";
        return checker.fail(&format!("{path}.congestion_control"), "needs video", allowed);
    };
    let starts = [
        ("scream", rtp.scream.as_ref().and_then(|options| options.start_rate)),
        ("gcc", rtp.gcc.as_ref().and_then(|options| options.start_rate)),
        ("nada", rtp.nada.as_ref().and_then(|options| options.start_rate)),
    ];
    for (table, start) in starts {
        if start.is_some_and(|rate| !(video.min_rate..=video.max_rate).contains(&rate)) {
            let allowed = format!("{} to {}", video.min_rate, video.max_rate);
            let key = format!("{path}.{table}.start_rate");
            checker.fail(&key, "is not within the video's rates", allowed);
        }
    }
}

/// Most bytes of a packet beside its header and its voice: the tag of SRTP (RFC 3711, 4.2.1).
const TAG: u64 = 10;

/// Packets carry whole frames of their codec.
fn check_codec(rtp: &Rtp, path: &str, checker: &mut Checker<'_>) {
    let Some(codec) = rtp.codec else { return };
    let (at, word) = (format!("{path}.codec"), codec.word());
    if rtp.video.is_some() {
        return checker.fail(&at, "is of voice, and there is video", "leave one of them out");
    }
    let (bytes, lasts) = codec.frame();
    let frames = (rtp.interval.as_nanos() / lasts.as_nanos()).max(1);
    let least = frames * bytes.0 + 12;
    if lasts * frames != rtp.interval {
        let is_wrong = format!("is \"{word}\", whose frames last {lasts}");
        let allowed = format!("interval = \"{}\", or another codec", lasts * frames);
        checker.fail(&at, &is_wrong, allowed);
    } else if !(least..=least + TAG).contains(&rtp.payload.0) {
        let is_wrong = format!(
            "is \"{word}\", of which {} has {} B, and {} of payload do not fit",
            rtp.interval,
            least - 12,
            rtp.payload
        );
        let allowed = format!("payload = \"{least} B\" with the header of RTP, or another codec");
        checker.fail(&at, &is_wrong, allowed);
    }
}

/// Most bytes of a frame in a packet of WebRTC.
const LARGEST_PACKET: Bytes = Bytes(1_350);

/// A call of WebRTC.
pub(super) fn check_webrtc(call: &Webrtc, path: &str, checker: &mut Checker<'_>) {
    if call.ecn != WebrtcEcn::Off {
        let is_wrong =
            format!("is \"{}\", and str0m neither sets nor reads the ECN field", call.ecn.word());
        checker.fail(&format!("{path}.ecn"), &is_wrong, "\"off\", or a flow of kind \"rtp\"");
    }
    if !call.bandwidth_estimation && call.start_rate.is_some() {
        let allowed = "leave it out: the encoder has its max_rate";
        let is_wrong = "is for a call with bandwidth estimation";
        checker.fail(&format!("{path}.start_rate"), is_wrong, allowed);
    }
    let usual = Video::absent();
    let Some(video) = call.video.as_ref().or(usual.as_ref()) else { return };
    check_video(video, &format!("{path}.video"), checker);
    if video.packet > LARGEST_PACKET {
        let allowed = format!("at most {LARGEST_PACKET}, which one IP packet has room for");
        checker.fail(&format!("{path}.video.packet"), "is too large for WebRTC", allowed);
    }
    if !call.bandwidth_estimation && video.give_up.is_some() {
        let is_wrong =
            "is for a call with bandwidth estimation: without it a source always sends its rate";
        let allowed = "set bandwidth_estimation = true, or leave it out";
        checker.fail(&format!("{path}.video.give_up"), is_wrong, allowed);
    }
    if call.start_rate.is_some_and(|rate| !(video.min_rate..=video.max_rate).contains(&rate)) {
        let allowed = format!("{} to {}", video.min_rate, video.max_rate);
        checker.fail(&format!("{path}.start_rate"), "is not within the video's rates", allowed);
    }
}

/// Options of a congestion control that the flow has not.
fn check_options(rtp: &Rtp, path: &str, checker: &mut Checker<'_>) {
    let tables = [
        ("scream", "SCReAM", MediaControl::Scream, rtp.scream.is_some()),
        ("gcc", "GCC", MediaControl::Gcc, rtp.gcc.is_some()),
        ("nada", "NADA", MediaControl::Nada, rtp.nada.is_some()),
    ];
    for (table, name, control, given) in tables {
        if given && rtp.congestion_control != control {
            let allowed = format!("set congestion_control = \"{table}\", or leave it out");
            checker.fail(
                &format!("{path}.{table}"),
                &format!("is for a flow with {name}"),
                allowed,
            );
        }
    }
}

fn check_video(video: &Video, path: &str, checker: &mut Checker<'_>) {
    if video.min_rate > video.max_rate {
        let allowed = format!("max_rate, {}, or less", video.max_rate);
        checker.fail(&format!("{path}.min_rate"), "is above max_rate", allowed);
    }
}

/// Reads the files with frame sizes.
pub(crate) fn read_frames(scenario: &mut Scenario, root: &Node, files: Files<'_>) -> Vec<Draft> {
    let mut checker = Checker { root, drafts: Vec::new(), renamed: None };
    for (n, flow) in scenario.flow.iter_mut().enumerate() {
        let Some((video, table)) = flow.video_mut() else { continue };
        let Some(file) = video.frame_sizes.as_mut() else { continue };
        if let Err(why) = files(file.file()).and_then(|text| file.read(&text)) {
            let is_wrong = format!("cannot be read: {why}");
            let allowed = "a file with frame sizes in bytes, white space between them";
            checker.fail(&format!("flow.{n}.{table}.video.frame_sizes"), &is_wrong, allowed);
        }
    }
    checker.drafts
}
