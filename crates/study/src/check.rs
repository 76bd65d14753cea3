//! Checks of a plan and its claims against each other, before a run is made.
//!
//! A name that nothing has would leave a claim without a row, or a profile without an effect.

use crate::network::judge::rows;
use crate::network::{self, Data, Findings, Measures, Row, Rules};
use crate::plan::{Plan, Reading, RunDef};
use crate::text::fill;
use crate::{Claim, Quantity, Report, Study, StudyError, screen};

/// Fields of a row that a placeholder may name.
const FIELDS: [&str; 8] =
    ["measured", "true", "low", "high", "published", "verdict", "holds", "runs"];

impl Study {
    /// Checks that all names of the plan and the claims are those of something, and that each claim
    /// is judged in some reading.
    ///
    /// # Errors
    ///
    /// The first fault, with its file and entry.
    pub fn check(&self) -> Result<(), StudyError> {
        let (plan, claims) = (self.plan()?, self.claims()?);
        if plan.readings.is_empty() || claims.is_empty() {
            return Err(StudyError::Data(
                "plan.json and claims.csv: no reading, or no claim".into(),
            ));
        }
        check(&plan, &claims)?;
        self.check_flows(&plan, &claims)?;
        for file in ["screen.md", "page.md"] {
            let text = self.needed(file)?;
            let known = |placeholder: &str| is_known(&plan, &claims, placeholder).then(String::new);
            fill(text, &known).map_err(|placeholder| {
                let shown: String = placeholder.chars().take(60).collect();
                StudyError::Data(format!("{file}: there is nothing for {{{{{shown}"))
            })?;
        }
        screen(self, &Report::default())?;
        self.network().map_or(Ok(()), |network| check_experiments(&network))
    }

    /// Checks that the scenario of a run has the flow that a claim measures in it.
    fn check_flows(&self, plan: &Plan, claims: &[Claim]) -> Result<(), StudyError> {
        let of_scenario = |run: &&RunDef| run.own.is_none() && run.not_made.is_none();
        for run in plan.runs.iter().filter(of_scenario) {
            let reading = Reading { name: "plan.json".into(), ..Reading::default() };
            let scenario = self.scenario(plan, &reading, run, &run.set)?;
            for claim in claims {
                let all = claim.quantities()?;
                let own = all.iter().flat_map(Quantity::values).filter(|v| v.run == run.name);
                let flows = own.filter(|value| value.measure.is_of_flow()).map(|value| &value.flow);
                let of = format!("claims.csv: {}: run {}", claim.label(), run.name);
                known(&of, "flow", flows, |name| scenario.flow.iter().any(|f| f.name == name))?;
            }
        }
        Ok(())
    }
}

/// True for a placeholder of a page of readings whose names are those of something.
fn is_known(plan: &Plan, claims: &[Claim], placeholder: &str) -> bool {
    let reading = |name: &str| plan.readings.iter().any(|reading| reading.name == name);
    let claim = |name: &str| claims.iter().any(|claim| claim.label() == name);
    let kind = |name: &str| claims.iter().any(|claim| claim.kind == name);
    match placeholder.split('|').collect::<Vec<_>>()[..] {
        ["beside"] => true,
        ["claims" | "against" | "repeated" | "ramps" | "elsewhere", name] => reading(name),
        ["met", name, "published" | "reference"] => reading(name),
        ["readings", ids] => ids.split(' ').all(|id| claims.iter().any(|claim| claim.id == id)),
        ["ues", name, run] => reading(name) && plan.runs.iter().any(|r| r.name.starts_with(run)),
        ["figure", name, of] => plan.figures.contains_key(name) && reading(of),
        ["agree", name, of] => kind(name) && reading(of),
        ["sweep", what] => plan.readings.iter().any(|r| r.sweep.as_deref() == Some(what)),
        [name, of] => claim(name) && reading(of),
        [name, of, field] => claim(name) && reading(of) && FIELDS.contains(&field),
        _ => false,
    }
}

