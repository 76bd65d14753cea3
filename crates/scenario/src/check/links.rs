//! Checks of wired links and their queues; recorded capacity is read here.

use airpath_net::queue::AgeConfig;
use airpath_path::{Light, Recording};
use airpath_schema::units::{Length, Rate};
use airpath_schema::{Draft, Node};

use super::Checker;
use crate::file::{Capacity, DualPi2Options, EcnOption, Link, QueueConfig, RedConfig, Scenario};
use crate::load::Files;
use crate::template;

pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
    let path = &scenario.path;
    let proxy = path.proxy.as_ref().and_then(|proxy| proxy.link.as_ref());
    let links = [
        ("proxy.link", proxy),
        ("sgi", Some(&path.sgi)),
        ("s5", path.s5.as_ref()),
        ("s1", path.s1.as_ref()),
    ];
    for (name, link) in links {
        let Some(link) = link else { continue };
        let at = format!("path.{name}");
        check_capacity(&at, link, checker);
        check_ecn_option(&at, link, checker);
        let queues = [("queue", Some(&link.queue)), ("up.queue", link.up.queue.as_ref())];
        for (key, queue) in queues {
            let Some(queue) = queue else { continue };
            let at = format!("{at}.{key}");
            check_queue(&at, queue, checker);
            if matches!(queue, QueueConfig::Ramp(ramp) if ramp.free_above.is_some()) {
                let allowed = "for the queue of a bearer: a link has no resource blocks";
                checker.fail(&format!("{at}.free_above"), "is at a link", allowed);
            }
        }
    }
}

fn check_capacity(at: &str, link: &Link, checker: &mut Checker<'_>) {
    let up = &link.up;
    let both = [
        ("", link.capacity.is_some() && link.rate != Rate::Unlimited),
        (".up", up.capacity.is_some() && up.rate.is_some()),
    ];
    for (way, _) in both.into_iter().filter(|(_, both)| *both) {
        let allowed = "a rate or recorded capacity, not both";
        checker.fail(&format!("{at}{way}.capacity"), "stands beside a rate", allowed);
    }
}

/// On S1-U and S5 packets are inside GTP-U, where no device sees TCP's options.
fn check_ecn_option(at: &str, link: &Link, checker: &mut Checker<'_>) {
    if !["path.s1", "path.s5"].contains(&at) {
        return;
    }
    let both = [("", link.ecn_option), (".up", link.up.ecn_option.unwrap_or(EcnOption::Keep))];
    for (way, _) in both.into_iter().filter(|(_, option)| *option == EcnOption::Strip) {
        let is_wrong = "cannot strip what is inside GTP-U";
        let allowed = "\"strip\" at `path.sgi` or `path.proxy.link`";
        checker.fail(&format!("{at}{way}.ecn_option"), is_wrong, allowed);
    }
}

pub(super) fn check_queue(at: &str, queue: &QueueConfig, checker: &mut Checker<'_>) {
    match queue {
        QueueConfig::Red(red) => check_red(at, red, checker),
        QueueConfig::DualPi2(dual) => check_dual(at, dual, checker),
        QueueConfig::Ramp(ramp) => {
            if ramp.low > ramp.high {
                let allowed = format!("high, {}, or less", ramp.high);
                checker.fail(&format!("{at}.low"), "is above high", allowed);
            }
            if let Some(age) = &ramp.age {
                check_age(&format!("{at}.age"), age, checker);
            }
        }
        QueueConfig::Age(age) => check_age(at, &age.age(), checker),
        _ => {}
    }
}

fn check_age(at: &str, age: &AgeConfig, checker: &mut Checker<'_>) {
    if age.one > age.all {
        let allowed = format!("all, {}, or less", age.all);
        checker.fail(&format!("{at}.one"), "is above all", allowed);
    }
    if age.again.is_some() && !age.spacing.is_zero() {
        let is_wrong = format!("is beside spacing = \"{}\"", age.spacing);
        let allowed = "again or spacing, not both: each decides when another packet is dropped";
        checker.fail(&format!("{at}.again"), &is_wrong, allowed);
    }
}

