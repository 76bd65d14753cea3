//! Privileges: which there are, and how a thread gives them up.
//!
//! Linux keeps user, groups and capabilities for each thread, and a new thread has those of the
//! one that made it (credentials(7), capabilities(7)).

use rustix::io;
use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_no_new_privs,
    set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

use super::User;

/// True if the process may make network namespaces without a user namespace around them.
pub(super) fn privileged() -> bool {
    let needed = CapabilitySet::SYS_ADMIN | CapabilitySet::NET_ADMIN;
    capabilities(None).is_ok_and(|sets| sets.effective.contains(needed))
}

/// Gives up what the calling thread, and whatever it starts from now on, does not need.
pub(super) fn drop_of_thread() -> io::Result<()> {
    match User::behind_sudo() {
        Some(user) if geteuid().is_root() => become_user(&user)?,
        _ => {}
    }
    let mut kept = CapabilitySet::empty();
    if geteuid().is_root() {
        // Root owns most files anyway; without this it could not write into a user's folder.
        kept = CapabilitySet::DAC_OVERRIDE & capabilities(None)?.permitted;
    }
    keep(kept)?;
    set_no_new_privs(true)
}

/// Makes the calling thread the user's. Where that was root, all capabilities go (capabilities(7)).
pub(super) fn become_user(user: &User) -> io::Result<()> {
    let (uid, gid) = (Uid::from_raw(user.uid), Gid::from_raw(user.gid));
    set_thread_groups(&user.groups)?;
    set_thread_res_gid(gid, gid, gid)?;
    set_thread_res_uid(uid, uid, uid)
}

/// Leaves the calling thread some capabilities, which no program that it starts inherits.
pub(super) fn keep(kept: CapabilitySet) -> io::Result<()> {
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: kept, permitted: kept, inheritable: none })
}