/// Checks names of experiments, which are those of files, and that each row is judged by something.
fn check_experiments(study: &Study) -> Result<(), StudyError> {
    let plan = study.plan()?;
    let of = "network/plan.json";
    once(of, "experiment", plan.experiments.iter().map(|one| one.name.as_str()))?;
    once(of, "choice", plan.choices.iter().map(|choice| choice.id.as_str()))?;
    let shares = plan.experiments.iter().filter_map(|one| one.share.as_ref());
    known(of, "choice", shares, |name| plan.choices.iter().any(|choice| choice.id == name))?;
    let plain = |name: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        !name.is_empty() && !["tables", "second"].contains(&name) && name.chars().all(fits)
    };
    if let Some(bad) = plan.experiments.iter().find(|one| !plain(&one.name)) {
        let why = "an experiment is named by letters, digits, - and _, not tables or second";
        return Err(fault(of, why, &format!("{:?}", bad.name)));
    }
    let measures = Measures::of(study)?;
    let rows = rows(study, &measures)?;
    once("network/rows.json", "row", rows.iter().map(|row| row.id.as_str()))?;
    let parts = plan.parts();
    for row in &rows {
        let of = format!("network/rows.json: {}", row.id);
        known(&of, "part", [&row.part], |name| parts.contains(&name))?;
        if row.tests.is_empty() {
            return Err(StudyError::Data(format!("{of}: there is no test")));
        }
    }
    let by_sentence = Rules::of(study, &rows, &measures)?.rows(&rows);
    study.needed("page.md")?;
    // Texts and arms of studies that airpath comes with are tested.
    if study.folder.is_none() {
        return Ok(());
    }
    let nothing = Findings::new(study, &Data::of(study)?, &[], true)?;
    network::screen(&nothing)?;
    network::page(&nothing)?;
    check_arms(study, &plan, "rows.json", &rows)?;
    check_arms(study, &plan, "rules.json", &by_sentence)
}

/// Checks that some experiment has each arm of the rows in a file, at each load.
pub(crate) fn check_arms(
    study: &Study,
    plan: &Plan,
    file: &str,
    rows: &[Row],
) -> Result<(), StudyError> {
    let mut made = Vec::new();
    for experiment in &plan.experiments {
        let Some(campaign) = study.campaign(experiment, network::Reading::First, false)? else {
            continue;
        };
        for arm in 0..campaign.arms.len() {
            made.push(plan.axes.arm(&campaign, arm)?);
        }
    }
    for (row, test) in rows.iter().flat_map(|row| row.tests.iter().map(move |test| (row, test))) {
        let of = format!("network/{file}: {}", row.id);
        let (arms, loads) = test.arms();
        if arms.is_empty() || loads.is_empty() || !test.is_paired() {
            let why = "a test has loads, and a second arm for each first one or one for all";
            return Err(StudyError::Data(format!("{of}: {why}")));
        }
        for (arm, load) in arms.iter().flat_map(|arm| loads.iter().map(move |load| (arm, load))) {
            if !made.iter().any(|(known, name)| (known, name) == (load, *arm)) {
                let what = format!("{arm} at the load {load}");
                return Err(fault(&of, "no experiment has the arm", &what));
            }
        }
    }
    Ok(())
}

/// Checks the plan, and each claim against it.
fn check(plan: &Plan, claims: &[Claim]) -> Result<(), StudyError> {
    let run_names: Vec<&str> = plan.runs.iter().map(|run| run.name.as_str()).collect();
    let readings = plan.readings.iter().map(|reading| reading.name.as_str());
    once("plan.json", "run", run_names.iter().copied())?;
    once("plan.json", "reading", readings)?;
    let is_scenario = |name: &str| plan.runs.iter().any(|run| run.scenario == name);
    for (name, profile) in &plan.profiles {
        let of = format!("plan.json: profile {name}");
        known(&of, "run of the scenario", profile.keys(), |name| {
            name == "all" || is_scenario(name)
        })?;
    }
    for reading in &plan.readings {
        let of = format!("plan.json: reading {}", reading.name);
        known(&of, "profile", &reading.profiles, |name| plan.profiles.contains_key(name))?;
        known(&of, "run", reading.runs.iter().flatten(), |name| run_names.contains(&name))?;
        known(&of, "scenario", reading.from_s.keys(), |name| is_scenario(name))?;
        let kinds = reading.kinds.iter().flatten();
        known(&of, "claim of the kind", kinds, |name| claims.iter().any(|c| c.kind == name))?;
    }
    for run in &plan.runs {
        let of = format!("plan.json: run {}", run.name);
        known(&of, "profile", run.profiles.keys(), |name| plan.profiles.contains_key(name))?;
    }
    let listed = plan.per_ue.iter().chain(&plan.stages);
    known("plan.json: per_ue, stages", "run", listed, |name| run_names.contains(&name))?;
    for (name, quantity) in plan.quantities()? {
        let of = format!("plan.json: figure {name}");
        known(&of, "run", quantity.runs(), |name| run_names.contains(&name))?;
    }
    let labels: Vec<String> = claims.iter().map(Claim::label).collect();
    once("claims.csv", "claim", labels.iter().map(String::as_str))?;
    claims.iter().try_for_each(|claim| check_claim(plan, claim))
}

