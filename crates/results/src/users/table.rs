//! `users.parquet`.

use super::{User, kpi};
use crate::Table;

/// The table of users: a row for each, with all measures.
pub fn users(users: &[User]) -> Table {
    let of = users.iter();
    let table = Table::new()
        .describe("A user: a UE with one kind of application in one direction. What does not apply to it, or has no value, is null.")
        .utf8("ue", of.clone().map(|user| &user.ue))
        .doc("Name of the UE.")
        .optional_utf8("cell", of.clone().map(|user| user.cell.as_ref()))
        .doc("Name of its cell at the start.")
        .utf8("application", of.clone().map(|user| &user.application))
        .doc("Kind of application: `tcp`, `rtp`, `video`, `player`, `requests`, `web` or `full-buffer`.")
        .optional_utf8("direction", of.clone().map(|user| user.direction.map(|way| way.name())))
        .doc("`down` or `up`: which way its data go.")
        .u64("flows", of.clone().map(|user| user.flows))
        .doc("Flows of this kind that it has.");
    kpi::columns().fold(table, |table, column| {
        let values = of.clone().map(|user| column.of(user));
        let table = match column.whole {
            true => table.optional_i64(&column.name, values.map(|value| value.map(|n| n as i64))),
            false => table.optional_f64(&column.name, values),
        };
        table.doc(&column.meaning)
    })
}
