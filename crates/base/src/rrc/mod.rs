//! A UE's radio states over time, and the energy they take: one pure model for the
//! simulator and for the analysis of captures.
//!
//! - RRC (TS 36.331, 4.2.1): idle, then a promotion (random access and connection set-up,
//!   5.3.3), then connected until nothing has moved for a while ([`Config::release_after`];
//!   the release is 5.3.8, its timer the cell's own).
//! - DRX while connected (TS 36.321, 5.7): after drx-InactivityTimer without a grant or an
//!   assignment the UE listens in on-durations only, first of the short cycle, then of the
//!   long one.
//! - Paging while idle (TS 36.304, 7.1): it listens once in a paging cycle.
//! - RRC_INACTIVE of NR (TS 38.331, 4.2.1 and 5.3.13): the cell suspends the connection instead of its release
//!   ([`Inactive`]). A resume follows, or the release to idle.
//!
//! [`Machine`] is the state machine, driven by what happens; [`Tracker`] drives one by the
//! instants and sizes of packets; [`Power`] turns a [`Usage`] into joules. Nothing looks at a
//! clock, everything is O(1).
//!
//! Simplified: an on-duration ends when the cycle changes, so at most one in a phase is cut short.
//! HARQ's own timers (drx-RetransmissionTimer) are left to the transmitter: a retransmission finds
//! the UE awake. Left out: measurement gaps, handover.
//!
//! Source of the default values: J. Huang, F. Qian, A. Gerber, Z. M. Mao, S. Sen, O.
//! Spatscheck, "A Close Examination of Performance and Power Characteristics of 4G LTE
//! Networks", MobiSys 2012, tables 2 to 4.

mod machine;
mod pattern;
mod power;
mod tracker;

use crate::Duration;

pub use machine::Machine;
pub use pattern::{Cycle, Pattern};
pub use power::{Energy, Power};
pub use tracker::{Seen, Span, Tracker, Usage};

/// RRC and DRX state of the radio of a UE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// RRC_IDLE: it listens for pages only.
    Idle,
    /// On the way from idle to connected.
    Promotion,
    /// Connected, and listens all the time.
    Active,
    /// Connected, listens in on-durations of the short cycle.
    ShortDrx,
    /// Connected, listens in on-durations of the long cycle.
    LongDrx,
    /// RRC_INACTIVE of NR: the connection is suspended, and the UE listens for pages only.
    Inactive,
    /// On the way from inactive to connected.
    Resume,
}

impl State {
    /// All states.
    pub const ALL: [State; 7] = [
        State::Idle,
        State::Promotion,
        State::Active,
        State::ShortDrx,
        State::LongDrx,
        State::Inactive,
        State::Resume,
    ];

    /// The name in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            State::Idle => "idle",
            State::Promotion => "promotion",
            State::Active => "active",
            State::ShortDrx => "short_drx",
            State::LongDrx => "long_drx",
            State::Inactive => "inactive",
            State::Resume => "resume",
        }
    }

    /// True for the states of a suspended connection, which a UE without [`Inactive`] never has.
    pub const fn is_suspended(self) -> bool {
        matches!(self, State::Inactive | State::Resume)
    }

    /// True if the UE has no connection, and none is on its way: it listens for pages.
    pub const fn is_paged(self) -> bool {
        matches!(self, State::Idle | State::Inactive)
    }

    /// True on the way to a connection.
    pub const fn is_connecting(self) -> bool {
        matches!(self, State::Promotion | State::Resume)
    }

    /// True if there is an RRC connection.
    pub const fn is_connected(self) -> bool {
        matches!(self, State::Active | State::ShortDrx | State::LongDrx)
    }
}

