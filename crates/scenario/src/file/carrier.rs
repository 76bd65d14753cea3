//! Further carriers: secondary cells of carrier aggregation, or cells of their own.

use airpath_base::{Bytes, Db, Duration};
use airpath_schema::units::{Hertz, Timer};
use airpath_schema::{Field, above_to, between, choice, one_of, record};

use super::{Cell, Duplex, HandoverEvent, Network, RadioTechnology, SpecialSlot, Uplink};
use crate::interval::Interval;
use crate::resolve;
use crate::resolve_cell::usual_reference;

record! {
    /// A further carrier. By default it is one of all UEs of the cell, as a secondary cell (TS 36.300, 7.5; TS
    /// 38.300, 6.7). With role = "cells" a network has further cells on it. It is as `cell` says but for the keys here. In a
    /// network each cell has it, with the channel at its frequency.
    pub struct Carrier {
        /// Name, for results.
        name: String;
        /// Frequency of its middle downlink.
        frequency: Hertz => between(Hertz(100_000_000), Hertz(100_000_000_000));
        /// Use of the carrier, the same for all but legs. Default: "secondary".
        role: Option<CarrierRole>;
        /// With role = "cells", an offset that is added to what UEs measure of its cells. It counts in the choice of their
        /// first cell, in events and in reselection. It is Ofn of TS 36.331 and TS 38.331, 5.5.4, and Qoffset of TS 36.304 and TS
        /// 38.304, 5.2.4.6, with the other sign. Default: 0 dB, that of `network.carrier`.
        offset: Option<Db> => between(Db(-24.0), Db(24.0));
        /// With role = "cells", the event of the measurement reports by which UEs come to its cells from another carrier.
        /// Default: `network.handover.inter_frequency.event`.
        event: Option<HandoverEvent>;
        /// UEs send on it too, as many as `ue.uplink_carriers` allows. Feedback and requests still go
        /// in the cell itself. Default: false, downlink alone.
        uplink: bool = false;
        /// With uplink and duplex = "fdd", the frequency of its middle uplink. Default: the pair of
        /// `frequency` in its band (TS 36.101, 5.7.4; TS 38.101-1, 5.4.4). The loss uplink is that of
        /// this frequency, in a network too.
        frequency_up: Option<Hertz> => between(Hertz(100_000_000), Hertz(100_000_000_000));
        /// Resource blocks of LTE's channel bandwidth, as those of `cell`. Default: those of `cell`.
        resource_blocks: Option<u32> => one_of(&[6, 15, 25, 50, 75, 100]);
        /// Channel bandwidth instead of `resource_blocks`, as that of `cell`. Default: that of
        /// `cell`.
        bandwidth: Option<Hertz>;
        /// Numerology of NR; its interval is a slot. Default: that of `cell`.
        numerology: Option<u8> => between(0, 3);
        /// Duplex mode. Default: that of `cell`.
        duplex: Option<Duplex>;
        /// With duplex = "tdd", its pattern of slots. Default: that of `cell`.
        tdd_pattern: Option<String>;
        /// Symbols of the special slots of this `tdd_pattern`.
        special_slot: Option<SpecialSlot>;
        /// SNR of each UE here less its SNR in `cell`, in both directions. For UEs with a distance it is
        /// beside what follows from frequency and bandwidth. Default: 0 dB.
        snr_offset: Db = Db(0.0) => between(Db(-100.0), Db(100.0));
        /// Condition under which it carries data of a UE. Default: "traffic".
        activation: CarrierActivation = CarrierActivation::Traffic;
        /// With activation = "traffic", bytes that wait for a UE downlink from which on it is
        /// activated. With `uplink`, bytes that the UE has reported count likewise. The last level of a
        /// buffer status report counts with its lower end, 150 kB with LTE. Default: 20 kB, a
        /// choice of this model: two full intervals of 20 MHz.
        activation_threshold: Bytes = Bytes(20_000);
        /// With activation = "traffic", from the decision to activate it to the first decision that
        /// may use it. With activation = "always" beside `network.handover`, it begins with each handover. The default is the longest that a standard allows for a cell that the UE has
        /// measured. With LTE it is 24 ms (TS 36.133, 7.7.2). With NR it is the sum of
        /// `timing.data_to_feedback`, 20 ms to synchronisation signals, 5 ms, `cqi_period` and `cqi_delay`.
        /// That is TS 38.133, 8.3.2, in frequency range 1 with SMTC each 20 ms.
        activation_delay: Option<Duration> => above_to(Duration::ZERO, Duration::from_secs(10));
        /// With activation = "traffic", time after the last assignment or grant on it after which it is
        /// deactivated for a UE: `sCellDeactivationTimer` (TS 36.321, 5.13; TS 38.321, 5.9).
        /// Default: 320 ms, of the 20 to 1280 ms of TS 36.331, 6.3.2; a choice of this model.
        deactivation_timer: Timer = Timer::After(Duration::from_millis(320))
            => above_to(Duration::ZERO, Duration::from_secs(10));
    }
}

choice! {
    /// Use of a further carrier.
    pub enum CarrierRole {
        /// Carrier aggregation: a secondary cell of all UEs of a cell.
        Secondary = "secondary",
        /// Cells of its own: beside each cell of the network there is one on this carrier. A UE is served by one cell, on
        /// one carrier, in both directions.
        Cells = "cells",
        /// Cells of NR that serve a UE beside its anchor, a cell of LTE: EN-DC (TS 37.340, 4.1.2). It is the last carrier.
        /// Its cells have the defaults of NR, but the scheduler, the antennas and the access uplink of `cell`.
        Leg = "leg",
    }
}

