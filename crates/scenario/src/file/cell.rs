//! The cell: bandwidth, scheduling, timing, HARQ, radio.

use airpath_base::{Db, Dbm, Duration};
use airpath_schema::units::{Hertz, Metres};
use airpath_schema::{above_to, between, choice, one_of, record};

use super::{
    Allocation, CellProcessing, CodeRate, Combining, EffectiveSinr, ErrorCurves, Flexible,
    Implementation, McsTables, MuMimo, Placement, RadioLink, RadioTechnology, Receiver,
    RecordedLoad, Rrc, Scheduler, Sharing, SpecialSlot, TddPart, Uplink, UplinkPowerControl,
    UserPlane,
};
use crate::interval::{Interval, Span};

record! {
    /// The cell.
    pub struct Cell {
        /// Resource blocks of LTE's channel bandwidth, in each direction (TS 36.104,
        /// table 5.6-1): 6, 15, 25, 50, 75, 100 for 1.4, 3, 5, 10, 15, 20 MHz.
        /// Default: 50, a choice of this model: 10 MHz, from which on the reference base
        /// station of TR 36.942, table 4.6, has the default power.
        resource_blocks: Option<u32> => one_of(&[6, 15, 25, 50, 75, 100]);
        /// Technology whose tables count: MCS, transport block sizes, error curves. Default: "lte".
        technology: RadioTechnology = RadioTechnology::Lte;
        /// User plane of its bearers: RLC, PDCP and SDAP, with MAC's subheaders and buffer
        /// status reports. Default: that of `technology`. "nr" with
        /// the physical layer of LTE is what D. Brunello, "L4S in 5G networks", 2020, chapter 4.3,
        /// simulated.
        user_plane: Option<UserPlane>;
        /// Channel bandwidth, in each direction, instead of `resource_blocks`. Of LTE it is 1.4, 3,
        /// 5, 10, 15 or 20 MHz. Of NR it is one that TS 38.101-1 or TS 38.101-2, table 5.3.2-1, has
        /// for the numerology, as "100 MHz". Default with NR: 20 MHz, with numerology 3 100 MHz; a
        /// choice of this model.
        bandwidth: Option<Hertz>;
        /// Numerology of NR: subcarriers are 15, 30, 60 or 120 kHz apart (TS 38.211, table
        /// 4.2-1). Default: that of `tti`, else 1, a choice of this model.
        numerology: Option<u8> => between(0, 3);
        /// With NR, resource elements of each resource block that demodulation reference
        /// signals take, with those kept free beside them (TS 38.214, 5.1.3.2). Default: 12,
        /// one symbol.
        dmrs_elements: Option<u8> => between(0, 48);
        /// With NR, resource elements of each resource block that count as lost to other
        /// signals: `xOverhead` (TS 38.331, 6.3.2). Default: 0, as where it is not configured
        /// (TS 38.214, 5.1.3.2).
        x_overhead: Option<u8> => one_of(&[0, 6, 12, 18]);
        /// Transmission time interval: a time from 1 us to 10 ms, or a slot or mini-slot of an NR
        /// numerology. A slot is "mu0" to "mu4" (TS 38.211, table 4.3.2-1), a mini-slot "mu1/7sym",
        /// "mu1/4sym" or "mu1/2sym". With LTE, transport block sizes are in proportion to it,
        /// rounded down. With NR it is a slot or mini-slot of `numerology`; with duplex = "tdd" the mini-slots
        /// that divide a slot, of 7 and 2 symbols. Default: 1 ms, a subframe of LTE (TS 36.211, 4); with
        /// NR a slot.
        tti: Interval = Interval::LTE;
        /// Duplex mode: how downlink and uplink share the carrier. Default: "fdd", as bands 1 to 28
        /// of LTE do (TS 36.101, table 5.5-1).
        duplex: Duplex = Duplex::Fdd;
        /// With duplex = "tdd", the slots that repeat from the beginning on: D downlink, F
        /// flexible, S special, U uplink, 1 to 320 of them, as "DDDSU" (TS 38.213, 11.1). Two
        /// patterns that follow each other are written one behind the other. A slot is an interval,
        /// or is cut into mini-slots.
        /// Default: that of `tdd_common` or `tdd_configuration`, if one of these is given instead.
        tdd_pattern: Option<String>;
        /// Symbols of special slots, 14 together: downlink, guard, uplink, as "10:2:2". They carry
        /// data downlink where 3 symbols or more are left after `control_symbols`; uplink,
        /// requests and feedback, and with `special_uplink` data.
        special_slot: Option<SpecialSlot>;
        /// The pattern of slots in the form of system information (TS 38.213, 11.1), instead of
        /// `tdd_pattern`. It has one part, or two that follow each other. Their periods together
        /// divide 20 ms.
        tdd_common: Vec<TddPart>;
        /// Use of slots that are all flexible, which DCIs may assign (TS 38.213, 11.1.1). Default:
        /// "unused".
        flexible: Option<Flexible>;
        /// Sends data uplink in the uplink symbols of special slots, too, where there are 2 or more
        /// (PUSCH mapping type B: TS 38.214, table 6.1.2.1-1). Default: false.
        special_uplink: bool = false;
        /// LTE's uplink-downlink configuration, instead of `tdd_pattern` (TS 36.211, table 4.2-2),
        /// with its HARQ timing (TS 36.213, tables 8-2 and 10.1.3.1-1) and its processes (tables 7-1
        /// and 8-1).
        tdd_configuration: Option<u8> => between(0, 6);
        /// With `tdd_configuration`, LTE's configuration of special subframes, with the normal cyclic
        /// prefix (TS 36.211, table 4.2-1). Default: 7, ten symbols downlink and two uplink, a choice
        /// of this model.
        special_subframe: Option<u8> => between(0, 9);
        /// Scheduler of the downlink, which decides the UE that is served first; uplink each in
        /// turn. Default: "proportional-fair", as in ns-3's `LteHelper`; the specifications leave
        /// it open.
        scheduler: Scheduler = Scheduler::usual();
        /// Transmission time intervals over which proportional fair averages a UE's
        /// rate: each counts 1 / pf_window. Default: 99 (ns-3's `PfFfMacScheduler`).
        pf_window: f64 = 99.0 => between(1.0, 1e6);
        /// Number of resource blocks of a UE that is chosen. Default: "by-need".
        allocation: Allocation = Allocation::ByNeed;
        /// Resource blocks that a UE may have downlink; uplink they lie side by side. Default:
        /// "blocks", as with resource allocation type 2 (TS 36.213, 7.1.6.3), but anywhere.
        placement: Placement = Placement::Blocks;
        /// Sharing of a transport block among the logical channels of its UE. Default: "priority",
        /// logical channel prioritisation (TS 36.321, 5.4.3.1).
        sharing: Sharing = Sharing::Priority;
        /// Symbols of each interval that the control region takes: 1 to 3, or 2 to 4 with 6
        /// resource blocks (TS 36.211, table 6.7-1). With NR they are 0 to 3, 0 where it is beside
        /// the data (TS 38.211, 7.3.2.2). Default: 3, the most that every bandwidth of LTE may
        /// have. With NR it is 1 of a slot, 0 of a mini-slot, a choice of this model.
        control_symbols: Option<u8> => between(0, 4);
        /// The downlink control channel. Default: "ideal" for a cell alone, "modelled" in a
        /// network.
        pdcch: Option<Pdcch>;
        /// Control channel elements of each interval, with pdcch = "modelled". Default with LTE:
        /// what PCFICH and PHICH (N_g = 1) leave of the control region (TS 36.211, 6.8.1), 41 with
        /// 50 resource blocks and 3 symbols. Default with NR: a CORESET of the whole carrier and
        /// `control_symbols`, at least one (TS 38.211, 7.3.2.2).
        control_elements: Option<u16> => between(1, 135);
        /// Antennas with which the cell receives, 1 to 32. Their signals are combined with maximum ratio,
        /// which is the MMSE receiver of one layer in white noise. Default: in a network
        /// `network.precoding.ports`, else 1.
        receivers: Option<u8> => between(1, 32);
        /// Receiver of a cell with 2 to 4 `receivers`, in a network. Default: "mmse".
        receiver: Receiver = Receiver::Mmse;
        /// Most layers of a UE downlink, 1 to 4. A UE has no more than `receivers`, and in a network
        /// no more than `network.precoding` has ports; with LTE no more than its `category` has. The UE
        /// reports the rank that carries most (TS 38.214, 5.2.1.4; TS 36.213, 7.2), and separates layers
        /// with an MMSE receiver. LTE sends two codewords from two layers on. Default: 1.
        layers: u8 = 1 => between(1, 4);
        /// Fewest layers downlink of a UE that can have as many, a restriction of its rank (TS 38.214,
        /// 5.2.2.2.1). Out of range of these, and before the first report, it has one. Default: 1.
        min_layers: u8 = 1 => between(1, 4);
        /// Layers downlink to several UEs in the same resource blocks, with NR in a network with
        /// network.precoding.scheme = "closed-loop". Precoders are regularised zero-forcing. UEs join the one that
        /// the scheduler chose where that raises the sum of rates over mean rates. Default: none.
        mu_mimo: Option<MuMimo>;
        /// UEs whose resource blocks a sniffer has recorded, as background load of a cell alone of NR: NR-Scope's log, by
        /// its path. Default: none.
        recorded_load: Option<RecordedLoad>;
        /// Transmission mode of LTE downlink (TS 36.213, 7.1):
        ///
        /// - 1: one port;
        /// - 2: transmit diversity;
        /// - 3: open loop, with large-delay cyclic delay diversity;
        /// - 4: closed loop, with the precoders of the UE's reports;
        /// - 9: likewise, with reference signals of the UE.
        ///
        /// Modes 3, 4 and 9 have several layers. In a network the mode decides `network.precoding.scheme`.
        /// With a mode, reference signals of all ports take room. A cell alone then has two ports, or four
        /// with more than two layers. Default: 4 with several `layers`, 3 where
        /// `network.precoding.scheme` is "open-loop". Else none: reference signals are those of one port.
        transmission_mode: Option<u8> => one_of(&[1, 2, 3, 4, 9]);
        /// Lets UEs miss grants, with pdcch = "modelled": at most 1% where the channel allows it
        /// (TS 36.101, 8.4.1). Default: true.
        control_errors: bool = true;
        /// Makes room in transport blocks for the headers of MAC (TS 36.321, 6.1.2). Default: true.
        mac_header: bool = true;
        /// Cell selection's floor, `q-RxLevMin`: a UE whose RSRP is not above it has no service
        /// (TS 36.304, 5.2.3.2; TS 38.304, 5.2.3.2). It counts where RSRP is known: in a network,
        /// and for UEs with a distance. Default: -140 dBm, the least that system information can
        /// carry (TS 36.331, 6.3.4; TS 38.331, 6.3.2), a choice of this model.
        q_rx_lev_min: Dbm = Dbm(-140.0) => between(Dbm(-140.0), Dbm(-44.0));
        /// Adaptation of the modulation and coding scheme to the channel.
        link_adaptation: LinkAdaptation;
        /// Radio channel for UEs with a distance.
        radio: Radio;
        /// Times of the steps of a transmission.
        timing: Timing;
        /// Retransmission by the MAC.
        harq: Harq;
        /// Access of UEs to the uplink.
        uplink: Uplink;
        /// Implementation whose values are the defaults of keys of this table. Keys of the file go before
        /// them. `airpath check --resolved` shows all. Default: none, the defaults of this page.
        implementation: Option<Implementation>;
        /// Time that packets take in the base station and the core network. Default: none.
        processing: Option<CellProcessing>;
        /// Failures of the radio links of UEs, and their consequences, for UEs that have no table
        /// of their own.
        radio_link: RadioLink;
        /// RRC idle and connected, promotions and DRX of UEs that have none of their own.
        /// Default: none, UEs are always connected and listening.
        rrc: Option<Rrc>;
    }
}

