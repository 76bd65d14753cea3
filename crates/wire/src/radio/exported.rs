//! Wireshark's exported PDUs: link type 252, tags in front of a PDU that say who dissects it
//! (epan/exported_pdu.h of Wireshark).

/// The name of a dissector.
const DISSECTOR_NAME: u16 = 12;

/// Appends the tags for a PDU of the dissector of this name.
pub fn emit_tags(dissector: &str, out: &mut Vec<u8>) {
    // Tag and length, then a value that is padded to words; the end has neither.
    let length = dissector.len().next_multiple_of(4);
    out.extend(DISSECTOR_NAME.to_be_bytes());
    out.extend((length as u16).to_be_bytes());
    let begin = out.len();
    out.extend(dissector.as_bytes());
    out.resize(begin + length, 0);
    out.extend([0; 4]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_padded_to_words() {
        let mut out = Vec::new();
        emit_tags("mac-lte-framed", &mut out);
        assert_eq!(out, b"\0\x0c\0\x10mac-lte-framed\0\0\0\0\0\0");
    }
}
