//! Scenarios of the bench: one flow, and the causes that hold it.

use std::fmt;

use crate::page::limits::Limit;

/// Head of the flow of which a limit is sought.
const OWN: &str = "[[flow]]\nname = \"own\"\nue = \"phone\"\n";

/// Something that may hold a flow, and how strongly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cause {
    /// So many resource blocks of LTE, or as many of NR, instead of enough.
    Cell(u32),
    /// Another UE with so many full buffers, and 25 resource blocks.
    Others(u32),
    /// Another flow of the UE fills its bearer, and 25 resource blocks.
    Beside,
    /// A wired link of so many Mbit/s.
    Link(f64),
    /// Another flow fills a wired link of so many Mbit/s.
    Shared(f64),
    /// Packets lost at random on a wire.
    Losses(f64),
    /// Packets marked at random on a wire.
    Marks(f64),
    /// A marker in the cell's queue with a threshold of so many microseconds.
    Marker(u32),
    /// Mbit/s that the application makes.
    Application(f64),
    /// Bytes of the receive buffer of TCP; kbit/s a second by which SCReAM grows.
    Window(u32),
}

impl Cause {
    pub(super) fn is_named_by(self, app: App, limit: Limit) -> bool {
        use Cause::*;
        match self {
            Cell(_) | Others(_) | Beside => matches!(limit, Limit::FullCell | Limit::Radio),
            Link(_) | Shared(_) => limit == Limit::Link,
            Losses(_) => limit == Limit::Losses,
            Marks(_) | Marker(_) => limit == Limit::Marks,
            Application(_) => limit == Limit::Application,
            // SCReAM grows so fast by itself.
            Window(_) if matches!(app, App::Scream(_)) => limit == Limit::Sender,
            Window(_) => limit == Limit::Window,
        }
    }
}

/// Application of the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum App {
    /// TCP with this controller.
    Tcp(&'static str),
    /// Video with SCReAM.
    Scream(&'static str),
    /// Packets of 160 B each 20 ms, or video at a constant rate with [`Cause::Application`].
    Constant,
}

/// A scenario.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) nr: bool,
    pub(super) up: bool,
    pub(super) app: App,
    pub(super) delay_ms: u32,
    pub(super) seed: u64,
    pub(super) causes: Vec<Cause>,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let technology = if self.nr { "NR" } else { "LTE" };
        let way = if self.up { "up" } else { "down" };
        write!(
            f,
            "{technology} {way} {:?} {} ms seed {} {:?}",
            self.app, self.delay_ms, self.seed, self.causes
        )
    }
}

impl Row {
    fn find<T>(&self, without: Option<&Cause>, of: impl Fn(Cause) -> Option<T>) -> Option<T> {
        self.causes.iter().filter(|cause| Some(*cause) != without).find_map(|cause| of(*cause))
    }

    /// The scenario, without one of its causes if one is named.
    pub(super) fn text(&self, without: Option<&Cause>) -> String {
        let mut text = format!("duration = \"8 s\"\nseed = {}\n", self.seed);
        text += "[output]\nwarm_up = \"3 s\"\n";
        text += &self.path(without);
        text += &self.cell(without);
        text += "[[ue]]\nname = \"phone\"\nsnr = \"25 dB\"\n";
        text += "[[bearer]]\nname = \"default\"\ndefault = true\n";
        if let Some(threshold) = self.find(without, |c| match c {
            Cause::Marker(threshold) => Some(threshold),
            _ => None,
        }) {
            let key = if self.up { "uplink_queue" } else { "queue" };
            text += &format!(
                "{key} = {{ kind = \"step\", threshold = \"{threshold} us\", limit = \"unlimited\" }}\n"
            );
        }
        text += &self.flow(without);
        text + &self.others(without)
    }

