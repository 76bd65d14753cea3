//! Bursts of packets that begin at multiples of a slot.

use airpath_base::{Duration, Time};

use super::{Sign, SignKind};

/// Slots in nanoseconds: of NR with 30 kHz; of LTE, and of NR with 15 kHz.
const SLOTS: [u64; 2] = [500_000, 1_000_000];
/// Cycles in nanoseconds: patterns of TDD (TS 38.213, 11.1), and a frame.
const CYCLES: [u64; 3] = [2_500_000, 5_000_000, FRAME];
const FRAME: u64 = 10_000_000;
/// A packet within this time of the one before belongs to its burst.
const TOGETHER: Duration = Duration::from_micros(100);
/// Bursts of a window. Within it the clocks of radio and capture stay together.
const WINDOW: u8 = 64;
/// Parts of a slot. Bursts are on the grid if two parts that touch have nine in ten.
const PARTS: usize = 16;
const ON_GRID: u8 = 58;
/// Gaps of a window that repeat the one before, at most: more are the rate of a link, or a timer.
const SAME: u8 = 56;
/// Greatest share of a cycle's slots that have bursts, in tenths.
const USED: u64 = 6;

/// Bursts of one direction.
#[derive(Debug, Default)]
pub(super) struct Slots {
    last: Time,
    /// First burst of the window, and the last one.
    first: Time,
    before: Time,
    bursts: u8,
    grids: [Grid; 2],
    windows: u32,
    /// Windows on each grid, those of them with various gaps, and of these those with each cycle.
    on: [u32; 2],
    various: u32,
    cycles: [u32; 3],
}

/// Bursts of a window on the grid of one length of slots.
#[derive(Debug, Default)]
struct Grid {
    parts: [u8; PARTS],
    /// Slots of the frame that have a burst.
    used: u32,
    gap: u64,
    same: u8,
}

impl Slots {
    /// A packet passes.
    pub(super) fn pass(&mut self, at: Time) {
        let since = at.saturating_since(self.last);
        self.last = at;
        if since < TOGETHER {
            return;
        }
        if self.bursts == 0 {
            (self.first, self.before, self.grids) = (at, at, Default::default());
        }
        let passed = at.saturating_since(self.first).as_nanos();
        let gap = at.saturating_since(self.before).as_nanos();
        for (grid, slot) in self.grids.iter_mut().zip(SLOTS) {
            grid.begins(at, (passed, gap), slot);
        }
        self.before = at;
        self.bursts += 1;
        if self.bursts == WINDOW {
            self.bursts = 0;
            self.judge();
        }
    }

    fn judge(&mut self) {
        self.windows += 1;
        // The grid of the longer slots lies on that of the shorter ones.
        let Some(n) = [1, 0].into_iter().find(|n| self.grids[*n].holds()) else { return };
        self.on[n] += 1;
        let grid = &self.grids[n];
        if grid.same > SAME {
            return;
        }
        self.various += 1;
        let cycle = CYCLES.iter().position(|cycle| grid.is_cycle(*cycle, SLOTS[n]));
        if let Some(cycle) = cycle {
            self.cycles[cycle] += 1;
        }
    }

    /// Slots, if four of five windows are on a grid.
    pub(super) fn slots(&self) -> Option<Sign> {
        let [half, whole] = self.on;
        let (seen, slot) = if whole > half { (whole, SLOTS[1]) } else { (half + whole, SLOTS[0]) };
        let enough = 5 * seen >= 4 * self.windows && self.various > 0;
        let sign = Sign { sign: SignKind::Slots, ms: slot as f64 / 1e6, seen, of: self.windows };
        enough.then_some(sign)
    }

    /// The cycle, if half of the windows with various gaps have the same.
    pub(super) fn cycle(&self) -> Option<Sign> {
        self.slots()?;
        let cycles = self.cycles.iter().copied().zip(CYCLES);
        let (seen, cycle) = cycles.max_by_key(|(seen, _)| *seen)?;
        let enough = seen >= 2 && 2 * seen >= self.various;
        let ms = cycle as f64 / 1e6;
        enough.then_some(Sign { sign: SignKind::GrantCycle, ms, seen, of: self.various })
    }
}

impl Grid {
    /// A burst begins so many nanoseconds behind the window's first and behind the one before.
    fn begins(&mut self, at: Time, (passed, gap): (u64, u64), slot: u64) {
        let part = (at.as_nanos() % slot) * PARTS as u64 / slot;
        self.parts[part as usize] += 1;
        let slots = |nanos: u64| (nanos + slot / 2) / slot;
        self.used |= 1 << (slots(passed) % (FRAME / slot));
        let gap = slots(gap);
        self.same += u8::from(passed > 0 && gap == self.gap);
        self.gap = gap;
    }

    fn holds(&self) -> bool {
        (0..PARTS).any(|n| self.parts[n] + self.parts[(n + 1) % PARTS] >= ON_GRID)
    }

    /// True if bursts begin in few slots of a cycle.
    fn is_cycle(&self, cycle: u64, slot: u64) -> bool {
        let slots = cycle / slot;
        let used = |n: &u64| (0..FRAME / cycle).any(|k| self.used >> (n + k * slots) & 1 == 1);
        cycle.is_multiple_of(slot) && 10 * (0..slots).filter(used).count() as u64 <= USED * slots
    }
}
