//! Effects of a UE's RRC state (TS 36.331) on its packets: waiting while idle, paging, promotion, DRX.
//!
//! The states, their timers and DRX are [`airpath_base::rrc`]'s. This module has their consequences
//! for packets. Packets of an idle UE wait until it is connected, uplink in the UE, downlink in the
//! serving gateway (TS 23.401, 5.3.4.3). They do not wait in PDCP, whose entities come with the
//! connection. Their discard timer and the limits of their queues therefore count from then on.
//!
//! Uplink data begin a promotion at once; downlink data page the UE at its next occasion
//! (TS 36.304, 7.1), and the promotion begins a TTI later. How long a promotion takes is
//! given or drawn: its random access and its messages are not simulated one by one.
//!
//! **RRC_INACTIVE** (TS 38.300, 9.2.2; TS 38.331, 5.3.8.3 and 5.3.13). The bearers are suspended, and downlink data
//! wait in the last serving gNB, the anchor. It pages the UE in the cells of the RAN notification area, which are
//! all. A resume has a duration of its own. In another cell than the anchor it fetches the context first.
//!
//! Simplified: the downlink wait is spent at the cell, behind S1 instead of in front of it. RLC
//! keeps its state over a release, which does not come while data are queued, on the air or
//! unacknowledged. So a suspension has nothing to discard, and a resume begins RLC and PDCP anew. The
//! release of an inactive UE takes no messages. A set-up behind a failed resume has the packets that waited.

use std::collections::VecDeque;

use airpath_base::random::Stream;
use airpath_base::rrc::{self, Machine};
use airpath_base::{CellId, Duration, Time, math};
use airpath_net::{Direction, Held, Packet};

use crate::index::FlowIndex;

/// RRC of a UE.
#[derive(Clone, Debug)]
pub struct RrcConfig {
    /// Timers and cycles.
    pub states: rrc::Config,
    /// True if it is connected at the beginning.
    pub connected: bool,
    /// Duration of a promotion.
    pub promotion: Promotion,
    /// From where that is drawn.
    pub draws: Stream,
    /// Resumes, for [`rrc::Config::inactive`]; without them a resume takes as long as a promotion.
    pub resume: Option<ResumeConfig>,
}

/// Resumes of suspended connections (TS 38.331, 5.3.13; TS 38.300, 9.2.2.4).
#[derive(Clone, Debug)]
pub struct ResumeConfig {
    /// From the random access to the connection, in the cell of the last serving gNB.
    pub duration: Promotion,
    /// From where that is drawn.
    pub draws: Stream,
    /// On top in any other cell: retrieval of the UE context over Xn (TS 38.423, 8.2.4).
    pub context: Duration,
    /// Transport of a message between gNBs: of a page by the RAN, and of addresses for forwarded packets (TS 38.423,
    /// 8.2.5 and 8.2.6).
    pub transport: Duration,
}

/// Duration of promotions, from the random access to the connection with its bearers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Promotion {
    /// Always so long.
    Fixed(Duration),
    /// Evenly distributed.
    Uniform {
        /// The shortest.
        min: Duration,
        /// The longest.
        max: Duration,
    },
    /// Normally distributed; negative values count as zero.
    Normal {
        /// Mean.
        mean: Duration,
        /// Standard deviation.
        deviation: Duration,
    },
    /// Lognormally distributed.
    Lognormal {
        /// Median.
        median: Duration,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// Minimum, quartiles and maximum, evenly distributed between neighbours; in ascending
    /// order.
    Quartiles([Duration; 5]),
}

impl Promotion {
    /// Draws one.
    pub fn draw(&self, draws: &mut Stream) -> Duration {
        let between =
            |min: Duration, max: Duration, share: f64| min + max.saturating_sub(min).mul_f64(share);
        match *self {
            Promotion::Fixed(span) => span,
            Promotion::Uniform { min, max } => between(min, max, draws.uniform()),
            Promotion::Normal { mean, deviation } => {
                Duration::from_secs_f64(draws.normal(mean.as_secs_f64(), deviation.as_secs_f64()))
            }
            Promotion::Lognormal { median, sigma } => {
                median.mul_f64(math::exp(draws.normal(0.0, sigma)))
            }
            Promotion::Quartiles(points) => {
                let place = draws.uniform() * 4.0;
                let n = (place as usize).min(3);
                between(points[n], points[n + 1], place - n as f64)
            }
        }
    }
}

