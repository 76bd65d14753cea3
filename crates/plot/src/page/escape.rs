//! Text that comes from elsewhere, where a page must show it and not run it.

/// Text as HTML, in an element or in an attribute in double quotes.
pub(super) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
    out
}

/// JSON as the contents of an element `<script>`. What could end the element or begin a comment
/// stands in strings only, where JSON has escapes for it.
pub(super) fn json(text: &str) -> String {
    text.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// Identifier for a file and for an element of a page.
pub(super) fn id(text: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let id: String = text.chars().map(letter).collect();
    if id.is_empty() { "chart".into() } else { id }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_an_element_or_an_attribute() {
        assert_eq!(
            html("<a href=\"x\" y='z'>&"),
            "&lt;a href=&quot;x&quot; y=&#39;z&#39;&gt;&amp;"
        );
        let value = serde_json::json!({"</script>": "<!-- & \u{2028}\u{2029}"});
        let text = json(&value.to_string());
        for bad in ["<", ">", "&", "\u{2028}", "\u{2029}"] {
            assert!(!text.contains(bad), "{text}");
        }
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON"), value);
        assert_eq!((id("a b/ü.c_1").as_str(), id("").as_str()), ("a-b---c_1", "chart"));
    }
}