fn check_claim(plan: &Plan, claim: &Claim) -> Result<(), StudyError> {
    let of = format!("claims.csv: {}", claim.label());
    for quantity in claim.quantities()? {
        known(&of, "run", quantity.runs(), |name| plan.runs.iter().any(|run| run.name == name))?;
    }
    if claim.holds.is_none() && claim.published().is_none() {
        let published = format!("{:?} is no number", claim.published);
        return Err(fault(&of, "a statement needs a condition in holds", &published));
    }
    if claim.holds.is_none() && claim.tolerance.is_none() && claim.note.is_none() {
        let why = "a figure needs a tolerance, or a note why it has none";
        return Err(fault(&of, why, &claim.published));
    }
    let bounds = [claim.published(), claim.reference, claim.tolerance, claim.margin];
    let negative = [claim.tolerance, claim.margin].iter().flatten().any(|bound| *bound < 0.0);
    if negative || bounds.iter().flatten().any(|bound| !bound.is_finite()) {
        let why = "a figure or its tolerance is no number that can be met";
        return Err(fault(&of, why, &claim.published));
    }
    let quantity = claim.quantity()?;
    let judges = |reading: &&Reading| {
        let kind = reading.kinds.as_ref().is_none_or(|kinds| kinds.contains(&claim.kind));
        let own = |name: &str| plan.runs_of(reading).any(|run| run.name == name);
        kind && quantity.runs().into_iter().any(own)
    };
    match plan.readings.iter().any(|reading| judges(&reading)) {
        true => Ok(()),
        false => Err(fault(&of, "no reading has its runs and judges its kind", &claim.kind)),
    }
}

fn fault(of: &str, why: &str, what: &str) -> StudyError {
    StudyError::Data(format!("{of}: {why}: {what}"))
}

/// Checks that each name is known.
fn known<'a>(
    of: &str,
    kind: &str,
    names: impl IntoIterator<Item = impl AsRef<str> + 'a>,
    is_known: impl Fn(&str) -> bool,
) -> Result<(), StudyError> {
    let unknown = names.into_iter().find(|name| !is_known(name.as_ref()));
    unknown.map_or(Ok(()), |name| {
        Err(StudyError::Data(format!("{of}: there is no {kind} {:?}", name.as_ref())))
    })
}

/// Checks that no name stands twice.
fn once<'a>(of: &str, kind: &str, names: impl Iterator<Item = &'a str>) -> Result<(), StudyError> {
    let mut seen = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(StudyError::Data(format!("{of}: {kind} {name:?} stands twice")));
        }
        seen.push(name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = r#"{
        "profiles": { "slow": {} },
        "runs": [ { "name": "a", "set": [] }, { "name": "b", "set": [] } ],
        "readings": [ { "name": "x", "profiles": ["slow"], "runs": ["a"], "kinds": ["simulated"] } ],
        "per_ue": ["a"], "figures": { "f": "delay-mean@a.x" }
    }"#;
    const CLAIMS: &str = "id,part,where,condition,metric,unit,published,reference,kind,tolerance,margin,quantity,holds,note\n\
        C-1,,,,,ms,10,,simulated,0.1,0,delay-mean@a.x,,\n";

    fn checked(plan: &str, claims: &str) -> String {
        let plan: Plan = serde_json::from_str(plan).expect("a plan");
        let rows = csv::Reader::from_reader(claims.as_bytes()).into_deserialize();
        let claims: Vec<Claim> = rows.collect::<Result<_, _>>().expect("claims");
        check(&plan, &claims).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn names_that_nothing_has_are_refused_with_their_entry() {
        assert_eq!(checked(PLAN, CLAIMS), "");
        let of = |old: &str, new: &str| {
            assert!(PLAN.contains(old) || CLAIMS.contains(old), "{old}");
            checked(&PLAN.replace(old, new), &CLAIMS.replace(old, new))
        };
        let is = |found: String, says: &str| assert!(found.ends_with(says), "{found}");
        is(of("[\"slow\"]", "[\"slw\"]"), "plan.json: reading x: there is no profile \"slw\"");
        is(of("\"runs\": [\"a\"]", "\"runs\": [\"c\"]"), "reading x: there is no run \"c\"");
        is(
            of("\"per_ue\": [\"a\"]", "\"per_ue\": [\"c\"]"),
            "per_ue, stages: there is no run \"c\"",
        );
        is(of("\"name\": \"b\"", "\"name\": \"a\""), "plan.json: run \"a\" stands twice");
        is(of("\"delay-mean@a.x\"", "\"delay@a.x\""), "figure f: no quantity: delay@a.x");
        is(of(",delay-mean@a.x", ",delay-mean@c.x"), "claims.csv: C-1: there is no run \"c\"");
        is(
            of(",10,,simulated", ",high,,simulated"),
            "a statement needs a condition in holds: \"high\" is no number",
        );
        is(
            of("simulated,0.1", "simulated,"),
            "C-1: a figure needs a tolerance, or a note why it has none: 10",
        );
        // A claim that no reading judges would have no row.
        let silent = "no reading has its runs and judges its kind";
        is(
            of(",10,,simulated", ",10,,exact"),
            "reading x: there is no claim of the kind \"simulated\"",
        );
        is(of(",delay-mean@a.x", ",delay-mean@b.x"), &format!("{silent}: simulated"));
        let twice = format!("{CLAIMS}{}", CLAIMS.lines().last().expect("a claim"));
        is(checked(PLAN, &twice), "claims.csv: claim \"C-1\" stands twice");
    }
}