/// RRC state of a UE, and the packets that wait for it.
#[derive(Debug)]
pub(crate) struct Entity {
    pub machine: Machine,
    promotion: Promotion,
    draws: Stream,
    resume: Option<ResumeConfig>,
    /// The cell in which the connection was suspended; none unless it is.
    anchor: Option<CellId>,
    /// Packets that wait for the connection, in the order of their arrival.
    waiting: VecDeque<(FlowIndex, Direction, Packet)>,
    /// Time at which a page will have been received.
    page: Option<Time>,
    /// Time at which the cell looks at waiting downlink packets, for a UE that sleeps.
    wake: Option<Time>,
    /// Blocks on their way, in both directions.
    pub on_air: u32,
    /// Time of the next look at it.
    pub armed: Option<Time>,
}

impl Entity {
    pub fn new(config: &RrcConfig) -> Entity {
        Entity {
            machine: Machine::new(config.states, config.connected, Time::ZERO),
            promotion: config.promotion,
            draws: config.draws.clone(),
            resume: config.resume.clone(),
            anchor: None,
            waiting: VecDeque::new(),
            page: None,
            wake: None,
            on_air: 0,
            armed: None,
        }
    }

    pub fn is_connected(&self) -> bool {
        self.machine.state().is_connected()
    }

    /// True if the cell sends DRX commands.
    pub fn commands(&self) -> bool {
        self.machine.config().drx.is_some_and(|drx| drx.command)
    }

    /// Keeps a packet until there is a connection.
    pub fn wait(&mut self, flow: FlowIndex, direction: Direction, packet: Packet) {
        self.waiting.push_back((flow, direction, packet));
    }

    /// True if an inactive UE has packets that wait: they put off its release.
    pub fn waits_inactive(&self) -> bool {
        self.machine.state() == rrc::State::Inactive && !self.waiting.is_empty()
    }

    /// True if packets in a direction wait for a connection.
    pub fn waits(&self, direction: Direction) -> bool {
        self.waiting.iter().any(|(_, own, _)| *own == direction)
    }

    /// The connection has failed, or its set-up; gives whether the UE was not idle before.
    pub fn fail(&mut self, now: Time) -> bool {
        (self.page, self.wake, self.anchor) = (None, None, None);
        self.machine.fail(now)
    }

    /// The connection has been suspended in a cell.
    pub fn suspend(&mut self, cell: CellId) {
        self.anchor.get_or_insert(cell);
    }

    /// The connection is there, or there is none to be resumed. Gives the cell of the suspension.
    pub fn leave_anchor(&mut self) -> Option<CellId> {
        self.anchor.take()
    }

    /// True if the connection is suspended, or its resume goes on.
    pub fn is_suspended(&self) -> bool {
        self.anchor.is_some()
    }

    /// True if a resume in this cell is one in another than that of the last serving gNB.
    fn is_away(&self, cell: CellId) -> bool {
        self.anchor.is_some_and(|anchor| anchor != cell)
    }

    /// Transport of a message between gNBs.
    pub fn transport(&self) -> Duration {
        self.resume.as_ref().map_or(Duration::ZERO, |resume| resume.transport)
    }

    /// There is something to send. Pages an idle or inactive UE downlink in this cell; it takes `page` to
    /// receive that. Gives whether a connection is called for at once, as uplink.
    pub fn calls(
        &mut self,
        now: Time,
        direction: Direction,
        (cell, page): (CellId, Duration),
    ) -> bool {
        let paging = self.machine.config().paging_in(self.machine.state());
        match direction {
            Direction::Uplink => paging.is_some(),
            Direction::Downlink => {
                if let Some(paging) = paging.filter(|_| self.page.is_none()) {
                    let there = self.is_away(cell).then(|| self.transport());
                    let sent = now + there.unwrap_or(Duration::ZERO);
                    self.page = Some(paging.next_start(sent) + page);
                }
                false
            }
        }
    }

