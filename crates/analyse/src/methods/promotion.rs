//! The promotion delay of a UE's radio (section 4.2 of the study).
//!
//! A SYN that wakes the radio waits for the promotion before the monitor sees it. The UE's
//! clock, which the timestamps of SYN and ACK tell, runs from before the wait; the
//! monitor's from behind it:
//!
//! > G (TS_ack - TS_syn) - (t_ack - t_syn)

use airpath_base::Duration;

/// For so long nothing may have been sent or received before the SYN: then the radio is
/// idle (the study's 10 s tail, and some).
pub const IDLE: Duration = Duration::from_secs(13);

/// Delay in seconds. Inputs are the client's clock period in seconds a tick, the timestamps of its
/// SYN and ACK, and their distance at the monitor. The delay is rounded to ticks, so it may come
/// out slightly below zero.
pub fn promotion_delay(period: f64, syn: u32, ack: u32, between: Duration) -> f64 {
    f64::from(ack.wrapping_sub(syn) as i32) * period - between.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_ue_waited_before_the_monitor_saw_it() {
        // 50 ticks of 10 ms at the UE, 70 ms at the monitor; the clock wraps in between.
        let delay = promotion_delay(0.01, u32::MAX - 9, 40, Duration::from_millis(70));
        assert!((delay - 0.43).abs() < 1e-9);
    }
}
