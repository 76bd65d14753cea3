//! The way outside, where `slirp4netns` is installed. The host is a UE of another session, so that
//! nothing but the machine itself is reached.

use std::env;
use std::fs;
use std::net::TcpListener;
use std::process::{Command, Stdio};

use airpath_live::os::{OsError, Program, Session, Side};
use rustix::process::geteuid;

use crate::common::{install, output, plan, plan_within, relayed, session};
use crate::roles::playing;
use crate::skipped::skipped;

/// The role of a whole session in a UE of another: its own UE reaches the other's server.
pub fn be_inner() {
    let mut plan = plan_within(47, 0xb1, 1);
    plan.outside = true;
    let inner = Session::create(plan).unwrap_or_else(|error| panic!("{error}"));
    let loopback = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = loopback.local_addr().expect("it is bound").port();
    relayed(&inner, 1, &|_| {}, || {
        for side in [Side::Ue(0), Side::Server] {
            let mut client = playing("client");
            client.variable("AIRPATH_SERVER", "10.46.0.1");
            let (exit, text) = output(&inner, side, client);
            assert_eq!(exit.code, 0, "{side:?}: {text}");
            let mut client = playing("client v6");
            client.variable("AIRPATH_SERVER_V6", "fd00:a1::1");
            let (exit, text) = output(&inner, side, client);
            assert_eq!(exit.code, 0, "{side:?}: {text}");
            let (_, names) = output(&inner, side, Program::line("cat /etc/resolv.conf"));
            assert!(names.contains("nameserver 10.0.2.3\n"), "{names}");
            assert_eq!(names.matches("nameserver").count(), 1, "{names}");
            let mut refused = playing("refused");
            refused.variable("AIRPATH_TEST_TARGET", format!("10.0.2.2:{port}"));
            assert_eq!(output(&inner, side, refused).0.code, 0, "the host's own loopback");
        }
    });
}

/// The role of a session whose UE has an address that the host needs.
pub fn be_in_the_shadow() {
    let mut plan = plan(1);
    plan.outside = true;
    let error = Session::create(plan).expect_err("the host has a route there");
    let OsError::AddressInUse { address, .. } = &error else { panic!("{error}") };
    assert_eq!(address.to_string(), "10.45.0.2");
    assert!(error.to_string().contains("10.45.0.2/32 through airpath0"), "{error}");
}

/// The role of a session that cannot have what it asks for; nothing of it is left.
pub fn be_without_a_translator() {
    let mut plan = plan_within(47, 0xb1, 1);
    plan.outside = true;
    let error = Session::create(plan).expect_err("there is no translator");
    println!("refused: {error}");
    let base = if geteuid().is_root() {
        "/run/airpath".into()
    } else {
        env::temp_dir().join(format!("airpath-{}", geteuid().as_raw()))
    };
    let own = format!("{}-", std::process::id());
    let mut left = fs::read_dir(base).into_iter().flatten().flatten();
    assert!(!left.any(|entry| entry.file_name().to_string_lossy().starts_with(&own)));
}

fn has_slirp() -> bool {
    let version = Command::new("slirp4netns").arg("--version").stdout(Stdio::null()).status();
    if version.is_err() {
        skipped("slirp4netns is not installed");
    }
    version.is_ok()
}

#[test]
fn a_ue_reaches_what_the_host_reaches_and_not_the_host() {
    let Some(session) = session(plan(1)).filter(|_| has_slirp()) else { return };
    relayed(&session, 1, &|_| {}, || {
        let mut server = playing("server");
        server.stdout = Stdio::null();
        let _server = session.spawn(Side::Server, server).expect("it starts");
        let (exit, text) = output(&session, Side::Ue(0), playing("inner"));
        assert_eq!(exit.code, 0, "{text}");
    });
}

#[test]
fn addresses_that_the_host_needs_are_refused() {
    let Some(session) = session(plan(1)) else { return };
    let (exit, text) = output(&session, Side::Server, playing("shadow"));
    assert_eq!(exit.code, 0, "{text}");
}

#[test]
fn a_translator_that_is_missing_or_fails_is_named() {
    let Some(session) = session(plan(1)) else { return };
    let folder = env::temp_dir().join(format!("airpath-live-path-{}", std::process::id()));
    fs::create_dir(&folder).expect("a folder of its own");
    let refused = || {
        let mut role = playing("without a translator");
        role.variable("PATH", &folder);
        role.variable("XDG_RUNTIME_DIR", "");
        let (exit, text) = output(&session, Side::Ue(0), role);
        assert_eq!(exit.code, 0, "{text}");
        text
    };
    let missing = refused();
    let text = folder.join("text");
    fs::write(&text, "#!/bin/sh\necho it rains >&2\nexit 1\n").expect("it is ours");
    install(&text, &folder.join("slirp4netns"));
    let failing = refused();
    fs::remove_dir_all(&folder).expect("it is ours");
    assert!(missing.contains("install the package slirp4netns"), "{missing}");
    assert!(failing.contains("has failed: it rains"), "{failing}");
}
