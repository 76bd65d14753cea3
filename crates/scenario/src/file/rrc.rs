//! RRC of UEs: idle, inactive and connected, promotions and resumes, DRX, and what they cost.

use airpath_base::Duration;
use airpath_base::rrc::Cycle;
use airpath_schema::units::{EveryCycle, Milliwatts, NanojoulesPerBit, Timer};
use airpath_schema::{above_to, between, choice, kinds, one_of, record};

/// Longer than any timer of RRC.
const LONGEST: Duration = Duration::from_secs(3_600);
/// defaultPagingCycle (TS 36.331, 6.3.2), ran-PagingCycle (TS 38.331, 6.3.2): 32 to 256 radio frames.
const PAGING_CYCLES: [Duration; 4] = [
    Duration::from_millis(320),
    Duration::from_millis(640),
    Duration::from_millis(1_280),
    Duration::from_millis(2_560),
];

record! {
    /// RRC idle, inactive and connected. Defaults are what was measured in a commercial network of 2012:
    /// J. Huang et al., "A Close Examination of Performance and Power Characteristics of 4G
    /// LTE Networks", MobiSys 2012.
    pub struct Rrc {
        /// State at the beginning. Default: "idle".
        start: RrcStart = RrcStart::Idle;
        /// Time without data after which the connection is released: the tail. "infinity" for
        /// never. Default: 11.576 s (MobiSys 2012, table 3).
        release_after: Timer = Timer::After(Duration::from_millis(11_576))
            => above_to(Duration::ZERO, LONGEST);
        /// Time that it takes to get a connection, from the random access to the bearers (TS
        /// 36.331, 5.3.3). It is a time, or a table with the `kind` of a distribution. Default:
        /// 260.1 ms (MobiSys 2012, table 3).
        promotion: Promotion =
            Promotion::Fixed(FixedPromotion { delay: Duration::from_micros(260_100) });
        /// Time between the occasions at which an idle UE listens for pages (TS 36.304, 7.1).
        /// Default: 1.28 s (MobiSys 2012, table 3).
        paging_cycle: Duration = Duration::from_millis(1_280) => one_of(&PAGING_CYCLES);
        /// Discontinuous reception while connected; `{}` for all its defaults. Default: none,
        /// a connected UE listens all the time.
        drx: Option<Drx>;
        /// Duration of a skipping of PDCCH monitoring (pdcch-SkippingDurationList: TS 38.213, 10.4). It follows an assignment
        /// that leaves the cell without data for the UE. With `pdu_sets` all packets of the newest set must have come. NR
        /// only. Default: none, it monitors all the time.
        pdcch_skipping: Option<Duration>
            => between(Duration::from_micros(50), Duration::from_millis(100));
        /// RRC_INACTIVE instead of idle after `release_after`; `{}` for all its defaults. NR only. Default: none.
        inactive: Option<Inactive>;
        /// Power of the radio states.
        power: RadioPower;
    }
}

record! {
    /// RRC_INACTIVE: the cell suspends the connection instead of its release (TS 38.300, 9.2.2; TS 38.331, 5.3.8
    /// and 5.3.13).
    pub struct Inactive {
        /// Time that it takes to resume the connection, from the random access to the connection. It is a time, or a
        /// table with the `kind` of a distribution. Default: evenly 18 to 28 ms. Random access takes 7.5 ms with the
        /// RRCResume (TR 37.910), behind a wait of up to 10 ms for its occasion (`prach_period`). The UE takes 10 ms
        /// (TS 38.331, 12; 6 ms with reduced latency), and RRCResumeComplete a slot of 0.5 ms. M.2410 asks for 20 ms.
        resume: Promotion = Promotion::Uniform(UniformPromotion {
            min: Duration::from_millis(18),
            max: Duration::from_millis(28),
        });
        /// Time between the occasions at which an inactive UE listens for pages, ran-PagingCycle (TS 38.304, 7.1);
        /// at most `rrc.paging_cycle`, as the shorter counts. Default: `rrc.paging_cycle`.
        paging_cycle: Option<Duration> => one_of(&PAGING_CYCLES);
        /// Time without data in this state after which the UE is idle. Default: "infinity", a choice of this model.
        release_after: Timer = Timer::Infinity => above_to(Duration::ZERO, LONGEST);
        /// Retrieval of the UE context from the last serving gNB, on top of a resume in another cell (TS 38.300,
        /// 9.2.2.4.1). Default: 18 ms, as `network.handover.preparation`: 4 ms of processing in each gNB and 5 ms of
        /// transport each way, a choice of this model.
        context: Duration = Duration::from_millis(18)
            => between(Duration::ZERO, Duration::from_secs(60));
        /// Transport of a message between gNBs: of a page by the RAN, and of addresses for forwarded packets.
        /// Default: 5 ms, a choice of this model.
        transport: Duration = Duration::from_millis(5)
            => between(Duration::ZERO, Duration::from_secs(1));
    }
}

