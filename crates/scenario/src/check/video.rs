//! Checks of video flows; files with frame sizes are read here.

use airpath_schema::{Draft, Node};

use super::Checker;
use crate::file::{MediaControl, Rtp, Scenario, Video};
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
