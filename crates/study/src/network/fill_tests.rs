use std::fs;

use super::*;
use crate::StudyError;
use crate::network::page::tests::study;

/// The study with a main experiment of three short arms in two batches.
fn short() -> Study {
    let own = "title = \"short\"\nduration = \"300 ms\"\nradio = \"none\"\n\
               [output]\nlow_rate = \"1 Mbit/s\"\nwarm_up = \"1 ms\"\n\
               [path.sgi]\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\n\
               [[flow]]\nname = \"large\"\nkind = \"tcp\"\ndirection = \"down\"\nsize = \"1 MB\"\n\
               [[sweep.arm]]\naxis = \"load\"\nname = \"2\"\nreplications = 3\n\"seed\" = 5\n\
               [[sweep.arm]]\naxis = \"load\"\nname = \"5\"\nreplications = 1\n\"seed\" = 5\n\
               [[sweep.arm]]\naxis = \"scheduler\"\nname = \"RR\"\n\"path.sgi.delay\" = \"2 ms\"\n\
               [[sweep.arm]]\naxis = \"variant\"\nname = \"L4S\"\n\"path.sgi.rate\" = \"9 Mbit/s\"\n";
    let plan = "{\"axes\": {\"load\": {\"name\": \"load\", \"meaning\": \"Users.\"}, \"arm\": [\
                {\"name\": \"scheduler\", \"meaning\": \"S.\"}, {\"name\": \"variant\", \"meaning\": \"V.\"}]},\
                \"experiments\": [{\"name\": \"main\", \"part\": \"main\", \"title\": \"t\",\
                \"files\": [\"own\"], \"batches\": 2}],\
                \"choices\": [{\"id\": \"a\", \"title\": \"t\", \"first\": \"1\", \"second\": \"2\",\
                \"source\": \"s\", \"set\": {\"flow.large.size\": [\"flow.large.size=9 kB\"]}}]}";
    study().with("plan.json", plan).with("own.toml", own)
}

fn next(study: &Study, folder: &Path, reading: Reading) -> Result<Option<Batch>, StudyError> {
    let (tables, work) = (folder.join("tables"), folder.join("work"));
    let request = Fill {
        reading,
        part: None,
        tables: &tables,
        folder: &work,
        digests: Digests::Checked,
        progress: None,
        interrupt: None,
    };
    fill(study, request, &|made| Made { commit: "abc".into(), minutes: 0.5, ..made })
}

#[test]
fn batches_are_made_once_and_add_up() {
    let (study, folder) = (short(), tempfile::tempdir().expect("a folder"));
    for reading in Reading::ALL {
        // 3 runs are 1 and 2; 1 run is none and 1.
        for (batch, runs, left) in [("1 of 2", 1, 1), ("2 of 2", 3, 0)] {
            let made = next(&study, folder.path(), reading).expect("made").expect("a batch");
            assert_eq!(
                (made.made.batch.as_deref(), made.made.runs, made.left),
                (Some(batch), runs, left)
            );
        }
        assert_eq!(next(&study, folder.path(), reading).expect("nothing"), None);
        let tables = folder.path().join("tables");
        let data = read(&study, &tables, reading, Digests::Checked).expect("tables");
        let seeds = |load| {
            let runs = data.arm("RR/L4S", load).expect("an arm");
            runs.iter().map(|run| run.seed).collect::<Vec<_>>()
        };
        assert_eq!((seeds(2), seeds(5)), (vec![5, 6, 7], vec![5]));
        let made = read_made(&reading.folder(&tables)).expect("origins");
        assert_eq!(made.iter().map(|made| made.runs).sum::<usize>(), 4);
        assert!(made.iter().all(|made| made.commit == "abc" && made.campaign.is_some()));
    }
}

#[test]
fn tables_of_another_campaign_are_refused_with_the_mend() {
    let (study, folder) = (short(), tempfile::tempdir().expect("a folder"));
    next(&study, folder.path(), Reading::First).expect("made").expect("a batch");
    let text = study.text("own.toml").expect("a piece").replace("9 Mbit/s", "8 Mbit/s");
    let other = study.clone().with("own.toml", &text);
    let error = next(&other, folder.path(), Reading::First).expect_err("another campaign");
    assert!(
        error.is_bad_input() && error.to_string().contains("remove main.runs.parquet"),
        "{error}"
    );
    let tables = folder.path().join("tables");
    let judge =
        |study: &Study| crate::network::of_folder(study, &tables, Reading::First, Digests::Checked);
    judge(&study).expect("its own");
    judge(&other).expect_err("another campaign");
    // Without a fingerprint, arms and seeds tell.
    fs::remove_file(tables.join("made.json")).expect("removed");
    judge(&other).expect("the same arms");
    let text = text.replace("name = \"L4S\"", "name = \"none\"");
    judge(&study.with("own.toml", &text)).expect_err("other arms");
}
