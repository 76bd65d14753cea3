//! The file that charts are written to. One of airpath's own is replaced, any other is not.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use airpath_plot::{Chart, html};

use crate::output::is_standard;

/// Marks of airpath's own files: at the end of an SVG, in a text chunk of a PNG, in the head of a
/// page.
const SVG: &str = "<!-- Made by airpath. -->";
const PNG: &[u8] = b"tEXtSoftware\0airpath";
const HTML: &str = "<meta name=\"generator\" content=\"airpath\">";
/// A page says what it is within so many bytes.
const HEAD: u64 = 1 << 16;
/// Bytes of a PNG before its second chunk: its mark, and the header with its frame.
const FIRST_CHUNK: usize = 8 + 25;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Svg,
    Png,
    Html,
}

impl Kind {
    /// By the ending.
    fn of(path: &Path) -> Option<Kind> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "svg" => Some(Kind::Svg),
            "png" => Some(Kind::Png),
            "html" | "htm" => Some(Kind::Html),
            _ => None,
        }
    }
}

/// Checks for the name of a page, which holds several charts.
pub fn is_page(path: &Path) -> bool {
    Kind::of(path) == Some(Kind::Html)
}

/// A file that may be written.
pub struct Target {
    path: PathBuf,
    kind: Kind,
}

impl Target {
    /// Checks that one chart, or several, may be written to a path, before anything is read.
    ///
    /// # Errors
    ///
    /// Reason for the refusal, with the names that are possible.
    pub fn check(path: &Path, several: bool) -> Result<Target, String> {
        let said = path.display();
        if is_standard(path) {
            return Err("a chart goes to a file: name one that ends in .svg, .png or .html".into());
        }
        let Some(kind) = Kind::of(path) else {
            return Err(format!("{said}: charts are written as .svg, .png or .html"));
        };
        if several && kind != Kind::Html {
            return Err(format!("{said}: a picture holds one chart; a page (.html) holds several"));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            return Err(format!("{said}: there is no such folder"));
        }
        let target = Target { path: path.to_owned(), kind };
        match path.exists() && !target.is_own() {
            true => Err(format!(
                "{said} is there and not made by airpath: choose another name, or remove it"
            )),
            false => Ok(target),
        }
    }

    /// Checks that a report, which is a page, may be written to a path.
    ///
    /// # Errors
    ///
    /// Reason for the refusal, with the names that are possible.
    pub fn page(path: &Path) -> Result<Target, String> {
        match Kind::of(path) {
            _ if is_standard(path) => Err("a report is a page: name one that ends in .html".into()),
            Some(Kind::Html) => Target::check(path, true),
            _ => {
                let mend = path.with_extension("html");
                let (said, mend) = (path.display(), mend.display());
                Err(format!("{said}: a report is a page, whose name ends in .html, as {mend}"))
            }
        }
    }

    /// Checks the existing file for airpath's mark.
    fn is_own(&self) -> bool {
        let mut bytes = Vec::new();
        let read = fs::File::open(&self.path).and_then(|file| match self.kind {
            Kind::Svg => { file }.read_to_end(&mut bytes),
            Kind::Png | Kind::Html => file.take(HEAD).read_to_end(&mut bytes),
        });
        let mark = match self.kind {
            Kind::Svg => SVG.as_bytes(),
            Kind::Png => PNG,
            Kind::Html => HTML.as_bytes(),
        };
        read.is_ok() && bytes.windows(mark.len()).any(|window| window == mark)
    }

    /// Writes the charts: whole, or nothing.
    ///
    /// # Errors
    ///
    /// Why the file system refuses.
    pub fn write(&self, title: &str, charts: &[Chart]) -> Result<(), String> {
        let bytes = match (self.kind, charts.first()) {
            (Kind::Svg, Some(chart)) => format!("{}{SVG}\n", chart.svg()).into_bytes(),
            (Kind::Png, Some(chart)) => marked(chart.png()),
            _ => html(title, "", charts).into_bytes(),
        };
        self.write_bytes(bytes)
    }

    /// Writes what the file is to hold: whole, or nothing.
    ///
    /// # Errors
    ///
    /// Why the file system refuses.
    pub fn write_bytes(&self, bytes: Vec<u8>) -> Result<(), String> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let partial = self.path.with_file_name(format!(".{name}.partial"));
        let written = fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, &self.path));
        written.map_err(|error| {
            let _ = fs::remove_file(&partial);
            format!("cannot write {}: {error}", self.path.display())
        })
    }
}

/// A PNG with a chunk that says who made it (RFC 2083, 3.2 and 4.2.7).
fn marked(png: Vec<u8>) -> Vec<u8> {
    let length = u32::try_from(PNG.len() - 4).unwrap_or_default();
    let front = png.get(..FIRST_CHUNK).unwrap_or_default();
    let back = png.get(FIRST_CHUNK..).unwrap_or_default();
    [front, &length.to_be_bytes(), PNG, &crc(PNG).to_be_bytes(), back].concat()
}

/// RFC 2083, 3.4 and 15.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 > 0 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_sum_is_that_of_the_standard() {
        // The check value of CRC-32 (ISO 3309), and the frame of the empty chunk IEND.
        assert_eq!(crc(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc(b"IEND"), 0xAE42_6082);
    }
}
