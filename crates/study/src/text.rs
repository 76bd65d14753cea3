//! Texts of a study: sections, paragraphs, findings, and placeholders that results fill.

/// A page with its pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The text (Markdown).
    pub text: String,
    /// Names and texts of pictures (SVG).
    pub pictures: Vec<(String, String)>,
}

/// A piece of a screen's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// A paragraph.
    Paragraph(String),
    /// One finding of a list.
    Finding(String),
}

/// The sections of a text, each under a heading `# …`: heading and body. None for a heading
/// without a body.
pub(crate) fn sections(text: &str) -> impl Iterator<Item = Option<(&str, &str)>> {
    let sections = text.split("\n# ").map(|section| section.split_once('\n'));
    sections.map(|section| section.map(|(head, body)| (head.trim_start_matches("# "), body)))
}

/// Paragraphs and list items, each on one line; true for items.
pub(crate) fn blocks(text: &str) -> Vec<(bool, String)> {
    let mut blocks: Vec<(bool, String)> = Vec::new();
    let mut open = false;
    for line in text.lines().map(str::trim) {
        match (line.strip_prefix("- "), blocks.last_mut()) {
            (Some(item), _) => blocks.push((true, item.to_owned())),
            (None, Some((_, last))) if open && !line.is_empty() => {
                last.push(' ');
                last.push_str(line);
            }
            _ if line.is_empty() => {}
            _ => blocks.push((false, line.to_owned())),
        }
        open = !line.is_empty();
    }
    blocks
}

/// A text with its placeholders `{{…}}` filled.
///
/// # Errors
///
/// The placeholder that `filled` has nothing for, or that is not closed.
pub(crate) fn fill<'a>(
    source: &'a str,
    filled: &dyn Fn(&str) -> Option<String>,
) -> Result<String, &'a str> {
    let mut text = String::new();
    let mut rest = source;
    while let Some((before, after)) = rest.split_once("{{") {
        let (placeholder, behind) = after.split_once("}}").ok_or(after)?;
        text += before;
        text += &filled(placeholder).ok_or(placeholder)?;
        rest = behind;
    }
    Ok(text + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_in_their_order() {
        let upper = |name: &str| (name != "none").then(|| name.to_uppercase());
        assert_eq!(fill("a {{b}} c{{d}}", &upper), Ok("a B cD".to_owned()));
        assert_eq!(fill("a {{none}}", &upper), Err("none"));
        assert_eq!(fill("a {{b", &upper), Err("b"));
    }

    #[test]
    fn a_text_has_sections_paragraphs_and_items() {
        let text =
            "# Question?\n\nOne\nparagraph.\n\n- item\n  goes on\n- next\n# Reasons\n- why\n";
        let sections: Vec<_> = sections(text).flatten().collect();
        assert_eq!(
            sections.iter().map(|(head, _)| *head).collect::<Vec<_>>(),
            ["Question?", "Reasons"]
        );
        let own = |found: &[(bool, &str)]| {
            found.iter().map(|(item, text)| (*item, (*text).to_owned())).collect::<Vec<_>>()
        };
        let first = [(false, "One paragraph."), (true, "item goes on"), (true, "next")];
        assert_eq!(blocks(sections[0].1), own(&first));
    }
}
