use airpath_analyse::FlowRecord;

use super::*;

/// The study's population with a tenth of its flows.
fn params() -> Params {
    let text = include_str!("../../../../../studies/lte-in-depth/population.json");
    let mut params: Params = serde_json::from_str(text).expect("a population");
    for stratum in &mut params.strata {
        stratum.flows = (stratum.flows / 10).clamp(4.min(stratum.flows), 90);
    }
    params
}

#[test]
fn a_small_population_is_found_again() {
    let found = figures(&params(), 1, None).expect("figures");
    let expected = [
        ("never-connected", 8.5, 0.01),
        ("ended-rst", 5.4, 0.5),
        ("handshake-p50", 70.0, 3.0),
        ("no-down", 11.3, 0.6),
        ("tcp-flows", 95.3, 0.01),
        ("window", 131_712.0, 0.0),
        ("sack", 82.3, 1.5),
        ("under-5-s", 48.1, 1.5),
        ("could-take", 2.5, 0.01),
    ];
    for (name, value, within) in expected {
        assert!((found[name] - value).abs() <= within, "{name}: {}", found[name]);
    }
}

#[test]
fn the_same_seed_gives_the_same_figures_and_another_others() {
    let params = params();
    let of = |seed| figures(&params, seed, None).expect("figures");
    assert_eq!(of(3), of(3));
    assert_ne!(of(3)["http-bytes"], of(4)["http-bytes"]);
}

/// The only flow of a user, as the analyser finds it.
fn found(params: &Params, user: &User) -> FlowRecord {
    let found = capture::analysed(params, std::slice::from_ref(user));
    assert_eq!(found.flows.len(), 1);
    found.flows[0].clone()
}

fn long_flows(params: &Params) -> Vec<User> {
    let kind = |user: &User| params.strata[plan::stratum_of(user.addr)].kind;
    let users = plan::users(params, Seed(1)).into_iter();
    users.filter(|user| kind(user) == params::Kind::Bulk).collect()
}

#[test]
fn a_long_flow_is_found_as_it_was_planned() {
    let params = params();
    for user in long_flows(&params) {
        let (plan, flow) = (&user.flows[0], found(&params, &user));
        let (losses, duplicates) = (u64::from(plan.losses), u64::from(plan.duplicates));
        assert_eq!((flow.down.retransmissions, flow.up.duplicate_acks), (losses, duplicates));
        assert_eq!(flow.down.window_full > 0, plan.full_from.is_some());
        assert_eq!(flow.down.slow_starts_by_ratio > 0, plan.slow_start, "{plan:?}");
        // A clock of 100 ms ticks a few times in the bursts of such a flow.
        let within = if plan.clock > 0.05 { 0.2 } else { 0.03 };
        let bandwidth = flow.down.bandwidth_bps.expect("bursts") / plan.available;
        assert!((bandwidth - 1.0).abs() < within, "{bandwidth} {plan:?}");
        // A flow that fills its window waits for it, and may take a little longer.
        let rate = flow.down.rate_bps.expect("a rate") / plan.used;
        assert!((rate - 1.0).abs() < 0.1, "{rate} {plan:?}");
    }
}

#[test]
fn what_is_not_in_the_packets_is_not_found() {
    // The same flows without their losses: the analyser does not know the plans.
    let params = params();
    let mut user = long_flows(&params).into_iter().find(|u| u.flows[0].losses > 0).expect("one");
    user.flows[0].losses = 0;
    let flow = found(&params, &user);
    assert_eq!((flow.down.retransmissions, flow.up.duplicate_acks), (0, 0));
}

#[test]
fn an_interruption_leaves_no_figures() {
    assert_eq!(figures(&params(), 1, Some(&AtomicBool::new(true))), None);
}

#[test]
fn other_seeds_are_recovered_as_well() {
    let text = include_str!("../../../../../studies/lte-in-depth/population.json");
    let params: Params = serde_json::from_str(text).expect("a population");
    let claims = crate::study("lte-in-depth").expect("the study").claims().expect("claims");
    let found = figures(&params, 2, None).expect("figures");
    for claim in claims {
        let Some(name) = claim.quantity.strip_prefix("figure@operator.") else { continue };
        let (own, published) = (found[name], claim.published().expect("a figure"));
        let within = claim.allowed().expect("a tolerance") + 1e-9;
        assert!((own - published).abs() <= within, "{}: {own} for {published}", claim.id);
    }
}
