"""hk: a tile language for AMD GPUs, over register tiles, shared tiles and tensors.

import hk

@hk.kernel(grid=lambda p: (hk.cdiv(p.o.cols, 64), hk.cdiv(p.o.rows, 16), p.o.batch))
def add(a: hk.Tensor[hk.bf16], b: hk.Tensor[hk.bf16], o: hk.Tensor[hk.bf16]):
    idx = hk.tile_coord(hk.arch.block_idx.z, 0, hk.arch.block_idx.y, hk.arch.block_idx.x)
    t = hk.RT(hk.bf16, 16, 64)
    o[idx] = a[idx].load(t) + b[idx].load(t)

print(add.trace().dump())     # the module after the tile passes
print(add.build().report())   # code object and resources: no GPU
add(a, b, out)                # runs, on the built-in device unless told otherwise
"""

from __future__ import annotations

from . import collective, lds, math
from .arch import arch
from .control import range
from .kernel import Build, Func, Kernel, Traced, func, kernel
from .memory import elem_coord, group, tile_coord
from .ops import (
    cdiv,
    col_max,
    col_min,
    col_prod,
    col_sum,
    full,
    iota_col,
    iota_row,
    maximum,
    minimum,
    mma_AB,
    mma_ABt,
    mma_AtB,
    mma_AtBt,
    row_max,
    row_min,
    row_prod,
    row_sum,
    where,
    zeros,
)
from .types import RT, RV, ST, DType, Tensor, bf16, f16, f32, fp16, fp32, i8, i16, i32
from .values import cast

__all__ = [
    "RT", "RV", "ST", "Build", "DType", "Func", "Kernel", "Tensor", "Traced", "arch", "bf16",
    "cast", "cdiv", "col_max", "col_min", "col_prod", "col_sum", "collective", "elem_coord", "f16",
    "f32", "fp16", "fp32", "full", "func", "group", "i8", "i16", "i32", "iota_col", "iota_row",
    "kernel", "lds", "math", "maximum", "minimum", "mma_AB", "mma_ABt", "mma_AtB", "mma_AtBt",
    "range", "row_max", "row_min", "row_prod", "row_sum", "tile_coord", "where", "zeros",
]  # fmt: skip


def __getattr__(name: str) -> object:
    from wavewright.errors import TraceAttributeError

    from .place import fail, nearest

    if name.startswith("__"):
        raise AttributeError(name)
    raise fail(TraceAttributeError, f"hk has no '{name}'{nearest(name, __all__)}")
