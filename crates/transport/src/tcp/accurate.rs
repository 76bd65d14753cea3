//! Accurate feedback of congestion marks (RFC 9768, 3.2): what a receiver counts and reports, and
//! what a sender takes from its reports.
//!
//! The option AccECN says how many bytes arrived with CE, so it decides how often the three bits of
//! the ACE field went round. Without the option the sender takes the least increase that the bits
//! allow (3.2.2.5.2, the likely case). A receiver acknowledges each second mark. Eight marks
//! between two acknowledgements that arrive therefore mean that three in a row are missing.
//! `docs/models.md` has the price. Leaves out giving the option up where packets that carry it are
//! lost (3.2.3.2.2; but for the answer to a SYN). The test of 3.2.3.2.5 for mangled feedback is
//! left out, too.

use airpath_wire::{AccurateEcn, Ecn, TcpRepr};

/// Value at which the counters of marked packets begin (3.2.1).
const FIRST_PACKETS: u32 = 5;
/// Value at which the counters of bytes begin: ECT(0), CE, ECT(1) (3.2.1).
const FIRST_BYTES: [u32; 3] = [1, 0, 1];
/// Marked packets that are reported at once, with data that are not yet acknowledged and without
/// (3.2.2.5.1).
const MARKS_WITH_DATA: u32 = 2;
const MARKS_WITHOUT_DATA: u32 = 3;
/// Mask of the ACE field (3.2.2), and of a counter of the option (3.2.3).
const ACE: u32 = 0b111;
const COUNTER: u32 = 0xff_ffff;

/// Packets and bytes that have arrived, by ECN field.
#[derive(Clone, Debug)]
pub(super) struct Received {
    /// Packets with CE (r.cep).
    packets: u32,
    /// Bytes of payload with ECT(0), CE, ECT(1) (r.e0b, r.ceb, r.e1b).
    bytes: [u32; 3],
    /// Flags of those that have ever changed.
    changed: [bool; 3],
    /// One of these has changed since the last option.
    news: bool,
    /// Segments that carry the whole option to test the path (3.2.3.2.1): without data, and with.
    tests: [bool; 2],
    last_marked: bool,
    unreported: u32,
}

impl Default for Received {
    fn default() -> Received {
        Received {
            packets: FIRST_PACKETS,
            bytes: FIRST_BYTES,
            changed: [false; 3],
            news: false,
            tests: [false; 2],
            last_marked: false,
            unreported: 0,
        }
    }
}

impl Received {
    /// The path is to be tested by the next segment without data, and by the next with data.
    pub fn test_path(&mut self, tests: [bool; 2]) {
        self.tests = tests;
    }

    /// A packet that carries so many bytes of payload.
    pub fn count(&mut self, ecn: Ecn, payload: u32) {
        self.packets = self.packets.wrapping_add(u32::from(ecn == Ecn::Ce));
        let place = match ecn {
            Ecn::NotEct => return,
            Ecn::Ect0 => 0,
            Ecn::Ce => 1,
            Ecn::Ect1 => 2,
        };
        if payload > 0 {
            self.bytes[place] = self.bytes[place].wrapping_add(payload);
            (self.changed[place], self.news) = (true, true);
        }
    }

    /// Counts a packet; true if an acknowledgement must leave at once. `waiting`: there are data
    /// that have not been acknowledged, without those of the packet.
    pub fn on_packet(&mut self, ecn: Ecn, payload: u32, waiting: bool) -> bool {
        self.count(ecn, payload);
        let marked = ecn == Ecn::Ce;
        let changes = marked && !self.last_marked && payload > 0;
        self.last_marked = marked;
        self.unreported += u32::from(marked);
        let most = if waiting || payload > 0 { MARKS_WITH_DATA } else { MARKS_WITHOUT_DATA };
        changes || self.unreported >= most
    }

    /// The ACE field of a segment that leaves.
    pub fn report(&mut self) -> u8 {
        self.unreported = 0;
        self.packets as u8
    }

    /// The option that the next segment, with `data` or without, ought to carry. It is sent
    /// whenever a counter has changed, with each counter that ever has (3.2.3.3, the recommended
    /// scheme).
    pub fn option(&self, data: bool) -> Option<AccurateEcn> {
        let [ect0, ce, ect1] = self.bytes;
        if self.tests[usize::from(data)] {
            return Some(AccurateEcn::order_0(&[ect0, ce, ect1]));
        }
        let fields = if self.changed[1] { 2 } else { 1 };
        self.news.then(|| match self.changed {
            [true, _, true] => AccurateEcn::order_0(&[ect0, ce, ect1]),
            [false, _, true] => AccurateEcn::order_1(&[ect1, ce][..fields]),
            _ => AccurateEcn::order_0(&[ect0, ce][..fields]),
        })
    }

    /// The option leaves.
    pub fn option_sent(&mut self, data: bool) {
        (self.tests[usize::from(data)], self.news) = (false, false);
    }
}

/// Marks that the peer has reported.
#[derive(Clone, Debug)]
pub(super) struct Reported {
    /// Packets with CE, as far as is known (s.cep).
    packets: u32,
    /// The counter of bytes with CE, as the option has it (s.ceb).
    ce: u32,
    /// The option is known to pass the path (3.2.3.2).
    available: bool,
    /// The option began with a counter of zero, so that something damages it (3.2.3.2.4).
    damaged: bool,
    /// Feedback counts for nothing (3.2.2.1, note 1).
    ignored: bool,
    /// Latest timestamp of the peer.
    stamp: Option<u32>,
    since: Since,
    /// Marks that the controller has not received yet: packets and bytes.
    pending: (u32, u64),
}

