//! Words near to another one, and sentences of help.

/// The candidate that is most like `word`, if there is one: for "did you mean". The nearest in
/// spelling comes first. Then come one that holds the word, as `newreno` holds `reno`, and one
/// whose parts begin with its letters, as those of `round-robin` with `rr`.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = letters(word);
    let candidates: Vec<(String, &str)> =
        candidates.into_iter().map(|candidate| (letters(candidate), candidate)).collect();
    let distance = |of: &str| strsim::damerau_levenshtein(&word, of);
    let spelt = candidates.iter().min_by_key(|(of, _)| distance(of))?;
    let likely = distance(&spelt.0) <= 1 + spelt.0.chars().count() / 4;
    let holds = |(of, _): &&(String, &str)| one_in_the_other(&word, of);
    let short = |(_, candidate): &&(String, &str)| word.len() >= 2 && initials(candidate) == word;
    let other = || candidates.iter().find(holds).or_else(|| candidates.iter().find(short));
    let found =
        if likely && distance(&spelt.0) < word.chars().count() { Some(spelt) } else { other() };
    found.map(|(_, candidate)| *candidate)
}

/// A word in lower case without what stands between its parts.
fn letters(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// First letters of the parts of a word.
fn initials(word: &str) -> String {
    let parts = word.split(|c: char| !c.is_alphanumeric());
    parts.filter_map(|part| part.chars().next()).flat_map(char::to_lowercase).collect()
}

/// True if one is a part of the other, as `queue` of `queue_limit`.
fn one_in_the_other(word: &str, candidate: &str) -> bool {
    let shorter = word.len().min(candidate.len());
    shorter >= 3 && (candidate.contains(word) || word.contains(candidate))
}

/// A help text: what was meant, if that is known, and as a sentence of its own what is allowed.
pub fn suggest(meant: Option<&str>, allowed: &str) -> String {
    match meant {
        Some(meant) => advise(&format!("did you mean \"{meant}\"?"), allowed),
        None => allowed.to_owned(),
    }
}

/// A help text: a whole sentence of advice, and as a sentence of its own what is allowed.
pub fn advise(advice: &str, allowed: &str) -> String {
    let mut letters = allowed.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    format!("{advice} {}{}", first.collect::<String>(), letters.as_str())
}

/// Names in a row for a sentence.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("\"{name}\"")).collect();
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_a_sentence() {
        assert_eq!(listed(["a", "b", "c"]), "\"a\", \"b\" or \"c\"");
        assert_eq!(listed([]), "nothing");
    }

    #[test]
    fn help_is_in_sentences() {
        assert_eq!(suggest(Some("a"), "it must be a"), "did you mean \"a\"? It must be a");
        assert_eq!(suggest(None, "it must be a"), "it must be a");
    }

    #[test]
    fn the_nearest_word_is_near() {
        let keys = ["rate", "delay", "queue", "resource_blocks"];
        assert_eq!(nearest("dealy", keys), Some("delay"));
        assert_eq!(nearest("ressource_block", keys), Some("resource_blocks"));
        assert_eq!(nearest("queue_limit", keys), Some("queue"));
        assert_eq!(nearest("colour", keys), None);
    }

    #[test]
    fn a_part_of_a_word_and_its_initials_are_near() {
        let controllers = ["newreno", "cubic", "dctcp", "bbr", "prague", "fixed"];
        assert_eq!(nearest("reno", controllers), Some("newreno"));
        assert_eq!(nearest("TCP_CUBIC", controllers), Some("cubic"));
        let templates = ["full-buffer", "lte-6rb", "l4s-cell", "lte-20-ues"];
        assert_eq!(nearest("lte6rb", templates), Some("lte-6rb"));
        assert_eq!(nearest("6rb", templates), Some("lte-6rb"));
        let schedulers = ["max-rate", "round-robin", "proportional-fair"];
        assert_eq!(nearest("rr", schedulers), Some("round-robin"));
        assert_eq!(nearest("PF", schedulers), Some("proportional-fair"));
        assert_eq!(nearest("x", schedulers), None);
        assert_eq!(nearest("", schedulers), None);
    }
}
