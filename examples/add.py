"""The first kernel: o = a + b over tiles of 16 rows and 64 columns, one wave a tile."""

import sys

import hk
import ml_dtypes
import numpy as np

from wavewright import testing


@hk.kernel(grid=lambda p: (hk.cdiv(p.o.cols, 64), hk.cdiv(p.o.rows, 16), p.o.batch))
def add(a: hk.Tensor[hk.bf16], b: hk.Tensor[hk.bf16], o: hk.Tensor[hk.bf16]):
    idx = hk.tile_coord(hk.arch.block_idx.z, 0, hk.arch.block_idx.y, hk.arch.block_idx.x)
    t = hk.RT(hk.bf16, 16, 64)
    o[idx] = a[idx].load(t) + b[idx].load(t)


def check(shape, device=None):
    """Adds two random arrays of ``shape`` and compares: (comparison, launch statistics)."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(ml_dtypes.bfloat16) for _ in range(2))
    out = np.zeros(shape, ml_dtypes.bfloat16)
    statistics = add(a, b, out, device=device)
    reference = a.astype(np.float64) + b.astype(np.float64)
    bound = testing.relative_bound(reference, 1, ml_dtypes.bfloat16)
    return testing.compare(out, reference, bound), statistics


def main():
    print(add.trace().dump())
    print(add.build().report())
    worst = True
    for shape in [(512, 512), (1000, 77), (2, 1, 33, 100)]:
        comparison, _ = check(shape)
        print(f"add {'x'.join(map(str, shape))}: {comparison}")
        worst &= comparison.ok
    return 0 if worst else 1


if __name__ == "__main__":
    sys.exit(main())
