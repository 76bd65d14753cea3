//! Passive analysis of captures: why was this flow slow?
//!
//! [`Analyser`] reads captures (pcap and pcapng) and hands out a [`FlowRecord`] for each flow at
//! its end. Its memory is bounded by the number of live flows. The methods of the study behind it
//! are in [`methods`], each on its own.
//!
//! The crate cannot see the simulator, so that it can judge it.

mod accurate;
mod analyser;
mod batch;
mod causes;
mod datagram;
mod decode;
mod dscp;
mod finish;
mod flow;
mod fragments;
mod gaps;
mod handshake;
mod host;
mod input;
mod interfaces;
mod key;
mod largest;
#[cfg(test)]
mod layers_tests;
mod links;
pub mod methods;
mod moments;
#[cfg(test)]
mod mutation_tests;
mod names;
mod options;
mod over_time;
#[cfg(test)]
mod places_tests;
mod plain;
pub mod points;
pub mod qlog;
mod quic;
mod record;
mod roles;
mod rtp;
mod select;
mod sequence;
mod serial;
mod shard;
mod sights;
mod signs;
mod sink;
mod sketch;
mod summary;
mod table;
mod tcp;
#[cfg(test)]
mod testing;
mod timeline;
mod trace;
mod tunnels;
mod udp;
mod undecoded;
mod untimed;
mod warnings;
mod windows;
mod workers;

pub use accurate::{EcnFeedback, EcnHandshake, EcnReports};
pub use analyser::{Analyser, Totals};
pub use causes::{
    Bottleneck, Cause, Causes, Confidence, Evidence, Hypothesis, Interval, Keep, Position, Round,
    Verdict,
};
pub use dscp::DscpCount;
pub use gaps::{Gap, Gaps};
pub use host::{
    AllHosts, Concurrent, HostRecord, PeriodicRequests, RadioEnergy, RadioTimes, RadioUse, Volume,
};
pub use input::{OpenError, first_time};
pub use largest::{Captures, LargestFlows, traced};
pub use links::{Link, LinkFlow};
pub use names::{Application, Carried, Content, Contents, Dns, Http, Lookup, Response};
pub use options::{Net, NotANet, Options, Radio, Traced};
pub use over_time::RttWindow;
pub use quic::{PacketKind, Quic, QuicOutcome};
pub use record::{Direction, EndReason, FlowProtocol, FlowRecord, Handshake};
pub use rtp::{ClockSource, Frames, Reported, RtcpCounts, Rtp, RtpStream};
pub use select::{NotAFilter, NotATime, Selection, When};
pub use signs::{Sign, SignKind};
pub use sink::{Collected, Sink};
pub use sketch::{Quartiles, RttSource, Spread};
pub use summary::{
    Correlation, Correlations, DnsSummary, HandshakeSummary, HttpSummary, Part, Quantiles,
    QuicSummary, RtpSummary, SizeSummary, Summary, SummaryReport, TcpSummary, Top, TopCarried,
};
pub use tcp::{Note, NoteKind};
pub use trace::{Course, Packets, Range, Ranges, Trace, TracedPacket, Way};
pub use tunnels::{Tunnel, TunnelKind};
pub use warnings::Warning;
pub use windows::Window;
