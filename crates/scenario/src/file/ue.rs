//! Table `[[ue]]` of the scenario file: user equipments.

use airpath_base::Db;
use airpath_ran::phy::category::{LAST_CATEGORY, most_layers};
use airpath_schema::units::{Metres, PerSecond, Speed};
use airpath_schema::{at_least, between, choice, one_of, record};

use super::arrivals::OfArrivals;
use super::{
    Arrivals, Cell, Implementation, Network, RadioLink, Rrc, Surroundings, UePlace, UeProcessing,
    UeRoute,
};

record! {
    /// A group of UEs that are alike. Each has a fixed SNR or a distance, unless there is no radio.
    /// In a network, each has a position, or is dropped at random.
    pub struct Ue {
        /// Name of the group. A single UE has the same name; several are called
        /// `name-0`, `name-1` and so on.
        name: String;
        /// Number of UEs. Default: 1.
        count: u32 = 1 => between(1, 10_000);
        /// UEs that arrive one by one as a Poisson process, instead of `count`. "2 /s" is two a
        /// second in all cells together, over the whole run. Their number, times and positions
        /// follow from the seed. Each has a position of its own, and the times of its flows count
        /// from its arrival. Default: all are there from the beginning.
        arrivals: Option<Arrivals> => OfArrivals(at_least(PerSecond(0.000_001)));
        /// Signal-to-noise ratio on each resource block, fixed: "20 dB", or different
        /// by direction as { down = "20 dB", up = "10 dB" }. It is that of one receive antenna and one
        /// port; `receivers` of the UE and of the cell add to it. Layers share it, and do not disturb
        /// each other.
        snr: Option<Snr>;
        /// Distance from the cell, from which the path loss follows: "500 m", or { min = "35 m",
        /// max = "500 m" } for positions drawn evenly over that ring. In a network it needs
        /// `network.layout = "single"`.
        distance: Option<Distance>;
        /// Position in a network; with `route` its begin. Default: drawn at random, evenly by area.
        place: Option<UePlace>;
        /// Route in a network, along which the UE changes its position. Default: none, the UE stays.
        route: Option<UeRoute>;
        /// Surroundings of a UE on a route. Default: those of `place`, else "outdoors".
        inside: Option<Surroundings>;
        /// Antennas with which the UE receives: 1, 2 or 4. Their signals are combined with maximum ratio,
        /// which is the MMSE receiver of one layer in white noise. Two add 3 dB in white noise, and in
        /// a network they fade more rarely. With `cell.layers` they separate as many layers. Default: 1.
        receivers: u8 = 1 => one_of(&[1, 2, 4]);
        /// Receiver of a UE with several `receivers`, in a network. Default: "mmse".
        receiver: Receiver = Receiver::Mmse;
        /// Antennas with which the UE sends, 1 or 2. In a network two send one layer with the precoder that
        /// the cell gives (TS 38.214, 6.1.1.1; TS 38.211, table 6.3.1.5-1), or as many as
        /// `cell.uplink.layers`. Without a network a second port counts with such layers alone. Default: 1.
        ports: u8 = 1 => one_of(&[1, 2]);
        /// Speed in a network, from which the Doppler shift of its fading follows. The UE does not
        /// change its position; with `route` it does, and has no `speed`. Default: 0 km/h; `network.fading.scatterers` is the speed of what
        /// moves around it.
        speed: Option<Speed> => between(Speed(0.0), Speed(140.0));
        /// Category of the UE downlink, with LTE. From 11 on it may have 256QAM, which `mcs_table` asks
        /// for. A transport block of one layer has at most 10 296 bits in category 1, 51 024 in 2, 75 376
        /// in 3 to 10 and 97 896 from 11 on. Two blocks have 51 024 bits together in category 2, 102 048 in
        /// 3. Category 1 has one layer, 2 to 4 have two, the others four at most (TS 36.306, tables 4.1-1
        /// and 4.1A-1). Blocks of all carriers have 301 504 bits together in category 6 and 7, 452 256 in 9 and
        /// 10, 603 008 in 11 and 12; beside `carrier` it is 13 at most. Default: a UE has what the cell
        /// sends, of any size.
        category: Option<u8> => between(1, LAST_CATEGORY);
        /// Most carriers on which the UE sends: the cell itself, then those with `carrier.uplink` in the
        /// order of the file. 1 is uplink in the cell alone (`supportedBandCombination` of TS 36.331 and
        /// TS 38.331, 6.3). Default: all of them.
        uplink_carriers: Option<u32> => between(1, 32);
        /// Implementation whose values are the defaults of keys of this table. Keys of the file go before
        /// them. Default: none.
        implementation: Option<Implementation>;
        /// Time that packets take in the UE's host and modem. Default: none.
        processing: Option<UeProcessing>;
        /// RRC idle and connected, promotions and DRX, instead of the cell's. Default: the cell's.
        rrc: Option<Rrc>;
        /// Failures of its radio link, and their consequences, instead of the cell's. Default: the
        /// cell's.
        radio_link: Option<RadioLink>;
    }
}

choice! {
    /// Receiver of several antennas.
    pub enum Receiver {
        /// MMSE: what disturbs counts as white over the antennas.
        Mmse = "mmse",
        /// MMSE with interference rejection: weights turn away from the cells or UEs that disturb one by
        /// one, by the covariance of what they send (TR 36.829). Comparisons of receivers with several layers need
        /// `interference = "precoded"` in the network: else "mmse" gives an interferer the fading of one port.
        MmseIrc = "mmse-irc",
    }
}

impl Ue {
    /// Most layers downlink and uplink that its antennas and those of its cell allow.
    pub(crate) fn layers(&self, cell: &Cell, network: Option<&Network>) -> [u8; 2] {
        let ports = network.map_or(4, |network| network.precoding.ports.unwrap_or(1) as u8);
        let at_cell = cell.receivers.unwrap_or(1);
        let up = cell.uplink.layers.min(self.ports).min(at_cell);
        let category = self.category.map_or(4, most_layers);
        [cell.layers.min(self.receivers).min(ports).min(category), up]
    }

    /// Surroundings on its route; none of a UE without a route.
    pub fn surroundings_on_route(&self) -> Option<Surroundings> {
        let at_rest = || -> Option<Surroundings> { self.place.as_ref()?.inside };
        let given = self.inside.or_else(at_rest).unwrap_or(Surroundings::Outdoors);
        self.route.is_some().then_some(given)
    }

    /// Gain of combining the antennas of the UE and those of its cell in white noise, downlink and uplink.
    pub(crate) fn combining(&self, cell: &Cell) -> [Db; 2] {
        [self.receivers, cell.receivers.unwrap_or(1)].map(|count| Db::from_linear(count.into()))
    }
}

record! {
    /// A signal-to-noise ratio in each direction.
    pub struct Snr(down, up) {
        /// Downlink ratio.
        down: Db => between(Db(-100.0), Db(1_000.0));
        /// Uplink ratio.
        up: Db => between(Db(-100.0), Db(1_000.0));
    }
}

record! {
    /// A distance, or the ring over which positions are drawn.
    pub struct Distance(min, max) {
        /// The least distance.
        min: Metres => between(Metres(0.1), Metres(100_000.0));
        /// The largest distance.
        max: Metres => between(Metres(0.1), Metres(100_000.0));
    }
}
