//! Energy of a UE's radio by state and by transferred data.
//!
//! Power is constant in each state, and each transferred bit adds the same energy at any rate.
//! That is the source's linear model `a_u t_u + a_d t_d + b` (section 4, equation) over the time
//! of a transfer. Left out: the higher transmit power on a bad channel, and the power of the rest
//! of the phone.

use super::Usage;
use crate::{Bytes, Duration};

/// Power of a UE by state, in milliwatts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    /// Idle or inactive, between paging occasions.
    pub idle: f64,
    /// Idle or inactive, while it listens for pages.
    pub paging: f64,
    /// During a promotion or a resume.
    pub promotion: f64,
    /// Connected and listening all the time, without data.
    pub active: f64,
    /// Connected and active, while PDCCH monitoring is skipped.
    pub skip: f64,
    /// In DRX, between on-durations.
    pub sleep: f64,
    /// In DRX, in on-durations.
    pub on: f64,
    /// On top for each Mbit/s uplink.
    pub up: f64,
    /// On top for each Mbit/s downlink.
    pub down: f64,
}

/// Energy by what it was spent on, in joules.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Idle and inactive, pages included.
    pub idle: f64,
    /// Promotions and resumes.
    pub promotion: f64,
    /// Connected and listening all the time.
    pub active: f64,
    /// Connected in DRX, on-durations included.
    pub drx: f64,
    /// Data uplink, on top of the state's.
    pub up: f64,
    /// Data downlink, on top of the state's.
    pub down: f64,
}

impl Power {
    /// An LTE phone of 2011 on a commercial network (MobiSys 2012). Powers of the states in mW are
    /// from table 3: 11.4 with the screen off and no radio, pages 594.3, promotion 1210.7, tail
    /// 1060.0, on-durations 1680.2. Powers of transfers are from table 4: base 1288.04 mW, 438.39
    /// and 51.97 mW for each Mbit/s up and down. LTE skips no PDCCH: `skip` has micro sleep over PDCCH alone, 45 over 100
    /// (TR 38.840, 8.1.1), times `active`.
    pub const MOBISYS_2012: Power = Power {
        idle: 11.4,
        paging: 594.3,
        promotion: 1_210.7,
        active: 1_288.04,
        skip: 579.618,
        sleep: 1_060.0,
        on: 1_680.2,
        up: 438.39,
        down: 51.97,
    };

    /// The energy of what a radio did.
    pub fn energy(&self, usage: &Usage) -> Energy {
        let joules = |milliwatts: f64, span: Duration| milliwatts * 1e-3 * span.as_secs_f64();
        let drx = usage.short_drx + usage.long_drx;
        Energy {
            idle: joules(self.idle, (usage.idle + usage.inactive).saturating_sub(usage.paging))
                + joules(self.paging, usage.paging),
            promotion: joules(self.promotion, usage.promotion + usage.resume),
            active: joules(self.active, usage.active.saturating_sub(usage.skipping))
                + joules(self.skip, usage.skipping),
            drx: joules(self.sleep, drx.saturating_sub(usage.listening))
                + joules(self.on, usage.listening),
            up: transfer(self.up, usage.up),
            down: transfer(self.down, usage.down),
        }
    }
}

/// Milliwatts for each Mbit/s, times Mbit, are millijoules.
fn transfer(milliwatts: f64, size: Bytes) -> f64 {
    milliwatts * 1e-3 * (size.bits() as f64 / 1e6)
}

impl Energy {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.idle + self.promotion + self.active + self.drx + self.up + self.down
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Config, Drx, Seen, Span, Tracker};
    use super::*;
    use crate::Time;

    fn ignore(_: Span) {}

    #[test]
    fn one_packet_costs_what_the_source_says() {
        // MobiSys 2012, section 4: promotion and tail of a single packet take 12.76 J. The
        // source counts its tail from the packet on; here that is DRX at once.
        let drx = Drx { inactivity: Duration::from_nanos(1), ..Drx::MOBISYS_2012 };
        let config = Config { drx: Some(drx), ..Config::MOBISYS_2012 };
        let promotion = Duration::from_micros(260_100);
        let mut tracker = Tracker::new(config, promotion, Seen::AtUe, Time::ZERO);
        tracker.up(Time::ZERO, Bytes(0), &mut ignore);
        tracker.finish(Time::ZERO + promotion + Duration::from_millis(11_576), &mut ignore);
        let energy = Power::MOBISYS_2012.energy(tracker.usage());
        assert!((energy.total() - 12.76).abs() < 0.006, "{energy:?}");
    }

    #[test]
    fn a_transfer_costs_base_and_bits() {
        // 10 s at 5 Mbit/s down: 1288.04 + 51.97 * 5 = 1547.89 mW.
        let usage =
            Usage { active: Duration::from_secs(10), down: Bytes(6_250_000), ..Usage::default() };
        let energy = Power::MOBISYS_2012.energy(&usage);
        assert!((energy.total() - 15.4789).abs() < 1e-9, "{energy:?}");
    }

    #[test]
    fn an_idle_phone_wakes_for_pages() {
        // An hour: 2812.5 cycles of 1.28 s, 43.2 ms at 594.3 mW and the rest at 11.4 mW.
        let config = Config::MOBISYS_2012;
        let mut tracker = Tracker::new(config, Duration::ZERO, Seen::AtUe, Time::ZERO);
        tracker.finish(Time::from_millis(3_600_000), &mut ignore);
        let usage = tracker.usage();
        assert_eq!((usage.idle, usage.promotions), (Duration::from_secs(3_600), 0));
        // The last half cycle has its occasion too: 2813 of them.
        assert_eq!(usage.paging, Duration::from_micros(43_200) * 2_813);
        let energy = Power::MOBISYS_2012.energy(usage).total();
        let expected = 0.5943 * 121.5216 + 0.0114 * (3_600.0 - 121.5216);
        assert!((energy - expected).abs() < 1e-9, "{energy}");
    }
}
