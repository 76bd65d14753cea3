//! Fills the places of a text.

use crate::ExperimentError;

/// A text with its places `{{…}}` filled.
///
/// # Errors
///
/// If there is no such place.
pub(super) fn fill(
    source: &str,
    filled: &dyn Fn(&str) -> Option<String>,
) -> Result<String, ExperimentError> {
    let fault = |place: &str| {
        let place: String = place.chars().take(80).collect();
        ExperimentError::Data(format!("the page has no place {{{{{place}}}}}"))
    };
    let mut text = String::new();
    let mut rest = source;
    while let Some((before, after)) = rest.split_once("{{") {
        let (place, behind) = after.split_once("}}").ok_or_else(|| fault(after))?;
        text += before;
        text += &filled(place).ok_or_else(|| fault(place))?;
        rest = behind;
    }
    Ok(text + rest)
}
