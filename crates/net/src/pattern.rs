//! Patterns of packets: at random, or one of each so many.

/// Pattern of the packets that are hit, of those that pass.
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
