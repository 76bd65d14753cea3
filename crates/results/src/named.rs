//! Values by name, in a fixed order: a JSON object that is not a hash map.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Names and values in the order in which they were added.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<T>(Vec<(String, T)>);

impl<T> Default for Named<T> {
    fn default() -> Named<T> {
        Named(Vec::new())
    }
}

impl<T> Named<T> {
    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.iter().find_map(|(key, value)| (key == name).then_some(value))
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<N: Into<String>, T> FromIterator<(N, T)> for Named<T> {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(values: I) -> Named<T> {
        Named(values.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serialiser: S) -> Result<S::Ok, S::Error> {
        serialiser.collect_map(self.iter())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserialiser: D) -> Result<Named<T>, D::Error> {
        deserialiser.deserialize_map(Pairs(PhantomData))
    }
}

struct Pairs<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Pairs<T> {
    type Value = Named<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<T>, A::Error> {
        let mut values = Vec::new();
        while let Some(pair) = map.next_entry()? {
            values.push(pair);
        }
        Ok(Named(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_survives_json() {
        let named: Named<u64> = [("rlc", 2), ("harq", 1)].into_iter().collect();
        let text = serde_json::to_string(&named).expect("plain numbers");
        assert_eq!(text, r#"{"rlc":2,"harq":1}"#);
        assert_eq!(serde_json::from_str::<Named<u64>>(&text).expect("the same"), named);
        assert_eq!((named.get("harq"), named.get("pdcp")), (Some(&1), None));
    }
}
