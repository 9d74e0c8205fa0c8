#!/usr/bin/env python3
"""Recovers the interpolation tables of a GPU's multi-function unit (MUFU) from what it wrote on an H200.

    fit_mufu.py tests/results/data/mufu.rec.xz > src/engine/ops/mufu_tables.inc

The unit approximates every function by quadratic interpolation (S. Oberman, M. Siu, "A High-Performance Area-Efficient
Multifunction Interpolator", ARITH 2005): the top bits of the operand choose three integers, and the result's bits are

    c0 * 2^step + c1 * x + c2 * square(x) * scale + bias,   shifted right,

where x are the operand's remaining 17 bits and square() their square without the partial products' low bits. A recorded
result bounds this sum from both sides. The bounds of a segment's several hundred samples leave one set of integers: any
other differs, somewhere in the segment, by thousands of times what the bounds allow. The program fails if a segment has no
solution, or if one has several that differ.
"""
import lzma
import re
import struct
import sys

SAMPLES = 65536
# Main interval of each function's inputs, as in tests/results/mufu_results.cu, and whether it has both signs.
INTERVAL = {
    "rcp": (0x3F800000, 0x40000000, False), "rsq": (0x3F800000, 0x40800000, False), "sqrt": (0x3F800000, 0x40800000, False),
    "lg2": (0x3F000000, 0x40000000, False), "ex2": (0x3D000000, 0x43000000, True), "sin": (0x3C000000, 0x41800000, True),
    "cos": (0x3C000000, 0x41800000, True), "tanh": (0x3C000000, 0x41800000, True)}