choice! {
    /// Duplex mode: how downlink and uplink share the carrier.
    pub enum Duplex {
        /// In frequency: each interval carries both.
        Fdd = "fdd",
        /// In time, by `tdd_pattern`, `tdd_common` or `tdd_configuration`. What a step of `timing` leads to waits for the next slot
        /// that can carry it.
        Tdd = "tdd",
    }
}

choice! {
    /// The downlink control channel.
    pub enum Pdcch {
        /// Any number of UEs can be served in an interval.
        Ideal = "ideal",
        /// Assignments and grants take control channel elements, 1 to 8 by the UE's SINR, with
        /// an NR numerology up to 16 (TS 36.213, 9.1.1).
        Modelled = "modelled",
    }
}

choice! {
    /// Transport block by which the MCS of a fixed link is chosen.
    pub enum CqiReference {
        /// One in 50 resource blocks, whatever is granted. With several layers, the one that is granted.
        Fifty = "50-rb",
        /// The one that is granted: `bler_target` holds for each number of resource blocks.
        Grant = "grant",
    }
}

record! {
    /// Link adaptation.
    pub struct LinkAdaptation {
        /// The least MCS index. Default: 0 (TS 36.213, table 7.1.7.1-1).
        min_mcs: u8 = 0 => between(0, 28);
        /// The largest MCS index; where mcs_table is "256qam" 28 counts as 27, the last.
        /// Default: 28 (TS 36.213, table 7.1.7.1-1; TS 38.214, table 5.1.3.1-1).
        max_mcs: u8 = 28 => between(0, 28);
        /// Share of first transmissions that may fail. Default: 0.1 (TS 36.213, 7.2.3).
        bler_target: f64 = 0.1 => above_to(0.0, 0.9);
        /// Code rate above which no transport block is chosen, or "none". Default: 0.93,
        /// with NR 0.95, above which a UE need not decode (TS 36.213, 7.1.7; TS 38.214,
        /// 5.1.3).
        code_rate_limit: Option<CodeRate>;
        /// The MCS table and the CQI table that goes with it, of both directions or of each, as
        /// { down = "256qam", up = "64qam" }. With LTE a single one counts downlink: its uplink has
        /// "64qam" only.
        mcs_table: Option<McsTables>;
        /// With NR, the link-level results that block errors follow. Default: "5g-lena": it
        /// has many sizes of blocks, and lies near what a whole receiver needs.
        error_curves: Option<ErrorCurves>;
        /// With NR, how the SINRs of the resource blocks of a transport block become one.
        /// Default: "eesm".
        effective_sinr: Option<EffectiveSinr>;
        /// Transport block by whose errors the MCS of a link without a network is chosen. Default: with NR on
        /// carriers of more than 110 resource blocks "grant", else "50-rb". More code blocks in a block
        /// fail more often (TS 38.212, 5.2.2).
        cqi_reference: Option<CqiReference>;
        /// In a network, from one measurement of a link to the next: CQIs downlink, sounding
        /// uplink. Default: 5 ms (TS 36.213, table 7.2.2-1A, has 2 to 160 ms).
        cqi_period: Duration = Duration::from_millis(5)
            => between(Duration::from_micros(100), Duration::from_secs(10));
        /// In a network, from a measurement to the first decision that heeds it. Default: 6 ms,
        /// 4 ms from what a UE measures to its report (TS 36.213, 7.2.3) and 2 ms of processing.
        cqi_delay: Duration = Duration::from_millis(6)
            => between(Duration::from_micros(100), Duration::from_secs(10));
        /// In a network, resource blocks of a subband that has a CQI of its own. Default: by
        /// the bandwidth (TS 36.213, table 7.2.1-3; TS 38.214, table 5.2.1.4-2).
        cqi_subband: Option<u32> => between(1, 275);
        /// In a network, measurements whose interference a report averages: its own and those before,
        /// `cqi_period` apart. Default: 1, the interference of its TTI alone. Both standards leave the
        /// number to the receiver (TS 36.213, 7.2.3; TS 38.214, 5.2.2.1).
        cqi_interference: u32 = 1 => between(1, 64);
        /// In a network, by how much a failed first transmission lowers the outer loop, which
        /// makes `bler_target` of them fail; "0 dB" is without. Default: 0.5 dB, a choice of
        /// this model.
        outer_loop: Db = Db(0.5) => between(Db(0.0), Db(10.0));
    }
}

