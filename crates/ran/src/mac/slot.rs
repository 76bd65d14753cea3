//! Input of a scheduler for a slot, and its answer.

use airpath_base::{BitRate, Duration, Time, UeId};

use super::{MeanRates, ResourceBlocks, TrafficClass, TrafficClasses, group_size};
use crate::index::UeIndex;
use crate::rates::Scheme;

/// A slot that is to be decided: who has something, and what it would get. More may be added
/// to it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Slot<'a> {
    /// The number of the TTI in which it is decided, from zero; TTIs in which nothing could
    /// be sent may be missing.
    pub tti: u64,
    /// Duration of a TTI.
    pub tti_length: Duration,
    /// Resource blocks of the carrier.
    pub carrier: u16,
    /// The UEs that have something, in their order.
    pub candidates: &'a [Candidate<'a>],
    pub(crate) means: &'a MeanRates,
    /// Group rates of the UEs of the cell by their indices, or none; see
    /// [`group_rates`](Slot::group_rates).
    pub(crate) group_rates: &'a [f32],
    /// Reports that are made when a scheduler tries a UE; none if all are there.
    pub(crate) trials: Option<&'a dyn Trials>,
}

/// Reports on the links of candidates, each made when a scheduler tries its UE. Until then the
/// candidate's link is that of the last report.
pub(crate) trait Trials {
    /// Calls `act` with the candidate by its present report, and its rates as
    /// [`group_rates`](Slot::group_rates) has them. A UE that the report finds out of range is
    /// passed over.
    fn attempt(&self, candidate: &Candidate<'_>, act: &mut Attempt<'_>) -> Outcome;
}

/// Attempt to grant a candidate something.
pub(crate) type Attempt<'a> = dyn FnMut(&Candidate<'_>, &[f32]) -> Outcome + 'a;

/// Outcome of an attempt to grant a candidate something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It has a grant.
    Granted,
    /// It has none, and another may have one.
    Passed,
    /// There is too little left.
    Full,
}

impl std::fmt::Debug for dyn Trials + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Trials")
    }
}

impl Slot<'_> {
    /// Tries to grant the `n`th candidate something, by its present report.
    #[inline]
    pub(crate) fn attempt(&self, n: usize, act: &mut Attempt<'_>) -> Outcome {
        match self.trials {
            Some(trials) => trials.attempt(&self.candidates[n], act),
            None => act(&self.candidates[n], self.group_rates(n)),
        }
    }

    /// Bits a symbol that the `n`th candidate would get in each group of resource blocks of
    /// the carrier ([`group_size`](super::group_size)); empty where they are all alike.
    #[inline]
    pub fn group_rates(&self, n: usize) -> &[f32] {
        if self.group_rates.is_empty() {
            return &[];
        }
        let groups = usize::from(self.carrier.div_ceil(group_size(self.carrier)));
        &self.group_rates[self.candidates[n].index.index() * groups..][..groups]
    }

    /// Mean rate of a candidate in bytes a TTI.
    pub fn mean_rate(&self, candidate: &Candidate<'_>) -> f64 {
        self.means.of(candidate.index)
    }

    /// Mean rate of a candidate times a factor that all candidates share.
    pub(crate) fn relative_mean_rate(&self, candidate: &Candidate<'_>) -> f64 {
        self.means.relative(candidate.index)
    }
}

/// A UE that has something to send or to be sent in this slot. More may be added to it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Candidate<'a> {
    /// UE.
    pub ue: UeId,
    /// Bytes that a transport block would need to carry all of it.
    pub wanted: u32,
    /// Time that its oldest packet has waited; zero uplink, where the cell cannot know.
    pub head_of_line: Duration,
    /// Time until the first of its packets or PDU sets with a deadline is late; zero if it is, none without deadlines.
    pub remaining: Option<Duration>,
    /// Least logical channel priority value with data; lower goes first. Uplink 255.
    pub priority: u8,
    /// Classes of traffic of which something waits; uplink none, where the cell cannot know.
    pub traffic: TrafficClasses,
    /// Guaranteed bit rates of the bearers with something that waits, together; zero uplink.
    pub guaranteed: BitRate,
    /// Bytes of a transport block of n resource blocks at its present MCS and layers, at n.
    pub bytes: &'a [u32],
    /// Layers of its transport blocks: its rank by the last report.
    pub layers: u8,
    /// The most resource blocks that bring it more: uplink its power may not suffice for all
    /// (power headroom; TS 36.321 and TS 38.321, 5.4.6).
    pub most: u16,
    /// Control channel elements that its grant takes (TS 36.213, 9.1.1): 1, 2, 4 or 8, in NR
    /// also 16.
    pub control_elements: u8,
    /// Its index in the cell.
    pub(crate) index: UeIndex,
    pub(crate) buffers: Buffers<'a>,
}

