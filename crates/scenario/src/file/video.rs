//! Video and its congestion control.

use core::fmt;
use std::sync::Arc;

use airpath_base::{BitRate, Bytes, Duration};
use airpath_schema::units::{Every, Phase};
use airpath_schema::{Decoder, Field, Json, Node, above, above_to, between, choice, json, record};

use super::GiveUp;

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);

record! {
    /// A video encoder. Without congestion control its bitrate is `max_rate`.
    pub struct Video {
        /// Frames a second. Default: 60 (SCReAM's trace of game video).
        frame_rate: f64 = 60.0 => between(0.1, 10_000.0);
        /// Lowest bitrate. Default: 2 Mbit/s (L4S in 5G networks, chapter 4.4).
        min_rate: BitRate = BitRate::from_mbps(2) => above(BitRate::from_bps(0));
        /// Highest bitrate. Default: 70 Mbit/s (L4S in 5G networks, chapter 4.4).
        max_rate: BitRate = BitRate::from_mbps(70) => above(BitRate::from_bps(0));
        /// Most bytes of a frame in a packet. Default: 1200 B (SCReAM's encoder).
        packet: Bytes = Bytes(1_200) => between(Bytes(1), Bytes(65_475));
        /// Time constant with which the encoder follows its target. Default: 0 s, at once,
        /// as SCReAM's encoder does.
        lag: Duration = Duration::ZERO => between(Duration::ZERO, HOUR);
        /// Interval of key frames, or "off" for key frames on request only. Default: 2 s (L4S in 5G
        /// networks, chapter 4.4).
        key_frames: Every = Every::Interval(Duration::from_secs(2))
            => above_to(Duration::ZERO, HOUR);
        /// Size of a key frame in mean sizes of the others. Default: 2.56 (SCReAM's trace).
        key_frame_scale: f64 = 2.56 => between(1.0, 1_000.0);
        /// Mean interval of changes of the scene, which make a key frame, or "off". Default: "off".
        scene_changes: Every = Every::Off => above_to(Duration::ZERO, HOUR);
        /// Standard deviation of the sizes of other frames over their mean. Default: 0.226
        /// (SCReAM's trace; with its key frames 0.26).
        variation: f64 = 0.226 => between(0.0, 1.0);
        /// Correlation of a frame's size with the next one's. Default: -0.39 (SCReAM's
        /// trace).
        correlation: f64 = -0.39 => between(-0.99, 0.99);
        /// A file with frame sizes in bytes, which repeat and are scaled to the bitrate. It
        /// replaces the model that the keys above describe. Default: none.
        frame_sizes: Option<FrameFile>;
        /// Gain with which the bitrate that the file is taken to have follows its frames.
        /// Default: 0, for its mean throughout; SCReAM's encoder of 2020: 0.05.
        frame_sizes_gain: f64 = 0.0 => between(0.0, 1.0);
        /// Time into its cycle (the file, or the time between key frames) when the flow starts: "0
        /// s", or "random" for a draw for each UE. Default: 0 s if one UE has the flow, else
        /// "random", since large frames of all UEs would coincide.
        phase: Option<Phase> => between(Duration::ZERO, DAY);
        /// End of the session because its rate has been poor for too long. Default: never.
        give_up: Option<GiveUp>;
        /// Name of the flow in the other direction whose newest packet at the source each frame shows: what a player does, or a
        /// pose. Results have the time from the making of that packet to the picture. Default: none.
        input: Option<String>;
        /// Time from a frame's last packet to its picture. Default: 0 s; the thesis L4S in
        /// 5G networks calls it constant and gives no value.
        processing: Duration = Duration::ZERO => between(Duration::ZERO, HOUR);
        /// Frames that take longer from encoder to picture are late. Default: 100 ms, below
        /// which games are playable (L4S in 5G networks, chapter 4.4).
        deadline: Duration = Duration::from_millis(100) => above_to(Duration::ZERO, HOUR);
    }
}

choice! {
    /// Congestion control of media.
    pub enum MediaControl {
        /// No congestion control.
        None = "none",
        /// SCReAM (RFC 8298 and its successor), with the options of `scream`.
        Scream = "scream",
        /// Google Congestion Control, with the options of `gcc`.
        Gcc = "gcc",
        /// NADA (RFC 8698), with the options of `nada`.
        Nada = "nada",
    }
}

/// A file with frame sizes, by its path relative to the scenario's.
#[derive(Clone, PartialEq)]
pub struct FrameFile {
    file: String,
    sizes: Option<Arc<[u32]>>,
}

impl FrameFile {
    /// The path as the scenario has it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Content of the file, once it has been read.
    pub fn sizes(&self) -> Option<&Arc<[u32]>> {
        self.sizes.as_ref()
    }

    /// Reads the sizes: numbers with white space between; `#` begins a comment.
    pub(crate) fn read(&mut self, text: &str) -> Result<(), String> {
        /// A day at 60 frames a second.
        const MOST: usize = 6_000_000;
        let mut sizes = Vec::new();
        for (n, line) in text.lines().enumerate() {
            let data = line.split('#').next().unwrap_or_default();
            for word in data.split_whitespace() {
                let size = word.parse::<f64>().ok().filter(|size| (0.0..1e9).contains(size));
                let size = size.ok_or_else(|| format!("line {}: `{word}` is no size", n + 1))?;
                sizes.push(size as u32);
            }
        }
        if sizes.len() > MOST || sizes.iter().all(|size| *size == 0) {
            return Err(format!("it has {} sizes, or none above zero", sizes.len()));
        }
        self.sizes = Some(Arc::from(sizes));
        Ok(())
    }
}

impl fmt::Debug for FrameFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FrameFile({:?})", self.file)
    }
}

impl Field for FrameFile {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let allowed = "the path of a file with frame sizes";
        let file = cx.text(node, allowed)?;
        match file.is_empty() {
            true => cx.fail(&node.place, "is empty", format!("it must be {allowed}")),
            false => Some(FrameFile { file: file.to_owned(), sizes: None }),
        }
    }
    fn encode(&self) -> Json {
        self.file.clone().into()
    }
    fn schema() -> Json {
        json!({"type": "string", "minLength": 1})
    }
}
