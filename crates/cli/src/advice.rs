//! Advice on wrong arguments, beside what the parser of arguments says itself.
//!
//! Who uses another program writes its options: the length of a run, its seeds, a key of the
//! scenario as an option. The advice is the command that does what was meant.

mod keys;

use std::ffi::OsString;
use std::path::Path;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use crate::args::Args;

/// Commands that take a scenario and `--set`.
const WITH_SCENARIO: [&str; 6] = ["run", "sweep", "compare", "check", "drop", "emulate"];
/// Options of other commands, or keys, that a piece of advice lists.
const MOST: usize = 3;

/// An error of the command line with advice. `arguments` are those of the program, its own name
/// first.
pub fn advised(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let arguments: Vec<&str> =
        arguments.iter().skip(1).map(|one| one.to_str().unwrap_or("?")).collect();
    let tips = tips(&error, &arguments);
    // "To pass '--duration' as a value, use '-- --duration'": nobody means that.
    if error.kind() == ErrorKind::UnknownArgument {
        error.remove(ContextKind::Suggested);
    }
    if !tips.is_empty() {
        let tips = tips.into_iter().map(StyledStr::from).collect();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
}

fn tips(error: &clap::Error, arguments: &[&str]) -> Vec<String> {
    let text = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let command = command(arguments);
    match (error.kind(), command) {
        (ErrorKind::UnknownArgument, Some(command)) => {
            let Some(wrong) = text(ContextKind::InvalidArg) else { return Vec::new() };
            match wrong.strip_prefix("--") {
                Some(option) => of_option(command, option, arguments),
                None => of_word(command, wrong, arguments).into_iter().collect(),
            }
        }
        (ErrorKind::InvalidSubcommand, _) => {
            text(ContextKind::InvalidSubcommand).and_then(of_file).into_iter().collect()
        }
        (ErrorKind::MissingRequiredArgument, Some("emulate")) => {
            vec![
                "a scenario stands before the program: airpath emulate cell.toml -- PROGRAM".into(),
            ]
        }
        (ErrorKind::MissingRequiredArgument, Some(command)) if WITH_SCENARIO.contains(&command) => {
            vec![format!(
                "airpath new lte-6rb writes a scenario, airpath {command} lte-6rb.toml takes it"
            )]
        }
        _ => Vec::new(),
    }
}

/// The command that arguments name.
fn command<'a>(arguments: &[&'a str]) -> Option<&'a str> {
    arguments.iter().copied().find(|word| !word.starts_with('-'))
}

/// An option that the command does not have: one of other commands, or a key of the scenario.
fn of_option(command: &str, option: &str, arguments: &[&str]) -> Vec<String> {
    let (option, value) = match option.split_once('=') {
        Some((option, value)) => (option, Some(value)),
        None => (option, value_of(option, arguments)),
    };
    let mut tips = Vec::new();
    if (command, option) == ("run", "seeds") {
        tips.push(format!(
            "airpath sweep {} --seeds {} makes a run with each of several seeds; --seed N makes one",
            scenario(command, arguments).unwrap_or("SCENARIO"),
            value.unwrap_or("N")
        ));
    } else {
        let others = commands_with(option);
        if !others.is_empty() {
            let others: Vec<String> =
                others.iter().take(MOST).map(|name| format!("airpath {name}")).collect();
            tips.push(format!("--{option} is an option of {}", others.join(", ")));
        }
    }
    if WITH_SCENARIO.contains(&command) {
        tips.extend(keys::tip(option, value));
    }
    tips
}

/// Commands that have an option.
fn commands_with(option: &str) -> Vec<String> {
    let has = |command: &&Command| {
        command.get_arguments().any(|argument| argument.get_long() == Some(option))
    };
    let whole = Args::command();
    whole.get_subcommands().filter(has).map(|command| command.get_name().to_owned()).collect()
}

/// Value of an option, given as `--option=VALUE` or as the argument behind `--option`; none if that
/// argument is an option itself.
fn value_of<'a>(option: &str, arguments: &[&'a str]) -> Option<&'a str> {
    let own = |word: &&'a str| word.strip_prefix("--")?.strip_prefix(option)?.strip_prefix('=');
    if let Some(value) = arguments.iter().find_map(own) {
        return Some(value);
    }
    let at = arguments.iter().position(|word| word.strip_prefix("--") == Some(option))?;
    arguments.get(at + 1).copied().filter(|value| !value.starts_with('-'))
}

