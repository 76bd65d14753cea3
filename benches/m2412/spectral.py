"""Spectral efficiency in test environments of Report ITU-R M.2412 beside the minima of Report ITU-R M.2410.

    benches/m2412/spectral.py target/release/airpath [--drops 4] [--only urban] [--rows down,up,shared]

Rows: `down` and `up` are one FDD run, of up to four layers to one UE and of up to two from it. `shared` is TDD with
layers to several UEs by sounding. Each drop has its own seed. The mean and its 95% interval are over drops.

The average is the sum of bits of decoded blocks over seconds, bandwidth and cells (M.2410, 4.5). A user's own is its
bits over seconds and bandwidth, of which the 5th percentile counts (M.2410, 4.4). With TDD the bandwidth counts by the
share of the symbols downlink. The guard symbols count as downlink.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

# M.2410, tables 3 and 4 (5th percentile, then average): downlink and uplink.
MINIMA = {
    "indoor": {"down": (0.3, 9.0), "up": (0.21, 6.75)},
    "urban": {"down": (0.225, 7.8), "up": (0.15, 5.4)},
    "rural": {"down": (0.12, 3.3), "up": (0.045, 1.6)},
}
# Quantiles of Student's distribution for a 95% interval, by degrees of freedom.
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}
# DDDSU with 10:2:2: of 70 symbols 42 and 10 are downlink, 2 guard.
TDD_SHARE = 54 / 70
SHARED = [
    'cell.tti="mu1"', 'cell.bandwidth="20 MHz"', 'cell.duplex="tdd"', 'cell.tdd_pattern="DDDSU"',
    'cell.special_slot="10:2:2"', "cell.dmrs_elements=24", "cell.x_overhead=6",
    'cell.mu_mimo={ kind = "srs", layers = 12, period = "5 ms", delay = "2 ms" }',
]


def ran(program: str, scenario: Path, seed: int, keys: list[str], power: float) -> dict:
    """The summary of a run."""
    with tempfile.TemporaryDirectory() as folder:
        settings = [part for key in [f"seed={seed}", *keys] for part in ("--set", key)]
        if power:
            settings += ["--set", f'network.transmit_power="{power:g} dBm"']
        subprocess.run(
            [program, "run", str(scenario), "--quiet", "--out", folder, *settings],
            check=True, stdout=subprocess.DEVNULL)
        return json.loads((Path(folder) / "summary.json").read_text())


def efficiencies(summary: dict, direction: str, hertz: float) -> tuple[float, float]:
    """The 5th percentile of users and the average of cells, bit/s/Hz."""
    users = sorted((ue[direction].get("throughput_bps") or 0.0) / hertz for ue in summary["ues"])
    cells = [(cell[direction].get("throughput_bps") or 0.0) / hertz for cell in summary["cells"]]
    at = 0.05 * (len(users) - 1)
    low = users[int(at)] + (at - int(at)) * (users[int(at) + 1] - users[int(at)])
    return low, statistics.fmean(cells)


def verdict(mean: float, half: float, least: float) -> str:
    """Whether a mean with its interval holds a minimum."""
    if mean - half >= least:
        return "holds"
    return "fails" if mean + half < least else "open"


def line(name: str, row: str, found: list[tuple[float, float]]) -> None:
    """A row of the table."""
    least = MINIMA[name.split("-")[0]]["up" if row == "up" else "down"]
    cells = []
    for figures, minimum in zip(zip(*found), least):
        mean = statistics.fmean(figures)
        half = 0.0
        if len(figures) > 1:
            half = STUDENT[len(figures) - 1] * statistics.stdev(figures) / len(figures) ** 0.5
        cells.append(f"{mean:.3g} ± {half:.2g} | {minimum:g} | {verdict(mean, half, minimum)}")
    print(f"| {name}, {row} | {cells[1]} | {cells[0]} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--drops", type=int, default=4, choices=range(1, 11))
    parser.add_argument("--only", action="append", help="a scenario's name, any number of times")
    parser.add_argument("--rows", default="down,up,shared")
    given = parser.parse_args()
    rows = given.rows.split(",")
    begun = time.process_time()
    print("| set-up | average | minimum | | 5th percentile | minimum | |\n|---|---|---|---|---|---|---|")
    for scenario in sorted(Path(__file__).parent.glob("*.toml")):
        name = scenario.stem
        if given.only and name not in given.only:
            continue
        drops = range(1, given.drops + 1)
        if {"down", "up"} & set(rows):
            runs = [ran(given.program, scenario, seed, [], 0) for seed in drops]
            for row in (row for row in ("down", "up") if row in rows):
                line(name, row, [efficiencies(run, row, 10e6) for run in runs])
        if "shared" in rows:
            # Twice the bandwidth has 3 dB more power (M.2412, table 5).
            power = {"indoor": 24, "urban": 44}.get(name, 49)
            runs = [ran(given.program, scenario, seed, SHARED, power) for seed in drops]
            line(name, "shared", [efficiencies(run, "down", 20e6 * TDD_SHARE) for run in runs])
    print(f"{time.process_time() - begun:.0f} s of the script itself")


if __name__ == "__main__":
    main()