record! {
    /// A file with a radio only, as captures are analysed with.
    pub struct RadioFile {
        /// Radio states, and their power. `start` is of no matter.
        rrc: Rrc;
    }
    beside {
        /// Warnings about the text that it was read from: keys with old names.
        warnings: Vec<String> = Vec::new();
    }
}

choice! {
    /// An RRC state.
    pub enum RrcStart {
        /// Without a connection.
        Idle = "idle",
        /// With a connection, last active at the beginning.
        Connected = "connected",
    }
}

kinds! {
    /// Duration of promotions.
    pub enum Promotion or "a time, as \"260 ms\"" {
        /// One duration of all promotions.
        Fixed(FixedPromotion) = "fixed",
        /// Evenly distributed.
        Uniform(UniformPromotion) = "uniform",
        /// Normally distributed; negative values count as zero.
        Normal(NormalPromotion) = "normal",
        /// Lognormally distributed.
        Lognormal(LognormalPromotion) = "lognormal",
        /// By its quartiles, evenly distributed between them.
        Quartiles(QuartilePromotion) = "quartiles",
    }
}

record! {
    /// Promotions of one length.
    pub struct FixedPromotion(delay) {
        /// Duration of each promotion.
        delay: Duration => above_to(Duration::ZERO, LONGEST);
    }
}

record! {
    /// Evenly distributed promotions.
    pub struct UniformPromotion {
        /// The shortest.
        min: Duration => between(Duration::ZERO, LONGEST);
        /// The longest duration.
        max: Duration => above_to(Duration::ZERO, LONGEST);
    }
}

record! {
    /// Normally distributed promotions.
    pub struct NormalPromotion {
        /// Mean duration.
        mean: Duration => above_to(Duration::ZERO, LONGEST);
        /// Standard deviation of the duration.
        deviation: Duration => between(Duration::ZERO, LONGEST);
    }
}

record! {
    /// Lognormally distributed promotions.
    pub struct LognormalPromotion {
        /// Median duration.
        median: Duration => above_to(Duration::ZERO, LONGEST);
        /// Standard deviation of the natural logarithm.
        sigma: f64 => between(0.0, 3.0);
    }
}

record! {
    /// Promotions by their quartiles. Default: as measured over 22 base stations (J. Huang et
    /// al., "An In-depth Study of LTE", SIGCOMM 2013, 4.2).
    pub struct QuartilePromotion {
        /// The shortest. Default: as far below the first quartile as the median is above it.
        min: Option<Duration> => between(Duration::ZERO, LONGEST);
        /// First quartile. Default: 319 ms.
        p25: Duration = Duration::from_millis(319) => above_to(Duration::ZERO, LONGEST);
        /// Median. Default: 435 ms.
        p50: Duration = Duration::from_millis(435) => above_to(Duration::ZERO, LONGEST);
        /// Third quartile. Default: 558 ms.
        p75: Duration = Duration::from_millis(558) => above_to(Duration::ZERO, LONGEST);
        /// The longest duration. Default: as far above the third quartile as the median is below
        /// it.
        max: Option<Duration> => above_to(Duration::ZERO, LONGEST);
    }
}

