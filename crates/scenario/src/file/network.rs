//! A network of many cells: sites, antennas, and how UEs are dropped.

use airpath_base::{Db, Dbm, Duration};
use airpath_channel::moving::ShadowingRule;
use airpath_schema::units::{Degrees, Hertz, Metres, Position, Speed};
use airpath_schema::{above_to, at_least, between, choice, record};

use crate::world::network;

use super::{
    Environment, FadingProfile, MobilityShadowing, NetworkBuildings, NetworkDualConnectivity,
    NetworkElement, NetworkGain, NetworkHandover, NetworkMobility, NetworkPolarisation,
    NetworkStreets, PortCorrelation, Surroundings,
};

record! {
    /// A network of many cells, each with what `cell` says; its channel follows from where
    /// sites and UEs are. Defaults that go by the environment are those of
    /// docs/scenario.md.
    pub struct Network {
        /// The models of propagation. Default: "uma" (TR 38.901).
        environment: Environment = Environment::Uma;
        /// Positions of sites. Default: "hexagonal"; "office" in an office, and "given" where there
        /// are [[network.site]]. "single" is one cell, whose UEs may have a distance.
        layout: Option<NetworkLayout>;
        /// Sites of a hexagonal layout, each of three cells. Default: 19, two rings (TR
        /// 36.873, table 8.2-1).
        sites: Option<u32> => between(1, 91);
        /// Distance between neighbouring sites of a hexagonal layout. Default: by the
        /// environment.
        site_distance: Option<Metres> => between(Metres(1.0), Metres(20_000.0));
        /// Joins the edges of a hexagonal layout, so that every cell is surrounded alike. Default:
        /// true (TR 36.873, table 8.2-1).
        wrap_around: Option<bool>;
        /// Sites one by one, without wrap-around.
        site: Vec<NetworkSite>;
        /// With sites one by one, and with a single cell, the radius around x = 0, y = 0 within
        /// which UEs are dropped. Default: 500 m, a choice of this model.
        radius: Option<Metres> => between(Metres(1.0), Metres(50_000.0));
        /// Height of the antennas above ground. Default: by the environment.
        height: Option<Metres> => between(Metres(0.1), Metres(1_000.0));
        /// Carrier frequency downlink. Default: 2 GHz (TR 36.873, table 8.2-1).
        carrier: Hertz = Hertz(2_000_000_000)
            => between(Hertz(100_000_000), Hertz(100_000_000_000));
        /// Power of a cell over its whole bandwidth, all resource blocks.
        /// Default: by the environment.
        transmit_power: Option<Dbm> => between(Dbm(-50.0), Dbm(80.0));
        /// Noise figure of a UE. Default: 9 dB (TR 38.901, table 7.8-1).
        noise_figure: Db = Db(9.0) => between(Db(0.0), Db(50.0));
        /// The antenna of each cell.
        antenna: NetworkAntenna;
        /// Changes of the channel along the carrier and in time.
        fading: NetworkFading;
        /// Transmission of a cell to its UEs, and reception from them, over several ports.
        precoding: NetworkPrecoding;
        /// The uplink's power.
        uplink: NetworkUplink;
        /// Signals of cells and UEs that disturb one by one. Default: "unprecoded".
        interference: Interference = Interference::Unprecoded;
        /// Number of cells that disturb each receiver one by one; all others add up to one sum of
        /// what they send. Default: 12.
        interferers: u32 = 12 => between(0, 272);
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
        /// A grid of streets with buildings between them. Default: none.
        streets: Option<NetworkStreets>;
        /// Movement of UEs with `ue.route`. Default: as an empty table.
        mobility: Option<NetworkMobility>;
        /// Handover of UEs with `ue.route` between cells. Default: none, UEs keep their cells.
        handover: Option<NetworkHandover>;
        /// Dual connectivity with legs of NR. Default: as an empty table, where a [[carrier]] has role = "leg".
        dual_connectivity: Option<NetworkDualConnectivity>;
    }
}

impl Network {
    /// Number of its cells on one carrier; 0 of a network that was not checked.
    pub fn cells(&self) -> u32 {
        network::cells(self)
    }

    /// Period at which the gains of links follow the positions of UEs on routes.
    pub fn sample(&self) -> Duration {
        self.mobility.clone().unwrap_or_default().sample
    }

