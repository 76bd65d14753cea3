"""Tests of the checks of words and sizes."""

import unittest

import exempt
import sizes
import words


def rust(text, name="crates/x/src/lib.rs"):
    """Findings of a Rust file, as (line, beginning of the rule)."""
    return [(line, finding.split(":")[0]) for found in words.check_rust(name, text) for _, line, finding in found]


def page(text):
    """Findings of a page, as (line, beginning of the rule)."""
    return [(line, finding.split(":")[0]) for _, line, finding in words.check_page("docs/x.md", text)]


LONG = " ".join(["word"] * 26)
SHORT = " ".join(["word"] * 25)


class FirstWords(unittest.TestCase):
    def test_a_clause_opens_no_comment(self):
        self.assertEqual(rust("//! What a cell sends.\n"), [(1, "first word")])
        self.assertEqual(rust("/// Number of blocks.\nfn f() {}\n/// How many blocks.\n"), [(3, "first word")])
        self.assertEqual(rust("let x = 1; // If it is there\n"), [(1, "first word")])
        self.assertEqual(rust("/// As of release 15, two values.\n"), [])
        self.assertEqual(rust("/// `when`, in nanoseconds.\n"), [])

    def test_only_the_first_word_of_a_comment_counts(self):
        self.assertEqual(rust("/// Bytes of a block.\n/// When it is full, none is added.\n"), [])
        self.assertEqual(rust("/// Bytes of a block.\n\n/// When it is full.\n"), [(3, "first word")])

    def test_a_doc_comment_leans_on_no_other(self):
        self.assertEqual(rust("/// Bytes of a block.\nfn f() {}\n/// The same uplink.\nfn g() {}\n"), [(3, "leaning")])
        self.assertEqual(rust("//! The same bytes twice.\n"), [(1, "leaning")])
        self.assertEqual(rust("record! {\n    /// The same\n    /// uplink.\n    a: u32;\n}\n"), [(2, "leaning")])
        self.assertEqual(rust("// The same ports.\nlet a = 1;\n/// Of the same cell.\nfn f() {}\n"), [])
        self.assertEqual(rust("/// Bytes of a block. The same block counts once.\nfn f() {}\n"), [])

    def test_headings(self):
        self.assertEqual(page("# Links\n\n## How links drop\n\nWhen a queue is full, packets go.\n"), [(3, "first word")])
        self.assertEqual(page("```sh\n# how to\n```\n"), [])
        self.assertEqual(rust("//! Links.\n//!\n//! # Why\n"), [(3, "first word")])


class Comments(unittest.TestCase):
    def test_strings_are_no_comments(self):
        self.assertEqual(rust('let a = "// what"; let b = r#"// how "x" "#; let c = \'"\'; // place\n'), [(1, "listed word")])
        self.assertEqual(rust("let a = '\\''; let s: &'static str = \"x\"; // told\n"), [(1, "listed word")])

    def test_marks_are_apart(self):
        self.assertEqual(len(words.comments("//! a\n//! b\n/// c\n// d\nx // e\n// f\n")), 5)


class Listed(unittest.TestCase):
    def test_whole_words(self):
        self.assertEqual(page("The place is told.\n"), [(1, "listed word")] * 2)
        self.assertEqual(page("The placement is replaced, and told-off is another word.\n"), [])
        self.assertEqual(page("Three decimal places; a scheduler has to place a block.\n"), [])
        self.assertEqual(page("Code may: `place`, [text](place.md).\n"), [])

    def test_phrases_and_their_lines(self):
        self.assertEqual(page("As there. As there is none.\n"), [(1, "listed word")])
        found = words.check_page("docs/x.md", "One thing in\nplace of another.\n")
        self.assertEqual([line for _, line, _ in found], [1])
        self.assertIn("instead of", found[0][2])
        self.assertEqual(page("| a place | b |\n"), [(1, "listed word")])


class Sentences(unittest.TestCase):
    def test_length(self):
        self.assertEqual(page(f"A {LONG}. B {SHORT[5:]}.\n"), [(1, "long sentence")])
        self.assertEqual(page(f"{SHORT}.\n"), [])
        self.assertEqual(page(f"{SHORT} `some code of` 7 = 7.\n"), [(1, "long sentence")])

    def test_the_line_is_that_of_the_beginning(self):
        self.assertEqual(page(f"One, `a. B` here.\nTwo. {LONG[:60]}\n{LONG}.\n")[0][0], 2)

    def test_lists_tables_and_code_may_be_long(self):
        self.assertEqual(page(f"- {LONG}\n  {LONG}\n\n| {LONG} |\n\n```\n{LONG}\n```\n\n1. {LONG}\n"), [])
        self.assertEqual(page(f"- item\n\nProse {LONG}\n"), [(3, "long sentence")])
        self.assertEqual(page(f"Prose:\n\n    {LONG}\n    {LONG}\n\n    {LONG}\n\nMore.\n"), [])

    def test_abbreviations_end_none(self):
        self.assertEqual(len(words.sentences(["A rate (e.g. Cubic) of RFC 9438. It grows."], 1)), 2)
        self.assertEqual(len(words.sentences(["A model. airpath has it. **Two.** `A` is one."], 1)), 4)


class Schema(unittest.TestCase):
    TEXT = "/// Nothing.\nstruct A;\nrecord! {\n    /// Nothing.\n    pub b: u8 = \"}\",\n    /// What.\n}\n// How.\n"

    def test_texts_of_the_schema_are_apart(self):
        comments, texts, _ = words.check_rust("crates/x/src/lib.rs", self.TEXT)
        self.assertEqual([line for _, line, _ in comments], [8])
        self.assertEqual([line for _, line, _ in texts], [4, 6, 6])

    def test_one_word(self):
        self.assertEqual(rust("record! {\n    /// Nothing.\n    a: u8,\n}\n"), [(2, "one word")])
        self.assertEqual(rust("/// Nothing.\nstruct A;\n"), [])


class Exempt(unittest.TestCase):
    FOUND = [("crates/a/x.rs", 1, "t"), ("crates/ab/x.rs", 1, "t")]

    def test_an_entry_covers_its_folder_alone(self):
        counts, faults = exempt.sift(self.FOUND, ["crates/a"], 1)
        self.assertEqual((counts, faults), (self.FOUND[1:], []))

    def test_the_list_only_shrinks(self):
        self.assertIn("needs no exemption", exempt.sift([], ["crates/a"], 1)[1][0])
        self.assertIn("1 allowed", exempt.sift(self.FOUND, ["crates/a", "crates/ab"], 1)[1][0])
        self.assertIn("lower MOST", exempt.sift(self.FOUND, ["crates/a"], 2)[1][0])
        self.assertIn("twice", exempt.sift(self.FOUND, ["crates/a", "crates/a/x.rs"], 2)[1][0])

    def test_entries_are_those_of_a_check(self):
        self.assertEqual(exempt.entries("# words x\nwords a # b\n\nsizes c\n", "words"), ["a"])


class Sizes(unittest.TestCase):
    def test_code_and_tests(self):
        self.assertEqual(sizes.check("crates/x/src/a.rs", "\n" * 500), [])
        self.assertEqual(len(sizes.check("crates/x/src/a.rs", "\n" * 501)), 1)
        self.assertEqual(sizes.check("crates/x/src/a_tests.rs", "\n" * 800), [])
        self.assertEqual(len(sizes.check("crates/x/tests/it/a.rs", "\n" * 801)), 1)


if __name__ == "__main__":
    unittest.main()
