//! Video flows in the file: what may be written, what it means, and what is said when it
//! is wrong.

use airpath_base::{BitRate, Duration};
use airpath_scenario::{Errors, MediaControl, Rtp, Scenario, ScreamVersion, world::World};

const HEAD: &str = r#"
duration = "1 s"
[path.sgi]
[path.s1]
[cell]
resource_blocks = 25
[[ue]]
name = "ue"
snr = "20 dB"
[[flow]]
name = "game"
kind = "rtp"
direction = "down"
"#;

fn with(lines: &str) -> Result<Scenario, Errors> {
    let files = |file: &str| match file {
        "frames.txt" => Ok("# two frames\n1000 3000\n".to_owned()),
        "bad.txt" => Ok("1000\nmany\n".to_owned()),
        other => Err(format!("there is no {other}")),
    };
    Scenario::parse_with("s.toml", &format!("{HEAD}{lines}"), &[], &files)
}

fn rtp(lines: &str) -> Rtp {
    let scenario = with(lines).unwrap_or_else(|errors| panic!("{}", errors.plain()));
    World::build(&scenario, airpath_base::random::Seed(1)).expect("a world");
    scenario.flow[0].rtp.clone().expect("options of RTP")
}

fn wrong(lines: &str) -> String {
    with(lines).expect_err("a mistake").plain()
}

#[test]
fn defaults_follow_from_other_keys() {
    let plain = rtp("");
    assert_eq!((plain.video, plain.congestion_control), (None, MediaControl::None));
    let controlled = rtp(
        "[flow.rtp]\ncongestion_control = \"scream\"\n[flow.rtp.video]\nmin_rate = \"3 Mbit/s\"\n",
    );
    let (video, scream) = (controlled.video.expect("video"), controlled.scream.expect("options"));
    assert_eq!((video.frame_rate, video.max_rate), (60.0, BitRate::from_mbps(70)));
    assert_eq!(scream.version, ScreamVersion::V2);
    assert_eq!(scream.start_rate, Some(BitRate::from_mbps(3)));
    assert_eq!(scream.queue_delay_target, Duration::from_millis(60));
}

#[test]
fn frame_sizes_come_from_a_file_and_count_for_the_hash() {
    let lines = |file| format!("[flow.rtp.video]\nframe_sizes = \"{file}\"\n");
    let video = rtp(&lines("frames.txt")).video.expect("video");
    let sizes = video.frame_sizes.as_ref().and_then(|file| file.sizes()).expect("sizes");
    assert_eq!(sizes[..], [1000, 3000]);
    assert!(wrong(&lines("none.txt")).contains("there is no none.txt"));
    assert!(wrong(&lines("bad.txt")).contains("line 2: `many` is no size"));
}

#[test]
fn mistakes_say_what_is_allowed() {
    let scream = "[flow.rtp]\ncongestion_control = \"scream\"\n";
    assert!(wrong(scream).contains("needs video"));
    let options = "[flow.rtp.video]\n[flow.rtp.scream]\n";
    assert!(wrong(options).contains("is for a flow with SCReAM"));
    let start = format!("{scream}[flow.rtp.video]\n[flow.rtp.scream]\nstart_rate = \"1 Mbit/s\"\n");
    assert!(wrong(&start).contains("is not within the video's rates"));
    assert!(wrong("[flow.rtp]\ncount = 3\n[flow.rtp.video]\n").contains("is not for video"));
    let rates = "[flow.rtp.video]\nmin_rate = \"80 Mbit/s\"\n";
    assert!(wrong(rates).contains("is above max_rate"));
}
