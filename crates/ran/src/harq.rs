//! HARQ of a UE in one direction: its processes and what each of them holds (TS 36.321,
//! 5.3.2 downlink, 5.4.2 uplink).
//!
//! A process holds a transport block from its first transmission until it is decoded or
//! given up, also while it waits to be sent again. A UE sends or is sent blocks of one process in a
//! TTI, each a retransmission or a new one. LTE's processes downlink hold two with several layers, each
//! with state and new-data indicator of its own (TS 36.321, 5.3.2.1): they have two entities of this kind.
//!
//! - **Downlink is asynchronous**: a new block takes any free process, and a block that
//!   failed is sent again in any TTI from a round trip after its last transmission on.
//! - **Uplink is synchronous** in LTE: the TTI on the air decides the process, its number among
//!   those that carry data uplink modulo the number of processes. A block is sent again whole
//!   numbers of round trips after its last transmission and needs no grant.
//! - **In NR it is asynchronous** too (TS 38.321, 5.4.2): a new block takes any free process, and
//!   a block that failed is granted again. The cell needs no feedback of its own decoding.
//!
//! Feedback of a synchronous uplink may come after the decision about the grant for the process's
//! next TTI. The cell then grants as if the block had been decoded. If it was not, its
//! retransmission takes the TTI and the grant is void.
//!
//! Left out: redundancy versions one by one ([`Combining`](crate::Combining)), errors of feedback,
//! and adaptive retransmissions of a synchronous uplink. NR's rule that the TTI
//! decides the process of a configured grant (TS 38.321, 5.4.1) is left out, too.

use crate::mac::ResourceBlocks;
use crate::rates::Scheme;

/// State of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It holds no block.
    Idle,
    /// It holds the block with this key, which is on its way; its feedback is to come.
    OnAir(u32),
    /// It holds the block with this key, which failed and waits to be sent again.
    Waiting(u32),
}

/// A grant for a TTI uplink that the UE has not filled yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outstanding {
    /// The TTI on the air.
    pub tti: u64,
    /// Resource blocks.
    pub blocks: ResourceBlocks,
    /// Granted scheme.
    pub scheme: Scheme,
}

/// The processes of a UE uplink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UplinkProcesses {
    /// So many, and the TTI decides which.
    Synchronous(u64),
    /// So many, and any may be used.
    Asynchronous(u16),
}

/// The processes of a UE that a TTI uplink may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfTti {
    /// This one.
    One(u16),
    /// Any of so many.
    Any(u16),
}

/// A HARQ process.
#[derive(Clone, Copy, Debug)]
struct Process {
    state: State,
    /// New-data indicator: toggled with each new block.
    new_data: bool,
    /// TTI on the air of its last transmission.
    sent: Option<u64>,
}

/// The processes of a UE in one direction; those that were never used take no room.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entity {
    processes: Vec<Process>,
    /// Uplink, what each of them has been granted. They are larger than processes, which are
    /// looked at more often.
    grants: Vec<Option<Outstanding>>,
    /// The last TTI on the air in which a block is sent.
    last: Option<u64>,
}

impl Process {
    const NEW: Process = Process { state: State::Idle, new_data: false, sent: None };

    fn begin(&mut self, tti: u64, key: u32) -> bool {
        self.new_data = !self.new_data;
        (self.state, self.sent) = (State::OnAir(key), Some(tti));
        self.new_data
    }
}

impl Entity {
    /// Downlink process for a new block in TTI `tti` on the air, of so many processes. `is_free` is
    /// true if a process that was last used in a TTI is free by then. None if all are busy, or if a
    /// block is sent in that TTI already.
    #[inline]
    pub fn free_process(
        &self,
        tti: u64,
        processes: u64,
        is_free: impl Fn(u64) -> bool,
    ) -> Option<u16> {
        if self.sends(tti) {
            return None;
        }
        let free =
            |process: &Process| process.state == State::Idle && process.sent.is_none_or(&is_free);
        let found = self.processes.iter().position(free).unwrap_or(self.processes.len());
        (found < processes as usize).then_some(found as u16)
    }

    /// Downlink process for new blocks, as [`free_process`](Entity::free_process) gives it, that is free in
    /// another entity too: the other holds the second blocks of these processes.
    pub fn free_process_beside(
        &self,
        second: &Entity,
        (tti, processes): (u64, u64),
        is_free: impl Fn(u64) -> bool,
    ) -> Option<u16> {
        if self.sends(tti) || second.sends(tti) {
            return None;
        }
        let free = |entity: &Entity, n: usize| {
            let process = entity.processes.get(n);
            process.is_none_or(|one| one.state == State::Idle && one.sent.is_none_or(&is_free))
        };
        let both = |n: &usize| free(self, *n) && free(second, *n);
        (0..processes as usize).find(both).map(|n| n as u16)
    }

    /// True if no process was used yet.
    pub fn is_unused(&self) -> bool {
        self.processes.is_empty()
    }

