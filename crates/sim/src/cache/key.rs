//! Key of a run, and the text of its file.

use airpath_base::Digest;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Begins the first line of a cached run.
const FORMAT: &str = "airpath-cached-run-2";

/// Fingerprint of the build, of what is run, and of the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u128);

impl Key {
    pub(super) fn new(build: &str, work: Digest, seed: u64) -> Key {
        let key = Digest::new().field(build.as_bytes()).field(&work.value().to_be_bytes());
        Key(key.number(seed).value())
    }

    /// Name of its file.
    pub(super) fn file(self, ending: &str) -> String {
        format!("{:032x}.{ending}", self.0)
    }

    /// Text of its file: a line with key and checksum, then the output as JSON.
    pub(super) fn text(self, output: &impl Serialize) -> serde_json::Result<String> {
        let body = serde_json::to_string(output)? + "\n";
        Ok(self.title(&body) + &body)
    }

    fn title(self, body: &str) -> String {
        let sum = Digest::new().field(body.as_bytes()).value();
        format!("{FORMAT} {:032x} {sum:032x}\n", self.0)
    }

    /// Key and output of the run in a text, if the text is whole.
    pub(super) fn of(text: &str) -> Result<(Key, &str), &'static str> {
        let cut = "it is cut off, or no cached run";
        let (title, body) = text.split_once('\n').ok_or(cut)?;
        let key = title.split(' ').nth(1).and_then(|word| u128::from_str_radix(word, 16).ok());
        let key = key.map(Key).ok_or(cut)?;
        match text.starts_with(&key.title(body)) {
            true => Ok((key, body)),
            false => Err("its checksum is wrong"),
        }
    }

    /// The output, if the text is this run's.
    pub(super) fn read<T: DeserializeOwned>(self, text: &str) -> Result<T, String> {
        let (key, body) = Key::of(text)?;
        match key == self {
            true => serde_json::from_str(body).map_err(|error| error.to_string()),
            false => Err("it is another run under this one's name".to_owned()),
        }
    }
}

/// True if a name is one of the cache's with this ending.
pub(super) fn has_form(name: &str, ending: &str) -> bool {
    let key = name.split_once('.').and_then(|(key, _)| u128::from_str_radix(key, 16).ok());
    key.is_some_and(|key| Key(key).file(ending) == name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
            let text = key.text(&output).expect("text");
            prop_assert_eq!(key.read(&text), Ok(output));
            prop_assert!(has_form(&key.file("run"), "run") && !has_form(&key.file("part"), "run"));
        }

        #[test]
        fn nothing_that_is_cut_off_or_changed_is_read(at: prop::sample::Index, flip in 1_u8..128) {
            let key = Key(1);
            let text = key.text(&[4_u64, 5]).expect("text");
            let at = at.index(text.len());
            prop_assert!(key.read::<Vec<u64>>(&text[..at]).is_err());
            let mut bytes = text.into_bytes();
            bytes[at] ^= flip;
            if let Ok(text) = String::from_utf8(bytes) {
                prop_assert!(key.read::<Vec<u64>>(&text).is_err());
            }
        }

        #[test]
        fn any_text_is_refused_or_read(text: String) {
            prop_assert!(Key::of(&text).is_err());
            prop_assert!(!has_form(&text, "run"));
        }
    }
}
