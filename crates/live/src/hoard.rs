//! Warnings of queues that grow without a limit: an emulation keeps real packets in memory.

use std::collections::BTreeSet;

use airpath_results::live::{QueueReading, Reading};

/// Least number of bytes in one queue that brings a warning: 20 s of packets at 100 Mbit/s.
const LARGE: u64 = 256_000_000;

/// Queues that a warning has named.
#[derive(Debug, Default)]
pub(crate) struct Hoards(BTreeSet<String>);

impl Hoards {
    /// Warnings of a reading; each queue is named once in a session.
    pub fn look(&mut self, reading: &Reading) -> Vec<String> {
        let large = reading.queues.iter().filter(|queue| queue.bytes > LARGE);
        large.map(|queue| (name(queue), queue.bytes)).filter_map(|of| self.warn(of)).collect()
    }

    fn warn(&mut self, (name, bytes): (String, u64)) -> Option<String> {
        let text = format!(
            "the queue of {name} holds {} MB in memory and may go on growing: a limit of its link or \
             bearer bounds it (queue = \"1 MB\")",
            bytes / 1_000_000
        );
        self.0.insert(name).then_some(text)
    }
}

/// A queue by its link or bearer, its UE and its direction.
fn name(queue: &QueueReading) -> String {
    let ue = queue.ue.as_ref().map(|ue| format!("{ue} ")).unwrap_or_default();
    let way = queue.direction.as_ref().map(|way| format!(" {way}")).unwrap_or_default();
    format!("{ue}{}{way}", queue.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(bytes: [u64; 2]) -> Reading {
        let queue = |(n, bytes): (usize, u64)| QueueReading {
            name: ["sgi down", "default"][n].to_owned(),
            ue: [None, Some("phone".to_owned())][n].clone(),
            direction: [None, Some("up".to_owned())][n].clone(),
            queues: 1,
            packets: bytes / 1500,
            bytes,
        };
        Reading { queues: bytes.into_iter().enumerate().map(queue).collect(), ..Reading::default() }
    }

    #[test]
    fn a_queue_beyond_256_mb_brings_one_warning() {
        let mut hoards = Hoards::default();
        assert!(hoards.look(&reading([256_000_000, 0])).is_empty());
        let first = hoards.look(&reading([256_000_001, 255_000_000]));
        assert_eq!(first.len(), 1);
        assert!(first[0].starts_with("the queue of sgi down holds 256 MB"), "{first:?}");
        let second = hoards.look(&reading([900_000_000, 300_000_000]));
        assert_eq!(second.len(), 1);
        assert!(second[0].starts_with("the queue of phone default up holds 300 MB"), "{second:?}");
        assert!(hoards.look(&reading([900_000_000, 900_000_000])).is_empty());
    }
}
