//! Distributions over users.

use std::collections::BTreeMap;

use airpath_base::BitRate;
use airpath_net::Direction;
use airpath_stats::nearest_rank;
use serde::{Deserialize, Serialize};

use super::User;
use crate::Named;
use crate::measures::user;
use airpath_base::documented;
use airpath_base::measure::BPS;

documented! {
    /// Users of one kind of application in one direction.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct UsersSummary {
        /// Kind of application.
        pub application: String,
        /// `down` or `up`.
        pub direction: Option<String>,
        /// UEs that have it.
        pub users: u64,
        /// The rate below which a user counts as badly served, from `output.low_rate`, in bit/s.
        pub low_rate_bps: u64 [BPS],
        /// Users whose `transmitted_bps` is below that (chapter 6.2 of the source).
        pub low_rate_users: u64,
        /// Distributions over users, by column of `users.parquet`; of times, of each user's mean
        /// and of each user's 99th percentile. Columns that no user has a value in are left out.
        pub kpis: Named<OverUsers>,
    }
}

documented! {
    /// Distribution of a column of `users.parquet` over users, in the column's unit.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct OverUsers {
        /// Users that have a value.
        pub users: u64,
        /// Mean over users, each counted once.
        pub mean: f64,
        /// 5th percentile over users, by nearest rank.
        pub p5: f64,
        /// Median over users.
        pub p50: f64,
        /// 95th percentile over users.
        pub p95: f64,
        /// 99th percentile over users.
        pub p99: f64,
    }
}

impl OverUsers {
    /// Of values in any order, all finite; none without values.
    fn of(mut values: Vec<f64>) -> Option<OverUsers> {
        values.sort_unstable_by(f64::total_cmp);
        let users = values.len() as u64;
        let mean = values.iter().sum::<f64>() / users as f64;
        let at = |per_mille| nearest_rank(&values, per_mille);
        Some(OverUsers { users, mean, p5: at(50)?, p50: at(500)?, p95: at(950)?, p99: at(990)? })
    }
}

/// A summary for each kind of application and direction that `users` have.
pub(crate) fn summaries(users: &[User], low_rate: BitRate) -> Vec<UsersSummary> {
    let mut kinds: BTreeMap<_, Vec<&User>> = BTreeMap::new();
    for user in users {
        kinds.entry((user.application.as_str(), user.direction)).or_default().push(user);
    }
    let kinds = kinds.into_iter();
    kinds.map(|((application, way), users)| summary(application, way, &users, low_rate)).collect()
}

fn summary(
    application: &str,
    direction: Option<Direction>,
    users: &[&User],
    low_rate: BitRate,
) -> UsersSummary {
    let low =
        |user: &&&User| user.transmitted_bps.is_some_and(|bps| bps < low_rate.as_bps() as f64);
    let kpis = user::summarised().filter_map(|column| {
        let values = users.iter().filter_map(|user| column.value(user).as_f64());
        let over = OverUsers::of(values.filter(|v| v.is_finite()).collect())?;
        Some((column.name, over))
    });
    UsersSummary {
        application: application.to_owned(),
        direction: direction.map(|direction| direction.name().to_owned()),
        users: users.len() as u64,
        low_rate_bps: low_rate.as_bps(),
        low_rate_users: users.iter().filter(low).count() as u64,
        kpis: kpis.collect(),
    }
}
