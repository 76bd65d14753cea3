//! Table `flow.quic` of the scenario file: QUIC of a real stack.

use airpath_base::{Bytes, Duration};
use airpath_schema::{between, choice, record};
use airpath_transport::control::ControllerName;

record! {
    /// QUIC by quinn-proto (RFC 9000), with its own timers, ACK frequency and path MTU discovery. The UE opens.
    pub struct Quic : Default {
        /// Connections that the UE opens at its start. Default: 1.
        connections: u32 = 1 => between(1, 64);
        /// Streams at a time on each connection. `size` is shared evenly among them, or each has a request with `requests` or
        /// `web`. Default: 1, and 100 with requests.
        streams: Option<u32> => between(1, 100);
        /// Congestion control at both ends. Default: "cubic", that of quinn-proto.
        congestion_control: QuicControl = QuicControl::Cubic;
        /// ECN field of its packets. Default: "classic", ECT(0), as quinn-proto sends; "off" for "airpath-bbr" and
        /// "airpath-bbr1", which do not answer such marks; "l4s" for "airpath-prague".
        ecn: Option<QuicEcn>;
        /// Bytes that an end may send on a connection and on a stream before they are read. Default: that of quinn-proto,
        /// 1.25 MB for a stream and no limit for a connection.
        receive_window: Option<Bytes> => between(Bytes(2_048), Bytes(1_000_000_000));
        /// Largest payload of UDP that path MTU discovery tries. Default: 1452 B, that of quinn-proto.
        largest_payload: Bytes = Bytes(1_452) => between(Bytes(1_200), Bytes(65_507));
        /// Time without a packet after which a connection ends (RFC 9000, 10.1). Default: 30 s, that of quinn-proto.
        idle_timeout: Duration = Duration::from_secs(30)
            => between(Duration::from_millis(1), Duration::from_secs(600));
        /// Time after its start at which packets of the UE have the next port as their source, as after a new binding of a NAT.
        /// The server validates the new path (RFC 9000, 9.3). A connection ends if its handshake is not complete then.
        /// Packets to the old port still arrive. Default: never.
        new_port: Option<Duration>;
        /// Unreliable datagrams at equal intervals instead of streams (RFC 9221), on the first connection. Default: none.
        datagrams: Option<QuicDatagrams>;
    }
}

record! {
    /// Datagrams of equal size.
    pub struct QuicDatagrams {
        /// Bytes of each. The least packet of QUIC, 1200 B of UDP, has room for 1162 B (RFC 9000, 14). Default: 1000 B.
        payload: Bytes = Bytes(1_000) => between(Bytes(1), Bytes(1_162));
        /// Time between two, at least 10 us. Default: 10 ms.
        interval: Duration = Duration::from_millis(10)
            => between(Duration::from_micros(10), Duration::from_secs(60));
    }
}

choice! {
    /// Congestion control of quinn-proto, or of airpath on its connections.
    pub enum QuicControl {
        /// CUBIC of quinn-proto (RFC 9438).
        Cubic = "cubic",
        /// NewReno of quinn-proto (RFC 9002, 7).
        NewReno = "newreno",
        /// BBR, an experiment of quinn-proto. Its window limits it, and it does not pace by its rate.
        Bbr = "bbr",
        /// CUBIC of airpath (RFC 9438), as TCP's controller "cubic".
        AirpathCubic = "airpath-cubic",
        /// NewReno of airpath (RFC 5681), as TCP's controller "newreno".
        AirpathNewReno = "airpath-newreno",
        /// BBR of airpath (draft-ietf-ccwg-bbr), as TCP's controller "bbr". quinn-proto as published paces by the window.
        AirpathBbr = "airpath-bbr",
        /// The first version of BBR of airpath, as TCP's controller "bbr1". quinn-proto as published paces by the window.
        AirpathBbr1 = "airpath-bbr1",
        /// Prague of airpath (draft-briscoe-iccrg-prague-congestion-control), as TCP's controller "prague". It needs
        /// quinn-proto with the change for accurate ECN.
        AirpathPrague = "airpath-prague",
    }
}

impl QuicControl {
    /// Controller of airpath; none for those of quinn-proto.
    pub fn of_airpath(self) -> Option<ControllerName> {
        match self {
            QuicControl::Cubic | QuicControl::NewReno | QuicControl::Bbr => None,
            QuicControl::AirpathCubic => Some(ControllerName::Cubic),
            QuicControl::AirpathNewReno => Some(ControllerName::NewReno),
            QuicControl::AirpathBbr => Some(ControllerName::Bbr),
            QuicControl::AirpathBbr1 => Some(ControllerName::Bbr1),
            QuicControl::AirpathPrague => Some(ControllerName::Prague),
        }
    }

    /// ECN field that goes with it by default.
    pub fn usual_ecn(self) -> QuicEcn {
        match self {
            QuicControl::AirpathBbr | QuicControl::AirpathBbr1 => QuicEcn::Off,
            QuicControl::AirpathPrague => QuicEcn::L4s,
            _ => QuicEcn::Classic,
        }
    }
}

impl Quic {
    /// ECN field of its packets: the given one, or that which goes with the congestion control.
    pub fn ecn(&self) -> QuicEcn {
        self.ecn.unwrap_or(self.congestion_control.usual_ecn())
    }
}

choice! {
    /// ECN field of packets.
    pub enum QuicEcn {
        /// ECT(0) (RFC 3168, RFC 9000, 13.4).
        Classic = "classic",
        /// ECT(1) (RFC 9331). It needs quinn-proto with the change for accurate ECN, and "airpath-prague".
        L4s = "l4s",
        /// Not ECT, as from a host that cannot set the field.
        Off = "off",
    }
}
