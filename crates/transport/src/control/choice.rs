//! The known controllers as one type.

use airpath_base::{BitRate, Time};
use airpath_net::PathModel;
use airpath_schema::choice;
use airpath_wire::Ecn;

use super::{
    AckSample, Bbr, Bbr1, CongestionControl, Cubic, Dctcp, LossEvent, Lost, NewReno, Prague, Start,
};
use crate::tcp::TcpConfig;

choice! {
    /// A congestion controller.
    pub enum ControllerName {
        /// CUBIC (RFC 9438).
        Cubic = "cubic",
        /// NewReno (RFC 5681 and 6582).
        NewReno = "newreno",
        /// DCTCP (RFC 8257).
        Dctcp = "dctcp",
        /// TCP Prague (draft-briscoe-iccrg-prague-congestion-control).
        Prague = "prague",
        /// BBR (draft-ietf-ccwg-bbr), the third version.
        Bbr = "bbr",
        /// The first version of BBR, as in Linux.
        Bbr1 = "bbr1",
    }
}

/// One of the known controllers, or the user's own.
pub enum Controller {
    /// RFC 5681 and 6582.
    NewReno(NewReno),
    /// RFC 9438.
    Cubic(Cubic),
    /// RFC 8257.
    Dctcp(Dctcp),
    /// draft-briscoe-iccrg-prague-congestion-control.
    Prague(Box<Prague>),
    /// draft-ietf-ccwg-bbr.
    Bbr(Box<Bbr>),
    /// The first version of BBR.
    Bbr1(Box<Bbr1>),
    /// Brought by the user.
    Custom(Box<dyn CongestionControl>),
}

impl Controller {
    /// The controller of a connection with these options.
    pub fn new(tcp: &TcpConfig) -> Controller {
        let seed = tcp.seed;
        match tcp.controller {
            ControllerName::Cubic => {
                Controller::Cubic(Cubic::new(tcp.cubic.clone().unwrap_or_default()))
            }
            ControllerName::NewReno => {
                Controller::NewReno(NewReno::new(tcp.newreno.clone().unwrap_or_default()))
            }
            ControllerName::Dctcp => {
                Controller::Dctcp(Dctcp::new(tcp.dctcp.clone().unwrap_or_default()))
            }
            ControllerName::Prague => {
                Controller::Prague(Box::new(Prague::new(tcp.prague.clone().unwrap_or_default())))
            }
            ControllerName::Bbr => {
                Controller::Bbr(Box::new(Bbr::new(tcp.bbr.clone().unwrap_or_default(), seed)))
            }
            ControllerName::Bbr1 => Controller::Bbr1(Box::new(Bbr1::new(seed))),
        }
    }

    fn inner(&self) -> &dyn CongestionControl {
        match self {
            Controller::NewReno(controller) => controller,
            Controller::Cubic(controller) => controller,
            Controller::Dctcp(controller) => controller,
            Controller::Prague(controller) => controller.as_ref(),
            Controller::Bbr(controller) => controller.as_ref(),
            Controller::Bbr1(controller) => controller.as_ref(),
            Controller::Custom(controller) => controller.as_ref(),
        }
    }

    fn inner_mut(&mut self) -> &mut dyn CongestionControl {
        match self {
            Controller::NewReno(controller) => controller,
            Controller::Cubic(controller) => controller,
            Controller::Dctcp(controller) => controller,
            Controller::Prague(controller) => controller.as_mut(),
            Controller::Bbr(controller) => controller.as_mut(),
            Controller::Bbr1(controller) => controller.as_mut(),
            Controller::Custom(controller) => controller.as_mut(),
        }
    }
}

impl CongestionControl for Controller {
    fn on_start(&mut self, start: &Start) {
        self.inner_mut().on_start(start);
    }

    fn on_sent(&mut self, now: Time, bytes: u32, in_flight: u64) {
        self.inner_mut().on_sent(now, bytes, in_flight);
    }

    fn on_ack(&mut self, sample: &AckSample) {
        match self {
            Controller::NewReno(controller) => controller.on_ack(sample),
            Controller::Cubic(controller) => controller.on_ack(sample),
            _ => self.inner_mut().on_ack(sample),
        }
    }

    fn on_lost(&mut self, lost: &Lost) {
        self.inner_mut().on_lost(lost);
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        self.inner_mut().on_loss(loss);
    }

    fn on_congestion(&mut self, mark: &LossEvent) {
        self.inner_mut().on_congestion(mark);
    }

    fn on_recovered(&mut self, now: Time) {
        self.inner_mut().on_recovered(now);
    }

    fn on_rto(&mut self, loss: &LossEvent) {
        self.inner_mut().on_rto(loss);
    }

    fn on_spurious(&mut self, now: Time) {
        self.inner_mut().on_spurious(now);
    }

    fn on_idle(&mut self, restart_window: u64) {
        self.inner_mut().on_idle(restart_window);
    }

    fn cwnd(&self) -> u64 {
        match self {
            Controller::NewReno(controller) => controller.cwnd(),
            Controller::Cubic(controller) => controller.cwnd(),
            _ => self.inner().cwnd(),
        }
    }

    fn ssthresh(&self) -> u64 {
        self.inner().ssthresh()
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        self.inner().pacing_rate()
    }

    fn send_quantum(&self) -> u64 {
        self.inner().send_quantum()
    }

    fn marks_app_limited(&self) -> bool {
        self.inner().marks_app_limited()
    }

    fn unpaced_segments(&self) -> u64 {
        self.inner().unpaced_segments()
    }

    fn model(&self) -> Option<PathModel> {
        self.inner().model()
    }

    fn ect(&self) -> Ecn {
        self.inner().ect()
    }
}
