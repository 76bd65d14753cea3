//! From a file and overrides to a scenario.

use std::io::Read;
use std::path::Path;

use airpath_base::Digest;
use airpath_schema::{Decoder, Draft, Field, Json as Options, Node, Place, SourceId};
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use crate::error::Errors;
use crate::file::{RadioFile, Scenario, UeRoute};
use crate::source::Sources;
use crate::tree;
use crate::{Campaign, campaign, change, check, implementation, json, resolve, set, text};

/// Gives the text of a file that a scenario names, or says why it cannot.
pub type Files<'a> = &'a dyn Fn(&str) -> Result<String, String>;

impl Scenario {
    /// Reads the file at `path` with overrides as [`Scenario::parse`] takes them. Files
    /// that it names lie relative to its folder. Where there is no such file, `path` may be the name
    /// of a profile or a template that airpath comes with, as `4g-train`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or with everything that is wrong with it.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Scenario, Errors> {
        let name = path.display().to_string();
        let text = text::read_scenario(path).map_err(|fault| fault.of_scenario(&name))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Scenario::parse_beside(&name, &text, overrides, folder)
    }

    /// Reads all of `from`, which errors call `name`, as a scenario. Files that it names lie
    /// relative to `folder`.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or with everything that is wrong with it.
    pub fn read_from(
        name: &str,
        from: impl Read,
        folder: &Path,
        overrides: &[String],
    ) -> Result<Scenario, Errors> {
        let text = text::read_all(from).map_err(|fault| fault.of_scenario(name))?;
        Scenario::parse_beside(name, &text, overrides, folder)
    }

    fn parse_beside(
        name: &str,
        text: &str,
        overrides: &[String],
        folder: &Path,
    ) -> Result<Scenario, Errors> {
        let file = |file: &str| text::read(&folder.join(file)).map_err(|fault| fault.why());
        Scenario::parse_with(name, text, overrides, &file)
    }

    /// Reads a scenario from text; `name` is what errors call it. Each override is
    /// `path.to.key=value`, which counts over what the text says, or `unset path.to.key`, which
    /// takes the key out; later ones count over earlier ones.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, as far as it can be seen at once.
    pub fn parse(name: &str, text: &str, overrides: &[String]) -> Result<Scenario, Errors> {
        let none = |_: &str| Err("there are no files where this scenario comes from".to_owned());
        Scenario::parse_with(name, text, overrides, &none)
    }

    /// Reads as [`Scenario::parse`] does, with a way to the files that the text names.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it or the files, as far as it can be seen at once.
    pub fn parse_with(
        name: &str,
        text: &str,
        overrides: &[String],
        files: Files<'_>,
    ) -> Result<Scenario, Errors> {
        let mut sources = Sources::default();
        let file = sources.add(name, text);
        load(text, file, overrides, files, &mut sources)
            .map_err(|drafts| Errors::from_drafts(drafts, &sources))
    }

    /// Content of a text with overrides, as it is written: values as JSON, nothing filled in and
    /// nothing checked but the form.
    ///
    /// # Errors
    ///
    /// If the text is not TOML, or the key of an override is not there.
    pub fn written(name: &str, text: &str, overrides: &[String]) -> Result<Json, Errors> {
        let mut sources = Sources::default();
        let file = sources.add(name, text);
        let overridden = document(text, file).and_then(|mut root| {
            let set = |text: &String| set::over(&mut root, text, &mut sources).err();
            let drafts: Vec<Draft> = overrides.iter().filter_map(set).collect();
            if drafts.is_empty() { Ok(root) } else { Err(drafts) }
        });
        let root = overridden.map_err(|drafts| Errors::from_drafts(drafts, &sources))?;
        Ok(json::value(root.to_json()))
    }

    /// JSON Schema (draft 7) of the file, from the same declarations that read it.
    pub fn schema() -> Json {
        let mut schema = <Scenario as Field>::schema();
        let own = schema.get("properties").cloned().unwrap_or(Options::Null).into_entries();
        let sweep = (campaign::TABLE.to_owned(), Campaign::schema());
        schema.set("properties", core::iter::once(sweep).chain(own).collect::<Options>());
        schema.set("$schema", "http://json-schema.org/draft-07/schema#");
        schema.set("title", "airpath scenario");
        schema.set(
            "description",
            "One cell, its wired path, its UEs and their traffic; or wires only.",
        );
        json::value(schema)
    }

    /// The scenario with every default, quantities as text with their units. Read
    /// again as TOML, it is the same scenario.
    pub fn to_json(&self) -> Json {
        json::value(json::without_nulls(self.encode()))
    }

    /// A fingerprint of [`Scenario::to_json`] and of the files that it names, the same on any
    /// machine. Equal scenarios have equal ones, in whatever order and units they were written.
    pub fn digest(&self) -> Digest {
        let mut digest = Digest::new().field(self.to_json().to_string().as_bytes());
        for capacity in self.path.capacities() {
            digest = digest.field(&capacity.digest().value().to_be_bytes());
        }
        if let Some(load) = self.cell.as_ref().and_then(|cell| cell.recorded_load.as_ref()) {
            digest = digest.field(&load.file.digest().value().to_be_bytes());
        }
        let videos = self.flow.iter().filter_map(|flow| flow.video());
        for sizes in videos.filter_map(|(video, _)| video.frame_sizes.as_ref()?.sizes()) {
            let bytes: Vec<u8> = sizes.iter().flat_map(|size| size.to_be_bytes()).collect();
            digest = digest.field(&bytes);
        }
        for group in &self.ue {
            if let Some(UeRoute::File(own)) = &group.route {
                digest = digest.field(&own.file.digest().value().to_be_bytes());
            }
        }
        digest
    }
}