    /// The block that a process holds and that waits to be sent again.
    pub fn waiting(&self, process: u16) -> Option<u32> {
        match self.processes.get(usize::from(process))?.state {
            State::Waiting(key) => Some(key),
            State::Idle | State::OnAir(_) => None,
        }
    }

    /// True if a process holds no block.
    pub fn is_idle(&self, process: u16) -> bool {
        self.holds_nothing(process)
    }

    /// True if a block is sent in TTI `tti`; of the past only the last one counts.
    #[inline]
    pub fn sends(&self, tti: u64) -> bool {
        self.last == Some(tti)
    }

    /// Uplink: the process for a new block in TTI `tti`. None if that has been granted or used,
    /// or if the process, or each of them, holds a block that is to be sent again.
    #[inline]
    pub fn uplink_process(&self, tti: u64, processes: OfTti) -> Option<u16> {
        match processes {
            OfTti::One(number) => {
                let process = self.processes.get(usize::from(number));
                let free = process.is_none_or(|process| {
                    process.sent != Some(tti) && !matches!(process.state, State::Waiting(_))
                });
                let granted = self.granted(number.into()).is_some_and(|grant| grant.tti == tti);
                (free && !granted).then_some(number)
            }
            OfTti::Any(count) => self.any_uplink_process(tti, count),
        }
    }

    fn any_uplink_process(&self, tti: u64, count: u16) -> Option<u16> {
        if self.uses(tti) {
            return None;
        }
        let idle = |n: usize| self.processes.get(n).is_none_or(|one| one.state == State::Idle);
        let free = |n: &usize| idle(*n) && self.granted(*n).is_none();
        (0..usize::from(count)).find(free).map(|n| n as u16)
    }

    /// Uplink: true if TTI `tti` has been used or granted.
    pub fn uses(&self, tti: u64) -> bool {
        let sends = self.processes.iter().any(|process| process.sent == Some(tti));
        sends || self.grants.iter().flatten().any(|grant| grant.tti == tti)
    }

    /// Uplink: the grant for TTI `tti`, if it has not been used.
    pub fn grant_for(&self, tti: u64) -> Option<&Outstanding> {
        self.grants.iter().flatten().find(|grant| grant.tti == tti)
    }

    /// Uplink: the block that is sent in TTI `tti` and has not been decoded.
    pub fn sent_in(&self, tti: u64) -> Option<u32> {
        let mut own = self.processes.iter().filter(|process| process.sent == Some(tti));
        own.find_map(|process| match process.state {
            State::OnAir(key) => Some(key),
            State::Idle | State::Waiting(_) => None,
        })
    }

    fn granted(&self, process: usize) -> Option<&Outstanding> {
        self.grants.get(process)?.as_ref()
    }

    /// Uplink: TTI `grant.tti` is granted for a new block of this process.
    pub fn grant(&mut self, process: u16, grant: Outstanding) {
        let n = usize::from(process);
        if n >= self.grants.len() {
            self.grants.resize(n + 1, None);
        }
        self.grants[n] = Some(grant);
    }

    /// Uplink: takes the grant for TTI `tti`, if it has not become void, and gives its process.
    pub fn take_grant(&mut self, tti: u64) -> Option<(u16, Outstanding)> {
        let mut all = (0..).zip(&mut self.grants);
        all.find_map(|(number, grant)| Some((number, grant.take_if(|grant| grant.tti == tti)?)))
    }

    /// Uplink: no grant counts any more.
    pub fn withdraw_grants(&mut self) {
        self.grants.clear();
    }

    /// Uplink: no grant counts any more. Gives those that there were.
    pub fn take_grants(&mut self) -> Vec<Outstanding> {
        self.grants.drain(..).flatten().collect()
    }

    /// A process begins with a new block, in TTI `tti`; gives its new-data indicator.
    #[inline]
    pub fn begin(&mut self, process: u16, tti: u64, key: u32) -> bool {
        debug_assert!(self.holds_nothing(process), "process {process} has a block");
        self.last = Some(tti);
        self.process_mut(process).begin(tti, key)
    }

    /// A process sends its block again, in TTI `tti`.
    pub fn resend(&mut self, process: u16, tti: u64, key: u32) {
        self.last = Some(tti);
        let process = self.process_mut(process);
        (process.state, process.sent) = (State::OnAir(key), Some(tti));
    }

    /// Feedback: the block failed and will be sent again.
    pub fn wait(&mut self, process: u16, key: u32) {
        self.process_mut(process).state = State::Waiting(key);
    }

    /// Feedback: the block was decoded, or is given up.
    #[inline]
    pub fn end(&mut self, process: u16) {
        self.process_mut(process).state = State::Idle;
    }

    fn holds_nothing(&self, process: u16) -> bool {
        let process = self.processes.get(usize::from(process));
        process.is_none_or(|process| process.state == State::Idle)
    }

    #[inline]
    fn process_mut(&mut self, process: u16) -> &mut Process {
        let n = usize::from(process);
        if n >= self.processes.len() {
            self.processes.resize(n + 1, Process::NEW);
        }
        &mut self.processes[n]
    }
}

#[cfg(test)]
#[path = "harq_tests.rs"]
mod tests;
