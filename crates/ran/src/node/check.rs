//! Checks of a configuration before its network is built.

mod dual;

use airpath_base::{BearerId, CellId, Duration, UeId};

use crate::Tti;
use crate::air::Link;
use crate::config::{Access, CellConfig, Frequency, HarqConfig, RanConfig, Secondary, UeConfig};
use crate::duplex::Duplex;
use crate::handover::RangeError;
use crate::phy::tables::MAX_RESOURCE_BLOCKS;

/// Most HARQ processes (TS 38.214, 5.1 and 6.1).
const MAX_PROCESSES: u16 = 32;

/// From a PUSCH to its PHICH at least (TS 36.213, table 9.1.2-1).
const PHICH: Duration = Duration::from_millis(4);

/// Reason why a network cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RanError {
    /// There is no cell, or the UE's is not there.
    Cell(Option<UeId>),
    /// Cells of a network whose TTIs are not the same.
    Ttis,
    /// Cells of a network whose duplex is not the same.
    Duplex,
    /// Several cells of a network whose slots are given to a direction by need.
    ByNeed,
    /// Time division duplex in TTIs that are no slots, or LTE's configuration in others than 1 ms.
    TddTti,
    /// A pattern of slots with synchronous HARQ, or LTE's configuration with asynchronous HARQ.
    TddHarq,
    /// LTE's configuration, and uplink blocks that are decoded after their feedback is due.
    TddFeedback,
    /// HARQ processes outside 1 to 32.
    Processes(u16),
    /// Resource blocks outside 1 to 273.
    ResourceBlocks(u16),
    /// A control channel without elements.
    Control(CellId),
    /// A UE without a bearer, or with one that is not its own or that it has twice.
    Bearers(UeId),
    /// A secondary cell that is not behind its primary cell in the list, or whose cell is none.
    Primary(CellId),
    /// A UE of a network that has no channel in a secondary cell.
    SecondaryInNetwork(UeId),
    /// Event A6, and a UE that sends in secondary cells.
    UplinkOfGuest(UeId),
    /// A secondary cell whose feedback does not fit its primary cell's uplink.
    Feedback(CellId),
    /// Cells on several carriers of which one has no carrier, is a secondary cell, or does not follow the one before.
    Frequency(CellId),
    /// A UE of a network with cells on several carriers that has no channel on each.
    Frequencies(UeId),
    /// Cancellation uplink with synchronous HARQ, without grants on request, in a secondary cell, or with grants that come
    /// too late to be decoded.
    Cancellation(CellId),
    /// Two bearers have this TEID.
    Teid(u32),
    /// A value of the handover that is out of its range.
    Handover(RangeError),
    /// Dual connectivity that cannot be, with the reason.
    Dual(&'static str),
    /// A value of dual connectivity that is out of its range.
    DualRange(RangeError),
}

/// True if a network can be built.
pub(super) fn check(config: &RanConfig) -> Result<(), RanError> {
    if config.cells.is_empty() {
        return Err(RanError::Cell(None));
    }
    for cell in &config.cells {
        if !(1..=MAX_RESOURCE_BLOCKS).contains(&cell.resource_blocks) {
            return Err(RanError::ResourceBlocks(cell.resource_blocks));
        }
        check_duplex(cell)?;
    }
    let empty = |cell: &CellConfig| cell.control.elements() == Some(0);
    if let Some(n) = config.cells.iter().position(empty) {
        return Err(RanError::Control(CellId(n as u16)));
    }
    if let Some(n) = config.cells.iter().position(|cell| !can_cancel(cell)) {
        return Err(RanError::Cancellation(CellId(n as u16)));
    }
    check_secondaries(config)?;
    check_frequencies(config)?;
    let in_network = |ue: &UeConfig| matches!(ue.link, Link::Network(_));
    if config.ues.iter().any(in_network) {
        for cells in carriers(config) {
            check_network(&cells)?;
        }
        check_channels(config)?;
    }
    for (ue, id) in config.ues.iter().zip((0..).map(UeId)) {
        if config.cells.get(ue.cell.index()).is_none_or(|cell| cell.secondary.is_some()) {
            return Err(RanError::Cell(Some(id)));
        }
        let own =
            |bearer: &BearerId| config.bearers.get(bearer.index()).is_some_and(|b| b.ue == id);
        let flows = ue.flows.iter().all(|(_, flow)| ue.bearers.contains(&flow.bearer));
        if ue.bearers.is_empty() || !ue.bearers.iter().all(own) || !flows {
            return Err(RanError::Bearers(id));
        }
    }
    if let Some(setup) = &config.handover {
        setup.handover.check().map_err(RanError::Handover)?;
        let sends = |ue: &UeConfig| ue.carriers.iter().any(|own| own.uplink);
        let sends = config.ues.iter().position(sends);
        if let (Some(_), Some(n)) = (&setup.handover.secondary.change, sends) {
            return Err(RanError::UplinkOfGuest(UeId(n as u32)));
        }
    }
    check_owners(config)?;
    dual::check(config)
}