choice! {
    /// Condition under which a carrier carries data of a UE.
    pub enum CarrierActivation {
        /// At any time, from the beginning.
        Always = "always",
        /// Data that wait activate it, and a timer deactivates it.
        Traffic = "traffic",
    }
}

/// Delay of an activation with LTE, of a cell that the UE has measured (TS 36.133, 7.7.2).
const LTE_DELAY: Duration = Duration::from_millis(24);
/// The longest time to the first burst of synchronisation signals, `T_FirstSSB`: the period of SMTC. 20
/// ms is what a UE assumes at first (TS 38.213, 4.1).
const FIRST_SSB: Duration = Duration::from_millis(20);
/// Time behind that burst of a cell in frequency range 1 that the UE has measured (TS 38.133, 8.3.2).
const BEHIND_SSB: Duration = Duration::from_millis(5);

impl Carrier {
    /// True if the network has cells on it, legs among them.
    pub fn has_cells(&self) -> bool {
        matches!(self.role, Some(CarrierRole::Cells | CarrierRole::Leg))
    }

    /// True if its cells serve UEs without another cell beside.
    pub fn serves(&self) -> bool {
        self.role == Some(CarrierRole::Cells)
    }

    /// True if its cells are legs, which serve no UE alone.
    pub fn is_leg(&self) -> bool {
        self.role == Some(CarrierRole::Leg)
    }

    /// Its offset in dB.
    pub(crate) fn offset_db(&self) -> f64 {
        self.offset.map_or(0.0, |offset| offset.0)
    }

    /// Its part that follows from a cell.
    pub(crate) fn fill(&mut self, cell: &Cell) {
        if !self.has_cells() {
            self.activation_delay.get_or_insert_with(|| usual_delay(cell));
        }
    }

    /// The network of cells with this carrier.
    pub(crate) fn network(&self, own: &Network) -> Network {
        Network { carrier: self.frequency, ..own.clone() }
    }

    /// The carrier as a cell of its own, beside the resolved cell.
    pub(crate) fn cell(&self, own: &Cell) -> Cell {
        let own = &if self.is_leg() { leg(own) } else { own.clone() };
        let mut cell = own.clone();
        if let Some(numerology) = self.numerology.filter(|mu| *mu != own.numerology()) {
            cell.numerology = Some(numerology);
            cell.tti = Interval::Nr { mu: numerology, symbols: 14 };
        }
        if self.bandwidth.is_some() || self.resource_blocks.is_some() {
            (cell.bandwidth, cell.resource_blocks) = (self.bandwidth, self.resource_blocks);
        }
        cell.duplex = self.duplex.unwrap_or(own.duplex);
        if self.tdd_pattern.is_some() || cell.duplex == Duplex::Fdd {
            (cell.tdd_pattern, cell.special_slot) = (self.tdd_pattern.clone(), self.special_slot);
            (cell.tdd_configuration, cell.special_subframe, cell.flexible) = (None, None, None);
            (cell.tdd_common, cell.special_uplink) = (Vec::new(), false);
        }
        if cell.duplex != own.duplex {
            (cell.harq.uplink, cell.harq.processes) = (None, None);
        }
        // The default goes by the width of each.
        let reference = &mut cell.link_adaptation.cqi_reference;
        reference.take_if(|own_reference| *own_reference == usual_reference(own));
        (cell.radio.carrier, cell.radio.carrier_up) = (Some(self.frequency), self.frequency_up);
        (cell.radio.band, cell.control_elements) = (None, None);
        resolve::fill_carrier(&mut cell);
        let blocks = u32::from(cell.resource_blocks());
        cell.uplink.min_resource_blocks = cell.uplink.min_resource_blocks.min(blocks);
        cell
    }
}

/// A cell of NR beside an anchor, without what a carrier has of its own.
fn leg(anchor: &Cell) -> Cell {
    let Some(usual) = Cell::absent() else { return anchor.clone() };
    let anchor = anchor.clone();
    Cell {
        technology: RadioTechnology::Nr,
        scheduler: anchor.scheduler,
        pf_window: anchor.pf_window,
        allocation: anchor.allocation,
        placement: anchor.placement,
        sharing: anchor.sharing,
        mac_header: anchor.mac_header,
        pdcch: anchor.pdcch,
        control_errors: anchor.control_errors,
        layers: anchor.layers,
        min_layers: anchor.min_layers,
        receivers: anchor.receivers,
        receiver: anchor.receiver,
        uplink: Uplink { layers: 1, ..anchor.uplink },
        radio: anchor.radio,
        radio_link: anchor.radio_link,
        q_rx_lev_min: anchor.q_rx_lev_min,
        ..usual
    }
}

/// Delay of an activation: with NR, `T_HARQ`, `T_activation_time` and `T_CSI_Reporting` (TS 38.133,
/// 8.3.2).
fn usual_delay(cell: &Cell) -> Duration {
    if !cell.is_nr() {
        return LTE_DELAY;
    }
    let (tti, adaptation) = (cell.tti.tti(), &cell.link_adaptation);
    let reported = adaptation.cqi_period + adaptation.cqi_delay;
    cell.timing.data_to_feedback.with_tti(tti) + FIRST_SSB + BEHIND_SSB + reported
}
