//! Tells which packets something happens to.

use airpath_base::random::Stream;
use airpath_net::Pattern;

/// Tells packet by packet who is hit.
#[derive(Debug)]
pub(crate) struct Sampler {
    pattern: Pattern,
    draws: Stream,
    /// Packets since the last that was hit by a period.
    since: u64,
}

impl Sampler {
    /// Nobody has passed yet; a random pattern takes one draw for each that does.
    pub(crate) fn new(pattern: Pattern, draws: Stream) -> Sampler {
        Sampler { pattern: plain(pattern), draws, since: 0 }
    }

    /// From now on it is this pattern, from whose beginning nobody has passed.
    pub(crate) fn change(&mut self, pattern: Pattern) {
        (self.pattern, self.since) = (plain(pattern), 0);
    }

    /// The last `packets` have not passed after all. What was drawn for them is lost: they will
    /// have other draws.
    pub(crate) fn take_back(&mut self, packets: u64) {
        if let Pattern::Every(period) = self.pattern {
            self.since = (self.since + period - packets % period) % period;
        }
    }

    pub(crate) fn is_never(&self) -> bool {
        self.pattern == Pattern::Never
    }

    pub(crate) fn is_periodic(&self) -> bool {
        matches!(self.pattern, Pattern::Every(_))
    }

    /// True if the pattern hits the packet that passes now.
    pub(crate) fn hits(&mut self) -> bool {
        match self.pattern {
            Pattern::Never => false,
            Pattern::Random(p) => self.draws.chance(p),
            Pattern::Every(period) => {
                self.since = (self.since + 1) % period;
                self.since == 0
            }
        }
    }
}

/// The pattern as it is shortest.
fn plain(pattern: Pattern) -> Pattern {
    match pattern {
        Pattern::Random(p) if p <= 0.0 => Pattern::Never,
        Pattern::Every(0) => Pattern::Never,
        pattern => pattern,
    }
}