    /// Begins a promotion, or a resume in this cell. Gives the new state.
    pub fn promote(&mut self, now: Time, cell: CellId) -> rrc::State {
        self.page = None;
        let away = self.is_away(cell);
        let takes = match &mut self.resume {
            Some(own) if self.machine.state() == rrc::State::Inactive => {
                let context = if away { own.context } else { Duration::ZERO };
                own.duration.draw(&mut own.draws) + context
            }
            _ => self.promotion.draw(&mut self.draws),
        };
        self.machine.promote(now + takes);
        self.machine.state()
    }

    /// True if a page has been received by now.
    pub fn is_paged(&self, now: Time) -> bool {
        self.page.is_some_and(|page| page <= now)
    }

    /// A page leads to no connection.
    pub fn end_page(&mut self) {
        self.page = None;
    }

    /// Packets that have waited, one at a time.
    pub fn next_waiting(&mut self) -> Option<(FlowIndex, Direction, Packet)> {
        self.waiting.pop_front()
    }

    /// The downlink packets that wait.
    pub fn take_downlink(&mut self) -> Vec<(FlowIndex, Packet)> {
        let all = std::mem::take(&mut self.waiting).into_iter();
        let (down, up) = all.partition(|(_, way, _)| *way == Direction::Downlink);
        self.waiting = up;
        let down: VecDeque<(FlowIndex, Direction, Packet)> = down;
        down.into_iter().map(|(flow, _, packet)| (flow, packet)).collect()
    }

    /// Packets that wait for the connection.
    pub fn held(&self) -> Held {
        Held::of(self.waiting.iter().map(|(.., packet)| packet))
    }

    /// True if the UE listens at `at`. A UE that sleeps is looked at again `lead` before it will
    /// listen next.
    pub fn listens(&mut self, at: Time, lead: Duration) -> bool {
        let listens = self.machine.is_awake(at);
        if !listens {
            self.wake = self.machine.next_awake(at).map(|next| next.saturating_sub(lead));
        }
        listens
    }

    /// True if the time has come to look at waiting downlink packets.
    pub fn take_wake(&mut self, now: Time) -> bool {
        self.wake.take_if(|wake| *wake <= now).is_some()
    }

    /// Time of the next change by a timer.
    pub fn next_due(&self) -> Option<Time> {
        [self.machine.next_change(), self.page, self.wake].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::random::Seed;

    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn sorted(promotion: Promotion) -> Vec<f64> {
        let mut draws = Seed(3).stream("promotion");
        let mut drawn: Vec<f64> =
            (0..20_001).map(|_| promotion.draw(&mut draws).as_millis_f64()).collect();
        drawn.sort_by(f64::total_cmp);
        drawn
    }

    #[test]
    fn quartiles_are_found_again() {
        let points = [200, 319, 435, 558, 700].map(ms);
        let drawn = sorted(Promotion::Quartiles(points));
        for (n, expected) in [(5_000, 319.0), (10_000, 435.0), (15_000, 558.0)] {
            assert!((drawn[n] - expected).abs() < 6.0, "{}", drawn[n]);
        }
        assert!(drawn[0] >= 200.0 && drawn[20_000] <= 700.0);
    }

    #[test]
    fn moments_of_the_others() {
        let mean = |drawn: &[f64]| drawn.iter().sum::<f64>() / drawn.len() as f64;
        assert_eq!(sorted(Promotion::Fixed(ms(260)))[7], 260.0);
        let uniform = sorted(Promotion::Uniform { min: ms(100), max: ms(300) });
        assert!((mean(&uniform) - 200.0).abs() < 2.0 && uniform[0] >= 100.0);
        let normal = sorted(Promotion::Normal { mean: ms(400), deviation: ms(50) });
        assert!((mean(&normal) - 400.0).abs() < 2.0);
        // Exp(0.4^2 / 2) = 1.0833 times the median.
        let lognormal = sorted(Promotion::Lognormal { median: ms(400), sigma: 0.4 });
        assert!((lognormal[10_000] - 400.0).abs() < 6.0);
        assert!((mean(&lognormal) - 433.3).abs() < 6.0);
    }
}
