//! Protocol of a flow over UDP, after its recognition, and its silences.

use airpath_base::Time;

use crate::causes::{Beside, Outcome, Place};
use crate::datagram::Datagram;
use crate::gaps::{Gaps, Silences};
use crate::over_time::RttWindow;
use crate::quic::{self, is_quic};
use crate::rtp::{self, Rtp};
use crate::sketch::{RttSource, Spread};

/// Port of DNS (RFC 1035, 4.2.1).
const DNS: u16 = 53;
/// Greatest number of attempts to take a flow for RTP in vain.
const MOST_IN_VAIN: u8 = 2;

/// A flow over UDP of a protocol that is known, or may be.
#[derive(Debug)]
pub(crate) struct Udp {
    spoken: Spoken,
    /// Of both sides.
    silences: [Silences; 2],
}

/// The protocol.
#[derive(Debug)]
enum Spoken {
    Quic(Box<quic::Connection>),
    Rtp(Box<rtp::Session>),
}

impl Udp {
    /// Protocol that a datagram begins, of a flow that was taken for RTP in vain so many times.
    pub(crate) fn begun_by(datagram: &Datagram<'_>, in_vain: u8) -> Option<Box<Udp>> {
        let spoken = if is_quic(datagram.payload, datagram.len) {
            Spoken::Quic(Box::default())
        } else if in_vain < MOST_IN_VAIN && datagram.port != DNS && rtp::may_begin(datagram) {
            Spoken::Rtp(Box::default())
        } else {
            return None;
        };
        Some(Box::new(Udp { spoken, silences: Default::default() }))
    }

    /// A datagram; `detailed` if there is memory for more than counts. False if the flow is of
    /// another protocol.
    pub(crate) fn datagram(&mut self, datagram: &Datagram<'_>, detailed: bool) -> bool {
        self.silences[datagram.side].packet(datagram.at);
        match &mut self.spoken {
            Spoken::Quic(quic) => quic.datagram(datagram, detailed),
            Spoken::Rtp(rtp) => return rtp.datagram(datagram),
        }
        true
    }

    /// QUIC, if it is that.
    pub(crate) fn quic(&self) -> Option<&quic::Connection> {
        if let Spoken::Quic(quic) = &self.spoken { Some(quic) } else { None }
    }

    /// RTP, if it is that for certain.
    fn rtp(&self) -> Option<&rtp::Session> {
        match &self.spoken {
            Spoken::Rtp(rtp) => Some(&**rtp).filter(|rtp| rtp.is_confirmed()),
            Spoken::Quic(_) => None,
        }
    }

    /// True if the flow is RTP for certain.
    pub(crate) fn is_rtp(&self) -> bool {
        self.rtp().is_some()
    }

    /// Record of a direction of RTP.
    pub(crate) fn rtp_of(&self, side: usize) -> Option<Rtp> {
        self.rtp().map(|rtp| rtp.report(side))
    }

    /// Other flows of the client's host in the direction of `side`.
    pub(crate) fn beside(&mut self, side: usize, others: Beside) {
        match &mut self.spoken {
            Spoken::Rtp(rtp) => rtp.beside(side, others),
            Spoken::Quic(quic) => quic.beside(side, others),
        }
    }

    /// Causes of the rate, or of RTP's quality, of what `side` sends. The flow began at `start`; `place` is the position by
    /// the handshake of QUIC.
    pub(crate) fn causes(&self, side: usize, place: Place, start: Time) -> Option<Outcome> {
        match &self.spoken {
            Spoken::Quic(quic) => quic.causes(side, place, start),
            Spoken::Rtp(_) => self.rtp()?.causes(side, start),
        }
    }

    /// RTTs of what `side` sends: from the capture point to the other end and back.
    pub(crate) fn rtts(&self, side: usize) -> Option<(Spread, RttSource)> {
        match &self.spoken {
            Spoken::Quic(quic) => Some((quic.spin.spread(side)?, RttSource::SpinBit)),
            Spoken::Rtp(_) => Some((self.rtp()?.spread(side)?, RttSource::Rtcp)),
        }
    }

    /// RTTs of what `side` sends, over time; `flow` is the flow's beginning.
    pub(crate) fn over_time(&self, side: usize, flow: Time) -> Vec<RttWindow> {
        match &self.spoken {
            Spoken::Quic(quic) => quic.spin.over_time(side, flow),
            Spoken::Rtp(_) => self.rtp().map(|rtp| rtp.over_time(side, flow)).unwrap_or_default(),
        }
    }

    /// Silences of a direction with so many bytes of payload; `flow` is when the flow began.
    pub(crate) fn gaps(&self, side: usize, flow: Time, payload: u64) -> Option<Gaps> {
        let known = self.quic().is_some() || self.is_rtp();
        self.silences[side].report(flow, payload).filter(|_| known)
    }

    /// Bytes on the heap, those of this value included.
    pub(crate) fn heap(&self) -> usize {
        let silences = self.silences.iter().map(Silences::heap).sum::<usize>();
        let spoken = match &self.spoken {
            Spoken::Quic(quic) => size_of::<quic::Connection>() + quic.heap(),
            Spoken::Rtp(rtp) => size_of::<rtp::Session>() + rtp.heap(),
        };
        size_of::<Udp>() + spoken + silences
    }
}
