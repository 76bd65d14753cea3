//! Bearers and the filters that choose them.

use airpath_base::{BitRate, Bytes, Duration};
use airpath_net::Direction;
use airpath_schema::units::{Rate, Timer};
use airpath_schema::{above, above_to, between, choice, one_of, record};

use super::{
    AcknowledgedMode, Dscp, FilterDirection, Indices, Names, PduFilling, PduSets, Ports, Prefix,
    PrimaryPath, Protocol, QueueConfig, Tos, UplinkMarking,
};

record! {
    /// A bearer of each of its UEs.
    ///
    /// Values that the specifications leave to the operator follow from the QCI or the 5QI. By its
    /// characteristics (TS 23.203, table 6.1.7-A; TS 23.501, table 5.7.4-1) have defaults: `rlc`,
    /// `queue`, `discard_timer`, `priority` and `prioritised_bit_rate`.
    pub struct Bearer {
        /// Name of the bearer. Default: "default".
        name: String = "default".to_owned();
        /// Groups of UEs that have it, by name: "phones", or ["phones", "cameras"].
        /// Default: all.
        ue: Names;
        /// Numbers of the UEs of each group that have it, counted from 0: "0-4, 7". Default: all.
        only: Option<Indices>;
        /// Class of service (TS 23.203, table 6.1.7-A): 1 to 9, 65, 66, 69, 70, 75, 79.
        /// Default: 9, as a default bearer for the Internet has, unless there is a `five_qi`.
        qci: Option<u8> => one_of(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 65, 66, 69, 70, 75, 79]);
        /// Class of service of 5G (TS 23.501, table 5.7.4-1), instead of `qci`: 1 to 10, 65 to 67,
        /// 69 to 76, 79, 80, 82 to 90. Default: none.
        five_qi: Option<u8> => one_of(&[
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 65, 66, 67, 69, 70, 71, 72, 73, 74, 75, 76, 79, 80, 82,
            83, 84, 85, 86, 87, 88, 89, 90,
        ]);
        /// Makes it the default bearer, which takes what no filter matches (TS 23.401, 4.7.2.1).
        /// Default: false.
        default: bool = false;
        /// Guaranteed bit rate (TS 23.203, 6.1.7.3), which becomes the prioritised one.
        /// Default: none.
        guaranteed_bit_rate: Option<BitRate> => above(BitRate::from_bps(0));
        /// Class of traffic, a name by which schedulers and results tell bearers apart. Default:
        /// none, the default class.
        traffic_class: Option<String>;
        /// RLC mode. Default: "am" if the QCI's packet loss rate is 10^-6, or the 5QI's packet
        /// error rate below 10^-3 and it is not delay-critical; else "um".
        rlc: Option<RlcMode>;
        /// PDCP's queue at the cell, of any kind that a link can have: { kind = "codel" }. Or the
        /// limit of drop-tail, as "100 packets", "64 KiB" or "unlimited", in which a packet counts
        /// until its last byte is sent. Default: drop-tail, "unlimited" where the QCI has a discard
        /// timer. Else the default is the limit of a UE of category 4, 1900000 B (TS 36.306, table
        /// 4.1-3).
        queue: Option<QueueConfig>;
        /// PDCP's queue at the UE, as `queue` at the cell. Default: as `queue` if that is
        /// drop-tail, else as the default of `queue`.
        uplink_queue: Option<QueueConfig>;
        /// PDCP's discard timer: time after which a packet that still waits is dropped (TS 36.331,
        /// 6.3.2; TS 38.331, 6.3.2). Default: "infinity" where `rlc` would be "am" by default.
        /// Else, for a QCI, it is the value of TS 36.331 nearest to the radio's share of its delay
        /// budget. For a 5QI it is the least of TS 38.331 that is not below that share.
        discard_timer: Option<Timer> => above(Duration::ZERO);
        /// Priority of the logical channel, 1 first (TS 36.331, 6.3.2). Default: in the
        /// order of the QCIs' priorities.
        priority: Option<u8> => between(1, 16);
        /// Rate that the logical channel gets before those of lower priority
        /// (TS 36.321, 5.4.3.1). Default: the guaranteed rate or 64 kbit/s, as the next
        /// value of TS 36.331, 6.3.2.
        prioritised_bit_rate: Option<Rate>;
        /// Time over which the prioritised rate may be saved up: bucketSizeDuration. Default: 100
        /// ms (TS 36.331, 6.3.2, has 50 to 1000 ms).
        bucket: Duration = Duration::from_millis(100)
            => above_to(Duration::ZERO, Duration::from_secs(10));
        /// Group that buffer status reports count it in: 0 to 3 in a user plane of LTE (TS
        /// 36.321, 5.4.5), 0 to 7 in one of NR (TS 38.321, 5.4.5). Default: 1 with a guaranteed
        /// rate, 2 with a delay budget to 100 ms, else 3.
        group: Option<u8> => between(0, 7);
        /// Bits of PDCP's sequence number: 7 or 12 for "um", 12, 15 or 18 for "am"
        /// (TS 36.323, 6.2); in NR 12 or 18 (TS 38.323, 6.2.2). Default: 12.
        pdcp_sn: u8 = 12 => one_of(&[7, 12, 15, 18]);
        /// Bits of RLC's sequence number: 5 or 10 for "um", 10 for "am" (TS 36.322,
        /// 6.2.2.3); in NR 6 or 12 for "um", 12 or 18 for "am" (TS 38.322, 6.2.3.3). Default:
        /// 10, in NR 12.
        rlc_sn: Option<u8> => one_of(&[5, 6, 10, 12, 18]);
        /// t-Reordering: time that the receiver waits for data that others have overtaken. In LTE
        /// RLC waits for a PDU (to 1.6 s), in NR PDCP for a packet (to 3 s). Default: 35 ms (TS
        /// 36.331, 9.2.1.1). In NR it is, of the values of TS 38.331, 6.3.2, 100 ms with "um". With
        /// "am", where RLC repairs what is lost, it is the longest, 3 s.
        reordering: Option<Duration> => between(Duration::ZERO, Duration::from_millis(3_000));
        /// t-Reassembly: how long RLC's receiver in NR waits for bytes that others have overtaken.
        /// Default: 35 ms, of the values of TS 38.331, 6.3.2; as t-Reordering in LTE.
        reassembly: Duration = Duration::from_millis(35)
            => between(Duration::ZERO, Duration::from_millis(2_200));
        /// With a [[carrier]] of role = "leg", uses both anchor and leg (split bearer, TS 37.340, 4.2.2). Default: true
        /// where `rlc` is "am", or `duplication` is given.
        split: Option<bool>;
        /// With `split`, path of uplink data below `split_threshold` (primaryPath, TS 38.331, 6.3.2). Default: "leg".
        primary_path: Option<PrimaryPath>;
        /// With `split`, uplink data from which on both paths are taken (ul-DataSplitThreshold, TS 38.331, 6.3.2).
        /// Default: none, which is infinity, that of the standard.
        split_threshold: Option<Bytes>;
        /// With `split`, t-Reordering of PDCP (TS 38.331, 6.3.2), beside that of RLC. Default: 3 s, the longest, as RLC
        /// repairs what is lost. With "um" it is 100 ms.
        split_reordering: Option<Duration> => between(Duration::ZERO, Duration::from_millis(3_000));
        /// With `split`, directions in which PDCP duplicates: each packet takes both anchor and leg, and the first counts (TS
        /// 38.323, 5.11). `split_threshold` does not count there. Default: none, each packet takes one path.
        duplication: Option<Duplication>;
        /// Delivers packets as they come, by PDCP in NR (outOfOrderDelivery, TS 38.331, 6.3.2).
        /// Default: false, in order.
        out_of_order: bool = false;
        /// QoS flows that SDAP maps to this bearer (TS 37.324), beside what else it takes; each
        /// has a queue of its own at PDCP. In NR only. Default: none, one queue for all.
        qos_flow: Vec<QosFlow>;
        /// Marks of uplink packets at the cell, by an estimate of their wait in the UE. The
        /// estimate is reported bytes over the mean rate of grants. Default: none.
        uplink_marking: Option<UplinkMarking>;
        /// Marking by `uplink_marking` and by its queues of kind ramp, step and l4span, where it
        /// has any. Off, they pass on packets that they would have marked or dropped. Default:
        /// true.
        marking: Option<bool>;
        /// Interval at which the cell reports congestion of the bearer to the gateway, in NR. It is the share of packets that
        /// its queue or `uplink_marking` would mark. The gateway marks instead of the cell (ECN marking for L4S at the UPF:
        /// TS 23.501, 5.37.3.3). Default: none, the cell marks.
        congestion_reports: Option<Duration>
            => between(Duration::from_millis(1), Duration::from_secs(10));
        /// Exposure of the rate that the bearer could have downlink, in NR: rate_exposure = { period = "100 ms", delay = "20 ms" }.
        /// Flows with `rtp.video` on it take the rate as the most of their encoders. Default: none.
        rate_exposure: Option<RateExposure>;
        /// Handling of PDU sets, in NR: pdu_sets = { delay_budget = "10 ms", discard = true }. Default: none, every packet
        /// by itself.
        pdu_sets: Option<PduSets>;
        /// Takes resource blocks uplink back that other UEs were granted, with `cell.uplink.cancellation` in NR. All bearers of
        /// a UE have the same. Default: false.
        pre_empts: bool = false;
        /// Filling of a PDU by RLC. Default: "standard".
        pdu_filling: PduFilling = PduFilling::Standard;
        /// Parameters of acknowledged mode.
        am: AcknowledgedMode;
        /// DSCP of the GTP-U packets (TS 23.401, 4.7.3). Default: that of the packet
        /// inside.
        outer_dscp: Option<Dscp>;
        /// The packets that take this bearer: its traffic flow template (TS 24.008,
        /// 10.5.6.12). A default bearer needs none.
        filter: Vec<Filter>;
    }
}

