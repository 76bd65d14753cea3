//! Congestion controllers that are written in Python.

use airpath_base::{BitRate, Time};
use airpath_transport::control::{
    AckSample, CongestionControl, LossEvent, Lost, Start as ControlStart,
};
use airpath_wire::Ecn;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

use super::facts::{Ack, Loss, Start};
use super::{Part, amount, nonsense, shown};

/// A controller in Python, and what it answered last: asking is for each packet, and changes come
/// only with calls.
pub struct Own {
    part: Part,
    hears_sent: bool,
    hears_lost: bool,
    /// The time of the last call.
    now: Time,
    says: Says,
}

/// Answer of a controller.
#[derive(Clone, Copy)]
struct Says {
    cwnd: u64,
    ssthresh: u64,
    pacing: Option<BitRate>,
    quantum: u64,
    ect: Ecn,
}

impl Own {
    pub fn new(part: Part) -> Own {
        let hears = |method| part.overrides("Controller", method);
        let (hears_sent, hears_lost) = (hears("on_sent"), hears("on_lost"));
        let says = Says { cwnd: 0, ssthresh: u64::MAX, pacing: None, quantum: 0, ect: Ecn::NotEct };
        Own { part, hears_sent, hears_lost, now: Time::ZERO, says }
    }

    fn tell(&mut self, now: Time, method: &'static str, arguments: impl for<'py> PyCallArgs<'py>) {
        self.now = now;
        let says = self.part.call(now, method, arguments, |object, _| Says::read(object));
        self.says = says.unwrap_or(self.says);
    }
}

impl Says {
    fn read(object: &Bound<'_, PyAny>) -> PyResult<Says> {
        let ssthresh = object.getattr("ssthresh")?;
        let pacing = object.getattr("pacing_rate")?;
        Ok(Says {
            cwnd: amount(&object.getattr("cwnd")?, "cwnd")? as u64,
            ssthresh: match ssthresh.extract::<f64>() {
                Ok(f64::INFINITY) => u64::MAX,
                _ => amount(&ssthresh, "ssthresh")? as u64,
            },
            pacing: match pacing.is_none() {
                true => None,
                false => Some(BitRate::from_bps(amount(&pacing, "pacing_rate")? as u64)),
            },
            quantum: amount(&object.getattr("send_quantum")?, "send_quantum")? as u64,
            ect: ect(&object.getattr("ect")?)?,
        })
    }
}

fn ect(value: &Bound<'_, PyAny>) -> PyResult<Ecn> {
    match value.extract::<String>().as_deref() {
        Ok("not-ect") => Ok(Ecn::NotEct),
        Ok("ect0") => Ok(Ecn::Ect0),
        Ok("ect1") => Ok(Ecn::Ect1),
        _ => Err(nonsense(format!("ect is {}: not-ect, ect0 or ect1", shown(value)))),
    }
}

impl CongestionControl for Own {
    fn on_start(&mut self, start: &ControlStart) {
        self.tell(start.now, "on_start", (Start::from(start),));
    }

    fn on_sent(&mut self, now: Time, bytes: u32, in_flight: u64) {
        if self.hears_sent {
            self.tell(now, "on_sent", (now.as_secs_f64(), bytes, in_flight));
        }
    }

    fn on_ack(&mut self, sample: &AckSample) {
        self.tell(sample.now, "on_ack", (Ack::from(sample),));
    }

    fn on_lost(&mut self, lost: &Lost) {
        if self.hears_lost {
            self.tell(lost.now, "on_lost", (lost.now.as_secs_f64(), lost.packets, lost.bytes));
        }
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        self.tell(loss.now, "on_loss", (Loss::from(loss),));
    }

    fn on_congestion(&mut self, mark: &LossEvent) {
        self.tell(mark.now, "on_congestion", (Loss::from(mark),));
    }

    fn on_recovered(&mut self, now: Time) {
        self.tell(now, "on_recovered", (now.as_secs_f64(),));
    }

    fn on_rto(&mut self, loss: &LossEvent) {
        self.tell(loss.now, "on_rto", (Loss::from(loss),));
    }

    fn on_spurious(&mut self, now: Time) {
        self.tell(now, "on_spurious", (now.as_secs_f64(),));
    }

    fn on_idle(&mut self, restart_window: u64) {
        // No time is given here; the call before says about when.
        self.tell(self.now, "on_idle", (restart_window,));
    }

    fn cwnd(&self) -> u64 {
        self.says.cwnd
    }

    fn ssthresh(&self) -> u64 {
        self.says.ssthresh
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        self.says.pacing
    }

    fn send_quantum(&self) -> u64 {
        self.says.quantum
    }

    fn ect(&self) -> Ecn {
        self.says.ect
    }
}