record! {
    /// The radio channel between the cell and UEs with a distance.
    pub struct Radio {
        /// Carrier frequency downlink, with duplex = "tdd" of both directions. Default with duplex
        /// = "fdd": the pair of `carrier_up` in its band, and without that 2.12 GHz, EARFCN 100 of
        /// band 1 (TS 36.101, 5.7.3). Default with "tdd": 3.5 GHz, in band 42 of LTE and n77 of NR,
        /// with numerology 3 28 GHz, in band n257. These are choices of this model.
        carrier: Option<Hertz> => between(Hertz(100_000_000), Hertz(100_000_000_000));
        /// Carrier frequency uplink, with duplex = "fdd" alone. Default: the pair of `carrier` in
        /// its band (TS 36.101, table 5.5-1; TS 38.101-1, table 5.2-1), and without that 1.93
        /// GHz, EARFCN 18100 of band 1.
        carrier_up: Option<Hertz> => between(Hertz(100_000_000), Hertz(100_000_000_000));
        /// Operating band, as "3" of LTE (TS 36.101, table 5.5-1) or "n78" of NR (TS 38.101-1 and
        /// TS 38.101-2, tables 5.2-1). Default: the lowest number that has the carriers.
        band: Option<String>;
        /// Power of the cell over its whole bandwidth. Default: 46 dBm (TR 36.942,
        /// table 4.6, for 10, 15 and 20 MHz; up to 5 MHz it has 43 dBm).
        transmit_power: Dbm = Dbm(46.0) => between(Dbm(-50.0), Dbm(80.0));
        /// Largest power of a UE. Default: 23 dBm, power class 3 (TS 36.101, table
        /// 6.2.2-1).
        ue_power: Dbm = Dbm(23.0) => between(Dbm(-50.0), Dbm(80.0));
        /// Power of a UE in the resource blocks that it is granted. Default: "fractional", as in a
        /// network.
        power_control: UplinkPowerControl = UplinkPowerControl::Fractional;
        /// With "fractional", the power that is received in 180 kHz, a resource block of LTE, if
        /// all of the path loss is made up for. Default: -80 dBm, a choice of this model; TS
        /// 36.331, 6.3.2, has -126 to 24 dBm.
        p0: Dbm = Dbm(-80.0) => between(Dbm(-126.0), Dbm(24.0));
        /// With "fractional", the share of the path loss that is made up for. Default: 0.8, a
        /// choice of this model; TS 36.213, 5.1.1.1, has 0 and 0.4 to 1.
        alpha: f64 = 0.8 => between(0.0, 1.0);
        /// Antenna gain of the cell less its cable loss. Default: 15 dB (TR 36.942,
        /// 4.2.1.2, at 2 GHz; at 900 MHz it has 12 dB).
        antenna_gain: Db = Db(15.0) => between(Db(-100.0), Db(100.0));
        /// Antenna gain of a UE. Default: 0 dB (TR 36.942, 4.2).
        ue_antenna_gain: Db = Db(0.0) => between(Db(-100.0), Db(100.0));
        /// Noise figure of the UE. Default: 9 dB, which LTE's requirements assume (Sesia,
        /// Toufik, Baker, "LTE: The UMTS Long Term Evolution", 2011, p. 479).
        noise_figure: Db = Db(9.0) => between(Db(0.0), Db(50.0));
        /// Noise figure of the cell. Default: 5 dB (TR 36.942, table
        /// 4.6).
        cell_noise_figure: Db = Db(5.0) => between(Db(0.0), Db(50.0));
        /// Path loss. Default: "tr36.942-urban" (TR 36.942, 4.5.2).
        path_loss: PathLoss = PathLoss::Tr36942Urban;
        /// Least loss between the antennas, gains included. Default: 70 dB (TR 25.951,
        /// for macro cells).
        min_coupling_loss: Db = Db(70.0) => between(Db(0.0), Db(200.0));
        /// Height of the cell's antenna above ground, for "okumura-hata". Default: 30 m
        /// (TR 36.942, table 4.3).
        antenna_height: Metres = Metres(30.0) => between(Metres(1.0), Metres(1_000.0));
        /// Height of the cell's antenna above the average rooftop, for
        /// "tr36.942-urban". Default: 15 m (TR 36.942, 4.5.2).
        antenna_above_roof: Metres = Metres(15.0) => between(Metres(0.1), Metres(50.0));
        /// Height of a UE above ground, for "okumura-hata". Default: 1.5 m (TR 36.814,
        /// table B.1.2.1-1).
        ue_height: Metres = Metres(1.5) => between(Metres(0.5), Metres(100.0));
    }
}

