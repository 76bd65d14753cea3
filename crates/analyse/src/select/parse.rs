//! Parser of filters.

use core::net::{IpAddr, Ipv4Addr};

use airpath_wire::Protocol;

use super::{Ends, Filter, NotAFilter, Test};
use crate::options::Net;

/// Parentheses and negations within each other.
const DEEPEST: usize = 64;
const ICMP: Protocol = Protocol(1);
const ICMP6: Protocol = Protocol(58);
const PRIMITIVES: &str =
    "host, net, port, portrange, src, dst, tcp, udp, ip, ip6, icmp, icmp6, not or (";

/// A word and its column, from 1.
type Word<'a> = (usize, &'a str);

/// Kind of an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Host,
    Net,
    Port,
    PortRange,
}

/// Qualifiers of an identifier.
#[derive(Clone, Copy, Debug)]
struct Qualifiers {
    protocol: Option<Protocol>,
    /// True for IPv4, false for IPv6.
    four: Option<bool>,
    ends: Ends,
    kind: Kind,
}

struct Parser<'a> {
    words: Vec<Word<'a>>,
    next: usize,
    /// Column behind the text.
    end: usize,
    depth: usize,
    /// Qualifiers of the last identifier, which count for one without.
    last: Option<Qualifiers>,
}

/// Filter of a text.
pub(super) fn filter(text: &str) -> Result<Filter, NotAFilter> {
    let end = text.chars().count() + 1;
    let mut parser = Parser { words: words(text), next: 0, end, depth: 0, last: None };
    let filter = parser.all()?;
    match parser.peek() {
        None => Ok(filter),
        Some(")") => parser.wrong("this ) closes nothing: take it out or write a ( before"),
        Some(word) => {
            parser.wrong(format!("{word} follows a whole filter: write `and` or `or` between"))
        }
    }
}

