"""Error curves of NR's code blocks from link-level results: nr_bler_5g_lena.csv and
nr_bler_sionna.csv become nr_curves.csv.

    python3 nr_curves.py

A curve is the distribution function of a normal variable: block error rate =
0.5 erfc((snr_db - centre_db) / (sqrt(2) width_db)), width_db = spread / sqrt(bits). Spread
hardly depends on the size, as the normal approximation has it (Y. Polyanskiy et al., "Channel
coding rate in the finite blocklength regime", IEEE Trans. Inf. Theory 56 (5), 2010).

5G-LENA: each size that was simulated has its own fit, a straight line through the inverse
normal of its points, each weighted by how well its count of errors determines it.

Sionna: points lie 1.3 to 1.8 dB apart, wider than the curves of long blocks. Points of both MCS
tables count together. 24 and 100 bits have a fit of their own. 500 bits and more share centre
and spread, of largest likelihood; the spread is not below that of 100 bits.

What was not simulated (column `simulated` is 0):
- sizes beyond the simulated ones: as far from the next lower code rate of the same modulation
  (of its lowest, from the next lower efficiency) as at the nearest simulated size, with that
  size's spread;
- code rates below those of Sionna: as far from the mutual information of the channel
  (mi_map.py) as the least one.
"""

import csv
import math
from collections import defaultdict
from statistics import NormalDist

from mi_map import information

NORMAL = NormalDist()
# MCS of TS 38.214, tables 5.1.3.1-1 and 5.1.3.1-2, together.
RATES = {
    2: [120, 157, 193, 251, 308, 379, 449, 526, 602, 679],
    4: [340, 378, 434, 490, 553, 616, 658],
    6: [438, 466, 517, 567, 616, 666, 719, 772, 822, 873, 910, 948],
    8: [682.5, 711, 754, 797, 841, 885, 916.5, 948],
}
# Sizes at which a curve is made up where none was simulated.
ANCHORS = {1: [296, 576, 1152, 2304, 4608, 8424], 2: [24, 48, 96, 192, 292, 576, 1152, 2304, 3824]}


def read(name):
    """Points by (modulation, code rate, base graph or 0, bits)."""
    points = defaultdict(list)
    with open(name) as file:
        for row in csv.DictReader(file):
            graph = int(row.get("base_graph", 0))
            key = (int(row["modulation_bits"]), float(row["code_rate_x1024"]), graph)
            snr = float(row.get("sinr_db") or row["snr_db"])
            points[key + (int(row["block_bits"]),)].append((snr, float(row["bler"])))
    return points


def fit(points):
    """Centre and width of one curve; None where fewer than two points say something."""
    said = [(x, NORMAL.inv_cdf(y), y) for x, y in points if 0.0005 < y < 0.9995]
    if len(said) < 2:
        return None
    weights = [NORMAL.pdf(z) ** 2 / (y * (1 - y)) for _, z, y in said]
    total = sum(weights)
    x_mean = sum(w * x for w, (x, _, _) in zip(weights, said)) / total
    z_mean = sum(w * z for w, (_, z, _) in zip(weights, said)) / total
    xx = sum(w * (x - x_mean) ** 2 for w, (x, _, _) in zip(weights, said))
    xz = sum(w * (x - x_mean) * (z - z_mean) for w, (x, z, _) in zip(weights, said))
    slope = xz / xx
    return (x_mean - z_mean / slope, -1 / slope) if slope < 0 else None


def unlikelihood(by_size, centre, spread):
    """Of the points of several sizes; up to a factor, the number of trials of a point."""
    result = 0.0
    for bits, points in by_size.items():
        for x, y in points:
            z = (x - centre) * math.sqrt(bits) / spread
            error = min(max(0.5 * math.erfc(z / math.sqrt(2)), 1e-9), 1 - 1e-9)
            result -= y * math.log(error) + (1 - y) * math.log(1 - error)
    return result


def long_blocks(by_size, least_spread):
    """Common centre and spread: the middle of the centres that are equally likely."""
    start = min(x for points in by_size.values() for x, _ in points)
    best = []
    for spread in (least_spread * (1 + 0.05 * n) for n in range(9)):
        likely = [(unlikelihood(by_size, start + 0.01 * n, spread), n) for n in range(500)]
        least = min(likely)[0]
        same = [n for value, n in likely if value < least + 1e-7]
        best.append((least, spread, start + 0.01 * sum(same) / len(same)))
    _, spread, centre = min(best)
    return centre, spread


