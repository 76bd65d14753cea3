//! Treatment of the ECN field by tunnel ends (RFC 6040).
//!
//! GTP-U and IPsec in tunnel mode put a second IP header around a packet. Queues inside the tunnel
//! see and mark only the outer header, so tunnel ends have to carry the field over. [`encapsulate`]
//! makes the outer field, and [`decapsulate`] joins both fields on arrival. Both apply to GTP-U
//! although UDP and GTP-U headers lie between the two IP headers (RFC 9601, 3). Left out: the DSCP
//! (RFC 2983), and the legacy decapsulators of RFC 3168 and RFC 2401, which lose information.

use airpath_schema::choice;

use crate::Ecn;

choice! {
    /// Rule by which the ECN field crosses a tunnel (RFC 6040, 4).
    pub enum EcnMode: Normal {
        /// The outer field is a copy of the inner one, and marks come back.
        Normal = "normal",
        /// The outer field says not ECN-capable, so that nothing inside is marked.
        // For a decapsulator that does not carry marks over: queues inside the tunnel drop instead of
        // marking.
        Compatibility = "compatibility",
    }
}

/// Decision of a decapsulator about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decapsulated {
    /// It goes on.
    Forward {
        /// Its ECN field from here on.
        ecn: Ecn,
        /// True if no correct path makes this combination of fields, so that the end should log it:
        /// `(!!!)` or `(!)` in figure 4.
        suspicious: bool,
    },
    /// The packet must be dropped: a queue met congestion, and a drop is the only signal that its
    /// transport understands. The end should always log it, too.
    Drop,
}

/// The outer field for a packet with this field (RFC 6040, figure 3).
pub const fn encapsulate(inner: Ecn, mode: EcnMode) -> Ecn {
    match mode {
        EcnMode::Normal => inner,
        EcnMode::Compatibility => Ecn::NotEct,
    }
}

/// Decision about a packet with these two fields (RFC 6040, figure 4).
pub const fn decapsulate(inner: Ecn, outer: Ecn) -> Decapsulated {
    match (inner, outer) {
        (Ecn::NotEct, Ecn::Ce) => Decapsulated::Drop,
        (Ecn::NotEct, Ecn::NotEct) => expected(Ecn::NotEct),
        (Ecn::NotEct, _) => unexpected(Ecn::NotEct),
        (Ecn::Ce, Ecn::Ect1) => unexpected(Ecn::Ce),
        (Ecn::Ce, _) | (_, Ecn::Ce) => expected(Ecn::Ce),
        // ECT(1) counts as the stronger signal (RFC 6040, 3.2; RFC 6660).
        (Ecn::Ect0, Ecn::Ect1) => expected(Ecn::Ect1),
        (Ecn::Ect0, _) => expected(Ecn::Ect0),
        (Ecn::Ect1, Ecn::Ect0) => unexpected(Ecn::Ect1),
        (Ecn::Ect1, _) => expected(Ecn::Ect1),
    }
}

const fn expected(ecn: Ecn) -> Decapsulated {
    Decapsulated::Forward { ecn, suspicious: false }
}

const fn unexpected(ecn: Ecn) -> Decapsulated {
    Decapsulated::Forward { ecn, suspicious: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ecn(name: &str) -> Ecn {
        match name {
            "Not-ECT" => Ecn::NotEct,
            "ECT(0)" => Ecn::Ect0,
            "ECT(1)" => Ecn::Ect1,
            "CE" => Ecn::Ce,
            _ => unreachable!("{name}"),
        }
    }

    #[test]
    fn every_cell_of_the_encapsulation_table() {
        // RFC 6040, figure 3: incoming, compatibility mode, normal mode.
        let table = [
            ["Not-ECT", "Not-ECT", "Not-ECT"],
            ["ECT(0)", "Not-ECT", "ECT(0)"],
            ["ECT(1)", "Not-ECT", "ECT(1)"],
            ["CE", "Not-ECT", "CE"],
        ];
        for [inner, compatibility, normal] in table {
            assert_eq!(encapsulate(ecn(inner), EcnMode::Compatibility), ecn(compatibility));
            assert_eq!(encapsulate(ecn(inner), EcnMode::Normal), ecn(normal));
        }
    }

    #[test]
    fn every_cell_of_the_decapsulation_table() {
        // RFC 6040, figure 4: rows by inner field, columns by outer field.
        let columns = ["Not-ECT", "ECT(0)", "ECT(1)", "CE"];
        let rows = [
            ("Not-ECT", ["Not-ECT", "Not-ECT !!!", "Not-ECT !!!", "drop !!!"]),
            ("ECT(0)", ["ECT(0)", "ECT(0)", "ECT(1)", "CE"]),
            ("ECT(1)", ["ECT(1)", "ECT(1) !", "ECT(1)", "CE"]),
            ("CE", ["CE", "CE", "CE !!!", "CE"]),
        ];
        for (inner, cells) in rows {
            for (outer, cell) in columns.into_iter().zip(cells) {
                let (result, log) = cell.split_once(' ').unwrap_or((cell, ""));
                let expected = match result {
                    "drop" => Decapsulated::Drop,
                    name => Decapsulated::Forward { ecn: ecn(name), suspicious: !log.is_empty() },
                };
                assert_eq!(decapsulate(ecn(inner), ecn(outer)), expected, "{inner} in {outer}");
            }
        }
    }

    #[test]
    fn what_a_correct_tunnel_carries_is_never_suspicious() {
        for inner in ["Not-ECT", "ECT(0)", "ECT(1)", "CE"].map(ecn) {
            for mode in [EcnMode::Normal, EcnMode::Compatibility] {
                let arrived = decapsulate(inner, encapsulate(inner, mode));
                assert_eq!(arrived, Decapsulated::Forward { ecn: inner, suspicious: false });
            }
        }
    }
}
