use super::*;

const HEADER: &str = "timestamp,system_frame_index,slot_index,rnti,rnti_type,dci_format,k,mapping,time_start,\
                      time_length,frequency_start,frequency_length,nof_dmrs_cdm_groups,beta_dmrs,nof_layers,n_scid,\
                      tb_scaling_field,modulation,mcs_index,transport_block_size,code_rate,redundancy_version,\
                      new_data_indicator,nof_re,nof_bits,mcs_table,xoverhead,harq_id,downlink_assignment_index,tpc,\
                      pucch_resource,harq_feedback,bwp,ports,carrier_index";

/// A row as `write_entry` of NR-Scope writes it.
fn row(time: f64, (frame, slot): (u32, u32), format: &str, k: u32, blocks: (u32, u32)) -> String {
    let (first, count) = blocks;
    format!(
        "{time:.6},{frame},{slot},17921,C-RNTI,{format},{k},A,2,12,{first},{count},2,0.000000,1,0,0,256QAM,11,3752,\
         0.5,0,1,1320,7920,qam256,0,3,1,1,0,2,1,0,0"
    )
}

fn log(rows: &[String]) -> Result<DciLog, String> {
    DciLog::parse(&format!("{HEADER}\n{}\n", rows.join("\n")))
}

const CELL: LogCell = LogCell { numerology: 1, resource_blocks: 51, carrier: 0 };

fn slots(load: &RecordedLoad, direction: Direction) -> Vec<(u64, u16)> {
    load.slots(direction).iter().map(|(slot, blocks)| (*slot, blocks.count())).collect()
}

#[test]
fn data_are_k_slots_behind_their_dci() {
    let log = log(&[
        row(100.0, (35, 4), "1_1", 0, (0, 20)),
        row(100.0, (35, 4), "0_1", 4, (10, 5)),
        row(100.01, (36, 0), "1_1", 0, (3, 2)),
        row(100.01, (36, 0), "1_0", 0, (4, 4)),
    ]);
    let load = log.expect("a log").load(CELL).expect("a load");
    // From frame 34 on, 20 slots each: slot 4 of frame 35 is the 24th.
    assert_eq!(slots(&load, Direction::Downlink), [(24, 20), (40, 5)]);
    assert_eq!(slots(&load, Direction::Uplink), [(28, 5)]);
    assert_eq!(load.period(), 80);
}

#[test]
fn a_full_log_leaves_nothing_as_it_repeats() {
    for k in [0, 4, 32] {
        let rows: Vec<String> = (0..2 * 20)
            .map(|slot| (slot / 20, slot % 20))
            .map(|(frame, slot)| {
                let time = 0.01 * f64::from(frame) + 5e-4 * f64::from(slot);
                row(time, (frame, slot), "0_1", k, (0, 51))
            })
            .collect();
        let load = log(&rows).expect("a log").load(CELL).expect("a load");
        assert_eq!(load.period(), 40);
        let full: Vec<(u64, u16)> = (0..40).map(|slot| (slot, 51)).collect();
        assert_eq!(slots(&load, Direction::Uplink), full, "{k}");
    }
}

#[test]
fn the_frame_number_begins_again_and_pauses_may_be_long() {
    let rows = [(0.0, 1_023), (0.01, 0), (10.25, 0), (40.97, 1)];
    let rows = rows.map(|(time, frame)| row(500.0 + time, (frame, 0), "1_1", 0, (0, 1)));
    let load = log(&rows).expect("a log").load(CELL).expect("a load");
    // Frames since 1022: 1, 2, 2 + 1024, 3 + 4 * 1024.
    let frames: Vec<u64> =
        slots(&load, Direction::Downlink).iter().map(|(slot, _)| slot / 20).collect();
    assert_eq!(frames, [1, 2, 1_026, 4_099]);
}

#[test]
fn times_that_contradict_frames_and_slots_are_refused() {
    let load = |step: f64| {
        let slots = (0..8).map(|slot| (step * f64::from(slot), (35, slot)));
        let rows: Vec<String> =
            slots.map(|(time, at)| row(1e6 + time, at, "1_1", 0, (0, 25))).collect();
        log(&rows).expect("a log").load(CELL)
    };
    assert!(load(5e-4).is_ok());
    assert_eq!(
        load(0.5).unwrap_err(),
        "line 3: timestamp is 0.5000 s after the row before, by frame and slot it is 0.0005 s: write timestamps in \
         seconds"
    );
    // A recorder that is late once.
    let rows: Vec<String> = (0..20)
        .map(|slot| {
            let late = if slot > 9 { 0.3 } else { 0.0 };
            row(5e-4 * f64::from(slot) + late, (35, slot), "1_1", 0, (0, 25))
        })
        .collect();
    assert!(log(&rows).expect("a log").load(CELL).is_ok());
}

