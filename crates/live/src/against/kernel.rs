//! Behaviour of the kernel's TCP, as keys of the simulated one and as settings of the kernel.
//!
//! A key that a scenario leaves at its default takes the kernel's value. Both halves then differ in
//! their code and not in their settings. Sources: `net/ipv4/tcp_input.c`, `tcp_cubic.c` and
//! `tcp_recovery.c` of Linux 6.18; ip-sysctl of its documentation.

use std::fs;

use airpath_base::Duration;
use airpath_scenario::{
    ControllerName, CubicConfig, DelayedAckOption, EcnMode, FlightMeasure, Flow, HyStartKind,
    LossDetection, RecoveryTimer, Reduction, Tcp,
};

/// Name of a controller in the kernel.
///
/// # Errors
///
/// If the kernel has no such controller.
pub(super) fn controller(of: ControllerName) -> Result<&'static str, &'static str> {
    match of {
        ControllerName::Cubic => Ok("cubic"),
        ControllerName::NewReno => Ok("reno"),
        ControllerName::Bbr1 => Ok("bbr"),
        ControllerName::Bbr => Err("the kernel's BBR is the first version (\"bbr1\")"),
        ControllerName::Dctcp => Err("the kernel's DCTCP has a feedback of its own"),
        ControllerName::Prague => Err("the kernel has no TCP Prague"),
    }
}

/// Controllers that this kernel has; none if it does not say.
pub(super) fn available() -> Vec<String> {
    let path = "/proc/sys/net/ipv4/tcp_available_congestion_control";
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

/// Segments by which an acknowledgement grows the window in slow start. The kernel's
/// `tcp_slow_start` takes all newly reported ones, which are two if every second segment is
/// acknowledged. A larger limit would count SACKed segments once more when a hole is closed. The
/// kernel does not do so.
const COVERED: u32 = 2;

/// Changes what is at its default.
struct Tuner<'a> {
    taken: &'a mut Vec<String>,
}

impl Tuner<'_> {
    fn take<T: PartialEq>(&mut self, field: &mut T, default: T, kernel: T, words: &str) {
        if *field == default && default != kernel {
            *field = kernel;
            if !self.taken.iter().any(|taken| taken == words) {
                self.taken.push(words.to_owned());
            }
        }
    }
}

/// Gives a simulated flow what the kernel has, and adds to `taken` what that was, as keys of
/// `flow.tcp`.
pub(super) fn adopt(tcp: &mut Tcp, taken: &mut Vec<String>) {
    let (second, tick) = (Duration::from_secs(1), Duration::from_millis(200));
    let mut tuner = Tuner { taken };
    let (from, to) = (LossDetection::Duplicates, LossDetection::Rack);
    tuner.take(&mut tcp.loss_detection, from, to, "loss_detection = \"rack\"");
    let words = "lost_retransmission_reduces = false";
    tuner.take(&mut tcp.lost_retransmission_reduces, true, false, words);
    // tcp_cong_control(): a controller with a cong_control of its own, as BBR is, has no such reduction.
    let (from, to) = (Reduction::Step, Reduction::Proportional);
    if tcp.controller != ControllerName::Bbr1 {
        tuner.take(&mut tcp.reduction, from, to, "reduction = \"proportional\"");
    }
    let (from, to) = (FlightMeasure::FlightSize, FlightMeasure::Window);
    tuner.take(&mut tcp.flight_measure, from, to, "flight_measure = \"window\"");
    let words = "speculative_retransmission = false";
    tuner.take(&mut tcp.speculative_retransmission, true, false, words);
    tuner.take(&mut tcp.rescue_retransmission, true, false, "rescue_retransmission = false");
    tuner.take(&mut tcp.min_rto, second, tick, "min_rto = \"200 ms\"");
    let words = "rtt_granularity = \"200 ms\"";
    tuner.take(&mut tcp.rtt_granularity, Duration::from_millis(1), tick, words);
    // tcp_clean_rtx_queue(): a segment that is SACKed gives a sample and moves the timer.
    tuner.take(&mut tcp.rto_from_duplicates, false, true, "rto_from_duplicates = true");
    // The same, and tcp_xmit_retransmit_queue().
    let (from, to) = (RecoveryTimer::EveryAck, RecoveryTimer::Head);
    tuner.take(&mut tcp.recovery_timer, from, to, "recovery_timer = \"head\"");
    if let DelayedAckOption::On(delayed) = &mut tcp.delayed_ack {
        // TCP_MAX_QUICKACKS.
        tuner.take(&mut delayed.at_once, 0, 16, "delayed_ack.at_once = 16");
    }
    match tcp.controller {
        ControllerName::Cubic => adopt_cubic(tcp.cubic.get_or_insert_default(), &mut tuner),
        ControllerName::NewReno => {
            let newreno = tcp.newreno.get_or_insert_default();
            tuner.take(&mut newreno.slow_start_limit, 1, COVERED, "newreno.slow_start_limit = 2");
        }
        _ => {}
    }
}