/// True if all cells have a carrier or none has, and each UE has a channel on each.
fn check_frequencies(config: &RanConfig) -> Result<(), RanError> {
    let Some(most) =
        config.cells.iter().filter_map(|cell| cell.frequency).map(|own| own.carrier).max()
    else {
        return Ok(());
    };
    // Cells of a carrier follow each other, and the carriers, too.
    let mut next = Frequency { carrier: 0, position: CellId(0) };
    for (cell, id) in config.cells.iter().zip((0..).map(CellId)) {
        let first = Frequency { carrier: next.carrier + 1, position: CellId(0) };
        let begins = id.index() > 0 && cell.frequency == Some(first);
        if cell.secondary.is_some() || !begins && cell.frequency != Some(next) {
            return Err(RanError::Frequency(id));
        }
        let Frequency { carrier, position } = if begins { first } else { next };
        next = Frequency { carrier, position: CellId(position.0 + 1) };
    }
    let wrong = config.ues.iter().position(|ue| ue.frequencies.len() != usize::from(most) + 1);
    wrong.map_or(Ok(()), |n| Err(RanError::Frequencies(UeId(n as u32))))
}

/// The cells of each carrier: those of each frequency; or first the primary cells, then the first secondary cell of each, and so on.
fn carriers(config: &RanConfig) -> Vec<Vec<&CellConfig>> {
    let mut carriers = vec![Vec::new()];
    let mut before = vec![0; config.cells.len()];
    for cell in &config.cells {
        let carrier = cell.frequency.map_or(0, |own| usize::from(own.carrier));
        let n = cell.secondary.map_or(carrier, |role| {
            before[role.of.index()] += 1;
            before[role.of.index()]
        });
        carriers.resize(carriers.len().max(n + 1), Vec::new());
        carriers[n].push(cell);
    }
    carriers
}

/// True if cells of a carrier can disturb each other.
fn check_network(cells: &[&CellConfig]) -> Result<(), RanError> {
    if cells.windows(2).any(|pair| pair[0].tti != pair[1].tti) {
        return Err(RanError::Ttis);
    }
    // Interference between a cell and a UE that send at the same time is left out.
    if cells.windows(2).any(|pair| pair[0].duplex != pair[1].duplex) {
        return Err(RanError::Duplex);
    }
    let by_need =
        |cell: &&CellConfig| matches!(&cell.duplex, Duplex::Tdd(pattern) if pattern.is_by_need());
    match cells.len() > 1 && cells.iter().any(by_need) {
        true => Err(RanError::ByNeed),
        false => Ok(()),
    }
}

/// True if UEs of a network have a channel in each secondary cell of theirs.
fn check_channels(config: &RanConfig) -> Result<(), RanError> {
    for (ue, id) in config.ues.iter().zip((0..).map(UeId)) {
        // With handover any cell may serve the UE.
        let serves = |role: Secondary| role.of == ue.cell || config.handover.is_some();
        let of_cells = config.cells.iter().filter_map(|cell| cell.secondary);
        let mut counts = vec![0; config.cells.len()];
        of_cells.filter(|role| serves(*role)).for_each(|role| counts[role.of.index()] += 1);
        let count = counts.into_iter().max().unwrap_or(0);
        let with_channel = |n: usize| ue.carriers.get(n).is_some_and(|own| own.channel.is_some());
        if !(0..count).all(with_channel) {
            return Err(RanError::SecondaryInNetwork(id));
        }
    }
    Ok(())
}

/// True if each bearer is in the list of its UE once.
fn check_owners(config: &RanConfig) -> Result<(), RanError> {
    for (bearer, id) in config.bearers.iter().zip((0..).map(BearerId)) {
        let owner = config.ues.get(bearer.ue.index());
        let count = owner.map_or(0, |ue| ue.bearers.iter().filter(|own| **own == id).count());
        if count != 1 {
            return Err(RanError::Bearers(bearer.ue));
        }
    }
    Ok(())
}

/// True if secondary cells come behind all primary ones, and their feedback fits the uplink there.
fn check_secondaries(config: &RanConfig) -> Result<(), RanError> {
    let primaries = config.cells.iter().take_while(|cell| cell.secondary.is_none()).count();
    for (cell, id) in config.cells.iter().zip((0..).map(CellId)).skip(primaries) {
        let role = cell.secondary.ok_or(RanError::Primary(id))?;
        let primary =
            config.cells[..primaries].get(role.of.index()).ok_or(RanError::Primary(id))?;
        let fits = match (&primary.duplex, &cell.duplex) {
            (Duplex::Fdd, Duplex::Fdd) => true,
            (Duplex::Fdd, Duplex::Tdd(pattern)) => !pattern.is_lte() && !pattern.is_by_need(),
            (Duplex::Tdd(_), Duplex::Fdd) => false,
            (Duplex::Tdd(own), Duplex::Tdd(pattern)) => {
                own == pattern && primary.tti == cell.tti && !pattern.is_by_need()
            }
        };
        if !fits {
            return Err(RanError::Feedback(id));
        }
    }
    Ok(())
}

