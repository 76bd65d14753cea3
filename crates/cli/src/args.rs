//! Arguments of the program: its commands with their options.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use airpath_base::{Duration, visible_line};
use airpath_results::Digests;
use airpath_study::STUDIES;
use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::advice::advised;
use crate::analyse::AnalyseArgs;
use crate::calibrate::CalibrateArgs;
use crate::capacity::CapacityArgs;
use crate::compare::CompareArgs;
use crate::drop::DropArgs;
use crate::emulate::EmulateArgs;
use crate::evaluate::EvaluateArgs;
use crate::exit;
use crate::export::ExportArgs;
use crate::latency::LatencyArgs;
use crate::output::{STDIN, is_standard};
use crate::plot::{PlotArgs, ReportArgs, ReportOption};

/// A folder for results: `-`, which stands for standard output where a file is named, is none.
pub fn folder() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match is_standard(&path) {
        true => Err("results are a folder; --json prints them to standard output"),
        false => Ok(path),
    })
}

/// A laboratory for latency on the path through an LTE cell.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 120, after_help = exit::help())]
pub struct Args {
    /// Print nothing but errors; with --json, the JSON alone.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Command of the program.
    #[command(subcommand)]
    pub command: Command,
}

/// Reads arguments.
///
/// # Errors
///
/// The first wrong argument, as text without control characters.
pub fn parse(arguments: &[OsString]) -> Result<Args, clap::Error> {
    Args::try_parse_from(arguments).map_err(|error| {
        let shown = |argument: &OsString| visible_line(&argument.to_string_lossy()).into_owned();
        let shown: Vec<OsString> = arguments.iter().map(|one| shown(one).into()).collect();
        let harmless = match Args::try_parse_from(&shown) {
            Err(harmless) if error.use_stderr() => harmless,
            _ => error,
        };
        advised(harmless, &shown)
    })
}

/// Commands of the program.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario.
    Run(RunArgs),
    /// Run a scenario with several seeds and settings: a mean and its interval for each.
    Sweep(SweepArgs),
    /// Find the largest number of users a cell of whom enough are satisfied.
    Capacity(CapacityArgs),
    /// Compare two scenarios, or two results: which has more of what, and how surely.
    Compare(CompareArgs),
    /// Show results: courses, distributions, stages, arms, users on a map.
    Plot(PlotArgs),
    /// Explain results in one page: the question, the answer, and why.
    Report(ReportArgs),
    /// Check a scenario without running it.
    Check(CheckArgs),
    /// Print the JSON Schema of scenario files.
    Schema,
    /// Write a scenario to begin with; without a name, list what there is.
    New(NewArgs),
    /// Reproduce a published study: what did it find, and does it hold here?
    Reproduce(ReproduceArgs),
    /// Evaluate congestion controllers by suites of cases: which criterion of its source holds?
    Evaluate(EvaluateArgs),
    /// Record the path of a UE for mahimahi, CellReplay, Rattan or netem, and say how wrong that is.
    Export(ExportArgs),
    /// Latency of an air interface in closed form, step by step.
    Latency(LatencyArgs),
    /// Analyse captures: why was this flow slow?
    #[command(visible_alias = "analyze")]
    Analyse(AnalyseArgs),
    /// Put a real program behind the cell.
    Emulate(Box<EmulateArgs>),
    /// Print what a shell needs to complete commands and options.
    Completions(CompletionsArgs),
    /// Print the manual page, or write those of all commands to a folder.
    Man(ManArgs),
    /// Compare the channel of a network with published calibrations.
    Calibrate(CalibrateArgs),
    /// Say where the users of a network are and what they get, before anything runs.
    Drop(DropArgs),
}

/// Source of a scenario: a file with changes from the command line.
#[derive(Debug, ClapArgs)]
pub struct ScenarioArgs {
    /// Scenario file (TOML); - for standard input.
    pub scenario: PathBuf,
    #[command(flatten)]
    pub over: Overrides,
}

/// Changes of a scenario file from the command line.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct Overrides {
    /// Set a key over what the file says, as path.s1.rate="20 Mbit/s"; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Take a key out of what the file says, as cell.resource_blocks, before anything is set; may
    /// be repeated.
    #[arg(long, value_name = "KEY")]
    pub unset: Vec<String>,
}

impl Overrides {
    /// Removed and set keys, in the form of [`airpath_scenario::Scenario::parse`].
    pub fn all(&self) -> Vec<String> {
        let removed = self.unset.iter().map(|key| airpath_scenario::unset(key));
        removed.chain(self.set.iter().cloned()).collect()
    }
}