/// Words of a text: parentheses and operators stand for themselves.
fn words(text: &str) -> Vec<Word<'_>> {
    let (mut words, mut rest, mut column) = (Vec::new(), text, 1);
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '(' | ')' | '!' => 1,
            _ if rest.starts_with("&&") || rest.starts_with("||") => 2,
            _ => rest
                .find(|c: char| c.is_whitespace() || "()!&|".contains(c))
                .filter(|len| *len > 0)
                .unwrap_or(if first.is_whitespace() || "&|".contains(first) {
                    first.len_utf8()
                } else {
                    rest.len()
                }),
        };
        let (word, behind) = rest.split_at(len);
        if !first.is_whitespace() {
            words.push((column, word));
        }
        column += word.chars().count();
        rest = behind;
    }
    words
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.next).map(|(_, word)| *word)
    }

    /// Takes the next word if it is one of these.
    fn take(&mut self, words: &[&str]) -> bool {
        let found = self.peek().is_some_and(|word| words.contains(&word));
        self.next += usize::from(found);
        found
    }

    /// An error at the next word.
    fn wrong<T>(&self, reason: impl Into<String>) -> Result<T, NotAFilter> {
        let column = self.words.get(self.next).map_or(self.end, |(column, _)| *column);
        Err(NotAFilter { column, reason: reason.into() })
    }

    fn all(&mut self) -> Result<Filter, NotAFilter> {
        let mut filter = self.term()?;
        loop {
            let and = self.take(&["and", "&&"]);
            if !and && !self.take(&["or", "||"]) {
                return Ok(filter);
            }
            let both = Box::new([filter, self.term()?]);
            filter = if and { Filter::And(both) } else { Filter::Or(both) };
        }
    }

    fn term(&mut self) -> Result<Filter, NotAFilter> {
        if self.depth == DEEPEST {
            return self.wrong(format!("more than {DEEPEST} parentheses or negations are open"));
        }
        self.depth += 1;
        let filter = if self.take(&["not", "!"]) {
            Filter::Not(Box::new(self.term()?))
        } else if self.take(&["("]) {
            let filter = self.all()?;
            if !self.take(&[")"]) {
                return self.wrong("a ( is open: write a ) here");
            }
            filter
        } else {
            self.primitive()?
        };
        self.depth -= 1;
        Ok(filter)
    }

    fn primitive(&mut self) -> Result<Filter, NotAFilter> {
        let (start, before) = (self.next, self.last);
        let (protocol, four) = self.protocol();
        let ends = self.ends()?;
        let kind = self.kind();
        if start == self.next {
            return match (before, self.peek()) {
                (Some(last), Some(word)) if !is_reserved(word) => self.identifier(last),
                (_, Some(word)) if looks_like_address(word) => self.identifier(Qualifiers {
                    protocol: None,
                    four: None,
                    ends: Ends::Either,
                    kind: Kind::Host,
                }),
                (_, Some(word)) => {
                    self.wrong(format!("{word} is no part of a filter here: expected {PRIMITIVES}"))
                }
                (_, None) => self.wrong(format!("the filter ends too soon: expected {PRIMITIVES}")),
            };
        }
        if ends.is_none() && kind.is_none() {
            return Ok(alone(protocol, four));
        }
        let kind = kind.unwrap_or(Kind::Host);
        let ports = matches!(kind, Kind::Port | Kind::PortRange);
        if protocol
            .is_some_and(|protocol| !ports || ![Protocol::TCP, Protocol::UDP].contains(&protocol))
        {
            return self
                .wrong("tcp and udp stand before port and portrange only: write `and` between");
        }
        if four.is_some() && ports {
            return self.wrong("ip and ip6 stand before host and net only: write `and` between");
        }
        self.identifier(Qualifiers { protocol, four, ends: ends.unwrap_or(Ends::Either), kind })
    }

    fn protocol(&mut self) -> (Option<Protocol>, Option<bool>) {
        let found = match self.peek() {
            Some("tcp") => (Some(Protocol::TCP), None),
            Some("udp") => (Some(Protocol::UDP), None),
            Some("icmp") => (Some(ICMP), None),
            Some("icmp6") => (Some(ICMP6), None),
            Some("ip") => (None, Some(true)),
            Some("ip6") => (None, Some(false)),
            _ => return (None, None),
        };
        self.next += 1;
        found
    }

    fn ends(&mut self) -> Result<Option<Ends>, NotAFilter> {
        let (first, second) = match self.peek() {
            Some("src") => (Ends::Source, "dst"),
            Some("dst") => (Ends::Destination, "src"),
            _ => return Ok(None),
        };
        self.next += 1;
        let operator = self.peek().filter(|word| ["and", "&&", "or", "||"].contains(word));
        let both = self.words.get(self.next + 1).is_some_and(|(_, word)| *word == second);
        let Some(operator) = operator.filter(|_| both) else { return Ok(Some(first)) };
        self.next += 2;
        Ok(Some(if ["and", "&&"].contains(&operator) { Ends::Both } else { Ends::Either }))
    }

    fn kind(&mut self) -> Option<Kind> {
        let kind = match self.peek()? {
            "host" => Kind::Host,
            "net" => Kind::Net,
            "port" => Kind::Port,
            "portrange" => Kind::PortRange,
            _ => return None,
        };
        self.next += 1;
        Some(kind)
    }

    fn identifier(&mut self, of: Qualifiers) -> Result<Filter, NotAFilter> {
        let Qualifiers { protocol, four, ends, kind } = of;
        let Some(word) = self.peek().filter(|word| !is_reserved(word)) else {
            return self.wrong(format!("expected {}", expected(kind)));
        };
        let test = match kind {
            Kind::Host => host(word).map(|net| Test::Net(net, ends)),
            Kind::Net => self.net(word)?.map(|net| Test::Net(net, ends)),
            Kind::Port => port(word).map(|port| Test::Ports([port; 2], protocol, ends)),
            Kind::PortRange => range(word).map(|ports| Test::Ports(ports, protocol, ends)),
        };
        let Some(test) = test else {
            return self.wrong(format!("{word} is not {}", expected(kind)));
        };
        self.next += 1;
        self.last = Some(of);
        let test = Filter::Is(test);
        Ok(four.map_or(test.clone(), |four| and(Filter::Is(Test::Version { four }), test)))
    }

    /// A network, with its mask behind if there is one. None if it is none.
    fn net(&mut self, word: &str) -> Result<Option<Net>, NotAFilter> {
        let mask = self.words.get(self.next + 1).is_some_and(|(_, word)| *word == "mask");
        let Some((address, len)) = network(word) else { return Ok(None) };
        let mut len = len;
        if mask {
            self.next += 2;
            let bits = self.peek().and_then(|word| word.parse::<Ipv4Addr>().ok()).map(u32::from);
            let Some(bits) = bits.filter(|bits| bits.leading_ones() + bits.trailing_zeros() >= 32)
            else {
                return self.wrong("expected a mask, as 255.255.255.0");
            };
            len = bits.leading_ones();
        }
        match Net::of(address, len) {
            Some(net) => Ok(Some(net)),
            None => self.wrong(format!(
                "{word} has bits behind its first {len}: set these to zero, or write `host`"
            )),
        }
    }
}

