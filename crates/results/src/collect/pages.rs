//! Counters of pages.

use airpath_base::Time;
use airpath_net::PageLoad;

use super::flow::Keep;
use crate::Delays;

/// Pages of a flow.
#[derive(Clone, Debug)]
pub struct PageCounts {
    /// Requested pages, as far as reported: at completion, or at the end.
    pub asked: u64,
    /// Of these, complete.
    pub finished: u64,
    /// From asking to the last byte of the last object.
    pub delays: Delays,
    /// From asking to the last byte of the first object behind the index, or of the index alone.
    pub first_objects: Delays,
    from: Time,
}

impl PageCounts {
    pub(super) fn new(keep: Keep) -> PageCounts {
        let delays = Delays::new(keep.exact_delays);
        PageCounts { asked: 0, finished: 0, first_objects: delays.anew(), delays, from: keep.from }
    }

    pub(super) fn page(&mut self, page: &PageLoad) {
        if page.asked < self.from {
            return;
        }
        self.asked += 1;
        let first = page.first.map(|first| first.saturating_since(page.asked));
        first.into_iter().for_each(|delay| self.first_objects.add(delay));
        if let Some(done) = page.done {
            self.finished += 1;
            self.delays.add(done.saturating_since(page.asked));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_count_by_when_they_were_asked_for() {
        let ms = Time::from_millis;
        let mut counts =
            PageCounts::new(Keep { exact_delays: 9, from: ms(100), ..Keep::default() });
        let pages = [(99, Some(150)), (100, Some(400)), (200, Some(1_200)), (900, None)];
        for ((asked, done), number) in pages.into_iter().zip(0..) {
            let (asked, done) = (ms(asked), done.map(ms));
            let first = (number > 0).then(|| ms(asked.as_nanos() / 1_000_000 + 80));
            counts.page(&PageLoad { number, objects: 3, bytes: 9_000, asked, first, done });
        }
        assert_eq!((counts.asked, counts.finished), (3, 2));
        assert_eq!(counts.delays.exact(), Some(&[300_000_000, 1_000_000_000][..]));
        assert_eq!(counts.first_objects.exact(), Some(&[80_000_000; 3][..]));
    }
}
