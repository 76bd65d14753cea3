//! The interfaces at which packets passed.
//!
//! Interfaces differ in their number in a file, their name, and, in a capture of all interfaces of
//! a Linux host, the kernel's index. Equal values of all three are one interface, in any file or
//! section.

use core::num::NonZeroU16;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Greatest number of interfaces; all further ones are one.
const MOST: usize = u16::MAX as usize - 1;
/// Characters of a name that are kept.
const LONGEST: usize = 128;

/// Identity of an interface.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    number: u32,
    name: Option<Arc<str>>,
    index: Option<u32>,
    /// A name that a packet itself gave.
    inner: Option<Arc<str>>,
}

/// All interfaces that were seen.
#[derive(Debug, Default)]
pub(crate) struct Interfaces {
    known: BTreeMap<Identity, u32>,
    list: Vec<(Identity, Arc<str>)>,
    labels: BTreeSet<Arc<str>>,
    /// The last one that was looked up by its index, with the interface of the file; and by its
    /// name.
    last: Option<((u32, u32), u32)>,
    named: Option<(u32, Arc<str>, u32)>,
}

impl Interfaces {
    /// The interface with this number, and perhaps this name, in its file.
    pub(crate) fn of_file(&mut self, number: u32, name: Option<&str>) -> u32 {
        let name = name.map(|name| name.chars().take(LONGEST).collect::<String>().into());
        self.id(Identity { number, name, index: None, inner: None })
    }

    /// The kernel's interface of this index, in what was captured as interface `id`.
    pub(crate) fn of_kernel(&mut self, id: u32, index: u32) -> u32 {
        if let Some((_, found)) = self.last.filter(|(key, _)| *key == (id, index)) {
            return found;
        }
        let Some((identity, _)) = self.list.get(id as usize) else { return id };
        let identity = Identity { index: Some(index), ..identity.clone() };
        let found = self.id(identity);
        self.last = Some(((id, index), found));
        found
    }

    /// The interface that a packet names which was captured as interface `id`.
    pub(crate) fn of_name(&mut self, id: u32, name: &str) -> u32 {
        let same = |(of, known, _): &&(u32, Arc<str>, u32)| *of == id && **known == *name;
        if let Some((_, _, found)) = self.named.as_ref().filter(same) {
            return *found;
        }
        let Some((identity, _)) = self.list.get(id as usize) else { return id };
        let inner: Arc<str> = name.chars().take(LONGEST).collect::<String>().into();
        let found = self.id(Identity { inner: Some(Arc::clone(&inner)), ..identity.clone() });
        self.named = Some((id, inner, found));
        found
    }

    /// Name of an interface; `place` is the index as flows keep it, with one added.
    pub(crate) fn label(&self, place: NonZeroU16) -> Arc<str> {
        let found = self.list.get(usize::from(place.get()) - 1);
        found.map_or_else(|| "further interfaces".into(), |(_, label)| Arc::clone(label))
    }

    fn id(&mut self, identity: Identity) -> u32 {
        if let Some(id) = self.known.get(&identity) {
            return *id;
        }
        if self.list.len() >= MOST {
            return MOST as u32;
        }
        let id = self.list.len() as u32;
        let label = self.unused(&identity);
        self.labels.insert(Arc::clone(&label));
        self.known.insert(identity.clone(), id);
        self.list.push((identity, label));
        id
    }

    /// A label that no other has.
    fn unused(&self, identity: &Identity) -> Arc<str> {
        let Identity { number, name, index, inner } = identity;
        let label = match (name, index) {
            _ if inner.is_some() => inner.as_deref().unwrap_or_default().to_owned(),
            (Some(name), None) => name.to_string(),
            (Some(name), Some(index)) => format!("{name} ifindex {index}"),
            (None, None) => number.to_string(),
            (None, Some(index)) => format!("ifindex {index}"),
        };
        if self.labels.contains(label.as_str()) {
            format!("{label} ({number})").into()
        } else {
            label.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(interfaces: &Interfaces, id: u32) -> String {
        let place = NonZeroU16::new(id as u16 + 1).unwrap();
        interfaces.label(place).to_string()
    }

    #[test]
    fn number_name_and_index_tell_interfaces_apart() {
        let mut all = Interfaces::default();
        let plain = all.of_file(0, None);
        let named = [all.of_file(0, Some("eth0")), all.of_file(1, Some("eth0"))];
        let inner = [2, 3, 2].map(|index| all.of_kernel(plain, index));
        assert_eq!(inner[0], inner[2]);
        assert_eq!((all.of_file(0, None), all.of_file(0, Some("eth0"))), (plain, named[0]));
        let named_within =
            [all.of_name(plain, "en0"), all.of_name(plain, "lo0"), all.of_name(plain, "en0")];
        assert!(named_within[0] == named_within[2] && named_within[0] != named_within[1]);
        let ids = [plain, named[0], named[1], inner[0], inner[1], named_within[0], named_within[1]];
        let labels = ids.map(|id| label(&all, id));
        let names = ["0", "eth0", "eth0 (1)", "ifindex 2", "ifindex 3", "en0", "lo0"];
        assert_eq!(labels, names);
    }

    #[test]
    fn no_number_of_interfaces_fills_the_memory() {
        let mut all = Interfaces::default();
        let base = all.of_file(0, Some("any"));
        let last = (0..70_000).map(|index| all.of_kernel(base, index)).last().unwrap();
        assert_eq!((last, all.list.len()), (MOST as u32, MOST));
        assert_eq!(label(&all, last), "further interfaces");
    }
}
