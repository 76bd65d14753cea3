"""Rates of event A3 beside those of ns-3, handovers a UE and minute.

    benches/mobility/a3.py target/release/airpath RATES.csv [--part B] [--seeds 4] [--warm-up 60]

RATES.csv has the columns part, isd_m, speed_mps, a3_offset_db, ttt_ms and handovers_per_ue_minute. Twenty cars drive
on the grid of TR 37.885, 6.1.2, among seven sites (grid.toml). In ns-3 the loss of a car counts between 30 and
120 km/h. A handover counts when it is attempted, behind the warm-up.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

SITES = {"0": "0", "200": "1", "100": "0.5"}


def scenario(row: dict[str, str]) -> str:
    """The scenario of a row."""
    text = Path(__file__).with_name("grid.toml").read_text()
    for metres, share in SITES.items():
        for sign in ("", "-"):
            text = text.replace(f'x = "{sign}{metres} m"', f'x = "{sign}{float(share) * int(row["isd_m"]):g} m"')
    kmh = 3.6 * float(row["speed_mps"])
    if kmh <= 30:
        text = text.replace('inside = "car"\n', "")
    text = text.replace('offset = "1 dB"', f'offset = "{row["a3_offset_db"]} dB"')
    text = text.replace('time_to_trigger = "300 ms"', f'time_to_trigger = "{row["ttt_ms"]} ms"')
    return text.replace('speed = "57.6 km/h"', f'speed = "{kmh:g} km/h"')


def rate(program: str, text: str, seed: int, warm_up: float, lasts: float) -> float:
    """Attempted handovers a UE and minute."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "grid.toml"
        file.write_text(text)
        keys = [f"seed={seed}", f'output.warm_up="{warm_up:g} s"', f'duration="{lasts:g} s"']
        settings = [part for key in keys for part in ("--set", key)]
        subprocess.run([program, "run", str(file), "--quiet", "--out", f"{folder}/run", *settings],
                       check=True, stdout=subprocess.DEVNULL)
        counts = json.loads((Path(folder) / "run/summary.json").read_text())["events"]["handovers"]
    attempted = counts["handovers"] + counts["command_lost"] + counts["t304_expired"]
    return attempted / counts["ue_minutes"]


def ranks(values: list[float]) -> list[float]:
    """Ranks from 0 on; equal values have the mean of theirs."""
    order = sorted(values)
    return [order.index(value) + (order.count(value) - 1) / 2 for value in values]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("rates", type=Path)
    parser.add_argument("--part", default="A")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--warm-up", type=float, default=60)
    parser.add_argument("--duration", type=float, default=180)
    arguments = parser.parse_args()
    with arguments.rates.open() as file:
        rows = [row for row in csv.DictReader(file) if row["part"] == arguments.part]
    print("| site distance, m | speed, m/s | offset, dB | time to trigger, ms | ns-3 | airpath | ratio |\n" + "|--:" * 7 + "|")
    published, found = [], []
    for row in rows:
        seeds = range(1, arguments.seeds + 1)
        text = scenario(row)
        rates = [rate(arguments.program, text, seed, arguments.warm_up, arguments.duration) for seed in seeds]
        published.append(float(row["handovers_per_ue_minute"]))
        found.append(statistics.fmean(rates))
        cells = [row[key] for key in ("isd_m", "speed_mps", "a3_offset_db", "ttt_ms")]
        cells += [f"{published[-1]:.2f}", f"{found[-1]:.2f}", f"{found[-1] / published[-1]:.2f}"]
        print("| " + " | ".join(cells) + " |", flush=True)
    ratios = [own / other for own, other in zip(found, published)]
    within = [sum(abs(ratio - 1) <= share for ratio in ratios) for share in (0.25, 0.1)]
    print(f"median ratio {statistics.median(ratios):.3f}, rank correlation "
          f"{statistics.correlation(ranks(published), ranks(found)):.3f}; of {len(rows)} settings {within[0]} within "
          f"25% and {within[1]} within 10%")


if __name__ == "__main__":
    main()
