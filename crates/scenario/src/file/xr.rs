//! Traffic of extended reality and cloud gaming (TR 38.838, 5), and files beside it.

use airpath_base::{BitRate, Bytes, Duration};
use airpath_schema::units::Phase;
use airpath_schema::{above, above_to, between, choice, record};

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);

record! {
    /// Frames by a statistical model, each sent at once over RTP, without congestion control. Defaults of other keys are
    /// those of `model`. Sizes and rates are those of IP packets, headers included. The packets of a frame are one PDU set
    /// (TS 23.501, 5.37.5).
    pub struct Xr(model) {
        /// Model of traffic.
        model: XrModel;
        /// Mean rate of whole frames. Not beside `size`. Default: 30 Mbit/s; "ar-scene" 10 Mbit/s, "audio" 1.12 Mbit/s.
        rate: Option<BitRate> => above(BitRate::from_bps(0));
        /// Mean size of a whole frame, or size of a file. Default: from `rate`; "pose" 100 B, "ftp-3" 0.5 MB.
        size: Option<Bytes> => between(Bytes(41), Bytes(1_000_000_000));
        /// Frames a second. Default: 60; "pose" 250, "audio" 100.
        frame_rate: Option<f64> => between(1.0, 1_000.0);
        /// Mean time between files of "ftp-3", a Poisson process. Default: 200 ms (TR 38.864, Annex A).
        interval: Option<Duration> => above_to(Duration::ZERO, DAY);
        /// Standard deviation of sizes over their mean, before they are cut. Default: 0.105 (TR 38.838, 5.1.1.1); 0 for
        /// "pose", "audio" and "ftp-3".
        deviation: Option<f64> => between(0.0, 1.0);
        /// Smallest size over the mean; a smaller one is drawn again. Default: 0.5 (TR 38.838, 5.1.1.1).
        min: f64 = 0.5 => between(0.01, 1.0);
        /// Largest size over the mean; a larger one is drawn again. Default: 1.5 (TR 38.838, 5.1.1.1).
        max: f64 = 1.5 => between(1.0, 100.0);
        /// Standard deviation of the time of a frame, before it is cut. Default: 2 ms downlink (TR 38.838, 5.1.1.2); 0 s for
        /// "pose", "ar-scene", "audio" and "ftp-3".
        jitter: Option<Duration> => between(Duration::ZERO, HOUR);
        /// Largest jitter in each direction, at most half of the time between frames. Default: two times `jitter` (TR 38.838,
        /// 5.1.1.2: 4 ms).
        jitter_range: Option<Duration> => between(Duration::ZERO, HOUR);
        /// Time from frame to picture after which a frame is late. TR 38.838 has it as packet delay budget of the air
        /// interface. Default: 10 ms; "cloud-gaming" 15 ms, "ar-scene" and "audio" 30 ms, "ftp-3" 1 h.
        deadline: Option<Duration> => above_to(Duration::ZERO, HOUR);
        /// Time from a frame's last packet to its picture. Default: 0 s.
        processing: Duration = Duration::ZERO => between(Duration::ZERO, HOUR);
        /// Most bytes of an IP packet. Default: 1500 B (RFC 894).
        packet: Bytes = Bytes(1_500) => between(Bytes(41), Bytes(65_535));
        /// Position in the cycle of frames when the flow starts: "0 s", or "random" for a draw for each UE. Default: 0 s if one
        /// UE has the flow, else "random".
        phase: Option<Phase> => between(Duration::ZERO, DAY);
        /// Part of each frame that the flow carries. Default: "whole".
        part: XrPart = XrPart::Whole;
        /// Name of the encoder. Flows of a UE with the same name have the same times of frames, as two streams of one encoder
        /// do. Default: the flow's name.
        encoder: Option<String>;
        /// Slices of a frame, for parts of slices. Default: 8 (TR 38.838, 5.1).
        slices: u32 = 8 => between(2, 1_000);
        /// Frames of a group of pictures, for parts by frames. Default: 8 (TR 38.838, 5.1).
        group: u32 = 8 => between(2, 1_000);
        /// Size of a slice or a frame that refers to no other one, in sizes of the others. Default: 1.5 (TR 38.838, 5.1).
        ratio: f64 = 1.5 => between(1.0, 1_000.0);
        /// Name of the flow in the other direction whose newest packet at the source each frame shows: what a player does, or a
        /// pose. Results have the time from the making of that packet to the picture. Default: none.
        input: Option<String>;
        /// Importance of its PDU sets, 1 for the most important. Default: 1; 2 for "p-slices" and "p-frames".
        importance: Option<u8> => between(1, 15);
    }
}

