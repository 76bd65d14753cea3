"""Cost of a handover for flows of each congestion control, with LTE and NR, with forwarding and without.

    benches/mobility/cost.py target/release/airpath [--seeds 6] [--only NR]

Ten cars drive at 60 km/h through 21 cells for a minute; each has one flow downlink. `Prague` and `SCReAM` have a
bearer that marks ECN. A value is the mean over handovers behind the warm-up, those that failed included. Its 95%
interval is over seeds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

# Quantiles of Student's distribution for a 95% interval, by degrees of freedom.
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}
MARKS = 'bearer.own.queue="ramp"'
FLOWS = {
    "CUBIC": ['flow.flow.tcp.controller="cubic"'],
    "BBR": ['flow.flow.tcp.controller="bbr"'],
    "Prague": ['flow.flow.tcp.controller="prague"', MARKS],
    "SCReAM": ['flow.flow.kind="rtp"', 'flow.flow.rtp.congestion_control="scream"', "flow.flow.rtp.video={}", MARKS],
}
HEAD = ["flow", "technology", "forwarding", "handovers", "failed, %", "mean gap, ms", "packets lost",
        "timeouts", "spurious", "late frames", "Mbit/s"]


def ran(program: str, seed: int, keys: list[str]) -> dict:
    """The summary of a run."""
    with tempfile.TemporaryDirectory() as folder:
        settings = [part for key in [f"seed={seed}", *keys] for part in ("--set", key)]
        scenario = Path(__file__).with_name("drive.toml")
        subprocess.run([program, "run", str(scenario), "--quiet", "--out", folder, *settings],
                       check=True, stdout=subprocess.DEVNULL)
        return json.loads((Path(folder) / "summary.json").read_text())


def costs(summary: dict) -> list[float | None]:
    """Handovers, share that failed, and means for a handover; none of those that a flow has not."""
    flows = [flow["handovers"] for flow in summary["flows"]]
    failures = sum(flow["failures"] for flow in flows)
    changes = failures + sum(flow["handovers"] for flow in flows)
    waits = [(flow["gap_ms"]["mean"], flow["gaps"]) for flow in flows if flow["gaps"]]
    gaps, waited = sum(count for _, count in waits), sum(mean * count for mean, count in waits)

    def each(key: str) -> float | None:
        known = [flow[key] for flow in flows if flow.get(key) is not None]
        return sum(known) / changes if known and changes else None

    rate = statistics.fmean(flow["goodput_bps"] for flow in summary["flows"]) / 1e6
    return [changes, 100 * failures / changes if changes else None, waited / gaps if gaps else None,
            each("lost_packets"), each("timeouts"), each("spurious_timeouts"), each("late_frames"), rate]


def interval(values: list[float | None]) -> str:
    """The mean and its 95% interval."""
    known = [value for value in values if value is not None]
    if not known:
        return "-"
    mean = statistics.fmean(known)
    if len(known) == 1:
        return f"{mean:.3g}"
    half = STUDENT[min(len(known) - 1, 9)] * statistics.stdev(known) / len(known) ** 0.5
    return f"{mean:.3g} ± {half:.2g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--only", default="", help="a technology or a flow")
    arguments = parser.parse_args()
    print("| " + " | ".join(HEAD) + " |\n" + "|---" * len(HEAD) + "|")
    for technology in ("LTE", "NR"):
        for name, keys in FLOWS.items():
            if arguments.only not in ("", technology, name):
                continue
            for forwarding in ("true", "false"):
                own = [*keys, f'cell.technology="{technology.lower()}"', f"network.handover.forwarding={forwarding}"]
                runs = [costs(ran(arguments.program, seed, own)) for seed in range(1, arguments.seeds + 1)]
                cells = [str(round(sum(run[0] for run in runs))), *map(interval, list(zip(*runs))[1:])]
                words = {"true": "yes", "false": "no"}[forwarding]
                print("| " + " | ".join([name, technology, words, *cells]) + " |", flush=True)


if __name__ == "__main__":
    main()
