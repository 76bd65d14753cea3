//! Classes of traffic, which a scheduler can tell apart.

/// A class of traffic. A logical channel has one; who names classes numbers them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrafficClass(u8);

impl TrafficClass {
    /// The class of what has no other.
    pub const DEFAULT: TrafficClass = TrafficClass(0);
    /// Greatest number of classes, the default class included.
    pub const COUNT: u8 = u32::BITS as u8;

    /// The class of this number, below [`COUNT`](TrafficClass::COUNT); 0 is the default class.
    pub const fn new(number: u8) -> Option<TrafficClass> {
        if number < TrafficClass::COUNT { Some(TrafficClass(number)) } else { None }
    }
}

/// A set of classes of traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TrafficClasses(u32);

impl TrafficClasses {
    /// No class.
    pub const EMPTY: TrafficClasses = TrafficClasses(0);
    /// All classes.
    pub const ALL: TrafficClasses = TrafficClasses(u32::MAX);

    /// One class.
    pub const fn of(class: TrafficClass) -> TrafficClasses {
        TrafficClasses(1 << class.0)
    }

    /// Those of both.
    #[must_use]
    pub const fn with(self, other: TrafficClasses) -> TrafficClasses {
        TrafficClasses(self.0 | other.0)
    }

    /// True if a class is in it.
    pub const fn contains(self, class: TrafficClass) -> bool {
        self.intersects(TrafficClasses::of(class))
    }

    /// True if all of `other` are in it.
    pub const fn contains_all(self, other: TrafficClasses) -> bool {
        other.0 & !self.0 == 0
    }

    /// True if some class is in both.
    pub const fn intersects(self, other: TrafficClasses) -> bool {
        self.0 & other.0 != 0
    }
}

impl FromIterator<TrafficClass> for TrafficClasses {
    fn from_iter<I: IntoIterator<Item = TrafficClass>>(classes: I) -> TrafficClasses {
        let all = classes.into_iter().map(TrafficClasses::of);
        all.fold(TrafficClasses::EMPTY, TrafficClasses::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u8]) -> TrafficClasses {
        numbers.iter().filter_map(|n| TrafficClass::new(*n)).collect()
    }

    #[test]
    fn sets_of_classes() {
        let some = set(&[0, 3, 31]);
        let inside: Vec<u8> =
            (0..TrafficClass::COUNT).filter(|n| some.contains(TrafficClass(*n))).collect();
        assert_eq!(inside, [0, 3, 31]);
        assert_eq!(TrafficClass::new(32), None);
        assert!(some.intersects(set(&[3, 4])) && !some.intersects(set(&[1, 4])));
        assert!(some.contains_all(set(&[3, 31])) && !some.contains_all(set(&[3, 4])));
        assert!(TrafficClasses::ALL.contains_all(some) && some.contains_all(TrafficClasses::EMPTY));
        assert_eq!(set(&[]), TrafficClasses::EMPTY);
    }
}
