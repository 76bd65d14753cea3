//! Options of `airpath latency`, and the settings that they name.

use std::path::PathBuf;

use airpath_latency::{Access, Bler, Convention, Processing, Setting, Span, Step, Tdd, Tti};
use clap::{Args as ClapArgs, ValueEnum};

/// Options of `latency`. Those that take lists make a grid: a line for each combination.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  airpath latency --tti 1ms --sr 1
  airpath latency --tti 1ms,0.5ms,0.1ms --sr 5,1 --bler 0.1
  airpath latency --tti mu1,mu1/2sym --access sr,configured,instant --sr 1
  airpath latency --tti mu1/2sym --step data-encoding=0.2ms
  airpath latency --tti mu1 --tdd DDDSU,DDSUU --sr 5
  airpath latency --tdd lte1,lte2 --sr 5,10
  airpath latency --distribution --tti mu1 --tdd DDDSU --processing host=lognormal:0.3ms:0.5
  airpath latency --distribution --implementation srsran --tdd DDDSU
  airpath latency --fit delays.csv --tti mu1 --tdd DDDSU")]
pub struct LatencyArgs {
    /// Transmission time intervals: a time ("1 ms", 0.5ms, 100us), or an NR slot or mini-slot. A
    /// slot has the name of its numerology, mu0 to mu4 (subcarriers of 15 kHz times 2^mu), alone or
    /// with /slot. A mini-slot has /7sym, /4sym or /2sym behind this name (mu1/2sym).
    /// [default: 1ms, or that of --implementation]
    #[arg(long, value_name = "TTI,...", value_delimiter = ',')]
    pub tti: Vec<Tti>,
    /// Access of a UE to the uplink [default: sr, or that of --implementation].
    #[arg(long, value_name = "KIND,...", value_delimiter = ',')]
    pub access: Vec<Kind>,
    /// Periods of scheduling request opportunities, in TTIs (5) or as times ("5 ms")
    /// [default: 5].
    #[arg(long, value_name = "PERIOD,...", value_delimiter = ',', value_parser = period)]
    pub sr: Vec<Span>,
    /// Periods of configured grants, in TTIs or as times [default: 1].
    #[arg(long, value_name = "PERIOD,...", value_delimiter = ',', value_parser = period)]
    pub period: Vec<Span>,
    /// Shares of first transmissions that fail and are sent again once: 0.1 or 10% [default: 0.1].
    #[arg(long, value_name = "SHARE,...", value_delimiter = ',')]
    pub bler: Vec<Bler>,
    /// HARQ round trip, in TTIs or as a time [default: 8].
    #[arg(long, value_name = "SPAN")]
    pub harq: Option<Span>,
    /// Length of a step, in TTIs or as a time, as data-encoding=1.5 or
    /// downlink-decoding=0.3ms; may be repeated, the last counts. The steps are
    /// downlink-processing, downlink-transmission, downlink-decoding, sr-transmission,
    /// grant-preparation, grant-transmission, grant-decoding, data-encoding,
    /// uplink-transmission, uplink-decoding.
    #[arg(long = "step", value_name = "STEP=SPAN", value_parser = step)]
    pub steps: Vec<(Step, Span)>,
    /// Counting of the wait for an opportunity in the list of steps; totals are given by both. With
    /// "table" it is half a period, but none with an opportunity in each TTI, as in the published
    /// table. With "half-period" it is half a period, always. Not with --tdd [default: table].
    #[arg(long, value_name = "NAME")]
    pub convention: Option<Convention>,
    /// Time division duplex, with the distribution of delays. Patterns of slots have the letters D
    /// downlink, F flexible, S special, U uplink, as DDDSU. LTE's configurations are lte0 to lte6.
    #[arg(long, value_name = "PATTERN,...", value_delimiter = ',')]
    pub tdd: Vec<Tdd>,
    /// With --tdd, data uplink in special slots, too.
    #[arg(long, requires = "tdd")]
    pub special_uplink: bool,
    /// With --tdd, data in flexible slots, in the direction that has some; without it they are
    /// unused.
    #[arg(long, requires = "tdd")]
    pub flexible_by_need: bool,
    /// Distributions of delays to 99.999% by their stages, with any duplex mode: without --tdd it is fdd.
    #[arg(long)]
    pub distribution: bool,
    /// With --distribution or --fit, transmissions of a block at most; the last succeeds [default: 4].
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub transmissions: Option<u8>,
    /// With --distribution, a time of processing beside the slots, as host=0.3ms, core=uniform:1ms:2ms,
    /// modem=exponential:0.2ms or host=lognormal:0.3ms:0.5; may be repeated.
    #[arg(long, value_name = "NAME=TIME", value_parser = processing, requires = "distribution")]
    pub processing: Vec<(String, Processing)>,
    /// With --distribution, the values of an implementation, as `cell.implementation` has them: oai, srsran,
    /// commercial-sa, commercial-lte, ideal. Other options go before them.
    #[arg(long, value_name = "NAME", requires = "distribution")]
    pub implementation: Option<String>,
    /// Find the settings that explain measured delays: a table with a column delay_ms, delay_us, delay_ns or
    /// delay_s. Options with lists say what is tried.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["distribution", "convention", "steps", "harq",
          "processing", "implementation"])]
    pub fit: Option<PathBuf>,
    /// With --fit, the direction of the packets.
    #[arg(long, value_name = "WAY", requires = "fit", default_value = "up")]
    pub direction: Way,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Direction of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Way {
    /// To the base station.
    Up,
    /// To the UE.
    Down,
}

