"""Tests of the guard of instructions: its judgement, and a whole comparison without valgrind."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import count

KEPT = {"a": 1_000_000, "b": 2_000_000}


class Judgement(unittest.TestCase):
    def test_equal_counts_pass(self):
        lines, status = count.judged(KEPT, KEPT)
        self.assertEqual(status, 0)
        self.assertEqual(lines, [f"{name}: {millions} million instructions, +0.00% of {millions}"
                                 for name, millions in (("a", "1.0"), ("b", "2.0"))])

    def test_growth_passes_up_to_the_limit(self):
        self.assertEqual(count.judged(KEPT, {"a": 1_050_000, "b": 2_000_000})[1], 0)
        lines, status = count.judged(KEPT, {"a": 1_050_001, "b": 2_000_000})
        self.assertEqual(status, 1)
        self.assertIn("more than 5% above what is kept: a.", lines[-1])

    def test_a_smaller_count_passes_and_is_reported(self):
        lines, status = count.judged(KEPT, {"a": 900_000, "b": 2_000_000})
        self.assertEqual(status, 0)
        self.assertIn("more than 5% below what is kept: a.", lines[-1])

    def test_a_run_without_a_kept_count_fails(self):
        self.assertEqual(count.judged(KEPT, {"a": 1_000_000, "new": 1})[1], 1)


class Command(unittest.TestCase):
    """The whole command with counts by hand and a kept file of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.now = {"compiler": "rustc 1 x86", "valgrind": "valgrind-1"}
        self.counts = {"a": 1_000_000}
        self.skipped = self.folder / "skipped.txt"
        environment = mock.patch.dict(os.environ, {"AIRPATH_SKIPPED": str(self.skipped)})
        environment.start()
        self.addCleanup(environment.stop)
        for name, value in {
            "KEPT": self.folder / "kept.json",
            "versions": lambda: dict(self.now),
            "counted": lambda program: dict(self.counts),
        }.items():
            patch = mock.patch.object(count, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def run_it(self, action, profile="debug"):
        """The exit status and what is printed."""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            status = count.main(action, profile, "program")
        return status, printed.getvalue()

    def test_counts_are_kept_by_profile_and_compared(self):
        self.assertEqual(self.run_it("compare")[0], 1)
        self.assertEqual(self.run_it("keep")[0], 0)
        self.counts = {"a": 500_000}
        self.assertEqual(self.run_it("keep", "release")[0], 0)
        kept = json.loads((self.folder / "kept.json").read_text())
        self.assertEqual({profile: kept[profile]["instructions"]["a"] for profile in kept},
                         {"debug": 1_000_000, "release": 500_000})
        self.assertEqual(self.run_it("compare", "release")[0], 0)
        self.counts = {"a": 600_000}
        status, printed = self.run_it("compare", "release")
        self.assertEqual(status, 1)
        self.assertIn("instructions (release): a: 0.6 million instructions, +20.00% of 0.5", printed)

    def test_a_missing_program_is_named_as_skipped(self):
        self.now["valgrind"] = None
        status, printed = self.run_it("compare")
        self.assertEqual(status, 0)
        self.assertEqual(printed, "instructions: skipped, there is no valgrind\n")
        self.assertEqual(self.skipped.read_text(), "instructions: there is no valgrind\n")

    def test_other_versions_are_reported_only(self):
        self.run_it("keep")
        self.counts = {"a": 3_000_000}
        self.assertEqual(self.run_it("compare")[0], 1)
        for name in ("compiler", "valgrind"):
            before, self.now[name] = self.now[name], "other 2"
            status, printed = self.run_it("compare")
            self.now[name] = before
            self.assertEqual(status, 0)
            self.assertIn("a: 3.0 million instructions, +200.00% of 1.0", printed)
            reason = f"counts of debug are not judged: they were made with other 2, not {before}"
            self.assertIn(f"instructions: skipped, {reason}", printed)
            self.assertIn(f"instructions: {reason}", self.skipped.read_text())


class Kept(unittest.TestCase):
    def test_the_kept_file_has_the_runs_of_both_profiles(self):
        kept = json.loads(count.KEPT.read_text())
        self.assertEqual({profile: list(kept[profile]["instructions"]) for profile in kept},
                         {profile: list(count.RUNS) for profile in ("debug", "release")})


if __name__ == "__main__":
    unittest.main()
