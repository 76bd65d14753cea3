//! A network of many cells: sites, antennas, and how UEs are dropped.

use airpath_base::{Db, Dbm};

use crate::decode::{above_to, at_least, between, choice, record};
use crate::units::{Degrees, Hertz, Metres, Position};

record! {
    /// A network of many cells, each with what `cell` says; its channel follows from where
    /// sites and UEs are. Defaults that go by the environment are those of
    /// docs/scenario.md.
    pub struct Network {
        /// The models of propagation. Default: "uma" (TR 38.901).
        environment: Environment = Environment::Uma;
        /// How sites stand. Default: "hexagonal"; "office" in an office, and "given" where
        /// there are [[network.site]].
        layout: Option<NetworkLayout>;
        /// Sites of a hexagonal layout, each of three cells. Default: 19, two rings (TR
        /// 36.873, table 8.2-1).
        sites: Option<u32> => between(1, 91);
        /// Distance between neighbouring sites of a hexagonal layout. Default: by the
        /// environment.
        site_distance: Option<Metres> => between(Metres(1.0), Metres(20_000.0));
        /// Whether a hexagonal layout's edges are joined, so that every cell is surrounded
        /// alike. Default: true (TR 36.873, table 8.2-1).
        wrap_around: Option<bool>;
        /// Sites one by one, without wrap-around.
        site: Vec<NetworkSite>;
        /// With sites one by one, the radius around x = 0, y = 0 within which UEs are
        /// dropped. Default: 500 m, a choice of this model.
        radius: Option<Metres> => between(Metres(1.0), Metres(50_000.0));
        /// Height of the antennas above ground. Default: by the environment.
        height: Option<Metres> => between(Metres(0.1), Metres(1_000.0));
        /// Carrier frequency downlink. Default: 2 GHz (TR 36.873, table 8.2-1).
        carrier: Hertz = Hertz(2_000_000_000)
            => between(Hertz(100_000_000), Hertz(100_000_000_000));
        /// Power of a cell over its whole bandwidth, `cell.resource_blocks` of 180 kHz.
        /// Default: by the environment.
        transmit_power: Option<Dbm> => between(Dbm(-50.0), Dbm(80.0));
        /// Noise figure of a UE. Default: 9 dB (TR 38.901, table 7.8-1).
        noise_figure: Db = Db(9.0) => between(Db(0.0), Db(50.0));
        /// The antenna of each cell.
        antenna: NetworkAntenna;
        /// Share of the UEs in buildings. Default: by the environment.
        indoors: Option<f64> => between(0.0, 1.0);
        /// Share of the UEs in cars. Default: by the environment.
        in_cars: Option<f64> => between(0.0, 1.0);
        /// Walls of the buildings. Default: by the environment.
        buildings: Option<NetworkBuildings>;
        /// Height of all UEs above ground. Default: by the environment; on streets 1.5 m, in
        /// buildings of cities on floors of 3 m (TR 36.873, table 6-1).
        ue_height: Option<Metres> => between(Metres(0.1), Metres(100.0));
        /// Least distance on the ground between a UE that is dropped and a site. Default: by
        /// the environment.
        min_distance: Option<Metres> => between(Metres(0.0), Metres(10_000.0));
    }
}

choice! {
    /// Models of propagation that belong together.
    pub enum Environment {
        /// Urban macro (TR 38.901).
        Uma = "uma",
        /// Urban micro, street canyon (TR 38.901).
        Umi = "umi",
        /// Rural macro (TR 38.901).
        Rma = "rma",
        /// Indoor hotspot, open office (TR 38.901).
        InhOpen = "inh-open",
        /// Indoor hotspot, mixed office (TR 38.901).
        InhMixed = "inh-mixed",
        /// Urban macro of 2 to 6 GHz (TR 36.873).
        Uma3d = "3d-uma",
        /// Urban micro of 2 to 6 GHz (TR 36.873).
        Umi3d = "3d-umi",
    }
}