def five_g_lena():
    curves = defaultdict(dict)
    for (modulation, rate, graph, bits), points in read("nr_bler_5g_lena.csv").items():
        found = fit(sorted(points))
        if found:
            curves[modulation, rate, graph][bits] = (found[0], found[1] * math.sqrt(bits), 1)
    return curves


def sionna():
    points = read("nr_bler_sionna.csv")
    curves = defaultdict(dict)
    for modulation, rate, graph in sorted({key[:3] for key in points}):
        key = (modulation, rate, graph)
        for bits in (24, 100):
            centre, width = fit(sorted(points[key + (bits,)]))
            curves[key][bits] = (centre, width * math.sqrt(bits), 1)
        by_size = {bits: points[key + (bits,)] for bits in (500, 1000, 2000)}
        centre, spread = long_blocks(by_size, curves[key][100][1])
        for bits in by_size:
            curves[key][bits] = (centre, spread, 1)
    lowest = curves[2, 251.0, 0]
    for rate in (120.0, 157.0, 193.0):
        less = needed(251.0) - needed(rate)
        curves[2, rate, 0] = {n: (c - less, s, 0) for n, (c, s, _) in lowest.items()}
    return curves


def needed(rate):
    """SNR in dB at which a bit of QPSK has a mutual information."""
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        if information(2, 10 ** (middle / 10)) < rate / 1024:
            low = middle
        else:
            high = middle
    return high


def centre_at(curve, bits):
    """Between sizes, in proportion to 1 / sqrt(bits)."""
    sizes = sorted(curve)
    above = next((n for n, size in enumerate(sizes) if size >= bits), len(sizes))
    if above in (0, len(sizes)):
        return curve[sizes[min(above, len(sizes) - 1)]][0]
    below, above = sizes[above - 1], sizes[above]
    x = lambda size: 1 / math.sqrt(size)
    part = (x(bits) - x(below)) / (x(above) - x(below))
    return curve[below][0] + part * (curve[above][0] - curve[below][0])


def range_of(graph, rate):
    """Sizes that occur with a base graph (TS 38.212, 6.2.2 and 5.2.2)."""
    if graph == 2:
        return (24, 292) if rate > 0.67 * 1024 else (24, 3824)
    return (296, 8424) if rate > 0.67 * 1024 else (3832, 8424)


def next_lower(modulation, rate):
    """The next lower code rate of a modulation; of its lowest, the next lower efficiency."""
    if rate != RATES[modulation][0]:
        return modulation, float(max(r for r in RATES[modulation] if r < rate))
    lower = [(b * r, b, float(r)) for b in RATES if b < modulation for r in RATES[b]]
    return max(one for one in lower if one[0] < modulation * rate)[1:] if lower else None


def fill(curves):
    for modulation, rates in RATES.items():
        for rate in rates:
            lower = next_lower(modulation, rate)
            simulated = [
                (bits, graph, curve)
                for graph in (1, 2)
                for bits, curve in curves.get((modulation, float(rate), graph), {}).items()
            ]
            for graph in (1, 2):
                if graph == 1 and rate <= 256:
                    continue
                own = curves[modulation, float(rate), graph]
                least, most = range_of(graph, rate)
                known = list(own)
                for bits in [n for n in ANCHORS[graph] if least <= n <= most]:
                    if known and min(known) / 1.2 <= bits <= max(known) * 1.2:
                        continue
                    near = min(simulated, key=lambda s: (abs(math.log(s[0] / bits)), s[1] != graph))
                    of_lower = lambda g, n: centre_at(curves[lower + (g,)], n)
                    more = near[2][0] - of_lower(near[1], near[0])
                    own[bits] = (of_lower(graph, bits) + more, near[2][1], 0)


def main():
    lena = five_g_lena()
    fill(lena)
    with open("nr_curves.csv", "w") as file:
        print("set,modulation_bits,code_rate_x1024,base_graph,block_bits,", end="", file=file)
        print("centre_db,spread,simulated", file=file)
        for number, curves in ((0, lena), (1, sionna())):
            for key in sorted(curves):
                for bits, (centre, spread, simulated) in sorted(curves[key].items()):
                    start = f"{number},{key[0]},{key[1]:g},{key[2]},{bits}"
                    print(f"{start},{centre:.3f},{spread:.2f},{simulated}", file=file)


if __name__ == "__main__":
    main()