record! {
    /// Exposure of a rate by the network (TS 23.501, 5.37.4 and 5.45): the cell estimates the rate that the UE could have, and
    /// reports it to the servers.
    #[derive(Copy)]
    pub struct RateExposure(period) {
        /// Time over which the cell estimates the rate, and after which it reports it. Default: 100 ms, the choice of this model.
        period: Duration = Duration::from_millis(100)
            => between(Duration::from_millis(1), Duration::from_secs(10));
        /// Time from the end of a period until the servers have the report. Default: 20 ms, the choice of this model.
        delay: Duration = Duration::from_millis(20)
            => above_to(Duration::ZERO, Duration::from_secs(10));
        /// Share of the rate that the encoders take together. The rest is for headers and for what waits. Default: 0.9, the
        /// choice of this model.
        share: f64 = 0.9 => above_to(0.0, 1.0);
    }
}

record! {
    /// A QoS flow of a bearer.
    pub struct QosFlow {
        /// Name of the flow, unique within the bearer.
        name: String;
        /// Its queue at the cell. Default: as the bearer's.
        queue: Option<QueueConfig>;
        /// Its queue at the UE. Default: as the bearer's.
        uplink_queue: Option<QueueConfig>;
        /// The packets that are of it: its packet filter set (TS 23.501, 5.7.6).
        filter: Vec<Filter>;
    }
}

