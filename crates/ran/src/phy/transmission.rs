//! Transmission modes of LTE downlink: antenna ports, their reference signals, and the layers of codewords.

use super::resources::ReferenceSignals;

/// Transmission of LTE downlink by its transmission mode (TS 36.213, 7.1). NR has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmissionMode {
    /// Cell-specific antenna ports whose reference signals take room: 1, 2 or 4.
    pub ports: u8,
    /// True if reference signals of the UE take room too: mode 9.
    pub own_signals: bool,
    /// True if each codeword of several layers goes over all of them: mode 3, large-delay cyclic delay
    /// diversity (TS 36.211, 6.3.4.2.2).
    pub delay_diversity: bool,
}

impl TransmissionMode {
    /// On one port.
    pub const ONE_PORT: TransmissionMode =
        TransmissionMode { ports: 1, own_signals: false, delay_diversity: false };

    /// Reference signals of so many layers (TS 36.211, 6.10.1.2 and 6.10.3.2).
    pub const fn reference(self, layers: u8) -> ReferenceSignals {
        let own = match (self.own_signals, layers) {
            (false, _) => 0,
            (true, 0..=2) => 12,
            (true, 3..) => 24,
        };
        ReferenceSignals { ports: self.ports, own }
    }
}
