//! The kernel as judge: the same scenario once with the simulated TCP, once with the kernel's.
//!
//! In the kernel's half the same world has the same flows, but their ends are programs in network
//! namespaces ([`transfer`](crate::transfer)). What the model measures (delays, queues, marks,
//! packets sent) is measured by the model in both halves. Goodput is counted by the receiving
//! application in both.

mod half;
mod kernel;
mod plan;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;

use airpath_base::Duration;
use airpath_results::RealTime;
use airpath_scenario::Scenario;
use airpath_scenario::world::Facts;
use airpath_sim::{Outcome, RunOptions, run};
use serde::Serialize;

use crate::stage::cpu;
use crate::{Emulation, EmulationError};
use half::{Ends, flows_of};
pub use plan::Halves;

/// Time that programs have to get ready, and more for each.
const READY: Duration = Duration::from_millis(500);
const READY_EACH: Duration = Duration::from_millis(20);

/// One half of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Half {
    /// The flows that are compared, in the order of the scenario.
    pub flows: Vec<FlowHalf>,
    /// Lateness of the clock; none of a simulation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub real_time: Option<RealTime>,
    /// Processor time of airpath itself in seconds.
    pub cpu_s: f64,
    /// True if it came to its end.
    pub complete: bool,
}

/// A flow in one half.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowHalf {
    /// Its name.
    pub name: String,
    /// Its controller, as the scenario file has it.
    pub controller: &'static str,
    /// Bits that reached the application, a second of the time that the flow was active.
    pub goodput_bps: Option<f64>,
    /// Mean one-way delay of its packets in milliseconds.
    pub delay_ms: Option<f64>,
    /// Of this, in queues.
    pub queue_ms: Option<f64>,
    /// Mean RTT in milliseconds.
    pub rtt_ms: Option<f64>,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Packets that the sender handed to the network, those sent again too.
    pub sent_packets: u64,
    /// Of these, dropped on the way.
    pub lost_packets: u64,
    /// Congestion marks that its packets got.
    pub marks: u64,
    /// Time of completion in seconds; none if it has no size, or was not complete.
    pub finish_s: Option<f64>,
}

/// The simulated half of a run, and who is who in its world.
pub struct Simulated {
    /// Results of the half.
    pub half: Half,
    facts: Facts,
}

/// A comparison of one scenario.
pub struct Against<'a> {
    /// Settings of both halves.
    pub halves: &'a Halves,
    /// The program that carries transfers; what it is given is `arguments` and the order.
    pub program: PathBuf,
    /// Arguments before the order.
    pub arguments: Vec<String>,
    /// Ends a half when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
}

impl Against<'_> {
    /// The simulated half with this seed. With `out`, its results are written there.
    ///
    /// # Errors
    ///
    /// As those of a run.
    pub fn simulated(&self, seed: u64, out: Option<&Path>) -> Result<Simulated, EmulationError> {
        let began = cpu();
        let scenario = &self.halves.scenario;
        let options = RunOptions {
            seed: Some(seed),
            out,
            interrupt: self.interrupt,
            ..RunOptions::default()
        };
        let outcome = run(scenario, options)?;
        let half = Half {
            flows: flows_of(self.halves, &outcome, None),
            real_time: None,
            cpu_s: cpu().saturating_sub(began).as_secs_f64(),
            complete: outcome.summary.complete,
        };
        let Outcome { facts, .. } = outcome;
        Ok(Simulated { half, facts })
    }

    /// The kernel's half of the same run, in real time. Privileges stay with the caller.
    ///
    /// # Errors
    ///
    /// As those of an emulation, and what the kernel's TCP refuses.
    pub fn kernel(
        &self,
        seed: u64,
        of: &Simulated,
        out: Option<&Path>,
    ) -> Result<Half, AgainstError> {
        // An emulation takes the privileges of the thread it runs in.
        let work = || self.emulate(seed, of, out);
        let ended = thread::scope(|scope| scope.spawn(work).join());
        ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn emulate(&self, seed: u64, of: &Simulated, out: Option<&Path>) -> Result<Half, AgainstError> {
        let Halves { scenario, carried, settings, mtu, .. } = self.halves;
        let ues = half::ues(self.halves, &of.facts);
        let mut emulation = Emulation {
            name: scenario.title.as_deref().unwrap_or("scenario"),
            scenario,
            seed: Some(seed),
            out,
            ues: &ues,
            with_flows: true,
            carried,
            lead: READY,
            mtu: *mtu,
            outside: false,
            settings: settings.clone(),
            limit: Some(scenario.duration),
            interrupt: self.interrupt,
        };
        let hosts = emulation.hosts().map_err(EmulationError::World)?;
        let (programs, ends) = Ends::of(self, &of.facts, &hosts)?;
        emulation.lead =
            READY + Duration::from_nanos(READY_EACH.as_nanos() * 2 * ends.len() as u64);
        let ended = emulation.run(programs, &mut ())?;
        let interrupted = ended.interrupted;
        let (reports, late) = match interrupted {
            true => (None, Vec::new()),
            false => ends.reports(&of.facts).map(|(reports, late)| (Some(reports), late))?,
        };
        let mut real_time = ended.timing.real_time.clone();
        if let Some(real_time) = real_time.as_mut().filter(|_| !late.is_empty()) {
            let known = real_time.warning.take().map(|known| format!("; {known}"));
            real_time.warning = Some(late.join("; ") + &known.unwrap_or_default());
        }
        let wall = ended.timing.wall_s;
        Ok(Half {
            flows: flows_of(self.halves, &ended.outcome, reports.as_deref()),
            cpu_s: real_time.as_ref().map_or(0.0, |of| of.cpu * wall),
            real_time,
            complete: !interrupted,
        })
    }
}

/// Reason for which the kernel's half could not be made.
#[derive(Debug, thiserror::Error)]
pub enum AgainstError {
    /// The emulation failed.
    #[error(transparent)]
    Emulation(#[from] EmulationError),
    /// A program that carries a flow failed.
    #[error("the kernel's {flow}: {why}")]
    Flow {
        /// Name of the flow.
        flow: String,
        /// Reason of the failure.
        why: String,
    },
    /// A report cannot be kept.
    #[error("cannot keep a report: {0}")]
    Report(#[from] std::io::Error),
}

/// The name of a scenario's controller of a flow.
fn controller(scenario: &Scenario, entry: usize) -> &'static str {
    let tcp = scenario.flow.get(entry).and_then(|flow| flow.tcp.as_ref());
    tcp.map_or("", |tcp| tcp.controller.word())
}
