//! Rattan's format (netem-trace, `RepeatedBwPatternConfig` and `RepeatedDelayPatternConfig`).
//!
//! Its cells `BwReplay` and `DelayReplay` take patterns of rate and of delay by step. A configuration links them.

use serde_json::{Value, json};

use crate::format::File;
use crate::{Recording, STEP_MS, Step, Way};

pub(crate) fn files(recording: &Recording) -> Vec<File> {
    let mut files = vec![File::new("rattan.toml", configuration(recording))];
    for (name, way) in [("down", &recording.down), ("up", &recording.up)] {
        files.push(File::new(&format!("{name}.rate.json"), format!("{:#}\n", rates(way))));
        files.push(File::new(&format!("{name}.delay.json"), format!("{:#}\n", delays(way))));
    }
    files
}

/// Steps of one length as a list of rates.
fn rates(way: &Way) -> Value {
    let rates: Vec<String> =
        way.steps().iter().map(|step| format!("{}bps", step.kbps * 1_000)).collect();
    let pattern = json!([[format!("{STEP_MS}ms"), rates]]);
    json!({ "RepeatedBwPatternConfig": { "pattern": [{ "TraceBwConfig": { "pattern": pattern } }], "count": 0 } })
}

fn delays(way: &Way) -> Value {
    let step = |step: Step| {
        let micros = (step.delay_ms * 1e3).round() as u64;
        json!({ "StaticDelayConfig": { "delay": format!("{micros}us"), "duration": format!("{STEP_MS}ms") } })
    };
    let steps: Vec<Value> = way.steps().into_iter().map(step).collect();
    json!({ "RepeatedDelayPatternConfig": { "pattern": steps, "count": 0 } })
}

fn configuration(recording: &Recording) -> String {
    let mut text = crate::format::head(recording, "#");
    text += "[env]\nmode = \"Compatible\"\n";
    for (name, way) in [("up", &recording.up), ("down", &recording.down)] {
        text += &format!(
            "\n[cells.{name}_rate]\ntype = \"BwReplay\"\nqueue = \"DropTail\"\ntrace = \"{name}.rate.json\"\n\n\
             [cells.{name}_rate.queue_config]\npacket_limit = 1000\n\n\
             [cells.{name}_delay]\ntype = \"DelayReplay\"\ntrace = \"{name}.delay.json\"\n\n\
             [cells.{name}_loss]\ntype = \"Loss\"\npattern = [{}]\n",
            way.loss
        );
    }
    text + "\n[links]\nleft = \"up_rate\"\nup_rate = \"up_delay\"\nup_delay = \"up_loss\"\nup_loss = \"right\"\n\
            right = \"down_rate\"\ndown_rate = \"down_delay\"\ndown_delay = \"down_loss\"\ndown_loss = \"left\"\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Train;

    #[test]
    fn steps_are_rates_in_bits_and_delays_in_microseconds() {
        // 100 ms with 125 bytes each are 1 Mbit/s, the next 100 ms are silent.
        let bytes = [vec![125; 100], vec![0; 100]].concat();
        let train = |at_ms, delay_ms| Train { at_ms, delay_ms, arrivals_ms: vec![0.0] };
        let trains = vec![train(0, 20.5), train(100, 30.0)];
        let way = Way { bytes, trains, ..Way::default() };
        let rates = rates(&way);
        let pattern = &rates["RepeatedBwPatternConfig"]["pattern"][0]["TraceBwConfig"]["pattern"];
        assert_eq!(pattern, &json!([["100ms", ["1000000bps", "0bps"]]]));
        let delays = delays(&way);
        let steps = &delays["RepeatedDelayPatternConfig"]["pattern"];
        assert_eq!(steps[0]["StaticDelayConfig"]["delay"], "20500us");
        assert_eq!(steps[1]["StaticDelayConfig"]["delay"], "30000us");
    }
}
