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