choice! {
    /// A model of path loss.
    pub enum PathLoss {
        /// Macro cell in urban and suburban areas (TR 36.942, 4.5.2).
        Tr36942Urban = "tr36.942-urban",
        /// Okumura and Hata for large cities (Hata, 1980).
        OkumuraHata = "okumura-hata",
        /// Free space (Friis, 1946).
        FreeSpace = "free-space",
    }
    hint "UMa, UMi and RMa (TR 38.901) are in [network], as environment = \"uma\", with layout = \
          \"single\" for one cell"
}

record! {
    /// Times of the steps of a transmission, each in transmission time intervals
    /// ("2 tti") or as such ("2 ms"). With duplex = "tdd" they are the least: the next slot that
    /// serves is taken. `grant_to_transmission` is NR's k2, `data_to_feedback` its k1; k0 is 0,
    /// the assignment is in the slot of its data. With `tdd_configuration` tables have both.
    pub struct Timing {
        /// Time from the decision which UE is served downlink to the beginning of the transmission.
        /// Default: 1 tti. TR 36.912, B.2.1, has 1.5 for the base station. Half a TTI of that is
        /// counted as the wait for a subframe, which here happens by itself.
        downlink_preparation: Span = Span::ttis(1);
        /// In the UE, from the end of the transmission to the delivery of its data.
        /// Default: 1 tti, a choice of this model: with `downlink_preparation` and the
        /// subframe itself an idle cell takes 3 ms, as ns-3's. TR 36.912, B.2.1, has 1.5.
        downlink_processing: Span = Span::ttis(1);
        /// A scheduling request on the air. Default: 1 tti (table A.1 of the source of
        /// docs/latency.md, step 2).
        sr_transmission: Span = Span::ttis(1);
        /// From the end of a scheduling request's subframe to its effect at the
        /// cell. Default: 1 tti; with `grant_preparation` the 3 of step 3 in table A.1
        /// of the source of docs/latency.md: the request is decoded, the grant made.
        sr_detection: Span = Span::ttis(1);
        /// With access "reported", from the making of a buffer status report to its
        /// effect at the cell. Default: 4 tti, as from grant to transmission (TS 36.213,
        /// 8.0).
        report_preparation: Span = Span::ttis(4);
        /// From the decision which UE is served uplink to the subframe of its grant.
        /// Default: 2 tti, as above.
        grant_preparation: Span = Span::ttis(2);
        /// A grant on the air. Default: 1 tti (table A.1 of the source of docs/latency.md,
        /// step 4: the whole subframe, though the control region is its beginning).
        grant_transmission: Span = Span::ttis(1);
        /// From its end until the UE fills the transport block: what comes later waits
        /// for the next grant. Default: 1 tti, of the 3 of step 5 in table A.1 of
        /// the source of docs/latency.md for decoding the grant and encoding the data.
        grant_decoding: Span = Span::ttis(1);
        /// From the subframe of a grant to that of the transmission. Default: 4 tti
        /// (TS 36.213, 8.0: subframe n + 4 for FDD).
        grant_to_transmission: Span = Span::ttis(4);
        /// Time from the UE's filling of the transport block to its transmission, with access
        /// "configured" or "instant". Default: 1 tti. With the wait for the beginning of an
        /// interval, half a tti in the mean, it is half of 3 ms. TR 36.912, B.1, has 3 ms for
        /// decoding a grant and encoding the data.
        data_preparation: Span = Span::ttis(1);
        /// A transmission uplink on the air, at most a tti. Default: 1 tti. ns-3 leaves the
        /// last of the 14 symbols to sounding: "928571 ns".
        uplink_transmission: Span = Span::ttis(1);
        /// In the cell, from the end of the transmission to the delivery of its data.
        /// Default: 1 tti, a choice of this model, as for `downlink_processing`; table A.1
        /// of the source of docs/latency.md, step 7, has 1.5.
        uplink_processing: Span = Span::ttis(1);
        /// With duplex = "tdd", from the slot of a transmission downlink to that of its feedback,
        /// 1 tti or more. Default: 4 tti, within the 1 to 8 that a UE knows before it is
        /// configured (TS 38.213, 9.2.3), as LTE's with FDD (TS 36.213, 7.3).
        data_to_feedback: Span = Span::ttis(4);
        /// Time from a transmission to the retransmission of the same HARQ process; longer where
        /// feedback takes longer. With duplex = "tdd", downlink the part beyond `data_to_feedback`
        /// begins with the slot of the feedback. With asynchronous HARQ uplink it does not count
        /// there: the other steps make the round trip. Default: 8 tti (TS 36.213, 7 and 8: eight
        /// processes for FDD).
        harq_round_trip: Span = Span::ttis(8);
    }
}