choice! {
    /// RLC mode (TS 36.322, 4.2.1).
    pub enum RlcMode {
        /// Unacknowledged: what HARQ loses is lost.
        Um = "um",
        /// Acknowledged: what HARQ loses is sent again.
        Am = "am",
    }
}

choice! {
    /// Directions in which PDCP duplicates (TS 38.323, 5.11).
    pub enum Duplication {
        /// Downlink alone.
        Downlink = "downlink",
        /// Uplink alone.
        Uplink = "uplink",
        /// Both directions.
        Both = "both",
    }
}

record! {
    /// A packet filter (TS 24.008, 10.5.6.12). A packet matches if all components do;
    /// one that is not there matches every packet. Remote is the server's side, local
    /// the UE's.
    pub struct Filter {
        /// Precedence: filters of lower precedence are evaluated first; unique within a UE.
        /// Default: in the order of the file, from 0.
        precedence: Option<u8>;
        /// Directions in which it applies. Default: "both".
        direction: FilterDirection = FilterDirection::Both;
        /// Protocol: "tcp", "udp" or a number (IANA, Protocol Numbers).
        protocol: Option<Protocol>;
        /// Remote address, or the first bits of it: "198.51.100.1", "198.51.100.0/24".
        remote_address: Option<Prefix>;
        /// Remote port or ports: 5000, "5000-5010".
        remote_port: Option<Ports>;
        /// Local port or ports.
        local_port: Option<Ports>;
        /// Type of service: the octet with DSCP and ECN, "0x14". Not beside `dscp`.
        tos: Option<Tos>;
        /// Bits of the type of service that count. Default: all but ECN, "0xfc".
        tos_mask: Option<Tos>;
        /// DSCP, as a number or a name: 46, "EF" (IANA, DSCP). Not beside `tos`.
        dscp: Option<Dscp>;
        /// Allows it to match nothing that is sent, as in the control run of an experiment.
        /// Default: false, and then that is an error.
        may_be_unused: bool = false;
    }
}

