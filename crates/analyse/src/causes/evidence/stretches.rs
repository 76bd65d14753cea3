//! Stretches that wait to be judged, and the present one.

use airpath_base::{Duration, Time};

use crate::causes::stretch::{Kind, Range, Stretch, Wait, mark};

/// Stretches that wait to be judged; half of them are judged if there are more.
const MOST: usize = 64;
/// Usual cycle of paging in nanoseconds, which is longer than those of DRX (TS 36.331, defaultPagingCycle: rf128).
const CYCLE: u64 = 1_280_000_000;
/// Least silence after which a network releases a radio, in nanoseconds (TS 36.331, dataInactivityTimer: s1).
const RELEASED: u64 = 1_000_000_000;

/// Stretches of a direction that are not judged yet.
#[derive(Clone, Debug)]
pub(crate) struct Stretches {
    /// Begin, kind and marks of the present stretch, and the answer that ended it.
    from: Time,
    kind: Kind,
    marks: u8,
    wait: Wait,
    /// Stretches before.
    done: Vec<Stretch>,
}

impl Stretches {
    /// Before the first data.
    pub(crate) fn new() -> Stretches {
        let (kind, wait) = (Kind::Round, Wait::default());
        Stretches { from: Time::ZERO, kind, marks: 0, wait, done: Vec::new() }
    }

    /// Begin of the present stretch.
    pub(crate) fn from(&self) -> Time {
        self.from
    }

    /// Kind of the present stretch.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// True if the present stretch is the first behind a pause, or of all.
    pub(crate) fn is_first(&self) -> bool {
        self.marks & mark::FIRST != 0
    }

    /// Stretches before the present one.
    pub(crate) fn done(&self) -> &[Stretch] {
        &self.done
    }

    /// Most data under way in the last stretches, a silence and the round trips around it.
    pub(crate) fn flight(&self) -> u32 {
        self.done.iter().rev().take(3).map(|stretch| stretch.flight).max().unwrap_or(0)
    }

    /// The first data is sent.
    pub(crate) fn begin(&mut self, at: Time) {
        self.from = at;
    }

    /// Marks the present stretch.
    pub(crate) fn mark(&mut self, marks: u8) {
        self.marks |= marks;
    }

    /// Makes the present stretch one of another kind.
    pub(crate) fn turn(&mut self, kind: Kind) {
        self.kind = kind;
    }

    /// Describes the answer that ends the present stretch.
    pub(crate) fn waited(&mut self, wait: Wait) {
        self.wait = wait;
    }

    /// Ends the present stretch, whose other quantities are those of `gauged`, and begins one of another kind. Gives
    /// the number of stretches that are to be judged.
    pub(crate) fn cut(&mut self, gauged: Stretch, to: Time, next: Kind) -> usize {
        let Stretches { from, kind, wait, .. } = *self;
        let done = Stretch { from, to, kind, wait, marks: gauged.marks | self.marks, ..gauged };
        self.restart(to, next);
        if done.nanos() == 0 && done.delivered == 0 {
            return 0;
        }
        self.done.push(done);
        if self.done.len() > MOST { MOST / 2 } else { 0 }
    }

    /// Takes all since `since` for the silence of a peer that is gone.
    pub(crate) fn gone(&mut self, since: Time) {
        self.done.retain(|stretch| stretch.from < since);
        if let Some(last) = self.done.last_mut() {
            last.to = last.to.min(since);
        }
        self.restart(since, Kind::Gone);
    }

    fn restart(&mut self, from: Time, kind: Kind) {
        (self.from, self.kind, self.marks, self.wait) = (from, kind, 0, Wait::default());
    }

    /// Takes pauses since `from` for waits for the timer.
    pub(crate) fn were_timers(&mut self, from: Time) {
        for stretch in self.done.iter_mut().rev().take_while(|stretch| stretch.from >= from) {
            if matches!(stretch.kind, Kind::Pause | Kind::Idle) {
                stretch.kind = Kind::Timer;
            }
        }
    }

