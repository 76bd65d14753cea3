//! Choice of the flows that the kernel carries, and settings that make both halves alike.

use airpath_scenario::{EcnMode, Flow, FlowKind, Scenario, Tcp};

use super::kernel;

/// Common settings of the halves of a comparison.
#[derive(Debug)]
pub struct Halves {
    /// The scenario of the simulated half, with what its flows take from the kernel.
    pub scenario: Scenario,
    /// Flows that the kernel carries, by their numbers in the file.
    pub carried: Vec<usize>,
    /// Flows of TCP that stay simulated in both halves, and why.
    pub left: Vec<(String, &'static str)>,
    /// Keys of `flow.tcp` that the simulated flows take from the kernel.
    pub taken: Vec<String>,
    /// Settings of the kernel in the namespaces.
    pub settings: Vec<(String, String)>,
    /// Remaining differences.
    pub differences: Vec<String>,
    /// Largest packet of the devices, in bytes.
    pub mtu: u32,
}

impl Halves {
    /// Plan of the comparison of a scenario. With `as_written` its flows take nothing from the
    /// kernel.
    ///
    /// # Errors
    ///
    /// That the kernel can carry none of its flows, and why.
    pub fn new(scenario: &Scenario, as_written: bool) -> Result<Halves, String> {
        let (mut carried, mut left) = (Vec::new(), Vec::new());
        for (number, flow) in scenario.flow.iter().enumerate() {
            match fits(scenario, flow) {
                Ok(()) => carried.push(number),
                Err(why) if flow.kind == FlowKind::Tcp => left.push((flow.name.clone(), why)),
                Err(_) => {}
            }
        }
        if carried.is_empty() {
            return Err(none(&left));
        }
        has_all(scenario, &carried)?;
        let (mut scenario, mut taken) = (scenario.clone(), Vec::new());
        for &number in carried.iter().filter(|_| !as_written) {
            if let Some(tcp) = &mut scenario.flow[number].tcp {
                kernel::adopt(tcp, &mut taken);
            }
        }
        let flows: Vec<(&Flow, &Tcp)> = options(&scenario, &carried).collect();
        let (settings, differences) = (kernel::settings(&flows)?, kernel::differences(&flows));
        let mss = flows.iter().map(|(_, tcp)| tcp.mss.0).max().unwrap_or(1460);
        // Headers of IPv4 and TCP; the least is that of IPv6 (RFC 8200, 5).
        let mtu = u32::try_from(mss + 40).unwrap_or(u32::MAX).clamp(1280, 65_535);
        Ok(Halves { scenario, carried, left, taken, settings, differences, mtu })
    }
}

/// The flows with their options.
fn options<'a>(
    scenario: &'a Scenario,
    carried: &'a [usize],
) -> impl Iterator<Item = (&'a Flow, &'a Tcp)> {
    let flows = carried.iter().map(|&number| &scenario.flow[number]);
    flows.filter_map(|flow| Some((flow, flow.tcp.as_ref()?)))
}

/// Checks that the kernel can carry a flow.
///
/// # Errors
///
/// Why not.
fn fits(scenario: &Scenario, flow: &Flow) -> Result<(), &'static str> {
    let tcp = match (flow.kind, &flow.tcp) {
        (FlowKind::Tcp, Some(tcp)) => tcp,
        _ => return Err("it is not TCP"),
    };
    kernel::controller(tcp.controller)?;
    if !flow.server_delay.is_zero() {
        return Err("its server is farther away than the others (server_delay)");
    }
    if pauses(scenario, flow) {
        return Err("it pauses (active)");
    }
    if flow.asks() {
        return Err("its application asks for what it gets");
    }
    if tcp.ecn == Some(EcnMode::Accurate) {
        return Err("its feedback of marks is accurate ECN");
    }
    if tcp.ect.is_some() {
        return Err("it claims a code point (ect)");
    }
    if scenario.path.proxy.as_ref().is_some_and(|proxy| proxy.splits(flow)) {
        return Err("a proxy splits it");
    }
    Ok(())
}

/// True if the flow is not active at some time of the run.
fn pauses(scenario: &Scenario, flow: &Flow) -> bool {
    let key = format!("flow.{}.active", flow.name);
    let changes = scenario.change.0.iter().flat_map(|change| &change.set.0);
    !flow.is_active() || changes.into_iter().any(|(own, _)| *own == key)
}

fn none(left: &[(String, &'static str)]) -> String {
    let reasons = left.iter().map(|(name, why)| format!("{name}: {why}"));
    let reasons: Vec<String> = reasons.collect();
    let wanted = "a flow of kind \"tcp\" with a size or greedy, and the controller \"cubic\", \
                  \"newreno\" or \"bbr1\"";
    match reasons.is_empty() {
        true => format!("there is nothing for the kernel to carry: it takes {wanted}"),
        false => {
            let reasons = reasons.join("; ");
            format!("there is nothing for the kernel to carry ({reasons}): it takes {wanted}")
        }
    }
}

/// Checks that this kernel has the controllers.
fn has_all(scenario: &Scenario, carried: &[usize]) -> Result<(), String> {
    let available = kernel::available();
    for (flow, tcp) in options(scenario, carried) {
        let name = kernel::controller(tcp.controller)?;
        if !available.is_empty() && !available.iter().any(|known| known == name) {
            let known = available.join(", ");
            return Err(format!(
                "{}: this kernel has no congestion control {name:?}, but {known}; as root, \
                 `modprobe tcp_{name}`",
                flow.name
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