/// Content of acknowledgements since the last option.
#[derive(Clone, Copy, Debug, Default)]
struct Since {
    packets: u64,
    bytes: u64,
    marks: u64,
    /// Marked bytes that were reported without an option.
    ce_bytes: u64,
}

/// Data that an acknowledgement newly acknowledges.
#[derive(Clone, Copy, Debug)]
pub(super) struct News {
    pub packets: u32,
    pub bytes: u64,
    /// Bytes of a full segment.
    pub segment: u32,
}

impl Default for Reported {
    fn default() -> Reported {
        Reported {
            packets: FIRST_PACKETS,
            ce: FIRST_BYTES[1],
            available: false,
            damaged: false,
            ignored: false,
            stamp: None,
            since: Since::default(),
            pending: (0, 0),
        }
    }
}

impl Reported {
    /// The segment of the handshake that shows whether the option passes the path (3.2.3.2.3 and
    /// 3.2.3.2.4).
    pub fn begin(&mut self, option: Option<AccurateEcn>) {
        self.available = option.is_some();
        self.damaged =
            option.is_some_and(|option| [option.ect0(), option.ect1()].contains(&Some(0)));
    }

    /// The answer to the SYN arrived with CE (3.2.2.1).
    pub fn handshake_was_marked(&mut self) {
        self.packets += 1;
    }

    /// The peer is not to be believed (3.2.2.1, note 1).
    pub fn ignore(&mut self) {
        self.ignored = true;
    }

    /// Takes the feedback of an acknowledgement, unless another has superseded it (A.1).
    pub fn hear(&mut self, repr: &TcpRepr, news: News) {
        let age = self.age(repr);
        if self.ignored || !(age > 0 || age == 0 && news.packets > 0) {
            return;
        }
        let marks = u32::from(repr.flags.ace()).wrapping_sub(self.packets) & ACE;
        self.packets = self.packets.wrapping_add(marks);
        self.since.packets += u64::from(news.packets);
        self.since.bytes += news.bytes;
        self.since.marks += u64::from(marks);
        let option = repr.accurate_ecn.filter(|_| !self.damaged);
        let (more, bytes) = match option {
            Some(option) => self.hear_option(option),
            None => (0, self.estimate(marks, news)),
        };
        self.pending.0 = self.pending.0.saturating_add(marks + more);
        self.pending.1 += bytes;
    }

    /// Above 0 for a segment with a timestamp later than all before, below for one that is older.
    fn age(&mut self, repr: &TcpRepr) -> i32 {
        let Some(stamp) = repr.timestamps else { return 0 };
        let last = *self.stamp.get_or_insert(stamp.value);
        let age = stamp.value.wrapping_sub(last) as i32;
        if age > 0 {
            self.stamp = Some(stamp.value);
        }
        age
    }

    /// Marks beyond those that the ACE field shows, whole rounds of it, and marked bytes that have
    /// not been reported. The marked bytes say which number of rounds is nearest.
    fn hear_option(&mut self, option: AccurateEcn) -> (u32, u64) {
        self.available = true;
        // A counter that is left out has not changed.
        let bytes = option.ce().map_or(0, |ce| ce.wrapping_sub(self.ce) & COUNTER);
        if bytes > COUNTER / 2 {
            return (0, 0);
        }
        self.ce = self.ce.wrapping_add(bytes) & COUNTER;
        let (bytes, Since { packets, marks, ce_bytes, .. }) = (u64::from(bytes), self.since);
        let round = u64::from(ACE) + 1;
        let likely = (bytes * packets + self.since.bytes / 2) / self.since.bytes.max(1);
        let rounds = (likely.saturating_sub(marks) + round / 2) / round;
        let rounds = rounds.min(packets.saturating_sub(marks) / round);
        // Marks that were reported too much are reported less the next time.
        self.since = Since { ce_bytes: ce_bytes.saturating_sub(bytes), ..Since::default() };
        ((rounds * round) as u32, bytes.saturating_sub(ce_bytes))
    }

    /// Marked bytes of so many marked packets (A.3). If an option may follow that says them, no more
    /// than must have been marked: all but those of unmarked full segments.
    fn estimate(&mut self, marks: u32, news: News) -> u64 {
        let packets = u64::from(news.packets.max(1));
        let marked = u64::from(marks).min(packets);
        let bytes = match self.available {
            true => news.bytes.saturating_sub((packets - marked) * u64::from(news.segment)),
            false => news.bytes * marked / packets,
        };
        self.since.ce_bytes += bytes;
        bytes
    }

    /// Marked packets and bytes for the controller: of packets no more than an acknowledgement
    /// brings; others wait for the next.
    pub fn take(&mut self, packets: u32) -> (u32, u64) {
        let marks = self.pending.0.min(packets);
        self.pending.0 -= marks;
        (marks, std::mem::take(&mut self.pending.1))
    }
}

#[cfg(test)]
#[path = "accurate_tests.rs"]
mod tests;
