//! Half the media rate for a moment, so that a queue that never drains does, and its base
//! is learnt anew.

use crate::ticks::{SECOND, Ticks};

/// Time from one to the next, and its least length: 100 ms.
const APART: Ticks = 60 * SECOND;
const LENGTH: Ticks = 6554;

#[derive(Debug, Default)]
pub(super) struct Relief {
    began: Ticks,
    /// True if the base is to be learnt anew at the end.
    pending: bool,
}

/// Target of the encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Target,
    Half,
    /// The target again, and the base of the queue delay is to be forgotten.
    Anew,
}

impl Relief {
    /// The encoder asks while the queue delay stays above an eighth of its target.
    pub fn ask(&mut self, now: Ticks, srtt: Ticks) -> Wish {
        if now.saturating_sub(self.began) > APART {
            self.began = now;
        }
        if now.saturating_sub(self.began) < LENGTH.max(5 * srtt) {
            self.pending = true;
            return Wish::Half;
        }
        match core::mem::take(&mut self.pending) {
            true => Wish::Anew,
            false => Wish::Target,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_a_minute_and_for_five_round_trips() {
        let mut relief = Relief::default();
        let srtt = SECOND / 10;
        let at = [30.0, 61.0, 61.4, 61.6, 62.0, 121.0, 121.1];
        let seen = at.map(|second| relief.ask((second * SECOND as f64) as Ticks, srtt));
        use Wish::{Anew, Half, Target};
        assert_eq!(seen, [Target, Half, Half, Anew, Target, Target, Half]);
    }
}
