use airpath_scenario::Scenario;

use super::*;

#[test]
fn each_default_that_the_kernel_replaces_is_that_of_the_scenario_file() {
    for controller in ["cubic", "newreno"] {
        let text = format!(
            "duration = \"1 s\"\nradio = \"none\"\n[path.sgi]\ndelay = \"1 ms\"\n[[ue]]\nname = \"a\"\n\
             [[flow]]\nname = \"f\"\nkind = \"tcp\"\ndirection = \"down\"\n\
             [flow.tcp]\ncontroller = \"{controller}\"\n[flow.tcp.{controller}]\n"
        );
        let scenario = Scenario::parse("test.toml", &text, &[]).unwrap_or_else(|e| panic!("{e:?}"));
        let tcp = scenario.flow[0].tcp.clone().expect("options");
        // Every default that is looked for is one.
        let (mut tcp, mut taken) = (tcp, Vec::new());
        adopt(&mut tcp, &mut taken);
        for key in ["loss_detection", "lost_retr", "reduction", "flight", "specul", "rescue"] {
            assert!(taken.iter().any(|taken| taken.starts_with(key)), "{key}: {taken:?}");
        }
        for key in ["min_rto", "rtt_granularity", "rto_from", "delayed_ack"] {
            assert!(taken.iter().any(|taken| taken.starts_with(key)), "{key}: {taken:?}");
        }
        let known = taken.len();
        adopt(&mut tcp, &mut taken);
        assert_eq!(taken.len(), known, "nothing is left at its default");
    }
}

#[test]
fn controllers_have_the_kernel_s_names() {
    let names =
        [ControllerName::Cubic, ControllerName::NewReno, ControllerName::Bbr1].map(controller);
    assert_eq!(names, [Ok("cubic"), Ok("reno"), Ok("bbr")]);
    for none in [ControllerName::Bbr, ControllerName::Dctcp, ControllerName::Prague] {
        assert!(controller(none).is_err());
    }
}
