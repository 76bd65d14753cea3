use super::*;

fn score(cell: u16, wait_ms: Option<u64>, used: f64) -> Score {
    let (from, to) = (Time::ZERO, Time::from_millis(2_000));
    Score { cell: CellId(cell), from, to, wait_p95: wait_ms.map(Duration::from_millis), used }
}

#[test]
fn longer_waits_are_worse_then_fuller_cells() {
    assert!(score(1, Some(3), 0.1).is_worse(&score(0, Some(2), 0.9)));
    assert!(score(1, Some(2), 0.5).is_worse(&score(0, Some(2), 0.4)));
    assert!(!score(1, Some(2), 0.4).is_worse(&score(0, Some(2), 0.4)));
    assert!(score(1, Some(0), 0.0).is_worse(&score(0, None, 1.0)));
}
