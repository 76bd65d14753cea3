"""Sizes of Rust files: at most 500 lines, 800 in tests.

Clippy counts the lines of functions (`too_many_lines`, clippy.toml).
"""

import sys

import exempt

CODE = 500
TESTS = 800


def is_test(name):
    """Says whether a file has nothing but tests."""
    *folders, file = name.split("/")
    return "tests" in folders or file == "tests.rs" or file.endswith("_tests.rs")


def check(name, text):
    """Findings of a file: none or one."""
    most = TESTS if is_test(name) else CODE
    lines = text.count("\n")
    if lines > most:
        return [(name, most + 1, f"{lines} lines, at most {most}: give a part of it a file of its own")]
    return []


def main():
    """Checks all Rust files of the working tree; the exit status."""
    found = [finding for name in exempt.files(".rs") for finding in check(name, (exempt.ROOT / name).read_text())]
    return exempt.report("sizes", found)


if __name__ == "__main__":
    sys.exit(main())
