use proptest::prelude::*;

use super::super::TableWriter;
use super::*;

fn example() -> Table {
    Table::new()
        .describe("A flow.")
        .utf8("name", ["audio", "vidéo", ""])
        .doc("Name of the flow.")
        .u64("packets", [150, 0, u64::MAX])
        .optional_i64("lost", [Some(-1), None, Some(3)])
        .optional_f64("mean_ms", [Some(4.32), Some(f64::NAN), None])
        .doc("Mean, ms.")
        .bool("marked", [true, false, true])
        .optional_utf8("cause", [None, Some("aqm"), None])
}

fn written(table: &Table) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("example.parquet");
    table.write_parquet(&path).expect("written");
    (folder, path)
}

#[test]
fn a_small_file_has_the_same_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let numbers = (0..5_000).map(|n| (n % 7 > 0).then_some(f64::from(n * n % 1_024) / 8.0));
    let table = Table::new().optional_f64("value", numbers).u64("seed", 0..5_000);
    let size = |name: &str, write: &dyn Fn(&Path)| {
        let path = folder.path().join(name);
        write(&path);
        assert_eq!(Table::read_parquet(&path).expect("read"), table);
        std::fs::metadata(&path).expect("a file").len()
    };
    let small = size("small", &|path| table.write_small(path).expect("written"));
    let fast = size("fast", &|path| table.write_parquet(path).expect("written"));
    assert!(small < fast, "{small} {fast}");
    let path = folder.path().join("all");
    example().write_small(&path).expect("written");
    assert_eq!(Table::read_parquet(&path).expect("read"), example());
}

#[test]
fn what_is_written_is_read_back_with_what_is_said_of_it() {
    let (_folder, path) = written(&example());
    let read = Table::read_parquet(&path).expect("read");
    assert_eq!(read, example());
    assert_eq!(read.rows(), 3);
    assert_eq!(read.description(), "A flow.");
    assert_eq!(read.meaning("mean_ms"), Some("Mean, ms."));
    assert_eq!(read.meaning("packets"), Some(""));
    assert_eq!(read.meaning("nothing"), None);
    assert_eq!(read.texts("name"), Some(vec![Some("audio"), Some("vidéo"), Some("")]));
    assert_eq!(read.texts("cause"), Some(vec![None, Some("aqm"), None]));
    assert_eq!(read.integers("lost"), Some(vec![Some(-1), None, Some(3)]));
    assert_eq!(read.numbers("lost"), Some(vec![Some(-1.0), None, Some(3.0)]));
    assert_eq!(read.numbers("mean_ms"), Some(vec![Some(4.32), None, None]));
    assert_eq!(read.truths("marked"), Some(vec![Some(true), Some(false), Some(true)]));
    assert_eq!(read.numbers("name"), None);
    assert_eq!(read.numbers("marked"), None);
    assert_eq!(read.texts("lost"), None);
    assert_eq!(read.integers("mean_ms"), None);
    assert_eq!(read.truths("lost"), None);
}

#[test]
fn parts_and_columns_are_read_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("parts.parquet");
    let part = |from: i64| Table::new().i64("n", from..from + 2).bool("odd", [false, true]);
    let mut writer = TableWriter::create(&path, &part(0)).expect("created");
    for from in [0, 2, 4] {
        writer.write(&part(from)).expect("written");
    }
    writer.finish().expect("finished");
    let reader = TableReader::open(&path).expect("a file of airpath's");
    assert_eq!((reader.parts(), reader.rows(), reader.like().rows()), (3, 6, 0));
    assert_eq!(reader.part(1, &["n"]).expect("a part"), Table::new().i64("n", [2, 3]));
    assert_eq!(reader.select(&["n"]).expect("a column"), Table::new().i64("n", 0..6));
    let turned = reader.part(2, &["odd", "n"]).expect("a part");
    assert_eq!(turned, Table::new().bool("odd", [false, true]).i64("n", [4, 5]));
    let said = |error: TableError| error.to_string().replace(&path.display().to_string(), "FILE");
    let missing = said(reader.select(&["m"]).expect_err("no such column"));
    assert_eq!(missing, "FILE: column m: is not there, but n, odd");
    let beyond = said(reader.part(3, &["n"]).expect_err("no such part"));
    assert_eq!(beyond, "FILE: there is no part 3: it has 3");
}

#[test]
fn a_long_column_is_read_whole() {
    let numbers = (0..200_000).map(|n| (n % 3 > 0).then(|| f64::from(n) / 7.0));
    let table = Table::new().optional_f64("x", numbers).i64("n", 0..200_000);
    let (_folder, path) = written(&table);
    assert!(Table::read_parquet(&path).expect("read") == table);
}

