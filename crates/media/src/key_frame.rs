//! Requests for key frames.

/// Request for a key frame, which repairs missing data at the decoder. After a request, the next
/// occasion makes none, so that one loss does not cause two requests.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyFrame {
    wanted: bool,
    requested: bool,
}

impl KeyFrame {
    /// Data are missing.
    pub fn want(&mut self) {
        self.wanted = true;
    }

    /// True if the encoder should make a key frame now. To be called once a frame.
    pub fn take(&mut self) -> bool {
        let request = self.wanted && !self.requested;
        *self = KeyFrame { wanted: false, requested: request };
        request
    }
}
