//! Property: a call of WebRTC over any path ends, with frames or with the reason of its stack.

use airpath_base::{Duration, FlowId, Time};

use proptest::prelude::*;

use crate::lab::{Lab, draw};
use crate::properties::cases;

const STEP: Duration = Duration::from_millis(100);
/// Time within which each call is over: it stops at 3 s, and ends a second later.
const END: Time = Time::from_millis(120_000);

prop_compose! {
    /// A path with a call.
    fn scenario()(
        radio in any::<bool>(),
        up in any::<bool>(),
        both in any::<bool>(),
        estimates in prop::bool::weighted(0.9),
        kbps in 100u32..20_000,
        delay in 0u32..100,
        queue in 1u32..200,
        frame_rate in 1u32..61,
        most in 100u32..4_000,
        packet in 100u32..1_351,
        after in 0u32..1_500,
        stop in 200u32..3_000,
    ) -> String {
        let radio = match radio {
            true => "[path.s1]\n[cell]\nresource_blocks = 25\n[[ue]]\nname = \"ue\"\nsnr = \"15 dB\"\n",
            false => "radio = \"none\"\n",
        };
        let (head, tail) = if radio.starts_with("radio") { (radio, "") } else { ("", radio) };
        let direction = if up { "up" } else { "down" };
        format!(
            "duration = \"120 s\"\n{head}[path.sgi]\nrate = \"{kbps} kbit/s\"\ndelay = \"{delay} ms\"\n\
             queue = \"{queue} packets\"\n{tail}[[flow]]\nname = \"call\"\nkind = \"webrtc\"\n\
             direction = \"{direction}\"\nstop = \"{stop} ms\"\n[flow.webrtc]\n\
             both_directions = {both}\nbandwidth_estimation = {estimates}\n\
             media_after = \"{after} ms\"\nvideo = {{ frame_rate = {frame_rate}, \
             min_rate = \"50 kbit/s\", max_rate = \"{most} kbit/s\", packet = \"{packet} B\" }}\n"
        )
    }
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn a_call_ends_whatever_the_path_does(
        text in scenario(), impair in draw::impair(), seed: u64,
    ) {
        let mut lab = Lab::new(&text, seed, impair);
        let flaw = lab.run(STEP, END).err().or_else(|| {
            lab.engine.next_wake().map(|due| format!("something is to come at {due}"))
        });
        if let Some(flaw) = flaw {
            panic!("{flaw}\n{impair:?}, seed {seed}\n{text}");
        }
    }

    #[test]
    fn without_loss_a_call_is_connected(text in scenario(), seed: u64) {
        let wide = text.replace("queue = \"", "queue = \"1000");
        let mut lab = Lab::new(&wide, seed, Default::default());
        lab.run(STEP, END).unwrap_or_else(|flaw| panic!("{flaw}\nseed {seed}\n{wide}"));
        if let Some(cause) = lab.auditor.failed.get(&FlowId(0)) {
            panic!("{cause}\nseed {seed}\n{wide}");
        }
    }
}