impl RadioFile {
    /// Reads the file at `path`: a table `rrc` as a cell or a UE has it.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or with everything that is wrong with it.
    pub fn read(path: &Path) -> Result<RadioFile, Errors> {
        let name = path.display().to_string();
        let text = text::read(path)
            .map_err(|fault| fault.of(&name, "give the path of a file with a table [rrc]"))?;
        RadioFile::parse(&name, &text)
    }

    /// Reads it from text; `name` is what errors call it.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn parse(name: &str, text: &str) -> Result<RadioFile, Errors> {
        let mut sources = Sources::default();
        let file = sources.add(name, text);
        load_radio(text, file).map_err(|drafts| Errors::from_drafts(drafts, &sources))
    }
}

impl Serialize for Scenario {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

fn load(
    text: &str,
    file: SourceId,
    overrides: &[String],
    files: Files<'_>,
    sources: &mut Sources,
) -> Result<Scenario, Vec<Draft>> {
    let mut root = document(text, file)?;
    let mut drafts = Vec::new();
    for text in overrides {
        drafts.extend(set::over(&mut root, text, sources).err());
    }
    match complete(&root, files) {
        Ok(scenario) if drafts.is_empty() => Ok(scenario),
        Ok(_) => Err(drafts),
        Err(more) => Err(drafts.into_iter().chain(more).collect()),
    }
}

/// The scenario of a whole tree.
pub(crate) fn complete(root: &Node, files: Files<'_>) -> Result<Scenario, Vec<Draft>> {
    if implementation::is_named(root) {
        let mut root = root.clone();
        implementation::lay(&mut root)?;
        return decode(&root, files);
    }
    decode(root, files)
}

fn decode(root: &Node, files: Files<'_>) -> Result<Scenario, Vec<Draft>> {
    let mut cx = Decoder::default();
    campaign::decode(root, &mut cx);
    cx.allow_once(campaign::TABLE);
    let scenario = Scenario::decode(root, &mut cx);
    let warnings = cx.take_warnings();
    let scenario = scenario.map(|scenario| Scenario { warnings, ..scenario });
    let mut drafts = cx.into_drafts();
    // A value that stands for several keys has one fault, not one for each.
    drafts.dedup_by(|one, other| one.message == other.message && one.place == other.place);
    match scenario {
        Some(scenario) if drafts.is_empty() => finish(scenario, root, files),
        _ => Err(drafts),
    }
}

pub(crate) fn document(text: &str, file: SourceId) -> Result<Node, Vec<Draft>> {
    tree::document(text, file).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let message = format!("this is not TOML: {}", error.message().trim().replace('\n', "; "));
        let help = Some("see https://toml.io for the rules of the format".to_owned());
        vec![Draft { message, label: "here".to_owned(), help, place: Place::new(file, span) }]
    })
}

/// Reads a table of another kind of file from text, with errors as those of a scenario; `name` is what errors call it.
///
/// # Errors
///
/// A text that is not TOML, and everything that is wrong with its keys.
pub fn read_table<T: Field>(name: &str, text: &str) -> Result<T, Errors> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let read = document(text, file).and_then(|root| {
        let mut cx = Decoder::default();
        let table = T::decode(&root, &mut cx);
        let drafts = cx.into_drafts();
        table.filter(|_| drafts.is_empty()).ok_or(drafts)
    });
    read.map_err(|drafts| Errors::from_drafts(drafts, &sources))
}

/// JSON Schema (draft 7) of a file that [`read_table`] reads, with its title.
pub fn table_schema<T: Field>(title: &str) -> Json {
    let mut schema = T::schema();
    schema.set("$schema", "http://json-schema.org/draft-07/schema#");
    schema.set("title", title);
    json::value(schema)
}

fn load_radio(text: &str, file: SourceId) -> Result<RadioFile, Vec<Draft>> {
    let root = document(text, file)?;
    let mut cx = Decoder::default();
    let radio = RadioFile::decode(&root, &mut cx);
    let warnings = cx.take_warnings();
    let mut drafts = cx.into_drafts();
    if let Some(radio) = radio {
        drafts.extend(check::radio(&radio.rrc, &root));
        if drafts.is_empty() {
            return Ok(RadioFile { warnings, ..radio });
        }
    }
    Err(drafts)
}

fn finish(mut scenario: Scenario, root: &Node, files: Files<'_>) -> Result<Scenario, Vec<Draft>> {
    resolve::fill_radio(&mut scenario);
    let mut drafts = check::read_capacity(&mut scenario, root, files);
    drafts.extend(check::read_frames(&mut scenario, root, files));
    drafts.extend(check::read_tracks(&mut scenario, root, files));
    drafts.extend(check::read_recorded_load(&mut scenario, root, files));
    drafts.extend(check::structure(&scenario, root));
    drafts.extend(check::starts(&scenario, root));
    if !drafts.is_empty() {
        return Err(drafts);
    }
    resolve::fill(&mut scenario);
    let mut drafts = check::traffic(&scenario, root);
    if drafts.is_empty() {
        drafts = change::check(&scenario, root);
    }
    if drafts.is_empty() { Ok(scenario) } else { Err(drafts) }
}
