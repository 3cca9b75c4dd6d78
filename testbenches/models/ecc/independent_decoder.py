# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Decodes the words that the bit-true decoders got with `ldpc` (belief propagation by other authors, floating point,
another schedule). Whenever two decoders succeed they must agree; and neither may be far better than the other.

    independent_decoder.py LDPC_WORDS WORDS SEED READS:RATE...

LDPC_WORDS is the program of models/ecc/design. Fails when decoders disagree, when a success is not the word that
was written, or when tier 2 gives up words at a rate that no longer fits beside the other's.
"""

import math
import subprocess
import sys
from collections import Counter
from statistics import NormalDist

import numpy as np
import scipy.sparse
from ldpc import BpDecoder

REGIONS = {1: 1, 2: 2, 3: 2, 5: 3, 7: 4}
SPACING = {1: 0.0, 2: 0.210, 3: 0.339, 5: 0.237, 7: 0.185}  # models/ecc/decoders/soft_channel.cpp
SHORTENED = slice(16544, 16640)
ITERATIONS = 30


def parity_matrix(lines):
    """H from the base matrix, entry by entry: check r Z + j holds bit c Z + (j + shift) mod Z."""
    _, rows, columns, z = lines[0].split()
    rows, columns, z = int(rows), int(columns), int(z)
    shifts = np.array([[int(v) for v in line.split()] for line in lines[1 : rows + 1]])
    assert shifts.shape == (rows, columns)
    check, bit = [], []
    for r, c in zip(*np.nonzero(shifts >= 0)):
        j = np.arange(z)
        check.append(r * z + j)
        bit.append(c * z + (j + shifts[r, c]) % z)
    check, bit = np.concatenate(check), np.concatenate(bit)
    return scipy.sparse.csr_matrix((np.ones(len(bit), np.uint8), (check, bit)), (rows * z, columns * z)), rows


def bits_of(text):
    """Hexadecimal beats to bits, lowest first in a beat."""
    beats = np.frombuffer(bytes.fromhex(text), dtype=">u8")
    return ((beats[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).astype(np.uint8).ravel()


def wrong_probability(reads, rate):
    """Probability that a bit is wrong, by region: two Gaussians of equal width, as the channel was drawn from."""
    sigma = -1 / NormalDist().inv_cdf(rate)
    noise = NormalDist(1, sigma)
    result = []
    for region in range(REGIONS[reads]):
        near = region * SPACING[reads]
        far = math.inf if region + 1 == REGIONS[reads] else near + SPACING[reads]
        right = (1 if far == math.inf else noise.cdf(far)) - noise.cdf(near)
        wrong = noise.cdf(-near) - (0 if far == math.inf else noise.cdf(-far))
        result.append(0.5 if reads == 2 and region == 0 else wrong / (wrong + right))
    return np.array(result)


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    output = subprocess.run(sys.argv[1:], check=True, capture_output=True, text=True).stdout.splitlines()
    matrix, rows = parity_matrix(output)
    decoder = BpDecoder(
        matrix,
        error_rate=0.01,
        max_iter=ITERATIONS,
        bp_method="minimum_sum",
        ms_scaling_factor=0.75,
        schedule="serial",
        input_vector_type="syndrome",
    )
    words, ours, theirs = Counter(), Counter(), Counter()
    compared = 0
    faults = []
    for number, line in enumerate(output[rows + 1 :]):
        _, reads, rate, written, read, rel0, rel1, tier1, tier2 = line.split()
        point = (int(reads), float(rate))
        written, read = bits_of(written), bits_of(read)
        if (matrix @ written % 2).any():
            faults.append(f"word {number}: what was written is no codeword")
        probability = wrong_probability(*point)[bits_of(rel0) + 2 * bits_of(rel1)]
        probability[SHORTENED] = 1e-9
        decoder.update_channel_probs(probability)
        flips = decoder.decode((matrix @ read % 2).astype(np.uint8))
        result = {"tier 1": tier1, "tier 2": tier2}
        result = {name: bits_of(text) for name, text in result.items() if text != "-"}
        words[point] += 1
        ours[point] += "tier 2" not in result
        theirs[point] += not decoder.converge
        if decoder.converge:
            result["ldpc"] = read ^ flips
            compared += len(result) - 1
        for name, bits in result.items():
            if (bits != written).any():
                faults.append(f"word {number} ({reads} reads, {rate}): {name} made another word of it")
    for point in words:
        n = words[point]
        print(
            f"{point[0]} reads, error rate {point[1]}: given up by tier 2 {ours[point]}/{n}, by ldpc {theirs[point]}/{n}"
        )
        # Four standard deviations of the two counts' difference, and a fifth of the words: the decoders differ in
        # arithmetic, schedule and iterations, but neither may be in another league.
        pooled = (ours[point] + theirs[point]) / (2 * n)
        limit = 4 * math.sqrt(2 * n * pooled * (1 - pooled)) + 0.2 * n
        if abs(ours[point] - theirs[point]) > limit:
            faults.append(f"{point}: the two give up {ours[point]} and {theirs[point]} of {n} words")
    print(f"{sum(words.values())} words, {compared} results compared")
    if compared == 0:
        faults.append("nothing was compared")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