/// A protocol without an identifier.
fn alone(protocol: Option<Protocol>, four: Option<bool>) -> Filter {
    let version = four.map(|four| Test::Version { four });
    Filter::Is(version.or(protocol.map(Test::Protocol)).unwrap_or(Test::Version { four: true }))
}

fn and(a: Filter, b: Filter) -> Filter {
    Filter::And(Box::new([a, b]))
}

/// Words that are no identifier.
fn is_reserved(word: &str) -> bool {
    const WORDS: [&str; 20] = [
        "and",
        "&&",
        "or",
        "||",
        "not",
        "!",
        "(",
        ")",
        "host",
        "net",
        "port",
        "portrange",
        "src",
        "dst",
        "tcp",
        "udp",
        "ip",
        "ip6",
        "icmp",
        "icmp6",
    ];
    WORDS.contains(&word)
}

fn looks_like_address(word: &str) -> bool {
    word.parse::<IpAddr>().is_ok()
}

fn expected(kind: Kind) -> &'static str {
    match kind {
        Kind::Host => "an address, as 10.0.0.1 or 2001:db8::1",
        Kind::Net => "a network, as 10.0.0.0/8 or 2001:db8::/32",
        Kind::Port => "a port from 0 to 65535",
        Kind::PortRange => "two ports with a hyphen, the lesser first, as 8000-8080",
    }
}

fn host(word: &str) -> Option<Net> {
    let address: IpAddr = word.parse().ok()?;
    Net::of(address, if address.is_ipv4() { 32 } else { 128 })
}

/// Address and length of a network. Octets that IPv4 lacks are zero, and then its length is that of the others.
fn network(word: &str) -> Option<(IpAddr, u32)> {
    let (address, len) = word.split_once('/').map_or((word, None), |(a, len)| (a, Some(len)));
    let octets = address.split('.').count();
    let full = match octets {
        1..4 if !address.contains(':') => format!("{address}{}", ".0".repeat(4 - octets)),
        _ => address.to_owned(),
    };
    let address: IpAddr = full.parse().ok()?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    let own = if address.is_ipv4() { 8 * octets as u32 } else { most };
    let len = len.map_or(Some(own), |len| len.parse().ok())?;
    (len <= most).then_some((address, len))
}

fn port(word: &str) -> Option<u16> {
    word.parse().ok()
}

fn range(word: &str) -> Option<[u16; 2]> {
    let (least, most) = word.split_once('-')?;
    let (least, most) = (port(least)?, port(most)?);
    (least <= most).then_some([least, most])
}