def inputs(name):
    low, high, both = INTERVAL[name]
    state = 0xBEEF
    for i in range(SAMPLES):
        state = (state * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
        w = state >> 32
        if i < SAMPLES // 2:
            yield i // 64 << 23 | {0: 0, 1: 0x7FFFFF, 2: 0x400000, 3: 1}.get(i % 64, w >> 9)
        else:
            yield low + (w * (high - low) >> 32) | (0x80000000 if both and i & 1 else 0)


def records(path):
    data, at = lzma.open(path).read(), 0
    at = data.index(b"\n") + 1
    while at < len(data):
        end = data.index(b"\n", at)
        name, size = data[at:end].decode().split()[:2]
        yield name, data[end + 1:end + 1 + int(size)]
        at = end + 1 + int(size)


def square(x):
    """The square of a 17-bit number over 2^19, of partial products that are truncated one by one."""
    return sum(x >> (18 - i) for i in range(17) if x >> i & 1) >> 1


# A constraint is (segment, x, low, high): low <= c0 * 2^step + c1 * x + c2 * (square(x) << scale) < high.

def fraction(bits):
    return bits & 0x7FFFFF | 0x800000


def reciprocal(x, y):
    e = x >> 23
    if 0 < e < 253:
        result = fraction(y) << ((y >> 23) - (253 - e))
        yield (x >> 16 & 0x7F, (x & 0xFFFF) << 1, (result << 16) - 2 * 0x47E7, (result + 1 << 16) - 2 * 0x47E7)


def reciprocal_root(x, y):
    e = x >> 23
    if 0 < e < 255 and (x & 0xFFFFFF) != 0x800000:  # powers of 4 are exact
        half = e - 127 >> 1
        result = fraction(y) << ((y >> 23) - (126 - half))
        m = x & 0x7FFFFF | (e - 127 & 1) << 23
        yield (m >> 17, m & 0x1FFFF, (result << 16) - 0x7FFF, (result + 1 << 16) - 0x7FFF)


def root(x, y):
    e = x >> 23
    if 0 < e < 255:
        result = fraction(y) << ((y >> 23) - 127 - (e - 127 >> 1))
        m = x & 0x7FFFFF | (e - 127 & 1) << 23
        yield (m >> 17, m & 0x1FFFF, (result << 17) - 0x7FFF, (result + 1 << 17) - 0x7FFF)


def logarithm(x, y):
    e = x >> 23
    if 0 < e < 255 and x != 0x3F800000:
        # The result has 36 bits after the point, the exponent above it, and is cut to 24 bits; negative: inverted.
        shift = (y >> 23 & 0xFF) - 150 + 36
        low, high = (fraction(y) << shift, fraction(y) + 1 << shift) if shift >= 0 else (fraction(y) >> -shift, (fraction(y) >> -shift) + 1)
        if y >> 31:
            low, high = -high, -low
        base = e - 127 << 36
        yield (x >> 17 & 0x3F, x & 0x1FFFF, (low - base << 2) - 0x3345, (high - base << 2) - 0x3345)


def exponential(x, y):
    e = x >> 23 & 0xFF
    if not 0 < e < 134 or not 0 < (y >> 23) < 255:
        return
    fixed = fraction(x) << e - 127 if e >= 127 else fraction(x) >> 127 - e
    whole, part = fixed >> 23, fixed & 0x7FFFFF
    if x >> 31:
        whole, part = (-whole - 1, part ^ 0x7FFFFF) if part else (-whole, 0)
    result = fraction(y) << (y >> 23) - 127 - whole
    yield (part >> 17, part & 0x1FFFF, (result << 15) - 0x77E2, (result + 1 << 15) - 0x77E2)


def quarter_wave(x, y, cosine):
    e = x >> 23 & 0xFF
    if not 0 < e < 150:
        return
    turns = fraction(x) * fraction(0x3E22F983)  # the kernel multiplies by 1 / (2 pi), rounding toward zero
    exponent = e - 150 + 124 - 150
    cut = turns.bit_length() - 24
    turns, exponent = turns >> cut, exponent + cut
    angle = turns << exponent + 25 if exponent >= -25 else turns >> -25 - exponent
    angle = angle + (1 << 23 if cosine else 0)
    part = angle & 0x7FFFFF ^ (0x7FFFFF if angle & 0x800000 else 0)
    shift = (y >> 23 & 0xFF) - 113
    if y & 0x7FFFFFFF == 0:
        low, high = 0, 1
    else:
        low = fraction(y) << shift if shift >= 0 else fraction(y) >> -shift
        high = fraction(y) + 1 << shift if shift >= 0 else low + 1
    yield (part >> 17, part & 0x1FFFF, low, high)


# Segments of the hyperbolic tangent by binade: the binade's first segment, how many mantissa bits choose among its own.
TANH = {-8: (0, 0), -7: (1, 0), -6: (2, 0), -5: (3, 1), -4: (5, 1), -3: (7, 2), -2: (11, 2), -1: (15, 2), 0: (19, 3), 1: (27, 4),
        2: (43, 3)}


def hyperbolic_tangent(x, y):
    e = (x >> 23 & 0xFF) - 127
    if e in TANH:
        first, bits = TANH[e]
        m = x & 0x7FFFFF
        shift = (y >> 23 & 0xFF) - 111
        low = fraction(y) << shift if shift >= 0 else fraction(y) >> -shift
        high = fraction(y) + 1 << shift if shift >= 0 else low + 1
        yield (first + (m >> 23 - bits), (m & (1 << 23 - bits) - 1) >> 6 - bits, low, high)


FUNCTIONS = [  # name, number of segments, step, scale, recorded functions with their constraints
    ("reciprocal", 128, 14, 1, [("rcp", reciprocal)]),
    ("reciprocal_root", 128, 14, 2, [("rsq", reciprocal_root)]),
    ("root", 128, 15, 1, [("sqrt", root)]),
    ("logarithm", 64, 12, 1, [("lg2", logarithm)]),
    ("exponential", 64, 13, 0, [("ex2", exponential)]),
    ("quarter_wave", 64, 11, 0, [("sin", lambda x, y: quarter_wave(x, y, False)), ("cos", lambda x, y: quarter_wave(x, y, True))]),
    ("hyperbolic_tangent", 51, 15, 0, [("tanh", hyperbolic_tangent)]),
]


def least_squares(points):
    """c1 and c2 of the parabola through the middles of the bounds; narrow bounds weigh more."""
    narrow = min(p[3] - p[2] for p in points)
    weight = [(narrow / (p[3] - p[2])) ** 2 for p in points]
    total = sum(weight)

    def centred(values):
        values = list(values)
        mean = sum(w * v for w, v in zip(weight, values)) / total
        return [v - mean for v in values]

    x, q = centred(p[0] / 65536 for p in points), centred(p[1] / 65536 for p in points)
    y = centred((p[2] + p[3]) / 2 for p in points)
    dot = lambda a, b: sum(w * m * n for w, m, n in zip(weight, a, b))
    xx, qq, xq, xy, qy = dot(x, x), dot(q, q), dot(x, q), dot(x, y), dot(q, y)
    det = xx * qq - xq * xq
    return (xy * qq - qy * xq) / det / 65536, (qy * xx - xy * xq) / det / 65536


def solutions(points, step):
    """All integers (c0, c1, c2) near the fit that satisfy the bounds of (x, square, low, high)."""
    c1_fit, c2_fit = least_squares(points)
    slope = points[-1]
    for c2 in range(round(c2_fit) - 6, round(c2_fit) + 7):
        c1_near = c1_fit + (c2_fit - c2) * slope[1] / max(slope[0], 1)
        for c1 in range(round(c1_near) - 12, round(c1_near) + 13):
            low, high = -1 << 62, 1 << 62
            for x, sq, a, b in points:
                t = c1 * x + c2 * sq
                if a - t > low:
                    low = a - t
                if b - t < high:
                    high = b - t
                if low >= high:
                    break
            else:
                for c0 in range(-(-low >> step), (high - 1 >> step) + 1):
                    yield c0, c1, c2


def main():
    recorded = dict(records(sys.argv[1]))
    print("// Made by tools/fit_mufu.py from tests/results/data/mufu.rec.xz: {c0, c1, c2} of each segment.")
    for name, segments, step, scale, sources in FUNCTIONS:
        points = [[] for _ in range(segments)]
        for source, constraint in sources:
            results = struct.unpack(f"<{SAMPLES}I", recorded["mufu_" + source])
            for x, y in zip(inputs(source), results):
                for segment, rest, low, high in constraint(x, y):
                    points[segment].append((rest, square(rest) << scale, low, high))
        print(f"constexpr Segment k_{name}[{segments}] = {{".replace("k_" + name, "k" + re.sub("_?([a-z]+)", lambda m: m[1].title(), name)))
        for segment, samples in enumerate(points):
            samples.sort()
            found = list(solutions(samples, step))
            if len(found) != 1:
                sys.exit(f"{name}, segment {segment}: {len(found)} solutions of {len(samples)} samples: {found[:3]}")
            print("    {%d, %d, %d}," % found[0])
        print("};")


main()
