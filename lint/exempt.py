"""Exempt files and folders of a check, which may only become fewer.

`exempt.txt` has a line for each: the check's name, a space, a file or a folder. An entry that nothing needs any
more is an error, and so is one more entry than `MOST` allows: who takes one away lowers the number.
"""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = pathlib.Path(__file__).resolve().parent / "exempt.txt"

FOLDERS = ["benches", "crates", "docs", "tests"]
# Entries of the list for each check. Lower a number as an entry goes.
MOST = {"words": 0, "sizes": 0, "schema": 0, "leaning": 0}


def files(*endings):
    """Names of the files below the folders with code and documentation that end so."""
    found = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))] + sorted(ROOT.glob("*"))
    return [path.relative_to(ROOT).as_posix() for path in found if path.name.endswith(endings) and path.is_file()]


def entries(text, check):
    """The entries of one check, in the order of the list."""
    lines = (line.split("#")[0].split() for line in text.splitlines())
    return [fields[1] for fields in lines if fields and fields[0] == check]


def covers(entry, name):
    """Says whether an entry is this file or a folder above it."""
    return name == entry or name.startswith(entry.rstrip("/") + "/")


def sift(found, names, most):
    """Splits findings (file, line, text) by the entries: (findings that count, faults of the list)."""
    counts = [finding for finding in found if not any(covers(name, finding[0]) for name in names)]
    faults = []
    for name in names:
        if not any(covers(name, finding[0]) for finding in found):
            faults.append(f"{name} needs no exemption: remove the line and lower MOST")
        if any(other != name and covers(other, name) for other in names) or names.count(name) > 1:
            faults.append(f"{name} is exempt twice: remove the line and lower MOST")
    if len(names) > most:
        faults.append(f"{len(names)} entries, {most} allowed: mend the file instead of exempting it")
    if len(names) < most:
        faults.append(f"{len(names)} entries, {most} allowed: lower MOST in lint/exempt.py")
    return counts, faults


def report(check, found):
    """Prints the findings that count and the faults of the list; the exit status."""
    counts, faults = sift(found, entries(LIST.read_text(), check), MOST[check])
    for name, line, text in counts:
        print(f"{name}:{line}: {text}")
    for fault in faults:
        print(f"lint/exempt.txt: {check}: {fault}")
    if counts:
        print(f"{check}: {len(counts)} to mend (CONTRIBUTING.md has the rules)")
    return 1 if counts or faults else 0