choice! {
    /// A model of traffic.
    pub enum XrModel {
        /// Virtual reality downlink (TR 38.838, 5.2).
        Vr = "vr",
        /// Augmented reality downlink (TR 38.838, 5.3).
        Ar = "ar",
        /// Cloud gaming downlink (TR 38.838, 5.4).
        CloudGaming = "cloud-gaming",
        /// Pose and control uplink: 100 B each 4 ms (TR 38.838, 5.5.1).
        Pose = "pose",
        /// Scene, video, data and voice of augmented reality uplink (TR 38.838, 5.5.2).
        ArScene = "ar-scene",
        /// Audio and data beside a video (TR 38.838, 5.1).
        Audio = "audio",
        /// Files of FTP model 3 (TR 36.872, A.2.1.3.1).
        Ftp3 = "ftp-3",
    }
}

choice! {
    /// Part of each frame that a flow carries (TR 38.838, 5.1, two streams).
    pub enum XrPart {
        /// All of each frame.
        Whole = "whole",
        /// The slice of each frame that refers to no other frame.
        ISlice = "i-slice",
        /// The other slices of each frame.
        PSlices = "p-slices",
        /// The first frame of each group of pictures.
        IFrames = "i-frames",
        /// The other frames of each group of pictures.
        PFrames = "p-frames",
    }
}

/// Defaults of a model.
struct Usual {
    size: Result<BitRate, Bytes>,
    frame_rate: f64,
    deviation: f64,
    jitter_ms: u64,
    deadline: Duration,
}

impl XrModel {
    fn usual(self) -> Usual {
        let video = |mbps, deadline| Usual {
            size: Ok(BitRate::from_mbps(mbps)),
            frame_rate: 60.0,
            deviation: 0.105,
            jitter_ms: 2,
            deadline: Duration::from_millis(deadline),
        };
        let constant = |size, frame_rate, deadline| Usual {
            size,
            frame_rate,
            deviation: 0.0,
            jitter_ms: 0,
            deadline,
        };
        let ms = Duration::from_millis;
        match self {
            XrModel::Vr | XrModel::Ar => video(30, 10),
            XrModel::CloudGaming => video(30, 15),
            XrModel::ArScene => Usual { jitter_ms: 0, ..video(10, 30) },
            XrModel::Pose => constant(Err(Bytes(100)), 250.0, ms(10)),
            XrModel::Audio => constant(Ok(BitRate::from_kbps(1_120)), 100.0, ms(30)),
            XrModel::Ftp3 => constant(Err(Bytes(500_000)), 0.0, HOUR),
        }
    }
}

impl Xr {
    /// Fills in what follows from other keys, but for the phase.
    pub(crate) fn fill(&mut self, flow: &str) {
        let usual = self.model.usual();
        match usual.size {
            _ if self.rate.is_some() || self.size.is_some() => {}
            Ok(rate) => self.rate = Some(rate),
            Err(size) => self.size = Some(size),
        }
        match self.is_periodic() {
            true => _ = self.frame_rate.get_or_insert(usual.frame_rate),
            false => _ = self.interval.get_or_insert(Duration::from_millis(200)),
        }
        self.deviation.get_or_insert(usual.deviation);
        let jitter = *self.jitter.get_or_insert(Duration::from_millis(usual.jitter_ms));
        self.jitter_range.get_or_insert(jitter * 2);
        self.deadline.get_or_insert(usual.deadline);
        self.encoder.get_or_insert_with(|| flow.to_owned());
        let refers = matches!(self.part, XrPart::PSlices | XrPart::PFrames);
        self.importance.get_or_insert(if refers { 2 } else { 1 });
    }

    /// False for files, which come as a Poisson process.
    pub fn is_periodic(&self) -> bool {
        self.model != XrModel::Ftp3
    }

    /// False for files, poses and sound, which nobody sees.
    pub fn has_pictures(&self) -> bool {
        !matches!(self.model, XrModel::Ftp3 | XrModel::Pose | XrModel::Audio)
    }

    /// Time between frames, or mean time between files.
    pub fn period(&self) -> Duration {
        match (self.is_periodic(), self.interval) {
            (false, interval) => interval.unwrap_or(Duration::from_millis(200)),
            (true, _) => {
                let usual = self.model.usual().frame_rate;
                Duration::from_secs_f64(1.0 / self.frame_rate.unwrap_or(usual))
            }
        }
    }

    /// Mean bytes of a whole frame.
    pub fn mean_size(&self) -> f64 {
        let of_rate = |rate: BitRate| rate.as_bps() as f64 * self.period().as_secs_f64() / 8.0;
        let usual = self.model.usual().size;
        let size = self.size.or(usual.err().filter(|_| self.rate.is_none()));
        let rate = self.rate.or(usual.ok());
        size.map_or_else(|| rate.map_or(0.0, of_rate), |size| size.0 as f64)
    }

    /// Largest jitter in each direction.
    pub fn range(&self) -> Duration {
        let usual = Duration::from_millis(self.model.usual().jitter_ms);
        self.jitter_range.unwrap_or_else(|| self.jitter.unwrap_or(usual) * 2)
    }
}
