//! Congestion control of video: its options, and the sender's side of it.

use core::fmt;

use airpath_base::{Duration, Time};
use airpath_net::MediaState;
use airpath_wire::RtcpRepr;

use crate::paced::{self, Rates};
use crate::queue::MediaPacket;
use crate::scream::{self, Poll};
use crate::{Reports, gcc, nada};

/// Options of a congestion control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control {
    /// SCReAM.
    Scream(scream::Config),
    /// Google Congestion Control, between these rates.
    Gcc(gcc::Options, Rates),
    /// NADA, between these rates, for a video of so many frames a second.
    Nada(nada::Options, Rates, f64),
}

/// Reason for which a sender cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlError {
    /// SCReAM.
    Scream(scream::ConfigError),
    /// Bitrates are not above zero, or do not grow from the least to the first to the largest.
    Bitrates,
}

/// The sender's side.
#[derive(Debug)]
pub(crate) enum Sender {
    Scream(Box<scream::Sender>),
    Paced(Box<paced::Sender>),
}

impl Control {
    /// Rule for the times of the receiver's reports.
    pub fn reports(&self) -> Reports {
        match self {
            Control::Scream(config) => config.reports(),
            Control::Gcc(options, _) => Reports::Each(options.feedback()),
            Control::Nada(options, ..) => Reports::Each(options.feedback_interval),
        }
    }
}

impl Sender {
    /// A sender of the stream `ssrc`.
    pub fn new(ssrc: u32, control: Control) -> Result<Sender, ControlError> {
        let paced = |rates: Rates, rule: Box<dyn paced::Rule>| {
            let fine = rates.are_ordered();
            let sender = Sender::Paced(Box::new(paced::Sender::new(ssrc, rule)));
            fine.then_some(sender).ok_or(ControlError::Bitrates)
        };
        match control {
            Control::Scream(config) => {
                let sender = scream::Sender::new(ssrc, config).map_err(ControlError::Scream)?;
                Ok(Sender::Scream(Box::new(sender)))
            }
            Control::Gcc(options, rates) => paced(rates, Box::new(gcc::Gcc::new(options, rates))),
            Control::Nada(options, rates, frame_rate) => {
                paced(rates, Box::new(nada::Nada::new(options, rates, frame_rate)))
            }
        }
    }

    /// The encoder has made a frame of these packets.
    pub fn on_frame(&mut self, now: Time, packets: Vec<MediaPacket>) {
        match self {
            Sender::Scream(scream) => scream.on_frame(now, packets),
            Sender::Paced(paced) => paced.on_frame(now, packets),
        }
    }

    /// A packet to send, or the time of the next call.
    pub fn poll(&mut self, now: Time) -> Poll {
        match self {
            Sender::Scream(scream) => scream.poll(now),
            Sender::Paced(paced) => paced.poll(now),
        }
    }

    /// Takes a report of the receiver.
    pub fn on_feedback(&mut self, now: Time, feedback: &RtcpRepr) {
        match self {
            Sender::Scream(scream) => scream.on_feedback(now, feedback),
            Sender::Paced(paced) => paced.on_feedback(now, feedback),
        }
    }

    /// Rate for the encoder in bit/s, with the headers of RTP. To be called once a frame.
    pub fn encoder_target(&mut self, now: Time) -> f64 {
        match self {
            Sender::Scream(scream) => scream.encoder_target(now),
            Sender::Paced(paced) => paced.encoder_target(),
        }
    }

    /// True if the encoder should make a key frame. To be called once a frame.
    pub fn take_key_frame_request(&mut self) -> bool {
        match self {
            Sender::Scream(scream) => scream.take_key_frame_request(),
            Sender::Paced(paced) => paced.take_key_frame_request(),
        }
    }

    /// State for listeners.
    pub fn state(&self) -> MediaState {
        match self {
            Sender::Scream(scream) => shown(&scream.state()),
            Sender::Paced(paced) => paced.state(),
        }
    }
}

fn shown(state: &scream::State) -> MediaState {
    MediaState {
        target_bps: state.target as u64,
        cwnd: state.cwnd,
        in_flight: state.in_flight,
        queue_delay: Duration::from_secs_f64(state.queue_delay),
        srtt: Duration::from_secs_f64(state.srtt),
        queued_bytes: state.queued_bytes,
        discarded_packets: state.discarded_packets,
        lost_packets: state.lost_packets,
        lost_arrived_packets: state.lost_arrived_packets,
    }
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ControlError::Scream(error) => error.fmt(f),
            ControlError::Bitrates => {
                f.write_str("bitrates must be above zero and grow from min to start to max")
            }
        }
    }
}

impl std::error::Error for ControlError {}
