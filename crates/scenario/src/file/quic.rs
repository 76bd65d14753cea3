//! Table `flow.quic` of the scenario file: QUIC of a real stack.

use airpath_base::{Bytes, Duration};
use airpath_schema::{above_to, between, choice, record};

record! {
    /// QUIC by quinn-proto (RFC 9000), with its own timers, ACK frequency and path MTU discovery. The UE opens.
    pub struct Quic : Default {
        /// Connections that the UE opens at once. Default: 1.
        connections: u32 = 1 => between(1, 64);
        /// Streams of each connection, among which `size` is shared evenly. Default: 1.
        streams: u32 = 1 => between(1, 100);
        /// Congestion control. Default: "cubic", that of quinn-proto.
        congestion_control: QuicControl = QuicControl::Cubic;
        /// Bytes that an end may send on a connection and on a stream before they are read. Default: that of quinn-proto,
        /// 1.25 MB for a stream and no limit for a connection.
        receive_window: Option<Bytes> => between(Bytes(2_048), Bytes(1_000_000_000));
        /// Largest payload of UDP that path MTU discovery tries. Default: 1452 B, that of quinn-proto.
        largest_payload: Bytes = Bytes(1_452) => between(Bytes(1_200), Bytes(65_507));
        /// Time without a packet after which a connection ends (RFC 9000, 10.1). Default: 30 s, that of quinn-proto.
        idle_timeout: Duration = Duration::from_secs(30)
            => above_to(Duration::ZERO, Duration::from_secs(600));
    }
}

choice! {
    /// Congestion control of quinn-proto.
    pub enum QuicControl {
        /// CUBIC (RFC 9438).
        Cubic = "cubic",
        /// NewReno (RFC 9002, 7).
        NewReno = "newreno",
        /// BBR, an experiment of quinn-proto. Its window limits it, and it does not pace by its rate.
        Bbr = "bbr",
    }
}
