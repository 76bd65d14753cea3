//! Order to the maker, in a form that needs no allocation.

use std::ffi::CString;
use std::net::IpAddr;

use rustix::io::Errno;
use rustix::process::{getegid, geteuid};

use super::error::Step;
use super::forked::Failure;
use super::netlink::Destination;
use super::{OsError, Plan};

/// All namespaces of a session.
#[derive(Debug)]
pub(super) struct Order {
    /// The user namespace around them, if the user may not make them without.
    pub user: Option<Identity>,
    /// The server's side first, then each UE's.
    pub nets: Vec<Net>,
}

/// Maps of a user namespace, so that user and group are the same in it as outside.
#[derive(Debug)]
pub(super) struct Identity {
    pub uid_map: String,
    pub gid_map: String,
}

/// A network namespace with its device.
#[derive(Debug)]
pub(super) struct Net {
    pub mtu: u32,
    pub addresses: [IpAddr; 2],
    pub routes: Vec<Destination>,
    /// Settings that a device takes over when it is made. Nothing depends on them but silence.
    pub before: Vec<Setting>,
    /// Settings that come last, and must be.
    pub after: Vec<Setting>,
}

/// A file in `/proc/sys/net` and what is written to it.
#[derive(Debug)]
pub(super) struct Setting {
    pub path: CString,
    pub value: String,
    name: String,
    asked: bool,
}

/// Settings of every namespace. The device must stay silent until a program sends. No router is
/// looked for, no address is made up, nothing is advertised or redirected.
const QUIET: [(&str, &str); 9] = [
    ("ipv6/conf/all/disable_ipv6", "0"),
    ("ipv6/conf/default/disable_ipv6", "0"),
    ("ipv6/conf/default/accept_ra", "0"),
    ("ipv6/conf/default/router_solicitations", "0"),
    ("ipv6/conf/default/addr_gen_mode", "1"),
    ("ipv6/conf/default/accept_dad", "0"),
    ("ipv6/conf/default/accept_redirects", "0"),
    ("ipv4/conf/all/send_redirects", "0"),
    ("ipv4/conf/default/send_redirects", "0"),
];

/// Settings of the server's namespace, since UEs reach each other through it. A device that came
/// after this would announce a router to the cell.
const FORWARD: [(&str, &str); 2] = [("ipv4/ip_forward", "1"), ("ipv6/conf/all/forwarding", "1")];

/// Settings before the device that leads outside: it answers for the UEs.
const OUTSIDE: [(&str, &str); 1] = [("ipv4/conf/default/proxy_arp", "1")];

impl Order {
    pub(super) fn new(plan: &Plan, unprivileged: bool) -> Result<Order, OsError> {
        let mut nets = vec![server(plan, unprivileged)?];
        for ue in &plan.ues {
            nets.push(Net {
                mtu: plan.mtu,
                addresses: [ue.v4.into(), ue.v6.into()],
                routes: vec![Destination::DefaultV4, Destination::DefaultV6],
                before: before(unprivileged)?,
                after: after(plan, &[])?,
            });
        }
        Ok(Order { user: unprivileged.then(Identity::own), nets })
    }
}

impl Order {
    /// Reason for which a step was refused.
    pub(super) fn refused(&self, Failure { step, errno, which }: Failure) -> OsError {
        // The first namespace meets the user's settings before all others.
        let setting = self.nets.first().and_then(|net| net.after.get(which));
        match setting.filter(|setting| step == Step::Setting && setting.asked) {
            Some(Setting { name, value, .. }) if errno != Errno::ROFS => {
                OsError::Setting { name: name.clone(), value: value.clone(), source: errno.into() }
            }
            _ => OsError::made(step, errno, self.user.is_some()),
        }
    }
}

impl Identity {
    fn own() -> Identity {
        let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
        Identity { uid_map: format!("{uid} {uid} 1"), gid_map: format!("{gid} {gid} 1") }
    }
}

fn server(plan: &Plan, unprivileged: bool) -> Result<Net, OsError> {
    let addresses = plan.ues.iter().flat_map(|ue| [IpAddr::V4(ue.v4), IpAddr::V6(ue.v6)]);
    let outside = OUTSIDE.iter().filter(|_| plan.outside);
    let needed: Vec<_> = FORWARD.iter().chain(outside).copied().collect();
    Ok(Net {
        mtu: plan.mtu,
        addresses: [plan.server_v4.into(), plan.server_v6.into()],
        routes: addresses.map(Destination::Host).collect(),
        before: before(unprivileged)?,
        after: after(plan, &needed)?,
    })
}

fn before(unprivileged: bool) -> Result<Vec<Setting>, OsError> {
    let groups = ping_groups(unprivileged);
    let quiet = QUIET.into_iter().chain([("ipv4/ping_group_range", groups.as_str())]);
    quiet.map(|(name, value)| Setting::new(name, value)).collect()
}

/// Settings of the user come last.
fn after(plan: &Plan, needed: &[(&str, &str)]) -> Result<Vec<Setting>, OsError> {
    let needed = needed.iter().map(|(name, value)| Setting::new(name, value));
    let asked = plan.settings.iter().map(|(name, value)| Setting::asked(name, value));
    needed.chain(asked).collect()
}

impl Setting {
    /// A file below /proc/sys/net.
    fn new(name: &str, value: &str) -> Result<Setting, OsError> {
        let path = CString::new(format!("/proc/sys/net/{name}"));
        let path = path.map_err(|_| OsError::BadSetting { name: name.into() })?;
        Ok(Setting { path, value: value.into(), name: name.into(), asked: false })
    }

    /// Setting of the user, by its name in sysctl(8).
    fn asked(name: &str, value: &str) -> Result<Setting, OsError> {
        let path = name.strip_prefix("net.").filter(|path| path.split('.').all(is_word));
        let path = path.ok_or_else(|| OsError::BadSetting { name: name.into() })?;
        let setting = Setting::new(&path.replace('.', "/"), value)?;
        Ok(Setting { name: name.into(), asked: true, ..setting })
    }
}

fn is_word(part: &str) -> bool {
    let ok = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !part.is_empty() && part.chars().all(ok)
}

/// Groups that may send echo requests without privileges. Both ends of the range must exist in the
/// user namespace; the second is the last of most containers.
fn ping_groups(unprivileged: bool) -> String {
    let own = getegid().as_raw();
    if unprivileged { format!("{own} {own}") } else { "0 65534".into() }
}
