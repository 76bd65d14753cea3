"""Mutual information of a coded bit against SINR, for QPSK, 16QAM, 64QAM and 256QAM with Gray
labels and bit-interleaved coded modulation (G. Caire et al., "Bit-interleaved coded modulation",
IEEE Trans. Inf. Theory 44 (3), 1998), equally likely symbols, white Gaussian noise.

    python3 mi_map.py > nr_maps.csv

A square QAM of b bits is two amplitude modulations of b / 2 bits each. What a bit lacks to full
information is the integral of p(y) h(P(bit = 1 | y)), h the binary entropy; trapezoidal rule,
which converges exponentially here (half the step changes it by less than 1e-15).

Points lie where the upper bits of a float change: 32 in each octave from 2^-8 to 2^12.
"""

import math


def lacking(bits, sinr, nodes_a_deviation=8):
    """What a bit lacks to full information, at a linear SINR."""
    half = bits // 2
    count = 1 << half
    levels = [2 * i - count + 1 for i in range(count)]
    energy = sum(level * level for level in levels) / count
    labels = [i ^ (i >> 1) for i in range(count)]
    # SINR = 2 energy / N0, the variance of the noise in one dimension N0 / 2.
    deviation = math.sqrt(energy / sinr)
    step = deviation / nodes_a_deviation
    # Levels further away than 9 deviations add less than 1e-17; by symmetry, half the axis.
    end = int((levels[-1] + 9 * deviation) / step) + 1
    lost = 0.0
    for n in range(end + 1):
        y = n * step
        density = total = 0.0
        ones = [0.0] * half
        for level, label in zip(levels, labels):
            z = (y - level) / deviation
            if abs(z) > 9:
                continue
            p = math.exp(-0.5 * z * z)
            total += p
            for k in range(half):
                if label >> k & 1:
                    ones[k] += p
        entropy = 0.0
        for p in ones:
            q = p / total if total else 0.0
            if 0.0 < q < 1.0:
                entropy -= q * math.log2(q) + (1.0 - q) * math.log2(1.0 - q)
        lost += total * entropy * (0.5 if n == 0 else 1.0)
    scale = 2 * step / (deviation * math.sqrt(2.0 * math.pi) * count)
    return lost * scale / half


def information(bits, sinr):
    """Mutual information of a coded bit, at a linear SINR."""
    return 1.0 - lacking(bits, sinr)


def main():
    print("sinr_linear,lacking_qpsk,lacking_16qam,lacking_64qam,lacking_256qam")
    for octave in range(-8, 12):
        for part in range(32):
            row(2.0**octave * (1 + part / 32))
    row(2.0**12)


def row(sinr):
    cells = (f"{lacking(bits, sinr):.6e}" for bits in (2, 4, 6, 8))
    print(f"{sinr:.9g}", *cells, sep=",")


if __name__ == "__main__":
    main()
