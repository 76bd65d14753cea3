//! Tests of metrics.

use super::*;

#[test]
fn a_name_says_what_it_is() {
    let info = metric_info("video.frame_delay_p99_ms").expect("a metric");
    assert_eq!((info.unit, info.more_is_better), ("ms", Some(false)));
    assert!(info.meaning.starts_with("99th percentile of the time from the encoder"));
    assert!(info.meaning.ends_with("Of `video`."), "{}", info.meaning);
    assert_eq!(metric_info("loss_rate").map(|info| info.unit), Some("1"));
    assert_eq!(metric_info("goodput_bps").map(|info| info.unit), Some("bit/s"));
    assert_eq!(metric_info("users.web.down.page_delay_p99_ms.p95").map(|i| i.unit), Some("ms"));
    assert_eq!(metric_info("users.web.down.count").map(|i| i.unit), Some(""));
    for none in ["goodput", "video.pdsch_share", "users.web.down.nothing.p95", "delay_p98_ms", ""] {
        assert_eq!(metric_info(none), None, "{none}");
    }
}
