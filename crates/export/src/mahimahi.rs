//! mahimahi's format (Netravali et al., USENIX ATC 2015): a line for each 1500 bytes that can be delivered, with its
//! millisecond. The recording repeats at its last line.

use std::fmt::Write as _;

use crate::format::File;
use crate::{Recording, Way};

/// Bytes of an opportunity.
pub(crate) const OPPORTUNITY: u32 = 1_500;

/// Opportunities by millisecond, and a script that begins both shells.
pub(crate) fn files(recording: &Recording) -> Vec<File> {
    let script = format!(
        "#!/bin/sh\n{}# Usage: mahimahi.sh PROGRAM ...\ncd \"$(dirname \"$0\")\" || exit 1\n\
         exec mm-delay {} mm-link up.trace down.trace -- \"$@\"\n",
        crate::format::head(recording, "#"),
        delay_ms(recording)
    );
    vec![
        File::new("down.trace", opportunities(&recording.down, OPPORTUNITY)),
        File::new("up.trace", opportunities(&recording.up, OPPORTUNITY)),
        File::new("mahimahi.sh", script),
    ]
}

/// Delay of each direction, which mahimahi has in common: half of the least round trip.
pub(crate) fn delay_ms(recording: &Recording) -> u64 {
    let rtt = recording.down.least_delay_ms() + recording.up.least_delay_ms();
    if rtt.is_finite() { (rtt / 2.0).round() as u64 } else { 0 }
}

/// Milliseconds of opportunities of so many bytes, from 1 on. The last millisecond has one in any case, as it is the
/// length.
pub(crate) fn opportunities(way: &Way, bytes_each: u32) -> String {
    let (mut text, mut credit, mut last) = (String::new(), 0, 0);
    for (ms, bytes) in (1..).zip(&way.bytes) {
        credit += bytes;
        while credit >= bytes_each {
            credit -= bytes_each;
            last = ms;
            let _ = writeln!(text, "{ms}");
        }
    }
    if last < way.bytes.len() {
        let _ = writeln!(text, "{}", way.bytes.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_opportunities_of_1500_bytes() {
        let way = Way { bytes: vec![0, 1_400, 0, 3_200, 0, 100], ..Way::default() };
        // 1400 are none; 4600 are three, and 100 are left.
        assert_eq!(opportunities(&way, OPPORTUNITY), "4\n4\n4\n6\n");
    }
}
