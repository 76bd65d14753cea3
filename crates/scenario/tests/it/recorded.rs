//! Recorded load of a cell: NR-Scope's log in a scenario.

use airpath_scenario::Scenario;

const HEADER: &str = "timestamp,system_frame_index,slot_index,rnti,rnti_type,dci_format,k,mapping,time_start,\
                      time_length,frequency_start,frequency_length";
const CELL: &str = "technology = \"nr\"\nbandwidth = \"20 MHz\"\n";
const TDD: &str = "technology = \"nr\"\nbandwidth = \"20 MHz\"\nduplex = \"tdd\"\ntdd_pattern = \"DDDSU\"\nspecial_slot = \"10:2:2\"\n";

/// A cell with these keys and a log with these rows: slot, format, k, first resource block and number.
fn cell(keys: &str, rows: &[(u32, &str, u32, u32, u32)]) -> Result<Scenario, String> {
    let mut log = format!("{HEADER}\n");
    for (slot, format, k, first, count) in rows {
        log += &format!("1.0,2,{slot},1,C-RNTI,{format},{k},A,2,12,{first},{count}\n");
    }
    let text = format!(
        "duration = \"1 s\"\n[cell]\nrecorded_load = \"dci.csv\"\n{keys}[[ue]]\nname = \"phone\"\nsnr = \"20 dB\"\n\
         [[flow]]\nname = \"a\"\nkind = \"tcp\"\ndirection = \"down\"\n"
    );
    Scenario::parse_with("s.toml", &text, &[], &|_| Ok(log.clone()))
        .map_err(|errors| errors.plain())
}

#[test]
fn a_log_is_named_and_part_of_the_digest() {
    let one = cell(CELL, &[(0, "1_1", 0, 0, 25)]).expect("a scenario");
    assert_eq!(
        one.cell.as_ref().and_then(|cell| cell.recorded_load.as_ref()).map(|load| load.carrier),
        Some(0)
    );
    let other = cell(CELL, &[(0, "1_1", 0, 0, 24)]).expect("a scenario");
    assert_ne!(one.digest(), other.digest());
}

#[test]
fn a_log_that_does_not_fit_the_cell_is_refused_with_its_mend() {
    let wrong = |keys: &str, rows: &[(u32, &str, u32, u32, u32)]| cell(keys, rows).unwrap_err();
    let good = (0, "1_1", 0, 0, 25);
    let text = wrong(CELL, &[(0, "3_3", 0, 0, 25)]);
    assert!(
        text.contains("s.toml:3: `cell.recorded_load` cannot be read: dci.csv: line 2: dci_format"),
        "{text}"
    );
    let text = wrong(CELL, &[good, (0, "1_1", 0, 40, 25)]);
    assert!(
        text.contains(
            "dci.csv: line 3: resource blocks 40 to 64, and the cell has 51: set bandwidth"
        ),
        "{text}"
    );
    let text = wrong("", &[good]);
    assert!(text.contains("technology = \"nr\" with a tti of a slot"), "{text}");
    let text = wrong(&format!("{CELL}uplink.access = \"configured\"\n"), &[good]);
    assert!(text.contains("beside configured grants"), "{text}");
    let text = wrong(&format!("{CELL}[network]\nsites = 7\n").replace("snr", "#"), &[good]);
    assert!(text.contains("beside other cells"), "{text}");
}

#[test]
fn slots_are_those_of_the_recorded_cell() {
    cell(TDD, &[(0, "1_1", 0, 0, 9), (0, "0_1", 4, 0, 9)])
        .expect("downlink in slot 0, uplink in slot 4");
    let text = cell(TDD, &[(0, "1_1", 0, 0, 9), (4, "1_1", 0, 0, 9)]).unwrap_err();
    assert!(text.contains("50% of the slots with data down carry none in this cell"), "{text}");
    assert!(text.contains("`tdd_pattern` of the recorded cell"), "{text}");
}
