use super::*;

#[test]
fn capacity_by_hand() {
    let capacity = Capacity::new();
    // log2(1 + 3) = 2; one and three bits a symbol on average are two: 2^2 - 1 = 3, 4.77 dB.
    assert!((capacity.effective_db(&[3.0; 6]) - 4.771).abs() < 0.05);
    assert!((capacity.effective_db(&[1.0, 7.0]) - 4.771).abs() < 0.05);
    // Far outside of the table.
    assert!(capacity.effective_db(&[0.0]) < -35.0);
    assert!(capacity.effective_db(&[1e30]) > 50.0);
}

#[test]
fn levels_of_cqis_fall_to_the_lowest() {
    use crate::phy::McsTable;
    use crate::phy::nr::Nr;
    let levels = |technology| {
        let cell = crate::testing::cell(crate::testing::asking());
        Levels::new(&CellConfig { technology: [technology; 2], ..cell }, Direction::Downlink).cqi_db
    };
    let lte = levels(Technology::Lte(McsTable::Qam64));
    let [small, large] = [McsTable::Qam64, McsTable::Qam256]
        .map(|mcs_table| levels(Technology::Nr(Nr { mcs_table, ..Nr::DEFAULT })));
    let lte_256qam = levels(Technology::Lte(McsTable::Qam256));
    for all in [lte, lte_256qam, small, large] {
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{all:?}");
    }
    // CQI 1 has 0.1523 bits a symbol, MCS 0 0.2344: 1.873 dB less. It is what CQI 2 of the
    // table up to 64QAM has.
    assert!((small[2] - small[1] - 1.873).abs() < 1e-3, "{small:?}");
    assert!((small[0] - (2.0 * small[1] - small[2])).abs() < 1e-4);
    assert!((small[1] - large[1]).abs() < 1e-4);
}
