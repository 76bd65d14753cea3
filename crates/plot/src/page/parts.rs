//! Parts of a page of charts: sections, findings, tables and facts.

use serde_json::Value;

use crate::Chart;

/// A page: sections with sentences, charts and tables in reading order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Title, also of the window.
    pub title: String,
    /// Paragraph below it; may be empty.
    pub lead: String,
    /// Sections in reading order.
    pub sections: Vec<Section>,
    /// Names that a reader may pick, so that all else fades: flows, users, arms. Fewer than two
    /// names are no choice.
    pub names: Vec<String>,
}

impl Page {
    /// A page of those sections that have blocks, without a paragraph below the title.
    pub fn new(title: impl Into<String>, mut sections: Vec<Section>, names: Vec<String>) -> Page {
        sections.retain(|section| !section.blocks.is_empty());
        Page { title: title.into(), lead: String::new(), sections, names }
    }
}

/// A section of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Identifier in the page.
    pub id: String,
    /// Heading.
    pub title: String,
    /// Paragraph below it; may be empty.
    pub lead: String,
    /// True if it is folded until a reader opens it.
    pub folded: bool,
    /// Blocks of the section.
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section without a paragraph below its heading.
    pub fn new(id: impl Into<String>, title: impl Into<String>, blocks: Vec<Block>) -> Section {
        Section { id: id.into(), title: title.into(), blocks, ..Section::default() }
    }

    /// The section, folded until a reader opens it.
    pub fn folded(self) -> Section {
        Section { folded: true, ..self }
    }
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// Names with their values: the input of the results.
    Facts(Vec<(String, String)>),
    /// Sentences, each with what it is about.
    Findings(Vec<Finding>),
    /// Sentences in groups with headings, where there are many.
    Groups(Vec<(String, Vec<Finding>)>),
    /// A chart.
    Chart(Box<Chart>),
    /// One of several charts, by their titles.
    Choice(String, Vec<Chart>),
    /// A table that can be sorted and saved.
    Table(Grid),
    /// A text to be read and saved.
    File(File),
    /// Pages of their own for users, flows or arms, one shown at a time.
    Cards(Cards),
    /// Something with a script of its own.
    Component(Component),
}

impl From<Chart> for Block {
    fn from(chart: Chart) -> Block {
        Block::Chart(Box::new(chart))
    }
}

/// Judgement of a finding. Its badge has it as a word too, not by colour alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// The result is as it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// Open, or worth a look.
    Open,
    /// Neither.
    #[default]
    Plain,
}

/// A sentence of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finding {
    /// Subject of the finding.
    pub head: String,
    /// A word or two in a frame: `agrees`, `not resolved`; may be empty.
    pub badge: String,
    /// Judgement of the finding.
    pub tone: Tone,
    /// Text of the finding.
    pub text: String,
    /// Name of the card that says more; empty for none.
    pub card: String,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// Identifier of its file and its element.
    pub id: String,
    /// Title.
    pub title: String,
    /// Meaning of the picture; may be empty.
    pub sentence: String,
    /// Headings with units.
    pub columns: Vec<String>,
    /// Rows; a cell is a text, a number or null.
    pub rows: Vec<Vec<Value>>,
    /// The column whose texts are names of cards, if there is one.
    pub cards: Option<usize>,
    /// The column whose texts are paths of other pages, seen from this one, with spaces between them; if there is one.
    pub links: Option<usize>,
}

impl Grid {
    /// A table without a sentence, cards and links.
    pub fn new<C: Into<String>>(
        id: impl Into<String>,
        title: impl Into<String>,
        columns: impl IntoIterator<Item = C>,
        rows: impl IntoIterator<Item = Vec<Value>>,
    ) -> Grid {
        Grid {
            id: id.into(),
            title: title.into(),
            columns: columns.into_iter().map(Into::into).collect(),
            rows: rows.into_iter().collect(),
            ..Grid::default()
        }
    }
}

/// A text to be read and saved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// Name of the file.
    pub name: String,
    /// Meaning of the value.
    pub meaning: String,
    /// The text.
    pub text: String,
}

/// A page of its own for each of many things.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cards {
    /// Kind of a card: `user`, `flow`.
    pub each: String,
    /// The cards.
    pub cards: Vec<Card>,
}

/// Card of one user, flow or arm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Card {
    /// Its name.
    pub name: String,
    /// Name of its point on a map; empty for none.
    pub point: String,
    /// Sentences.
    pub said: Vec<String>,
    /// Names with values.
    pub facts: Vec<(String, String)>,
    /// Bars of stages, each a name with its stages in milliseconds.
    pub stages: Vec<(String, Vec<CardStage>)>,
    /// Courses over time.
    pub courses: Vec<CardCourse>,
}

/// A part of a bar on a card.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CardStage {
    /// Name.
    pub name: String,
    /// Time in milliseconds.
    pub ms: f64,
    /// Index into [`COLOURS`](crate::COLOURS).
    pub colour: usize,
}

/// A course over time on a card.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CardCourse {
    /// Series of the values, if there are several of one measure.
    pub series: String,
    /// Measured quantity, with its unit.
    pub title: String,
    /// Times in seconds.
    pub x: Vec<f64>,
    /// Values.
    pub y: Vec<Option<f64>>,
}

/// An element with a script of its own. The script runs after all scripts before it, and finds its
/// element by its class. The element contains an element `script` of type `application/json` with
/// the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Identifier in the page.
    pub id: String,
    /// The class of its element, by which its script finds it.
    pub kind: &'static str,
    /// Text for those who do not see it, and without scripts.
    pub sentence: String,
    /// Its data as JSON.
    pub data: String,
    /// Its script, without a name that others have.
    pub script: &'static str,
    /// Its style.
    pub style: &'static str,
}
