//! Table `[[flow]]` of the scenario file: traffic between UEs and hosts.

use core::net::Ipv4Addr;

use airpath_base::{Bytes, Direction, Duration};
use airpath_schema::units::Size;
use airpath_schema::{above, at_least, between, choice, record};

use super::{
    Dscp, Gcc, Indices, MediaControl, Nada, Names, Player, Quic, Requests, Scream, Tcp, Tos, Video,
    Web, Webrtc, Xr,
};

/// Address of a server (RFC 5737, TEST-NET-2).
const SERVER: Ipv4Addr = Ipv4Addr::new(198, 51, 100, 1);

record! {
    /// An application flow of each of its UEs, to or from a server, or a full buffer at the
    /// radio.
    pub struct Flow {
        /// Name of the flow.
        name: String;
        /// Groups of UEs that have it, by name. Default: all.
        ue: Names;
        /// Numbers of the UEs of each group that have it, counted from 0: "0-4, 7". Default: all.
        only: Option<Indices>;
        /// Protocol that carries the flow.
        kind: FlowKind;
        /// Direction of the flow's data.
        direction: Direction;
        /// Time of its beginning: "20 ms", or { min = "1 s", max = "3 s" } drawn evenly for each
        /// UE. Default: 0 s.
        start: Start = Start { min: Duration::ZERO, max: Duration::ZERO };
        /// Time at which its application stops: from then on nothing is sent but repairs of losses,
        /// whatever the send buffer holds. Goodput counts until the last delivery. Default: at the
        /// end of the run.
        stop: Option<Duration> => above(Duration::ZERO);
        /// State of the flow: active, it makes data. A change may pause it and let it go on.
        /// Paused, it makes no more, and data that have left it are still delivered. TCP takes back
        /// what has not been sent, RTP and video leave out what they would have made. Applications
        /// make no more requests, and a player plays what it has. Default: true.
        active: Option<bool>;
        /// Bearer of a full buffer, by name; for "full-buffer" only, as filters choose those of
        /// packets. Default: the default bearer of each UE.
        bearer: Option<String>;
        /// Amount that it sends, for "tcp" and "quic": "1 MB", or "greedy" for as much as the transport lets it.
        /// Default: "greedy".
        size: Option<Size> => above(Bytes(0));
        /// DSCP of its packets in both directions, as a number or a name: 46, "EF" (IANA,
        /// DSCP). Default: 0 (RFC 2474, 4.1).
        dscp: Option<Dscp>;
        /// DSCP as type of service, whose ECN bits must be 0: "0x14". Not beside `dscp`.
        tos: Option<Tos>;
        /// Gives the same DSCP to packets that answer. Default: true (RFC 2474 leaves it open;
        /// sockets take it from their own options).
        mark_feedback: bool = true;
        /// Address of the server. Default: 198.51.100.1 (RFC 5737, TEST-NET-2).
        remote_address: Ipv4Addr = SERVER;
        /// Port of the server. Default: the first free one from 5001.
        remote_port: Option<u16> => at_least(1);
        /// Port of the UE. Default: the first free one from 49152 (RFC 6335, 6, dynamic
        /// ports).
        local_port: Option<u16> => at_least(1);
        /// Further propagation delay between its server and the link to the gateway, in each direction: servers are at several
        /// distances. Default: 0 s.
        server_delay: Duration = Duration::ZERO => between(Duration::ZERO, Duration::from_secs(60));
        /// Options of TCP, at both ends; for "tcp" only.
        tcp: Option<Tcp>;
        /// A player at the UE, instead of `size`; for "tcp" downlink only. Default: none.
        player: Option<Player>;
        /// Requests by the UE, instead of `size`; for "tcp" downlink only. Default: none.
        requests: Option<Requests>;
        /// A user of the web at the UE, instead of `size`; for "tcp" downlink only. Default: none.
        web: Option<Web>;
        /// Options of RTP; for "rtp" only.
        rtp: Option<Rtp>;
        /// Options of QUIC; for "quic" only.
        quic: Option<Quic>;
        /// Options of WebRTC; for "webrtc" only.
        webrtc: Option<Webrtc>;
        /// Traffic of extended reality, by the name of its model or with its options; for "xr" only.
        xr: Option<Xr>;
    }
}

choice! {
    /// Protocol that carries a flow.
    pub enum FlowKind {
        /// TCP (RFC 9293).
        Tcp = "tcp",
        /// RTP over UDP (RFC 3550): packets at a constant rate, or video.
        Rtp = "rtp",
        /// QUIC (RFC 9000) by a real stack; with the feature `stacks` of the program.
        Quic = "quic",
        /// A call of WebRTC (RFC 8825) by a real stack; with the feature `stacks` of the program.
        Webrtc = "webrtc",
        /// RTP over UDP (RFC 3550): frames of extended reality and cloud gaming by a statistical
        /// model (TR 38.838, 5), without congestion control.
        Xr = "xr",
        /// Nothing: the radio alone. There are no packets. The bearer always has data, each
        /// transport block that is granted is filled, and what counts is the bytes in blocks
        /// that were decoded.
        FullBuffer = "full-buffer",
    }
}

