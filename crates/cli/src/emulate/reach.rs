//! Hosts in the arguments of programs. Without `--outside`, programs reach the hosts of the
//! emulation alone.

use std::net::IpAddr;
use std::path::Path;

use airpath_scenario::world::Host;

use super::EmulateArgs;

/// Programs whose argument is the name of a host.
const CALLERS: [&str; 8] = ["curl", "wget", "ping", "iperf3", "ssh", "dig", "nc", "traceroute"];

/// A note on the first host that programs are given and cannot reach.
pub fn note(args: &EmulateArgs, hosts: &[Host]) -> Option<String> {
    if args.outside {
        return None;
    }
    let program: Vec<String> =
        args.program.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let lines = args.client.iter().map(|line| line.split_whitespace().map(str::to_owned).collect());
    let mut all = [program].into_iter().chain(lines);
    let (program, host) =
        all.find_map(|words| Some((words.first()?.clone(), outside(&words, hosts)?)))?;
    Some(format!(
        "note: {program} is given {host}, which is not in the emulation: programs reach the server's \
         side ({{server}}) alone; with --outside they reach what this machine reaches"
    ))
}

/// The first word that names a host which is none of these.
fn outside(words: &[String], hosts: &[Host]) -> Option<String> {
    let calls = words.first().is_some_and(|program| {
        let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
        CALLERS.contains(&name.as_ref())
    });
    // A word behind an option is its value, as a file behind -o, except behind -c of iperf3.
    let pairs = words.iter().zip(words.iter().skip(1));
    let mut found = pairs.filter_map(|(before, word)| {
        host(word, calls && (!before.starts_with('-') || before == "-c"))
    });
    found.find(|name| !is_inside(name, hosts))
}

/// The host that a word names: that of a URL, an address, or a name with a dot behind a program
/// that calls hosts.
fn host(word: &str, calls: bool) -> Option<String> {
    let word = word.trim_matches(['\'', '"']);
    if let Some((scheme, rest)) = word.split_once("://") {
        if scheme.is_empty() || !scheme.chars().all(|c| c.is_ascii_alphanumeric()) {
            return None;
        }
        let authority = rest.split(['/', '?', '#']).next()?;
        let host = authority.rsplit('@').next()?;
        let host = match host.strip_prefix('[') {
            Some(v6) => v6.split(']').next()?,
            None => host.split(':').next()?,
        };
        return (!host.is_empty()).then(|| host.to_owned());
    }
    if word.parse::<IpAddr>().is_ok() {
        return Some(word.to_owned());
    }
    let (_, last) = word.rsplit_once('.')?;
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
    let named = plain && last.len() >= 2 && last.chars().all(|c| c.is_ascii_alphabetic());
    (calls && named && !word.starts_with('-') && !Path::new(word).exists()).then(|| word.to_owned())
}

/// Checks that a host is one of the emulation, or stands for one.
fn is_inside(host: &str, hosts: &[Host]) -> bool {
    if matches!(host, "{server}" | "{server6}" | "localhost") {
        return true;
    }
    match host.parse::<IpAddr>() {
        Ok(address) => {
            let known = hosts
                .iter()
                .any(|own| address == IpAddr::V4(own.v4) || address == IpAddr::V6(own.v6));
            known || address.is_loopback() || address.is_unspecified()
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_outside_are_found_and_others_are_not() {
        let found = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            outside(&words, &[])
        };
        for (line, host) in [
            ("curl -o /dev/null https://example.com/file", "example.com"),
            ("curl example.com", "example.com"),
            ("/usr/bin/wget 'http://user@example.com:80/a?b=c'", "example.com"),
            ("ffplay rtsp://192.0.2.7:554/a", "192.0.2.7"),
            ("ping -c 3 192.0.2.7", "192.0.2.7"),
            ("iperf3 -c example.com -t 10", "example.com"),
            ("curl http://[2001:db8::1]:80/", "2001:db8::1"),
        ] {
            assert_eq!(found(line).as_deref(), Some(host), "{line}");
        }
        for line in [
            "curl http://{server}:8000/file",
            "curl http://{server6}/",
            "curl http://127.0.0.1:9/",
            "wget http://localhost/",
            "python3 player.py",
            "curl -o file.txt http://{server}/",
            "iperf3 -c {server} -t 10 --bitrate 1.5M",
            "ping",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }
}