    fn path(&self, without: Option<&Cause>) -> String {
        let rate = self.find(without, |c| match c {
            Cause::Link(rate) | Cause::Shared(rate) => Some(rate),
            _ => None,
        });
        let losses = self.find(without, |c| match c {
            Cause::Losses(share) => Some(share),
            _ => None,
        });
        let marks = self.find(without, |c| match c {
            Cause::Marks(share) => Some(share),
            _ => None,
        });
        let rate = rate.map_or("1 Gbit/s".to_owned(), |rate| format!("{rate} Mbit/s"));
        let pattern = |key: &str, share: Option<f64>| {
            share.map_or(String::new(), |share| format!("{key} = {share}\n"))
        };
        // Data in the other direction are not disturbed.
        let queue = "queue = \"100 packets\"\n";
        let own = queue.to_owned()
            + &pattern("loss", losses)
            + &pattern("mark", marks)
            + &format!("rate = \"{rate}\"\n");
        let delay = format!("delay = \"{} ms\"\n", self.delay_ms);
        match self.up {
            false => format!(
                "[path.sgi]\n{own}{delay}[path.sgi.up]\nrate = \"1 Gbit/s\"\nloss = 0.0\nmark = 0.0\nqueue = \"1000 packets\"\n"
            ),
            true => format!("[path.sgi]\nrate = \"1 Gbit/s\"\n{delay}[path.sgi.up]\n{own}"),
        }
    }

    fn cell(&self, without: Option<&Cause>) -> String {
        let blocks = self.find(without, |c| match c {
            Cause::Cell(blocks) => Some(blocks),
            Cause::Others(_) | Cause::Beside => Some(25),
            _ => None,
        });
        match self.nr {
            false => format!("[cell]\nresource_blocks = {}\n", blocks.unwrap_or(100)),
            // TS 38.101-1, table 5.3.2-1, subcarriers of 15 kHz: 25, 52 and 106 blocks.
            true => {
                let megahertz = match blocks {
                    Some(..=30) => 5,
                    Some(_) => 10,
                    None => 20,
                };
                format!("[cell]\ntechnology = \"nr\"\nbandwidth = \"{megahertz} MHz\"\n")
            }
        }
    }

    fn flow(&self, without: Option<&Cause>) -> String {
        let way = if self.up { "up" } else { "down" };
        let most_of = |cause| match cause {
            Cause::Application(rate) => Some(rate),
            _ => None,
        };
        let most = self.find(without, most_of);
        let window = self.find(without, |c| match c {
            Cause::Window(size) => Some(size),
            _ => None,
        });
        let head = |kind| format!("{OWN}direction = \"{way}\"\nkind = \"{kind}\"\n");
        match self.app {
            App::Tcp(controller) => {
                let mut text = head("tcp");
                if let Some(rate) = most {
                    // Each 100 ms.
                    let bytes = (rate * 1e6 / 8.0 / 10.0) as u64;
                    text += &format!(
                        "requests = {{ response = \"{bytes} B\", period = \"100 ms\" }}\n"
                    );
                }
                text += &format!("[flow.tcp]\ncontroller = \"{controller}\"\n");
                if matches!(controller, "cubic" | "newreno") && self.marks() {
                    text += "ecn = \"classic\"\n";
                }
                if let Some(bytes) = window {
                    text += &format!("receive_buffer = \"{bytes} B\"\n");
                }
                text
            }
            App::Scream(version) => {
                let growth =
                    window.map_or(String::new(), |rate| format!(", ramp_up = \"{rate} kbit/s\""));
                let most = most.unwrap_or(60.0);
                head("rtp")
                    + &format!(
                        "[flow.rtp]\ncongestion_control = \"scream\"\nscream = {{ version = \"{version}\", start_rate = \"{} Mbit/s\"{growth} }}\nvideo = {{ min_rate = \"500 kbit/s\", max_rate = \"{most} Mbit/s\" }}\n",
                        most.min(4.0)
                    )
            }
            App::Constant => match most {
                Some(rate) => {
                    head("rtp")
                        + &format!(
                            "[flow.rtp]\nvideo = {{ min_rate = \"10 kbit/s\", max_rate = \"{rate} Mbit/s\" }}\n"
                        )
                }
                // Four times as much: what does not adapt takes from others what it sends.
                None => self.find(None, most_of).map_or(head("rtp"), |rate| {
                    head("rtp")
                        + &format!(
                            "[flow.rtp]\nvideo = {{ max_rate = \"{} Mbit/s\" }}\n",
                            4.0 * rate
                        )
                }),
            },
        }
    }