    /// Rule for the shadowing of UEs on routes.
    pub fn shadowing(&self) -> ShadowingRule {
        let mobility = self.mobility.clone().unwrap_or_default();
        ShadowingRule {
            by_link: mobility.shadowing == MobilityShadowing::Link,
            correlation_m: mobility.decorrelation.map(|metres| metres.0),
        }
    }
}

choice! {
    /// Positions of sites.
    pub enum NetworkLayout {
        /// At the centres of hexagons, the nearest to x = 0, y = 0 first.
        Hexagonal = "hexagonal",
        /// Twelve sites 20 m apart on a floor of 120 m by 50 m (TR 38.901, table 7.8-1).
        Office = "office",
        /// Positions that each [[network.site]] has.
        Given = "given",
        /// One cell at x = 0, y = 0, which sends in all directions alike.
        Single = "single",
    }
}

record! {
    /// A site with its cells.
    pub struct NetworkSite {
        /// Position of the site to the east.
        x: Position => between(Position(-100_000.0), Position(100_000.0));
        /// Position of the site to the north.
        y: Position => between(Position(-100_000.0), Position(100_000.0));
        /// Directions of its cells' antennas, from east to north. Default: 30, 150 and 270
        /// degrees (TR 38.901, table 7.8-1).
        sectors: Vec<Degrees>;
    }
}

record! {
    /// The antenna of a cell: a column of elements behind one port.
    pub struct NetworkAntenna {
        /// Kind of the antenna's elements. Default: "sector" (TR 36.873, table 7.1-1); with
        /// layout = "single" "isotropic".
        element: Option<NetworkElement>;
        /// Number of elements above each other. Default: 10 (TR 36.873, table 8.2-1, K = M = 10).
        elements: u32 = 10 => between(1, 256);
        /// Distance between neighbouring elements, in wavelengths. Default: 0.5 (TR 36.873, table
        /// 8.2-1).
        spacing: f64 = 0.5 => above_to(0.0, 10.0);
        /// Electrical downtilt below the horizon. Default: by the environment; none for a
        /// single element.
        downtilt: Option<Degrees> => between(Degrees(-90.0), Degrees(90.0));
        /// Polarisation of the port. Default: "vertical", as UEs have it; "slanted" with
        /// `precoding.columns`.
        polarisation: Option<NetworkPolarisation>;
        /// Rule for its gain towards a UE. Default: "spread".
        gain: NetworkGain = NetworkGain::Spread;
    }
}

record! {
    /// Fading: how the channel changes along the carrier and in time.
    pub struct NetworkFading {
        /// Power delay profile. Default: "tdl-c".
        profile: FadingProfile = FadingProfile::TdlC;
        /// Root mean square delay spread of the profile. Default: the median of the environment
        /// without line of sight, for UEs in buildings if most of them are (TR 38.901, table 7.5-6;
        /// TR 36.873, table 7.3-6).
        delay_spread: Option<Duration>
            => between(Duration::ZERO, Duration::from_micros(2));
        /// Speed of what moves around UEs that are slower. Default: 3 km/h (Report ITU-R
        /// M.2412, table 5); with "0 km/h" the channel of a UE that sits still never changes.
        scatterers: Speed = Speed(3.0 / 3.6) => between(Speed(0.0), Speed(140.0));
    }
}

choice! {
    /// Signals of cells and UEs that disturb.
    pub enum Interference {
        /// One layer from one port: its mean gain is 0 dB, whatever precoder it has. With "mmse-irc" as
        /// many layers as are sent, from a port each.
        Unprecoded = "unprecoded",
        /// With the precoders and layers that they have in that interval for the UEs that they serve.
        Precoded = "precoded",
    }
}

