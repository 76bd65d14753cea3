//! Checks of video flows; files with frame sizes are read here.

use airpath_schema::{Draft, Node};

use super::Checker;
use crate::file::{MediaControl, Rtp, Scenario, Scream, Video};
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
    if rtp.congestion_control == MediaControl::None {
        if rtp.scream.is_some() {
            let allowed = "set congestion_control = \"scream\"";
            checker.fail(&format!("{path}.scream"), "is for a flow with SCReAM", allowed);
        }
        if rtp.video.as_ref().is_some_and(|video| video.give_up.is_some()) {
            let is_wrong = "is for a flow with SCReAM: without it a source always sends its rate";
            let allowed = "set congestion_control = \"scream\", or leave it out";
            checker.fail(&format!("{path}.video.give_up"), is_wrong, allowed);
        }
        return;
    }
    let Some(video) = &rtp.video else {
        let allowed = "add [flow.rtp.video], an encoder whose rate can be controlled";
        return checker.fail(&format!("{path}.congestion_control"), "needs video", allowed);
    };
    if let Some(scream) = &rtp.scream {
        check_scream(scream, video, &format!("{path}.scream"), checker);
    }
}

fn check_video(video: &Video, path: &str, checker: &mut Checker<'_>) {
    if video.min_rate > video.max_rate {
        let allowed = format!("max_rate, {}, or less", video.max_rate);
        checker.fail(&format!("{path}.min_rate"), "is above max_rate", allowed);
    }
}

fn check_scream(scream: &Scream, video: &Video, path: &str, checker: &mut Checker<'_>) {
    let outside = |rate| !(video.min_rate..=video.max_rate).contains(&rate);
    if scream.start_rate.is_some_and(outside) {
        let allowed = format!("{} to {}", video.min_rate, video.max_rate);
        checker.fail(&format!("{path}.start_rate"), "is not within the video's rates", allowed);
    }
}

/// Reads the files with frame sizes.
pub(crate) fn read_frames(scenario: &mut Scenario, root: &Node, files: Files<'_>) -> Vec<Draft> {
    let mut checker = Checker { root, drafts: Vec::new(), renamed: None };
    for (n, flow) in scenario.flow.iter_mut().enumerate() {
        let video = flow.rtp.as_mut().and_then(|rtp| rtp.video.as_mut());
        let Some(file) = video.and_then(|video| video.frame_sizes.as_mut()) else { continue };
        if let Err(why) = files(file.file()).and_then(|text| file.read(&text)) {
            let is_wrong = format!("cannot be read: {why}");
            let allowed = "a file with frame sizes in bytes, white space between them";
            checker.fail(&format!("flow.{n}.rtp.video.frame_sizes"), &is_wrong, allowed);
        }
    }
    checker.drafts
}