    /// True if any of its causes marks.
    fn marks(&self) -> bool {
        self.causes.iter().any(|cause| matches!(cause, Cause::Marks(_) | Cause::Marker(_)))
    }

    fn others(&self, without: Option<&Cause>) -> String {
        let way = if self.up { "up" } else { "down" };
        self.find(without, |c| match c {
            Cause::Others(count) => Some(format!(
                "[[ue]]\nname = \"other\"\ncount = {count}\nsnr = \"25 dB\"\n[[flow]]\nname = \"load\"\nkind = \"full-buffer\"\ndirection = \"{way}\"\nue = \"other\"\n"
            )),
            Cause::Beside | Cause::Shared(_) => Some(format!(
                "[[flow]]\nname = \"load\"\nkind = \"tcp\"\ndirection = \"{way}\"\nue = \"phone\"\n"
            )),
            _ => None,
        })
        .unwrap_or_default()
    }
}

/// Each cause alone and in pairs: 40 scenarios.
pub(super) fn fixed() -> Vec<Row> {
    use Cause::*;
    let (cubic, prague, v2, v1) =
        (App::Tcp("cubic"), App::Tcp("prague"), App::Scream("v2"), App::Scream("v1"));
    let alone: [(App, Cause); 16] = [
        (cubic, Cell(15)),
        (v2, Cell(15)),
        (cubic, Link(12.0)),
        (v2, Link(12.0)),
        (cubic, Losses(0.01)),
        (v2, Losses(0.05)),
        (prague, Marks(0.1)),
        (v2, Marks(0.2)),
        (cubic, Application(4.0)),
        (v2, Application(6.0)),
        (cubic, Window(40_000)),
        (v1, Window(200)),
        (App::Constant, Beside),
        (App::Constant, Shared(10.0)),
        (App::Constant, Application(3.0)),
        (v2, Marker(100)),
    ];
    let pairs: [(App, [Cause; 2]); 24] = [
        (cubic, [Cell(25), Link(10.0)]),
        (v2, [Cell(25), Link(8.0)]),
        (cubic, [Cell(15), Losses(0.001)]),
        (v2, [Cell(25), Losses(0.06)]),
        (prague, [Cell(25), Marks(0.15)]),
        (v2, [Cell(15), Marks(0.01)]),
        (cubic, [Cell(15), Application(4.0)]),
        (v2, [Cell(15), Application(30.0)]),
        (cubic, [Cell(25), Window(30_000)]),
        (v1, [Cell(25), Window(200)]),
        (cubic, [Link(8.0), Losses(0.001)]),
        (v2, [Link(25.0), Losses(0.06)]),
        (prague, [Link(10.0), Marker(1_000)]),
        (v2, [Link(30.0), Marks(0.2)]),
        (cubic, [Link(10.0), Application(30.0)]),
        (v2, [Link(20.0), Application(5.0)]),
        (cubic, [Link(30.0), Window(40_000)]),
        (prague, [Losses(0.02), Marks(0.02)]),
        (v2, [Losses(0.01), Marks(0.25)]),
        (cubic, [Losses(0.02), Application(20.0)]),
        (v2, [Application(5.0), Losses(0.002)]),
        (cubic, [Window(150_000), Losses(0.02)]),
        (prague, [Window(40_000), Marks(0.005)]),
        (App::Constant, [Application(2.0), Beside]),
    ];
    let alone = alone.into_iter().map(|(app, cause)| (app, vec![cause]));
    let pairs = pairs.into_iter().map(|(app, causes)| (app, causes.to_vec()));
    let rows = alone.chain(pairs).enumerate().map(|(n, (app, causes))| Row {
        nr: n % 4 >= 2,
        up: n % 8 == 5 || n % 8 == 2,
        app,
        delay_ms: 15,
        seed: n as u64 + 1,
        causes,
    });
    rows.collect()
}