record! {
    /// Hybrid ARQ.
    pub struct Harq {
        /// Sends blocks again by the MAC that were received in error. Default: true.
        enabled: bool = true;
        /// Transmissions of a transport block, the first included. Default: 4, once
        /// each redundancy version (TS 36.321, 5.4.2.2).
        max_transmissions: u8 = 4 => between(1, 28);
        /// Time at which blocks are sent again uplink; downlink HARQ is asynchronous. Default:
        /// "synchronous" with LTE and duplex = "fdd" or `tdd_configuration` (TS 36.321, 5.4.2),
        /// "asynchronous" with other patterns and with NR (TS 38.321, 5.4.2).
        uplink: Option<HarqUplink>;
        /// HARQ processes of a UE in each direction, with uplink = "asynchronous"; otherwise
        /// they are as many as intervals in a round trip. Default: 16 (TS 38.214, 5.1 and
        /// 6.1).
        processes: Option<u16> => between(1, 32);
        /// Combining of the transmissions of a transport block at its receiver. Default:
        /// "incremental", as the redundancy versions of both technologies are for (TS 36.212,
        /// 5.1.4.1.2; TS 38.212, 5.4.2.1).
        combining: Combining = Combining::Incremental;
        /// Share of first transmissions that fail, in both directions and whatever the
        /// channel; what is sent again then arrives. For comparisons with calculations
        /// that assume a share. Default: errors follow from SINR, scheme and size.
        error: Option<f64> => between(0.0, 1.0);
    }
}

choice! {
    /// Time at which blocks are sent again uplink.
    pub enum HarqUplink {
        /// A round trip after they were sent, without a grant; the interval decides the process.
        Synchronous = "synchronous",
        /// At the next grant for them, in any process.
        Asynchronous = "asynchronous",
    }
}
