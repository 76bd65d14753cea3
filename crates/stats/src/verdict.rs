//! The verdict on a claim.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The verdict on a claim: a published figure or statement, or a measure that two models share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The figure is within its tolerance, or the statement holds. A statement on repeated runs
    /// holds if it holds in most of them.
    Holds,
    /// The figure is an input, drawn from a published distribution, and was found again.
    Recovered,
    /// The figure is outside its tolerance, or the statement does not hold.
    Fails,
    /// The runs do not resolve whether the claim holds.
    NotResolved,
    /// There is nothing to compare the claim with.
    NotComparable,
    /// A run that the claim is about was not made, or failed.
    NotMade,
}

impl Verdict {
    const ALL: [Verdict; 6] = [
        Verdict::Holds,
        Verdict::Recovered,
        Verdict::Fails,
        Verdict::NotResolved,
        Verdict::NotComparable,
        Verdict::NotMade,
    ];

    /// The word for the verdict on a statement.
    pub const fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Recovered => "recovered",
            Verdict::Fails => "fails",
            Verdict::NotResolved => "not resolved",
            Verdict::NotComparable => "not comparable",
            Verdict::NotMade => "not made",
        }
    }

    /// The word for the verdict on a figure, which agrees or differs.
    pub const fn figure_word(self) -> &'static str {
        match self {
            Verdict::Holds => "agrees",
            Verdict::Fails => "differs",
            other => other.word(),
        }
    }

    /// The verdict on repeated runs by the ends of the interval of the share in which a finding holds: whether that is most of
    /// them.
    pub fn of_share(low: f64, high: f64) -> Verdict {
        if low > 0.5 {
            Verdict::Holds
        } else if high < 0.5 {
            Verdict::Fails
        } else {
            Verdict::NotResolved
        }
    }

    /// Number of claims that hold, and number of those that could be compared.
    pub fn held(verdicts: impl IntoIterator<Item = Verdict>) -> [usize; 2] {
        verdicts.into_iter().fold([0, 0], |[held, of], verdict| match verdict {
            Verdict::Holds => [held + 1, of + 1],
            Verdict::Fails | Verdict::NotResolved => [held, of + 1],
            Verdict::Recovered | Verdict::NotComparable | Verdict::NotMade => [held, of],
        })
    }

    /// Serialises the verdict by [`figure_word`](Verdict::figure_word).
    ///
    /// # Errors
    ///
    /// Those of the serialiser.
    pub fn as_figure<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.figure_word())
    }

    /// Serialises a verdict that may be missing by [`figure_word`](Verdict::figure_word).
    ///
    /// # Errors
    ///
    /// Those of the serialiser.
    pub fn as_optional_figure<S: Serializer>(
        verdict: &Option<Verdict>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        verdict.map(Verdict::figure_word).serialize(to)
    }
}

impl From<bool> for Verdict {
    /// The verdict on a claim that holds, or does not.
    fn from(holds: bool) -> Verdict {
        if holds { Verdict::Holds } else { Verdict::Fails }
    }
}

impl Serialize for Verdict {
    /// By [`word`](Verdict::word).
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.word())
    }
}

impl<'de> Deserialize<'de> for Verdict {
    /// By [`word`](Verdict::word).
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Verdict, D::Error> {
        let word = String::deserialize(from)?;
        let known = Verdict::ALL.into_iter().find(|verdict| verdict.word() == word);
        known.ok_or_else(|| D::Error::custom(format!("{word} is no verdict")))
    }
}