record! {
    /// Discontinuous reception while connected (TS 36.321, 5.7; TS 36.331, 6.3.2).
    pub struct Drx {
        /// Time for which the UE listens at the beginning of a cycle: onDurationTimer. Default: 1
        /// ms (MobiSys 2012, table 3).
        on_duration: Duration = Duration::from_millis(1)
            => above_to(Duration::ZERO, Duration::from_secs(10));
        /// Time for which the UE goes on listening after a grant or an assignment:
        /// drx-InactivityTimer. Default: 100 ms (MobiSys 2012, table 2).
        inactivity: Duration = Duration::from_millis(100)
            => above_to(Duration::ZERO, Duration::from_secs(10));
        /// The short cycle, or "off" for none: shortDRX-Cycle, or drx-NonIntegerShortCycle as "25/3 ms". Default: 20 ms
        /// (MobiSys 2012, table 3).
        short_cycle: EveryCycle = EveryCycle::Interval(Cycle::every(Duration::from_millis(20)))
            => above_to(Cycle::every(Duration::ZERO), Cycle::every(Duration::from_secs(10)));
        /// Short cycles before the long ones: drxShortCycleTimer. Default: 1 (MobiSys 2012,
        /// table 2).
        short_cycles: u32 = 1 => between(1, 16);
        /// The long cycle, a multiple of the short one: longDRX-Cycle. With NR also a fraction of milliseconds
        /// (drx-NonIntegerLongCycleStartOffset: TS 38.331, 6.3.2), as "50/3 ms" for 60 frames/s. Default: 40 ms
        /// (MobiSys 2012, table 3).
        long_cycle: Cycle = Cycle::every(Duration::from_millis(40))
            => above_to(Cycle::every(Duration::ZERO), Cycle::every(Duration::from_secs(10)));
        /// The beginning of the first long cycle: drxStartOffset. With a cycle of a fraction it has whole milliseconds.
        /// Default: spread over the UEs in their order, as their number modulo the long cycle. The number counts whole
        /// transmission time intervals, or milliseconds with a fraction.
        offset: Option<Duration>;
        /// Sends a DRX command with the last data that the cell has for a UE, so that it sleeps at once (TS 36.321 and TS
        /// 38.321, 5.7). With `pdu_sets` that is the end of a data burst. Default: false.
        command: bool = false;
    }
}

record! {
    /// Power by radio state, and energy by bit on top.
    pub struct RadioPower {
        /// Power in RRC idle and inactive, between paging occasions. Default: 11.4 mW, the phone with its screen
        /// off (MobiSys 2012, table 3).
        idle: Milliwatts = Milliwatts(11.4);
        /// Idle and inactive, around a paging occasion. Default: 594.3 mW (MobiSys 2012, table 3).
        paging: Milliwatts = Milliwatts(594.3);
        /// Time for which it is awake for one paging occasion. Default: 43.2 ms (MobiSys 2012,
        /// table 3).
        paging_time: Duration = Duration::from_micros(43_200)
            => between(Duration::ZERO, Duration::from_millis(2_560));
        /// Power during a promotion or a resume. Default: 1210.7 mW (MobiSys 2012, table 3).
        promotion: Milliwatts = Milliwatts(1_210.7);
        /// Connected, listening all the time. Default: 1288.04 mW, the base of transfers
        /// (MobiSys 2012, table 4).
        active: Milliwatts = Milliwatts(1_288.04);
        /// Connected, while PDCCH monitoring is skipped. Default: 0.45 times `active`. Micro sleep has 45 where PDCCH alone
        /// has 100 (TR 38.840, 8.1.1).
        skip: Option<Milliwatts>;
        /// Power in DRX, between on-durations. Default: 1060 mW, the base of the tail (MobiSys
        /// 2012, table 3).
        sleep: Milliwatts = Milliwatts(1_060.0);
        /// Power in DRX, in on-durations. Default: 1680.2 mW (MobiSys 2012, table 3).
        on: Milliwatts = Milliwatts(1_680.2);
        /// For each bit sent, on top: nJ/bit are mW for each Mbit/s. Default: 438.39 nJ/bit
        /// (MobiSys 2012, table 4).
        up: NanojoulesPerBit = NanojoulesPerBit(438.39);
        /// For each bit received, on top. Default: 51.97 nJ/bit (MobiSys 2012, table 4).
        down: NanojoulesPerBit = NanojoulesPerBit(51.97);
    }
}
