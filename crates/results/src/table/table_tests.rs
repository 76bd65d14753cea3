use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use super::*;

fn example() -> Table {
    Table::new()
        .utf8("name", ["audio", "vidéo", ""])
        .u64("packets", [150, 0, u64::MAX])
        .optional_i64("lost", [Some(-1), None, Some(3)])
        .optional_f64("mean_ms", [Some(4.32), Some(f64::NAN), None])
        .f64("share", [0.5, f64::INFINITY, 1.0])
        .bool("marked", [true, false, true])
        .optional_utf8("cause", [None, Some("aqm"), None])
}

fn read(path: &Path) -> Vec<Vec<(String, Field)>> {
    let file = File::open(path).expect("the file just written");
    let reader = SerializedFileReader::new(file).expect("a Parquet file");
    let rows = reader.get_row_iter(None).expect("rows");
    rows.map(|row| row.expect("a row").into_columns()).collect()
}

fn values(row: &[(String, Field)]) -> Vec<Field> {
    row.iter().map(|(_, value)| value.clone()).collect()
}

#[test]
fn what_is_written_is_read_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("example.parquet");
    example().write_parquet(&path).expect("written");
    let rows = read(&path);
    assert_eq!(rows.len(), 3);
    let names: Vec<&str> = rows[0].iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, example().columns().collect::<Vec<_>>());
    let text = |s: &str| Field::Str(s.into());
    let (yes, no) = (Field::Bool(true), Field::Bool(false));
    let first = [
        text("audio"),
        Field::Long(150),
        Field::Long(-1),
        Field::Double(4.32),
        Field::Double(0.5),
        yes.clone(),
        Field::Null,
    ];
    assert_eq!(values(&rows[0]), first);
    let second =
        [text("vidéo"), Field::Long(0), Field::Null, Field::Null, Field::Null, no, text("aqm")];
    assert_eq!(values(&rows[1]), second);
    let third = [
        text(""),
        Field::Long(i64::MAX),
        Field::Long(3),
        Field::Null,
        Field::Double(1.0),
        yes,
        Field::Null,
    ];
    assert_eq!(values(&rows[2]), third);
}

#[test]
fn the_same_table_gives_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str| {
        let path = folder.path().join(name);
        let names = (0..5000).map(|n| format!("flow {}", n % 37));
        let table = Table::new().utf8("name", names).f64("x", (0..5000).map(f64::from));
        table.write_parquet(&path).expect("written");
        std::fs::read(path).expect("the file just written")
    };
    let (a, b) = (write("a"), write("b"));
    assert_eq!(a, b);
    let has = |needle: &[u8]| a.windows(needle.len()).any(|window| window == needle);
    assert!(has(b"airpath") && !has(b"parquet-rs"));
}

#[test]
fn parts_add_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("parts.parquet");
    let part = |from: i64| Table::new().i64("n", from..from + 2);
    let mut writer = TableWriter::create(&path, &part(0)).expect("created");
    writer.write(&part(0)).expect("written");
    writer.write(&part(2)).expect("written");
    let other = writer.write(&Table::new().bool("n", [true]));
    assert!(matches!(other, Err(TableError::Columns)));
    writer.finish().expect("finished");
    let read: Vec<Field> = read(&path).into_iter().flat_map(|row| values(&row)).collect();
    assert_eq!(read, [0, 1, 2, 3].map(Field::Long));
}

#[test]
fn no_rows_make_a_file_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("empty.parquet");
    let nothing: [i64; 0] = [];
    Table::new().i64("n", nothing).write_parquet(&path).expect("written");
    assert!(read(&path).is_empty());
}

#[test]
fn unequal_columns_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bad.parquet");
    let bad = Table::new().i64("a", [1, 2]).i64("b", [1]).write_parquet(&path);
    let message = bad.expect_err("columns differ").to_string();
    assert_eq!(message, "column b has 1 rows, the first has 2");
    let twice = Table::new().i64("a", [1]).i64("a", [1]).write_parquet(&path);
    assert!(matches!(twice, Err(TableError::Twice(name)) if name == "a"));
    assert!(Table::new().i64("a", [1]).write_parquet(folder.path().join("no/where")).is_err());
}

#[test]
fn what_is_said_of_a_table_and_its_columns_is_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("example.parquet");
    let table = Table::new().describe("A flow.").bool("marked", [true]).f64("share", [0.5]);
    table.doc("Part of all, 0 to 1.").write_parquet(&path).expect("written");
    let file = File::open(&path).expect("the file just written");
    let reader = SerializedFileReader::new(file).expect("a Parquet file");
    let pairs = reader.metadata().file_metadata().key_value_metadata().expect("metadata");
    let pairs: Vec<_> = pairs.iter().map(|pair| (&*pair.key, pair.value.as_deref())).collect();
    let expected =
        [("description", Some("A flow.")), ("column.share", Some("Part of all, 0 to 1."))];
    assert_eq!(pairs, expected);
}