/// Source of the bytes of a candidate by class, for schedulers that need them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Buffers<'a> {
    /// In the cell, by logical channel.
    Downlink { classes: &'a [WaitingClass], now: Time },
    /// In the UE's reports, by group of logical channels.
    Uplink(&'a [u32]),
}

/// Waiting data of a logical channel in the cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WaitingClass {
    pub group: u8,
    pub priority: u8,
    pub traffic: TrafficClass,
    pub bytes: u32,
    /// Begin of the wait of the oldest packet.
    pub since: Option<Time>,
}

/// Waiting data of a logical channel, or of a group of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Class {
    /// Group of logical channels, 0 to 7; with LTE 0 to 3.
    pub group: u8,
    /// Priority of the logical channel; none uplink, where reports are by group.
    pub priority: Option<u8>,
    /// Class of traffic of the logical channel; likewise.
    pub traffic: Option<TrafficClass>,
    /// Bytes that wait.
    pub bytes: u32,
    /// Wait of the oldest packet; zero uplink.
    pub waited: Duration,
}

impl<'a> Candidate<'a> {
    /// The fewest resource blocks, in whole groups, that carry what is wanted, and
    /// at most `most`.
    pub fn needed(&self, group: u16, most: u16) -> u16 {
        let most = most.min(self.most);
        let mut n = group.min(most);
        while n < most && self.bytes[usize::from(n)] < self.wanted {
            n = (n + group).min(most);
        }
        n
    }

    /// Wait of the oldest packet of these classes; none if no packet of them waits.
    pub fn waited(&self, of: TrafficClasses) -> Option<Duration> {
        if !of.intersects(self.traffic) {
            return None;
        }
        if of.contains_all(self.traffic) {
            return Some(self.head_of_line); // no bearer has to be searched
        }
        let own = self.classes().filter(|class| class.traffic.is_some_and(|t| of.contains(t)));
        own.map(|class| class.waited).max()
    }

    /// Waiting data by logical channel downlink, by the groups of buffer status reports uplink.
    pub fn classes(&self) -> impl Iterator<Item = Class> + use<'a> {
        let (down, up) = match self.buffers {
            Buffers::Downlink { classes, now } => (Some((classes, now)), None),
            Buffers::Uplink(groups) => (None, Some(groups)),
        };
        let down = down.into_iter().flat_map(|(classes, now)| {
            classes.iter().map(move |class| Class {
                group: class.group,
                priority: Some(class.priority),
                traffic: Some(class.traffic),
                bytes: class.bytes,
                waited: class.since.map_or(Duration::ZERO, |since| now.saturating_since(since)),
            })
        });
        let up = up.into_iter().flat_map(|groups| {
            (0..).zip(groups).map(|(group, &bytes)| Class {
                group,
                priority: None,
                traffic: None,
                bytes,
                waited: Duration::ZERO,
            })
        });
        down.chain(up).filter(|class| class.bytes > 0)
    }
}

/// The room of a list of candidates that are no longer needed, for others.
pub(crate) fn reuse<'b>(candidates: Vec<Candidate<'_>>) -> Vec<Candidate<'b>> {
    // The standard library collects in the same allocation; a lifetime needs no new memory.
    candidates.into_iter().map_while(|_| None).collect()
}

/// Grant of a UE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// UE.
    pub ue: UeId,
    /// Its index in the cell.
    pub(crate) index: UeIndex,
    /// Its resource blocks; at least one.
    pub blocks: ResourceBlocks,
    /// Scheme that the cell chooses for them.
    pub(crate) scheme: Scheme,
}

/// Resource blocks that a UE may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Any.
    Blocks,
    /// Whole groups of so many, the last of the carrier perhaps smaller (TS 36.213, 7.1.6.1;
    /// TS 38.214, 5.1.2.2.1).
    Groups(u16),
    /// Side by side (TS 36.213, 8.1.1; TS 38.214, 6.1.2.2.2).
    Contiguous,
}

