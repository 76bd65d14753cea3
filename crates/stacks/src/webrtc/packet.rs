//! Headers of RTP, which SRTP leaves open (RFC 3711, 3.1).

/// Payload type of video.
pub(super) const VIDEO: u8 = 96;
/// Payload type of repeated video (RFC 4588): retransmissions, and padding.
pub(super) const REPEATED: u8 = 97;

/// Fields of a header of RTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RtpHeader {
    pub payload_type: u8,
    pub timestamp: u32,
    /// Synchronisation source: 0 for probes of the bandwidth estimation before any video.
    pub ssrc: u32,
}

/// The header of a datagram that is RTP, and none of RTCP, DTLS or STUN (RFC 7983, 7 and RFC 5761, 4).
pub(super) fn rtp_header(datagram: &[u8]) -> Option<RtpHeader> {
    let [first, second, _, _, a, b, c, d, e, f, g, h, ..] = *datagram else { return None };
    let payload_type = second & 0x7f;
    let is_rtp = (128..192).contains(&first) && !(64..96).contains(&payload_type);
    let (timestamp, ssrc) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
    is_rtp.then_some(RtpHeader { payload_type, timestamp, ssrc })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rtp_has_a_header_of_rtp() {
        let rtp = [0x90, 0xe0, 0, 1, 0, 0, 0x0f, 0xa0, 0, 0, 0, 3, 9];
        assert_eq!(
            rtp_header(&rtp),
            Some(RtpHeader { payload_type: 96, timestamp: 4_000, ssrc: 3 })
        );
        // RTCP (a receiver report, RFC 3550, 6.4.2), DTLS (RFC 6347, 4.1), STUN (RFC 8489, 5), and too short.
        for other in [
            &[0x81, 201, 0, 7, 0, 0, 0, 1, 0, 0, 0, 3][..],
            &[22; 13],
            &[0, 1, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0],
            &[],
        ] {
            assert_eq!(rtp_header(other), None);
        }
    }
}