#[test]
fn what_is_no_file_of_airpath_s_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.parquet");
    let missing = Table::read_parquet(&path).expect_err("not there").to_string();
    assert!(missing.starts_with(&format!("{}: ", path.display())), "{missing}");
    std::fs::write(&path, "name,rate\n").expect("written");
    let text = Table::read_parquet(&path).expect_err("no table").to_string();
    assert!(text.starts_with(&format!("{}: ", path.display())), "{text}");
    assert!(Table::read_parquet(folder.path()).is_err());
}

/// Reads a file of these bytes; what it holds does not matter, only that nothing panics.
fn try_bytes(path: &Path, bytes: &[u8]) -> Result<Table, TableError> {
    std::fs::write(path, bytes).expect("written");
    Table::read_parquet(path)
}

#[test]
fn a_file_that_was_cut_is_an_error() {
    let (_folder, path) = written(&example());
    let bytes = std::fs::read(&path).expect("the file just written");
    for length in 0..bytes.len() {
        let error = try_bytes(&path, &bytes[..length]).expect_err("a part of a file");
        assert!(matches!(error, TableError::Unreadable { .. }), "{error}");
    }
}

#[test]
fn a_file_with_altered_bytes_never_panics() {
    let (_folder, path) = written(&example());
    let bytes = std::fs::read(&path).expect("the file just written");
    let flips = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xFF];
    // All of them in each byte, or one in each.
    let whole = std::env::var_os("AIRPATH_TEST_LONG").is_some();
    let (mut tried, mut errors) = (0, 0);
    for at in 0..bytes.len() {
        for flip in
            flips.iter().skip(if whole { 0 } else { at % 9 }).take(if whole { 9 } else { 1 })
        {
            let mut altered = bytes.clone();
            altered[at] ^= flip;
            tried += 1;
            errors += usize::from(try_bytes(&path, &altered).is_err());
        }
    }
    assert!(errors > tried / 9, "only {errors} of {tried} files");
}

fn table() -> impl Strategy<Value = Table> {
    (0_usize..40).prop_flat_map(|rows| {
        let integers = prop::collection::vec(any::<Option<i64>>(), rows);
        let numbers = prop::collection::vec(any::<Option<f64>>(), rows);
        let texts = prop::collection::vec(any::<Option<String>>(), rows);
        let truths = prop::collection::vec(any::<bool>(), rows);
        let said = (any::<String>(), any::<String>());
        (integers, numbers, texts, truths, said).prop_map(|(i, n, t, b, (all, one))| {
            let whole = i.iter().map(|n| n.unwrap_or_default()).collect::<Vec<_>>();
            let table = Table::new().describe(&all).optional_i64("i", i).i64("whole", whole);
            table.optional_f64("n", n).doc(&one).optional_utf8("t", t).bool("b", b)
        })
    })
}

proptest! {
    #[test]
    fn any_table_comes_back_as_it_was(tables in prop::collection::vec(table(), 1..4)) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.parquet");
        let mut writer = TableWriter::create(&path, &tables[0]).expect("created");
        for table in &tables {
            writer.write(table).expect("written");
        }
        writer.finish().expect("finished");
        let reader = TableReader::open(&path).expect("opened");
        let names: Vec<&str> = tables[0].columns().collect();
        for (n, table) in tables.iter().enumerate() {
            let part = reader.part(n, &names).expect("read");
            for name in ["i", "whole", "n"] {
                prop_assert_eq!(part.numbers(name), table.numbers(name));
            }
            prop_assert_eq!(part.texts("t"), table.texts("t"));
            prop_assert_eq!(part.truths("b"), table.truths("b"));
        }
        let all = reader.all().expect("read");
        prop_assert_eq!(all.rows(), tables.iter().map(Table::rows).sum::<usize>());
        prop_assert_eq!(all.description(), tables[0].description());
    }

    #[test]
    fn altered_bytes_never_panic(
        table in table(),
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let (_folder, path) = written(&table);
        let mut bytes = std::fs::read(&path).expect("the file just written");
        for (place, value) in places {
            let at = place.index(bytes.len());
            bytes[at] = value;
        }
        let _ = try_bytes(&path, &bytes);
    }

    #[test]
    fn garbage_never_panics(mut bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.parquet");
        prop_assert!(try_bytes(&path, &bytes).is_err());
        let length = u32::try_from(bytes.len()).expect("short");
        bytes.splice(0..0, *b"PAR1");
        bytes.extend(length.to_le_bytes());
        bytes.extend(b"PAR1");
        let _ = try_bytes(&path, &bytes);
    }
}
