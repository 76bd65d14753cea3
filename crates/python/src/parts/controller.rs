//! Congestion controllers that are written in Python.

use airpath_base::{BitRate, Time};
use airpath_transport::control::{
    AckSample, CongestionControl, LossEvent, Lost, Start as ControlStart,
};
use airpath_wire::Ecn;
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;

use super::facts::{Ack, Loss, Start};
use super::{Part, amount, nonsense, shown};

/// A controller in Python, and what it answered last: asking is for each packet, and changes come
/// only with calls.
pub struct Own {
    part: Part,
    on_quic: Option<OnQuic>,
    /// True if a warning was given that the rate does not count.
    warned: bool,
    hears_sent: bool,
    hears_lost: bool,
    /// The time of the last call.
    now: Time,
    says: Says,
}

/// Facts of a flow of QUIC.
#[derive(Clone, Copy)]
pub struct OnQuic {
    /// True if its packets are ECT(1).
    pub scalable: bool,
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
    pub fn new(part: Part, on_quic: Option<OnQuic>) -> Own {
        let hears = |method| part.overrides("Controller", method);
        let (hears_sent, hears_lost) = (hears("on_sent"), hears("on_lost"));
        let says = Says { cwnd: 0, ssthresh: u64::MAX, pacing: None, quantum: 0, ect: Ecn::NotEct };
        Own { part, on_quic, warned: false, hears_sent, hears_lost, now: Time::ZERO, says }
    }

    fn tell(&mut self, now: Time, method: &'static str, arguments: impl for<'py> PyCallArgs<'py>) {
        self.now = now;
        let (on_quic, warned) = (self.on_quic, &mut self.warned);
        let says = self.part.call(now, method, arguments, |object, _| {
            let says = Says::read(object)?;
            on_quic.map_or(Ok(()), |flow| says.check(flow, warned, object))?;
            Ok(says)
        });
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

impl Says {
    /// QUIC sends nothing in a window of no bytes, and its code point is that of the scenario.
    fn check(self, flow: OnQuic, warned: &mut bool, object: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.cwnd == 0 {
            let cwnd = object.getattr("cwnd")?;
            return Err(nonsense(format!("cwnd is {}: 1 or more on QUIC", shown(&cwnd))));
        }
        if self.ect == Ecn::Ect1 && !flow.scalable {
            return Err(nonsense(
                "ect is 'ect1': packets of this flow are not ECT(1), by its quic.ecn",
            ));
        }
        let is_ignored = self.pacing.is_some() && !cfg!(feature = "accurate-ecn");
        if is_ignored && !std::mem::replace(warned, true) {
            let category = object.py().get_type::<PyUserWarning>();
            let words =
                c"pacing_rate does not count on QUIC: quinn-proto as published paces by the window";
            PyErr::warn(object.py(), &category, words, 1)?;
        }
        Ok(())
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
