//! Measures that the study's figures and statements are about.

use airpath_stats::percentile;

use crate::network::Run;

/// Where a measure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A column of the video users: each has a value, and a run has their mean.
    User(&'static str),
    /// A column of the runs.
    Run(&'static str),
    /// Share of the video users whose rate is below what they should get.
    LowRate,
    /// Web pages finished for each video user: what is left of a run's pages when the load is
    /// taken out.
    PagesByLoad,
}

/// A measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kpi {
    /// Name, as rows have it.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// Unit for people.
    pub unit: &'static str,
    source: Source,
    /// By what a value is divided for people: 1, 1000, or 1 000 000.
    divide: u32,
    /// Whether values are shares, shown in percent.
    percent: bool,
}

/// What is taken of a measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub enum Of {
    /// The mean over runs, of users the mean in each.
    #[default]
    #[serde(rename = "mean")]
    Mean,
    /// The 99th percentile over the users of all runs.
    #[serde(rename = "p99")]
    P99,
    /// The 5th.
    #[serde(rename = "p5")]
    P5,
}

const fn kpi(name: &'static str, title: &'static str, unit: &'static str, source: Source) -> Kpi {
    Kpi { name, title, unit, source, divide: 1, percent: false }
}

const fn share(name: &'static str, title: &'static str, source: Source) -> Kpi {
    Kpi { name, title, unit: "%", source, divide: 1, percent: true }
}

use Source::{LowRate, PagesByLoad, Run as OfRun, User};

/// All measures.
pub(crate) const KPIS: &[Kpi] = &[
    kpi("frame_delay", "video frame delay", "ms", User("frame_delay_mean_ms")),
    kpi(
        "frame_delay_own_p99",
        "p99 of a user's video frame delay",
        "ms",
        User("frame_delay_p99_ms"),
    ),
    kpi("rtp_delay", "RTP delay", "ms", User("rtp_queue_mean_ms")),
    kpi("network_queue", "network queue delay", "ms", User("network_queue_mean_ms")),
    kpi(
        "network_queue_own_p99",
        "p99 of a user's network queue delay",
        "ms",
        User("network_queue_p99_ms"),
    ),
    kpi("ip_delay", "IP packet delay", "ms", User("ip_delay_mean_ms")),
    Kpi { divide: 1_000_000, ..kpi("rate", "transmitted rate", "Mbit/s", User("transmitted_bps")) },
    share("loss", "packet loss rate", User("loss_rate")),
    share("ce", "CE-marked packets", User("ce_share")),
    kpi("video_sinr", "SINR of video users", "dB", User("sinr_mean_db")),
    share("low_rate", "video users below 2 Mbit/s", LowRate),
    kpi("pages", "finished web pages", "", OfRun("pages")),
    kpi("pages_by_load", "finished web pages for each video user", "", PagesByLoad),
    kpi("page_delay", "web page delay", "ms", OfRun("page_delay_ms")),
    kpi("timeouts", "retransmission timeouts of the web", "", OfRun("timeouts")),
    kpi("sinr", "SINR", "dB", OfRun("sinr_db")),
    kpi("queue", "wait of video packets at the cell", "ms", OfRun("queue_ms")),
    share("pdsch", "PDSCH utilisation", OfRun("pdsch")),
    share("pdsch_video", "PDSCH utilisation by video", OfRun("pdsch_video")),
    share("pdsch_web", "PDSCH utilisation by the web", OfRun("pdsch_web")),
    share("pdcch", "PDCCH utilisation", OfRun("pdcch")),
    share("pusch", "PUSCH utilisation", OfRun("pusch")),
];

/// Columns of the video users that are kept.
pub(crate) const OF_USERS: [&str; 10] = [
    "transmitted_bps",
    "frame_delay_mean_ms",
    "frame_delay_p99_ms",
    "rtp_queue_mean_ms",
    "network_queue_mean_ms",
    "network_queue_p99_ms",
    "ip_delay_mean_ms",
    "loss_rate",
    "ce_share",
    "sinr_mean_db",
];

/// Columns of the runs that are kept.
pub(crate) const OF_RUNS: [&str; 10] = [
    "pages",
    "page_delay_ms",
    "timeouts",
    "sinr_db",
    "queue_ms",
    "pdsch",
    "pdsch_video",
    "pdsch_web",
    "pdcch",
    "pusch",
];

/// What a video user should get at least (chapters 5.2 and 6.2), in bit/s.
pub const LOW_RATE: f64 = 2e6;

impl Kpi {
    /// The measure of this name.
    pub fn named(name: &str) -> Option<Kpi> {
        KPIS.iter().copied().find(|kpi| kpi.name == name)
    }

    /// All of them.
    pub fn all() -> &'static [Kpi] {
        KPIS
    }

    /// Its value in a run; none if nothing of it was measured.
    pub fn of_run(self, run: &Run) -> Option<f64> {
        match self.source {
            User(_) => mean(&self.of_users(run)),
            OfRun(column) => run.values.get(place(&OF_RUNS, column)?).copied().flatten(),
            LowRate => {
                let rates = Kpi::named("rate")?.of_users(run);
                let low = rates.iter().filter(|rate| **rate < LOW_RATE).count();
                (!rates.is_empty()).then(|| low as f64 / rates.len() as f64)
            }
            PagesByLoad => {
                let pages = run.values.first().copied().flatten()?;
                (!run.users.is_empty()).then(|| pages / run.users.len() as f64)
            }
        }
    }

    /// The values of a run's users; empty for measures of runs.
    pub fn of_users(self, run: &Run) -> Vec<f64> {
        self.of_each(run).into_iter().flatten().collect()
    }

    /// The value of each of a run's users, none for those who have none; empty for measures of
    /// runs.
    pub fn of_each(self, run: &Run) -> Vec<Option<f64>> {
        let User(column) = self.source else { return Vec::new() };
        let Some(at) = place(&OF_USERS, column) else { return Vec::new() };
        run.users.iter().map(|user| user.get(at).copied().flatten()).collect()
    }

    /// Whether users have it.
    pub fn is_of_users(self) -> bool {
        matches!(self.source, User(_))
    }

    /// A value in the unit for people.
    pub fn shown(self, value: f64) -> f64 {
        if self.percent { value * 100.0 } else { value / f64::from(self.divide) }
    }
}

impl Of {
    /// As per mille, of a percentile.
    pub fn per_mille(self) -> Option<u32> {
        match self {
            Of::Mean => None,
            Of::P99 => Some(990),
            Of::P5 => Some(50),
        }
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Of::Mean => "mean",
            Of::P99 => "99th percentile over users",
            Of::P5 => "5th percentile over users",
        }
    }

    /// The estimate over runs, without an interval.
    pub fn estimate(self, kpi: Kpi, runs: &[Run]) -> Option<f64> {
        match self.per_mille() {
            None => mean(&runs.iter().filter_map(|run| kpi.of_run(run)).collect::<Vec<_>>()),
            Some(per_mille) => {
                let users: Vec<f64> = runs.iter().flat_map(|run| kpi.of_users(run)).collect();
                percentile(&users, per_mille)
            }
        }
    }
}

fn place(columns: &[&str], column: &str) -> Option<usize> {
    columns.iter().position(|name| *name == column)
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
