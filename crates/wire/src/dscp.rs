//! Names of differentiated services code points.

/// Code points that have a name (IANA, Differentiated Services Field Codepoints; RFC 2474, 2597,
/// 3246, 5865, 8622, 9956), by their number.
pub const CODE_POINTS: [(&str, u8); 24] = [
    ("CS0", 0),
    ("LE", 1),
    ("CS1", 8),
    ("AF11", 10),
    ("AF12", 12),
    ("AF13", 14),
    ("CS2", 16),
    ("AF21", 18),
    ("AF22", 20),
    ("AF23", 22),
    ("CS3", 24),
    ("AF31", 26),
    ("AF32", 28),
    ("AF33", 30),
    ("CS4", 32),
    ("AF41", 34),
    ("AF42", 36),
    ("AF43", 38),
    ("CS5", 40),
    ("VOICE-ADMIT", 44),
    ("NQB", 45),
    ("EF", 46),
    ("CS6", 48),
    ("CS7", 56),
];

/// The name of a code point of 0 to 63; none if it has none.
pub fn name(code_point: u8) -> Option<&'static str> {
    let known = CODE_POINTS.iter().find(|(_, known)| *known == code_point);
    known.map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assured_forwarding_is_eight_times_the_class_and_twice_the_drop_precedence() {
        // RFC 2597, 6.
        for (class, precedence) in (1..=4).flat_map(|c| (1..=3).map(move |p| (c, p))) {
            let code_point = 8 * class + 2 * precedence;
            assert_eq!(name(code_point), Some(format!("AF{class}{precedence}").as_str()));
        }
        assert_eq!((name(46), name(1), name(63)), (Some("EF"), Some("LE"), None));
        assert!(CODE_POINTS.is_sorted_by_key(|(_, code_point)| *code_point));
    }
}