/// Timers and cycles of a UE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Time without data after which the cell releases the connection: the tail. `None`:
    /// never.
    pub release_after: Option<Duration>,
    /// Discontinuous reception while connected, if there is any.
    pub drx: Option<Drx>,
    /// Paging occasions of an idle UE.
    pub paging: Pattern,
    /// RRC_INACTIVE instead of idle after the tail; only in NR.
    pub inactive: Option<Inactive>,
    /// Duration for which a UE skips PDCCH monitoring once its cell has nothing more for it (pdcch-SkippingDurationList: TS
    /// 38.213, 10.4). `None`: it skips none; only in NR.
    pub skipping: Option<Duration>,
}

/// RRC_INACTIVE (TS 38.331, 4.2.1; TS 38.300, 9.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inactive {
    /// Time without data in this state after which the UE is idle. `None`: never.
    pub release_after: Option<Duration>,
    /// Occasions of pages by the RAN (TS 38.304, 7.1).
    pub paging: Pattern,
}

/// Discontinuous reception while connected (TS 36.321, 5.7; TS 36.331, 6.3.2, DRX-Config).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drx {
    /// onDurationTimer; no longer than a cycle.
    pub on_duration: Duration,
    /// drx-InactivityTimer, from the end of the subframe of the last grant or assignment.
    pub inactivity: Duration,
    /// The short cycle, if there is one.
    pub short: Option<ShortCycle>,
    /// longDRX-Cycle; a multiple of the short one.
    pub long_cycle: Cycle,
    /// drxStartOffset: the first on-duration of both cycles; whole milliseconds with a cycle of a fraction.
    pub offset: Duration,
    /// True if the cell sends a DRX command with the last data that it has for the UE (TS 36.321 and TS 38.321, 5.7).
    pub command: bool,
}

/// The short DRX cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortCycle {
    /// shortDRX-Cycle.
    pub cycle: Cycle,
    /// drxShortCycleTimer: so many short cycles come before the long ones.
    pub count: u32,
}

impl Config {
    /// Measured values of a commercial network (MobiSys 2012, tables 2 and 3). The connection is
    /// released after 11.576 s. After 100 ms, DRX begins with on-durations of 1 ms: one cycle of 20
    /// ms, then cycles of 40 ms. Pages come each 1.28 s, and the phone was up for 43.2 ms of each.
    pub const MOBISYS_2012: Config = Config {
        release_after: Some(Duration::from_millis(11_576)),
        drx: Some(Drx::MOBISYS_2012),
        paging: Pattern {
            cycle: Cycle::every(Duration::from_millis(1_280)),
            offset: Duration::ZERO,
            on: Duration::from_micros(43_200),
        },
        inactive: None,
        skipping: None,
    };

    /// Paging occasions in a state; none in a connection and on the way to it.
    pub fn paging_in(&self, state: State) -> Option<Pattern> {
        match state {
            State::Idle => Some(self.paging),
            State::Inactive => Some(self.inactive.map_or(self.paging, |own| own.paging)),
            _ => None,
        }
    }
}

impl Drx {
    /// The DRX of [`Config::MOBISYS_2012`].
    pub const MOBISYS_2012: Drx = Drx {
        on_duration: Duration::from_millis(1),
        inactivity: Duration::from_millis(100),
        short: Some(ShortCycle { cycle: Cycle::every(Duration::from_millis(20)), count: 1 }),
        long_cycle: Cycle::every(Duration::from_millis(40)),
        offset: Duration::ZERO,
        command: false,
    };

    /// On-durations of the cycle in use in `state`; none but in DRX.
    pub fn pattern(&self, state: State) -> Option<Pattern> {
        let cycle = match state {
            State::ShortDrx => self.short?.cycle,
            State::LongDrx => self.long_cycle,
            _ => return None,
        };
        Some(Pattern { cycle, offset: self.offset, on: self.on_duration })
    }

    /// Duration of the short cycle (drxShortCycleTimer).
    pub fn short_phase(&self) -> Duration {
        self.short.map_or(Duration::ZERO, |short| short.cycle.times(short.count))
    }
}