fn adopt_cubic(cubic: &mut CubicConfig, tuner: &mut Tuner<'_>) {
    tuner.take(&mut cubic.slow_start_limit, 1, COVERED, "cubic.slow_start_limit = 2");
    if parameter("hystart") != Some(0) {
        let (from, to) = (HyStartKind::PlusPlus, HyStartKind::Classic);
        tuner.take(&mut cubic.hystart_kind, from, to, "cubic.hystart_kind = \"classic\"");
        tuner.take(&mut cubic.hystart, false, true, "cubic.hystart = true");
    }
    // bictcp_update(): while last_max_cwnd is zero, cnt is at most 20.
    tuner.take(&mut cubic.least_growth, None, Some(0.05), "cubic.least_growth = 0.05");
    let on = |name| parameter(name) != Some(0);
    let words = "cubic.fast_convergence = false";
    tuner.take(&mut cubic.fast_convergence, true, on("fast_convergence"), words);
    let words = "cubic.reno_friendly = false";
    tuner.take(&mut cubic.reno_friendly, true, on("tcp_friendliness"), words);
}

/// A parameter of the kernel's CUBIC; none if it is built in without or not there.
fn parameter(name: &str) -> Option<i64> {
    let path = format!("/sys/module/tcp_cubic/parameters/{name}");
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Settings of the kernel that flows want: names and values. What is set for a whole namespace must
/// be the same for all.
///
/// # Errors
///
/// The key that is not.
pub(super) fn settings(flows: &[(&Flow, &Tcp)]) -> Result<Vec<(String, String)>, String> {
    let mut settings = vec![("tcp_no_metrics_save", "1".to_owned())];
    let mut one = |key: &str, setting: &'static str, value: &dyn Fn(&Tcp) -> String| {
        let values: Vec<String> = flows.iter().map(|(_, tcp)| value(tcp)).collect();
        if let Some(other) = values.iter().position(|value| *value != values[0]) {
            let (first, other) = (&flows[0].0.name, &flows[other].0.name);
            return Err(format!(
                "the kernel has one net.ipv4.{setting} for all connections: flow.tcp.{key} of \
                 {first:?} and {other:?} must be the same"
            ));
        }
        settings.push((setting, values[0].clone()));
        Ok(())
    };
    let flag = |on: bool| u8::from(on).to_string();
    one("ecn", "tcp_ecn", &|tcp| flag(tcp.ecn == Some(EcnMode::Classic)))?;
    one("sack", "tcp_sack", &|tcp| flag(tcp.sack))?;
    one("timestamps", "tcp_timestamps", &|tcp| flag(tcp.timestamps))?;
    one("window_scaling", "tcp_window_scaling", &|tcp| flag(tcp.window_scaling))?;
    // Half of a buffer is for what the kernel needs beside the bytes of packets.
    let twice = |bytes: u64| (2 * bytes.clamp(4096, 1 << 29)).to_string();
    one("receive_buffer", "tcp_rmem", &|tcp| {
        format!("4096 131072 {}", twice(tcp.receive_buffer.0.max(65_536)))
    })?;
    one("send_buffer", "tcp_wmem", &|tcp| {
        let bytes = tcp.send_buffer.bytes();
        format!("4096 16384 {}", twice(bytes.max(16_384)))
    })?;
    one("idle_restart", "tcp_slow_start_after_idle", &|tcp| flag(tcp.idle_restart))?;
    Ok(settings.into_iter().map(|(name, value)| (format!("net.ipv4.{name}"), value)).collect())
}

/// Options of a flow that the kernel cannot have, and properties of the kernel that airpath does
/// not have.
pub(super) fn differences(flows: &[(&Flow, &Tcp)]) -> Vec<String> {
    let mut differences = vec![
        "the kernel's receive window begins at 64 kB and grows; the simulated one is all there"
            .to_owned(),
        "the kernel takes back the answer to a loss that was none (D-SACK, F-RTO)".to_owned(),
        "RTT: the kernel's is its smoothed one, read each 10 ms; the simulated one is the mean of \
         samples"
            .to_owned(),
        "the server's address is 10.46.0.1; filters of bearers with addresses see that".to_owned(),
    ];
    if flows.iter().any(|(_, tcp)| tcp.initial_window != 10) {
        differences.push("the kernel's initial window is 10 segments".to_owned());
    }
    if flows.iter().any(|(_, tcp)| tcp.opened_by != airpath_scenario::Opener::Ue) {
        differences.push("the kernel's connections are opened by the UE".to_owned());
    }
    differences
}

#[cfg(test)]
#[path = "kernel_tests.rs"]
mod tests;
