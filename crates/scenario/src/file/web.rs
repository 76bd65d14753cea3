//! Users of the web.

use airpath_base::{Bytes, Duration};
use airpath_schema::{above_to, at_least, between, record};

use super::{Beyond, SizeShape};

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);
/// Largest size of an index or an object, 1 GB.
const LARGEST: Bytes = Bytes(1_000_000_000);

record! {
    /// A user who reads page after page: an index, and objects that are asked for when it has
    /// come. Page 7 of a UE has the same sizes, objects and reading time whatever the network
    /// is. Defaults are those of the thesis L4S in 5G networks, chapter 4.4, and of 3GPP2
    /// C.R1002 and NGMN's evaluation methodology, where its figures come from.
    pub struct Web {
        /// Shape of the sizes. Default: "lognormal" (3GPP2 C.R1002).
        sizes: SizeShape = SizeShape::Lognormal;
        /// Size of an index. Default: mean 10710 B and deviation 25032 B, within 100 B and 2 MB.
        index: PageSize = PageSize::UNSAID;
        /// Size of each object. Default: mean 7758 B and deviation 126168 B, within 50 B and
        /// 2 MB.
        object: PageSize = PageSize::UNSAID;
        /// How many objects a page has.
        objects: ObjectCount = ObjectCount::USUAL;
        /// How long a page is read, from its last byte to the request of the next. Not beside
        /// `interval`.
        reading: Option<Reading>;
        /// Sessions of some pages, with pauses between. Not beside `interval`. Default: one
        /// session that lasts.
        sessions: Option<Sessions>;
        /// Mean time between pages that come as a Poisson process, whether or not those before
        /// have come. Default: a page comes when the one before has been read.
        interval: Option<Duration> => above_to(Duration::ZERO, DAY);
        /// Pages. Default: until the flow stops.
        count: Option<u64> => at_least(1);
        /// Connections at a time. Default: 6, as browsers have for each server over HTTP/1.1.
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
        /// Mean.
        mean: Option<Bytes> => between(Bytes(1), LARGEST);
        /// Standard deviation.
        deviation: Option<Bytes> => between(Bytes(0), LARGEST);
        /// The smallest. Default: 100 B for an index and 50 B for an object, or 1 B with sizes =
        /// "normal".
        min: Option<Bytes> => between(Bytes(1), LARGEST);
        /// The largest. Default: 2 MB.
        max: Option<Bytes> => between(Bytes(1), LARGEST);
    }
}

record! {
    /// A number of objects: Pareto, rounded to the nearest.
    pub struct ObjectCount {
        /// The smallest. Default: 15, which makes 22 objects on average.
        location: f64 = 15.0 => above_to(0.0, 100_000.0);
        /// Exponent of the tail. Default: 3.1.
        shape: f64 = 3.1 => above_to(0.0, 1_000.0);
        /// The largest; what is above becomes that. Default: 1000, which two pages in a million
        /// reach; the thesis has none, 3GPP2 C.R1002 has 53 with other parameters.
        max: u32 = 1_000 => between(1, 100_000);
    }
}

record! {
    /// A time for reading: exponential with a largest value.
    pub struct Reading {
        /// Mean before it is cut. Default: 5 s.
        mean: Duration = Duration::from_secs(5) => above_to(Duration::ZERO, DAY);
        /// The longest. Default: 7 s.
        max: Duration = Duration::from_secs(7) => above_to(Duration::ZERO, DAY);
        /// What becomes of longer ones. Default: "clamp", a mean of 3.8 s; the thesis says
        /// "maximum".
        beyond: Beyond = Beyond::Clamp;
    }
}

record! {
    /// Sessions of some pages each.
    pub struct Sessions {
        /// Mean number of pages: geometric, at least one.
        pages: f64 => between(1.0, 1_000_000.0);
        /// Mean time from the end of a session's last reading to the next session: exponential.
        pause: Duration => above_to(Duration::ZERO, DAY);
    }
}

impl PageSize {
    const UNSAID: PageSize = PageSize { mean: None, deviation: None, min: None, max: None };

    /// Fills in what has not been said.
    fn fill(&mut self, mean: u64, deviation: u64, min: u64) {
        self.mean.get_or_insert(Bytes(mean));
        self.deviation.get_or_insert(Bytes(deviation));
        self.min.get_or_insert(Bytes(min));
        self.max.get_or_insert(Bytes(2_000_000));
    }
}

impl ObjectCount {
    const USUAL: ObjectCount = ObjectCount { location: 15.0, shape: 3.1, max: 1_000 };
}

impl Web {
    /// Fills in what follows from other keys.
    pub(crate) fn fill(&mut self) {
        let normal = self.sizes == SizeShape::Normal;
        let least = |usual| if normal { 1 } else { usual };
        self.index.fill(10_710, 25_032, least(100));
        self.object.fill(7_758, 126_168, least(50));
        if self.interval.is_none() && self.reading.is_none() {
            self.reading = <Reading as airpath_schema::Field>::absent();
        }
    }
}
