//! The scheduler of a cell, and who goes before others.

use airpath_base::Duration;
use airpath_ran::mac::{Raise, TrafficClass, TrafficClasses};
use airpath_ran::{Knowledge, MultiUser, Precedence, SchedulerConfig};

use crate::file::{Cell, MuMimo, Names, OtherTraffic, Scenario, Scheduler, SetSchedule};

/// The scheduler of a cell.
pub(super) fn config(scenario: &Scenario, cell: &Cell) -> SchedulerConfig {
    let limit = |ues: Option<u32>| ues.map(|ues| ues as u16);
    match &cell.scheduler {
        Scheduler::ProportionalFair(_) => {
            SchedulerConfig::ProportionalFair { window: cell.pf_window }
        }
        Scheduler::RoundRobin(turns) => {
            SchedulerConfig::RoundRobin { ues_per_slot: limit(turns.ues_per_slot) }
        }
        Scheduler::DelayBased(delay) => SchedulerConfig::DelayBased {
            by_age: match delay.others {
                OtherTraffic::RoundRobin => classes(scenario, &delay.class),
                OtherTraffic::ByAge => TrafficClasses::ALL,
            },
            ues_per_slot: limit(delay.ues_per_slot),
        },
    }
}

/// Layers to several UEs.
pub(super) fn multi_user(cell: &Cell) -> Option<MultiUser> {
    let mu_mimo = cell.mu_mimo.as_ref()?;
    let adaptation = &cell.link_adaptation;
    let (knowledge, period, delay) = match mu_mimo {
        MuMimo::Srs(own) => (Knowledge::Sounding, own.period, own.delay),
        MuMimo::Reports(_) => (Knowledge::Reports, None, None),
    };
    Some(MultiUser {
        knowledge,
        layers: mu_mimo.layers().unwrap_or(MuMimo::USUAL),
        period: period.unwrap_or(adaptation.cqi_period),
        delay: delay.unwrap_or(adaptation.cqi_delay),
    })
}

/// Rules by which UEs go before others.
pub(super) fn precedence(scenario: &Scenario, scheduler: &Scheduler) -> Precedence {
    let priority = named(scenario, scheduler.priority());
    let absolute: TrafficClasses = priority.iter().copied().collect();
    Precedence {
        starvation: scheduler.starvation(),
        minimum_rate: scheduler.minimum_rate(),
        deadlines: scenario.bearer.iter().any(|bearer| {
            bearer.pdu_sets.as_ref().is_some_and(|sets| sets.schedule != SetSchedule::Usual)
        }),
        raise: raise(scenario, scheduler, absolute),
        priority,
    }
}

/// A delay-based scheduler's classes that are before all others in any case are served by age
/// alone. Source: "there is no threshold to increase the priority" (D. Brunello, "L4S in 5G
/// networks", 2020, chapter 4.5). Where all are served by age, the oldest goes first without it.
fn raise(scenario: &Scenario, scheduler: &Scheduler, absolute: TrafficClasses) -> Option<Raise> {
    let (names, beyond): (&Names, Duration) = scheduler.raise()?;
    let classes = classes(scenario, names);
    let needless = absolute.contains_all(classes) || classes == TrafficClasses::ALL;
    let needless = matches!(scheduler, Scheduler::DelayBased(_)) && needless;
    (!needless).then_some(Raise { classes, beyond })
}

/// Classes of these names, as the checks have seen to; all, where none is named.
fn classes(scenario: &Scenario, names: &Names) -> TrafficClasses {
    match names.0.is_empty() {
        true => TrafficClasses::ALL,
        false => named(scenario, names).into_iter().collect(),
    }
}

fn named(scenario: &Scenario, names: &Names) -> Vec<TrafficClass> {
    names.0.iter().filter_map(|name| scenario.traffic_class(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Configuration of a cell with this scheduler: classes are numbered from 1, voice before
    /// video.
    fn of(scheduler: &str) -> (SchedulerConfig, Precedence) {
        let text = format!(
            "duration = \"1 s\"\ncell.scheduler = {scheduler}\n\
             [[ue]]\nname = \"a\"\nsnr = \"9 dB\"\n\
             [[bearer]]\nname = \"talk\"\ntraffic_class = \"voice\"\ndefault = true\n\
             qci = 1\nguaranteed_bit_rate = \"64 kbit/s\"\n\
             [[bearer]]\nname = \"film\"\ntraffic_class = \"video\"\n\
             [[bearer.filter]]\nprotocol = \"udp\"\nmay_be_unused = true\n\
             [[flow]]\nname = \"f\"\nkind = \"tcp\"\ndirection = \"down\"\n"
        );
        let scenario = Scenario::parse("s.toml", &text, &[]).expect("a scenario");
        let cell = scenario.cell.as_ref().expect("a cell");
        (config(&scenario, cell), precedence(&scenario, &cell.scheduler))
    }

    fn class(number: u8) -> TrafficClass {
        TrafficClass::new(number).expect("a class")
    }

    fn old(number: u8, millis: u64) -> Option<Raise> {
        let classes = TrafficClasses::of(class(number));
        Some(Raise { classes, beyond: Duration::from_millis(millis) })
    }

    #[test]
    fn words_have_no_levels() {
        let turns = SchedulerConfig::RoundRobin { ues_per_slot: None };
        assert_eq!(of("\"round-robin\""), (turns, Precedence::default()));
        let fair = SchedulerConfig::ProportionalFair { window: 99.0 };
        assert_eq!(of("\"proportional-fair\""), (fair, Precedence::default()));
    }

    #[test]
    fn each_rule_has_its_level() {
        let (config, precedence) =
            of("{ kind = \"round-robin\", ues_per_slot = 1, priority = [\"video\", \"voice\"], \
             starvation = \"100 ms\", minimum_rate = true, \
             raise = { class = \"video\", beyond = \"7 ms\" } }");
        assert_eq!(config, SchedulerConfig::RoundRobin { ues_per_slot: Some(1) });
        let expected = Precedence {
            starvation: Some(Duration::from_millis(100)),
            minimum_rate: true,
            priority: vec![class(2), class(1)],
            deadlines: false,
            raise: old(2, 7),
        };
        assert_eq!(precedence, expected);
    }

    #[test]
    fn delay_based_raises_what_has_no_absolute_priority() {
        let video = TrafficClasses::of(class(2));
        let delay = |by_age| SchedulerConfig::DelayBased { by_age, ues_per_slot: None };
        let (config, precedence) = of("{ kind = \"delay-based\", class = \"video\" }");
        assert_eq!((config, precedence.raise), (delay(video), old(2, 10)));
        let (config, precedence) =
            of("{ kind = \"delay-based\", class = \"video\", others = \"by-age\" }");
        assert_eq!((config, precedence.raise), (delay(TrafficClasses::ALL), old(2, 10)));
        let (config, precedence) = of("\"delay-based\"");
        assert_eq!((config, precedence.raise), (delay(TrafficClasses::ALL), None));
        let (_, precedence) =
            of("{ kind = \"delay-based\", class = \"video\", priority = \"video\" }");
        assert_eq!((precedence.priority, precedence.raise), (vec![class(2)], None));
        let (_, precedence) =
            of("{ kind = \"delay-based\", class = \"video\", priority = \"voice\" }");
        assert_eq!(precedence.raise, old(2, 10));
    }
}