#[test]
fn a_log_that_takes_no_resource_block_is_refused() {
    let empty = log(&[row(1.0, (0, 0), "1_1", 0, (0, 0)), row(1.0, (0, 1), "1_1", 0, (0, 0))]);
    let why = empty.expect("a log").load(CELL).unwrap_err();
    assert!(why.contains("frequency_length is 0 in all rows of carrier 0"), "{why}");
}

#[test]
fn rows_may_be_out_of_order_and_headers_repeat() {
    let rows = [
        row(7.0, (10, 6), "1_1", 0, (0, 1)),
        HEADER.to_owned(),
        row(7.0, (10, 2), "1_1", 0, (0, 1)),
        row(7.0, (9, 19), "1_1", 0, (0, 1)),
    ];
    let load = log(&rows).expect("a log").load(CELL).expect("a load");
    assert_eq!(slots(&load, Direction::Downlink), [(2, 1), (6, 1)]);
}

#[test]
fn older_logs_lack_columns() {
    let header = HEADER.replace(",bwp,ports,carrier_index", "");
    let row = row(1.0, (0, 0), "1_1", 0, (0, 9));
    let row = row.strip_suffix(",1,0,0").expect("three more columns");
    let log = DciLog::parse(&format!("{header}\n{row}\n")).expect("a log");
    assert_eq!(slots(&log.load(CELL).expect("a load"), Direction::Downlink), [(0, 9)]);
}

#[test]
fn a_fault_has_its_line_and_its_mend() {
    let wrong = |rows: &[String]| log(rows).unwrap_err();
    assert_eq!(wrong(&[]), "it has no DCI");
    let good = row(1.0, (0, 0), "1_1", 0, (0, 9));
    let cut = good[..20].to_owned();
    assert!(wrong(&[good.clone(), cut]).starts_with("line 3: has 5 fields, and the header has 35"));
    assert_eq!(
        wrong(&[row(1.0, (1_024, 0), "1_1", 0, (0, 9))]),
        "line 2: system_frame_index is \"1024\", and must be 0 to 1023"
    );
    assert!(wrong(&[row(1.0, (0, 0), "2_0", 0, (0, 9))]).contains("dci_format is \"2_0\""));
    assert!(wrong(&[row(1.0, (0, 0), "1_1", 0, (999, 9))]).contains("frequency_start is \"999\""));
    let late = row(100_001.0, (0, 0), "1_1", 0, (0, 9));
    assert!(wrong(&[good, late]).contains("line 3: lies 100000 s behind the first row"));
    let parse = |text: &str| DciLog::parse(text).unwrap_err();
    assert!(
        parse("timestamp,system_frame_index,slot_index,rnti\n1,2,3,4\n").contains("without _rach")
    );
    assert!(parse("GSCN,absolute_ssb_center_frequency,PCI\n").contains("list of cells"));
    assert!(parse("1\n2\n").contains("its first line lacks timestamp, system_frame_index"));
    assert!(parse("").contains("lacks timestamp"));
}

#[test]
fn a_log_of_another_cell_is_refused() {
    let load = |rows: &[String], cell| log(rows).expect("a log").load(cell).unwrap_err();
    let wide = row(1.0, (0, 0), "1_1", 0, (40, 20));
    assert_eq!(
        load(std::slice::from_ref(&wide), CELL),
        "line 2: resource blocks 40 to 59, and the cell has 51: set bandwidth to that of the recorded cell"
    );
    let late = row(1.0, (0, 19), "1_1", 0, (0, 9));
    let lte_like = LogCell { numerology: 0, ..CELL };
    assert!(load(&[late], lte_like).contains("slot 19 of a frame, and numerology 0 has 10"));
    let early = vec![row(1.0, (0, 9), "1_1", 0, (0, 9)); 201];
    assert!(load(&early, CELL).contains("no slot of a frame is above 9"));
    let other = LogCell { carrier: 1, resource_blocks: 273, ..CELL };
    assert_eq!(load(&[wide], other), "it has no DCI of carrier 1; it has 0 (1 DCIs)");
}
