//! Values of an implementation as a setting of the closed form.

use airpath_latency::{Access, Bler, Processing, Rational, Setting, Span, Step, Tdd, Tti};
use airpath_scenario::{
    Cell, ProcessingDelay, Scenario, Span as Given, Ue, UplinkAccess, implementation,
};

/// An implementation: its steps, transmissions, and times of processing downlink and uplink.
pub struct Base {
    /// Steps, access and errors.
    pub setting: Setting,
    /// Transmissions of a block at most.
    pub transmissions: u8,
    /// Times of processing by their names, downlink and uplink.
    pub processing: [Vec<(String, Processing)>; 2],
}

/// The values of an implementation; `tti` counts for its steps instead of its own.
///
/// # Errors
///
/// A name that is none, with the names that are; a TTI or a pattern of another technology, with the mend.
pub fn base(name: &str, tti: Option<Tti>, patterns: &[Tdd]) -> Result<Base, String> {
    let is_of = |technology: &str| {
        let line = format!("technology = \"{technology}\"");
        implementation(name).is_some_and(|text| text.contains(&line))
    };
    let (nr, lte) = (is_of("nr"), is_of("lte"));
    if nr {
        fits_nr(name, tti, patterns)?;
    }
    if lte {
        fits_lte(name, tti, patterns)?;
    }
    let technology = if nr { "nr" } else { "lte" };
    let text = format!(
        "duration = \"1 s\"\n[cell]\ntechnology = \"{technology}\"\nimplementation = {name:?}\n\
         [[ue]]\nname = \"ue\"\nsnr = \"20 dB\"\nimplementation = {name:?}\n\
         [[flow]]\nname = \"flow\"\nkind = \"tcp\"\ndirection = \"up\"\n"
    );
    let scenario = Scenario::parse("--implementation", &text, &[]).map_err(|errors| {
        let first = errors.problems().first();
        let allowed = first.and_then(|problem| problem.allowed()).unwrap_or("");
        format!("--implementation {name:?} is none: {allowed}")
    })?;
    let (Some(cell), Some(ue)) = (&scenario.cell, scenario.ue.first()) else {
        return Err(format!("--implementation {name:?} has no cell"));
    };
    let own = if nr { "mu1".parse() } else { "1ms".parse() };
    let tti = tti.or(own.ok()).unwrap_or(Tti::LTE);
    Ok(of(cell, ue, tti))
}

fn fits_nr(name: &str, tti: Option<Tti>, patterns: &[Tdd]) -> Result<(), String> {
    if let Some(tti @ Tti::Time(_)) = tti {
        return Err(format!(
            "--tti {tti} is no slot of NR, and {name} is one of NR: mu0 to mu4, or another --implementation"
        ));
    }
    match patterns.iter().find(|tdd| tdd.is_lte()) {
        None => Ok(()),
        Some(tdd) => Err(format!(
            "--tdd {tdd} is one of LTE, and {name} is one of NR: a pattern of slots, as DDDSU, or another \
             --implementation"
        )),
    }
}

fn fits_lte(name: &str, tti: Option<Tti>, patterns: &[Tdd]) -> Result<(), String> {
    if let Some(tti @ Tti::Nr(..)) = tti {
        return Err(format!(
            "--tti {tti} is a slot of NR, and {name} is one of LTE: 1ms, or another --implementation"
        ));
    }
    match patterns.iter().find(|tdd| !tdd.is_lte() && **tdd != Tdd::fdd()) {
        None => Ok(()),
        Some(tdd) => Err(format!(
            "--tdd {tdd} is one of NR, and {name} is one of LTE: lte0 to lte6 or fdd, or another --implementation"
        )),
    }
}

