//! A transport stack without I/O.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use airpath_base::{Duration, Time};
use airpath_net::{Exchange, FrameMade, MediaState, PageLoad, StackEvent};
use airpath_wire::{Ecn, Endpoint};

/// A datagram that has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    /// ECN field of its IP packet.
    pub ecn: Ecn,
    /// Its source.
    pub remote: Endpoint,
    /// Payload of UDP.
    pub payload: &'a [u8],
}

/// A datagram to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// ECN field of its IP packet.
    pub ecn: Ecn,
    /// Its destination.
    pub remote: Endpoint,
    /// Payload of UDP.
    pub payload: Vec<u8>,
    /// Content, by which the datagram is counted.
    pub content: Content,
}

/// Content of a datagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// Video of this end.
    Media {
        /// Time of its frame, for a packet that is sent for the first time. None for a repeated one and for padding.
        made: Option<Time>,
    },
    /// Anything else.
    #[default]
    Other,
}

/// End of a flow by its stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All data have come to the receiving application.
    Finished,
    /// The stack has given up, for this reason.
    Failed(&'static str),
}

/// A text for [`Outcome::Failed`] that is made at run time. Each different text is kept to the end of the process.
pub fn interned(text: String) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = texts.get(&*text) {
        return known;
    }
    let text: &'static str = Box::leak(text.into_boxed_str());
    texts.insert(text);
    text
}

/// State of a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sending {
    /// Congestion window in bytes, of all its connections.
    pub cwnd: u64,
    /// Bytes in flight at the last ACK, of all its connections.
    pub in_flight: u64,
    /// Smoothed RTT of the connection that has changed.
    pub srtt: Duration,
}

/// Fact of a flow that its stack reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// State of a sender after a change.
    Sending(Sending),
    /// RTT of the newest packet of an ACK, with the delay of the ACK.
    Rtt(Duration),
    /// A congestion controller has made its window smaller for a loss.
    Recovery,
    /// Fact of a connection or of its streams.
    Event(StackEvent),
    /// In-order data have come to the application of this end.
    Delivered {
        /// Bytes.
        bytes: u64,
    },
    /// A request has been answered, or never will be.
    Exchange(Exchange),
    /// A page is complete, or never will be.
    Page(PageLoad),
    /// The application of this end has begun to send.
    Started,
    /// The source of video has made a frame.
    Frame(FrameMade),
    /// State of the sender of video, once for each feedback.
    State(MediaState),
    /// The source of video has ended its session for a poor rate.
    GaveUp,
    /// A packet of the video of the other end has come to the application, for the first time.
    Media {
        /// RTP timestamp of its frame.
        timestamp: u32,
        /// Bytes of the frame in it.
        bytes: u64,
        /// True if it was sent again.
        repeated: bool,
    },
    /// The flow ends at this end.
    Ended(Outcome),
}

/// One end of a transport, without I/O: it has the time in each call, and says when it wants the next one.
///
/// After each call the caller takes all datagrams by [`transmit`](Stack::transmit) and all reports by
/// [`report`](Stack::report), and asks for [`timeout`](Stack::timeout).
pub trait Stack: Send {
    /// The flow begins: the end that opens does so.
    fn begin(&mut self, now: Time);

    /// The application of this end stops to send.
    fn stop(&mut self, now: Time);

    /// A datagram has arrived.
    fn receive(&mut self, now: Time, datagram: Datagram<'_>);

    /// A time of [`timeout`](Stack::timeout) has come.
    fn wake(&mut self, now: Time);

    /// The next datagram that is to be sent now.
    fn transmit(&mut self, now: Time) -> Option<Transmit>;

    /// Time of the next work without a datagram.
    fn timeout(&mut self) -> Option<Time>;

    /// The run ends: reports follow of all that is open.
    fn finish(&mut self) {}

    /// The application of this end pauses, or goes on. False if it cannot.
    fn set_active(&mut self, _now: Time, _active: bool) -> bool {
        false
    }

    /// The next report.
    fn report(&mut self) -> Option<Report>;
}

impl<S: Stack + ?Sized> Stack for Box<S> {
    fn begin(&mut self, now: Time) {
        (**self).begin(now);
    }

    fn stop(&mut self, now: Time) {
        (**self).stop(now);
    }

    fn receive(&mut self, now: Time, datagram: Datagram<'_>) {
        (**self).receive(now, datagram);
    }

    fn wake(&mut self, now: Time) {
        (**self).wake(now);
    }

    fn transmit(&mut self, now: Time) -> Option<Transmit> {
        (**self).transmit(now)
    }

    fn timeout(&mut self) -> Option<Time> {
        (**self).timeout()
    }

    fn finish(&mut self) {
        (**self).finish();
    }

    fn set_active(&mut self, now: Time, active: bool) -> bool {
        (**self).set_active(now, active)
    }

    fn report(&mut self) -> Option<Report> {
        (**self).report()
    }
}