record! {
    /// A start, or the interval it is drawn from.
    pub struct Start(min, max) {
        /// The earliest time.
        min: Duration;
        /// The latest.
        max: Duration;
    }
}

record! {
    /// A stream of equal packets at equal distances, or video.
    pub struct Rtp {
        /// Payload of UDP, with the header of RTP (12 bytes). Default: 172 B, 20 ms of
        /// G.711 (RFC 3551, 4.5.14).
        payload: Bytes = Bytes(172) => between(Bytes(12), Bytes(65_487));
        /// Time between packets. Default: 20 ms (RFC 3551, 4.2).
        interval: Duration = Duration::from_millis(20)
            => between(Duration::from_micros(1), Duration::from_secs(3_600));
        /// Number of packets. Default: until the flow stops.
        count: Option<u64> => at_least(1);
        /// Answer of the receiver to each packet, of so many bytes: commands and the state that
        /// comes back. The results have its round trip as that of requests. Default: no answers.
        answer: Option<Answer>;
        /// Codec of voice, for its quality by the E-model (ITU-T G.107). Packets are whole frames of it. Default: "g711-plc" with
        /// the payload and the interval of G.711, else none.
        codec: Option<VoiceCodec>;
        /// An encoder instead of the equal packets. Default: none.
        video: Option<Video>;
        /// Congestion control of the video. Default: "none".
        congestion_control: MediaControl = MediaControl::None;
        /// Options of congestion_control = "scream".
        scream: Option<Scream>;
        /// Options of congestion_control = "gcc".
        gcc: Option<Gcc>;
        /// Options of congestion_control = "nada".
        nada: Option<Nada>;
    }
}

record! {
    /// Answers to equal packets.
    pub struct Answer(payload) {
        /// Payload of UDP, with the header of RTP (12 bytes).
        payload: Bytes => between(Bytes(12), Bytes(65_487));
        /// Time from a packet to its answer. Default: 0 s.
        delay: Duration = Duration::ZERO => between(Duration::ZERO, Duration::from_secs(3_600));
    }
}

choice! {
    /// Codec of voice, with the equipment impairment factor and the packet-loss robustness that ITU-T G.113, appendix I, has for
    /// it.
    pub enum VoiceCodec {
        /// G.711 without concealment of losses: 0 and 4.3.
        G711 = "g711",
        /// G.711 with the concealment of its appendix I: 0 and 25.1.
        G711Plc = "g711-plc",
        /// G.729A with voice activity detection: 11 and 19.0.
        G729a = "g729a",
        /// G.723.1 at 6.3 kbit/s with voice activity detection: 15 and 16.1.
        G7231 = "g723.1",
        /// GSM enhanced full rate: 5 and 10.0.
        GsmEfr = "gsm-efr",
    }
}

impl VoiceCodec {
    /// Equipment impairment factor Ie and packet-loss robustness factor Bpl (ITU-T G.113, appendix I).
    pub fn impairment(self) -> [f64; 2] {
        match self {
            VoiceCodec::G711 => [0.0, 4.3],
            VoiceCodec::G711Plc => [0.0, 25.1],
            VoiceCodec::G729a => [11.0, 19.0],
            VoiceCodec::G7231 => [15.0, 16.1],
            VoiceCodec::GsmEfr => [5.0, 10.0],
        }
    }

    /// Bytes of a frame and the time that it lasts (RFC 3551, 4.5.3, 4.5.6, 4.5.9 and 4.5.14; a byte of G.711 is a sample).
    pub(crate) fn frame(self) -> (Bytes, Duration) {
        match self {
            VoiceCodec::G711 | VoiceCodec::G711Plc => (Bytes(1), Duration::from_micros(125)),
            VoiceCodec::G729a => (Bytes(10), Duration::from_millis(10)),
            VoiceCodec::G7231 => (Bytes(24), Duration::from_millis(30)),
            VoiceCodec::GsmEfr => (Bytes(31), Duration::from_millis(20)),
        }
    }
}

impl Flow {
    /// Equipment impairment and packet-loss robustness of its codec of voice; none of other flows.
    pub fn voice(&self) -> Option<[f64; 2]> {
        let rtp = self.rtp.as_ref().filter(|_| self.kind == FlowKind::Rtp)?;
        Some(rtp.codec?.impairment())
    }

    /// Name of the flow whose packets are the input that its frames show; none if the file names none.
    pub fn input(&self) -> Option<&str> {
        let video = self.video().and_then(|(video, _)| video.input.as_deref());
        video.or(self.xr.as_ref()?.input.as_deref())
    }