/// The scenario among arguments: the first word behind the command that is a file or ends as one.
fn scenario<'a>(command: &str, arguments: &[&'a str]) -> Option<&'a str> {
    let behind = arguments.iter().skip_while(|word| **word != command).skip(1);
    behind.copied().find(|word| is_scenario(word))
}

fn is_scenario(word: &str) -> bool {
    word.ends_with(".toml") || (!word.starts_with('-') && Path::new(word).is_file())
}

/// A word more than the command takes.
fn of_word(command: &str, word: &str, arguments: &[&str]) -> Option<String> {
    let first = scenario(command, arguments);
    if let Some((option, value)) = with_equals(arguments) {
        return Some(format!("the name stands behind an equals sign: {option}={value}"));
    }
    match command {
        "emulate" => {
            let at = arguments.iter().position(|one| *one == word)?;
            let program = arguments[at..].join(" ");
            let scenario = first.filter(|first| *first != word).unwrap_or("SCENARIO");
            Some(format!("the program stands behind --: airpath emulate {scenario} -- {program}"))
        }
        _ if !WITH_SCENARIO.contains(&command) => None,
        _ if word.contains('=') => Some(format!("a key of the scenario is set by --set {word}")),
        "run" | "sweep" | "check" if is_scenario(word) => {
            let first = first.filter(|first| *first != word)?;
            Some(format!("airpath compare {first} {word} runs both and compares them"))
        }
        _ => None,
    }
}

/// An option that takes a value behind an equals sign only, and what stands behind a space.
fn with_equals<'a>(arguments: &[&'a str]) -> Option<(&'a str, &'a str)> {
    const WITH_EQUALS: [&str; 3] = ["--report", "--from-tables", "--attach"];
    let mut pairs = arguments.iter().copied().zip(arguments.iter().copied().skip(1));
    pairs.find(|(option, value)| {
        WITH_EQUALS.contains(option) && !value.starts_with('-') && !value.ends_with(".toml")
    })
}

/// The command for a file or folder that stands where a command does.
fn of_file(word: &str) -> Option<String> {
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    match word {
        _ if ends(&[".pcap", ".pcapng", ".cap"]) => Some(format!("airpath analyse {word}")),
        _ if is_scenario(word) => Some(format!("airpath run {word}")),
        _ if Path::new(word).join("summary.json").is_file() => {
            Some(format!("airpath plot {word}, or airpath report {word}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Message with advice for a line of arguments that the program refuses.
    fn said(line: &str) -> String {
        let arguments: Vec<OsString> =
            ["airpath"].into_iter().chain(line.split(' ')).map(OsString::from).collect();
        let error = Args::command().try_get_matches_from(&arguments).expect_err(line);
        advised(error, &arguments).to_string()
    }

    #[test]
    fn options_that_are_keys_or_of_other_commands_are_led_there() {
        let cases = [
            ("run cell.toml --duration 30", "--set duration=\"30 s\""),
            ("run cell.toml --duration=30s", "--set duration=\"30s\""),
            ("check cell.toml --scheduler round-robin", "--set cell.scheduler=\"round-robin\""),
            ("run cell.toml --resource-blocks 50", "--set cell.resource_blocks=50"),
            ("run cell.toml --controller bbr", "--set flow.NAME.tcp.controller=\"bbr\""),
            ("run cell.toml --seeds 20", "airpath sweep cell.toml --seeds 20"),
            ("run cell.toml --vary a=1", "--vary is an option of airpath sweep"),
            ("sweep cell.toml --watch", "--watch is an option of airpath run, airpath emulate"),
        ];
        for (line, expected) in cases {
            assert!(said(line).contains(expected), "{line}: {}", said(line));
        }
        assert!(
            !said("run cell.toml --colour").contains("tip"),
            "{}",
            said("run cell.toml --colour")
        );
    }

    #[test]
    fn words_that_are_too_many_are_led_to_what_was_meant() {
        let cases = [
            (
                "emulate cell.toml curl http://{server}/",
                "behind --: airpath emulate cell.toml -- curl http://{server}/",
            ),
            ("run cell.toml path.s1.rate=1Mbit/s", "--set path.s1.rate=1Mbit/s"),
            ("run a.toml b.toml", "airpath compare a.toml b.toml"),
            ("run cell.toml --report page.html", "--report=page.html"),
            ("cell.toml", "airpath run cell.toml"),
            ("trace.pcapng", "airpath analyse trace.pcapng"),
            ("run", "airpath new lte-6rb"),
            ("emulate -- curl", "airpath emulate cell.toml -- PROGRAM"),
        ];
        for (line, expected) in cases {
            assert!(said(line).contains(expected), "{line}: {}", said(line));
        }
    }
}
