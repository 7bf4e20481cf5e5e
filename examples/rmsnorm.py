"""RMSNorm of each row of a matrix: four waves share a row, f32 math on bf16 data."""

import sys

import hk
import ml_dtypes
import numpy as np

from wavewright import testing


@hk.func
def square(x):
    return x * x


@hk.kernel(grid=lambda p: (1, hk.cdiv(p.x.rows, 16)), warps=4)
def rmsnorm(x: hk.Tensor[hk.bf16], w: hk.Tensor[hk.bf16], o: hk.Tensor[hk.bf16], eps: hk.f32):
    y, wave = hk.arch.block_idx.y, hk.arch.warp_id
    t = hk.RT(hk.f32, 16, 64)
    s = hk.zeros(t.col_vec)
    for j in hk.range(wave, hk.cdiv(x.cols, 64), 4):
        s = s + hk.row_sum(square(x[hk.tile_coord(0, 0, y, j)].load(t)))
    s = hk.collective.sum(s, warps=4)
    r = hk.math.rsqrt(s / x.cols + eps)
    for j in hk.range(wave, hk.cdiv(x.cols, 64), 4):
        v = x[hk.tile_coord(0, 0, y, j)].load(t) * r
        o[hk.tile_coord(0, 0, y, j)] = (v * w[hk.elem_coord(0, 0, 0, j * 64)].load(t.row_vec)).to(
            hk.bf16
        )


def check(shape, device=None):
    """Compares the norm of a random array with numpy: (comparison, launch statistics)."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape).astype(ml_dtypes.bfloat16)
    w = rng.standard_normal(shape[-1]).astype(ml_dtypes.bfloat16)
    out = np.zeros(shape, ml_dtypes.bfloat16)
    eps = 1e-5
    statistics = rmsnorm(x, w, out, eps, device=device)
    v = x.astype(np.float64)
    scale = np.sqrt((v * v).mean(-1, keepdims=True) + np.float64(np.float32(eps)))
    reference = v / scale * w.astype(np.float64)
    bound = testing.rmsnorm_bound(x, reference, ml_dtypes.bfloat16)
    return testing.compare(out, reference, bound), statistics


def main():
    print(rmsnorm.build().report())
    good = True
    for shape in [(64, 512), (33, 1000), (5, 77)]:
        comparison, _ = check(shape)
        print(f"rmsnorm {'x'.join(map(str, shape))}: {comparison}")
        good &= comparison.ok
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
