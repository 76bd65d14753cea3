use proptest::prelude::*;

use super::*;

fn csv_of(table: &Table) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.csv");
    table.write_csv(&path).expect("written");
    std::fs::read_to_string(path).expect("the file just written")
}

#[test]
fn a_table_as_csv() {
    let table = Table::new()
        .utf8("name", ["audio", "a, \"b\"\nc", ""])
        .u64("packets", [150, 0, u64::MAX])
        .optional_f64("rate", [Some(0.1), None, Some(-2.0)])
        .bool("marked", [true, false, true])
        .optional_utf8("cause", [None, Some("aqm"), None]);
    let expected = "name,packets,rate,marked,cause\r\n\
        audio,150,0.1,true,\r\n\
        \"a, \"\"b\"\"\nc\",0,,false,aqm\r\n\
        ,9223372036854775807,-2,true,\r\n";
    assert_eq!(csv_of(&table), expected);
}

#[test]
fn a_text_that_looks_like_a_formula_is_text_and_numbers_stay() {
    let texts = ["=1+1", "+1", "-3 dB", "@SUM(A1)", "\tx", "\rx", "'=1", "a=b", ""];
    let n = texts.len() as i64;
    let table = Table::new()
        .utf8("=name", texts)
        .i64("n", (0..n).map(|n| -n))
        .f64("x", (0..n).map(|n| n as f64 * -0.5));
    let expected = "'=name,n,x\r\n'=1+1,0,-0\r\n'+1,-1,-0.5\r\n'-3 dB,-2,-1\r\n\
        '@SUM(A1),-3,-1.5\r\n'\tx,-4,-2\r\n\"'\rx\",-5,-2.5\r\n'=1,-6,-3\r\na=b,-7,-3.5\r\n,-8,-4\r\n";
    assert_eq!(csv_of(&table), expected);
}

#[test]
fn parts_add_up_and_other_columns_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.csv");
    let part = |n: i64| Table::new().i64("n", [n]);
    let mut writer = CsvWriter::create(&path, &part(0)).expect("created");
    writer.write(&part(1)).expect("written");
    writer.write(&part(2)).expect("written");
    let other = writer.write(&Table::new().i64("m", [3]));
    assert!(matches!(other, Err(TableError::Columns)));
    writer.finish().expect("finished");
    assert_eq!(std::fs::read_to_string(&path).expect("written"), "n\r\n1\r\n2\r\n");
    let unequal = Table::new().i64("a", [1, 2]).i64("b", [1]).write_csv(&path);
    assert!(matches!(unequal, Err(TableError::Lengths { .. })));
    let twice = Table::new().i64("a", [1]).i64("a", [1]).write_csv(&path);
    assert!(matches!(twice, Err(TableError::Twice(_))));
}

#[test]
fn numbers_are_short() {
    let table = Table::new().f64("x", [1e300, 1e-7, 0.1 + 0.2, 1e6, 0.0, 123_456_789.5]);
    let expected = "x\r\n1e300\r\n1e-7\r\n0.30000000000000004\r\n1000000\r\n0\r\n123456789.5\r\n";
    assert_eq!(csv_of(&table), expected);
}

proptest! {
    #[test]
    fn values_read_back_as_they_were(
        rows in prop::collection::vec((any::<Option<f64>>(), any::<String>(), any::<i64>()), 0..40),
    ) {
        let table = Table::new()
            .optional_f64("x", rows.iter().map(|row| row.0))
            .utf8("t", rows.iter().map(|row| &row.1))
            .i64("n", rows.iter().map(|row| row.2));
        let text = csv_of(&table);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let read: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("CSV")).collect();
        prop_assert_eq!(read.len(), rows.len());
        for (record, (x, t, n)) in read.iter().zip(&rows) {
            prop_assert_eq!(record[0].parse::<f64>().ok(), x.filter(|x| x.is_finite()));
            let begins = t.chars().next().is_some_and(|first| "=+-@\t\r".contains(first));
            prop_assert_eq!(record[1].strip_prefix('\'').filter(|_| begins), begins.then_some(&**t));
            prop_assert!(begins || &record[1] == t.as_str());
            prop_assert_eq!(record[2].parse::<i64>(), Ok(*n));
        }
    }
}
