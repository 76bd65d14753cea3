//! Reports of applications: requests, pages, players, frames and the state of media.

use airpath_base::{Duration, Time};

/// Report of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppEvent {
    /// In-order data reached the receiving application, or bytes of a full buffer were in a
    /// transport block that was decoded.
    Delivered {
        /// Bytes.
        bytes: u64,
    },
    /// The sending application, or a full buffer, has begun.
    Started,
    /// A finite transfer is complete at its receiver.
    Finished,
    /// A source of media has made a frame.
    Frame(FrameMade),
    /// A packet of a frame has come to the receiving application. Packets of media that the network can read are counted
    /// by their headers instead.
    FramePacket {
        /// RTP timestamp of its frame.
        timestamp: u32,
        /// Time from the frame to the network, and from there on to the arrival. None for a packet that was sent again.
        delays: Option<[Duration; 2]>,
    },
    /// A controller of media reports, once for each feedback.
    Media(MediaState),
    /// A source of media has ended its session for a poor rate.
    GaveUp,
    /// A request has been answered, or never will be.
    Exchange(Exchange),
    /// A player's buffer or what it does has changed.
    Playback(Playback),
    /// A page is complete, or never will be.
    Page(PageLoad),
    /// A real stack reports.
    Stack(StackEvent),
}

/// Report of a real stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackEvent {
    /// A connection has completed its handshake at the end that opened it.
    Handshake {
        /// Time since its first packet.
        took: Duration,
    },
    /// ICE has found a path, at an end that sends media (RFC 8445).
    Path {
        /// Time since the begin of the flow.
        took: Duration,
    },
    /// Packets of media that a NACK names (RFC 4585, 6.2.1). A packet counts each time that it is named.
    Nacked {
        /// Packets.
        packets: u64,
    },
    /// Packets of media that were sent again, for a NACK or as padding (RFC 4588).
    Repeated {
        /// Packets.
        packets: u64,
    },
    /// All data of a stream have come to the receiving application.
    Stream,
    /// The end that sends the data has declared packets lost (RFC 9002, 6.1).
    Lost {
        /// Packets, without probes of path MTU discovery.
        packets: u64,
        /// Such probes.
        probes: u64,
    },
    /// The end that sends the data has sent frames DATA_BLOCKED or STREAM_DATA_BLOCKED: flow control holds it (RFC 9000,
    /// 19.12 and 19.13).
    Blocked {
        /// Frames.
        frames: u64,
    },
    /// The stack has given up, for this reason.
    Failed(&'static str),
}

/// A request and its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Number within the flow, from 0, in the order of asking.
    pub number: u64,
    /// Number of its connection within the flow, from 0.
    pub connection: u32,
    /// Bytes of the request.
    pub request: u64,
    /// Bytes of the response.
    pub response: u64,
    /// Time of the request.
    pub asked: Time,
    /// Arrival of the first byte of the response.
    pub first: Option<Time>,
    /// Arrival of the last byte of the response.
    pub done: Option<Time>,
}

/// A page: an index, and the objects that the client requests after the index.
///
/// Its delay is from `asked` to `done`. Each of its requests is an [`Exchange`] too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLoad {
    /// Number within the flow, from 0, in the order of asking.
    pub number: u64,
    /// Objects, without the index.
    pub objects: u32,
    /// Bytes of the index and of all objects.
    pub bytes: u64,
    /// Time of the user's request. The index waits from then on, for a connection if need be.
    pub asked: Time,
    /// Arrival of the last byte of the first object behind the index, or of the index if there is no object.
    pub first: Option<Time>,
    /// Arrival of the page's last byte; `None` if the run ended, or the user stopped, before that.
    pub done: Option<Time>,
}

/// State and buffer of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playback {
    /// State of the player.
    pub state: PlaybackState,
    /// Media that it could play without any more arriving. While it plays, they get less
    /// as time goes on.
    pub buffered: Duration,
}

/// State of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlaybackState {
    /// It has not begun to play.
    Starting,
    /// It plays.
    Playing,
    /// It had to stop for want of media.
    Stalled,
    /// It has played all there is, or was stopped.
    Ended,
}

/// A frame of media that is on its way: its packets share its RTP timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameMade {
    /// RTP timestamp.
    pub timestamp: u32,
    /// Bytes of media.
    pub bytes: u32,
    /// Packets.
    pub packets: u32,
    /// True if the frame can be decoded without earlier frames.
    pub key: bool,
    /// Time that the receiver takes from the last packet to the picture.
    pub processing: Duration,
    /// Later than so long after it was made it is late.
    pub deadline: Duration,
}

/// State of a controller of media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaState {
    /// Target bitrate of the encoder in bit/s.
    pub target_bps: u64,
    /// Congestion window in bytes of RTP.
    pub cwnd: u64,
    /// Bytes of RTP in flight.
    pub in_flight: u64,
    /// Queue delay in the network as the controller estimates it.
    pub queue_delay: Duration,
    /// Smoothed RTT.
    pub srtt: Duration,
    /// Bytes that wait in the RTP queue.
    pub queued_bytes: u64,
    /// Packets thrown out of the RTP queue so far.
    pub discarded_packets: u64,
    /// Packets that the sender has declared lost so far.
    pub lost_packets: u64,
    /// Of these, packets that later feedback reports as arrived.
    pub lost_arrived_packets: u64,
}