/// The grants of a slot, and what is still free in it.
///
/// A candidate gets at most one grant. A scheduler that grants twice, or what is not free,
/// ends the run with a panic that says so.
#[derive(Debug)]
pub struct Grants {
    placement: Placement,
    carrier: u16,
    /// Resource blocks that can still be granted; with groups, whole ones only.
    free: ResourceBlocks,
    list: Vec<Grant>,
    /// Control channel elements that are left; none without a limit.
    elements: Option<u16>,
    /// UEs that were refused for want of elements.
    blocked: Vec<UeId>,
}

impl Grants {
    pub(crate) fn new() -> Grants {
        Grants {
            placement: Placement::Blocks,
            carrier: 0,
            free: ResourceBlocks::EMPTY,
            list: Vec::new(),
            elements: None,
            blocked: Vec::new(),
        }
    }

    /// Begins a slot with these resource blocks free and so many control channel elements.
    pub(crate) fn begin(
        &mut self,
        placement: Placement,
        carrier: u16,
        free: ResourceBlocks,
        elements: Option<u16>,
    ) {
        (self.placement, self.carrier, self.elements) = (placement, carrier, elements);
        self.free = match placement {
            Placement::Groups(group) => free.whole_groups(group, carrier),
            Placement::Blocks | Placement::Contiguous => free,
        };
        self.list.clear();
        self.blocked.clear();
    }

    /// Number of free resource blocks.
    #[inline]
    pub fn free(&self) -> u16 {
        self.free.count()
    }

    /// Free resource blocks.
    pub fn free_blocks(&self) -> ResourceBlocks {
        self.free
    }

    /// Resource blocks that a UE may have.
    pub fn placement(&self) -> Placement {
        self.placement
    }

    /// Number of control channel elements that are left; none without a limit.
    #[inline]
    pub fn elements(&self) -> Option<u16> {
        self.elements
    }

    /// Grants so far, in their order.
    pub fn list(&self) -> &[Grant] {
        &self.list
    }

    pub(crate) fn take_list(&mut self) -> Vec<Grant> {
        std::mem::take(&mut self.list)
    }

    pub(crate) fn return_list(&mut self, list: Vec<Grant>) {
        self.list = list;
    }

    /// Grants a candidate `count` of the free resource blocks, the first ones; with groups, as many
    /// more as fill them. True if the placement and the control channel elements allow the grant.
    /// If not, nothing is granted, and another candidate may still fit.
    ///
    /// # Panics
    ///
    /// If `count` is zero or more than there are free, or if the candidate has a grant.
    #[inline]
    pub fn give(&mut self, candidate: &Candidate<'_>, count: u16) -> bool {
        assert!(count > 0, "the scheduler granted no resource block");
        let free = self.free();
        assert!(count <= free, "the scheduler granted more than {free} resource blocks");
        let Some(blocks) = allocate(self.placement, &self.free, count, self.carrier) else {
            return false;
        };
        self.book(candidate, blocks)
    }

    /// Grants as [`give`](Grants::give) does, by `rates` of the candidate in each group of resource
    /// blocks ([`Slot::group_rates`]). The free blocks of the groups with the highest rates are
    /// granted, the first among equals. Without rates this is [`give`](Grants::give).
    ///
    /// # Panics
    ///
    /// As [`give`](Grants::give), and if there are rates, but not for each group.
    #[inline]
    pub fn give_best(&mut self, candidate: &Candidate<'_>, count: u16, rates: &[f32]) -> bool {
        let any = rates.is_empty() || self.placement == Placement::Contiguous;
        if any || count == 0 || count >= self.free() {
            return self.give(candidate, count);
        }
        self.book(candidate, self.best(count, rates))
    }

    /// The best `count` of the free resource blocks, fewer than all; as many more as fill groups.
    fn best(&self, count: u16, rates: &[f32]) -> ResourceBlocks {
        let width = group_size(self.carrier);
        assert_eq!(rates.len(), usize::from(self.carrier.div_ceil(width)), "rates of all groups");
        let whole = matches!(self.placement, Placement::Groups(_));
        let (mut left, mut tried, mut chosen) = (count, 0u128, ResourceBlocks::EMPTY);
        while left > 0
            && let Some(group) = best_group(rates, tried)
        {
            tried |= 1 << group;
            for n in group * width..(group + 1) * width {
                if (left > 0 || whole) && self.free.contains(n) {
                    chosen.insert(n);
                    left = left.saturating_sub(1);
                }
            }
        }
        chosen
    }

