//! Checks of a plan and its claims against each other, before a run is made.
//!
//! A name that nothing has would leave a claim without a row, or a profile without an effect.

use crate::plan::{Plan, Reading};
use crate::quantity::quantities;
use crate::{Claim, Quantity, Study, StudyError};

impl Study {
    /// Checks that all names of the plan and the claims are those of something, and that each claim
    /// is judged in some reading.
    ///
    /// # Errors
    ///
    /// The first fault, with its file and entry.
    pub fn check(&self) -> Result<(), StudyError> {
        check(&self.plan()?, &self.claims()?)
    }
}

fn check(plan: &Plan, claims: &[Claim]) -> Result<(), StudyError> {
    let run_names: Vec<&str> = plan.runs.iter().map(|run| run.name.as_str()).collect();
    let readings = plan.readings.iter().map(|reading| reading.name.as_str());
    once("plan.json", "run", run_names.iter().copied())?;
    once("plan.json", "reading", readings)?;
    for reading in &plan.readings {
        let of = format!("plan.json: reading {}", reading.name);
        known(&of, "profile", &reading.profiles, |name| plan.profiles.contains_key(name))?;
        known(&of, "run", reading.runs.iter().flatten(), |name| run_names.contains(&name))?;
    }
    for run in &plan.runs {
        let of = format!("plan.json: run {}", run.name);
        known(&of, "profile", run.profiles.keys(), |name| plan.profiles.contains_key(name))?;
    }
    let listed = plan.per_ue.iter().chain(&plan.stages);
    known("plan.json: per_ue, stages", "run", listed, |name| run_names.contains(&name))?;
    for (name, text) in &plan.figures {
        let of = format!("plan.json: figure {name}");
        let quantity = Quantity::parse(text).ok_or_else(|| fault(&of, "no quantity", text))?;
        known(&of, "run", quantity.runs(), |name| run_names.contains(&name))?;
    }
    let label = |claim: &Claim| match &claim.part {
        Some(part) => format!("{}/{part}", claim.id),
        None => claim.id.clone(),
    };
    let labels: Vec<String> = claims.iter().map(label).collect();
    once("claims.csv", "claim", labels.iter().map(String::as_str))?;
    claims.iter().zip(&labels).try_for_each(|(claim, label)| check_claim(plan, claim, label))
}

fn check_claim(plan: &Plan, claim: &Claim, label: &str) -> Result<(), StudyError> {
    let of = format!("claims.csv: {label}");
    let quantity = Quantity::parse(&claim.quantity)
        .ok_or_else(|| fault(&of, "no quantity", &claim.quantity))?;
    let conditions = claim.holds.as_deref().map(quantities).transpose();
    let conditions = conditions.map_err(|why| StudyError::Data(format!("{of}: {why}")))?;
    for quantity in conditions.iter().flatten().chain([&quantity]) {
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
        is(of(",10,,simulated", ",10,,exact"), &format!("{silent}: exact"));
        is(of(",delay-mean@a.x", ",delay-mean@b.x"), &format!("{silent}: simulated"));
        let twice = format!("{CLAIMS}{}", CLAIMS.lines().last().expect("a claim"));
        is(checked(PLAN, &twice), "claims.csv: claim \"C-1\" stands twice");
    }
}
