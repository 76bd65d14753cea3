//! Feedback of congestion marks between the ends of a TCP connection: the kind that the ends agreed
//! on, and reports of accurate feedback. Sources: RFC 3168, 6.1; RFC 9768.

use airpath_wire::{AccurateEcn, TcpFlags};
use serde::Serialize;

/// Feedback of congestion marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EcnFeedback {
    /// None.
    None,
    /// A flag that is echoed until it is answered (RFC 3168).
    Classic,
    /// Counters (AccECN, RFC 9768).
    Accurate,
    /// Flags that no standard gives a meaning to: something on the path has changed them, or sends
    /// them back.
    Broken,
}

/// Feedback by ECN: the client's request, and the server's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EcnHandshake {
    /// By the last SYN; none if it was not seen.
    pub asked: Option<EcnFeedback>,
    /// By the last SYN-ACK; none if it was not seen.
    pub answered: Option<EcnFeedback>,
}

/// Reports of accurate feedback in a direction's segments about the other direction's packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EcnReports {
    /// Packets that arrived with CE, by the counter ACE of three bits. The option AccECN shows the
    /// wraps of the counter, if the SYN announced the largest segment. Without the option the
    /// number is a lower bound: each wrap hides eight packets.
    pub ce_packets: u64,
    /// Segments with the option AccECN, SYN-ACKs included.
    pub option_segments: u64,
    /// Bytes of payload that arrived with ECT(0), by the option; none if it did not say it.
    pub ect0_bytes: Option<u64>,
    /// Bytes of payload that arrived with CE, by the option; none if it did not say it.
    pub ce_bytes: Option<u64>,
    /// Bytes of payload that arrived with ECT(1), by the option; none if it did not say it.
    pub ect1_bytes: Option<u64>,
}

impl EcnFeedback {
    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            EcnFeedback::None => "none",
            EcnFeedback::Classic => "classic",
            EcnFeedback::Accurate => "accurate",
            EcnFeedback::Broken => "broken",
        }
    }
}

/// The flags AE, CWR and ECE of the last SYN and SYN-ACK, each with [`SEEN`] if it was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    syn: u8,
    answer: u8,
}

const SEEN: u8 = 8;

impl Flags {
    /// A segment with SYN.
    pub(crate) fn segment(&mut self, flags: TcpFlags) {
        let field = if flags.contains(TcpFlags::ACK) { &mut self.answer } else { &mut self.syn };
        *field = flags.ace() | SEEN;
    }

    /// True if both ends take accurate feedback.
    pub(crate) fn are_accurate(self) -> bool {
        self.answered() == Some(EcnFeedback::Accurate)
    }

    /// Feedback that was requested and answered; none if neither was seen.
    pub(crate) fn told(self) -> Option<EcnHandshake> {
        let told = EcnHandshake { asked: self.asked(), answered: self.answered() };
        (told.asked.is_some() || told.answered.is_some()).then_some(told)
    }

    /// RFC 9768, 3.1.1 and table 2.
    fn asked(self) -> Option<EcnFeedback> {
        (self.syn & SEEN > 0).then_some(match self.syn & 7 {
            0b000 => EcnFeedback::None,
            0b011 => EcnFeedback::Classic,
            0b111 => EcnFeedback::Accurate,
            _ => EcnFeedback::Broken,
        })
    }

    /// The codes of a SYN-ACK mean accurate feedback only to a client that requested it (table 2).
    /// 101 is the code of an experiment with nonces, whose feedback is classic.
    fn answered(self) -> Option<EcnFeedback> {
        let asked = self.asked();
        let accurate = matches!(asked, None | Some(EcnFeedback::Accurate));
        let able = accurate || asked == Some(EcnFeedback::Classic);
        (self.answer & SEEN > 0).then_some(match self.answer & 7 {
            0b000 => EcnFeedback::None,
            0b001 | 0b101 if able => EcnFeedback::Classic,
            0b010 | 0b011 | 0b100 | 0b110 if accurate => EcnFeedback::Accurate,
            _ => EcnFeedback::Broken,
        })
    }
}

/// Follows the accurate feedback in a direction's segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reports {
    /// The counter ACE as it was last.
    ace: u8,
    /// True if the next pure ACK ends the handshake, and carries the arrival of the SYN-ACK
    /// (3.2.2.1).
    code: bool,
    marked: u32,
    /// Of these, those since the last option.
    since: u32,
    options: u32,
    /// Of ECT(0), CE, ECT(1).
    bytes: [Counter; 3],
}

/// A counter of 24 bits, unwrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counter {
    last: u32,
    total: u64,
    seen: bool,
}

impl Reports {
    /// State before the first report; counters begin at 5, 1, 0 and 1 (3.2.1). The client's last
    /// segment of the handshake has a code instead of the counter.
    pub(crate) fn new(by_client: bool) -> Reports {
        let counter = |last| Counter { last, total: 0, seen: false };
        let bytes = [counter(1), counter(0), counter(1)];
        Reports { ace: 5, code: by_client, marked: 0, since: 0, options: 0, bytes }
    }

    /// A segment without SYN that acknowledges no less than those before.
    #[inline]
    pub(crate) fn segment(&mut self, flags: TcpFlags, payload: u32) {
        if std::mem::take(&mut self.code) && payload == 0 {
            return;
        }
        let more = flags.ace().wrapping_sub(self.ace) & 7;
        self.marked = self.marked.saturating_add(more.into());
        self.since = self.since.saturating_add(more.into());
        self.ace = flags.ace();
    }

    /// The options of a segment that says nothing new.
    pub(crate) fn old_options(&mut self, bytes: &[u8]) {
        let found = AccurateEcn::find(bytes).is_some();
        self.options = self.options.saturating_add(found.into());
    }

    /// The options of a segment whose flags have been taken in, and the largest segment that its
    /// sender takes, or zero. So many marked bytes cannot be of fewer packets.
    pub(crate) fn options(&mut self, bytes: &[u8], mss: u16) {
        let Some(option) = AccurateEcn::find(bytes) else { return };
        self.options = self.options.saturating_add(1);
        let before = self.bytes[1].total;
        let counters = [option.ect0(), option.ce(), option.ect1()];
        for (counter, value) in self.bytes.iter_mut().zip(counters) {
            value.into_iter().for_each(|value| counter.told(value));
        }
        let bytes = u32::try_from(self.bytes[1].total - before).unwrap_or(u32::MAX);
        let least = if mss > 0 { bytes.div_ceil(mss.into()) } else { 0 };
        let missing = least.saturating_sub(std::mem::take(&mut self.since)).div_ceil(8) * 8;
        self.marked = self.marked.saturating_add(missing);
    }

    /// Packets that arrived with CE.
    pub(crate) fn marked(&self) -> u32 {
        self.marked
    }

    pub(crate) fn told(&self) -> EcnReports {
        let [ect0_bytes, ce_bytes, ect1_bytes] =
            self.bytes.map(|counter| counter.seen.then_some(counter.total));
        EcnReports {
            ce_packets: self.marked.into(),
            option_segments: self.options.into(),
            ect0_bytes,
            ce_bytes,
            ect1_bytes,
        }
    }
}

impl Counter {
    /// It stands at `value`; what is behind by less than half of its range is old.
    fn told(&mut self, value: u32) {
        let more = value.wrapping_sub(self.last) & 0xff_ffff;
        self.seen = true;
        if more < 1 << 23 {
            self.total += u64::from(more);
            self.last = value;
        }
    }
}

#[cfg(test)]
#[path = "accurate_tests.rs"]
mod tests;
