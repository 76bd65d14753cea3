//! Queues that grow without a bound in sight: an emulation keeps real packets in memory.

use std::collections::BTreeSet;

use airpath_results::live::{QueueReading, Reading};

/// A queue that holds more is told of: at 100 Mbit/s it is 20 s of packets.
const LARGE: u64 = 256_000_000;

/// The queues that have been told of.
#[derive(Debug, Default)]
pub(crate) struct Hoards(BTreeSet<(String, Option<String>)>);

impl Hoards {
    /// What is to be said of a reading: each queue once.
    pub fn look(&mut self, reading: &Reading) -> Vec<String> {
        let large = reading.queues.iter().filter(|queue| queue.bytes > LARGE);
        let new =
            large.filter(|queue| self.0.insert((queue.name.clone(), queue.direction.clone())));
        new.map(text).collect()
    }
}

fn text(queue: &QueueReading) -> String {
    let way = queue.direction.as_ref().map(|way| format!(" {way}")).unwrap_or_default();
    format!(
        "the queue of {}{way} holds {} MB in memory and may go on growing: a limit of its link or \
         bearer bounds it (queue = \"1 MB\")",
        queue.name,
        queue.bytes / 1_000_000
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(bytes: [u64; 2]) -> Reading {
        let queue = |(n, bytes): (usize, u64)| QueueReading {
            name: ["sgi down", "default of phone"][n].to_owned(),
            direction: [None, Some("up".to_owned())][n].clone(),
            queues: 1,
            packets: bytes / 1500,
            bytes,
        };
        Reading { queues: bytes.into_iter().enumerate().map(queue).collect(), ..Reading::default() }
    }

    #[test]
    fn a_queue_beyond_256_mb_is_told_of_once() {
        let mut hoards = Hoards::default();
        assert!(hoards.look(&reading([256_000_000, 0])).is_empty());
        let told = hoards.look(&reading([256_000_001, 255_000_000]));
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("the queue of sgi down holds 256 MB"), "{told:?}");
        let told = hoards.look(&reading([900_000_000, 300_000_000]));
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("the queue of default of phone up holds 300 MB"), "{told:?}");
        assert!(hoards.look(&reading([900_000_000, 900_000_000])).is_empty());
    }
}
