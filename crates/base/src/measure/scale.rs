//! Units of quantities, and their better directions.

/// Unit of a quantity, and the direction in which the quantity is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scale {
    /// Unit; empty for counts and texts, "1" for shares.
    pub unit: &'static str,
    /// Ends of names in files that say the unit.
    pub endings: &'static [&'static str],
    /// True if more is better, false if less is; none if that depends.
    pub more_is_better: Option<bool>,
}

/// Counts and texts.
pub const PLAIN: Scale = Scale::new("", &[]);
/// Shares and ratios.
pub const SHARE: Scale = Scale::new("1", &["_share", "_rate"]);
/// Milliseconds.
pub const MS: Scale = Scale::new("ms", &["_ms"]);
/// Nanoseconds.
pub const NS: Scale = Scale::new("ns", &["_ns"]);
/// Seconds.
pub const S: Scale = Scale::new("s", &["_s"]);
/// Bits a second.
pub const BPS: Scale = Scale::new("bit/s", &["_bps"]);
/// Bits.
pub const BITS: Scale = Scale::new("bit", &["bits"]);
/// Something for each bit.
pub const PER_BIT: Scale = Scale::new("1/bit", &["_per_bit"]);
/// Bytes.
pub const BYTES: Scale = Scale::new("B", &["bytes"]);
/// Packets.
pub const PACKETS: Scale = Scale::new("packets", &["packets"]);
/// Resource blocks of one slot.
pub const RESOURCE_BLOCKS: Scale = Scale::new("resource blocks", &["resource_blocks"]);
/// Decibels.
pub const DB: Scale = Scale::new("dB", &["_db"]);
/// Decibels above a milliwatt.
pub const DBM: Scale = Scale::new("dBm", &["_dbm"]);
/// Metres.
pub const METRES: Scale = Scale::new("m", &["_m"]);
/// Kilometres an hour.
pub const KMH: Scale = Scale::new("km/h", &["_kmh"]);
/// Events a minute.
pub const PER_MINUTE: Scale = Scale::new("1/min", &["_per_ue_minute"]);
/// Joules.
pub const JOULES: Scale = Scale::new("J", &["_j"]);

impl Scale {
    const fn new(unit: &'static str, endings: &'static [&'static str]) -> Scale {
        Scale { unit, endings, more_is_better: None }
    }

    /// The scale that the end of a name says. It is for tables of which nothing is declared: their
    /// columns end with their unit.
    pub fn of_name(name: &str) -> Scale {
        let known = [MS, NS, S, BPS, DB, JOULES, BYTES, BITS, PACKETS, RESOURCE_BLOCKS];
        let ends = |scale: &Scale| scale.endings.iter().any(|end| name.ends_with(end));
        known.into_iter().find(ends).unwrap_or(PLAIN)
    }

    /// The unit of this scale, with more as the better direction.
    pub const fn more(self) -> Scale {
        Scale { more_is_better: Some(true), ..self }
    }

    /// The unit of this scale, with less as the better direction.
    pub const fn less(self) -> Scale {
        Scale { more_is_better: Some(false), ..self }
    }
}
