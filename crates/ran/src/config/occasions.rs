//! Configured grants of a period.

/// Occasions of a multi-PUSCH configured grant (TS 38.321, 5.8.2; TS 38.331, ConfiguredGrantConfig).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occasions {
    /// Consecutive TTIs of a period with a grant, 1 to 32 and no more than the period (nrofSlotsInCG-Period). With time
    /// division duplex those of them that are no uplink have none.
    pub count: u64,
    /// Following occasions of which each block names the unused ones, 3 to 8 (nrofBitsInUTO-UCI; TS 38.213, 9.3.1); zero
    /// for no such indication.
    pub indicated: u64,
    /// Consecutive TTIs in which the UE sends the block of a period, 1 to 8 (repK: TS 38.214, 6.1.2.3). With more than one
    /// it is [`count`](Occasions::count).
    pub repetitions: u8,
}

impl Default for Occasions {
    fn default() -> Occasions {
        Occasions { count: 1, indicated: 0, repetitions: 1 }
    }
}
