"""Error curves of LTE's turbo code with 256QAM, from those with 64QAM: lte_bler_curves.csv and
lte_mcs_table2.csv give lte_bler_curves_256qam.csv.

    python3 lte_curves_256qam.py > lte_bler_curves_256qam.csv

No link-level results of LTE with 256QAM are published with a map. What a code needs is a mutual
information of a coded bit, which hardly depends on the modulation (L. Wan et al., "A
fading-insensitive performance metric for a unified link quality model", WCNC 2006). The curves
with 64QAM count in their published map, which lies up to 0.028 below that of the constellation.
So centre and width of a curve go by way of the SINR to the information of the constellation
(mi_map.py). There the curves of QPSK, 16QAM and 64QAM of about the same code rate agree: at rates
of 0.505 to 0.54 they need 0.073 to 0.078 more than the rate, at 0.6 both 0.075.

Between code rates, centre and width are interpolated. Code rates are those of spectral
efficiencies. What was not simulated with 64QAM (-1) is not here.
"""

import csv
from bisect import bisect_left

from mi_map import information


def read(name):
    with open(name) as file:
        return list(csv.DictReader(file))


# Points of the published map of 64QAM: information and linear SINR.
POINTS = [(float(row["mutual_information_per_bit"]), float(row["sinr_linear"]))
          for row in read("mi_map_64qam.csv")]


def of_constellation(published):
    """Information of a coded bit of 64QAM where the published map has this."""
    above = bisect_left(POINTS, (published,))
    (low, start), (high, end) = POINTS[above - 1 : above + 1]
    return information(6, start + (end - start) * (published - low) / (high - low))


def curves():
    """Centre and width by size, of the code rates with 64QAM; None where nothing was simulated."""
    rates = {row["bler_curve"]: float(row["spectral_efficiency"]) / 6
             for row in read("lte_mcs.csv") if row["modulation_bits"] == "6"}
    found = {}
    for row in read("lte_bler_curves.csv"):
        if row["curve"] in rates:
            b, c = float(row["b"]), float(row["c"])
            centre = None if c < 0 else of_constellation(b)
            width = None if c < 0 else (of_constellation(b + c) - of_constellation(b - c)) / 2
            by_size = found.setdefault(rates[row["curve"]], {})
            by_size[int(row["code_block_bits"])] = None if c < 0 else (centre, width)
    return sorted(found.items())


def main():
    known = curves()
    print("curve,modulation_bits,effective_code_rate,code_block_bits,b,c")
    for row in read("lte_mcs_table2.csv"):
        if row["modulation_bits"] != "8":
            continue
        # The last rate is the one of 64QAM but for digits: 7.41 of 8 bits, 5.55 of 6.
        rate = min(float(row["spectral_efficiency"]) / 8, known[-1][0])
        above = bisect_left([known_rate for known_rate, _ in known], rate)
        (low, below), (high, over) = known[above - 1 : above + 1]
        part = (rate - low) / (high - low)
        for bits, start in below.items():
            end = over[bits]
            b = c = -1.0
            if start and end:
                b, c = (x + part * (y - x) for x, y in zip(start, end))
            print(f"{row['bler_curve']},8,{row['code_rate']},{bits},{b:.5g},{c:.3g}")


if __name__ == "__main__":
    main()