impl Bearer {
    /// True if a resolved bearer takes both paths of dual connectivity.
    pub(crate) fn is_split(&self) -> bool {
        self.split == Some(true)
    }

    /// True where PDCP duplicates, downlink and uplink.
    pub(crate) fn duplicates(&self) -> [bool; 2] {
        let is = |one| self.duplication.is_some_and(|own| own == one || own == Duplication::Both);
        [is(Duplication::Downlink), is(Duplication::Uplink)]
    }

    /// Its queues: QoS flow (0 for what is of none), direction, kind.
    pub(crate) fn queues(&self) -> Vec<(u8, Direction, &QueueConfig)> {
        let flows = self.qos_flow.iter().map(|flow| [&flow.queue, &flow.uplink_queue]);
        let all = core::iter::once([&self.queue, &self.uplink_queue]).chain(flows);
        let both = all.zip(0u8..).flat_map(|(both, flow)| {
            let both = both.into_iter().zip(Direction::ALL);
            both.filter_map(move |(queue, direction)| Some((flow, direction, queue.as_ref()?)))
        });
        both.collect()
    }

    /// True if `marking` switches anything.
    pub(crate) fn has_marks(&self) -> bool {
        self.uplink_marking.is_some() || self.queues().iter().any(|(.., queue)| queue.marks())
    }

    /// True if queues and markers that may mark do so.
    pub(crate) fn marks(&self) -> bool {
        self.marking.unwrap_or(true)
    }

    /// The filters that lead packets to it or to its QoS flows, each with its path behind that of
    /// the bearer.
    pub(crate) fn filters(&self) -> impl Iterator<Item = (String, &Filter)> {
        let own = self.filter.iter().enumerate().map(|(k, filter)| (format!("filter.{k}"), filter));
        let flows = self.qos_flow.iter().enumerate().flat_map(|(n, flow)| {
            let filters = flow.filter.iter().enumerate();
            filters.map(move |(k, filter)| (format!("qos_flow.{n}.filter.{k}"), filter))
        });
        own.chain(flows)
    }
}

impl Filter {
    /// The type of service and the bits of it that count, if the filter looks at it.
    pub fn tos_match(&self) -> Option<(u8, u8)> {
        const DSCP_BITS: u8 = 0xfc;
        let mask = self.tos_mask.map_or(DSCP_BITS, |mask| mask.0);
        let dscp = self.dscp.map(|dscp| (dscp.0 << 2, DSCP_BITS));
        self.tos.map(|tos| (tos.0, mask)).or(dscp)
    }
}
