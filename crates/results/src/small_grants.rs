//! UEs whose configured grants carry less than they send, in sentences.

use airpath_base::Duration;

use crate::{RunSummary, UeSummary, sentences};

/// Part of what a UE sends that its configured grants may lack. Sizes of blocks are whole bytes, and rates wander.
const LACK: f64 = 0.05;

impl RunSummary {
    /// A sentence on UEs that send more than their configured grants carry; none with another access.
    pub fn small_grants(&self) -> Option<String> {
        let uplink = &self.scenario["cell"]["uplink"];
        if uplink["access"] != "configured" {
            return None;
        }
        // Several grants of a period, or several of a block, say nothing by their mean.
        let is_one = |key: &str| uplink[key].as_u64().is_none_or(|count| count == 1);
        if !is_one("configured_occasions") || !is_one("configured_repetitions") {
            return None;
        }
        let interval = interval(self.scenario["cell"]["tti"].as_str()?)?;
        let period = period(uplink["configured_period"].as_str()?, interval)?;
        let blocks = uplink["configured_resource_blocks"].as_u64()?;
        let small: Vec<Small> =
            self.ues.iter().filter_map(|ue| Small::of(ue, period, blocks)).collect();
        let needed = small.iter().map(|one| one.needed).max()?;
        let named: Vec<String> = small.iter().map(Small::text).collect();
        let verb = if small.len() == 1 { "sends" } else { "send" };
        Some(format!(
            "{} {verb} more than configured grants carry: {}; the rest waits for a report and a grant; \
             cell.uplink.configured_resource_blocks is {blocks}, and carries it with {needed} or more, or with a \
             shorter configured_period",
            sentences::ues(small.len()),
            sentences::list(&named),
        ))
    }
}

/// A UE with grants that are too small.
struct Small {
    ue: String,
    period: f64,
    /// Bytes that it sends in a period, and those of a grant.
    bytes: [f64; 2],
    /// Resource blocks that carry what it sends.
    needed: u64,
}

impl Small {
    fn of(ue: &UeSummary, period: f64, blocks: u64) -> Option<Small> {
        let (throughput, blocks_of_all) = (ue.up.throughput_bps?, ue.up.resource_blocks as f64);
        let data = ue.up.bytes.saturating_sub(ue.up.padding_bytes) as f64;
        let grants = data * 8.0 / throughput / period;
        // Resource blocks of grants that carried something, if no configured grant did: the most bytes in each.
        let used = blocks_of_all - grants * blocks as f64;
        if used < 1.0 {
            return None;
        }
        let of_block = ue.up.granted_bytes as f64 / used;
        let sent = throughput * period / 8.0;
        let carried = blocks as f64 * of_block;
        let needed = (sent / of_block).ceil() as u64;
        let is_small = sent > carried * (1.0 + LACK) && needed > blocks;
        is_small.then(|| Small { ue: ue.name.clone(), period, bytes: [sent, carried], needed })
    }

    fn text(&self) -> String {
        let [sent, carried] = self.bytes;
        let period = Duration::from_secs_f64(self.period);
        format!("{} ({sent:.0} B each {period}, {carried:.0} B at most in a grant)", self.ue)
    }
}

/// Seconds of a transmission time interval as the scenario has it.
fn interval(text: &str) -> Option<f64> {
    let Some(nr) = text.strip_prefix("mu") else { return seconds(text) };
    let (mu, symbols) = match nr.split_once('/') {
        Some((mu, symbols)) => (mu, symbols.strip_suffix("sym")?.parse::<f64>().ok()?),
        None => (nr, 14.0),
    };
    let mu = mu.parse::<u32>().ok()?;
    Some(1e-3 / f64::from(1u32.checked_shl(mu)?) * symbols / 14.0)
}

/// Seconds of a period, in intervals or as a time.
fn period(text: &str, interval: f64) -> Option<f64> {
    match text.strip_suffix(" tti") {
        Some(count) => Some(count.parse::<f64>().ok()? * interval),
        None => seconds(text),
    }
}

fn seconds(text: &str) -> Option<f64> {
    let (value, unit) = text.split_once(' ')?;
    let scale = [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)];
    let (_, scale) = scale.iter().find(|(known, _)| *known == unit)?;
    Some(value.parse::<f64>().ok()? * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_read_as_the_scenario_writes_them() {
        for (tti, every, expected) in [
            ("1 ms", "10 tti", 0.01),
            ("mu1", "10 tti", 0.005),
            ("mu1/7sym", "4 tti", 0.001),
            ("500 us", "2500 us", 0.0025),
        ] {
            let tti = interval(tti).expect(tti);
            let found = period(every, tti).expect(every);
            assert!((found - expected).abs() < 1e-12, "{found} not {expected}");
        }
    }
}
