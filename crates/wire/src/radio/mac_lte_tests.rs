use super::*;

fn sdu(lcid: u8, length: usize) -> MacSdu {
    MacSdu { lcid, bytes: vec![0xaa; length] }
}

fn head(report: Option<Report>, sdus: &[MacSdu], size: usize, bytes: usize) -> Vec<u8> {
    let mut out = Vec::new();
    emit(report, sdus, size, &mut out);
    assert_eq!(out.len(), size);
    out.truncate(bytes);
    out
}

const REPORT: Option<Report> = Some(Report::Short { group: 2, bytes: 11 });

#[test]
fn the_last_sdu_has_no_length() {
    // TS 36.321, 6.1.2: E and LCID 3, F and L of 5; LCID 4.
    let sdus = [sdu(3, 5), sdu(4, 6)];
    assert_eq!(head(None, &sdus, 14, 4), [0x23, 5, 0x04, 0xaa]);
    // 128 bytes and more take 15 bits.
    let sdus = [sdu(3, 128), sdu(4, 6)];
    assert_eq!(head(None, &sdus, 138, 4), [0x23, 0x80, 128, 0x04]);
    let sdus = [sdu(3, 40_000), sdu(4, 6)];
    assert_eq!(head(None, &sdus, 40_010, 4), [0x63, 0x9c, 0x40, 0x04]);
}

#[test]
fn padding_of_one_and_two_bytes_stands_in_front() {
    assert_eq!(head(None, &[sdu(3, 5)], 7, 3), [0x3f, 0x03, 0xaa]);
    assert_eq!(head(None, &[sdu(3, 5)], 8, 4), [0x3f, 0x3f, 0x03, 0xaa]);
    // Three bytes: L of the SDU, a subheader, one of padding.
    let mut out = Vec::new();
    emit(None, &[sdu(3, 5)], 9, &mut out);
    assert_eq!(out, [0x23, 5, 0x1f, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0]);
    assert_eq!(head(None, &[sdu(3, 200)], 204, 5), [0x23, 0x80, 200, 0x1f, 0xaa]);
}

#[test]
fn reports_come_first() {
    // Group 2, level 2.
    assert_eq!(head(REPORT, &[sdu(3, 5)], 8, 3), [0x3d, 0x03, 0x82]);
    assert_eq!(head(REPORT, &[], 2, 2), [0x1d, 0x82]);
    assert_eq!(head(REPORT, &[], 5, 5), [0x3d, 0x1f, 0x82, 0, 0]);
    // Levels 0, 1, 2 and 63.
    let long = Some(Report::Long([0, 10, 11, 200_000, 0, 0, 0, 0]));
    assert_eq!(head(long, &[], 4, 4), [0x1e, 0x00, 0x10, 0xbf]);
    let truncated = Some(Report::Truncated { group: 1, bytes: [7, 10, 0, 0, 0, 0, 0, 0] });
    assert_eq!(head(truncated, &[sdu(3, 1)], 4, 3), [0x3c, 0x03, 0x41]);
}

#[test]
fn nothing_is_all_padding() {
    assert_eq!(head(None, &[], 3, 3), [0x1f, 0, 0]);
}

#[test]
fn contexts_by_hand() {
    let context = Context {
        radio: RadioType::Fdd,
        way: Way::Up,
        rnti: 0x3d,
        ue: 1,
        frame: 1_023,
        subframe: 9,
        retransmission: 2,
        decoded: true,
        mcs: 21,
        resource_blocks: 50,
        process: 7,
        new_data: true,
    };
    let mut out = Vec::new();
    context.emit(&mut out);
    let common = [3, 2, 0, 0x3d, 3, 0, 1, 4, 0x3f, 0xf9];
    let wanted = [&[1, 0][..], &common, &[6, 2, 7, 1], &[0x0b, 6, 6, 19, 50, 0, 7, 1, 1]].concat();
    assert_eq!(out, wanted);
    out.clear();
    Context { way: Way::Down, decoded: false, ..context }.emit(&mut out);
    let phy = [0x0b, 10, 0, 0, 0, 21, 0, 50, 7, 1, 0, 1, 1];
    assert_eq!(out, [&[1, 1][..], &common, &[7, 0], &phy].concat());
}