    /// Takes the last waits for the timer, `strikes` in number, for silences of another kind.
    pub(crate) fn were_no_timers(&mut self, strikes: u32, kind: Kind) {
        for stretch in self.done.iter_mut().rev().take(2 * strikes as usize) {
            match stretch.kind {
                Kind::Timer => stretch.kind = kind,
                Kind::Round if stretch.delivered == 0 && stretch.has(mark::TIMER) => {
                    stretch.kind = kind;
                }
                _ => break,
            }
        }
    }

    /// An ACK ended the time without data since `since`: it was not the application's.
    pub(crate) fn were_held(&mut self, since: Time) {
        for stretch in self.done.iter_mut().rev().take_while(|stretch| stretch.to > since) {
            stretch.held += std::mem::take(&mut stretch.drained);
        }
    }

    /// Last round trips to the receiver that were measured.
    pub(crate) fn last_near(&self) -> Option<Range> {
        self.done.iter().rev().map(|stretch| stretch.near).find(|near| !near.is_empty())
    }

    /// Kind of a silence of so many nanoseconds, the first behind a pause.
    pub(crate) fn woke(&self, nanos: u64) -> Kind {
        woke(&self.done, nanos)
    }

    /// Finds silences that lasted longer than an answer takes, where round trips to the receiver take `least`
    /// microseconds. What arrives behind a stall had been sent before, and says nothing of queues.
    pub(crate) fn resolve(&mut self, least: u32) {
        let mut done: Vec<Stretch> = Vec::with_capacity(self.done.len());
        for stretch in self.done.drain(..) {
            if stretch.kind != Kind::Quiet {
                push(&mut done, stretch);
                continue;
            }
            let to = stretch.to;
            let stalled = to.saturating_sub(Duration::from_nanos(stretch.stall(least)));
            push(&mut done, Stretch { to: stalled, kind: Kind::Round, ..stretch });
            if stalled < to {
                let nanos = to.saturating_since(stalled).as_nanos();
                let kind = if stretch.has(mark::FIRST) { woke(&done, nanos) } else { Kind::Gap };
                done.push(Stretch { from: stalled, to, kind, ..Stretch::default() });
            }
        }
        self.done = done;
    }

    /// Takes the first `n` stretches out.
    pub(crate) fn take(&mut self, n: usize) -> impl Iterator<Item = Stretch> {
        let n = n.min(self.done.len());
        self.done.drain(..n)
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        self.done.capacity() * size_of::<Stretch>()
    }
}

/// Kind of a silence of so many nanoseconds behind the last pause. It is no promotion if it is longer than a cycle of
/// DRX, and the pause too short for a radio to be released.
fn woke(done: &[Stretch], nanos: u64) -> Kind {
    let mut before = done.iter().rev();
    let pause = before.find(|stretch| matches!(stretch.kind, Kind::Pause | Kind::Idle));
    let short = pause.is_some_and(|pause| pause.nanos() < RELEASED);
    if short && nanos > CYCLE { Kind::Gap } else { Kind::Waking }
}

fn push(list: &mut Vec<Stretch>, mut stretch: Stretch) {
    let on = stretch.kind == Kind::Round && stretch.has(mark::ON);
    match list.last_mut().filter(|last| on && last.to == stretch.from) {
        Some(last) if last.kind == Kind::Round => last.join(&stretch),
        Some(last) if matches!(last.kind, Kind::Gap | Kind::Waking) => {
            (stretch.near, stretch.far) = (Range::default(), Range::default());
            list.push(stretch);
        }
        _ => list.push(stretch),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silence_longer_than_a_cycle_of_paging_behind_a_short_pause_is_no_promotion() {
        let kind = |pause: u64, silence: u64| {
            let to = Time::from_millis(pause);
            let pause = Stretch { kind: Kind::Pause, to, ..Stretch::default() };
            woke(&[pause], 1_000_000 * silence)
        };
        assert_eq!(kind(25, 2500), Kind::Gap);
        assert_eq!(kind(25, 400), Kind::Waking);
        assert_eq!(kind(5000, 2500), Kind::Waking);
    }
}