choice! {
    /// How sites stand.
    pub enum NetworkLayout {
        /// At the centres of hexagons, the nearest to x = 0, y = 0 first.
        Hexagonal = "hexagonal",
        /// Twelve sites 20 m apart on a floor of 120 m by 50 m (TR 38.901, table 7.8-1).
        Office = "office",
        /// Where each [[network.site]] says.
        Given = "given",
    }
}

record! {
    /// A site with its cells.
    pub struct NetworkSite {
        /// Its place to the east.
        x: Position => between(Position(-100_000.0), Position(100_000.0));
        /// Its place to the north.
        y: Position => between(Position(-100_000.0), Position(100_000.0));
        /// Directions of its cells' antennas, from east to north. Default: 30, 150 and 270
        /// degrees (TR 38.901, table 7.8-1).
        sectors: Vec<Degrees>;
    }
}

record! {
    /// The antenna of a cell: a column of elements behind one port.
    pub struct NetworkAntenna {
        /// Its elements. Default: "sector" (TR 36.873, table 7.1-1).
        element: NetworkElement = NetworkElement::Sector;
        /// How many stand above each other. Default: 10 (TR 36.873, table 8.2-1, K = M = 10).
        elements: u32 = 10 => between(1, 256);
        /// Wavelengths between neighbours. Default: 0.5 (TR 36.873, table 8.2-1).
        spacing: f64 = 0.5 => above_to(0.0, 10.0);
        /// Electrical downtilt below the horizon. Default: by the environment; none for a
        /// single element.
        downtilt: Option<Degrees> => between(Degrees(-90.0), Degrees(90.0));
        /// Polarisation of the port. Default: "vertical", as UEs have it.
        polarisation: NetworkPolarisation = NetworkPolarisation::Vertical;
        /// How its gain towards a UE is found. Default: "spread".
        gain: NetworkGain = NetworkGain::Spread;
    }
}

choice! {
    /// An antenna's element.
    pub enum NetworkElement {
        /// 8 dBi, 65 degrees wide in both planes (TR 36.873, table 7.1-1).
        Sector = "sector",
        /// 0 dBi everywhere.
        Isotropic = "isotropic",
    }
}

choice! {
    /// Polarisation of a port, against UEs that are vertical.
    pub enum NetworkPolarisation {
        /// Vertical.
        Vertical = "vertical",
        /// One half of a pair slanted by 45 degrees (TR 38.901, 7.3.2).
        Slanted = "slanted",
    }
}

choice! {
    /// How an antenna's gain is found.
    pub enum NetworkGain {
        /// Averaged over the directions in which the signal leaves (TR 38.901, 7.5).
        Spread = "spread",
        /// In the straight direction alone, as in calibrations without fast fading.
        Straight = "straight",
    }
}

choice! {
    /// Walls of buildings.
    pub enum NetworkBuildings {
        /// Low loss (TR 38.901, 7.4.3.1).
        Low = "low",
        /// High loss (TR 38.901, 7.4.3.1).
        High = "high",
        /// Half of the UEs behind low, half behind high loss (TR 38.901, table 7.8-1).
        Mixed = "mixed",
        /// 20 dB at any carrier (TR 36.873, table 7.2-1; TR 38.901, table 7.4.3-3).
        Legacy = "20 dB",
    }
}

record! {
    /// The place of a UE in a network.
    pub struct UePlace {
        /// Its place to the east.
        x: Position => between(Position(-100_000.0), Position(100_000.0));
        /// Its place to the north.
        y: Position => between(Position(-100_000.0), Position(100_000.0));
        /// Its height above ground. Default: as for UEs that are dropped.
        height: Option<Metres> => at_least(Metres(0.0));
        /// What stands around it. Default: "outdoors".
        inside: Surroundings = Surroundings::Outdoors;
    }
}

choice! {
    /// What stands around a UE.
    pub enum Surroundings {
        /// Nothing.
        Outdoors = "outdoors",
        /// A car.
        Car = "car",
        /// A building.
        Building = "building",
    }
}
