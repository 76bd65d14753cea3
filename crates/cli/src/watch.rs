//! The wall clock of a run: progress, what it cost, Ctrl-C.

use std::fs;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use airpath_base::visible_line;
use airpath_results::Timing;
use airpath_sim::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::{consts, flag};

use crate::output::quiet;
use crate::{embedded, exit};

/// A run that takes longer than this shows its progress.
const PATIENCE: Duration = Duration::from_secs(2);
/// Signals that request the end of the program.
#[cfg(unix)]
const SIGNALS: [i32; 3] = [consts::SIGINT, consts::SIGTERM, consts::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [consts::SIGINT, consts::SIGTERM];
/// Exit code of the last signal; 0 before the first.
static CODE: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);
/// Steps of the progress bar.
const STEPS: u64 = 1_000;

/// Measures one run.
pub struct Watch {
    began: Instant,
}

/// A progress bar that appears when a run takes long, on a terminal only.
pub struct Bar {
    began: Instant,
    wanted: bool,
    bar: Option<ProgressBar>,
}

impl Watch {
    /// Begins to measure.
    pub fn start() -> Watch {
        Watch { began: now() }
    }

    /// Time that the run has cost, with the changes of its scenario's file.
    pub fn timing(&self, simulated_s: f64, overrides: Vec<String>) -> Timing {
        let wall_s = now().duration_since(self.began).as_secs_f64();
        Timing { overrides, ..Timing::new(simulated_s, wall_s, host(), 1) }
    }
}

impl Bar {
    /// A bar that may appear, if one is wanted.
    pub fn new(wanted: bool) -> Bar {
        Bar { began: now(), wanted: wanted && io::stderr().is_terminal(), bar: None }
    }

    /// The run has come so far.
    pub fn show(&mut self, progress: Progress) {
        if !self.wanted || now().duration_since(self.began) < PATIENCE {
            return;
        }
        let began = self.began;
        let bar = self.bar.get_or_insert_with(|| {
            let style = style("{wide_bar} {percent}% {msg} left {eta}");
            ProgressBar::new(STEPS).with_style(style).with_elapsed(now().duration_since(began))
        });
        let share = progress.now.as_secs_f64() / progress.end.as_secs_f64();
        bar.set_message(format!("{:.1} s simulated,", progress.now.as_secs_f64()));
        bar.set_position((share * STEPS as f64) as u64);
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// One line that tells how far a study is, on a terminal only, from its beginning on.
pub struct Steps {
    bar: ProgressBar,
    /// Name of the steps, as `runs`.
    what: &'static str,
}

/// Interval at which the line is drawn again while no step ends, since its time goes on.
const TICK: Duration = Duration::from_millis(200);

impl Steps {
    /// Begins a line with a message and the name of the steps (`runs`), which may be uncounted.
    pub fn new(begun: &str, what: &'static str) -> Steps {
        let shown = !quiet() && io::stderr().is_terminal();
        let bar = if shown { ProgressBar::no_length() } else { ProgressBar::hidden() };
        let bar = bar.with_style(style("{msg}, {elapsed}")).with_message(begun.to_owned());
        if shown {
            bar.enable_steady_tick(TICK);
            bar.tick();
        }
        Steps { bar, what }
    }

    /// So many steps of a reading are done.
    pub fn show(&self, reading: &str, done: usize, all: usize) {
        embedded::show(done, all);
        // The time that steps take is unknown until the first has ended.
        if self.bar.length().is_none() || done <= 1 {
            let time = if done == 0 { "{elapsed}" } else { "{eta} left" };
            let what = self.what;
            self.bar.set_style(style(&format!(
                "{{msg}} {{wide_bar}} {{pos}} of {{len}} {what}, {time}"
            )));
        }
        self.bar.set_message(visible_line(reading).into_owned());
        self.bar.set_length(all as u64);
        self.bar.set_position(done as u64);
    }

    /// Lets something else be printed.
    pub fn aside(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Exit code of a run that a signal, or a key of the screen, has ended.
pub fn interrupted() -> u8 {
    match u8::try_from(CODE.load(Ordering::Relaxed)) {
        Ok(code @ 1..) => code,
        _ => exit::INTERRUPTED,
    }
}

/// Records that the terminal is gone: SIGHUP reaches only the session that the terminal controls.
pub fn hung_up() {
    CODE.store(exit::HUNG_UP.into(), Ordering::Relaxed);
}

/// Becomes true at the first Ctrl-C; a second ends the program at once.
pub fn interrupt() -> &'static AtomicBool {
    static INTERRUPT: LazyLock<Arc<AtomicBool>> = LazyLock::new(listen);
    &INTERRUPT
}

/// A flag that signals set; no thread waits for them. Inside another program they are that one's.
fn listen() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    if embedded::is_on() {
        return flag;
    }
    for signal in SIGNALS {
        // In this order: the first signal finds the flag not set yet. Without a handler
        // Ctrl-C ends the program, as it does elsewhere.
        let code = exit::by_signal(u8::try_from(signal).unwrap_or_default());
        let _ = flag::register_conditional_shutdown(signal, code.into(), Arc::clone(&flag))
            .and_then(|_| flag::register_usize(signal, CODE.clone(), code.into()))
            .and_then(|_| flag::register(signal, Arc::clone(&flag)));
    }
    flag
}

/// The clock.
#[allow(clippy::disallowed_methods, reason = "the program may look at the clock, models may not")]
pub fn now() -> Instant {
    Instant::now()
}

fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = name.or_else(|| std::env::var("HOSTNAME").ok());
    name.map_or_else(|| "unknown".to_owned(), |name| name.trim().to_owned())
}
