//! `users.parquet`.

use airpath_base::measure::{Column, Kind};
use airpath_base::{documented, fields};
use serde::{Deserialize, Serialize};

use super::User;
use crate::Table;
use crate::measures::user;

/// Begins of columns that tables of earlier versions lack. A user has no value there.
const LATER: [&str; 12] = [
    "out_of_range_s",
    "no_service",
    "frames_lost",
    "frames_overtaken",
    "within_share",
    "freezes",
    "frozen_share",
    "input_to_picture",
    "mos",
    "startup_s",
    "stall",
    "first_object",
];

documented! {
    /// A row of the table.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct UserRow {
        /// Name of the UE.
        pub ue: String,
        /// Name of its cell at the start.
        pub cell: Option<String>,
        /// Kind of application: `tcp`, `rtp`, `video`, `player`, `requests`, `web`, `full-buffer`, or the model of `xr`.
        pub application: String,
        /// `down` or `up`: which way its data go.
        pub direction: Option<String>,
        /// Flows of this kind that it has.
        pub flows: u64,
        /// Its measures, in the order of [`measures`].
        pub values: Vec<Option<f64>>,
    }
}

impl User {
    /// Its row; what is not finite has no value.
    pub fn row(&self) -> UserRow {
        UserRow {
            ue: self.ue.clone(),
            cell: self.cell.clone(),
            application: self.application.clone(),
            direction: self.direction.map(|way| way.name().to_owned()),
            flows: self.flows,
            values: user::columns()
                .map(|c| c.value(self).as_f64().filter(|v| v.is_finite()))
                .collect(),
        }
    }
}

/// Names of the measures of a user.
pub fn measures() -> impl Iterator<Item = String> {
    user::columns().map(|column| column.name.into_owned())
}

/// The table of users: a row for each, with all measures.
pub fn users(users: &[User]) -> Table {
    let rows: Vec<UserRow> = users.iter().map(User::row).collect();
    add_to(Table::new(), &rows).describe("A user: a UE with one kind of application in one direction. A measure that does not apply to it, or has no value, is null.")
}

/// Adds the columns of users to a table that has a row for each of them.
pub fn add_to(table: Table, rows: &[UserRow]) -> Table {
    let own = fields!(UserRow: ue, cell, application, direction, flows);
    let values: Vec<_> = user::columns().enumerate().map(|(n, column)| of_row(n, column)).collect();
    table.add(&own, rows.iter()).add(&values, rows.iter())
}

/// The column of a measure, read from a row.
fn of_row(n: usize, column: Column<User>) -> Column<UserRow> {
    let value = move |row: &UserRow| row.values.get(n).copied().flatten();
    let Column { name, scale, meaning, .. } = column;
    match column.read.kind {
        Kind::OptionalWhole => {
            Column::optional_count(name, scale, meaning, move |row| Some(value(row)? as u64))
        }
        _ => Column::number(name, scale, meaning, value),
    }
}

/// The rows of a table with the columns of users; none if it lacks one that has always been there.
pub fn rows(table: &Table) -> Option<Vec<UserRow>> {
    let text = |name: &str| {
        let all = table.texts(name)?;
        Some(all.into_iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>())
    };
    let (ue, cell, application) = (text("ue")?, text("cell")?, text("application")?);
    let (direction, flows) = (text("direction")?, table.numbers("flows")?);
    let missing = |name: &str| {
        LATER.iter().any(|later| name.starts_with(later)).then(|| vec![None; table.rows()])
    };
    let numbers = |name: String| table.numbers(&name).or_else(|| missing(&name));
    let values: Option<Vec<_>> = measures().map(numbers).collect();
    let values = values?;
    let row = |n: usize| UserRow {
        ue: ue[n].clone().unwrap_or_default(),
        cell: cell[n].clone(),
        application: application[n].clone().unwrap_or_default(),
        direction: direction[n].clone(),
        flows: flows[n].unwrap_or(0.0) as u64,
        values: values.iter().map(|column| column[n]).collect(),
    };
    Some((0..table.rows()).map(row).collect())
}
