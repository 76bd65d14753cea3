//! Indices of a UE in its cell and of a bearer in its UE.
//!
//! [`UeId`](airpath_base::UeId) and [`BearerId`](airpath_base::BearerId) name a UE and a bearer in
//! the whole network. A cell counts its own from zero. So the state of a UE is one step away, and
//! nothing in a cell leads to another cell.

/// Index of a UE in its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UeIndex(u32);

/// Index of a bearer in its UE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BearerIndex(u16);

/// A QoS flow of a UE: its bearer, and its number within the bearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlowIndex {
    pub bearer: BearerIndex,
    /// 0 for packets that are of no other flow of the bearer.
    pub number: u16,
}

impl UeIndex {
    /// The `n`th UE of a cell, from 0.
    pub const fn new(n: usize) -> UeIndex {
        UeIndex(n as u32)
    }

    /// The UEs of a cell with so many.
    pub fn all(count: usize) -> impl Iterator<Item = UeIndex> {
        (0..count).map(UeIndex::new)
    }

    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl BearerIndex {
    /// The `n`th bearer of a UE, from 0: the default bearer.
    pub const fn new(n: usize) -> BearerIndex {
        BearerIndex(n as u16)
    }

    /// The bearers of a UE with so many.
    pub fn all(count: usize) -> impl Iterator<Item = BearerIndex> {
        (0..count).map(BearerIndex::new)
    }

    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
