"""A large matrix product on the built-in device: seconds of emulation, and how work-groups scale.

python bench/gemm.py [--chip gfx950] [--size 4096] [--matrix fast|exact] [--threads N]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import hk
import ml_dtypes
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
from gemm import make_gemm  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chip", default="gfx950")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--matrix", choices=["fast", "exact"], default="fast")
    parser.add_argument("--threads", type=int, default=0, help="0: all that the host has")
    options = parser.parse_args()

    n = options.size
    random = np.random.default_rng(0)
    a, b = ((random.random((n, n), np.float32) - 0.5).astype(ml_dtypes.bfloat16) for _ in range(2))
    c = np.zeros((n, n), np.float32)
    kernel = make_gemm(hk.bf16, hk.f32)
    device = f"emu:{options.chip}"
    small = a[:256, :256].copy()
    kernel(small, small, np.zeros((256, 256), np.float32), device=device)  # compiles
    began = time.perf_counter()
    statistics = kernel.launch(
        a, b, c, device=device, options={"matrix": options.matrix, "threads": options.threads}
    )
    seconds = time.perf_counter() - began
    rows = random.integers(0, n, 4)
    wanted = a[rows].astype(np.float64) @ b.astype(np.float64).T
    error = np.abs(c[rows] - wanted).max()
    print(f"command: python bench/gemm.py {' '.join(sys.argv[1:])}")
    print(
        f"{options.chip} {n}x{n}x{n} bf16, matrix {options.matrix}: {seconds:.2f} s, "
        f"{statistics.matrix_flops / seconds * 1e-9:.1f} GFLOP/s, "
        f"{statistics.wave_instructions / seconds * 1e-6:.1f} M wave-instructions/s, "
        f"largest error of 4 rows {error:.2e}"
    )


if __name__ == "__main__":
    main()
