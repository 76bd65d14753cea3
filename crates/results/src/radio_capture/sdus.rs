//! The SDUs of a channel: packets with the headers of PDCP and SDAP.

use std::collections::{BTreeMap, VecDeque};

use airpath_net::Packet;
use airpath_wire::datagram;
use airpath_wire::radio::{Way, pdcp};

use super::BearerLayers;
use crate::pcap;

/// One direction of a bearer.
#[derive(Debug, Default)]
pub(super) struct Channel {
    sdus: VecDeque<Vec<u8>>,
    /// Number of the first in `sdus`.
    first: u64,
    /// The next sequence number of NR's unacknowledged mode.
    pub next_sn: u64,
    /// Bytes of the data fields of AMD PDUs of LTE that were sent in segments.
    segmented: BTreeMap<u64, u32>,
    /// The SDU whose sequence number of NR's acknowledged mode is 0.
    zero: u64,
    /// True if that is the next SDU that will be sent.
    restarts: bool,
}

impl Channel {
    pub fn push(&mut self, number: u64, sdu: Vec<u8>) {
        if self.sdus.is_empty() {
            self.first = number;
        }
        self.sdus.push_back(sdu);
    }

    /// Forgets the SDUs before this number.
    pub fn forget(&mut self, number: u64) {
        while self.first < number && self.sdus.pop_front().is_some() {
            self.first += 1;
        }
    }

    /// The bytes of an SDU, none of one that is not there.
    pub fn get(&self, number: u64) -> &[u8] {
        let index = number.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        index.and_then(|index| self.sdus.get(index)).map_or(&[], Vec::as_slice)
    }

    /// RLC was re-established: sequence numbers begin anew.
    pub fn restart(&mut self) {
        (self.next_sn, self.restarts) = (0, true);
        self.segmented.clear();
    }

    /// The sequence number of an SDU that is sent in NR's acknowledged mode.
    pub fn sn(&mut self, number: u64) -> u64 {
        if std::mem::take(&mut self.restarts) {
            self.zero = number;
        }
        number.saturating_sub(self.zero)
    }

    /// The sequence number of an SDU that a status report of NR is about.
    pub fn reported(&self, number: u64) -> u64 {
        number.saturating_sub(self.zero)
    }

    /// An AMD PDU is sent in segments.
    pub fn segment(&mut self, sn: u64, length: u32) {
        self.segmented.insert(sn, length);
    }

    /// Bytes of the data fields of such, from a number on: all before it has arrived.
    pub fn segmented(&mut self, first: u64) -> &BTreeMap<u64, u32> {
        self.segmented = self.segmented.split_off(&first);
        &self.segmented
    }

    pub fn size(&self, number: u64) -> u32 {
        self.get(number).len() as u32
    }
}

/// A packet of a QoS flow with its headers. PDCP's count is the number of the SDU. A packet whose
/// length IP cannot tell is zeros.
pub(super) fn sdu(
    (number, flow): (u64, u16),
    layers: &BearerLayers,
    way: Way,
    packet: &Packet,
) -> Vec<u8> {
    let mut ip = Vec::new();
    if datagram::emit(pcap::inner(packet), &[], usize::MAX, &mut ip).is_err() {
        ip = vec![0; packet.size as usize];
    }
    let mut sdu = Vec::with_capacity(ip.len() + 4);
    pdcp::emit_header(number, layers.pdcp_sn, &mut sdu);
    if layers.sdap {
        // QoS flow identifiers begin with 1.
        pdcp::emit_sdap_header((flow + 1).min(63) as u8, way, &mut sdu);
    }
    sdu.extend(ip);
    sdu
}
