//! Causes of dropped packets, with their names in tables.

/// Cause of a dropped packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropCause {
    /// The queue was full.
    QueueFull,
    /// An AQM dropped it.
    Aqm,
    /// It had waited longer than PDCP's discard timer (TS 36.323, 5.4).
    DiscardTimer,
    /// Another packet of its PDU set was lost or discarded, or the set is late (TS 38.323, 5.3; TS 23.501, 5.7.7.4).
    PduSet,
    /// RLC UM lost a part of it on the air (TS 36.322, 5.1.2).
    RlcLoss,
    /// PDCP had ceased to wait for it (TS 38.323, 5.2.2.2.2).
    Reordering,
    /// The radio link failed: RLC UM was re-established, or the UE became idle (TS 36.322, 5.4;
    /// TS 36.331, 5.3.12; TS 38.322, 5.1.2; TS 38.331, 5.3.11).
    LinkFailure,
    /// Its UE went to another cell, and the packet was not forwarded there (TS 36.300, 10.1.2.3; TS 38.300,
    /// 9.2.3.2).
    Handover,
    /// A link lost it at random.
    RandomLoss,
    /// A link lost it as one of each so many.
    PeriodicLoss,
    /// A tunnel end had to drop it by its ECN fields (RFC 6040, 4.2).
    TunnelEcn,
    /// No cell serves its UE: none is suitable (TS 36.304, 5.2.3.2; TS 38.304, 5.2.3.2).
    NoService,
    /// Nobody knows its destination.
    NoRoute,
    /// It was malformed, a duplicate or for no connection.
    Unexpected,
}

impl DropCause {
    /// All causes.
    pub const ALL: [DropCause; 14] = [
        DropCause::QueueFull,
        DropCause::Aqm,
        DropCause::DiscardTimer,
        DropCause::PduSet,
        DropCause::RlcLoss,
        DropCause::Reordering,
        DropCause::LinkFailure,
        DropCause::Handover,
        DropCause::RandomLoss,
        DropCause::PeriodicLoss,
        DropCause::TunnelEcn,
        DropCause::NoService,
        DropCause::NoRoute,
        DropCause::Unexpected,
    ];

    /// The name in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            DropCause::QueueFull => "queue_full",
            DropCause::Aqm => "aqm",
            DropCause::DiscardTimer => "discard_timer",
            DropCause::PduSet => "pdu_set",
            DropCause::RlcLoss => "rlc_loss",
            DropCause::Reordering => "reordering",
            DropCause::LinkFailure => "link_failure",
            DropCause::Handover => "handover",
            DropCause::RandomLoss => "random_loss",
            DropCause::PeriodicLoss => "periodic_loss",
            DropCause::TunnelEcn => "tunnel_ecn",
            DropCause::NoService => "no_service",
            DropCause::NoRoute => "no_route",
            DropCause::Unexpected => "unexpected",
        }
    }
}
