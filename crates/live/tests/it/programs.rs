//! Programs in namespaces: what they get, and how they end.

use airpath_live::os::{OsError, Program, Side, Signal, User};

use crate::common::{output, plan, session, wait};

#[test]
fn how_a_program_ends_is_handed_out() {
    let Some(session) = session(plan(1)) else { return };
    for (line, code, signal) in
        [("exit 0", 0, None), ("exit 7", 7, None), ("kill -KILL $$", 137, Some(9))]
    {
        let (exit, _) = output(&session, Side::Ue(0), Program::line(line));
        assert_eq!((exit.code, exit.signal), (code, signal), "{line}");
    }
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let Some(session) = session(plan(1)) else { return };
    let nothing: [&str; 0] = [];
    let missing = session.spawn(Side::Ue(0), Program::new("no-such-program", &nothing));
    let Err(OsError::NoProgram { name }) = missing else { panic!("{missing:?}") };
    assert_eq!(name, "no-such-program");
    let data = session.spawn(Side::Ue(0), Program::new("/proc/self/status", &nothing));
    let Err(OsError::BadProgram { name, .. }) = data else { panic!("{data:?}") };
    assert_eq!(name, "/proc/self/status");
    let beyond = session.spawn(Side::Ue(1), Program::line("true"));
    let Err(OsError::NoUe { number: 1, ues: 1 }) = beyond else { panic!("{beyond:?}") };
}

#[test]
fn a_program_finds_where_it_is() {
    let Some(session) = session(plan(2)) else { return };
    let line = "echo $AIRPATH_UE $AIRPATH_SERVER $AIRPATH_SERVER_V6 $AIRPATH_ADDRESS \
                $AIRPATH_ADDRESS_V6 $AIRPATH_CONTROL $OWN";
    let mut program = Program::line(line);
    program.control = Some("/tmp/control".into());
    program.variable("OWN", "own");
    let (_, text) = output(&session, Side::Ue(1), program);
    assert_eq!(text, "ue1 10.46.0.1 fd00:a1::1 10.45.0.3 fd00:a1::1:1 /tmp/control own\n");
    let (_, text) = output(&session, Side::Server, Program::line(line));
    assert_eq!(text, "10.46.0.1 fd00:a1::1 10.46.0.1 fd00:a1::1\n");
}

#[test]
fn a_program_has_a_group_of_its_own_and_no_privileges_of_others() {
    let Some(session) = session(plan(1)) else { return };
    let line = "echo $$; cut -d' ' -f5 /proc/self/stat; grep CapEff /proc/self/status; id -u";
    let mut program = Program::line(line);
    if !session.unprivileged() {
        program.user = Some(User::by_name("nobody").expect("every system has nobody"));
    }
    let (_, text) = output(&session, Side::Ue(0), program);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], lines[1], "the group is that of the shell");
    assert!(lines[2].ends_with("\t0000000000000000"), "{text}");
    assert_ne!(lines[3], "0");
}

#[test]
fn a_signal_reaches_all_of_the_group() {
    let Some(session) = session(plan(1)) else { return };
    let mut child =
        session.spawn(Side::Ue(0), Program::line("sleep 1001 & sleep 1002")).expect("a shell");
    // Between fork and exec a shell's child has the handlers of the shell, and loses the signal.
    while session.living().iter().filter(|process| process.name == "sleep").count() < 2 {
        wait(10);
    }
    child.signal(Signal::INT).expect("it is alive");
    // A shell has its background jobs ignore SIGINT.
    assert_eq!(child.wait().expect("a child").code, 130);
    assert_eq!(session.living().len(), 1);
}

#[test]
fn who_ignores_signals_does_not_hand_that_on() {
    let Some(session) = session(plan(1)) else { return };
    let before = dispose(libc::SIG_IGN);
    let told = output(&session, Side::Ue(0), Program::line("grep SigIgn /proc/self/status")).1;
    dispose(before);
    let ignored = told.split_whitespace().nth(1).expect("a mask");
    let ignored = u64::from_str_radix(ignored, 16).expect("a number");
    assert_eq!(ignored & (1 << (libc::SIGINT - 1)), 0, "{told}");
}

/// Sets what SIGINT does to this process, and returns what it did before.
#[expect(unsafe_code, reason = "there is no safe way to ignore a signal")]
fn dispose(wanted: libc::sighandler_t) -> libc::sighandler_t {
    // SAFETY: what is put in is to ignore it, or what was there.
    unsafe { libc::signal(libc::SIGINT, wanted) }
}

#[test]
fn settings_are_those_of_the_plan() {
    let mut wanted = plan(1);
    wanted.mtu = 1400;
    wanted.settings = vec![("net.ipv4.tcp_ecn".into(), "1".into())];
    let Some(session) = session(wanted) else { return };
    let line = "cat /proc/sys/net/ipv4/tcp_ecn /proc/sys/net/ipv6/conf/airpath0/mtu";
    for side in [Side::Server, Side::Ue(0)] {
        assert_eq!(output(&session, side, Program::line(line)).1, "1\n1400\n");
    }
}

#[test]
fn plans_that_cannot_be_are_refused() {
    if session(plan(1)).is_none() {
        return;
    }
    let refused = |change: fn(&mut airpath_live::os::Plan)| {
        let mut plan = plan(2);
        change(&mut plan);
        airpath_live::os::Session::create(plan).expect_err("it cannot be")
    };
    let error = refused(|plan| plan.mtu = 1279);
    assert!(matches!(error, OsError::Mtu { mtu: 1279 }), "{error}");
    let error = refused(|plan| plan.ues[1].v4 = plan.server_v4);
    assert!(matches!(error, OsError::SameAddress { .. }), "{error}");
    let error = refused(|plan| plan.settings = vec![("kernel.panic".into(), "1".into())]);
    assert!(matches!(error, OsError::BadSetting { .. }), "{error}");
    let error = refused(|plan| plan.settings = vec![("net.no.such".into(), "1".into())]);
    let OsError::Setting { name, .. } = error else { panic!("{error}") };
    assert_eq!(name, "net.no.such");
    let error = refused(|plan| plan.settings = vec![("net.../x".into(), "1".into())]);
    assert!(matches!(error, OsError::BadSetting { .. }), "{error}");
}
