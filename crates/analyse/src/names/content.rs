//! Classes of content in the study's breakdown of HTTP traffic (section 7.1), by the media type
//! (RFC 9110, 8.3.1). Types are those of the IANA registry "Media Types", and older names that
//! servers still send.
//!
//! The study does not name the class of scripts, JSON and XML; here they are text. It counts byte
//! streams for video players as video. A response does not show the requesting program, so byte
//! streams are a class of their own here.

use serde::{Serialize, Serializer, ser::SerializeMap};

/// A class of content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// `video/...`, and containers that hold video.
    Video,
    /// `image/...`
    Image,
    /// `text/...`, and what is text under another name.
    Text,
    /// Archives and packed files, application packages among them.
    Zip,
    /// `audio/...`
    Audio,
    /// Bytes without a further description.
    OctetStream,
    /// Content of another type.
    Other,
    /// Content without a type, or whose head was not seen.
    #[default]
    Unknown,
}

/// Types of text called `application/...`.
const TEXT: [&str; 10] = [
    "json",
    "javascript",
    "x-javascript",
    "ecmascript",
    "xml",
    "x-www-form-urlencoded",
    "x-json",
    "graphql",
    "xhtml+xml",
    "soap+xml",
];
/// Types of archives.
const ZIP: [&str; 16] = [
    "zip",
    "x-zip",
    "x-zip-compressed",
    "gzip",
    "x-gzip",
    "x-compress",
    "x-compressed",
    "x-7z-compressed",
    "x-rar-compressed",
    "vnd.rar",
    "x-tar",
    "x-bzip2",
    "x-xz",
    "zstd",
    "java-archive",
    "vnd.android.package-archive",
];
/// Containers of video.
const VIDEO: [&str; 3] = ["mp4", "x-mp4", "x-flv"];

impl Content {
    /// All of them.
    pub const ALL: [Content; 8] = [
        Content::Video,
        Content::Image,
        Content::Text,
        Content::Zip,
        Content::Audio,
        Content::OctetStream,
        Content::Other,
        Content::Unknown,
    ];

    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Content::Video => "video",
            Content::Image => "image",
            Content::Text => "text",
            Content::Zip => "zip",
            Content::Audio => "audio",
            Content::OctetStream => "octet_stream",
            Content::Other => "other",
            Content::Unknown => "unknown",
        }
    }

    /// The class of a `Content-Type` field's value.
    pub(crate) fn of(value: &str) -> Content {
        let kind = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let Some((kind, sub)) = kind.split_once('/') else { return Content::Unknown };
        let text = || TEXT.contains(&sub) || sub.ends_with("+json") || sub.ends_with("+xml");
        match kind {
            "video" => Content::Video,
            "image" => Content::Image,
            "text" => Content::Text,
            "audio" => Content::Audio,
            _ if sub == "octet-stream" => Content::OctetStream,
            "application" if VIDEO.contains(&sub) => Content::Video,
            "application" if ZIP.contains(&sub) => Content::Zip,
            "application" if text() => Content::Text,
            _ => Content::Other,
        }
    }
}

/// Objects and bytes of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Carried {
    /// Messages.
    pub messages: u64,
    /// Bytes of their bodies, as far as they passed.
    pub bytes: u64,
}

/// Messages and bytes by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents([Carried; 8]);

impl Contents {
    /// Of this class.
    pub fn of(&self, content: Content) -> Carried {
        self.0[content as usize]
    }

    /// Of all classes together.
    pub fn all(&self) -> Carried {
        self.0.iter().fold(Carried::default(), |sum, each| Carried {
            messages: sum.messages + each.messages,
            bytes: sum.bytes + each.bytes,
        })
    }

    pub(crate) fn message(&mut self, content: Content) {
        self.0[content as usize].messages += 1;
    }

    pub(crate) fn merge(&mut self, other: &Contents) {
        for (sum, each) in self.0.iter_mut().zip(&other.0) {
            sum.messages += each.messages;
            sum.bytes += each.bytes;
        }
    }

    pub(crate) fn bytes(&mut self, content: Content, bytes: u64) {
        self.0[content as usize].bytes += bytes;
    }
}

/// A map of the classes that there are.
impl Serialize for Contents {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let there = |class: &&Content| self.of(**class) != Carried::default();
        let mut map = to.serialize_map(None)?;
        for class in Content::ALL.iter().filter(there) {
            map.serialize_entry(class.name(), &self.of(*class))?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_their_classes() {
        for (value, class) in [
            ("video/mp4", Content::Video),
            ("Application/MP4", Content::Video),
            (" image/jpeg ; q=1", Content::Image),
            ("text/html; charset=UTF-8", Content::Text),
            ("application/json", Content::Text),
            ("application/ld+json", Content::Text),
            ("application/vnd.android.package-archive", Content::Zip),
            ("audio/mpeg", Content::Audio),
            ("application/octet-stream", Content::OctetStream),
            ("binary/octet-stream", Content::OctetStream),
            ("application/pdf", Content::Other),
            ("font/woff2", Content::Other),
            ("nonsense", Content::Unknown),
            ("", Content::Unknown),
        ] {
            assert_eq!(Content::of(value), class, "{value}");
        }
    }

    #[test]
    fn classes_lie_at_their_places() {
        for (place, class) in Content::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, place);
        }
    }
}
