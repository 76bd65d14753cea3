//! Checks of a network and of the positions of its UEs.

use airpath_base::random::Seed;
use airpath_channel::fading::FadingError;
use airpath_channel::{Averaging, ChannelError, Point};

use super::{Checker, ports, routes};
use crate::file::{Environment, Network, NetworkLayout, Scenario, Surroundings};
use crate::world::{links, network};

pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
    let Some(file) = &scenario.network else {
        for n in (0..scenario.ue.len()).filter(|&n| scenario.ue[n].place.is_some()) {
            let allowed = "add [network], or give distance = \"500 m\" in its place";
            checker.fail(&format!("ue.{n}.place"), "needs a network, and there is none", allowed);
        }
        for n in (0..scenario.ue.len()).filter(|&n| scenario.ue[n].speed.is_some()) {
            let allowed = "add [network], or leave it out: without one the channel does not change";
            checker.fail(&format!("ue.{n}.speed"), "needs a network, and there is none", allowed);
        }
        return;
    };
    let (before, cell) = (checker.drafts.len(), scenario.cell.as_ref());
    check_layout(file, checker);
    check_ues(scenario, checker);
    ports::check(file, cell, checker);
    if checker.drafts.len() > before {
        return;
    }
    match network::config(file).and_then(|config| config.check().map(|()| config)) {
        Err(error) => checker.fail(key(&error), "cannot be so", error.to_string()),
        Ok(mut config) => {
            // Positions do not depend on gains, whose tables take a while.
            config.averaging = Averaging::Straight;
            if let Ok(built) = airpath_channel::Network::new(config, Seed(scenario.seed)) {
                check_places(scenario, &built, checker);
                if checker.drafts.is_empty() {
                    routes::check_bounds(scenario, &built, checker);
                }
            }
            // Faults of ports and receivers are the fading's, too.
            let fading = cell.filter(|_| checker.drafts.is_empty());
            if let Some(error) = fading.and_then(|cell| links::fading_error(scenario, file, cell)) {
                check_fading(&error, checker);
            }
        }
    }
}

fn check_fading(error: &FadingError, checker: &mut Checker<'_>) {
    match error {
        FadingError::Range { name: "size", value, .. } => {
            let allowed = "up to 128 MiB: fewer ue.receivers, cell.layers or network.precoding.ports, \
                           a narrower cell, receiver = \"mmse\", or network.interference = \
                           \"unprecoded\"";
            checker.fail("network", &format!("has channels of {value} in memory"), allowed);
        }
        FadingError::Range { name: "subband", value, range } => {
            let is_wrong = format!("is {value}, with a codebook of more than four ports");
            checker.fail("network.precoding.subband", &is_wrong, *range);
        }
        _ => checker.fail("network.fading", "cannot be so", error.to_string()),
    }
}

/// Keys that count with another layout only.
fn check_layout(file: &Network, checker: &mut Checker<'_>) {
    let layout = file.layout.unwrap_or(NetworkLayout::Hexagonal);
    let given = [
        ("sites", file.sites.is_some(), NetworkLayout::Hexagonal),
        ("site_distance", file.site_distance.is_some(), NetworkLayout::Hexagonal),
        ("wrap_around", file.wrap_around == Some(true), NetworkLayout::Hexagonal),
        ("site", !file.site.is_empty(), NetworkLayout::Given),
    ];
    let disc = matches!(layout, NetworkLayout::Given | NetworkLayout::Single);
    if file.radius.is_some() && !disc {
        let is_wrong = format!("does not count with layout \"{}\"", layout.word());
        let allowed = "leave it out, or set layout = \"given\" or \"single\"";
        checker.fail("network.radius", &is_wrong, allowed);
    }
    for (key, given, counts) in given {
        if given && layout != counts {
            let is_wrong = format!("does not count with layout \"{}\"", layout.word());
            let allowed = format!("leave it out, or set layout = \"{}\"", counts.word());
            checker.fail(&format!("network.{key}"), &is_wrong, allowed);
        }
    }
    let office = matches!(file.environment, Environment::InhOpen | Environment::InhMixed);
    if layout == NetworkLayout::Office && !office {
        let allowed = "environment = \"inh-open\" or \"inh-mixed\", or another layout";
        checker.fail("network.layout", "is a floor of an office", allowed);
    }
    if layout == NetworkLayout::Given && file.site.is_empty() {
        let allowed = "add [[network.site]] with x and y, or leave out the layout";
        checker.fail("network.layout", "has no sites", allowed);
    }
}

fn check_ues(scenario: &Scenario, checker: &mut Checker<'_>) {
    let layout = scenario.network.as_ref().and_then(|network| network.layout);
    for (n, group) in scenario.ue.iter().enumerate() {
        let single = layout == Some(NetworkLayout::Single);
        let distance = group.distance.is_some();
        if single && distance && group.place.is_some() {
            checker.fail(&format!("ue.{n}.place"), "is beside distance", "give one of them");
        }
        let beside = [("snr", group.snr.is_some()), ("distance", distance && !single)];
        for (key, _) in beside.into_iter().filter(|(_, given)| *given) {
            let allowed = "leave it out: the UE is dropped, or give place = { x = …, y = … }, or \
                           with network.layout = \"single\" a distance";
            checker.fail(&format!("ue.{n}.{key}"), "does not count in a network", allowed);
        }
        if group.place.is_some() && group.is_numbered() && group.route.is_none() {
            let is_wrong = match &group.arrivals {
                None => format!("is one place for {} UEs", group.count),
                Some(_) => "is one place for all UEs that arrive".to_owned(),
            };
            let allowed = "a group of one UE for each place";
            checker.fail(&format!("ue.{n}.place"), &is_wrong, allowed);
        }
    }
}

fn check_places(scenario: &Scenario, built: &airpath_channel::Network, checker: &mut Checker<'_>) {
    let seed = Seed(scenario.seed);
    // UEs of a group on routes may begin at one position.
    for one in scenario.ues().filter(|one| one.group.place.is_some() && one.index == 0) {
        if let Err(error) = network::ue(built, &one, seed) {
            let path = format!("ue.{}.place", one.group_index);
            checker.fail(&path, "cannot be so", error.to_string());
        }
    }
    for (n, group) in scenario.ue.iter().enumerate() {
        let Some(least) = group.distance.as_ref().map(|distance| distance.min.0) else { continue };
        let at = Point { x: least, y: 0.0 };
        if let Err(error @ ChannelError::TooNear { .. }) =
            built.place(0, at, Surroundings::Outdoors, None)
        {
            checker.fail(&format!("ue.{n}.distance"), "cannot be so", error.to_string());
        }
    }
}

/// The key that an error is about.
fn key(error: &ChannelError) -> &'static str {
    match error {
        ChannelError::Sites { .. } | ChannelError::WrapAround { .. } => "network.sites",
        ChannelError::SiteDistance { .. } => "network.site_distance",
        ChannelError::Carrier { .. } => "network.carrier",
        ChannelError::BaseHeight { .. } => "network.height",
        ChannelError::UeHeight { .. } => "network.ue_height",
        ChannelError::LeastDistance { .. } | ChannelError::TooNear { .. } => "network.min_distance",
        ChannelError::Shares { .. } | ChannelError::NoWalls { .. } => "network.indoors",
        ChannelError::Antenna { .. } => "network.antenna",
        ChannelError::Route(_) => "ue",
    }
}