fn of(cell: &Cell, ue: &Ue, tti: Tti) -> Base {
    let count = |span: Given| in_ttis(span, tti);
    let timing = &cell.timing;
    let (mut setting, half) = (Setting { tti, ..Setting::default() }, Rational::new(1, 2));
    let mut set = |step, ttis: Rational| setting.steps.set(step, Span::Ttis(ttis));
    let uplink = &cell.uplink;
    let proactive =
        uplink.proactive_period.filter(|every| count(*every) <= count(uplink.sr_period));
    let [grant, decoding] = [count(timing.grant_transmission), count(timing.grant_decoding)];
    let encoding = count(timing.grant_to_transmission).less(grant + decoding);
    let (access, encoding) = match (uplink.access, proactive) {
        (UplinkAccess::SchedulingRequest, Some(every)) => {
            (Access::Configured { period: Span::Ttis(count(every)) }, encoding)
        }
        (UplinkAccess::Configured, _) => {
            let period = Span::Ttis(count(uplink.configured_period));
            (Access::Configured { period }, count(timing.data_preparation))
        }
        (UplinkAccess::Instant, _) => (Access::Instant, count(timing.data_preparation) + half),
        (UplinkAccess::SchedulingRequest | UplinkAccess::Reported, _) => {
            (Access::SchedulingRequest { period: Span::Ttis(count(uplink.sr_period)) }, encoding)
        }
    };
    set(Step::DownlinkProcessing, count(timing.downlink_preparation) + half);
    set(Step::DownlinkTransmission, Rational::ONE);
    set(Step::DownlinkDecoding, count(timing.downlink_processing));
    set(Step::SrTransmission, count(timing.sr_transmission));
    set(Step::GrantPreparation, count(timing.sr_detection) + count(timing.grant_preparation));
    set(Step::GrantTransmission, grant);
    set(Step::GrantDecoding, decoding);
    set(Step::DataEncoding, encoding);
    set(Step::UplinkTransmission, Rational::ONE);
    set(Step::UplinkDecoding, count(timing.uplink_processing));
    setting.access = access;
    setting.harq_round_trip = Span::Ttis(count(timing.harq_round_trip));
    setting.bler = share(cell.link_adaptation.bler_target).unwrap_or(setting.bler);
    Base { setting, transmissions: cell.harq.max_transmissions, processing: processing(cell, ue) }
}

fn share(share: f64) -> Option<Bler> {
    Bler::new(Rational::new((share * 1e6).round() as u128, 1_000_000))
}

fn in_ttis(span: Given, tti: Tti) -> Rational {
    match span {
        Given::MilliTti(thousandths) => Rational::new(thousandths.into(), 1_000),
        Given::Time(time) => Rational::nanos(time) / tti.nanos(),
    }
}

/// Times that are not zero, downlink and uplink.
fn processing(cell: &Cell, ue: &Ue) -> [Vec<(String, Processing)>; 2] {
    let mut all = [Vec::new(), Vec::new()];
    let mut add = |way: usize, name: &str, time: &ProcessingDelay| {
        let time = time_of(time);
        if time.mean() > 0.0 {
            all[way].push((name.to_owned(), time));
        }
    };
    if let Some(own) = &ue.processing {
        add(1, "host", &own.up);
        add(1, "modem", &own.modem);
    }
    if let Some(own) = &cell.processing {
        add(1, "base station", &own.up);
        add(1, "core", &own.core);
        add(0, "core", &own.core);
        add(0, "base station", &own.down);
    }
    if let Some(own) = &ue.processing {
        add(0, "modem", &own.modem);
        add(0, "host", &own.down);
    }
    all
}

fn time_of(time: &ProcessingDelay) -> Processing {
    let ms = |time: airpath_base::Duration| time.as_secs_f64() * 1e3;
    match time {
        ProcessingDelay::Fixed(own) => Processing::Fixed(ms(own.delay)),
        ProcessingDelay::Uniform(own) => Processing::Uniform(ms(own.min), ms(own.max)),
        ProcessingDelay::Exponential(own) => Processing::Exponential(ms(own.mean)),
        ProcessingDelay::Lognormal(own) => Processing::Lognormal(ms(own.median), own.sigma),
    }
}
