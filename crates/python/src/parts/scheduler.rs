//! Schedulers of a cell that are written in Python.

use std::sync::Arc;

use airpath_base::Time;
use airpath_ran::mac::{Grants, Scheduler, Slot};
use pyo3::prelude::*;

use super::facts::{Candidate, Slot as Facts};
use super::{Part, nonsense, shown};

/// A scheduler in Python; without a part it grants nothing.
pub struct Own {
    part: Option<Part>,
    ues: Arc<[String]>,
}

impl Own {
    pub fn new(part: Option<Part>, ues: Arc<[String]>) -> Own {
        Own { part, ues }
    }
}

impl Scheduler for Own {
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        let Some(part) = &self.part else { return };
        let now = Time::from_nanos(slot.tti.saturating_mul(slot.tti_length.as_nanos()));
        let facts = Python::attach(|py| {
            Facts::new(py, slot, grants, &self.ues).and_then(|facts| Py::new(py, facts))
        });
        let facts = match facts {
            Ok(facts) => facts,
            Err(error) => return Python::attach(|py| part.fate.seal(py, &part.name, error)),
        };
        part.call(now, "schedule", (facts,), |_, gave| book(gave, slot, grants));
    }
}

/// Grants what the part wants, in its order.
fn book(gave: &Bound<'_, PyAny>, slot: &Slot<'_>, grants: &mut Grants) -> PyResult<()> {
    let mut served = vec![false; slot.candidates.len()];
    for pair in gave.try_iter().map_err(|_| form(gave))? {
        let pair = pair?;
        let (who, count): (PyRef<'_, Candidate>, i64) = pair.extract().map_err(|_| form(&pair))?;
        let ue = slot.candidates.get(who.place).map(|candidate| candidate.ue.to_string());
        let ue = ue.ok_or_else(|| nonsense("it granted to a candidate of another slot"))?;
        let free = grants.free();
        if served[who.place] {
            return Err(nonsense(format!("it granted twice to {ue}")));
        }
        if count < 1 || count > i64::from(free) {
            let words = format!("it granted {count} resource blocks to {ue}: 1 to {free} are free");
            return Err(nonsense(words));
        }
        served[who.place] = true;
        let rates = slot.group_rates(who.place);
        grants.give_best(&slot.candidates[who.place], count as u16, rates);
    }
    Ok(())
}

fn form(gave: &Bound<'_, PyAny>) -> PyErr {
    nonsense(format!(
        "it gave {}: pairs of a candidate of the slot and a number of resource blocks",
        shown(gave)
    ))
}
