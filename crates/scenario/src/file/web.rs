//! Users of the web.

use airpath_base::{Bytes, Duration};
use airpath_schema::{above_to, at_least, between, record};

use super::{ObjectCount, Reading, Sessions, SizeShape};

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);
/// Largest size of an index or an object, 1 GB.
const LARGEST: Bytes = Bytes(1_000_000_000);

record! {
    /// A user who reads page after page: an index, and objects that are requested when it has come.
    /// Page 7 of a UE has the same sizes, objects and reading time whatever the network is.
    /// Defaults are those of the thesis L4S in 5G networks, chapter 4.4, and of 3GPP2 C.R1002 and
    /// NGMN's evaluation methodology, where its figures come from.
    pub struct Web {
        /// Shape of the sizes. Default: "lognormal" (3GPP2 C.R1002).
        sizes: SizeShape = SizeShape::Lognormal;
        /// Size of an index. Default: mean 10710 B and deviation 25032 B, within 100 B and 2 MB.
        index: PageSize = PageSize::UNSAID;
        /// Size of each object. Default: mean 7758 B and deviation 126168 B, within 50 B and
        /// 2 MB.
        object: PageSize = PageSize::UNSAID;
        /// Number of objects of a page.
        objects: ObjectCount;
        /// Time for reading a page, from its last byte to the request of the next. Not beside
        /// `interval`.
        reading: Option<Reading>;
        /// Sessions of some pages, with pauses between. Not beside `interval`. Default: one
        /// session that lasts.
        sessions: Option<Sessions>;
        /// Mean time between pages that come as a Poisson process, whether or not those before
        /// have come. Default: a page comes when the one before has been read.
        interval: Option<Duration> => above_to(Duration::ZERO, DAY);
        /// Number of pages. Default: until the flow stops.
        count: Option<u64> => at_least(1);
        /// Number of connections at a time. Default: 6, as browsers have for each server over
        /// HTTP/1.1.
        connections: u32 = 6 => between(1, 8);
        /// Requests after which a connection is closed: 1 for one each. Default: connections
        /// last.
        requests_per_connection: Option<u32> => at_least(1);
        /// Bytes of a request. Default: 400 B, a line and some headers of HTTP.
        request: Bytes = Bytes(400) => between(Bytes(1), Bytes(1 << 20));
        /// Time that the server takes before it answers. Default: 0 s.
        reply_delay: Duration = Duration::ZERO => between(Duration::ZERO, HOUR);
    }
}

record! {
    /// A distribution of sizes, before it is cut to its bounds.
    pub struct PageSize {
        /// Mean size.
        mean: Option<Bytes> => between(Bytes(1), LARGEST);
        /// Standard deviation of the size.
        deviation: Option<Bytes> => between(Bytes(0), LARGEST);
        /// The smallest size. Default: 100 B for an index and 50 B for an object, or 1 B with sizes
        /// = "normal".
        min: Option<Bytes> => between(Bytes(1), LARGEST);
        /// The largest size. Default: 2 MB.
        max: Option<Bytes> => between(Bytes(1), LARGEST);
    }
}

impl PageSize {
    const UNSAID: PageSize = PageSize { mean: None, deviation: None, min: None, max: None };

    /// Fills in absent keys.
    fn fill(&mut self, mean: u64, deviation: u64, min: u64) {
        self.mean.get_or_insert(Bytes(mean));
        self.deviation.get_or_insert(Bytes(deviation));
        self.min.get_or_insert(Bytes(min));
        self.max.get_or_insert(Bytes(2_000_000));
    }
}

impl Web {
    /// Fills in what follows from other keys.
    pub(crate) fn fill(&mut self) {
        let normal = self.sizes == SizeShape::Normal;
        let least = |usual| if normal { 1 } else { usual };
        self.index.fill(10_710, 25_032, least(100));
        self.object.fill(7_758, 126_168, least(50));
        if self.interval.is_none() && self.reading.is_none() {
            self.reading = Some(Reading::default());
        }
    }
}