/// Handling of results with a damaged file.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub struct ReadOption {
    /// Read results even if a file differs from its digest in summary.json.
    #[arg(long)]
    unchecked: bool,
}

impl ReadOption {
    /// The handling.
    pub fn digests(self) -> Digests {
        if self.unchecked { Digests::Unchecked } else { Digests::Checked }
    }
}

impl ScenarioArgs {
    /// Name of the scenario in messages.
    pub fn name(&self) -> String {
        match is_standard(&self.scenario) {
            true => STDIN.to_owned(),
            false => self.scenario.display().to_string(),
        }
    }
}

/// Options of `run`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  airpath run cell.toml --out results
  airpath run cell.toml --report
  airpath run cell.toml --watch --speed 1
  airpath run cell.toml --watch --interval 0.1 | grep download

Keys of --watch: q ends the run, p pauses it, + and - change its speed. docs/live.md has the rest.")]
pub struct RunArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// Seed of all randomness, instead of the scenario's.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Folder to write results to; an earlier one of airpath's is replaced.
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub report: ReportOption,
    /// Print the summary as JSON.
    #[arg(long)]
    pub json: bool,
    /// A row for each flow and UE; without it, groups of UEs have one where there are more
    /// than eight flows.
    #[arg(long)]
    pub all: bool,
    /// Show the run while it goes on: a screen on a terminal, else a line for each interval (on
    /// standard error with --json).
    #[arg(long, conflicts_with = "quiet")]
    pub watch: bool,
    /// Length of an interval in simulated seconds.
    #[arg(long, value_name = "SECONDS", default_value = "1", requires = "watch",
          value_parser = interval)]
    pub interval: Duration,
    /// Simulate no more than so many seconds in each second; 1 is real time [default: as fast
    /// as it goes].
    #[arg(long, value_name = "FACTOR", requires = "watch", value_parser = speed)]
    pub speed: Option<f64>,
    /// Threads that share the cells of a network, at most one for each core; results do not depend
    /// on it [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: Option<u16>,
}

/// The length of an interval.
fn interval(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=86_400.0).contains(seconds));
    let seconds = seconds.ok_or("it must be a number of seconds from 0.001 to 86400");
    Ok(Duration::from_secs_f64(seconds?))
}

/// Limit of a run's speed, in seconds of the run for each of the clock.
fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed| (0.001..=1e6).contains(speed));
    speed.ok_or_else(|| "it must be a number from 0.001 to 1000000".to_owned())
}

/// Options of `sweep`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  airpath sweep cell.toml --vary flow.download.tcp.controller=cubic,prague --seeds 20 --out out
  airpath sweep cell.toml --vary 'path.sgi.rate=\"5 Mbit/s\",\"20 Mbit/s\"'
  airpath sweep cell.toml --vary 'ue.video.count,ue.web.count=[2,20],[5,50]'

Axes multiply. A scenario's table [sweep] says the same in the file: docs/campaigns.md.")]
pub struct SweepArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// Values that a key takes, each an arm; keys with commas between go together. May be
    /// repeated.
    #[arg(long, value_name = "KEY=A,B,…")]
    pub vary: Vec<String>,
    /// Runs of each arm, with seeds from the scenario's on [default: what the file says, or 20].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub seeds: Option<u64>,
    /// Folder for tables of all runs. With it, finished runs survive an interruption, several
    /// processes share the work, and more seeds or arms may be added later.
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub out: Option<PathBuf>,
    /// Threads [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub jobs: Option<u16>,
    /// Make the runs on the workers of the Dask scheduler at this address (docs/cluster.md).
    #[arg(long, value_name = "ADDRESS", conflicts_with = "jobs")]
    pub dask: Option<String>,
    /// URL below which workers write the runs' results, as fsspec has it [default: they send it
    /// back].
    #[arg(long, value_name = "URL", requires = "dask")]
    pub store: Option<String>,
    /// Print this metric; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub metric: Vec<String>,
    /// Print every arm and every metric.
    #[arg(long)]
    pub all: bool,
    /// Print arms, metrics and intervals as JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub read: ReadOption,
    #[command(flatten)]
    pub report: ReportOption,
}

/// Options of `check`.
#[derive(Debug, ClapArgs)]
pub struct CheckArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// Print the scenario with every default filled in.
    #[arg(long)]
    pub resolved: bool,
}