fn check_red(at: &str, red: &RedConfig, checker: &mut Checker<'_>) {
    let ordered = match (red.min, red.max) {
        (Length::Packets(min), Length::Packets(max)) => min < max,
        (Length::Bytes(min), Length::Bytes(max)) => min < max,
        _ => {
            let allowed = "min and max both in packets, or both in bytes";
            return checker.fail(&format!("{at}.max"), "is in another unit than min", allowed);
        }
    };
    if !ordered {
        checker.fail(&format!("{at}.max"), "is not above min", "more than min");
    }
}

fn check_dual(at: &str, dual: &DualPi2Options, checker: &mut Checker<'_>) {
    if dual.ramp_low >= dual.ramp_high {
        let allowed = format!("less than ramp_high, {}", dual.ramp_high);
        checker.fail(&format!("{at}.ramp_low"), "is not below ramp_high", allowed);
    }
}

/// Reads the files with recorded capacity, each once.
pub(crate) fn read_capacity(scenario: &mut Scenario, root: &Node, files: Files<'_>) -> Vec<Draft> {
    let mut checker = Checker { root, drafts: Vec::new(), renamed: None };
    let path = &mut scenario.path;
    let proxy = path.proxy.as_mut().and_then(|proxy| proxy.link.as_mut());
    let links = [
        ("proxy.link", proxy),
        ("sgi", Some(&mut path.sgi)),
        ("s5", path.s5.as_mut()),
        ("s1", path.s1.as_mut()),
    ];
    let mut failed: Vec<String> = Vec::new();
    for (name, link) in links {
        let Some(link) = link else { continue };
        let ways = [("", &mut link.capacity), (".up", &mut link.up.capacity)];
        for (way, capacity) in ways {
            let Some(capacity) = capacity else { continue };
            let Err((file, why)) = read(capacity, files) else { continue };
            // The same fault of one file is reported once.
            if failed.contains(&file) {
                continue;
            }
            let is_wrong = format!("cannot be read: {why}");
            let at = format!("path.{name}{way}.capacity");
            match capacity.light_file() {
                None => checker.fail(&at, &is_wrong, MAHIMAHI),
                Some(light) if light == file => {
                    checker.fail(&format!("{at}.light"), &is_wrong, LIGHT);
                }
                Some(_) => checker.fail(&format!("{at}.heavy"), &is_wrong, HEAVY),
            }
            failed.push(file);
        }
    }
    checker.drafts
}

const MAHIMAHI: &str = "a file each line of which is a time in whole milliseconds, in ascending order, at which 1500 \
                        bytes can be delivered";
const LIGHT: &str = "a file each line of which has the time of a train, its base delay and the time of each arrival \
                     after the first one, in whole milliseconds";
const HEAVY: &str = "a file each line of which is a time in whole milliseconds, in ascending order, at which 1400 \
                     bytes can be delivered";

/// Reads the files of a capacity; an error has the file's path and the reason.
fn read(capacity: &mut Capacity, files: Files<'_>) -> Result<(), (String, String)> {
    let text = |file: &str| match template::recording(file) {
        Some(text) => text.map(str::to_owned),
        None => files(file),
    };
    let file = capacity.file().to_owned();
    let of = |file: &str| {
        let file = file.to_owned();
        move |why: String| (file, why)
    };
    let heavy = text(&file).map_err(of(&file))?;
    let Some(light_file) = capacity.light_file().map(str::to_owned) else {
        let recording = Recording::parse(&file, &heavy);
        capacity.set(recording.map_err(|error| (file, error.to_string()))?, None);
        return Ok(());
    };
    let light = text(&light_file).map_err(of(&light_file))?;
    let light = Light::parse(&light_file, &light);
    let light = light.map_err(|error| (light_file, error.to_string()))?;
    let heavy = Recording::parse_heavy(&file, &heavy);
    capacity.set(heavy.map_err(|error| (file, error.to_string()))?, Some(light));
    Ok(())
}
