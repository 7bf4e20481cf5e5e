"""GEMM for every chip from one source: C[M,N] = A[M,K] @ B[N,K]^T with f32 accumulation.

Four waves in a 2 by 2 grid share tiles of A and B in LDS. ``make_gemm`` is a Python function of the
dtypes that returns the kernel: its annotations close over the function's arguments.
"""

import functools
import sys

import hk
import ml_dtypes
import numpy as np

from wavewright import testing

NUMPY = {hk.bf16: ml_dtypes.bfloat16, hk.fp16: np.float16, hk.f32: np.float32}


@functools.cache
def make_gemm(element=hk.bf16, result=hk.f32):
    """A kernel for inputs of ``element`` (bf16, fp16) and an output of ``result`` (f32, bf16)."""

    @hk.kernel(
        grid=lambda p: (hk.cdiv(p.c.cols, p.BN), hk.cdiv(p.c.rows, p.BM), p.c.batch), warps=4
    )
    def gemm(
        a: hk.Tensor[element], b: hk.Tensor[element], c: hk.Tensor[result], *, BM=128, BN=128, BK=32
    ):
        x, y, z = hk.arch.block_idx.x, hk.arch.block_idx.y, hk.arch.block_idx.z
        wm, wn = hk.arch.warp_id // 2, hk.arch.warp_id % 2
        sa, sb = hk.lds.alloc(hk.ST(element, BM, BK)), hk.lds.alloc(hk.ST(element, BN, BK))
        acc = hk.zeros(hk.RT(hk.f32, BM // 2, BN // 2))
        for k in hk.range(hk.cdiv(a.cols, BK)):
            hk.group(4).load(sa, a[hk.tile_coord(z, 0, y, k)])
            hk.group(4).load(sb, b[hk.tile_coord(z, 0, x, k)])
            hk.arch.barrier()
            ra = sa.sub(BM // 2, BK, wm, 0).load(hk.RT(element, BM // 2, BK))
            rb = sb.sub(BN // 2, BK, wn, 0).load(hk.RT(element, BN // 2, BK))
            acc = hk.mma_ABt(ra, rb, acc)  # acc += ra @ rb.T is the same
            hk.arch.barrier()
        c[hk.tile_coord(z, 0, y * 2 + wm, x * 2 + wn)] = acc.to(result)

    return gemm


def check(m, n, k, element=hk.bf16, result=hk.f32, device=None):
    """Compares a random product with numpy: (comparison, launch statistics)."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal((m, k)).astype(NUMPY[element])
    b = rng.standard_normal((n, k)).astype(NUMPY[element])
    c = np.zeros((m, n), NUMPY[result])
    statistics = make_gemm(element, result)(a, b, c, device=device)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64).T
    return testing.compare(
        c, wide_a @ wide_b, testing.dot_bound(wide_a, wide_b, NUMPY[result])
    ), statistics


def main():
    print(make_gemm().build().report())
    good = True
    for shape in [(256, 256, 256), (200, 136, 72), (77, 131, 45)]:
        for element, result in [(hk.bf16, hk.f32), (hk.fp16, hk.f32), (hk.bf16, hk.bf16)]:
            comparison, _ = check(*shape, element, result)
            print(f"gemm {'x'.join(map(str, shape))} {element} -> {result}: {comparison}")
            good &= comparison.ok
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
