//! Table `[output]` of the scenario file: what a run records.

use airpath_base::{BitRate, Bytes, Duration};
use airpath_schema::units::Every;
use airpath_schema::{above, between, choice, record};

record! {
    /// Recorded tables and captures, and the time from which on statistics count.
    pub struct Output {
        /// Time at the beginning that no statistic counts. Left out are packets, frames and
        /// requests of that time, and all that happens at queues, links and the radio in it. Tables
        /// with a row for each packet, frame, request, radio state or sample have it all the same.
        /// Default: 0 s.
        warm_up: Duration = Duration::ZERO => between(Duration::ZERO, Duration::from_secs(86_400));
        /// A user whose application gets less counts as one of a low rate. Default: 2 Mbit/s,
        /// below which a video game cannot be shown (D. Brunello, KTH 2020, 6.2).
        low_rate: BitRate = BitRate::from_mbps(2)
            => between(BitRate::from_bps(0), BitRate::from_mbps(1_000_000));
        /// Time within which frames count as `within_share`, and RTP packets of flows without frames. Default: the deadline of
        /// each frame.
        within: Option<Duration> => above(Duration::ZERO);
        /// Writes a table with a row for each packet. Default: false.
        packets: bool = false;
        /// Writes a table with a row for each frame of video. Default: false.
        frames: bool = false;
        /// Interval at which rates, windows and queues are sampled, or "off". Default: "off".
        series: Every = Every::Off => above(Duration::ZERO);
        /// Interval at which positions of UEs with a `route` are recorded, or "off". Default: 1 s where UEs
        /// have routes.
        positions: Option<Every> => above(Duration::ZERO);
        /// Writes a table with a row for each transmission of a transport block: its content, the
        /// control channel, and the data that waited. Recorded are blocks of the "worst" cell in
        /// the span of `blocks_span` in which its packets waited longest. Or they are those of the
        /// "window" of that length from `blocks_from` on, or of "all" the run. Default: "off".
        blocks: RecordedBlocks = RecordedBlocks::Off;
        /// Beginning of the window with blocks = "window". Default: 0 s.
        blocks_from: Duration = Duration::ZERO => between(Duration::ZERO, Duration::from_secs(86_400));
        /// Length of that window, and of the spans of which the worst is sought. Default: 2 s.
        blocks_span: Duration = Duration::from_secs(2) => between(Duration::from_millis(1), Duration::from_secs(86_400));
        /// Points of the path to capture at, as pcapng files. Default: none.
        pcap: Vec<PcapPoint>;
        /// Bytes of each packet that a capture keeps. Default: 262144 B, all (tcpdump).
        snaplen: Bytes = Bytes(262_144) => between(Bytes(1), Bytes(262_144));
        /// Point of `pcap` whose flows of TCP and QUIC are written as qlog 0.3, too: the 16 largest, a file each. Both ends of
        /// each connection of QUIC then write their own. Default: none.
        qlog: Option<PcapPoint>;
    }
}

choice! {
    /// Transport blocks that are recorded.
    pub enum RecordedBlocks {
        /// No transport blocks.
        Off = "off",
        /// Blocks of the worst cell in its worst span. There the 95th percentile of the time that
        /// packets waited at PDCP and RLC is highest. Where that is equal, the span counts in which
        /// more of the resource blocks were used.
        Worst = "worst",
        /// Blocks of a window.
        Window = "window",
        /// All transport blocks.
        All = "all",
    }
}

choice! {
    /// A point to capture at.
    pub enum PcapPoint {
        /// At the servers.
        Server = "server",
        /// Between servers and proxy, at the proxy.
        Proxy = "proxy",
        /// Between servers and gateway; with a proxy before the gateway, between both.
        Sgi = "sgi",
        /// Between gateway and cell, with GTP-U.
        S1 = "s1",
        /// Between cells, with GTP-U: downlink packets that a cell forwards during a handover, at the begin of
        /// their way. Needs `network.handover.forwarding`.
        X2 = "x2",
        /// At the UEs.
        Ue = "ue",
        /// Transport blocks on the air, as Wireshark's dissectors of MAC take them; with a profile
        /// for it in the folder `wireshark`.
        Mac = "mac",
    }
}
