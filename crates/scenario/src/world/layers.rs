//! Facts of the radio's layers for a capture: logical channels, modes, intervals.

use core::ops::RangeInclusive;

use airpath_base::Duration;
use airpath_wire::radio::{RadioType, RlcMode, rlc_lte, rlc_nr};

use super::bearers::Bearers;
use crate::file::{self, Bearer, Cell, Duplex, Flow, Scenario};
use crate::interval::Interval;

/// The layers of a radio access network.
#[derive(Clone, Debug)]
pub struct LayerFacts {
    /// True if its user plane is that of NR.
    pub is_nr: bool,
    /// Duplex mode of its carriers.
    pub radio: RadioType,
    /// Length of a TTI in nanoseconds, as a fraction.
    pub tti: (u64, u64),
    /// Length of a slot.
    pub slot: Duration,
    /// True if MAC headers take room in transport blocks.
    pub mac_header: bool,
    /// The least MCS downlink with 256QAM, of LTE.
    pub first_256qam: Option<u8>,
    /// By [`BearerId`](airpath_base::BearerId).
    pub bearers: Vec<BearerLayerFacts>,
    /// Logical channel of full buffers.
    pub full_buffer: u8,
}

/// The layers of a bearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BearerLayerFacts {
    /// Logical channel.
    pub lcid: u8,
    /// RLC.
    pub rlc: RlcMode,
    /// Bits of PDCP's sequence number.
    pub pdcp_sn: u8,
    /// True if there is SDAP.
    pub sdap: bool,
}

/// Symbols of a slot (TS 38.211, table 4.3.2-1).
const SYMBOLS: u64 = 14;
const SUBFRAME: Duration = Duration::from_millis(1);

impl LayerFacts {
    /// Those of a scenario; none where logical channels do not suffice.
    pub(super) fn of(
        (scenario, cell): (&Scenario, &Cell),
        bearers: &Bearers,
    ) -> Option<LayerFacts> {
        let channels = LogicalChannels::of(scenario)?;
        let is_nr = scenario.has_user_plane_of_nr();
        let one = |entry: usize| {
            let bearer = &scenario.bearer[entry];
            BearerLayerFacts {
                lcid: channels.lcids[entry],
                rlc: mode(bearer, is_nr),
                pdcp_sn: bearer.pdcp_sn,
                sdap: !bearer.qos_flow.is_empty(),
            }
        };
        let (tti, slot) = match cell.tti {
            Interval::Time(time) => ((time.as_nanos(), 1), time.min(SUBFRAME)),
            Interval::Nr { mu, symbols } => {
                let slot = Duration::from_nanos(SUBFRAME.as_nanos() >> mu);
                ((slot.as_nanos() * u64::from(symbols), SYMBOLS), slot)
            }
        };
        Some(LayerFacts {
            is_nr,
            radio: if cell.duplex == Duplex::Tdd { RadioType::Tdd } else { RadioType::Fdd },
            tti,
            slot,
            mac_header: cell.mac_header,
            first_256qam: cell.first_256qam(),
            bearers: bearers.facts.iter().map(|facts| one(facts.entry)).collect(),
            full_buffer: channels.full_buffer,
        })
    }
}

/// Identities of logical channels. One has the same mode of RLC for all UEs, since a reader of a
/// capture is configured once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogicalChannels {
    /// By bearer of the file.
    lcids: Vec<u8>,
    full_buffer: u8,
}

impl LogicalChannels {
    /// Those of data radio bearers (TS 36.321, table 6.2.1-1: behind signalling bearers; TS
    /// 38.321, table 6.2.1-1).
    pub fn range(is_nr: bool) -> RangeInclusive<u8> {
        if is_nr { 4..=32 } else { 3..=10 }
    }

    /// For the bearers of a resolved scenario, the least that are free; none if they do not
    /// suffice.
    pub fn of(scenario: &Scenario) -> Option<LogicalChannels> {
        let is_nr = scenario.has_user_plane_of_nr();
        let ues = scenario.ues().count();
        let mut used: Vec<(u8, RlcMode, Vec<bool>)> = Vec::new();
        let mut lcids = Vec::new();
        for bearer in &scenario.bearer {
            let members = scenario.members(&bearer.ue, bearer.only.as_ref());
            let mode = mode(bearer, is_nr);
            let fits = |taken: &[bool]| members.iter().all(|ue| !taken[*ue]);
            let shared = used.iter().position(|(_, other, taken)| *other == mode && fits(taken));
            let n = match shared {
                Some(n) => n,
                None => {
                    let free = Self::range(is_nr).find(|id| used.iter().all(|one| one.0 != *id))?;
                    used.push((free, mode, vec![false; ues]));
                    used.len() - 1
                }
            };
            members.iter().for_each(|ue| used[n].2[*ue] = true);
            lcids.push(used[n].0);
        }
        let last = Self::range(is_nr).rev().find(|id| used.iter().all(|one| one.0 != *id));
        let needed = scenario.flow.iter().any(Flow::is_full_buffer);
        let full_buffer = last.or_else(|| (!needed).then_some(*Self::range(is_nr).end()))?;
        Some(LogicalChannels { lcids, full_buffer })
    }
}

/// The mode of a resolved bearer.
fn mode(bearer: &Bearer, is_nr: bool) -> RlcMode {
    let um = bearer.rlc == Some(file::RlcMode::Um);
    match (is_nr, um, bearer.rlc_sn) {
        (false, true, Some(5)) => RlcMode::Lte(rlc_lte::Mode::Um5),
        (false, true, _) => RlcMode::Lte(rlc_lte::Mode::Um10),
        (false, false, _) => RlcMode::Lte(rlc_lte::Mode::Am),
        (true, true, Some(6)) => RlcMode::Nr(rlc_nr::Mode::Um6),
        (true, true, _) => RlcMode::Nr(rlc_nr::Mode::Um12),
        (true, false, Some(18)) => RlcMode::Nr(rlc_nr::Mode::Am18),
        (true, false, _) => RlcMode::Nr(rlc_nr::Mode::Am12),
    }
}
