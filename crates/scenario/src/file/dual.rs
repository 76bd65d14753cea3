//! Table `network.dual_connectivity` of the scenario file: legs of NR beside anchors of LTE.

use airpath_base::{Db, Duration};
use airpath_schema::{between, record};

use super::{A3Event, FixedDelay, HandoverAccess, HandoverDelay, ServingEvent};

/// Threshold of the addition less that of the release, by default.
const BELOW: f64 = 6.0;

record! {
    /// Dual connectivity of LTE with NR, EN-DC (TS 37.340, 4.1.2). The cell that serves a UE is its anchor. A cell on the
    /// carrier with role = "leg" may serve it beside. Measurements of legs are those of `network.handover`.
    pub struct NetworkDualConnectivity : Default {
        /// Event B1 (TS 36.331, 5.5.4.7), whose report adds a leg.
        addition: LegAddition = LegAddition::default();
        /// Event A3 of cells of NR (TS 38.331, 5.5.4.4), whose report makes another one the leg.
        change: A3Event = A3Event::default();
        /// Event A2 of the leg (TS 38.331, 5.5.4.3), whose report releases it. Default: that of `addition` with a threshold
        /// that is less by 6, a choice of this model.
        release: Option<ServingEvent>;
        /// From a report to the reconfiguration of an addition or a change. Default: { kind = "fixed", delay = "18 ms" },
        /// that of a handover.
        preparation: HandoverDelay =
            HandoverDelay::Fixed(FixedDelay { delay: Duration::from_millis(18) });
        /// Processing of the reconfiguration by the UE. Default: 20 ms (TS 36.331, 11.2).
        rrc_processing: Duration = Duration::from_millis(20)
            => between(Duration::ZERO, Duration::from_secs(60));
        /// From the processed reconfiguration to the begin of the random access. Default: 40 ms, a choice of this model:
        /// 20 ms for the receiver, and 20 ms to a burst of synchronisation signals (TS 38.213, 4.1).
        synchronisation: Duration = Duration::from_millis(40)
            => between(Duration::ZERO, Duration::from_secs(60));
        /// Random access to the leg (TS 38.321, 5.1). Its occasions, preambles and power are those of `network.handover`.
        /// Default: "dedicated".
        random_access: HandoverAccess = HandoverAccess::Dedicated;
        /// Time from the reconfiguration to the failure of an addition or a change, T304 (TS 38.331, 5.3.5.8.3). Default:
        /// 1 s.
        t304: Duration = Duration::from_secs(1)
            => between(Duration::from_millis(50), Duration::from_secs(10));
        /// Delay of packets and delivery statuses between anchor and leg, one way (X2-U). Default: 5 ms, that of forwarded
        /// packets.
        transport: Duration = Duration::from_millis(5)
            => between(Duration::ZERO, Duration::from_secs(1));
        /// Time between downlink data delivery statuses of a leg (TS 38.425, 5.4.2). Default: 5 ms, a choice of this model.
        status_period: Duration = Duration::from_millis(5)
            => between(Duration::from_millis(1), Duration::from_secs(1));
    }
}

record! {
    /// Event B1.
    pub struct LegAddition : Default {
        /// Threshold: RSRP in dBm, or RSRQ or SINR in dB, as a number. Default: -110, a choice of this model.
        threshold: f64 = -110.0 => between(-200.0, 100.0);
        /// Hysteresis. Default: 1 dB.
        hysteresis: Db = Db(1.0) => between(Db(0.0), Db(15.0));
        /// Time for which the condition must hold, timeToTrigger. Default: 256 ms.
        time_to_trigger: Duration = Duration::from_millis(256)
            => between(Duration::ZERO, Duration::from_secs(60));
    }
}

impl NetworkDualConnectivity {
    /// Event A2 of the leg.
    pub(crate) fn release(&self) -> ServingEvent {
        let LegAddition { threshold, hysteresis, time_to_trigger } = self.addition;
        let usual = ServingEvent { threshold: threshold - BELOW, hysteresis, time_to_trigger };
        self.release.clone().unwrap_or(usual)
    }
}
