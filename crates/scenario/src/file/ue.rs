//! User equipments.

use airpath_base::Db;
use airpath_schema::units::{Metres, PerSecond, Speed};
use airpath_schema::{at_least, between, record};

use super::arrivals::OfArrivals;
use super::{Arrivals, RadioLink, Rrc, UePlace};

record! {
    /// A group of UEs that are alike. Each has a fixed SNR or a distance, unless there is
    /// no radio; in a network, each has a place, or is dropped at random.
    pub struct Ue {
        /// Name of the group. A single UE has the same name; several are called
        /// `name-0`, `name-1` and so on.
        name: String;
        /// How many. Default: 1.
        count: u32 = 1 => between(1, 10_000);
        /// UEs that arrive one by one as a Poisson process, in place of `count`: "2 /s" for two a
        /// second in all cells together, over the whole run. How many they are, when they come
        /// and where follows from the seed. Each is at a place of its own, and the times of its
        /// flows count from its arrival. Default: all are there from the beginning.
        arrivals: Option<Arrivals> => OfArrivals(at_least(PerSecond(0.000_001)));
        /// Signal-to-noise ratio on each resource block, fixed: "20 dB", or different
        /// by direction as { down = "20 dB", up = "10 dB" }.
        snr: Option<Snr>;
        /// Distance from the cell, from which the path loss follows: "500 m", or
        /// { min = "35 m", max = "500 m" } for places drawn evenly over that ring.
        distance: Option<Distance>;
        /// Place in a network. Default: drawn at random, evenly by area.
        place: Option<UePlace>;
        /// How fast it moves, in a network: the Doppler shift of its fading follows. It stays in
        /// its place. Default: 0 km/h; `network.fading.scatterers` says what moves around it.
        speed: Option<Speed> => between(Speed(0.0), Speed(140.0));
        /// RRC idle and connected, promotions and DRX, in place of the cell's. Default: the
        /// cell's.
        rrc: Option<Rrc>;
        /// When its radio link fails, and what it does then, in place of the cell's. Default: the
        /// cell's.
        radio_link: Option<RadioLink>;
    }
}

record! {
    /// A signal-to-noise ratio in each direction.
    pub struct Snr(down, up) {
        /// Downlink.
        down: Db => between(Db(-100.0), Db(1_000.0));
        /// Uplink.
        up: Db => between(Db(-100.0), Db(1_000.0));
    }
}

record! {
    /// A distance, or the ring over which places are drawn.
    pub struct Distance(min, max) {
        /// The least.
        min: Metres => between(Metres(0.1), Metres(100_000.0));
        /// The largest.
        max: Metres => between(Metres(0.1), Metres(100_000.0));
    }
}
