//! Which packets something happens to: at random, or each so many.

use airpath_base::random::Stream;

/// Which of the packets that pass are hit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pattern {
    /// None.
    #[default]
    Never,
    /// Each with this probability, 0 to 1, whatever became of those before.
    Random(f64),
    /// The last of each so many: with 3 the third, the sixth and so on. Zero is never.
    Every(u64),
}

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
        let pattern = match pattern {
            Pattern::Random(p) if p <= 0.0 => Pattern::Never,
            Pattern::Every(0) => Pattern::Never,
            pattern => pattern,
        };
        Sampler { pattern, draws, since: 0 }
    }

    pub(crate) fn is_never(&self) -> bool {
        self.pattern == Pattern::Never
    }

    pub(crate) fn is_periodic(&self) -> bool {
        matches!(self.pattern, Pattern::Every(_))
    }

    /// Whether the packet that passes now is hit.
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
