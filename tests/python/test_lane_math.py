"""Functions of one lane's value on every chip: how far each is from the exact one, in units of the
last place, and what it does with zeros, infinities and NaN."""

import hk
import ml_dtypes
import numpy as np
import pytest

CHIPS = ["gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"]

# name: (the exact function in float64, interval of the arguments, largest error in ulp)
FUNCTIONS = {
    "exp": (np.exp, (-87, 88), 1.5),
    "exp2": (np.exp2, (-125, 127), 1.5),
    "log": (np.log, (1e-30, 1e30), 1.5),
    "log2": (np.log2, (1e-30, 1e30), 1.5),
    "sqrt": (np.sqrt, (0, 1e30), 0.501),
    "rsqrt": (lambda x: 1 / np.sqrt(x), (1e-30, 1e30), 1.5),
    "tanh": (np.tanh, (-12, 12), 2.0),
    "erf": (np.vectorize(__import__("math").erf), (-5, 5), 3.0),
    "sin": (np.sin, (-1000, 1000), 2.0),
    "cos": (np.cos, (-1000, 1000), 2.0),
    "rint": (np.rint, (-100, 100), 0),
    "floor": (np.floor, (-100, 100), 0),
    "ceil": (np.ceil, (-100, 100), 0),
    "abs": (np.abs, (-100, 100), 0),
}


def kernel(name, dtype):
    function = getattr(hk.math, name)

    @hk.kernel(grid=lambda p: (hk.cdiv(p.o.cols, 64), hk.cdiv(p.o.rows, 16)))
    def apply(x: hk.Tensor[dtype], o: hk.Tensor[dtype]):
        at = hk.tile_coord(0, 0, hk.arch.block_idx.y, hk.arch.block_idx.x)
        o[at] = function(x[at].load(hk.RT(dtype, 16, 64)))

    return apply


def arguments(interval, shape=(64, 64)):
    low, high = interval
    rng = np.random.default_rng(0)
    if low > 0:  # many magnitudes
        return np.exp(rng.uniform(np.log(low), np.log(high), shape)).astype(np.float32)
    x = rng.uniform(low, high, shape)
    x[0] /= 1e4  # and near zero
    x[1] /= 1e2
    return x.astype(np.float32)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("chip", CHIPS)
def test_error_in_ulp(chip, name):
    exact, interval, ulp = FUNCTIONS[name]
    x = arguments(interval)
    o = np.zeros_like(x)
    kernel(name, hk.f32)(x, o, device=f"emu:{chip}")
    reference = exact(x.astype(np.float64))
    error = np.abs(o.astype(np.float64) - reference)
    unit = np.spacing(np.abs(reference).astype(np.float32)).astype(np.float64)
    worst = (error / unit).max()
    assert worst <= ulp, f"{name} on {chip}: {worst} ulp at {x.flat[(error / unit).argmax()]}"


@pytest.mark.parametrize("chip", CHIPS)
def test_special_values(chip):
    specials = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40], np.float32)
    x = np.resize(specials, (16, 64))
    for name in ("exp", "exp2", "tanh", "erf", "sqrt", "abs", "rint", "floor", "sin", "cos"):
        o = np.ones_like(x)
        kernel(name, hk.f32)(x, o, device=f"emu:{chip}")
        with np.errstate(invalid="ignore"):
            reference = FUNCTIONS[name][0](x.astype(np.float64)).astype(np.float32)
        np.testing.assert_allclose(o, reference, rtol=1e-6, atol=1e-44, err_msg=f"{name} on {chip}")
        zeros = x == 0
        np.testing.assert_array_equal(np.signbit(o[zeros]), np.signbit(reference[zeros]), name)


@pytest.mark.parametrize("name", ["exp", "tanh", "sin", "sqrt"])
@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
@pytest.mark.parametrize("chip", CHIPS)
def test_sixteen_bits_round_once(chip, dtype, name):
    numpy_type = ml_dtypes.bfloat16 if dtype == "bf16" else np.float16
    x = np.abs(arguments((-8, 8))).astype(numpy_type)
    o = np.zeros_like(x)
    kernel(name, getattr(hk, dtype))(x, o, device=f"emu:{chip}")
    reference = FUNCTIONS[name][0](x.astype(np.float64))
    bits = {"bf16": 8, "fp16": 11}[dtype]
    bound = np.abs(reference) * 2.0**-bits * 1.001 + 2.0**-25
    assert (np.abs(o.astype(np.float64) - reference) <= bound).all()


@pytest.mark.parametrize("chip", CHIPS)
def test_maximum_and_minimum_keep_nan(chip):
    @hk.kernel(grid=lambda p: (1, 1))
    def extremes(
        a: hk.Tensor[hk.f32], b: hk.Tensor[hk.f32], hi: hk.Tensor[hk.f32], lo: hk.Tensor[hk.f32]
    ):
        at, t = hk.tile_coord(0, 0, 0, 0), hk.RT(hk.f32, 16, 64)
        x, y = a[at].load(t), b[at].load(t)
        hi[at] = hk.maximum(x, y)
        lo[at] = hk.minimum(x, y)

    values = np.array([0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan, 1e-40], np.float32)
    a = np.resize(np.repeat(values, 8), (16, 64))
    b = np.resize(np.tile(values, 8), (16, 64))
    hi, lo = np.zeros_like(a), np.zeros_like(a)
    extremes(a, b, hi, lo, device=f"emu:{chip}")
    np.testing.assert_array_equal(hi, np.maximum(a, b))
    np.testing.assert_array_equal(lo, np.minimum(a, b))