/// Options of `new`.
#[derive(Debug, ClapArgs)]
pub struct NewArgs {
    /// Name of a template.
    pub template: Option<String>,
    /// File to write; - for standard output [default: TEMPLATE.toml].
    pub path: Option<PathBuf>,
}

/// Options of `reproduce`.
#[derive(Debug, ClapArgs)]
pub struct ReproduceArgs {
    /// The study, or a folder of the same layout; without it, list the studies.
    #[arg(value_parser = StudyParser)]
    pub study: Option<String>,
    /// Make one part of the study only.
    #[arg(long)]
    pub part: Option<String>,
    /// The experiments on a network in a short form, which takes some minutes (l4s-5g).
    #[arg(long, conflicts_with = "from_tables")]
    pub quick: bool,
    /// Make no runs, but judge the tables in DIR, or those that the study keeps. A table is
    /// values.parquet, as --out writes it. Experiments on a network have NAME.runs.parquet, or the
    /// folder NAME of a campaign (l4s-5g); their kept tables count without --out and --quick.
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true)]
    pub from_tables: Option<Option<PathBuf>>,
    /// The reading of these experiments: the first, the second with other choices, or both. By
    /// default both count where there are tables of them, and runs are those of the first.
    #[arg(long)]
    pub reading: Option<ReadingChoice>,
    /// Make the next batch of runs that the tables in DIR lack, and add it to them. A batch takes
    /// less than an hour of processor time. --out keeps its runs, and an interrupted batch goes on.
    #[arg(long, value_name = "DIR", requires = "out",
          conflicts_with_all = ["from_tables", "quick", "runs", "json", "all", "page"])]
    pub fill: Option<PathBuf>,
    /// State of the program that makes this batch, as a commit, and the day, for made.json.
    #[arg(long, value_names = ["COMMIT", "DAY"], num_args = 2, requires = "fill")]
    pub origin: Option<Vec<String>>,
    /// Print, as JSON, how much the first reading has moved since the tables in DIR.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["fill", "out", "quick", "json"])]
    pub since: Option<PathBuf>,
    /// At least so many runs of each arm of these experiments, beside as many as the source made.
    #[arg(long, value_name = "N", conflicts_with = "from_tables",
          value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub runs: Option<u64>,
    /// Print a JSON array with a row for each claim and reading.
    #[arg(long)]
    pub json: bool,
    /// Print every row of every reading, not what they come to.
    #[arg(long)]
    pub all: bool,
    /// Number of runs with other starts.
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub seeds: u64,
    /// Folder to write tables to; an earlier one of airpath's is replaced. With it,
    /// finished runs survive an interruption: the same command goes on.
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub out: Option<PathBuf>,
    /// A recording of capacity, in mahimahi's format, instead of the study's synthetic ones
    /// (lte-in-depth); - for standard input.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    #[command(flatten)]
    pub read: ReadOption,
    #[command(flatten)]
    pub report: ReportOption,
    /// Folder of documentation to write the study's page and pictures to, in studies/
    /// and img/.
    #[arg(long, value_name = "DIR")]
    pub page: Option<PathBuf>,
}

/// Readings of the experiments of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReadingChoice {
    /// The study's files alone.
    First,
    /// Choices of the second reading over these files.
    Second,
    /// Both, one beside the other.
    Both,
}

/// Options of `completions`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  airpath completions bash > ~/.local/share/bash-completion/completions/airpath
  airpath completions zsh > ~/.zfunc/_airpath
  airpath completions fish > ~/.config/fish/completions/airpath.fish")]
pub struct CompletionsArgs {
    /// The shell.
    pub shell: Shell,
}

/// Options of `man`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  airpath man | man -l -
  airpath man ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Folder for the pages of all commands; it is made if it is not there.
    pub folder: Option<PathBuf>,
}

/// A study by its name, or by its folder.
#[derive(Clone)]
struct StudyParser;

impl StudyParser {
    /// The studies by name, each with its title.
    fn known() -> impl Iterator<Item = PossibleValue> {
        STUDIES.iter().map(|study| PossibleValue::new(study.name).help(study.title))
    }
}

impl TypedValueParser for StudyParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let named = PossibleValuesParser::new(Self::known()).parse_ref(command, arg, value);
        named.or_else(|error| match value.to_str() {
            Some(text) if Path::new(text).is_dir() => Ok(text.to_owned()),
            _ => Err(error),
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Self::known()))
    }
}