/// True if a cell has no uplink cancellation, or its conditions.
fn can_cancel(cell: &CellConfig) -> bool {
    let Some(own) = cell.uplink.cancellation else { return true };
    let on_request =
        matches!(cell.uplink.access, Access::SchedulingRequest { .. } | Access::Reported { .. });
    let decoded = cell.timing.grant_transmission + cell.timing.grant_decoding;
    on_request
        && matches!(cell.harq, HarqConfig::Asynchronous { .. })
        && cell.secondary.is_none()
        && own.grant_to_transmission >= decoded
}

fn check_duplex(cell: &CellConfig) -> Result<(), RanError> {
    match (cell.harq, &cell.duplex) {
        (HarqConfig::Asynchronous { processes }, _)
            if !(1..=MAX_PROCESSES).contains(&processes) =>
        {
            Err(RanError::Processes(processes))
        }
        (harq, Duplex::Tdd(pattern)) if pattern.is_lte() != (harq == HarqConfig::Synchronous) => {
            Err(RanError::TddHarq)
        }
        (_, Duplex::Tdd(pattern)) if pattern.is_lte() && cell.tti != Tti::LTE => {
            Err(RanError::TddTti)
        }
        (_, Duplex::Tdd(_)) if !cell.tti.divides_slot() => Err(RanError::TddTti),
        (_, Duplex::Tdd(pattern))
            if pattern.is_lte()
                && cell.timing.uplink_transmission + cell.timing.uplink_processing > PHICH =>
        {
            Err(RanError::TddFeedback)
        }
        _ => Ok(()),
    }
}

impl std::fmt::Display for RanError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RanError::Ttis => write!(f, "cells of a network have TTIs that differ"),
            RanError::ByNeed => {
                write!(f, "slots that are given by need, and cells that would disturb each other")
            }
            RanError::Duplex => write!(f, "cells of a network have duplexes that differ"),
            RanError::TddTti => write!(
                f,
                "time division duplex with a TTI that divides no slot, or LTE's with another than 1 ms"
            ),
            RanError::TddHarq => write!(
                f,
                "a pattern of slots with synchronous HARQ, or LTE's configuration without it"
            ),
            RanError::TddFeedback => {
                write!(
                    f,
                    "uplink blocks are decoded later than 4 ms after they began, too late for PHICH"
                )
            }
            RanError::Processes(n) => {
                write!(f, "{n} HARQ processes, where 1 to {MAX_PROCESSES} can be")
            }
            RanError::Cell(None) => write!(f, "no cell"),
            RanError::Cell(Some(ue)) => write!(f, "{ue} is in a cell that is not there"),
            RanError::ResourceBlocks(n) => {
                write!(f, "{n} resource blocks, where 1 to {MAX_RESOURCE_BLOCKS} can be")
            }
            RanError::Control(cell) => write!(f, "{cell} has no control channel elements"),
            RanError::Bearers(ue) => write!(
                f,
                "{ue} has no bearer, one of another UE, or one twice or not at all in its list"
            ),
            RanError::Primary(cell) => {
                write!(f, "{cell} is a secondary cell that is not behind its primary cell")
            }
            RanError::SecondaryInNetwork(ue) => {
                write!(f, "{ue} of a network has no channel in a secondary cell")
            }
            RanError::UplinkOfGuest(ue) => {
                write!(f, "event A6, and {ue} sends in secondary cells")
            }
            RanError::Feedback(cell) => {
                write!(f, "{cell} has feedback that its primary cell's uplink has no slot for")
            }
            RanError::Frequency(cell) => {
                write!(f, "{cell} has no carrier or position beside cells on several carriers")
            }
            RanError::Frequencies(ue) => write!(f, "{ue} has no channel on each carrier"),
            RanError::Cancellation(cell) => write!(
                f,
                "{cell} has uplink cancellation without asynchronous HARQ, grants on request or time to decode a grant"
            ),
            RanError::Teid(teid) => write!(f, "two bearers with TEID {teid}"),
            RanError::Handover(error) => write!(f, "handover: {error}"),
            RanError::Dual(reason) => write!(f, "dual connectivity: {reason}"),
            RanError::DualRange(error) => write!(f, "dual connectivity: {error}"),
        }
    }
}

impl std::error::Error for RanError {}
