//! Packets between namespaces.

use airpath_live::os::{Program, Side};

use crate::common::{output, packets, plan, relayed, session, wait};

#[test]
fn echoes_go_both_ways_in_both_families() {
    let Some(session) = session(plan(2)) else { return };
    relayed(&session, 2, || {
        for (side, target) in [
            (Side::Ue(0), "$AIRPATH_SERVER"),
            (Side::Ue(1), "$AIRPATH_SERVER_V6"),
            (Side::Ue(0), "10.45.0.3"),
            (Side::Ue(1), "fd00:a1::1:0"),
            (Side::Server, "10.45.0.2"),
            (Side::Server, "fd00:a1::1:1"),
        ] {
            let line = format!("ping -c 2 -i 0.01 -W 2 {target}");
            let (exit, text) = output(&session, side, Program::line(&line));
            assert_eq!(exit.code, 0, "{line}: {text}");
        }
    });
    assert_eq!(packets(session.server_tun()).len(), 0);
}

#[test]
fn devices_are_silent_until_a_program_sends() {
    let Some(session) = session(plan(1)) else { return };
    wait(1500);
    let none: Vec<Vec<u8>> = Vec::new();
    assert_eq!(packets(session.server_tun()), none);
    assert_eq!(packets(session.ue_tun(0)), none);
}
