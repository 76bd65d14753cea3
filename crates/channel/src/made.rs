//! Values that take long to make and that all runs of a process share.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Values by what they are made of.
pub(crate) struct Made<K, V> {
    /// Bytes that they may have together.
    most: usize,
    /// The youngest last.
    entries: Mutex<Vec<Entry<K, V>>>,
}

struct Entry<K, V> {
    key: K,
    bytes: usize,
    value: Arc<OnceLock<V>>,
}

impl<K: PartialEq, V: Clone> Made<K, V> {
    /// None yet.
    pub(crate) const fn new(most: usize) -> Made<K, V> {
        Made { most, entries: Mutex::new(Vec::new()) }
    }

    /// The value of `bytes` that `make` makes of `key`. Of several threads one makes the value, and
    /// the others wait. The oldest values go where there are too many bytes.
    pub(crate) fn get(&self, key: K, bytes: usize, make: impl FnOnce() -> V) -> V {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let known = entries.iter().find(|entry| entry.key == key);
        let value = match known {
            Some(entry) => entry.value.clone(),
            None => {
                let value = Arc::default();
                entries.push(Entry { key, bytes, value: Arc::clone(&value) });
                while entries.len() > 1
                    && entries.iter().map(|entry| entry.bytes).sum::<usize>() > self.most
                {
                    entries.remove(0);
                }
                value
            }
        };
        drop(entries);
        value.get_or_init(make).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_made_once_until_there_are_too_many() {
        let made: Made<u32, u32> = Made::new(20);
        assert_eq!(made.get(1, 10, || 11), 11);
        assert_eq!(made.get(1, 10, || 12), 11);
        assert_eq!(made.get(2, 10, || 21), 21);
        assert_eq!(made.get(3, 10, || 31), 31);
        assert_eq!(made.get(1, 10, || 12), 12);
        // One that is larger than all may be is there until the next.
        assert_eq!(made.get(4, 30, || 41), 41);
        assert_eq!(made.get(4, 30, || 42), 41);
    }
}
