"""How wrong a result may be: bounds that come from the arithmetic, and the comparison with them.

A bound is an array, one number an element, in the unit of the result. Nothing here is tuned: the
terms are the rounding of f32 (unit roundoff ``U = 2**-24``), the number of operations on the way to
an element, and half an ulp of the output type.

========================  ==========================================================================
dot product of length K   ``(K + 2) * U * sum|a*b| + half ulp`` (architecture, "Words and units")
n roundings of a value    ``n * U * |value| + half ulp``
========================  ==========================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

U = 2.0**-24


def half_ulp(value: Any, dtype: Any) -> np.ndarray:
    """Half the distance between neighbours of ``dtype`` at ``value`` (an array of float64)."""
    info = ml_dtypes.finfo(dtype)
    magnitude = np.abs(np.asarray(value, np.float64))
    smallest = float(info.smallest_normal)
    exponent = np.floor(np.log2(np.maximum(magnitude, smallest)))
    return np.exp2(exponent - info.nmant - 1)


def dot_bound(a: Any, b: Any, dtype: Any) -> np.ndarray:
    """Bound of ``a @ b`` (float64 arrays, (..., M, K) and (..., K, N)) rounded to ``dtype``."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    steps = a.shape[-1] + 2
    return steps * U * (np.abs(a) @ np.abs(b)) + half_ulp(a @ b, dtype)


def relative_bound(reference: Any, roundings: float | np.ndarray, dtype: Any) -> np.ndarray:
    """Bound of a value that went through ``roundings`` roundings of f32, then one to ``dtype``."""
    reference = np.abs(np.asarray(reference, np.float64))
    error = roundings * U * reference
    return error + half_ulp(reference + error, dtype)


def softmax_bound(x: Any, reference: Any, dtype: Any) -> np.ndarray:
    """Bound of softmax along the last axis of ``x`` computed in f32.

    ``exp(v - m)`` turns a rounding of its argument into a relative error of ``|v - m| * U``, beside
    2 ulp of its own; the sum has one term a column, rescaled once a step of its loop, and the
    quotient rounds once.
    """
    x = np.asarray(x, np.float64)
    with np.errstate(invalid="ignore"):
        spread = np.abs(x - x.max(-1, keepdims=True))
    spread = np.where(np.isfinite(spread), spread, 0.0)
    roundings = 2 * spread.max(-1, keepdims=True) + x.shape[-1] + 8
    return relative_bound(reference, roundings, dtype)


def rmsnorm_bound(x: Any, reference: Any, dtype: Any) -> np.ndarray:
    """Bound of ``x / sqrt(mean(x*x) + eps) * w`` in f32: half the sum's error, six roundings."""
    return relative_bound(reference, (np.shape(x)[-1] + 2) / 2 + 6, dtype)


@dataclass(frozen=True)
class Comparison:
    """Where a result is worst against its bound: ``error`` and ``bound`` are of that element."""

    error: float
    bound: float
    index: tuple[int, ...]

    @property
    def ok(self) -> bool:
        return self.error <= self.bound

    def __str__(self) -> str:
        word = "within" if self.ok else "ABOVE"
        return f"error {self.error:.3g} {word} bound {self.bound:.3g} at {list(self.index)}"


def compare(result: Any, reference: Any, bound: Any) -> Comparison:
    """Finds the element whose error is largest against its bound; NaN against a number is inf."""
    result = np.asarray(result).astype(np.float64)
    reference = np.asarray(reference, np.float64)
    bound = np.broadcast_to(np.asarray(bound, np.float64), reference.shape)
    if result.shape != reference.shape:
        raise ValueError(f"result has shape {result.shape}, its reference {reference.shape}")
    if result.size == 0:
        return Comparison(0.0, 0.0, ())
    with np.errstate(invalid="ignore"):
        error = np.abs(result - reference)
    same = (result == reference) | (np.isnan(result) & np.isnan(reference))
    error = np.where(same, 0.0, np.where(np.isnan(error), np.inf, error))
    ratio = error / np.maximum(bound, np.finfo(np.float64).tiny)
    index = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
    return Comparison(float(error[index]), float(bound[index]), tuple(int(i) for i in index))
