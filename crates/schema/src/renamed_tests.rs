//! A key that was renamed: read under both names, written under the new one.

use crate::{Decoder, Entry, Field, Json, Node, Place, SourceId, Value, json, record};

record! {
    /// A link of the test.
    pub struct Link {
        /// Packets that the queue holds.
        #[renamed(limit)]
        queue: u64 = 100;
    }
}

record! {
    /// A path of the test.
    pub struct Path {
        /// Its links.
        link: Vec<Link>;
    }
}

record! {
    /// A link whose keys all have defaults, the renamed one has none besides that of its type.
    pub struct Host : Default {
        /// Name of the host.
        #[renamed(label)]
        name: Option<String>;
    }
}

record! {
    /// A table with a renamed key that must be there.
    pub struct Needed (rate) {
        /// Rate of the link.
        #[renamed(speed)]
        rate: u64;
    }
}

fn node(value: Value) -> Node {
    Node { value, place: Place::new(SourceId(0), 0..9) }
}

fn table(entries: Vec<(&str, Value)>) -> Value {
    let entry = |(key, value): (&str, Value)| {
        let key_place = Place::new(SourceId(0), 7..9);
        Entry {
            key: key.to_owned(),
            key_place,
            node: Node { value, place: Place::new(SourceId(0), 3..9) },
        }
    };
    Value::Table(entries.into_iter().map(entry).collect())
}

/// Value that is read, with warnings and messages of errors.
fn read<T: Field>(value: Value) -> (Option<T>, Vec<String>, Vec<String>) {
    let mut cx = Decoder::default();
    let read = T::decode(&node(value), &mut cx);
    let warnings = cx.take_warnings();
    (read, warnings, cx.into_drafts().into_iter().map(|draft| draft.message).collect())
}

#[test]
fn the_old_name_is_read_with_a_warning() {
    let old = |n| table(vec![("limit", Value::Integer(n))]);
    let links = Value::Array(vec![node(old(5)), node(old(7))]);
    let (path, warnings, errors) = read::<Path>(table(vec![("link", links)]));
    let path = path.expect("a path");
    assert_eq!((path.link[0].queue, path.link[1].queue, errors.len()), (5, 7, 0));
    let rest = "the next version of airpath does not read the old name";
    let warning = |n| format!("`link.{n}.limit` is now `link.{n}.queue`: {rest}");
    assert_eq!(warnings, [warning(0), warning(1)]);
    assert_eq!(path.link[1].encode(), json!({"queue": 7}));
    let (host, warnings, _) = read::<Host>(table(vec![("label", Value::String("a".to_owned()))]));
    assert_eq!((host.expect("a host").name.as_deref(), warnings.len()), (Some("a"), 1));
    assert_eq!(Host::default().name, None);
}

#[test]
fn the_new_name_has_no_warning() {
    let (link, warnings, errors) = read::<Link>(table(vec![("queue", Value::Integer(5))]));
    assert_eq!((link.map(|link| link.queue), warnings.len(), errors.len()), (Some(5), 0, 0));
    assert_eq!(read::<Needed>(Value::Integer(3)).0, Some(Needed { rate: 3 }));
}

#[test]
fn both_names_are_an_error() {
    let both = vec![("limit", Value::Integer(5)), ("queue", Value::Integer(6))];
    let (_, warnings, errors) = read::<Link>(table(both));
    assert_eq!(errors, ["`limit` is the old name of `queue`, which is there"]);
    assert!(warnings.is_empty());
}

#[test]
fn a_needed_key_is_there_under_its_old_name_and_missing_under_the_new_one() {
    assert_eq!(
        read::<Needed>(table(vec![("speed", Value::Integer(4))])).0,
        Some(Needed { rate: 4 })
    );
    let (_, _, errors) = read::<Needed>(table(Vec::new()));
    assert_eq!(errors, ["the scenario lacks `rate`"]);
    let (_, _, errors) = read::<Link>(table(vec![("limits", Value::Integer(5))]));
    assert_eq!(errors, ["unknown key `limits`"]);
}

#[test]
fn the_schema_marks_the_old_name() {
    let schema = Link::schema();
    let keys = schema.get("properties").expect("keys");
    let old = keys.get("limit").expect("the old name");
    assert_eq!(old.get("deprecated"), Some(&Json::Bool(true)));
    assert_eq!(old.get("description"), Some(&"Old name of `queue`.".into()));
    assert_eq!(old.get("type"), keys.get("queue").and_then(|key| key.get("type")));
    assert_eq!(keys.get("queue").and_then(|key| key.get("deprecated")), None);
    // A needed key may have either name, which draft 7 says by `anyOf` of both.
    let table = Needed::schema().get("anyOf").and_then(Json::items).map(|any| any[1].clone());
    assert_eq!(table.expect("a table").get("required"), None);
}
