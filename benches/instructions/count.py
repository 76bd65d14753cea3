"""Instructions of short runs, counted by valgrind and compared with those that are kept.

    count.py compare PROFILE PROGRAM      fails if a run has more instructions than LIMIT allows
    count.py keep PROFILE PROGRAM         writes the counts to kept.json

A count repeats to a millionth on one machine, whatever else the machine does. It depends on the compiler and on
valgrind, whose versions stand beside the counts. With other versions the differences are printed and not judged.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = pathlib.Path(__file__).resolve().parent / "kept.json"

# Largest growth of a count that passes, in percent of the kept count.
LIMIT = 5

# Runs by name: a scenario file, and keys that shorten it. Flows of the network send from its start, as its library of
# fading costs more than half of the instructions.
RUNS = {
    "experiment 1": ("studies/rate-delay/exp1.toml", []),
    "experiment 3": ("studies/rate-delay/exp3-audio.toml", ['duration="5 s"']),
    "L4S network": ("scenarios/l4s-network.toml",
                    ['duration="0.6 s"', 'flow.video.start="0 s"', 'flow.web.start="0 s"']),
    "full buffer": ("scenarios/full-buffer.toml", ['duration="2 s"']),
    "NR cell": ("scenarios/cloud-gaming.toml", ['duration="2 s"']),
}


def version(command, pattern):
    """The version that a program prints; none if the program is not installed."""
    try:
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    found = re.search(pattern, printed, re.DOTALL)
    return " ".join(found.groups()) if found else None


def versions():
    """Versions of the compiler, with its target, and of valgrind."""
    compiler = version([os.environ.get("RUSTC", "rustc"), "-vV"], r"(rustc [^\n]*).*host: (\S+)")
    return {"compiler": compiler, "valgrind": version(["valgrind", "--version"], r"(valgrind\S*)")}


def instructions(program, scenario, keys):
    """Instructions of one run on one thread, from its start to its end.

    Cachegrind without its caches is the cheapest tool of valgrind that counts each instruction.
    """
    sets = [word for key in keys for word in ("--set", key)]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={folder}/out",
             program, "run", scenario, *sets, "--quiet", "--threads", "1"],
            cwd=ROOT, capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    found = re.search(r"I +refs: +([\d,]+)", done.stderr)
    if done.returncode or not found:
        raise SystemExit(f"instructions: {scenario} failed under valgrind:\n{done.stderr}")
    return int(found.group(1).replace(",", ""))


def counted(program):
    """Instructions of all runs, by name, with as many runs at a time as there are cores."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = pool.map(lambda run: instructions(program, *run), RUNS.values())
        return dict(zip(RUNS, counts))


def judged(kept, counts):
    """Judgement of counts by those that are kept: (lines to print, the exit status)."""
    lines, grown, fallen = [], [], []
    for name, count in counts.items():
        before = kept.get(name)
        if before is None:
            grown.append(name)
            lines.append(f"{name}: {count / 1e6:.1f} million instructions, none kept")
            continue
        grown += [name] * (100 * (count - before) > LIMIT * before)
        fallen += [name] * (100 * (before - count) > LIMIT * before)
        change = 100 * (count / before - 1)
        lines.append(f"{name}: {count / 1e6:.1f} million instructions, {change:+.2f}% of {before / 1e6:.1f}")
    if grown:
        lines.append(f"more than {LIMIT}% above what is kept: {', '.join(grown)}. Mend the code, or give the reason in "
                     "a commit of `make instructions-keep`")
    if fallen:
        lines.append(f"more than {LIMIT}% below what is kept: {', '.join(fallen)}. Run `make instructions-keep`")
    return lines, 1 if grown else 0


def skip(reason):
    """Names the guard among the parts that could not run; the exit status."""
    print(f"instructions: skipped, {reason}")
    if path := os.environ.get("AIRPATH_SKIPPED"):
        with open(path, "a") as file:
            print(f"instructions: {reason}", file=file)
    return 0


def main(action, profile, program):
    """Counts, then compares or keeps; the exit status."""
    now = versions()
    if missing := [name for name, found in now.items() if found is None]:
        return skip(f"there is no {' and no '.join(missing)}")
    counts = counted(pathlib.Path(program).resolve())
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if action == "keep":
        KEPT.write_text(json.dumps({**kept, profile: {**now, "instructions": counts}}, indent=2) + "\n")
        return 0
    if profile not in kept:
        print(f"instructions: none are kept of {profile}: make instructions-keep")
        return 1
    lines, status = judged(kept[profile]["instructions"], counts)
    for line in lines:
        print(f"instructions ({profile}): {line}")
    if others := [f"{found}, not {kept[profile][name]}" for name, found in now.items() if found != kept[profile][name]]:
        return skip(f"counts of {profile} are not judged: they were made with {'; '.join(others)}")
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
