//! Any queue by its options.

use airpath_base::random::Seed;
use airpath_schema::kinds;

use super::{
    AgeOptions, Codel, CodelConfig, DelayConfig, DelayQueue, DropTail, DropTailConfig, DualPi2,
    DualPi2Options, FqCodel, FqCodelConfig, L4Span, L4SpanConfig, Pie, PieConfig, QueueKind,
    RampOptions, Red, RedConfig, Step, StepConfig,
};

kinds! {
    /// Queue in front of a link, and its management.
    pub enum QueueConfig or "a limit for drop-tail, as \"100 packets\"" {
        /// Drops what arrives when full.
        DropTail(DropTailConfig) = "drop-tail",
        /// Random early detection (Floyd and Jacobson, 1993).
        Red(RedConfig) = "red",
        /// Controlled delay (RFC 8289).
        Codel(CodelConfig) = "codel",
        /// Proportional integral controller enhanced (RFC 8033).
        Pie(PieConfig) = "pie",
        /// A CoDel for each flow (RFC 8290).
        FqCodel(FqCodelConfig) = "fq-codel",
        /// Dual-queue coupled AQM for L4S (RFC 9332).
        DualPi2(DualPi2Options) = "dualpi2",
        /// Marks all that finds the queue above a threshold.
        Step(StepConfig) = "step",
        /// Marks with a probability that rises with the delay (D. Brunello, "L4S in 5G
        /// networks", 2020, chapter 4.2).
        Ramp(RampOptions) = "ramp",
        /// Drops what has waited too long (there, chapter 4.3).
        Age(AgeOptions) = "age",
        /// Marks by the rate at which packets have left (H. Wan and K. Jamieson, "L4Span",
        /// 2025).
        L4Span(L4SpanConfig) = "l4span",
    }
}

impl QueueConfig {
    /// True if the queue signals by marks alone, which can be switched off.
    pub fn marks(&self) -> bool {
        matches!(self, QueueConfig::Ramp(_) | QueueConfig::Step(_) | QueueConfig::L4Span(_))
    }

    /// Fills in what follows from other options.
    pub fn fill(&mut self) {
        if let QueueConfig::DualPi2(options) = self {
            options.fill();
        }
    }

    /// An empty queue. Its random streams have names that begin with `name`.
    pub fn queue(&self, name: &str, seed: Seed) -> QueueKind {
        let stream = |what: &str| seed.stream(&format!("{name} / {what}"));
        let salt = || seed.keyed(&format!("{name} / flows"));
        let delay = |config: DelayConfig| {
            QueueKind::Delay(Box::new(DelayQueue::new(config, stream("ramp"))))
        };
        match self {
            QueueConfig::DropTail(config) => DropTail::new(config.limit).into(),
            QueueConfig::Red(config) => QueueKind::Red(Box::new(Red::new(*config, stream("red")))),
            QueueConfig::Codel(config) => QueueKind::Codel(Box::new(Codel::new(*config))),
            QueueConfig::Pie(config) => QueueKind::Pie(Box::new(Pie::new(*config, stream("pie")))),
            QueueConfig::FqCodel(config) => {
                QueueKind::FqCodel(Box::new(FqCodel::new(*config, salt())))
            }
            QueueConfig::DualPi2(options) => {
                let draws = [stream("dualpi2 low latency"), stream("dualpi2 classic")];
                QueueKind::DualPi2(Box::new(DualPi2::new(options.config(), draws, salt())))
            }
            QueueConfig::Step(config) => QueueKind::Step(Step::new(*config)),
            QueueConfig::Ramp(options) => delay(options.config()),
            QueueConfig::Age(options) => delay(options.config()),
            QueueConfig::L4Span(config) => {
                QueueKind::L4Span(Box::new(L4Span::new(*config, stream("l4span"))))
            }
        }
    }
}