    /// Grants a candidate these resource blocks. Gives whether there were control channel
    /// elements for the grant; if not, nothing is granted.
    ///
    /// # Panics
    ///
    /// If there is none, if they are not all free or not as the placement demands, or if the
    /// candidate has a grant.
    pub fn give_blocks(&mut self, candidate: &Candidate<'_>, blocks: ResourceBlocks) -> bool {
        assert!(!blocks.is_empty(), "the scheduler granted no resource block");
        assert!(self.free.contains_all(&blocks), "the scheduler granted what is not free");
        let placed = match self.placement {
            Placement::Blocks => true,
            Placement::Groups(group) => blocks.whole_groups(group, self.carrier) == blocks,
            Placement::Contiguous => blocks.contiguous(blocks.count()).is_some(),
        };
        assert!(placed, "the scheduler granted {blocks:?}, which is not {:?}", self.placement);
        self.book(candidate, blocks)
    }

    #[inline]
    fn book(&mut self, candidate: &Candidate<'_>, blocks: ResourceBlocks) -> bool {
        let ue = candidate.ue;
        let twice = self.list.iter().any(|grant| grant.ue == ue);
        assert!(!twice, "the scheduler chose {ue} twice");
        if self.lacks_elements(candidate) {
            self.refuse(candidate);
            return false;
        }
        self.elements = self.elements.map(|left| left - u16::from(candidate.control_elements));
        self.free = self.free.without(&blocks);
        self.list.push(Grant { ue, index: candidate.index, blocks, scheme: Scheme::default() });
        true
    }

    /// Gives a candidate resource blocks that others have, too, instead of those that it has, if any. A first grant
    /// takes control channel elements, which the caller has found.
    pub(crate) fn share(&mut self, candidate: &Candidate<'_>, blocks: ResourceBlocks) {
        let (ue, index) = (candidate.ue, candidate.index);
        if let Some(grant) = self.list.iter_mut().find(|grant| grant.ue == ue) {
            grant.blocks = blocks;
            return;
        }
        let left = |left: u16| left.saturating_sub(candidate.control_elements.into());
        self.elements = self.elements.map(left);
        self.list.push(Grant { ue, index, blocks, scheme: Scheme::default() });
    }

    #[inline]
    fn lacks_elements(&self, candidate: &Candidate<'_>) -> bool {
        self.elements.is_some_and(|left| u16::from(candidate.control_elements) > left)
    }

    /// A candidate gets nothing for want of elements.
    #[cold]
    pub(crate) fn refuse(&mut self, candidate: &Candidate<'_>) {
        if !self.blocked.contains(&candidate.ue) {
            self.blocked.push(candidate.ue);
        }
    }

    /// The scheduler has done: while resource blocks are free, candidates without a grant that
    /// lack elements are blocked, tried or not.
    pub(crate) fn block_rest(&mut self, candidates: &[Candidate<'_>]) {
        if self.elements.is_none() || self.free.is_empty() {
            return;
        }
        let refused = self.blocked.len();
        for candidate in candidates {
            let ue = candidate.ue;
            let granted = || self.list.iter().any(|grant| grant.ue == ue);
            let known = || self.blocked[..refused].contains(&ue);
            if self.lacks_elements(candidate) && !granted() && !known() {
                self.blocked.push(ue);
            }
        }
    }

    /// UEs without a grant for want of elements.
    pub(crate) fn blocked(&self) -> &[UeId] {
        &self.blocked
    }
}

/// The group with the highest rate that has not been tried; the first of equals.
#[inline]
fn best_group(rates: &[f32], tried: u128) -> Option<u16> {
    let (mut best, mut most) = (None, f32::NEG_INFINITY);
    for (&rate, group) in rates.iter().zip(0u16..) {
        if rate > most && tried & 1 << group == 0 {
            (best, most) = (Some(group), rate);
        }
    }
    best
}

/// `count` of the free resource blocks as the placement demands, if there are so many.
#[inline]
pub(crate) fn allocate(
    placement: Placement,
    free: &ResourceBlocks,
    count: u16,
    carrier: u16,
) -> Option<ResourceBlocks> {
    match placement {
        Placement::Blocks => Some(free.lowest(count)).filter(|blocks| blocks.count() == count),
        Placement::Groups(group) => free.groups(count, group, carrier),
        Placement::Contiguous => free.contiguous(count),
    }
}

#[cfg(test)]
#[path = "slot_tests.rs"]
mod tests;
