//! Classes of traffic and schedulers in the file: what may be written, what it means, and
//! what is said when it is wrong.

use airpath_base::random::Seed;
use airpath_scenario::{Errors, Scenario, world::World};

/// Two UEs with video and web, and what is behind the bearers' names.
fn with(video: &str, web: &str, cell: &str) -> Result<Scenario, Errors> {
    let text = format!(
        "duration = \"1 s\"\n[cell]\n{cell}\n\
         [[ue]]\nname = \"ue\"\ncount = 2\nsnr = \"20 dB\"\n\
         [[bearer]]\nname = \"web\"\ndefault = true\n{web}\n\
         [[bearer]]\nname = \"video\"\n{video}\n\
         [[bearer.filter]]\nprotocol = \"udp\"\n\
         [[flow]]\nname = \"page\"\nkind = \"tcp\"\ndirection = \"down\"\n\
         [[flow]]\nname = \"film\"\nkind = \"rtp\"\ndirection = \"down\"\n"
    );
    Scenario::parse("s.toml", &text, &[])
}

fn wrong(video: &str, web: &str, cell: &str) -> String {
    with(video, web, cell).expect_err("a mistake").plain()
}

const VIDEO: &str = "traffic_class = \"video\"";

#[test]
fn bearers_have_classes_of_traffic() {
    let scenario = with(VIDEO, "", "").expect("a scenario");
    assert_eq!(scenario.traffic_classes(), ["video"]);
    let world = World::build(&scenario, Seed(1)).expect("a world");
    let classes = world.facts.bearers.iter().map(|bearer| bearer.traffic_class.as_deref());
    assert_eq!(classes.collect::<Vec<_>>(), [None, Some("video"), None, Some("video")]);
}

#[test]
fn mistakes_point_at_their_line_and_say_what_is_allowed() {
    insta::assert_snapshot!([wrong("traffic_class = \"a/b\"", "", "")].join("\n"));
}
