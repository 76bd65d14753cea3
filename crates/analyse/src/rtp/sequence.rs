//! Counts by sequence numbers: packets expected, lost, late, and seen twice (RFC 3550, A.1 and
//! A.3).

/// A number that is ahead by more than this is a stream that began anew, or no packet of the
/// stream (RFC 3550, A.1: MAX_DROPOUT).
const MOST_AHEAD: u16 = 3000;
/// Numbers behind the greatest of which is known whether they were seen.
const KNOWN: u64 = 1024;

/// The numbers of a stream.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    /// Least and greatest number, without wrapping.
    least: u64,
    most: u64,
    /// Those that were seen, each once.
    pub(super) received: u64,
    pub(super) duplicates: u64,
    /// Those that came after a greater one.
    pub(super) late: u64,
    /// Number of jumps of the sequence numbers.
    pub(super) restarts: u64,
    /// Numbers expected before the last jump.
    before: u64,
    /// The number that confirms a jump.
    jump: Option<u16>,
    seen: [u64; KNOWN as usize / 64],
}

/// Kind of a packet in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A new one, with its number without wrapping.
    New(u64),
    /// One that was seen.
    Again,
    /// One that does not fit.
    Stray,
}

impl Sequence {
    /// A stream that begins with this number.
    pub(super) fn new(first: u16) -> Sequence {
        // So that what is late at the beginning has a number, too.
        let number = u64::from(first) + (1 << 16);
        let mut begun = Sequence {
            least: number,
            most: number,
            received: 1,
            duplicates: 0,
            late: 0,
            restarts: 0,
            before: 0,
            jump: None,
            seen: [0; KNOWN as usize / 64],
        };
        begun.see(number);
        begun
    }

    /// The next packet.
    pub(super) fn packet(&mut self, number: u16) -> Place {
        let ahead = number.wrapping_sub(self.most as u16);
        let behind = u64::from((self.most as u16).wrapping_sub(number));
        if (1..=MOST_AHEAD).contains(&ahead) {
            let number = self.most + u64::from(ahead);
            (self.most + 1..=number).rev().take(KNOWN as usize).for_each(|n| self.forget(n));
            self.most = number;
            return self.new_one(number);
        }
        if behind < KNOWN {
            let number = self.most - behind;
            if self.is_seen(number) {
                self.duplicates += 1;
                return Place::Again;
            }
            self.late += 1;
            self.least = self.least.min(number);
            return self.new_one(number);
        }
        if self.jump == Some(number) {
            return self.restart(number);
        }
        self.jump = Some(number.wrapping_add(1));
        Place::Stray
    }

    fn new_one(&mut self, number: u64) -> Place {
        self.jump = None;
        self.received += 1;
        self.see(number);
        Place::New(number)
    }

    /// Two packets in order behind a jump: the numbers go on from there.
    fn restart(&mut self, number: u16) -> Place {
        self.before = self.expected();
        self.restarts += 1;
        let number = (((self.most >> 16) + 2) << 16) + u64::from(number);
        (self.least, self.most) = (number, number);
        self.seen = [0; KNOWN as usize / 64];
        self.new_one(number)
    }

    /// The least number, of a stream that has just begun.
    pub(super) fn first(&self) -> u64 {
        self.least
    }

    /// The greatest number as packets have it.
    pub(super) fn last(&self) -> u16 {
        self.most as u16
    }

    /// Packets that the numbers tell of.
    pub(super) fn expected(&self) -> u64 {
        self.before + self.most - self.least + 1
    }

    /// Those that were not seen.
    pub(super) fn lost(&self) -> u64 {
        self.expected().saturating_sub(self.received)
    }

    fn is_seen(&self, number: u64) -> bool {
        self.seen[(number % KNOWN / 64) as usize] & 1 << (number % 64) != 0
    }

    fn see(&mut self, number: u64) {
        self.seen[(number % KNOWN / 64) as usize] |= 1 << (number % 64);
    }

    fn forget(&mut self, number: u64) {
        self.seen[(number % KNOWN / 64) as usize] &= !(1 << (number % 64));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn after(numbers: &[u16]) -> Sequence {
        let mut sequence = Sequence::new(numbers[0]);
        numbers[1..].iter().for_each(|n| _ = sequence.packet(*n));
        sequence
    }

    #[test]
    fn what_is_missing_late_and_repeated() {
        // Over the wrap: 2 is missing, 1 is late, 3 comes twice.
        let sequence = after(&[65_534, 65_535, 0, 3, 1, 3, 4]);
        assert_eq!((sequence.expected(), sequence.lost()), (7, 1));
        assert_eq!((sequence.late, sequence.duplicates, sequence.received), (1, 1, 6));
        // A packet before the first one belongs to the stream.
        let early = after(&[10, 9, 11]);
        assert_eq!((early.expected(), early.lost(), early.late), (3, 0, 1));
    }

    #[test]
    fn a_jump_counts_once_the_next_packet_agrees() {
        let stray = after(&[10, 11, 30_000, 12]);
        assert_eq!((stray.expected(), stray.lost(), stray.restarts), (3, 0, 0));
        let jump = after(&[10, 12, 30_000, 30_001, 30_003]);
        assert_eq!((jump.restarts, jump.expected(), jump.lost()), (1, 6, 2));
    }

    proptest! {
        #[test]
        fn counts_are_those_of_the_packets(from in any::<u16>(), keep in any::<[bool; 32]>()) {
            let kept: Vec<u16> = (0..3000u16)
                .filter(|n| *n == 0 || *n == 2999 || keep[usize::from(n % 32)])
                .map(|n| from.wrapping_add(n))
                .collect();
            let sequence = after(&kept);
            prop_assert_eq!(sequence.expected(), 3000);
            prop_assert_eq!(sequence.lost(), 3000 - kept.len() as u64);
            prop_assert_eq!((sequence.late, sequence.duplicates), (0, 0));
        }
    }
}
