//! Key of a run, and the record of its output.

use airpath_base::Digest;
use serde::Serialize;

/// Begins the title of a record.
const RECORD: &str = "airpath-run-3";
/// Begins the first line of a file of one run, as earlier versions wrote them.
const SINGLE: &str = "airpath-cached-run-2";

/// Fingerprint of the build, of what is run, and of the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u128);

impl Key {
    pub(super) fn new(build: &str, work: Digest, seed: u64) -> Key {
        let key = Digest::new().field(build.as_bytes()).field(&work.value().to_be_bytes());
        Key(key.number(seed).value())
    }

    /// The key in a text of [`Key::text`].
    pub(super) fn parse(text: &str) -> Option<Key> {
        let key = Key(u128::from_str_radix(text, 16).ok()?);
        (key.text() == text).then_some(key)
    }

    /// 32 hexadecimal digits.
    pub(super) fn text(self) -> String {
        format!("{:032x}", self.0)
    }

    /// The record of an output: a title, and a line of JSON.
    pub(super) fn record(self, output: &impl Serialize) -> serde_json::Result<String> {
        let body = serde_json::to_string(output)? + "\n";
        Ok(Title { key: self, sum: self.sum(body.as_bytes()), length: body.len() }.line() + &body)
    }

    /// Checksum of a body under this key.
    fn sum(self, body: &[u8]) -> u128 {
        Digest::new().field(&self.0.to_be_bytes()).field(body).value()
    }

    /// The JSON in the file of one run, if the text is whole and of this run.
    pub(super) fn of_single(self, text: &str) -> Result<&str, &'static str> {
        match single(text)? {
            (key, body) if key == self => Ok(body),
            _ => Err("it is another run under this one's name"),
        }
    }
}

/// Key and JSON of the file of one run, if the text is whole.
pub(super) fn single(text: &str) -> Result<(Key, &str), &'static str> {
    let cut = "it is cut off, or no cached run";
    let (title, body) = text.split_once('\n').ok_or(cut)?;
    let key = title.split(' ').nth(1).and_then(Key::parse).ok_or(cut)?;
    let sum = Digest::new().field(body.as_bytes()).value();
    match title == format!("{SINGLE} {} {sum:032x}", key.text()) {
        true => Ok((key, body)),
        false => Err("its checksum is wrong"),
    }
}

/// The first line of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Title {
    pub key: Key,
    sum: u128,
    /// Bytes of the body, which follows.
    pub length: usize,
}

impl Title {
    /// The title in a line, which ends with its newline.
    pub(super) fn of(line: &[u8]) -> Option<Title> {
        let text = str::from_utf8(line).ok()?.strip_suffix('\n')?;
        let mut words = text.split(' ').skip(1);
        let key = Key::parse(words.next()?)?;
        let sum = u128::from_str_radix(words.next()?, 16).ok()?;
        let title = Title { key, sum, length: words.next()?.parse().ok()? };
        (title.line().as_bytes() == line).then_some(title)
    }

    fn line(&self) -> String {
        format!("{RECORD} {} {:032x} {}\n", self.key.text(), self.sum, self.length)
    }

    /// True if a body is that of the record.
    pub(super) fn fits(&self, body: &[u8]) -> bool {
        body.len() == self.length && self.key.sum(body) == self.sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The output in a record, if the record is whole.
    fn read<T: serde::de::DeserializeOwned>(key: Key, record: &[u8]) -> Option<T> {
        let end = record.iter().position(|byte| *byte == b'\n')? + 1;
        let (title, body) = (Title::of(&record[..end])?, &record[end..]);
        let whole = title.key == key && title.fits(body);
        whole.then(|| serde_json::from_slice(body).expect("JSON"))
    }

    #[test]
    fn build_work_and_seed_each_make_another_key() {
        let work = |text: &str| Digest::new().field(text.as_bytes());
        let key = Key::new("build", work("a"), 1);
        assert_eq!(key, Key::new("build", work("a"), 1));
        for other in [("other", "a", 1), ("build", "b", 1), ("build", "a", 2)] {
            assert_ne!(key, Key::new(other.0, work(other.1), other.2), "{other:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(key: u128, output: Vec<(u64, String)>) {
            let key = Key(key);
            let record = key.record(&output).expect("text");
            prop_assert_eq!(record.matches('\n').count(), 2);
            prop_assert_eq!(read(key, record.as_bytes()), Some(output));
            prop_assert_eq!(Key::parse(&key.text()), Some(key));
        }

        #[test]
        fn nothing_that_is_cut_off_or_changed_is_read(at: prop::sample::Index, flip in 1_u8..=255) {
            let key = Key(1);
            let mut bytes = key.record(&[4_u64, 5]).expect("text").into_bytes();
            let at = at.index(bytes.len());
            prop_assert!(read::<Vec<u64>>(key, &bytes[..at]).is_none());
            bytes[at] ^= flip;
            prop_assert!(read::<Vec<u64>>(key, &bytes).is_none());
        }

        #[test]
        fn any_text_is_refused_or_read(text: String) {
            prop_assert!(single(&text).is_err());
            prop_assert!(Title::of(text.as_bytes()).is_none());
            prop_assert!(Key::parse(&text).is_none());
        }
    }
}
