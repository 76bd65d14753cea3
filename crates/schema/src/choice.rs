//! Fields that are one of a few words.

/// Declares an enum whose values are words of the file. A derive behind the doc comment adds to
/// `Clone`, `Copy`, `Debug`, `PartialEq` and `Eq`; a variant behind a colon is the type's default.
/// With `for` and a name, the words are of an enum that is declared elsewhere.
#[macro_export]
macro_rules! choice {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),+)])?
        pub enum $name:ident $(: $usual:ident)? {
            $( $(#[doc = $word_doc:literal])* $variant:ident = $word:literal, )*
        }
        $(hint $hint:literal)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq $($(, $derive)+)?)]
        pub enum $name { $( $(#[doc = $word_doc])* $variant, )* }

        $(
            impl Default for $name {
                fn default() -> $name {
                    $name::$usual
                }
            }
        )?

        impl $name {
            /// The word in the file.
            pub const fn word(self) -> &'static str {
                match self { $( $name::$variant => $word, )* }
            }
        }

        $crate::choice! {
            for $name { $( $(#[doc = $word_doc])* $variant = $word, )* }
            $(hint $hint)?
        }
    };
    (
        for $name:ident { $( $(#[doc = $word_doc:literal])* $variant:ident = $word:literal, )* }
        $(hint $hint:literal)?
    ) => {
        impl $crate::Field for $name {
            fn decode(
                node: &$crate::Node,
                cx: &mut $crate::Decoder,
            ) -> Option<Self> {
                let allowed = $crate::listed([$($word),*]);
                let text = cx.text(node, &allowed)?;
                match text {
                    $( $word => Some($name::$variant), )*
                    _ => cx.unknown_word(node, text, (&[$($word),*], concat!($("; ", $hint)?))),
                }
            }
            fn encode(&self) -> $crate::Json {
                match *self { $( $name::$variant => $word.into(), )* }
            }
            fn schema() -> $crate::Json {
                let words = vec![$( $crate::json!({
                    "const": $word,
                    "description": $crate::doc_text(&[$($word_doc),*]),
                }) ),*];
                $crate::json!({"type": "string", "oneOf": words})
            }
        }
    };
}

use crate::{Decoder, Node, listed, nearest, suggest};

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