/// Access of a UE to the uplink.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// It sends a scheduling request and waits for a grant (--sr).
    Sr,
    /// It has configured grants (--period).
    Configured,
    /// It may send in each TTI, without contention.
    Instant,
}

impl LatencyArgs {
    /// All combinations with these TTIs, the TTI changing last; what is not given is that of `base`.
    ///
    /// # Errors
    ///
    /// A message with the fault and its mend.
    pub fn settings(&self, base: &Setting, ttis: &[Tti]) -> Result<Vec<Setting>, String> {
        self.check_periods(&[Kind::Sr])?;
        let mut common = Setting {
            convention: self.convention.unwrap_or(Convention::Table),
            harq_round_trip: self.harq.unwrap_or(base.harq_round_trip),
            ..*base
        };
        for (step, span) in &self.steps {
            common.steps.set(*step, *span);
        }
        let ttis = if ttis.is_empty() { vec![base.tti] } else { ttis.to_vec() };
        let accesses = self.accesses(base.access);
        let blers = if self.bler.is_empty() { vec![base.bler] } else { self.bler.clone() };
        let mut settings = Vec::new();
        for tti in &ttis {
            for access in &accesses {
                for bler in &blers {
                    settings.push(Setting { tti: *tti, access: *access, bler: *bler, ..common });
                }
            }
        }
        Ok(settings)
    }

    /// The patterns of slots, if there are any.
    ///
    /// # Errors
    ///
    /// A message with the fault and its mend.
    pub fn patterns(&self) -> Result<Vec<Tdd>, String> {
        if !self.tdd.is_empty() && self.convention.is_some() {
            let mend = "the wait is that of the pattern: leave one of them out";
            return Err(format!("--convention does not count with --tdd, where {mend}"));
        }
        let own = self.tdd.iter().cloned();
        let special = |tdd: Tdd| match self.special_uplink {
            true => tdd.with_special_uplink().map_err(|error| format!("--special-uplink {error}")),
            false => Ok(tdd),
        };
        let flexible = |tdd: Tdd| match self.flexible_by_need {
            true => {
                tdd.with_flexible_by_need().map_err(|error| format!("--flexible-by-need {error}"))
            }
            false => Ok(tdd),
        };
        let all = own.map(|tdd| special(tdd).and_then(flexible));
        all.collect()
    }

    /// Checks that each list of periods counts; without `--access` those of the `usual` accesses do.
    ///
    /// # Errors
    ///
    /// A message with the list that does not, and the mend.
    pub fn check_periods(&self, usual: &[Kind]) -> Result<(), String> {
        let accesses = if self.access.is_empty() { usual } else { &self.access[..] };
        for (option, given, kind, word) in [
            ("--sr", &self.sr, Kind::Sr, "sr"),
            ("--period", &self.period, Kind::Configured, "configured"),
        ] {
            if !given.is_empty() && !accesses.contains(&kind) {
                return Err(format!(
                    "{option} counts only with --access {word}: add that, or leave {option} out"
                ));
            }
        }
        Ok(())
    }

    /// Accesses that are given; else the one of an implementation.
    pub fn accesses(&self, base: Access) -> Vec<Access> {
        let or = |given: &[Span], usual| match given {
            [] => vec![Span::ttis(usual, 1)],
            given => given.to_vec(),
        };
        let of = |kind: &Kind| -> Vec<Access> {
            match kind {
                Kind::Instant => vec![Access::Instant],
                Kind::Sr => or(&self.sr, 5)
                    .into_iter()
                    .map(|period| Access::SchedulingRequest { period })
                    .collect(),
                Kind::Configured => or(&self.period, 1)
                    .into_iter()
                    .map(|period| Access::Configured { period })
                    .collect(),
            }
        };
        match &self.access[..] {
            [] if self.sr.is_empty() => vec![base],
            [] => of(&Kind::Sr),
            given => given.iter().flat_map(of).collect(),
        }
    }
}

fn period(text: &str) -> Result<Span, String> {
    let span: Span = text.parse().map_err(|error| format!("{error}"))?;
    if span.is_zero() {
        return Err("a period must be above zero; without any wait it is --access instant".into());
    }
    Ok(span)
}

fn step(text: &str) -> Result<(Step, Span), String> {
    let (step, span) = text
        .split_once('=')
        .ok_or("must be a step and its length, as data-encoding=1.5 or data-encoding=0.3ms")?;
    let known = step.parse().map_err(|error| format!("\"{step}\" {error}"))?;
    let span = span.parse().map_err(|error| format!("\"{span}\" {error}"))?;
    Ok((known, span))
}

fn processing(text: &str) -> Result<(String, Processing), String> {
    let (name, time) = text.split_once('=').ok_or("must be a name and a time, as host=0.3ms")?;
    let time = time.parse().map_err(|error| format!("\"{time}\" {error}"))?;
    Ok((name.trim().to_owned(), time))
}
