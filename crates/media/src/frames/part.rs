//! Parts of a picture's bytes that a stream carries.

/// Part of each picture that a stream carries (TR 38.838, 5.1, two streams). Sizes are shares of a picture's mean size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// All of each picture.
    Whole,
    /// The slice of each picture that refers to no other picture: `ratio / (slices - 1 + ratio)`.
    ISlice {
        /// Slices of a picture, at least 2.
        slices: u32,
        /// Size of this slice in sizes of another.
        ratio: f64,
    },
    /// The other slices of each picture: the rest.
    PSlices {
        /// Slices of a picture, at least 2.
        slices: u32,
        /// Size of the slice that refers to no other picture in sizes of another.
        ratio: f64,
    },
    /// The first picture of each group: `ratio x pictures / (pictures - 1 + ratio)`.
    IFrames {
        /// Pictures of a group, at least 2.
        pictures: u32,
        /// Size of this picture in sizes of another.
        ratio: f64,
    },
    /// The other pictures of each group: `pictures / (pictures - 1 + ratio)`.
    PFrames {
        /// Pictures of a group, at least 2.
        pictures: u32,
        /// Size of the group's first picture in sizes of another.
        ratio: f64,
    },
}

impl Part {
    /// Pictures after which the sizes repeat.
    pub fn cycle(self) -> u32 {
        match self {
            Part::IFrames { pictures, .. } | Part::PFrames { pictures, .. } => pictures,
            Part::Whole | Part::ISlice { .. } | Part::PSlices { .. } => 1,
        }
    }

    /// True if nothing of a picture is sent behind this part, so that it ends a data burst.
    pub fn ends_picture(self) -> bool {
        !matches!(self, Part::ISlice { .. })
    }

    /// Share of a picture's mean size that the stream has of picture `number`; none if the stream has nothing of it.
    pub fn share(self, number: u64) -> Option<f64> {
        let first = number.is_multiple_of(u64::from(self.cycle()));
        match self {
            Part::Whole => Some(1.0),
            Part::ISlice { slices, ratio } => Some(ratio / (f64::from(slices) - 1.0 + ratio)),
            Part::PSlices { slices, ratio } => {
                let others = f64::from(slices) - 1.0;
                Some(others / (others + ratio))
            }
            Part::IFrames { pictures, ratio } => first.then(|| ratio * unit(pictures, ratio)),
            Part::PFrames { pictures, ratio } => (!first).then(|| unit(pictures, ratio)),
        }
    }

    /// True if it can be decoded without earlier pictures.
    pub fn is_key(self) -> bool {
        matches!(self, Part::ISlice { .. } | Part::IFrames { .. })
    }
}

/// Size of a picture of a group that is not the first, in mean sizes.
fn unit(pictures: u32, ratio: f64) -> f64 {
    f64::from(pictures) / (f64::from(pictures) - 1.0 + ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_streams_together_have_the_rate_of_one() {
        let sum = |part: Part| (0..8).filter_map(|n| part.share(n)).sum::<f64>();
        let (pictures, slices, ratio) = (8, 8, 1.5);
        let frames =
            sum(Part::IFrames { pictures, ratio }) + sum(Part::PFrames { pictures, ratio });
        let of_slices = sum(Part::ISlice { slices, ratio }) + sum(Part::PSlices { slices, ratio });
        assert!((frames - 8.0).abs() < 1e-12 && (of_slices - 8.0).abs() < 1e-12);
    }

    #[test]
    fn shares_of_two_streams_by_hand() {
        // 1.5 / 8.5 of each picture; 12 / 8.5 and 8 / 8.5 of the mean picture.
        let slice = Part::ISlice { slices: 8, ratio: 1.5 }.share(3);
        assert!(slice.is_some_and(|share| (share - 0.176_470_588).abs() < 1e-8), "{slice:?}");
        let first = Part::IFrames { pictures: 8, ratio: 1.5 };
        assert!(first.share(16).is_some_and(|share| (share - 1.411_764_706).abs() < 1e-8));
        assert_eq!(first.share(17), None);
        let other = Part::PFrames { pictures: 8, ratio: 1.5 };
        assert!(other.share(17).is_some_and(|share| (share - 0.941_176_471).abs() < 1e-8));
        assert_eq!(other.share(16), None);
    }
}