record! {
    /// Antenna ports of a cell. A UE sends on one, and receives with `ue.receivers`.
    pub struct NetworkPrecoding {
        /// Use of the ports by the downlink. Default: that of `cell.transmission_mode`, else
        /// "closed-loop".
        scheme: Option<PrecodingScheme>;
        /// Number of ports: 1, 2 or 4, and with NR and "closed-loop" 8, 12, 16, 24 or 32 (TS 38.214, table
        /// 5.2.2.2.1-2). Default: twice `columns` times `rows`, else 4, but 1 with "single-port".
        ports: Option<u32> => between(1, 32);
        /// Columns of a panel of cross-polarised ports, N1 of TS 38.214, 5.2.2.2.1, half a wavelength apart. UEs
        /// then have cross-polarised antennas. Default: without `rows` none up to four ports, which are a row of one
        /// polarisation; above the widest panel of up to 8 columns.
        columns: Option<u8> => between(1, 16);
        /// Rows of the panel, N2, `antenna.elements` times `antenna.spacing` apart. Default: by `ports` and
        /// `columns`.
        rows: Option<u8> => between(1, 4);
        /// With "closed-loop", what a UE may ask for. Default: "lte"; "type-1" above four ports.
        codebook: Option<PrecodingCodebook>;
        /// With "closed-loop", from one report of a UE to the next. Default: that of CQIs,
        /// `cell.link_adaptation.cqi_period`.
        period: Option<Duration>
            => between(Duration::from_micros(100), Duration::from_secs(1));
        /// With "closed-loop", from what is measured to the first transmission that heeds it.
        /// Default: that of CQIs, `cell.link_adaptation.cqi_delay`.
        delay: Option<Duration> => between(Duration::ZERO, Duration::from_secs(1));
        /// With "closed-loop", resource blocks that have a precoder of their own. Default: one
        /// precoder for all (TS 36.213, 7.2.1, mode 3-1).
        subband: Option<u32> => between(1, 275);
        /// Correlation of the ports, and of a UE's antennas (TS 36.101, tables B.2.3.2-1 and B.2.3A.3-1).
        /// Default: "low".
        correlation: PortCorrelation = PortCorrelation::Low;
    }
}

choice! {
    /// Transmission over the ports of a cell.
    pub enum PrecodingScheme {
        /// Transmission on one port.
        SinglePort = "single-port",
        /// A space-frequency block code (TS 36.211, 6.3.4.3).
        TransmitDiversity = "transmit-diversity",
        /// Open loop with LTE: a space-frequency block code for one layer, large-delay cyclic delay diversity
        /// for several (TS 36.211, 6.3.4.2.2).
        OpenLoop = "open-loop",
        /// With the precoder that the UE asks for (TS 36.213, 7.1.4; TS 38.214, 5.2.2.2.1).
        ClosedLoop = "closed-loop",
        /// The precoder of a cell that knows the channel at each instant: what no precoder exceeds.
        MaximumRatio = "maximum-ratio",
    }
}

choice! {
    /// Precoders that a UE may ask for.
    pub enum PrecodingCodebook {
        /// Of LTE (TS 36.211, tables 6.3.4.2.3-1 and -2).
        Lte = "lte",
        /// Of NR, type I, single panel (TS 38.214, 5.2.2.2.1).
        TypeI = "type-1",
    }
}

record! {
    /// Power and noise of the uplink.
    pub struct NetworkUplink {
        /// Largest power of a UE. Default: 23 dBm, power class 3 (TS 36.101, table 6.2.2-1).
        ue_power: Dbm = Dbm(23.0) => between(Dbm(-50.0), Dbm(80.0));
        /// Power of a UE. Default: "fractional".
        power_control: UplinkPowerControl = UplinkPowerControl::Fractional;
        /// With "fractional", the power that is received in 180 kHz, a resource block of LTE, if
        /// all of the path loss is made up for. Default: -80 dBm, a choice of this model; TS
        /// 36.331, 6.3.2, has -126 to 24 dBm.
        p0: Dbm = Dbm(-80.0) => between(Dbm(-126.0), Dbm(24.0));
        /// With "fractional", the share of the path loss that is made up for. Default: 0.8, a
        /// choice of this model; TS 36.213, 5.1.1.1, has 0 and 0.4 to 1.
        alpha: f64 = 0.8 => between(0.0, 1.0);
        /// Noise figure of a cell. Default: 5 dB (TR 38.901, table 7.8-1, does not say; TR
        /// 36.942, table 4.6).
        noise_figure: Db = Db(5.0) => between(Db(0.0), Db(50.0));
    }
}

choice! {
    /// Power of a UE.
    pub enum UplinkPowerControl {
        /// Power that follows the path loss by a share (TS 36.213, 5.1.1.1; TS 38.213, 7.1.1).
        Fractional = "fractional",
        /// All the power of the UE, in the resource blocks that it is granted.
        Off = "off",
    }
}

record! {
    /// The position of a UE in a network.
    pub struct UePlace {
        /// Position of the UE to the east.
        x: Position => between(Position(-100_000.0), Position(100_000.0));
        /// Position of the UE to the north.
        y: Position => between(Position(-100_000.0), Position(100_000.0));
        /// Height of the UE above ground. Default: as for UEs that are dropped.
        height: Option<Metres> => at_least(Metres(0.0));
        /// Surroundings of the UE. Default: "outdoors".
        inside: Option<Surroundings>;
    }
}
