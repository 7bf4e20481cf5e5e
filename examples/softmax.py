"""Softmax of each row of a matrix, any length: an online maximum and sum, then a second pass."""

import math
import sys

import hk
import ml_dtypes
import numpy as np

from wavewright import testing


@hk.kernel(grid=lambda p: (1, hk.cdiv(p.x.rows, 16)))
def softmax(x: hk.Tensor[hk.bf16], o: hk.Tensor[hk.bf16]):
    y = hk.arch.block_idx.y
    t = hk.RT(hk.f32, 16, 64)
    n = hk.cdiv(x.cols, 64)
    m = hk.full(t.col_vec, -3.0e38)  # finite: a chunk of -inf must not give inf - inf
    s = hk.zeros(t.col_vec)
    for j in hk.range(n):
        v = x[hk.tile_coord(0, 0, y, j)].load(t)
        v = hk.where(j * 64 + hk.iota_col(v) < x.cols, v, -math.inf)
        new = hk.maximum(m, hk.row_max(v))
        s = s * hk.math.exp(m - new) + hk.row_sum(hk.math.exp(v - new))
        m = new
    for j in hk.range(n):
        v = x[hk.tile_coord(0, 0, y, j)].load(t)
        o[hk.tile_coord(0, 0, y, j)] = (hk.math.exp(v - m) / s).to(hk.bf16)


def check(shape, device=None):
    """Compares the softmax of a random array with numpy: (comparison, launch statistics)."""
    x = (4 * np.random.default_rng(0).standard_normal(shape)).astype(ml_dtypes.bfloat16)
    out = np.zeros(shape, ml_dtypes.bfloat16)
    statistics = softmax(x, out, device=device)
    v = x.astype(np.float64)
    e = np.exp(v - v.max(-1, keepdims=True))
    reference = e / e.sum(-1, keepdims=True)
    bound = testing.softmax_bound(v, reference, ml_dtypes.bfloat16)
    return testing.compare(out, reference, bound), statistics


def main():
    print(softmax.build().report())
    good = True
    for shape in [(64, 512), (33, 1000), (5, 77)]:
        comparison, _ = check(shape)
        print(f"softmax {'x'.join(map(str, shape))}: {comparison}")
        good &= comparison.ok
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
