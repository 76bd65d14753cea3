use airpath_scenario::Scenario;

use super::super::compare::tests::half;
use super::*;

const SCREEN: &str = "\
one run, seed 7
                                        simulated             kernel     ratio

first (cubic)
  goodput, Mbit/s                           4.000              4.100     1.025
  one-way delay, ms                         52.00              54.00     1.038
  of this in queues, ms                     40.00              42.00     1.050
  RTT, ms                                   64.00              66.00     1.031
  segments sent again                       10.00              30.00     3.000
  of all segments, %                        1.000              3.000     3.000

processor time, s                            0.25               0.25

The simulated flows are as the scenario has them.

Kernel and simulation agree in goodput (within 5%), time in queues (within 15%);
they differ in the rate of retransmissions (by more than a factor of 2).
";

#[test]
fn the_screen_shows_both_halves_within_80_columns() {
    let text = "duration = \"1 s\"\nradio = \"none\"\n[path.sgi]\ndelay = \"1 ms\"\n[[ue]]\nname = \"a\"\n\
                [[flow]]\nname = \"first\"\nkind = \"tcp\"\ndirection = \"down\"\n";
    let scenario = Scenario::parse("test.toml", text, &[]).unwrap_or_else(|e| panic!("{e:?}"));
    let of = |flow| vec![half(&[flow])];
    let comparison = Comparison::new(vec![7], of((4.0, 40.0, 10)), of((4.1, 42.0, 30)));
    let written = Halves::new(&scenario, true).expect("a flow");
    assert_eq!(screen(&written, &comparison), SCREEN);
    let taken = screen(&Halves::new(&scenario, false).expect("a flow"), &comparison);
    assert!(taken.contains("have of the kernel: loss_detection = \"rack\""), "{taken}");
    for line in taken.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}
