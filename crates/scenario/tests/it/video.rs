//! Video flows in the file: allowed values, their meaning, and the messages about faults.

use airpath_base::random::Seed;
use airpath_base::{BitRate, Bytes, Duration, NodeId, Time};
use airpath_net::{AppEvent, Event, Probe};
use airpath_scenario::{
    Errors, GccVariant, MediaControl, Rtp, Scenario, ScreamStallFrom, ScreamVersion, world::World,
};

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
fn keys_of_scream_have_units_and_ranges() {
    let lines =
        "[flow.rtp]\ncongestion_control = \"scream\"\n[flow.rtp.video]\n[flow.rtp.scream]\n";
    let usual = rtp(lines).scream.expect("options");
    assert_eq!((usual.min_window, usual.stall_from), (None, None));
    let keys =
        "min_window = \"5000 B\"\nqueue_delay_target = \"100 ms\"\nstall_from = \"feedback\"\n";
    let scream = rtp(&format!("{lines}{keys}")).scream.expect("options");
    assert_eq!(scream.min_window, Some(Bytes(5_000)));
    assert_eq!(scream.queue_delay_target, Duration::from_millis(100));
    assert_eq!(scream.stall_from, Some(ScreamStallFrom::Feedback));
    let text = wrong(&format!("{lines}min_window = \"0 B\"\n"));
    assert!(text.contains("`flow.game.rtp.scream.min_window` is zero (allowed: 1 B to"), "{text}");
    let text = wrong(&format!("{lines}stall_from = \"packet\"\n"));
    assert!(text.contains("`flow.game.rtp.scream.stall_from` cannot be \"packet\""), "{text}");
}

#[test]
fn gcc_and_nada_have_options_of_their_own() {
    let control =
        |name: &str| format!("[flow.rtp]\ncongestion_control = \"{name}\"\n[flow.rtp.video]\n");
    let gcc = rtp(&control("gcc")).gcc.expect("options");
    assert_eq!((gcc.variant, gcc.start_rate), (GccVariant::Libwebrtc, Some(BitRate::from_mbps(2))));
    let nada = rtp(&control("nada")).nada.expect("options");
    assert_eq!((nada.ecn, nada.reference_delay), (false, Duration::from_millis(10)));
    let draft = rtp(&format!("{}[flow.rtp.gcc]\nvariant = \"draft\"\n", control("gcc")));
    assert_eq!(draft.gcc.expect("options").variant, GccVariant::Draft);
    let text = wrong(&format!("{}[flow.rtp.nada]\n", control("gcc")));
    assert!(text.contains("`flow.game.rtp.nada` is for a flow with NADA"), "{text}");
    assert!(text.contains("set congestion_control = \"nada\""), "{text}");
    let text = wrong(&format!("{}[flow.rtp.gcc]\nstart_rate = \"90 Mbit/s\"\n", control("gcc")));
    assert!(text.contains("`flow.game.rtp.gcc.start_rate` is not within"), "{text}");
    let text = wrong(&format!("{}[flow.rtp.gcc]\nvariant = \"kalman\"\n", control("gcc")));
    assert!(text.contains("`flow.game.rtp.gcc.variant` cannot be \"kalman\""), "{text}");
    let text = wrong(&format!("{}[flow.rtp.nada]\npriority = 0\n", control("nada")));
    assert!(text.contains("`flow.game.rtp.nada.priority`"), "{text}");
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

/// Times at which the first frame of each flow was made within the frame interval, in shares of the
/// whole. With each is the index of its size among the file's ten.
fn phases(lines: &str, count: u32) -> Vec<(f64, f64)> {
    struct First(Vec<Option<(Time, u32)>>);
    impl Probe for First {
        fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
            if let Event::App(flow, AppEvent::Frame(frame)) = event {
                self.0[flow.index()].get_or_insert((now, frame.bytes));
            }
        }
    }
    let files = |_: &str| Ok("100 200 300 400 500 600 700 800 900 1000".to_owned());
    let head = "duration = \"1 s\"\nradio = \"none\"\npath.sgi.queue = \"unlimited\"\n";
    let text = format!(
        "{head}[[ue]]\nname = \"ue\"\ncount = {count}\n[[flow]]\nname = \"game\"\nkind = \"rtp\"\n\
         direction = \"down\"\n[flow.rtp.video]\nframe_sizes = \"f\"\nframe_rate = 50\n\
         max_rate = \"2200 kbit/s\"\n{lines}"
    );
    let scenario = Scenario::parse_with("s.toml", &text, &[], &files);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let mut world = World::build(&scenario, Seed(7)).expect("a world");
    let mut first = First(vec![None; count as usize]);
    world.engine.run_until(Time::from_millis(20), Some(&mut first)).expect("a run");
    let first = first.0.into_iter().map(|first| first.expect("a frame in each interval"));
    // 2.2 Mbit/s at 50 frames/s are 5500 B a frame on average, as the sizes times ten are.
    first.map(|(at, bytes)| (at.as_secs_f64() * 50.0, f64::from(bytes) / 1000.0 - 1.0)).collect()
}

/// Greatest distance of a sample from the uniform distribution over 0 to 1 (Kolmogorov, Smirnov).
fn distance(mut sample: Vec<f64>) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let both = |(i, x): (usize, &f64)| ((i + 1) as f64 / n - x).max(x - i as f64 / n);
    sample.iter().enumerate().map(both).fold(0.0, f64::max)
}

#[test]
fn the_users_of_a_flow_are_not_in_step() {
    // Of 1000 values, 1.63 / sqrt(1000) is passed once in a hundred times.
    const LIMIT: f64 = 0.0515;
    let drawn = phases("", 1000);
    let times: Vec<f64> = drawn.iter().map(|(at, _)| *at).collect();
    assert!(distance(times.clone()) < LIMIT, "{}", distance(times));
    // The whole cycle: the index in the file, and the part of the interval that had passed.
    let cycle = |&(at, place): &(f64, f64)| ((place + 10.0 - at) / 10.0) % 1.0;
    let places: Vec<f64> = drawn.iter().map(cycle).collect();
    assert!(distance(places.clone()) < LIMIT, "{}", distance(places));
    assert_eq!(phases("", 1), [(0.0, 0.0)], "one user alone begins at once");
    assert!(phases("phase = \"0 ms\"\n", 20).iter().all(|first| *first == (0.0, 0.0)));
    assert_eq!(phases("phase = \"45 ms\"\n", 1), [(0.75, 3.0)]);
    assert_ne!(phases("phase = \"random\"\n", 1), [(0.0, 0.0)]);
}

#[test]
fn a_session_that_can_end_for_a_poor_rate_needs_a_controlled_one() {
    let give_up = "[flow.rtp.video.give_up]\nbelow = \"2 Mbit/s\"\nafter = \"10 s\"\n";
    let video = rtp(&format!("[flow.rtp]\ncongestion_control = \"scream\"\n{give_up}")).video;
    let give_up_key = video.expect("video").give_up.expect("an end");
    assert_eq!(give_up_key.after, Duration::from_secs(10));
    let text = wrong(give_up);
    assert!(
        text.contains("a source always sends its rate") && text.contains("s.toml:14"),
        "{text}"
    );
}
