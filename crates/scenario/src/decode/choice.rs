//! Fields that are one of a few words.

/// Declares an enum whose values are words of the file.
macro_rules! choice {
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident {
            $( $(#[doc = $word_doc:literal])* $variant:ident = $word:literal, )*
        }
        $(hint $hint:literal)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $( $(#[doc = $word_doc])* $variant, )* }

        impl $name {
            const WORDS: &'static [&'static str] = &[$($word),*];

            /// The word in the file.
            pub const fn word(self) -> &'static str {
                match self { $( $name::$variant => $word, )* }
            }
        }

        impl $crate::decode::Field for $name {
            fn decode(
                node: &$crate::tree::Node,
                cx: &mut $crate::decode::Decoder,
            ) -> Option<Self> {
                let allowed = $crate::decode::listed($name::WORDS.iter().copied());
                let text = cx.text(node, &allowed)?;
                match text {
                    $( $word => Some($name::$variant), )*
                    _ => cx.unknown_word(node, text, ($name::WORDS, concat!($("; ", $hint)?))),
                }
            }
            fn encode(&self) -> serde_json::Value {
                self.word().into()
            }
            fn schema() -> serde_json::Value {
                let words = [$( serde_json::json!({
                    "const": $word,
                    "description": $crate::decode::doc_text(&[$($word_doc),*]),
                }) ),*];
                serde_json::json!({"type": "string", "oneOf": words})
            }
        }
    };
}
pub(crate) use choice;

use super::{Decoder, listed, nearest, suggest};
use crate::tree::Node;

impl Decoder {
    /// Reports a word that is none of those allowed, with a hint behind them.
    pub fn unknown_word<T>(
        &mut self,
        node: &Node,
        word: &str,
        (words, hint): (&[&str], &str),
    ) -> Option<T> {
        let allowed = listed(words.iter().copied());
        let meant = nearest(word, words.iter().copied());
        let help = suggest(meant, &format!("it must be {allowed}{hint}"));
        self.fail(&node.place, &format!("cannot be \"{word}\""), help)
    }
}
