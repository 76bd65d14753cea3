//! Delay-based: the UE whose packet is oldest goes first (D. Brunello, "L4S in 5G networks",
//! 2020, chapter 4.5).
//!
//! The thesis serves video so and web in turn, with the same priority, and leaves open how both
//! share. Here turns are those of [round robin](RoundRobin), one for each UE of either kind. The
//! turn of a UE that is served by age goes to the one whose packet is oldest. Each kind thus gets
//! the share that round robin gives it, and without UEs that are served by age this is round robin.
//! A [rule of its own](super::Raise) lets old packets raise the priority of their UE.

use airpath_base::Duration;

use super::{Grants, RoundRobin, Scheduler, Slot, TrafficClasses};

/// A delay-based scheduler.
///
/// A UE is served by age if a packet of the given classes waits for it. The age is that of its
/// oldest packet of these.
#[derive(Clone, Debug)]
pub struct DelayBased {
    turns: RoundRobin,
    by_age: TrafficClasses,
    /// UEs that are served by age: age, turn, position among the candidates; the oldest last.
    oldest: Vec<(Duration, usize, usize)>,
}

impl DelayBased {
    /// Takes the turns of `turns`, and serves these classes by age.
    pub fn new(turns: RoundRobin, by_age: TrafficClasses) -> DelayBased {
        DelayBased { turns, by_age, oldest: Vec::new() }
    }

    /// Sorts those that are served by age; of equal ages the one goes first whose turn is first.
    fn sort(&mut self, slot: &Slot<'_>) {
        self.oldest.clear();
        for (turn, n) in self.turns.turns(slot).enumerate() {
            let candidate = &slot.candidates[n];
            if candidate.traffic.intersects(self.by_age) {
                let age = candidate.waited(self.by_age).unwrap_or(Duration::ZERO);
                self.oldest.push((age, turn, n));
            }
        }
        self.oldest.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    }
}

impl Scheduler for DelayBased {
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        self.sort(slot);
        let DelayBased { turns, by_age, oldest } = self;
        turns.take_turns(slot, grants, |turn| {
            let by_age = slot.candidates[turn].traffic.intersects(*by_age);
            let oldest = if by_age { oldest.pop() } else { None };
            oldest.map_or(turn, |(.., n)| n)
        });
    }

    fn ranks_by_reports(&self) -> bool {
        self.turns.ranks_by_reports()
    }
}

#[cfg(test)]
#[path = "delay_based_tests.rs"]
mod tests;
