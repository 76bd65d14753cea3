//! Queues of links, as the models have them.

use airpath_base::random::Seed;
use airpath_net::queue::{
    AgeConfig, Chance, Classifier, Codel, CodelConfig, DelayConfig, DelayQueue, DropTail, DualPi2,
    DualPi2Config, DualScheduler, End, FqCodel, FqCodelConfig, L4Span, L4SpanConfig, LengthUnit,
    Limit as QueueLimit, NativeAqm, Pi2Config, Pie, PieConfig, ProtectionConfig, QueueKind,
    RampConfig, Red, RedConfig, Step, StepConfig, Threshold,
};
use airpath_schema::units::{self, Length, Limit};

use crate::file::{self, DualPi2Queue, LinkQueue, PieQueue, RampQueue, RedQueue};

/// The queue of the link called `name`; what is random has streams of that name.
pub(super) fn queue(name: &str, queue: &LinkQueue, seed: Seed) -> QueueKind {
    let stream = |what: &str| seed.stream(&format!("{name} / {what}"));
    let salt = || seed.keyed(&format!("{name} / flows"));
    match queue {
        LinkQueue::DropTail(queue) => DropTail::new(limit(queue.limit)).into(),
        LinkQueue::Red(queue) => QueueKind::Red(Box::new(Red::new(red(queue), stream("red")))),
        LinkQueue::Codel(queue) => {
            let &file::CodelQueue { target, interval, ecn, limit: most } = queue;
            let config = CodelConfig { target, interval, ecn, limit: limit(most) };
            QueueKind::Codel(Box::new(Codel::new(config)))
        }
        LinkQueue::Pie(queue) => QueueKind::Pie(Box::new(Pie::new(pie(queue), stream("pie")))),
        LinkQueue::FqCodel(queue) => {
            let &file::FqCodelQueue { target, interval, ecn, limit: most, quantum, flows } = queue;
            let quantum = u32::try_from(quantum.0).unwrap_or(u32::MAX);
            let config =
                FqCodelConfig { target, interval, ecn, limit: limit(most), quantum, flows };
            QueueKind::FqCodel(Box::new(FqCodel::new(config, salt())))
        }
        LinkQueue::DualPi2(queue) => {
            let draws = [stream("dualpi2 low latency"), stream("dualpi2 classic")];
            QueueKind::DualPi2(Box::new(DualPi2::new(dual_pi2(queue), draws, salt())))
        }
        LinkQueue::Step(queue) => {
            let threshold = threshold(queue.threshold);
            QueueKind::Step(Step::new(StepConfig { threshold, limit: limit(queue.limit) }))
        }
        LinkQueue::Ramp(queue) => delay(ramp(queue), stream("ramp")),
        LinkQueue::Age(queue) => {
            let &file::AgeQueue { one, all, spacing, limit: most } = queue;
            let age = Some(AgeConfig { one, all, spacing });
            let config =
                DelayConfig { ramp: None, age, limit: limit(most), ..DelayConfig::default() };
            delay(config, stream("ramp"))
        }
        LinkQueue::L4Span(queue) => {
            let &file::L4SpanQueue { target, window, long_queue, drop_not_ect, .. } = queue;
            let (long_queue, limit) = (long_queue.0, limit(queue.limit));
            let config = L4SpanConfig { target, window, long_queue, drop_not_ect, limit };
            QueueKind::L4Span(Box::new(L4Span::new(config, stream("l4span"))))
        }
    }
}

/// The threshold of a step.
pub(crate) fn threshold(threshold: units::Threshold) -> Threshold {
    match threshold {
        units::Threshold::Time(time) => Threshold::Delay(time),
        units::Threshold::Length(Length::Packets(packets)) => Threshold::Packets(packets),
        units::Threshold::Length(Length::Bytes(bytes)) => Threshold::Bytes(bytes.0),
    }
}

fn delay(config: DelayConfig, draws: airpath_base::random::Stream) -> QueueKind {
    QueueKind::Delay(Box::new(DelayQueue::new(config, draws)))
}

fn limit(limit: Limit) -> QueueLimit {
    match limit {
        Limit::Packets(packets) => QueueLimit::packets(packets),
        Limit::Bytes(bytes) => QueueLimit::bytes(bytes.0),
        Limit::Unlimited => QueueLimit::NONE,
    }
}

fn red(queue: &RedQueue) -> RedConfig {
    let length = |length| match length {
        Length::Packets(packets) => (f64::from(packets), LengthUnit::Packets),
        Length::Bytes(bytes) => (bytes.0 as f64, LengthUnit::Bytes),
    };
    let ((min, unit), (max, _)) = (length(queue.min), length(queue.max));
    let &RedQueue { weight, max_probability, gentle, ecn, limit: most, .. } = queue;
    RedConfig { min, max, unit, weight, max_probability, gentle, ecn, limit: limit(most) }
}

fn pie(queue: &PieQueue) -> PieConfig {
    let &PieQueue { target, update, burst, alpha, beta, derandomise, .. } = queue;
    let ecn_threshold = queue.ecn.then_some(queue.ecn_threshold);
    let limit = limit(queue.limit);
    PieConfig { target, update, burst, alpha, beta, ecn_threshold, derandomise, limit }
}

fn dual_pi2(queue: &DualPi2Queue) -> DualPi2Config {
    let usual = match queue.preset {
        file::DualPi2Preset::Rfc => DualPi2Config::default(),
        file::DualPi2Preset::Linux => DualPi2Config::linux(),
    };
    let &DualPi2Queue { target, update, alpha, beta, coupling, .. } = queue;
    let native = match queue.marking {
        Some(file::NativeMarking::Ramp) => {
            NativeAqm::Ramp { low: queue.ramp_low, high: queue.ramp_high }
        }
        Some(file::NativeMarking::Step) => NativeAqm::Step(queue.step),
        None => usual.native,
    };
    let chance = match queue.decision {
        Some(file::Decision::Recur) => Chance::Recur,
        Some(file::Decision::Random) => Chance::Random,
        None => usual.chance,
    };
    let scheduler = match queue.scheduler {
        file::DualScheduler::Weighted => {
            DualScheduler::Weighted { classic_percent: queue.classic_percent }
        }
        file::DualScheduler::TimeShifted => DualScheduler::TimeShifted(queue.time_shift),
    };
    let dscps = queue.dscp.iter().flatten().map(|dscp| dscp.0);
    let &DualPi2Queue { critical_delay, critical_score, lg_aging, .. } = queue;
    let protection = ProtectionConfig { critical_delay, critical_score, lg_aging };
    DualPi2Config {
        pi2: Pi2Config { target, update, alpha, beta },
        coupling,
        native,
        scheduler,
        chance,
        limit: limit(queue.limit),
        classifier: Classifier::new(queue.l4s, dscps),
        protection: queue.protection.then_some(protection),
    }
}

fn ramp(queue: &RampQueue) -> DelayConfig {
    let &RampQueue { low, high, alpha, update, free_above, drop_not_ect, .. } = queue;
    let end = match queue.end {
        file::QueueEnd::Head => End::Head,
        file::QueueEnd::Tail => End::Tail,
    };
    let age = queue.age.as_ref().map(|age| {
        let &file::AgeDrop { one, all, spacing } = age;
        AgeConfig { one, all, spacing }
    });
    let ramp = Some(RampConfig { low, high, alpha, update, free_above });
    DelayConfig { ramp, end, drop_not_ect, age, limit: limit(queue.limit) }
}