    /// True if its receiver sends packets too: ACKs, reports, answers.
    pub(crate) fn is_answered(&self) -> bool {
        let reports = |rtp: &Rtp| rtp.congestion_control != MediaControl::None;
        match self.kind {
            FlowKind::Tcp | FlowKind::Quic | FlowKind::Webrtc => true,
            FlowKind::Rtp => {
                self.rtp.as_ref().is_some_and(|rtp| rtp.answer.is_some() || reports(rtp))
            }
            FlowKind::Xr | FlowKind::FullBuffer => false,
        }
    }

    /// DSCP of the packets that answer.
    pub fn feedback_code_point(&self) -> u8 {
        if self.mark_feedback { self.code_point() } else { 0 }
    }

    /// Ports that its UE takes, from `local_port` on.
    pub fn ports(&self) -> u16 {
        if matches!(self.kind, FlowKind::Quic | FlowKind::Webrtc) {
            return if self.quic.as_ref().is_some_and(|q| q.new_port.is_some()) { 2 } else { 1 };
        }
        let many = |per_connection: Option<u32>, connections: u32| {
            per_connection.is_some() || connections > 1
        };
        let player = self.player.as_ref().is_some_and(|p| many(p.requests_per_connection, 1));
        let requests = self.requests.as_ref();
        let requests = requests.is_some_and(|r| many(r.requests_per_connection, r.connections));
        let web = self.web.as_ref();
        let web = web.is_some_and(|w| many(w.requests_per_connection, w.connections));
        if player || requests || web { airpath_traffic::PORTS } else { 1 }
    }

    /// True if it is a full buffer, and so has no packets.
    pub fn is_full_buffer(&self) -> bool {
        self.kind == FlowKind::FullBuffer
    }

    /// The keys that are set although they are of packets and their ends.
    pub(crate) fn keys_of_packets(&self) -> impl Iterator<Item = &'static str> {
        let keys = [
            ("size", self.size.is_some()),
            ("dscp", self.dscp.is_some()),
            ("tos", self.tos.is_some()),
            ("mark_feedback", !self.mark_feedback),
            ("server_delay", self.server_delay != Duration::ZERO),
            ("remote_address", self.remote_address != SERVER),
            ("remote_port", self.remote_port.is_some()),
            ("local_port", self.local_port.is_some()),
            ("tcp", self.tcp.is_some()),
            ("player", self.player.is_some()),
            ("requests", self.requests.is_some()),
            ("web", self.web.is_some()),
            ("rtp", self.rtp.is_some()),
            ("quic", self.quic.is_some()),
            ("webrtc", self.webrtc.is_some()),
            ("xr", self.xr.is_some()),
        ];
        keys.into_iter().filter(|(_, set)| *set).map(|(key, _)| key)
    }

    /// Its video, and the name of the table that has it.
    pub fn video(&self) -> Option<(&Video, &'static str)> {
        let rtp = self.rtp.as_ref().and_then(|rtp| Some((rtp.video.as_ref()?, "rtp")));
        rtp.or_else(|| Some((self.webrtc.as_ref()?.video.as_ref()?, "webrtc")))
    }

    /// Its video, and the name of the table that has it.
    pub(crate) fn video_mut(&mut self) -> Option<(&mut Video, &'static str)> {
        let rtp = self.rtp.as_mut().and_then(|rtp| Some((rtp.video.as_mut()?, "rtp")));
        rtp.or_else(|| Some((self.webrtc.as_mut()?.video.as_mut()?, "webrtc")))
    }

    /// Flows of each of its UEs in results: two for a call in both directions.
    pub fn flows_of_ue(&self) -> usize {
        let call = self.webrtc.as_ref().filter(|_| self.kind == FlowKind::Webrtc);
        if call.is_some_and(|call| call.both_directions) { 2 } else { 1 }
    }

    /// True if it makes data from the beginning.
    pub fn is_active(&self) -> bool {
        self.active.unwrap_or(true)
    }

    /// True if its application requests its data.
    pub fn asks(&self) -> bool {
        self.player.is_some() || self.requests.is_some() || self.web.is_some()
    }

    /// The kind of application that it is, as results name it.
    pub fn application(&self) -> &'static str {
        let kinds = [
            ("video", self.video().is_some()),
            ("player", self.player.is_some()),
            ("requests", self.requests.is_some()),
            ("web", self.web.is_some()),
        ];
        let kind = kinds.into_iter().find(|(_, is)| *is).map(|(name, _)| name);
        let model = self.xr.as_ref().filter(|_| self.kind == FlowKind::Xr);
        kind.or(model.map(|xr| xr.model.word())).unwrap_or(self.kind.word())
    }

    /// DSCP of its packets, by either key.
    pub fn code_point(&self) -> u8 {
        self.dscp.map(|dscp| dscp.0).or(self.tos.map(|tos| tos.0 >> 2)).unwrap_or(0)
    }
}
